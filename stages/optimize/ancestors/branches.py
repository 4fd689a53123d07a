"""Parts of the networks of listed sets; each network that keeps a broken pair is in one of them.

A forbidden A ~> B is broken by a path: one of its arcs is missing, so in part k arc k is missing and the earlier ones
are there. A required A ~> B is broken if B has no ancestor among the descendants of A. Let U be closed under parents,
with B and without A: the ancestors of B and B itself, or all but A and its descendants. Some member of U must have a
parent outside of U; in part k it is member k, and the earlier ones have none. So the parts are disjoint.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from formats.records import ParentSetTable
from formats.sets.listed_sets import offsets_of
from stages.ancestral_knowledge import Ancestors, Parents, ancestor_masks, shortest_path


class Condition(NamedTuple):
    """A condition on the set of one child: whether it meets some variables."""

    child: int
    members: frozenset[int]
    meets: bool


class Selection:
    """Which sets of a table a part has."""

    def __init__(self, table: ParentSetTable):
        self.table = table

    def everything(self) -> np.ndarray:
        """The sets of all networks; bool, shape (n_sets,)."""
        return np.ones(self.table.n_sets, dtype=np.bool_)

    def meeting(self, child: int, members: frozenset[int]) -> np.ndarray:
        """Which sets of a child meet some variables; bool, in the order of its list."""
        table = self.table
        first, end = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
        start, stop = table.parent_offsets[[first, end]]
        sums = offsets_of(np.isin(table.parents[start:stop], list(members)))
        ends = table.parent_offsets[first : end + 1] - start
        return sums[ends[1:]] > sums[ends[:-1]]

    def restricted(self, kept: np.ndarray, conditions: Sequence[Condition]) -> np.ndarray | None:
        """The sets among `kept` that fulfil conditions; None if a child has none."""
        kept = kept.copy()
        for child, members, meets in conditions:
            span = slice(int(self.table.set_offsets[child]), int(self.table.set_offsets[child + 1]))
            kept[span] &= self.meeting(child, members) == meets
            if not kept[span].any():
                return None
        return kept

    def loss(self, kept: np.ndarray, condition: Condition) -> float:
        """How much the best kept set of a child that fulfils a condition scores below its best one, in nats; infinite
        if there is none.
        """
        child, members, meets = condition
        span = slice(int(self.table.set_offsets[child]), int(self.table.set_offsets[child + 1]))
        scores = np.where(kept[span], self.table.scores[span], -np.inf)
        fitting = np.where(self.meeting(child, members) == meets, scores, -np.inf)
        return float(scores.max() - fitting.max())

    def possible_parents(self, kept: np.ndarray) -> list[list[int]]:
        """For each child the members of its kept sets."""
        table, n = self.table, self.table.n_variables
        sizes = np.diff(table.parent_offsets)
        children = np.repeat(np.repeat(np.arange(n), np.diff(table.set_offsets)), sizes)
        pairs = np.unique((children * n + table.parents)[np.repeat(kept, sizes)])
        found: list[list[int]] = [[] for _ in range(n)]
        for child, parent in zip((pairs // n).tolist(), (pairs % n).tolist()):
            found[child].append(parent)
        return found


def cut_off(pairs: Sequence[tuple[int, int]], possible: Parents) -> tuple[int, int] | None:
    """The first pair that no path of possible arcs joins; None if all are joined."""
    for ancestor, descendant in pairs:
        reached, waiting = {descendant}, [descendant]
        while waiting and ancestor not in reached:
            new = set(possible[waiting.pop()]) - reached
            reached |= new
            waiting += new
        if ancestor not in reached:
            return ancestor, descendant
    return None


def branches_of(
    parents: Parents, ancestors: Ancestors, selection: Selection, kept: np.ndarray
) -> list[list[Condition]] | None:
    """The conditions of each part, for the broken pair that has the fewest parts; None if no pair is broken.

    `parents` is a network of the kept sets. Parts without a network are left out as far as lists show it, so there
    may be none.
    """
    above = ancestor_masks(parents)
    assert above is not None
    best: list[list[Condition]] | None = None
    for violation in ancestors.violations(parents):
        first, last = violation.pair
        if violation.is_required:
            closed = [v for v in range(len(parents)) if above[last] >> v & 1]
            below = [v for v in range(len(parents)) if not above[v] >> first & 1]
            cuts = [_entries(members, selection, kept) for members in (closed, below)]
            found = min(cuts, key=len)
        else:
            found = _missing_arcs(shortest_path(parents, first, last), selection, kept)
        if best is None or len(found) < len(best):
            best = found
    return best


def _missing_arcs(path: list[int], selection: Selection, kept: np.ndarray) -> list[list[Condition]]:
    """One arc of a path is missing; the arcs whose absence costs least come first."""
    missing = [Condition(head, frozenset([tail]), False) for tail, head in itertools.pairwise(path)]
    return _in_turn(missing, selection, kept)


def _entries(members: list[int], selection: Selection, kept: np.ndarray) -> list[list[Condition]]:
    """A member of a set closed under parents has a parent outside; the cheapest come first."""
    outside = frozenset(range(selection.table.n_variables)).difference(members)
    return _in_turn([Condition(child, outside, True) for child in members], selection, kept)


def _in_turn(conditions: list[Condition], selection: Selection, kept: np.ndarray) -> list[list[Condition]]:
    """One of some conditions and none of those before it, for each; without conditions that no kept set fulfils."""
    losses = [selection.loss(kept, condition) for condition in conditions]
    ranked = [conditions[k] for k in np.argsort(losses, kind="stable").tolist() if losses[k] < np.inf]
    return [[*(c._replace(meets=not c.meets) for c in ranked[:k]), one] for k, one in enumerate(ranked)]
