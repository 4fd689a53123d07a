"""Columns of the relaxation: sets with the pairs and triples that they need, and cliques."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import child_of_sets

from ...bounds.width.cliques import Cliques, joined


class Incidence:
    """Which sets need which cliques: the sets of each clique."""

    def __init__(self, cliques: np.ndarray, sets: np.ndarray, n_cliques: int):
        order = np.argsort(cliques, kind="stable")
        self.cliques, self.sets = cliques[order], sets[order]  # int64, one entry per need
        self.offsets = offsets_of(np.bincount(cliques, minlength=n_cliques))

    def of(self, clique: int) -> np.ndarray:
        """The sets that need this clique; int64."""
        return self.sets[self.offsets[clique] : self.offsets[clique + 1]]

    def weights(self, shares: np.ndarray) -> np.ndarray:
        """The shares (float64, shape (n_sets,)) of each clique's sets, summed."""
        sums = np.bincount(self.cliques, shares[self.sets], minlength=len(self.offsets) - 1)
        return np.asarray(sums, dtype=np.float64)  # of no sets, bincount counts in integers


class FamilyCliques(Cliques):
    """Sets of a table and the cliques that may need them, numbered as columns: sets, pairs, then triples.

    Parameters
    ----------
    lists : SetLists
        No set has more than `treewidth` members.
    treewidth : int
        K, at least 2 and at most n_variables - 2.
    """

    def __init__(self, lists: SetLists, treewidth: int):
        super().__init__(len(lists.set_offsets) - 1, treewidth, len(lists.scores))
        self.lists, self.sizes = lists, np.diff(lists.parent_offsets)
        self.child = child_of_sets(lists)
        self.arcs, self.sinks, self.needs = (Incidence(*found) for found in self._incidences())

    @cached_property
    def members(self) -> np.ndarray:
        """Whether a variable is a parent in a set; bool, shape (n_sets, n_variables)."""
        members = np.zeros((self.n_sets, self.n_variables), dtype=np.bool_)
        members[np.repeat(np.arange(self.n_sets), self.sizes), self.lists.parents] = True
        return members

    def _incidences(self):
        """Pairs of child and parent, triples of child and two parents, all pairs of a family: cliques, their sets,
        and the number of cliques.
        """
        pairs, none = self.pair_column - self.first_pair, np.empty(0, dtype=np.int64)
        found: list[list[tuple[np.ndarray, np.ndarray]]] = [[], [], []]
        for sets, (child, *parents) in joined(self.lists, 2):
            if len(parents) == 2:
                found[1].append((self.triple_column[child, *parents] - self.first_triple, sets))
            else:
                found[0].append((pairs[child, *parents], sets))
            found[2].append((pairs[parents[0], parents[1] if len(parents) == 2 else child], sets))
        counts = (len(self.pairs), len(self.triples), len(self.pairs))
        for entries, count in zip(found, counts):
            cliques = np.concatenate([none, *(clique for clique, _ in entries)])
            yield cliques, np.concatenate([none, *(sets for _, sets in entries)]), count
