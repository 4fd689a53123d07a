"""Functions of sets that many families share, and local scores as their differences; see the kernels of the same
name. They pay in complete lists; climbing does without.
"""

from __future__ import annotations

import math
import mmap
import threading
from collections import Counter

import numpy as np

from stages.kernels.counting.set_functions import score_open_binary, score_open_by_values
from stages.kernels.counting.set_values import SetArrays, SetFunction, SetScratch

from .scored_data import ScoredData

SCRATCH_BYTES = 1 << 26
"""Largest scratch memory of one thread."""

LARGEST = 12
"""Largest size of a set: its binary variables have 4,096 cells."""

MOST_ENTRIES = 1 << 24
"""Largest number of entries of look-up tables: 128 MB, made in a second."""


class SetFunctions:
    """Values of all sets up to some size, computed when needed; processes forked later share them.

    A set has at most `largest` variables, a result of `largest_size`. Values and counts take at most `most_bytes`;
    values beyond this are computed again for each family.
    """

    def __init__(self, scorer: ScoredData, largest: int, most_bytes: float = math.inf):
        self.scorer, self.largest = scorer, largest
        ranked = np.flatnonzero(scorer.n_states > 1).astype(np.int32)
        self._place = np.full(scorer.n_variables, -1, dtype=np.int32)
        self._place[ranked] = np.arange(len(ranked))
        n_kinds = len(configuration_kinds(scorer))
        n_kept = kept_sets(len(ranked), largest, n_kinds, most_bytes)
        kept = np.cumsum([0, 0, *n_kept])
        n_states = scorer.n_states[ranked]
        self._is_binary = bool(np.all(n_states == 2))
        counts = _shared_zeros(kept[largest], np.int32)
        ones = scorer.data.state_offsets[ranked] + 1
        counts[: len(ranked)] = np.where(n_states == 2, scorer.state_counts[ones] + 1, 0)
        self.arrays = SetArrays(
            variables=ranked,
            firsts=scorer.data.state_offsets[ranked],
            n_states=n_states.astype(np.float64),
            binomials=np.array([[math.comb(n, k) for n in range(len(ranked) + 1)] for k in range(largest + 1)]),
            starts=np.array([0, *(kept[k + 1] - math.comb(len(ranked), k) for k in range(1, largest + 1))]),
            kept=kept,
            counts=counts,
        )
        products = cell_numbers(scorer, largest)
        assert products is not None
        tables = scorer.tables
        lines = [tables.of_cells(product, is_whole=True) for product in products.tolist()]
        self.function = self._function(products, lines, largest)
        # The function of parents for each number of states of a child.
        self.of_parents = {
            r: self._function(np.ones(1), [tables.of_configurations(r, is_whole=True)], largest - 1)
            for r in configuration_kinds(scorer)
        }
        self._thread = threading.local()

    def _function(self, products: np.ndarray, lines: list[np.ndarray], largest: int) -> SetFunction:
        """A function of sets up to some size; no value is known yet."""
        table = np.stack(lines)
        values = _shared_zeros(self.arrays.kept[largest + 1], np.float64)
        return SetFunction(
            values=values, products=products, table=table, nothing=np.zeros(table.shape), grid=self.scorer.tables.grid
        )

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, once all sets have values."""
        functions = self.function, *self.of_parents.values()
        return self.arrays.counts.nbytes + sum(each.values.nbytes + each.table.nbytes for each in functions)

    def can_extend(self, size: int, required: tuple[int, ...]) -> bool:
        """Whether sets of `size` parents, plus the required ones, can be scored with one parent more."""
        return len(required) + size + 2 <= self.largest

    def score(
        self,
        child: int,
        required: tuple[int, ...],
        allowed: np.ndarray,
        n_states: np.ndarray,
        places: np.ndarray,
        which: np.ndarray,
        at: tuple[int, int],
        most_work: float,
        into: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    ) -> tuple[int, int]:
        """Score open extensions, see `score_open_by_values`; `into` are starts, entries, is_better and scores.

        It begins at the place `at`: (0, 0), or the result of the previous call.
        """
        scorer = self.scorer
        parents = self.of_parents.get(int(scorer.n_states[child]), self.function)
        position, is_begun = at[0], bool(at[1])  # the kernel would be compiled once more for an integer
        # Constant required parents change no score.
        always = self._place[list(required)]
        arguments = (
            scorer.data, self.arrays, self.function, parents, int(self._place[child]), always[always >= 0],
            self._place[allowed], n_states, places, which, position, is_begun, most_work, *into,
            scorer.penalty(child), scorer.quantum, self._scratch(),
        )  # fmt: skip
        if self._is_binary:
            return score_open_binary(*arguments)
        return score_open_by_values(*arguments, scorer.workspace())

    def _scratch(self) -> SetScratch:
        if not hasattr(self._thread, "scratch"):
            n, n_words = len(self.arrays.variables), self.scorer.data.bits.shape[1]
            n_codes = max(8, 1 << (self.largest - 1))
            self._thread.scratch = SetScratch(
                bitmaps=np.empty((n_codes, n_words), dtype=np.uint64),
                counts=np.empty((n_codes, n), dtype=np.int32),
                which=np.empty(n, dtype=np.int32),
                sums=np.empty(n),
                subset=np.empty(self.largest, dtype=np.int64),
                made=np.zeros(n_codes, dtype=np.bool_),
                own=np.empty(n_codes, dtype=np.int32),
                missing=np.empty(n, dtype=np.int32),
                wanted=np.empty(n, dtype=np.int32),
                parents=np.empty(self.largest, dtype=np.int32),
                candidates=np.empty(n, dtype=np.int32),
                kinds=np.zeros(self.scorer.n_variables, dtype=np.int32),
                scores=np.empty(self.scorer.n_variables),
                members=np.empty(self.largest, dtype=np.int64),
                whole=np.empty(self.largest, dtype=np.int64),
                of_parents=np.empty(n),
                of_sets=np.empty(n),
            )
        return self._thread.scratch


def cell_numbers(scorer: ScoredData, largest: int) -> np.ndarray | None:
    """Numbers of cells for which the table of a set of up to `largest` variables differs, ascending; 1 if the table
    is always the same.

    None if their tables take too much memory, if sums over cells may not be exact, or if a cell does not add the
    same to all families that share it.
    """
    if scorer.definition.regret is not None:
        return np.ones(1) if _has_exact_sums(scorer) else None
    if not scorer.definition.takes_ess:
        return np.ones(1)
    most = MOST_ENTRIES // (scorer.n_rows + 1)
    by_size: list[set[float]] = [{1.0}, *(set() for _ in range(largest))]
    for states, available in sorted(Counter(scorer.n_states[scorer.n_states > 1].tolist()).items()):
        for size in range(largest, 0, -1):
            for taken in range(1, min(available, size) + 1):
                by_size[size] |= {product * states**taken for product in by_size[size - taken]}
            if len(by_size[size]) > most:
                return None
    products = np.array(sorted(set().union(*by_size[1:])))
    # A cell of m rows contributes at most m times the larger one of these logarithms.
    per_row = max(abs(math.log(scorer.ess / products[-1])), math.log(scorer.n_rows + scorer.ess))
    is_exact = scorer.n_rows * per_row <= 2.0**53 * scorer.tables.grid
    return products if is_exact and len(products) <= most else None


def _has_exact_sums(scorer: ScoredData) -> bool:
    """Whether all sums under a score with a regret are exact; not if it depends on the number of configurations."""
    if scorer.definition.regret_by_configurations:
        return False
    tables, counts = scorer.tables, np.arange(1, scorer.n_rows + 1)
    lines = [tables.of_cells(1.0), *(tables.of_configurations(r) for r in configuration_kinds(scorer))]
    per_row = max(float(np.max(np.abs(line[1:]) / counts)) for line in lines)
    return scorer.n_rows * per_row <= 2.0**53 * tables.grid


def configuration_kinds(scorer: ScoredData) -> list[int]:
    """Numbers of states of children that have a function of parents of their own."""
    if scorer.definition.is_likelihood or scorer.definition.by_configurations:
        return []
    return sorted({int(r) for r in scorer.n_states if r > 1})


def kept_sets(n: int, largest: int, n_kinds: int, most_bytes: float) -> list[int]:
    """Number of sets of each size, from 1 on, that are kept for n variables: all sets while memory suffices, then a
    part, then none.

    `n_kinds` is the number of functions of parents.
    """
    kept: list[int] = []
    for size in range(1, largest + 1):
        each = 8 if size == largest else 12 + 8 * n_kinds
        kept.append(int(min(math.comb(n, size), most_bytes // each)))
        most_bytes = most_bytes - kept[-1] * each if kept[-1] == math.comb(n, size) else 0
    return kept


def largest_size(scorer: ScoredData, max_parents: int, most_bytes: float) -> int:
    """Size of the largest sets whose values can serve a search within `most_bytes`; 0 if there are none.

    The two largest sizes need not be kept: they are computed from the counts of smaller sets.
    """
    n, n_words = int(np.count_nonzero(scorer.n_states > 1)), scorer.data.bits.shape[1]
    n_kinds = len(configuration_kinds(scorer))
    for largest in range(min(n, max_parents + 1, LARGEST), 1, -1):
        fits = (1 << (largest - 1)) * (8 * n_words + 4 * n) <= SCRATCH_BYTES
        known = max(1, largest - 2)
        if fits and kept_sets(n, largest, n_kinds, most_bytes)[known - 1] == math.comb(n, known):
            products = cell_numbers(scorer, largest)
            if products is not None:
                return largest
    return 0


def _shared_zeros(n: int, dtype: type) -> np.ndarray:
    """Zeros that processes forked later share; memory is allocated when they are written."""
    return np.frombuffer(mmap.mmap(-1, max(1, int(n)) * np.dtype(dtype).itemsize), dtype=dtype)
