"""Orders to start a search from: random, by variable entropy, by dual ascent, and the two of Perez Urcia and
Mauá (2015).

`random`: uniform. `dfs`: as a depth-first walk meets the variables that follows the arcs, parent to child, of the
best-parent graph (each variable takes its best listed set, cycles or not) and goes on from random ones. `fas`:
topological order of that graph without a feedback arc set of small weight. `entropy`: variables drawn without
replacement with probability proportional to their entropy, so that uncertain variables tend to come first
(Scanagatta et al. 2018). `ascent`: the order in which dual ascent over clusters tried in random order places the
variables (`bounds.lagrangian`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.budgets import Budget
from stages.scoring.scores import SCORES

from ..bounds.lagrangian import BoundSearch
from ..lists.set_lists import fixed_parents, index_table, respect_fixed
from .order_decoding import chosen_arcs

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.orders.set_lists import SetLists

    from .. import OptimizeOptions


def make_sampler(
    table: ParentSetTable, options: OptimizeOptions, lists: SetLists | None = None
) -> OrderSampler:
    """The sampler for a user's ``init`` and ``start``."""
    start = None if options.start is None else options.start.order(options.treewidth)
    return OrderSampler(table, options.init, lists, start)


class OrderSampler:
    """Draws initial orders for one table; orders always agree with the table's fixed records.

    Parameters
    ----------
    table : ParentSetTable
    init : str
        One of `stages.optimize.INITS`.
    lists : SetLists, optional
        The packed table, when at hand.
    start : ndarray of int32, optional
        The first order.
    """

    def __init__(
        self,
        table: ParentSetTable,
        init: str,
        lists: SetLists | None = None,
        start: np.ndarray | None = None,
    ):
        self.start = start
        self.n_variables = table.n_variables
        self.prescribed = fixed_parents(table)
        self._draw = {
            "random": self._random,
            "dfs": self._depth_first,
            "fas": self._feedback,
            "entropy": self._entropy,
            "ascent": self._ascent,
        }[init]
        if init in ("dfs", "fas"):
            best = table.set_offsets[:-1]
            self.offsets, self.parents = chosen_arcs(table, best)
            self.children = np.repeat(np.arange(self.n_variables, dtype=np.int32), np.diff(self.offsets))
        if init == "fas":
            from stages.kernels.orders.feedback_arcs import arc_weights

            self.weights = arc_weights(lists or index_table(table), best)
        self.table = table
        if init == "entropy":
            self.entropies = entropy_weights(table)

    def draw(self, rng: np.random.Generator, is_first: bool = False) -> np.ndarray:
        """One order; int32, shape (n_variables,). The first one is that to start from, where there is one."""
        order = self.start if is_first and self.start is not None else self._draw(rng)
        return respect_fixed(order, self.prescribed)

    def _random(self, rng: np.random.Generator) -> np.ndarray:
        return rng.permutation(self.n_variables).astype(np.int32)

    def _entropy(self, rng: np.random.Generator) -> np.ndarray:
        # Exponential clocks with these rates ring in the order of a draw without replacement.
        rings = rng.exponential(size=self.n_variables) / self.entropies
        return np.argsort(rings, kind="stable").astype(np.int32)

    def _ascent(self, rng: np.random.Generator) -> np.ndarray:
        search = BoundSearch(self.table, rng)
        search.improve(Budget(), math.inf, -math.inf)
        return search.order

    def _depth_first(self, rng: np.random.Generator) -> np.ndarray:
        by_parent = np.argsort(self.parents, kind="stable")
        counts = np.bincount(self.parents, minlength=self.n_variables)
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return self._walk(offsets, self.children[by_parent], rng, on_arrival=True)

    def _feedback(self, rng: np.random.Generator) -> np.ndarray:
        from stages.kernels.orders.feedback_arcs import break_cycles, restore_arcs

        removed = break_cycles(self.offsets, self.parents, self.weights, self._random(rng))
        out = np.flatnonzero(removed)
        heaviest_first = out[np.argsort(-self.weights[out], kind="stable")]
        restore_arcs(self.offsets, self.parents, removed, heaviest_first, self.children)
        counts = np.bincount(self.children[~removed], minlength=self.n_variables)
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return self._walk(offsets, self.parents[~removed], rng, on_arrival=False)

    def _walk(
        self, offsets: np.ndarray, neighbours: np.ndarray, rng: np.random.Generator, on_arrival: bool
    ) -> np.ndarray:
        from stages.kernels.orders.feedback_arcs import depth_first_order

        order = np.empty(self.n_variables, dtype=np.int32)
        depth_first_order(offsets, neighbours, self._random(rng), self._random(rng), order, on_arrival)
        return order


def best_parent_density(table: ParentSetTable) -> float:
    """Arcs per variable in the best-parent graph, the density column of Perez Urcia and Mauá (2015)."""
    return chosen_arcs(table, table.set_offsets[:-1])[0][-1] / table.n_variables


def entropy_weights(table: ParentSetTable) -> np.ndarray:
    """Numbers proportional to the variables' entropies; float64, positive, shape (n_variables,).

    The log-likelihood of the empty set is -N H(X). It follows exactly from the empty set's score under
    ``ll``, ``aic`` and ``bic`` (when the header knows states and rows); elsewhere the negated score itself
    stands in, which differs from N H(X) by a term of order ln N. A fixed variable has no empty set listed:
    the negated score of its set, the entropy left given its parents, stands in.
    """
    header = table.header
    penalty = SCORES[header.score].penalty_on(header.rows or 1) if header.score in SCORES else 0.0
    weights = np.empty(table.n_variables)
    for child, variable in enumerate(header.variables):
        sets = range(int(table.set_offsets[child]), int(table.set_offsets[child + 1]))
        sizes = (
            table.parent_offsets[sets.start + 1 : sets.stop + 1]
            - table.parent_offsets[sets.start : sets.stop]
        )
        score = float(table.scores[sets.start + int(np.argmin(sizes))])
        if variable.states is not None and sizes.min() == 0:
            score += (len(variable.states) - 1) * penalty
        weights[child] = -score
    # Constant variables have entropy zero: any place will do, but a rate must be positive.
    return np.maximum(weights, 1e-9 * max(1.0, float(weights.max(initial=0.0))))
