"""The family scorer: one data set, one score. Parent-set search, pricing and hill climbing share it.

It owns the packed data, the look-up tables of the score and one workspace per thread, and it counts the exact local
scores that are computed. Scores are in nats, higher is better. Three methods score: `FamilyScorer.expand` a set plus
each further parent, `FamilyScorer.reduce` a set less each member, `FamilyScorer.local_score` one family. Compiled
searches that score by themselves take `data`, `tables` and `workspace`.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from formats.data_records import Dataset
from stages.kernels.counting.add_one import ScoreTables, score_expansions
from stages.kernels.counting.drop_one import count_table, score_without
from stages.kernels.counting.overlaps import count_rows
from stages.kernels.counting.packed_data import Workspace
from stages.runtime.budgets import StopSignal

from .dataset_layout import make_workspace, pack_dataset
from .look_up_tables import LookUpTables
from .scores import SCORES

REDUCTION_SHARE = 2.0
"""A set less each of its members is scored from one table of its cells, up to this many cells per row; measured."""


SLICE_WORK = 3e7
"""Work between two looks at the stop signal, in the unit of `counting_plan`: well below 0.1 s."""


class FamilyScorer:
    """Exact local scores of families (child, parents) on one data set.

    `score` is a key of `stages.scoring.scores.SCORES`; `ess`, the equivalent sample size, is for scores that have
    one. Once `stop` is set, a running expansion ends early. Raises `NothingFoundError` if it was set while the data
    were laid out.
    """

    def __init__(self, dataset: Dataset, score: str = "bic", ess: float = 1.0, stop: StopSignal | None = None):
        if score not in SCORES:
            raise ValueError(f"unknown score {score!r}; known: {', '.join(SCORES)}")
        self.dataset = dataset
        self.score = score
        self.definition = SCORES[score]
        self.ess = ess
        self.stop = stop
        self.n_states = dataset.n_states
        self.n_rows = dataset.n_rows
        self.data = pack_dataset(dataset.codes, self.n_states, stop)
        # Scores are rounded to multiples of it, so that a family scores the same however it was counted. Sums are at
        # most about N ln N in size: 1e-13 of that is hundreds of its rounding units (1.1e-16).
        self.quantum = 2.0 ** math.ceil(math.log2(self.n_rows * math.log(self.n_rows + 1) * 1e-13))
        # Local scores computed so far, and the cost of computing them one set at a time, as `counting_plan` estimates
        # it: some 10**9 a second.
        self.evaluations, self.work = 0, 0.0
        self._count_lock = threading.Lock()
        self._thread = threading.local()
        self.tables = LookUpTables(self.definition, ess, self.n_rows, self.n_states, self.quantum)
        self._known: dict[tuple[int, tuple[int, ...]], tuple[np.ndarray, np.ndarray]] = {}
        self._everything = np.arange(dataset.n_variables, dtype=np.int32)
        self._no_scores = np.full(dataset.n_variables, -np.inf)
        self._states = dataset.n_states.tolist()

    @property
    def n_variables(self) -> int:
        return self.dataset.n_variables

    def workspace(self) -> Workspace:
        """Scratch arrays of the calling thread."""
        if not hasattr(self._thread, "workspace"):
            self._thread.workspace = make_workspace(self.data, self.n_states, self.state_counts)
        return self._thread.workspace

    @cached_property
    def state_counts(self) -> np.ndarray:
        """Rows in every state of every variable, int64, in the order of the bitmaps."""
        return np.array([count_rows(bitmap, self.data.word_shifts) for bitmap in self.data.bits], dtype=np.int64)

    def penalty(self, child: int) -> float:
        """Penalty in nats per parent configuration: c(X) of BIC, |X| - 1 of AIC, 0 where there is none."""
        return self.definition.penalty_on(self.n_rows) * float(self.n_states[child] - 1)

    def count_evaluations(self, n: int, work: float = 0.0) -> None:
        """Add to the local scores computed, and to the work; for callers of kernels."""
        with self._count_lock:
            self.evaluations += n
            self.work += work

    def n_configurations(self, parents: tuple[int, ...]) -> float:
        """Product of the parents' numbers of states, in floating point so that it never wraps."""
        product = 1.0
        for parent in parents:
            product *= self._states[parent]
        return product

    def without(self, variables: np.ndarray, left_out: Sequence[int]) -> np.ndarray:
        """`variables` except those in `left_out`, in the same order."""
        stays = np.ones(self.n_variables, dtype=np.bool_)
        for i in left_out:
            stays[i] = False
        return variables[stays[variables]]

    def expand(self, child: int, parents: tuple[int, ...], candidates: np.ndarray | None = None) -> np.ndarray:
        """Scores of ``parents + {Y}`` for all Y at once.

        `candidates` (int32) are the variables to try, by default all but the child and its parents. Returns local
        scores in nats, float64, shape (n_variables,); -inf for variables not tried. After a stop the remaining ones
        are not tried, but the first always is.
        """
        if candidates is None:
            candidates = self.without(self._everything, (child, *parents))
        if self._known:
            known = self._known.get((child, parents))
            if known is not None and np.array_equal(known[0], candidates):
                return known[1].copy()
        out = self._no_scores.copy()
        tables = self.tables.of_expansion(child, self.n_configurations(parents))
        self.count_evaluations(*self.expand_with(tables, child, parents, candidates, out))
        return out

    def remember(self, child: int, parents: tuple[int, ...], candidates: np.ndarray, scores: np.ndarray) -> None:
        """Keep an expansion, computed and counted elsewhere, for later calls of `expand` with these arguments."""
        self._known[child, parents] = candidates, scores

    def expand_with(
        self, tables: ScoreTables, child: int, parents: Sequence[int], candidates: np.ndarray, out: np.ndarray
    ) -> tuple[int, float]:
        """Write into `out` the scores of ``parents + {Y}`` from other tables; the number scored, and the work."""
        data, members, workspace = self.data, np.array(parents, dtype=np.int32), self.workspace()
        place, work = 0, 0.0
        # The first slice runs even after a stop.
        while place < len(candidates) and not (place and self.stop is not None and self.stop.is_set()):
            place, more = score_expansions(
                data, tables, child, members, candidates, place, SLICE_WORK, out, workspace
            )
            work += more
        return place, work

    def local_score(self, child: int, parents: tuple[int, ...]) -> float:
        """Score of one family in nats."""
        if not parents:
            return self._empty_set_score(child)
        *rest, last = parents
        return float(self.expand(child, tuple(rest), np.array([last], dtype=np.int32))[last])

    def reduce(self, child: int, parents: tuple[int, ...], which: Sequence[int] | None = None) -> np.ndarray:
        """Scores of ``parents - {Y}`` for members Y.

        `which` has the positions in `parents` of the members to leave out, by default all. Returns local scores in
        nats, float64, shape (len(which),).
        """
        which = range(len(parents)) if which is None else which
        is_large = self.n_configurations((child, *parents)) > REDUCTION_SHARE * len(self.data.weights)
        if is_large or len(which) < 2:
            return np.array([self.local_score(child, parents[:i] + parents[i + 1 :]) for i in which])
        return self._reduce_by_table(child, parents, which)

    def _reduce_by_table(self, child: int, parents: tuple[int, ...], which: Sequence[int]) -> np.ndarray:
        work = self.workspace()
        r = int(self.n_states[child])
        states = [int(self.n_states[p]) for p in parents]
        counts = np.empty(r * math.prod(states), dtype=np.int64)
        count_table(self.data, child, np.array(parents, dtype=np.int32), work.cell_of_row, counts)
        out = np.empty(len(which))
        for place, i in enumerate(which):
            rest = parents[:i] + parents[i + 1 :]
            # The tables of a set are those for expanding it less its last member by that member.
            tables = self.tables.of_expansion(child, self.n_configurations(rest[:-1]))
            kind = tables.kind[rest[-1]]
            before, after = math.prod(states[:i]), math.prod(states[i + 1 :])
            value = score_without(counts, r, before, states[i], after, tables.cell[kind], tables.row[kind])
            value -= tables.penalty * before * after
            out[place] = round(value / self.quantum) * self.quantum
        self.count_evaluations(len(which), float(self.n_rows * (len(parents) + 1)))
        return out

    def _empty_set_score(self, child: int) -> float:
        first, end = self.data.state_offsets[child : child + 2].tolist()
        counts, r = self.state_counts[first:end].tolist(), end - first
        self.count_evaluations(1)
        if self.definition.prior is not None:
            row = self.definition.prior(r, 1.0, self.ess)
            cell = row / r
            value = math.fsum(math.lgamma(cell + m) - math.lgamma(cell) for m in counts)
            value -= math.lgamma(row + self.n_rows) - math.lgamma(row)
        else:
            value = math.fsum(m * math.log(m / self.n_rows) for m in counts if m) - self.penalty(child)
        return round(value / self.quantum) * self.quantum

    @cached_property
    def row_entropies(self) -> np.ndarray:
        """N H(X) of every variable in nats, float64, shape (n_variables,)."""
        counts = np.split(self.state_counts, self.data.state_offsets[1:-1])
        return np.array([-np.sum(c[c > 0] * np.log(c[c > 0] / self.n_rows)) for c in counts])
