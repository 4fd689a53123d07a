"""Initial orders: random, by variable entropy, by dual ascent, and two by Perez Urcia and Mauá (2015).

`random`: uniform. `dfs`: pre-order of a depth-first search from random roots along the arcs, parent to child, of the
best-parent graph (each variable takes its best listed set, cycles or not). `fas`: topological order of the
best-parent graph without a feedback arc set of small weight. `entropy`: variables drawn without replacement with
probability proportional to their entropy, so variables of high entropy tend to come first (Scanagatta et al. 2018).
`ascent`: the order in which dual ascent, over clusters in random order, places the variables (`bounds.lagrangian`).
"""

from __future__ import annotations

import math

import numpy as np

from formats.records import ParentSetTable
from formats.sets.listed_sets import offsets_of
from stages.kernels.orders.initial_orders import arc_weights, break_cycles, depth_first_order, restore_arcs
from stages.lists.order_decoding import chosen_arcs
from stages.lists.set_lists import fixed_parents, lists_in, respect_fixed
from stages.runtime.budgets import Budget
from stages.scoring.scores import SCORES

from .. import OptimizeOptions
from ..bounds.lagrangian import BoundSearch


def make_sampler(table: ParentSetTable, options: OptimizeOptions) -> OrderSampler:
    """The sampler for a user's ``init`` and ``start``."""
    start = None if options.start is None else options.start.order(options.treewidth)
    return OrderSampler(table, options.init, start)


class OrderSampler:
    """Draws initial orders for one table; orders always agree with the table's fixed records.

    `init` is one of `stages.optimize.INITS`; `start` (int32) is the
    first order, None to draw it too.
    """

    def __init__(self, table: ParentSetTable, init: str, start: np.ndarray | None = None):
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
            self.weights = arc_weights(lists_in(table), best)
        self.table = table
        if init == "entropy":
            self.entropies = entropy_weights(table)

    def draw(self, rng: np.random.Generator, is_first: bool = False) -> np.ndarray:
        """One order; int32, shape (n_variables,). The first is `start`, if given."""
        order = self.start if is_first and self.start is not None else self._draw(rng)
        return respect_fixed(order, self.prescribed)

    def _random(self, rng: np.random.Generator) -> np.ndarray:
        return rng.permutation(self.n_variables).astype(np.int32)

    def _entropy(self, rng: np.random.Generator) -> np.ndarray:
        # The order of exponential variates with these rates is a weighted draw without replacement.
        times = rng.exponential(size=self.n_variables) / self.entropies
        return np.argsort(times, kind="stable").astype(np.int32)

    def _ascent(self, rng: np.random.Generator) -> np.ndarray:
        search = BoundSearch(lists_in(self.table), rng)
        search.improve(Budget(), math.inf, -math.inf)
        return search.order

    def _depth_first(self, rng: np.random.Generator) -> np.ndarray:
        by_parent = np.argsort(self.parents, kind="stable")
        offsets = offsets_of(np.bincount(self.parents, minlength=self.n_variables))
        return self._walk(offsets, self.children[by_parent], rng, on_arrival=True)

    def _feedback(self, rng: np.random.Generator) -> np.ndarray:
        removed = break_cycles(self.offsets, self.parents, self.weights, self._random(rng))
        out = np.flatnonzero(removed)
        heaviest_first = out[np.argsort(-self.weights[out], kind="stable")]
        restore_arcs(self.offsets, self.parents, removed, heaviest_first, self.children)
        offsets = offsets_of(np.bincount(self.children[~removed], minlength=self.n_variables))
        return self._walk(offsets, self.parents[~removed], rng, on_arrival=False)

    def _walk(
        self, offsets: np.ndarray, neighbours: np.ndarray, rng: np.random.Generator, on_arrival: bool
    ) -> np.ndarray:
        order = np.empty(self.n_variables, dtype=np.int32)
        depth_first_order(offsets, neighbours, self._random(rng), self._random(rng), order, on_arrival)
        return order


def best_parent_density(table: ParentSetTable) -> float:
    """Arcs per variable in the best-parent graph, the density column of Perez Urcia and Mauá (2015)."""
    return chosen_arcs(table, table.set_offsets[:-1])[0][-1] / table.n_variables


def entropy_weights(table: ParentSetTable) -> np.ndarray:
    """Positive weights proportional to the variables' entropies; float64, shape (n_variables,).

    The log-likelihood of the empty set is -N H(X). It follows exactly from the empty set's score under ``ll``,
    ``aic`` and ``bic`` (if the header has states and rows). Otherwise the negated score is used, which differs from
    N H(X) by a term of order ln N. A fixed variable may not list the empty set; then the negated score of its
    smallest set is used, a conditional entropy.
    """
    header = table.header
    penalty = SCORES[header.score].penalty_on(header.rows or 1) if header.score in SCORES else 0.0
    weights = np.empty(table.n_variables)
    for child, variable in enumerate(header.variables):
        sets = range(int(table.set_offsets[child]), int(table.set_offsets[child + 1]))
        sizes = table.parent_offsets[sets.start + 1 : sets.stop + 1] - table.parent_offsets[sets.start : sets.stop]
        score = float(table.scores[sets.start + int(np.argmin(sizes))])
        if variable.states is not None and sizes.min() == 0:
            score += (len(variable.states) - 1) * penalty
        weights[child] = -score
    # Constant variables have entropy zero; any position is fine, but a rate must be positive.
    return np.maximum(weights, 1e-9 * max(1.0, float(weights.max(initial=0.0))))
