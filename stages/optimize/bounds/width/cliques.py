"""The cliques of two and three variables that a k-tree may have, numbered."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import child_of_sets


class Cliques:
    """Cliques numbered as columns of a relaxation, after `n_sets` sets: pairs, then triples.

    K, the `treewidth`, is at least 2 and at most n_variables - 2. `triples` (int64, shape (n_triples, 3), each
    ascending) are all unless given.
    """

    def __init__(self, n_variables: int, treewidth: int, n_sets: int = 0, triples: np.ndarray | None = None):
        self.n_variables = n = n_variables
        self.treewidth, self.n_sets = treewidth, n_sets
        self.pairs, self.triples = subsets_of(n, 2), subsets_of(n, 3) if triples is None else triples
        self.first_pair = n_sets
        self.first_triple = self.first_pair + len(self.pairs)
        self.n_columns = self.first_triple + len(self.triples)
        # Columns by members; -1 where members repeat, and for triples that are no columns.
        self.pair_column = columns_by_members(n, self.pairs, self.first_pair)
        self.triple_column = columns_by_members(n, self.triples, self.first_triple)

    @cached_property
    def edges_of_triples(self) -> np.ndarray:
        """The columns of the three pairs of each triple; int64, shape (n_triples, 3)."""
        a, b, c = self.triples.T
        return np.stack([self.pair_column[a, b], self.pair_column[a, c], self.pair_column[b, c]], axis=1)


def joined(lists: SetLists, most: int) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Each child with each one to `most` of its parents, set by set: indices of sets, then the child and these
    parents of each; int64.

    They are a clique of the moral graph, and a network has one such set of a clique: two would close a cycle. So all
    sets that join one variable of a clique to its others share the clique, which is a row of the relaxation.
    """
    sizes, children = np.diff(lists.parent_offsets), child_of_sets(lists).astype(np.int64)
    for size in np.unique(sizes[sizes > 0]).tolist():
        sets = np.flatnonzero(sizes == size)
        parents = lists.parents[lists.parent_offsets[sets][:, None] + np.arange(size)].astype(np.int64)
        for number in range(1, min(most, size) + 1):
            for some in itertools.combinations(parents.T, number):
                yield sets, [children[sets], *some]


def subsets_of(n_variables: int, size: int) -> np.ndarray:
    """All subsets of this size; int64, shape (n_subsets, size), each ascending."""
    subsets = list(itertools.combinations(range(n_variables), size))
    return np.array(subsets, dtype=np.int64).reshape(len(subsets), size)


def columns_by_members(n_variables: int, subsets: np.ndarray, first: int) -> np.ndarray:
    """The column of each subset, by its members in any order; int32, -1 where members repeat."""
    size = subsets.shape[1]
    columns = np.full((n_variables,) * size, -1, dtype=np.int32)
    for order in itertools.permutations(range(size)):
        columns[tuple(subsets[:, i] for i in order)] = np.arange(first, first + len(subsets), dtype=np.int32)
    return columns
