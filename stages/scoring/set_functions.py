"""Values of sets that many families share, and local scores as their differences; see the kernels of this name."""

from __future__ import annotations

import math
import mmap
import threading

import numpy as np

from stages.kernels.counting.set_functions import score_open_by_values
from stages.kernels.counting.set_values import SetArrays, SetScratch

from .family_scorer import FamilyScorer

SCRATCH_BYTES = 1 << 26
"""Scratch of one thread at most."""

LARGEST = 12
"""Size of a set at most: its binary variables have 4,096 cells."""


class SetFunctions:
    """Values of all sets up to some size, made when they are needed; processes forked later share them.

    Parameters
    ----------
    largest : int
        Number of variables of a set at most, as of `largest_size`.
    """

    def __init__(self, scorer: FamilyScorer, largest: int):
        self.scorer, self.largest = scorer, largest
        ranked = np.flatnonzero(scorer.n_states > 1).astype(np.int32)
        place = np.full(scorer.n_variables, -1, dtype=np.int32)
        place[ranked] = np.arange(len(ranked))
        starts = set_starts(len(ranked), largest)
        is_binary = scorer.n_states[ranked] == 2
        cell, row = self._lines()
        values = _shared_zeros(starts[-1], np.float64)
        counts = _shared_zeros(starts[largest], np.int32)
        ones = scorer.data.state_offsets[ranked[is_binary]] + 1
        counts[starts[1] + np.flatnonzero(is_binary)] = scorer.state_counts[ones] + 1
        differs = scorer.definition.prior is not None and not scorer.definition.takes_ess
        self.arrays = SetArrays(
            place=place,
            variables=ranked,
            firsts=scorer.data.state_offsets[ranked],
            is_binary=is_binary,
            binomials=np.array([[math.comb(n, k) for n in range(len(ranked) + 1)] for k in range(largest + 1)]),
            starts=starts,
            values=values,
            parent_values=_shared_zeros(starts[largest], np.float64) if differs else values,
            counts=counts,
            cell=cell,
            row=row,
        )
        # Of sets with other than binary variables under a penalty: likelihoods as they are summed.
        tables = scorer.tables
        self._tables = tables.of_expansion(0, 1.0)._replace(penalty=0.0, quantum=tables.grid)
        self._thread = threading.local()

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, once all sets have values."""
        arrays = {
            id(array): array.nbytes for array in (self.arrays.values, self.arrays.parent_values, self.arrays.counts)
        }
        return sum(arrays.values())

    def _lines(self) -> tuple[np.ndarray, np.ndarray]:
        """Contributions of the cells of a set, and of configurations of parents, by the size of the set."""
        scorer = self.scorer
        if not scorer.definition.takes_ess:
            cell, row = scorer.tables.of_family(int(scorer.n_states.argmax()), 1.0)
            return cell[None], row[None]
        child = int(np.flatnonzero(scorer.n_states == 2)[0])
        rows = np.stack([scorer.tables.of_family(child, 2.0**size)[1] for size in range(self.largest + 1)])
        return rows, rows

    def score(
        self,
        child: int,
        allowed: np.ndarray,
        places: np.ndarray,
        which: np.ndarray,
        position: int,
        most_work: float,
        into: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    ) -> int:
        """Score open extensions, see `score_open_by_values`; `into` are starts, entries, is_better and scores."""
        scorer = self.scorer
        return score_open_by_values(
            scorer.data, self._tables, self.arrays, int(self.arrays.place[child]), allowed, places, which, position,
            most_work, *into, scorer.penalty(child), scorer.quantum, self._scratch(), scorer.workspace(),
        )  # fmt: skip

    def _scratch(self) -> SetScratch:
        if not hasattr(self._thread, "scratch"):
            n, n_words = len(self.arrays.variables), self.scorer.data.bits.shape[1]
            n_codes = 1 << (self.largest - 1)
            self._thread.scratch = SetScratch(
                bitmaps=np.empty((n_codes, n_words), dtype=np.uint64),
                counts=np.empty((n_codes, n), dtype=np.int32),
                which=np.empty(n, dtype=np.int32),
                sums=np.empty(n),
                subset=np.empty(self.largest, dtype=np.int64),
                made=np.zeros(n_codes, dtype=np.bool_),
                own=np.empty(n_codes, dtype=np.int32),
                missing=np.empty(n, dtype=np.int32),
                candidates=np.empty(n, dtype=np.int32),
                scores=np.empty(self.scorer.n_variables),
            )
        return self._thread.scratch


def set_starts(n: int, largest: int) -> np.ndarray:
    """Where the sets of each size up to `largest` begin, of subsets of n variables; int64, shape (largest + 2,)."""
    return np.cumsum([0, 0, *(math.comb(n, size) for size in range(1, largest + 1))])


def set_bytes(n: int, largest: int) -> int:
    """Memory of the values and counts of sets up to a size, at most."""
    starts = [math.comb(n, size) for size in range(1, largest + 1)]
    return 20 * sum(starts[:-1]) + 8 * starts[-1]


def largest_size(scorer: FamilyScorer, max_parents: int, most_bytes: float) -> int:
    """Size of the largest sets whose values can serve a search, within `most_bytes`; 0 where none do.

    Under a Dirichlet prior the table of a cell depends on the number of cells, or that of a configuration on the
    child: there all variables must be binary.
    """
    states = scorer.n_states[scorer.n_states > 1]
    n, n_words = len(states), scorer.data.bits.shape[1]
    if scorer.definition.prior is not None and (states > 2).any():
        return 0
    largest = min(n, max_parents + 1, LARGEST)
    while largest >= 2 and (
        set_bytes(n, largest) > most_bytes or (1 << (largest - 1)) * (8 * n_words + 4 * n) > SCRATCH_BYTES
    ):
        largest -= 1
    return largest if largest >= 2 else 0


def _shared_zeros(n: int, dtype: type) -> np.ndarray:
    """Zeros that processes forked later share; memory is taken when they are written."""
    return np.frombuffer(mmap.mmap(-1, max(1, int(n)) * np.dtype(dtype).itemsize), dtype=dtype)
