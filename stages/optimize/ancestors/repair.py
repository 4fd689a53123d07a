"""A network of listed sets that keeps all pairs of ancestors, near one that does not; a climb among such networks.

A repair changes one set after the other: one that breaks the path of a forbidden pair, or the sets along a path that
a required pair lacks, each as cheap as possible, and only if fewer pairs are broken afterwards. The climb replaces
one set by a better one while all pairs are kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from formats.records import ParentSetTable
from stages.ancestral_knowledge import Ancestors, Parents, ancestor_masks, shortest_path
from stages.lists.set_lists import all_sets
from stages.runtime.budgets import Budget

MOST_SETS = 400
"""Sets of a child that are tried: its best ones, besides the smallest one and the best one with each parent."""

MOST_REPAIRS = 200
"""Repairs before giving up."""

Network = list[tuple[int, ...]]


class ListedNetworks:
    """Networks of the listed sets of `table`, under pairs of ancestors."""

    def __init__(self, table: ParentSetTable, ancestors: Ancestors):
        self.ancestors = ancestors
        sets, scores = all_sets(table), table.scores
        self.scores: list[dict[tuple[int, ...], float]] = []  # of the sets that are tried, the best first
        for child in range(table.n_variables):
            first, end = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
            taken = _tried(table, first, end)
            self.scores.append(dict(zip(sets.take(taken), scores[taken].tolist())))
        self.least = [min(found, key=len) for found in self.scores]

    def add(self, parents: Parents, scores: np.ndarray) -> None:
        """Try the sets of a network as well; `scores` are its local scores in nats."""
        for found, family, score in zip(self.scores, parents, scores.tolist()):
            found.setdefault(tuple(family), score)

    def scores_of(self, parents: Parents) -> np.ndarray:
        """Local scores of a network of tried sets, nats."""
        return np.array([found[tuple(family)] for found, family in zip(self.scores, parents)])

    def repaired(self, parents: Parents, budget: Budget) -> Network | None:
        """A network without broken pairs near `parents`, else near the one of least sets; None if none is found."""
        self.budget = budget
        for start in (parents, self.least):
            known = [tuple(family) for family in start]
            found = None if ancestor_masks(known) is None else self._repaired(known)
            if found is not None:
                return found
        return None

    def _repaired(self, network: Network) -> Network | None:
        for _ in range(MOST_REPAIRS):
            broken = self.ancestors.violations(network)
            if not broken:
                return network
            for (first, last), is_required in broken:
                mend = self._joined if is_required else self._parted
                better = mend(network, first, last, len(broken))
                if better is not None:
                    network = better
                    break
            else:
                return None
        return None

    def _broken(self, network: Network) -> float:
        return np.inf if ancestor_masks(network) is None else len(self.ancestors.violations(network))

    def _parted(self, network: Network, first: int, last: int, before: int) -> Network | None:
        """Without an arc of a path between two variables."""
        path = shortest_path(network, first, last)
        options = []
        for tail, head in itertools.pairwise(path):
            present = self.scores[head][network[head]]
            fitting = ((present - score, head, s) for s, score in self.scores[head].items() if tail not in s)
            options += list(fitting)
        return self._first_better(network, sorted(options), before)

    def _first_better(
        self, network: Network, options: Sequence[tuple[float, int, tuple[int, ...]]], before: int
    ) -> Network | None:
        for _, child, family in options:
            changed = _with(network, child, family)
            if self._broken(changed) < before:
                return changed
            if self.budget.is_spent():
                break
        return None

    def _joined(self, network: Network, first: int, last: int, before: int) -> Network | None:
        """With a path between two variables: by one change, else by several along a path of few new arcs."""
        above = ancestor_masks(network)
        assert above is not None
        below = {v for v, mask in enumerate(above) if mask >> first & 1}
        options = []
        for head in (v for v in range(len(network)) if above[last] >> v & 1):
            present = self.scores[head][network[head]]
            fitting = ((present - score, head, s) for s, score in self.scores[head].items() if below & set(s))
            options += list(fitting)
        found = self._first_better(network, sorted(options), before)
        if found is not None:
            return found
        path = self._short_path(network, first, last)
        changed = network
        for tail, head in itertools.pairwise(path):
            if tail in changed[head]:
                continue
            entered = (_with(changed, head, s) for s in self.scores[head] if tail in s)
            acyclic = next((each for each in entered if ancestor_masks(each) is not None), None)
            if acyclic is None:
                return None
            changed = acyclic
        return changed if path and self._broken(changed) < before else None

    def _short_path(self, network: Network, first: int, last: int) -> list[int]:
        """A path of possible arcs that needs the fewest new ones; empty if there is none."""
        distance = {last: 0}
        after: dict[int, int] = {}
        layers: list[list[int]] = [[last]]
        while layers:
            layer = layers.pop(0)
            following: list[int] = []
            for head in layer:  # grows while it is read
                for parent in {p for family in self.scores[head] for p in family}:
                    cost = distance[head] + (parent not in network[head])
                    if cost < distance.get(parent, len(network) + 1):
                        distance[parent], after[parent] = cost, head
                        (following if cost > distance[head] else layer).append(parent)
            if following:
                layers.append(following)
        if first not in distance:
            return []
        path = [first]
        while path[-1] != last:
            path.append(after[path[-1]])
        return path

    def climbed(self, network: Network, budget: Budget) -> Network:
        """The network after single changes that improve it and break no pair, the best ones first."""
        improved = True
        while improved and not budget.is_spent():
            improved = False
            changes = [
                (score - found[family], child, candidate)
                for child, (found, family) in enumerate(zip(self.scores, network))
                for candidate, score in found.items()
                if score > found[family]
            ]
            changed: set[int] = set()
            for _, child, family in sorted(changes, reverse=True):
                if budget.is_spent():
                    break
                if child not in changed and self.ancestors.agrees(other := _with(network, child, family)):
                    network, improved = other, True
                    changed.add(child)
        return network


def _tried(table: ParentSetTable, first: int, end: int) -> np.ndarray:
    """The sets of a list that are tried, as indices into the table."""
    if end - first <= MOST_SETS:
        return np.arange(first, end)
    start, stop = table.parent_offsets[[first, end]]
    _, places = np.unique(table.parents[start:stop], return_index=True)
    with_each = np.searchsorted(table.parent_offsets, start + places, side="right") - 1
    smallest = first + int(np.argmin(np.diff(table.parent_offsets[first : end + 1])))
    return np.unique(np.concatenate([np.arange(first, first + MOST_SETS), with_each, [smallest]]))


def _with(network: Network, child: int, family: tuple[int, ...]) -> Network:
    return [*network[:child], family, *network[child + 1 :]]
