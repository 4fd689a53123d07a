"""Expected counts of the families of a network over rows with holes, for expectation maximisation.

Families that a row shows whole are counted once and for all. Of what is hidden the expectation is exact, by junction
trees. Equal rows are worked on once; rows are sorted by their holes, so that those alike share their trees. Trees do
not depend on the parameters: they are planned the first time, and kept as far as there is room.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stages.runtime.budgets import StopSignal
from stages.runtime.workers import ordered_map

from .engine import Engine
from .tables import batch_rows, cost_of_group

if TYPE_CHECKING:
    from stages.kernels.inference.answers import Asked, Groups
    from stages.kernels.inference.kept_plans import KeptPlans

KEPT_BYTES = 1 << 28
"""Room for plans and what goes with them; batches beyond it are planned anew each time."""


class Expected(NamedTuple):
    """Expectations under some parameters.

    Attributes
    ----------
    log_likelihood : float
        Of all observed cells, nats; minus infinity if a row is impossible.
    counts : ndarray of float64, shape (cells,)
        Expected rows in each cell of each family's table, laid out as the engine's probabilities.
    """

    log_likelihood: float
    counts: np.ndarray


class _Batch(NamedTuple):
    """Rows ready to be counted under any parameters."""

    groups: Groups
    plans: KeptPlans
    asked: Asked

    @property
    def n_bytes(self) -> int:
        """What it takes to keep it."""
        return sum(part.nbytes for part in (*self.groups, *self.plans, self.asked.codes))


class IncompleteRows:
    """Rows with holes, made ready to be counted again and again.

    Parameters
    ----------
    engine : Engine
        Of a network with the structure wanted; its parameters do not matter.
    codes : ndarray of uint8, shape (n, rows)
        0 where hidden.
    is_hidden : ndarray of bool, shape (n, rows)

    Attributes
    ----------
    whole : ndarray of float64, shape (cells,)
        Rows in each cell of each family's table, of those that show all of the family.
    n_patterns : int
        Different sets of holes.
    """

    def __init__(self, engine: Engine, codes: np.ndarray, is_hidden: np.ndarray):
        self.engine = engine
        self.whole = _count_whole(engine, codes, is_hidden)
        has_hole = is_hidden.any(axis=0)
        rows = np.concatenate([is_hidden[:, has_hole].view(np.uint8), codes[:, has_hole]])
        distinct, weights = _distinct_columns(rows)
        n = engine.n_variables
        self._is_hidden = distinct[:n].view(np.bool_)
        self._codes, self._weights = distinct[n:], weights.astype(np.float64)
        changes = (np.diff(distinct[:n], axis=1) != 0).any(axis=0)
        self._kept: dict[int, _Batch] = {}
        self.n_patterns = int(changes.sum()) + 1 if len(weights) else 0

    def expect(
        self, probabilities: np.ndarray, jobs: int = 1, stop: StopSignal | None = None
    ) -> Expected | None:
        """Expected counts under parameters, laid out as the engine's; None if it was told to stop.

        Sums are taken in one order: the same bits for any `jobs`.

        Raises
        ------
        StageError
            The tables of a row do not fit into memory.
        """
        size = batch_rows(self.engine)

        def work(start: int) -> Expected | None:
            if stop is not None and stop.is_set():
                return None
            return self._expect_batch(probabilities, slice(start, start + size))

        with np.errstate(divide="ignore", invalid="ignore"):
            known = np.where(self.whole > 0, self.whole * np.log(probabilities), 0.0)
        parts, counts = [float(known.sum())], self.whole.copy()
        for found in ordered_map(work, range(0, len(self._weights), size), jobs):
            if found is None:
                return None
            parts.append(found.log_likelihood)
            counts += found.counts
        return Expected(math.fsum(parts) if -math.inf not in parts else -math.inf, counts)

    def _expect_batch(self, probabilities: np.ndarray, rows: slice) -> Expected:
        from stages.kernels.inference.answers import COUNTS, answer_planned

        groups, plans, asked = self._batch(rows)
        asked = asked._replace(logs=np.empty(len(groups.rows)), counts=np.zeros(len(probabilities)))
        arrays = self.engine.arrays._replace(probabilities=probabilities)
        answer_planned(arrays, groups, plans, asked, COUNTS)
        return Expected(float((asked.logs * asked.weights[groups.rows]).sum()), asked.counts)

    def _batch(self, rows: slice) -> _Batch:
        """The rows made ready, or as they were kept."""
        kept = self._kept.get(rows.start)
        if kept is not None:
            return kept
        batch = self._plan(rows)
        # Threads that look at the same time may keep a few more: the results are the same.
        if sum(other.n_bytes for other in list(self._kept.values())) + batch.n_bytes <= KEPT_BYTES:
            self._kept[rows.start] = batch
        return batch

    def _plan(self, rows: slice) -> _Batch:
        from stages.kernels.inference.answers import Asked
        from stages.kernels.inference.kept_plans import plan_groups

        engine = self.engine
        is_hidden = np.ascontiguousarray(self._is_hidden[:, rows])
        groups = engine.group(is_hidden, np.ones(engine.n_variables, dtype=np.bool_))
        asked = Asked(
            ranks=engine.ranks,
            is_joined=np.zeros(engine.n_variables, dtype=np.bool_),
            target_start=np.full(engine.n_variables, -1, dtype=np.int64),
            uniforms=np.zeros((0, 0)),
            codes=np.ascontiguousarray(self._codes[:, rows]),
            posterior=np.zeros((0, 0)),
            logs=np.empty(0),
            weights=self._weights[rows],
        )
        failed, plans = plan_groups(engine.arrays, groups, engine.ranks, engine.most_cells)
        if failed >= 0:
            engine.refuse_too_large(cost_of_group(engine, groups, asked, failed))
        return _Batch(groups, plans, asked)


def _count_whole(engine: Engine, codes: np.ndarray, is_hidden: np.ndarray) -> np.ndarray:
    """Rows in each cell of each family's table, of those in which no member is hidden."""
    arrays = engine.arrays
    counts = np.zeros(len(arrays.probabilities))
    ends = np.append(arrays.table_start, len(counts))
    for child in range(engine.n_variables):
        members = slice(arrays.family_start[child], arrays.family_start[child + 1])
        family, strides = arrays.family[members], arrays.strides[members]
        is_whole = ~is_hidden[family].any(axis=0)
        cells = np.zeros(int(is_whole.sum()), dtype=np.int64)
        for member, stride in zip(family.tolist(), strides.tolist()):
            cells += stride * codes[member, is_whole].astype(np.int64)
        table = counts[ends[child] : ends[child + 1]]
        table += np.bincount(cells, minlength=len(table))
    return counts


def _distinct_columns(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different columns of bytes, sorted, and how often each occurs."""
    if not columns.shape[1]:
        return columns, np.zeros(0, dtype=np.int64)
    rows = np.ascontiguousarray(columns.T)
    whole = rows.view(np.dtype((np.void, rows.shape[1]))).ravel()
    _, first, counts = np.unique(whole, return_index=True, return_counts=True)
    return np.ascontiguousarray(rows[first].T), counts
