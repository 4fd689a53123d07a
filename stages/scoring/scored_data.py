"""One data set and one score: the common basis of all ways of counting.

Packed data, the look-up tables of the score, scratch arrays of each thread, and the number of local scores computed.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from formats.data_records import Dataset
from stages.kernels.counting.overlaps import count_rows
from stages.kernels.counting.packed_data import Workspace
from stages.runtime.budgets import StopSignal

from .dataset_layout import make_workspace, pack_dataset
from .definitions import score_quantum
from .look_up_tables import LookUpTables
from .scores import SCORES


class ScoredData:
    """A data set with a score, a key of `stages.scoring.scores.SCORES`.

    `ess`, the equivalent sample size, is for scores that have one. Raises `NothingFoundError` if `stop` was set while
    the data were laid out; `StageError` if a package's score cannot be computed on them. With `part_of` the data are
    some of the rows of another one, which scores are rounded for and counted in.
    """

    def __init__(
        self,
        dataset: Dataset,
        score: str = "bic",
        ess: float = 1.0,
        stop: StopSignal | None = None,
        part_of: ScoredData | None = None,
    ):
        if score not in SCORES:
            raise ValueError(f"unknown score {score!r}; known: {', '.join(SCORES)}")
        self.dataset = dataset.require_complete()
        self.score = score
        self.definition = SCORES[score]
        self.ess = ess
        self.stop = stop
        self.n_states = dataset.n_states
        self.n_rows = dataset.n_rows
        self._penalty = self.definition.penalty_on(self.n_rows)
        self.data = pack_dataset(dataset.codes, self.n_states, stop)
        self._whole = part_of
        self.quantum = score_quantum(self.n_rows if part_of is None else part_of.n_rows)
        # Local scores computed so far, and the cost of computing them one set at a time, estimated by
        # `counting_plan`: about 10**9 units a second.
        self.evaluations, self.work = 0, 0.0
        self._count_lock = threading.Lock()
        self._thread = threading.local()
        self.tables = LookUpTables(self.definition, ess, self.n_rows, self.n_states, self.quantum)
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
        return self._penalty * float(self.n_states[child] - 1)

    def count_evaluations(self, n: int, work: float = 0.0) -> None:
        """Add to the numbers of local scores computed and of work; for callers of kernels."""
        if self._whole is not None:
            self._whole.count_evaluations(n, work)
            return
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
        """`variables` except the ones in `left_out`, in the same order."""
        stays = np.ones(self.n_variables, dtype=np.bool_)
        for i in left_out:
            stays[i] = False
        return variables[stays[variables]]

    def empty_set_score(self, child: int) -> float:
        """Score of a child without parents, in nats."""
        first, end = self.data.state_offsets[child : child + 2].tolist()
        counts, r = self.state_counts[first:end].tolist(), end - first
        self.count_evaluations(1)
        if self.definition.regret is not None:
            cells, rows = self.tables.of_family(child, 1.0)
            value = math.fsum(cells[counts].tolist()) - float(rows[self.n_rows])
        elif self.definition.prior is not None:
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
        found, starts = np.empty(self.n_variables), self.data.state_offsets[:-1]
        for n_states in np.unique(self.n_states).tolist():
            which = np.flatnonzero(self.n_states == n_states)
            counts = self.state_counts[starts[which, None] + np.arange(n_states)]
            found[which] = -np.sum(counts * np.log(np.maximum(counts, 1) / self.n_rows), axis=1)
        return found
