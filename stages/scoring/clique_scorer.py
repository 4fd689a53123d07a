"""The best families with parents in one small clique, for many children at once; see the kernel."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Collection

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.kernels.counting.clique_families import CliqueScratch, CliqueSubsets, FamilySums, best_clique_families

from .scored_data import ScoredData
from .set_functions import cell_numbers, configuration_kinds

MOST_ENTRIES = 1 << 14
"""Largest number of entries of a clique's array of counts, including the states of a child: eight binary variables
have 13,122.
"""

MOST_ROWS = 1 << 24
"""Largest number of rows: coding them by the cells of a clique takes a tenth of a second, a look-up table 128 MB."""

CALL_WORK = 1 << 26
"""Approximate number of rows and entries visited per call for the children: a tenth of a second."""

ENTRY_WORK = 4
"""Work on an entry of the counts: margins, place in a sum, and look-up."""


class CliqueScorer:
    """Best families of at most `most_parents` parents within cliques; `products` is from `clique_products`."""

    def __init__(self, scorer: ScoredData, most_parents: int, products: np.ndarray):
        self.scorer, self.most_parents = scorer, most_parents
        self._n_packed = scorer.data.codes.shape[1]
        self._states = scorer.n_states.astype(np.int32)
        self._subsets: dict[tuple[int, ...], CliqueSubsets] = {}
        self._thread = threading.local()
        # The tables for each number of states of a child, if they differ.
        self._sums: dict[int, FamilySums] = {}
        tables = scorer.tables
        if scorer.definition.is_likelihood:
            cells = tables.of_expansion(0, 1.0).cell  # which all families share
        else:
            cells = np.stack([tables.of_cells(product) for product in products.tolist()])
        kinds = configuration_kinds(scorer)
        for r in sorted({int(r) for r in scorer.n_states}):
            is_own = r in kinds
            self._sums[r] = FamilySums(
                products=products,
                table=cells,
                parent_products=np.ones(1) if is_own else products,
                parent_table=tables.of_configurations(r)[None] if is_own else cells,
                quantum=scorer.quantum,
                is_monotone=scorer.definition.is_likelihood,
            )

    def can_count(self, rows: np.ndarray, is_member: np.ndarray | bool = True) -> np.ndarray:
        """Whether cliques can be counted with any child; each has the members in a row of `rows`, all by default."""
        with np.errstate(over="ignore"):  # infinite in large bags
            entries = np.where(is_member, self._states[rows] + 1.0, 1.0).prod(axis=-1) * self._states.max()
        return entries <= MOST_ENTRIES

    def n_fitting(self, members: np.ndarray) -> int:
        """Number of first members that form a clique which can be counted with any child."""
        with np.errstate(over="ignore"):
            entries = np.cumprod(self._states[members] + 1.0) * self._states.max()
        return int((entries <= MOST_ENTRIES).sum())

    def _entries(self, members: np.ndarray) -> int:
        return math.prod((self._states[members] + 1).tolist()) * int(self._states.max())

    def best(self, members: np.ndarray, children: np.ndarray, allowed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The best family of each of the `children` with parents among the `members`.

        Parameters
        ----------
        allowed : ndarray of int64, shape (n_children,)
            The members that may be parents of each child as binary digits, the first one the lowest.

        Returns
        -------
        (masks, scores)
            The parents of each child as binary digits, and the scores in nats; fewer parents before more where
            scores are equal.

        Raises
        ------
        ValueError
            If the clique is too large, see `can_count`.
        """
        if self._entries(members) > MOST_ENTRIES:
            raise ValueError(f"{len(members)} members have too many cells to count")
        masks, scores = np.empty(len(children), dtype=np.int64), np.empty(len(children))
        subsets = self._subsets_of(tuple(self._states[members].tolist()))
        scratch = self._scratch(len(subsets.masks))
        for r, sums in self._sums.items():
            those = np.flatnonzero(self._states[children] == r)
            penalty = self.scorer.definition.penalty_on(self.scorer.n_rows) * float(r - 1)
            found, values = np.empty(len(those), dtype=np.int64), np.empty(len(those))
            if len(those):
                best_clique_families(
                    self.scorer.data, r, members, subsets, sums, children[those], allowed[those], penalty, scratch,
                    found, values,
                )  # fmt: skip
            masks[those], scores[those] = found, values
        self.scorer.count_evaluations(len(children) * len(subsets.masks), float(len(children) * self._n_packed))
        return masks, scores

    def call_size(self, members: np.ndarray) -> int:
        """Number of children for one call of `best`, so that it takes tenths of a second."""
        return max(1, CALL_WORK // (self._n_packed + ENTRY_WORK * self._entries(members)))

    def n_families(self, members: np.ndarray) -> int:
        """Families that are scored for each child."""
        return len(self._subsets_of(tuple(self._states[members].tolist())).masks)

    def _subsets_of(self, states: tuple[int, ...]) -> CliqueSubsets:
        if states not in self._subsets:
            self._subsets[states] = lay_out_subsets(states, self.most_parents)
        return self._subsets[states]

    def _scratch(self, n_subsets: int) -> CliqueScratch:
        kept = getattr(self._thread, "scratch", None)
        if kept is None or len(kept.parent_sums) < n_subsets:
            kept = self._thread.scratch = CliqueScratch(
                rows=np.empty(self._n_packed, dtype=np.int32),
                totals=np.empty(MOST_ENTRIES, dtype=np.int32),
                counts=np.empty(MOST_ENTRIES, dtype=np.int32),
                parent_sums=np.empty(n_subsets),
            )
        return kept


def clique_products(scorer: ScoredData, most_parents: int) -> np.ndarray | None:
    """Numbers of cells for which the tables of families within a clique differ, see `cell_numbers`.

    None with too many rows, or if `cell_numbers` gives none.
    """
    products = cell_numbers(scorer, most_parents + 1) if scorer.n_rows <= MOST_ROWS else None
    # Without parents there is one configuration.
    return None if products is None else np.union1d(products, np.ones(1))


def lay_out_subsets(states: tuple[int, ...], largest: int) -> CliqueSubsets:
    """The subsets of up to `largest` members with these numbers of states."""
    n, radices = len(states), np.array(states, dtype=np.int64) + 1
    strides = np.cumprod(np.concatenate(([1], radices)))[:-1]

    def cells_of(members: Collection[int], others: int = 1) -> np.ndarray:
        """All states of some members; other members are at "any", or at state 0 if `others` is 0."""
        cells = np.array([others * sum(int(strides[i]) * states[i] for i in range(n) if i not in members)])
        for i in members:
            cells = (cells + strides[i] * np.arange(states[i])[:, None]).ravel()
        return cells.astype(np.int32)

    subsets = [s for size in range(min(n, largest) + 1) for s in itertools.combinations(range(n), size)]
    cells = [cells_of(members) for members in subsets]
    blocks = [cells_of(range(i + 1, n), others=0) for i in range(n)]
    return CliqueSubsets(
        radices=radices,
        strides=strides,
        masks=np.array([sum(1 << i for i in members) for members in subsets], dtype=np.int64),
        n_cells=np.array([float(len(each)) for each in cells]),
        starts=offsets_of(np.array([len(each) for each in cells])),
        cells=np.concatenate(cells),
        whole=cells_of(tuple(range(n))),
        block_starts=offsets_of(np.array([len(each) for each in blocks])),
        blocks=np.concatenate(blocks),
    )
