"""Arcs of a fractional choice of sets, their cycles, and orders that come near it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.graphs import strongly_connected_components
from stages.kernels.bounds.cluster_cuts import Support
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import child_of_sets
from stages.runtime.budgets import Budget

from ..bounds.cut_pool import CutPool
from ..bounds.cuts import Origin
from ..bounds.separators import FractionalChoice

NO_PARENTS_LOST = -1
"""Source of an empty set that was added by `with_empty_sets`."""


def with_empty_sets(
    lists: SetLists, costs: np.ndarray, source: np.ndarray, cost: float
) -> tuple[SetLists, np.ndarray, np.ndarray]:
    """Lists in which every variable has the empty set, so that every branch has a solution.

    An empty set that is not listed is added with the cost `cost` (nats); no better network can contain a set of this
    cost. `costs` (float64) are those of the listed sets, and `source` (int64) has their indices in the original
    lists; both have shape (n_sets,). Returns the lists, the costs of their sets and the indices of these in the
    original lists, `NO_PARENTS_LOST` for added sets.
    """
    sizes = np.diff(lists.parent_offsets)
    starts, ends = lists.set_offsets[:-1], lists.set_offsets[1:]
    lacks = np.array([not (sizes[a:b] == 0).any() for a, b in zip(starts, ends)])
    places = ends[lacks]
    # At least the cost of the last listed set, so lists stay sorted.
    added = np.maximum(cost, costs[places - 1])
    scores = lists.scores[places - 1] - (added - costs[places - 1])
    extended = lists._replace(
        set_offsets=lists.set_offsets + offsets_of(lacks),
        parent_offsets=offsets_of(np.insert(sizes, places, 0)),
        scores=np.insert(lists.scores, places, scores),
    )
    return extended, np.insert(costs, places, added), np.insert(source, places, NO_PARENTS_LOST)


class SharedArcs:
    """The arcs of candidate sets, each with the sets that contain it."""

    def __init__(self, lists: SetLists):
        self.n_variables = n = len(lists.set_offsets) - 1
        set_of_entry = np.repeat(np.arange(len(lists.scores)), np.diff(lists.parent_offsets))
        keys = lists.parents.astype(np.int64) * n + child_of_sets(lists)[set_of_entry]
        order = np.argsort(keys, kind="stable")
        self._sets = set_of_entry[order]
        self._keys, self._starts = np.unique(keys[order], return_index=True)
        self._ends = np.append(self._starts[1:], len(keys))
        self._arc_of_entry = np.searchsorted(self._keys, keys)
        self._set_of_entry = set_of_entry

    def sets_with(self, parent: int, child: int) -> np.ndarray:
        """Sets of `child` that contain `parent`."""
        key = parent * self.n_variables + child
        place = int(np.searchsorted(self._keys, key))
        if place == len(self._keys) or self._keys[place] != key:
            return self._sets[:0]
        return self._sets[self._starts[place] : self._ends[place]]

    def on_cycles(self, taken: np.ndarray) -> list[tuple[int, int]]:
        """Arcs (parent, child) on a cycle of arcs of the sets where `taken` is true."""
        used = np.unique(self._arc_of_entry[taken[self._set_of_entry]])
        arcs = [divmod(key, self.n_variables) for key in self._keys[used].tolist()]
        parents: list[list[int]] = [[] for _ in range(self.n_variables)]
        for parent, child in arcs:
            parents[child].append(parent)
        numbered = enumerate(strongly_connected_components(parents))
        component = {variable: number for number, members in numbered for variable in members}
        return [(parent, child) for parent, child in arcs if component[parent] == component[child]]

    def cycle(self, taken: np.ndarray) -> list[int]:
        """Variables of one cycle of arcs of the sets where `taken` is true, ascending; empty if there is none."""
        parent_of = {child: parent for parent, child in self.on_cycles(taken)}
        if not parent_of:
            return []
        variable, path = next(iter(parent_of)), []
        # A parent on a cycle is itself a child on a cycle, so the walk against the arcs meets its own path.
        while variable not in path:
            path.append(variable)
            variable = parent_of[variable]
        return sorted(path[path.index(variable) :])

    def undecided_pairs(
        self, shares: np.ndarray, least: float, after: tuple[int, ...]
    ) -> dict[tuple[int, int], tuple[float, float]]:
        """Pairs of variables, unordered by the partial order, that are joined by an arc on a cycle.

        Returns for each pair (ascending) the share of the arc from the first to the second, and the share of the
        opposite arc. `shares` is float64, shape (n_sets,); shares up to `least` are neglected. `after` has for each
        variable the bits of the variables that come after it.
        """
        weights = np.bincount(self._arc_of_entry, weights=shares[self._set_of_entry], minlength=len(self._keys))
        share_of = dict(zip(self._keys.tolist(), weights.tolist()))
        pairs = {(min(arc), max(arc)) for arc in self.on_cycles(shares > least)}
        n = self.n_variables
        return {
            (a, b): (share_of.get(a * n + b, 0.0), share_of.get(b * n + a, 0.0))
            for a, b in sorted(pairs)
            if not (after[a] >> b & 1 or after[b] >> a & 1)
        }


class CycleSeparator(NamedTuple):
    """Finds the cluster of a cycle of sets that are chosen whole; local search may overlook such clusters."""

    arcs: SharedArcs
    least_share: float  # sets with a larger share count as chosen whole

    def separate(
        self, point: FractionalChoice, pool: CutPool, rng: np.random.Generator, budget: Budget
    ) -> tuple[list[Origin], int]:
        """One cluster of demand one, or none."""
        members = self.arcs.cycle(point.shares > self.least_share)
        return [(np.array(members, dtype=np.int32), 1)] if members else [], 0


def add_precedence(after: tuple[int, ...], first: int, second: int) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
    """The transitive closure of a partial order and of `first` coming before `second`.

    Returns for each variable the bits of the variables after it, and the newly ordered pairs (earlier, later).
    """
    gained = after[second] | 1 << second
    closed, new_pairs = list(after), []
    for variable, bits in enumerate(after):
        # `first` and all variables before it now precede `second` and all variables after it.
        if variable == first or bits >> first & 1:
            more = gained & ~bits
            closed[variable] = bits | gained
            new_pairs += [(variable, later) for later in range(more.bit_length()) if more >> later & 1]
    return tuple(closed), new_pairs


def order_by_shares(support: Support, rng: np.random.Generator) -> np.ndarray:
    """An order suggested by a fractional choice; int32.

    The next variable is the one with the largest share of sets whose members are all placed; ties at random.
    """
    n = len(support.lists.set_offsets) - 1
    lacking = np.diff(support.lists.parent_offsets)
    ready: np.ndarray = np.bincount(support.child, weights=np.where(lacking == 0, support.shares, 0.0), minlength=n)
    ready = ready + 1e-9 * rng.random(n)
    order = np.empty(n, dtype=np.int32)
    for place in range(n):
        variable = order[place] = int(np.argmax(ready))
        ready[variable] = -np.inf
        for s in support.member_sets[
            support.member_offsets[variable] : support.member_offsets[variable + 1]
        ].tolist():
            # A set counts once all its members are placed.
            lacking[s] -= 1
            if lacking[s] == 0:
                ready[support.child[s]] += support.shares[s]
    return order
