"""Local scores from their definitions by plain counting, to check what searches found.

Nothing here is shared with the scorer of the searches (`family_scorer`, `stages.kernels.counting`, the table of
scores): an error there cannot hide itself. Networks are checked in full (`stages.optimize.verify`), lists of parent
sets by samples.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from formats.data_records import Dataset
from formats.errors import VerificationError
from formats.packed_cells import Cells
from formats.records import ParentSetRecord, ParentSetTable

KNOWN_SCORES = ("ll", "aic", "bic", "bdeu", "k2")

SCORE_TOLERANCE = 1e-9
"""Relative difference allowed between the score of a search and the one recomputed here."""

ROUNDING = 1e-12
"""Absolute difference allowed, as a share of N ln N; searches round their scores to a tenth of it or a fifth."""

MOST_SAMPLED = 2
"""Most sets of a record drawn at random."""

SMALLEST_EVERY = 16
"""One child of so many has its smallest set checked; a power of two."""

SCORES_PER_CHECK = 50_000
"""Local scores of a search per set of the random sample: several hundred times the work of the check (measured on
plants and accidents), since the best set of each child is checked in any case.
"""

PART_ROWS = 1 << 18
"""Rows counted at once."""

FEW_KEYS = 16
"""Up to this many keys, one comparison per key is faster than a histogram of all rows."""

FEW_CELLS = 1 << 8
"""Cells up to which zeros among them are skipped one by one."""

MOST_EMPTY_CELLS = 1 << 12
"""Cells that a table of counts may have even if there are fewer rows."""

SEED_STEP, CHILD_STEP = 0x85EBCA6B, 0x9E3779B1
"""Odd multipliers that spread seeds and children over 32 bits (Knuth's multiplicative hashing)."""

LARGE_KEY = 1 << 40
"""Row keys are numbered anew before they could grow beyond 64 bits."""


@dataclass(frozen=True, eq=False)
class IndependentScorer:
    """Local scores of one data set, in nats, counted row by row."""

    dataset: Dataset
    score: str  # one of `KNOWN_SCORES`
    ess: float  # equivalent sample size of ``bdeu``

    @cached_property
    def _n_states(self) -> list[int]:
        return self.dataset.n_states.tolist()

    @cached_property
    def _rounding(self) -> float:
        """Absolute difference allowed, in nats."""
        n_rows = self.dataset.n_rows
        return max(1e-6, ROUNDING * n_rows * math.log(n_rows + 1))

    def local_score(self, child: int, parents: Sequence[int]) -> float:
        """Local score from its definition; cells and configurations without rows contribute nothing."""
        family = (*parents, child)
        n_states = [self._n_states[i] for i in family]
        return self._score_of(*family_counts(self.dataset.codes, family, n_states), n_states)

    def _score_of(self, cells: np.ndarray, margins: np.ndarray, n_states: Sequence[int]) -> float:
        """Score in nats from the rows in each cell and in each configuration of the parents."""
        r, q = n_states[-1], math.prod(n_states[:-1])
        if self.score in ("bdeu", "k2"):
            per_cell, per_margin = (self.ess / (r * q), self.ess / q) if self.score == "bdeu" else (1.0, float(r))
            return math.fsum(
                [math.lgamma(per_cell + m) - math.lgamma(per_cell) for m in cells.tolist() if m]
                + [math.lgamma(per_margin) - math.lgamma(per_margin + m) for m in margins.tolist() if m]
            )
        likelihood = math.fsum(
            [m * math.log(m) for m in cells.tolist() if m] + [-m * math.log(m) for m in margins.tolist() if m]
        )
        weight = {"ll": 0.0, "aic": 1.0, "bic": math.log(self.dataset.n_rows) / 2}[self.score]
        return likelihood - weight * (r - 1) * q

    def check(self, child: int, parents: Sequence[int], found: float) -> None:
        """Raise `VerificationError` unless `found` is the local score of the family."""
        expected = self.local_score(child, parents)
        if not math.isclose(expected, found, rel_tol=SCORE_TOLERANCE, abs_tol=self._rounding):
            raise VerificationError(f"{self._named(child, parents)}: score {found!r}, but the data give {expected!r}")

    def check_record(
        self, record: ParentSetRecord, seed: int, n_counted: int, known: ParentSetTable | None = None
    ) -> None:
        """Check a list: its best set, a random sample, and that no score is positive.

        The size of the sample depends on the number of local scores that the search computed, not on the clock. The
        smallest set of every sixteenth child belongs to it; of which children depends on the seed. Raises
        `VerificationError` if one of them fails.

        Parameters
        ----------
        seed : int
            The seed of the run; the sample depends on it and on the child, and on no other random stream.
        n_counted : int
            Rows that the search counts for a score: fewer than those of the data where equal rows are merged.
        known : ParentSetTable, optional
            Sets with scores that were read from a file, which are not checked.
        """
        child, sets, scores = record.child, record.parents, record.scores
        highest = float(scores.max(initial=0.0))
        # Each score is the logarithm of a probability, with or without a penalty subtracted.
        if highest > self._rounding:
            family = self._named(child, sets[int(np.argmax(scores))])
            raise VerificationError(f"{family}: {highest!r} is a positive log-likelihood score")
        places: Sequence[int] = range(len(sets))
        if known is not None:
            given = _sets_of(known, child)
            places = [place for place, parents in enumerate(sets) if parents not in given]
        if not places:
            return
        for place in dict.fromkeys((places[0], *self._sample(record, places, seed, n_counted))):
            self.check(child, sets[place], float(scores[place]))

    def _sample(self, record: ParentSetRecord, places: Sequence[int], seed: int, n_counted: int) -> Sequence[int]:
        """Places of the sets that are checked at random."""
        share = (record.evaluated or 0) * n_counted / (SCORES_PER_CHECK * max(1, self.dataset.n_rows))
        drawn = (seed * SEED_STEP + record.child * CHILD_STEP) & 0xFFFFFFFF
        # Rounded at random, so that sets of short searches are sampled for some of the children.
        n_random = min(MOST_SAMPLED, int(share + drawn / 2**32))
        chosen = random.Random(drawn).choices(places, k=n_random) if n_random else []
        # The lowest bits of odd multiples of 0, 1, 2, ... run through all values.
        return [*chosen, _smallest(record, places)] if drawn % SMALLEST_EVERY == 0 else chosen

    def _named(self, child: int, parents: Sequence[int]) -> str:
        names = self.dataset.names
        return f"variable {names[child]!r} with parents {[names[parent] for parent in parents]}"


def _smallest(record: ParentSetRecord, places: Sequence[int]) -> int:
    """Place of the smallest set. Mostly the last: without a margin each other set scores more than its subsets."""
    last = places[-1]
    if record.parents[last] == record.required:
        return last
    return places[int(np.argmin(record.parents.sizes[np.asarray(places)]))]


def _sets_of(table: ParentSetTable, child: int) -> set[tuple[int, ...]]:
    first, end = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
    return {table.parent_set(s) for s in range(first, end)}


def family_counts(codes: Cells, family: Sequence[int], n_states: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Rows in each cell of a family, and in each configuration of the parents; both ascending.

    Zeros, of cells and configurations without rows, are left out where there may be many. `codes` has the states of
    all variables, shape (n_variables, n_rows); `family` the parents and, last, the child, and `n_states` their
    numbers of states.
    """
    n_cells = math.prod(n_states)
    if n_cells <= max(codes.shape[1], MOST_EMPTY_CELLS):
        cells = _count_all(codes, family, n_states, n_cells)
        margins = cells.reshape(-1, n_states[-1]).sum(axis=1)
        return (cells, margins) if n_cells <= FEW_CELLS else (cells[cells > 0], margins[margins > 0])
    cells, counts = np.unique(_distinct_keys([codes[i] for i in family], n_states), return_counts=True)
    _, starts = np.unique(cells // n_states[-1], return_index=True)
    return counts, np.add.reduceat(counts, starts)


def _count_all(codes: Cells, family: Sequence[int], n_states: Sequence[int], n_cells: int) -> np.ndarray:
    """Rows in each cell, the last variable running fastest; counted in parts, so that keys stay in a cache."""
    # The smallest type that holds all keys is several times as fast where there are millions of rows.
    key_type = np.uint8 if n_cells < 1 << 8 else np.min_scalar_type(n_cells)
    n_rows = codes.shape[1]
    if n_rows < PART_ROWS:
        return np.bincount(_keys([codes[i] for i in family], n_states, key_type), minlength=n_cells)
    # Keys of one byte are counted two at a time, as numbers of two bytes; the halves are summed at the end.
    pairs = np.zeros(1 << 16 if FEW_KEYS < n_cells < 1 << 8 else 0, dtype=np.int64)
    counts = np.zeros(n_cells, dtype=np.int64)
    for start in range(0, n_rows, PART_ROWS):
        keys = _keys([codes[i, start : start + PART_ROWS] for i in family], n_states, key_type)
        if n_cells <= FEW_KEYS:
            counts += [np.count_nonzero(keys == key) for key in range(n_cells)]
        elif len(pairs) and len(keys) % 2 == 0:
            pairs += np.bincount(keys.view(np.uint16), minlength=len(pairs))
        else:
            counts += np.bincount(keys, minlength=n_cells)
    if len(pairs):
        halves = pairs.reshape(1 << 8, 1 << 8)
        counts += (halves.sum(axis=0) + halves.sum(axis=1))[:n_cells]
    return counts


def _keys(family: Sequence[np.ndarray], n_states: Sequence[int], key_type: np.typing.DTypeLike) -> np.ndarray:
    """The number of each row's cell among all cells, the last variable running fastest."""
    if len(family) == 1:
        return family[0].astype(key_type)
    keys = np.multiply(family[0], n_states[1], dtype=key_type)
    keys += family[1]
    for column, states in zip(family[2:], n_states[2:]):
        keys *= states
        keys += column
    return keys


def _distinct_keys(family: Sequence[np.ndarray], n_states: Sequence[int]) -> np.ndarray:
    """A number for each row, equal for equal cells and in their order, the last variable running fastest."""
    keys, n_keys = np.zeros(len(family[0]), dtype=np.int64), 1
    for column, states in zip(family, n_states):
        if n_keys > LARGE_KEY:
            _, keys = np.unique(keys, return_inverse=True)
            n_keys = len(keys)
        keys = keys * states + column
        n_keys *= states
    return keys
