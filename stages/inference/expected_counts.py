"""Expected counts of a network's families over rows with holes, the E step of expectation maximisation.

Families that a row shows completely are counted once, in advance; the others have exact expectations by junction
trees. Equal rows are merged and sorted by their missing cells, so rows with the same missing cells share junction
trees. The trees do not depend on the parameters: they are planned once and kept within a memory limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from formats.data_records import Dataset
from stages.kernels.inference.answers import COUNTS, Query, answer_planned
from stages.kernels.inference.components import Groups
from stages.kernels.inference.kept_plans import KeptPlans, plan_groups
from stages.runtime.budgets import StopSignal
from stages.runtime.workers import ordered_map

from .junction_trees import Engine
from .row_queries import batch_rows

KEPT_BYTES = 1 << 28
"""Memory limit of the kept batches in bytes; batches beyond it are planned in every pass."""


class Expected(NamedTuple):
    """Expectations under given parameters."""

    log_likelihood: float  # of all observed cells, nats; minus infinity if a row is impossible
    # float64, shape (cells,): expected count of each cell of each family's table, laid out as the engine's
    # probabilities.
    counts: np.ndarray


class _Batch(NamedTuple):
    """Planned rows, ready for any parameters."""

    groups: Groups
    plans: KeptPlans
    query: Query

    @property
    def n_bytes(self) -> int:
        return sum(part.nbytes for part in (*self.groups, *self.plans, self.query.codes))


class Expectations:
    """Rows with holes, some perhaps under intervention, prepared for repeated passes; attributes as in
    `IncompleteRows`.

    In rows in which a variable was set its table is uniform (`intervened_networks.detached`) and its family is not
    counted; the uniform factors are no part of the log-likelihood.
    """

    def __init__(self, engine: Engine, rows: Dataset):
        self.engine = engine
        arrays, codes, holes = engine.arrays, rows.plain_codes, rows.holes
        ends = np.append(arrays.table_start, len(arrays.probabilities))
        self._parts: list[tuple[IncompleteRows, list[slice], np.ndarray]] = []
        self._factors: list[float] = []
        for target, chosen in rows.by_target():
            is_all = len(chosen) == rows.n_rows
            part = [table if is_all else np.ascontiguousarray(table[:, chosen]) for table in (codes, holes)]
            tables = [slice(ends[v], ends[v + 1]) for v in target]
            n_states = rows.n_states[list(target)].astype(np.float64)
            self._parts.append((IncompleteRows(engine, *part), tables, 1.0 / n_states))
            observed = (~part[1][list(target)]).sum(axis=1)
            self._factors.append(float((observed * np.log(n_states)).sum()))
        self.observed_counts = np.zeros(len(arrays.probabilities))
        for prepared, tables, _ in self._parts:
            self.observed_counts += _without(prepared.observed_counts, tables)
        self.n_patterns = sum(prepared.n_patterns for prepared, *_ in self._parts)

    def expect(self, probabilities: np.ndarray, jobs: int = 1, stop: StopSignal | None = None) -> Expected | None:
        """As `IncompleteRows.expect`."""
        logs, counts = [], np.zeros(len(probabilities))
        for (prepared, tables, uniform), factor in zip(self._parts, self._factors):
            given = probabilities.copy() if tables else probabilities
            for table, probability in zip(tables, uniform):
                given[table] = probability
            found = prepared.expect(given, jobs, stop)
            if found is None:
                return None
            logs.append(found.log_likelihood + factor)
            counts += _without(found.counts, tables)
        return Expected(math.fsum(logs) if -math.inf not in logs else -math.inf, counts)


def _without(counts: np.ndarray, tables: Sequence[slice]) -> np.ndarray:
    """Counts with zeros in some tables."""
    kept = counts.copy()
    for table in tables:
        kept[table] = 0.0
    return kept


class IncompleteRows:
    """Rows with holes, prepared for repeated passes.

    Attributes `observed_counts` (float64, shape (cells,)): count of each cell of each family's table, over the rows
    that show the whole family. `n_patterns`: number of distinct sets of holes, without the empty one. Only the
    structure of the engine's network matters, not its parameters. `codes` (uint8, 0 where hidden) and `is_hidden`
    (bool) have the shape (n, rows).
    """

    def __init__(self, engine: Engine, codes: np.ndarray, is_hidden: np.ndarray):
        self.engine = engine
        self.observed_counts = _count_observed(engine, codes, is_hidden)
        has_hole = is_hidden.any(axis=0)
        # Missing cells first: sorted as bytes, rows with the same missing cells are adjacent.
        rows = np.concatenate([is_hidden[:, has_hole].view(np.uint8), codes[:, has_hole]])
        distinct, weights = _distinct_columns(rows)
        n = engine.n_variables
        self._is_hidden = distinct[:n].view(np.bool_)
        self._codes, self._weights = distinct[n:], weights.astype(np.float64)
        changes = (np.diff(distinct[:n], axis=1) != 0).any(axis=0)
        self._kept: dict[int, _Batch] = {}
        self.n_patterns = int(changes.sum()) + 1 if len(weights) else 0

    def expect(self, probabilities: np.ndarray, jobs: int = 1, stop: StopSignal | None = None) -> Expected | None:
        """Expected counts under `probabilities`, laid out as the engine's; None if stopped.

        The order of summation is fixed: the same bits for any number of threads. Raises `StageError` if the tables of
        a row do not fit into memory.
        """
        size = batch_rows(self.engine)

        def work(start: int) -> Expected | None:
            if stop is not None and stop.is_set():
                return None
            return self._expect_batch(probabilities, slice(start, start + size))

        with np.errstate(divide="ignore", invalid="ignore"):
            # 0 ln 0 counts as 0: a cell without rows adds nothing, even an impossible one.
            known = np.where(self.observed_counts > 0, self.observed_counts * np.log(probabilities), 0.0)
        parts, counts = [float(known.sum())], self.observed_counts.copy()
        for found in ordered_map(work, range(0, len(self._weights), size), jobs):
            if found is None:
                return None
            parts.append(found.log_likelihood)
            counts += found.counts
        return Expected(math.fsum(parts) if -math.inf not in parts else -math.inf, counts)

    def _expect_batch(self, probabilities: np.ndarray, rows: slice) -> Expected:
        groups, plans, query = self._batch(rows)
        query = query._replace(logs=np.empty(len(groups.rows)), counts=np.zeros(len(probabilities)))
        arrays = self.engine.arrays._replace(probabilities=probabilities)
        answer_planned(arrays, groups, plans, query, COUNTS)
        return Expected(float((query.logs * query.weights[groups.rows]).sum()), query.counts)

    def _batch(self, rows: slice) -> _Batch:
        """The planned rows, from the cache if possible."""
        kept = self._kept.get(rows.start)
        if kept is not None:
            return kept
        batch = self._plan(rows)
        # Concurrent threads may exceed the limit by a few batches; the results are the same.
        if sum(other.n_bytes for other in list(self._kept.values())) + batch.n_bytes <= KEPT_BYTES:
            self._kept[rows.start] = batch
        return batch

    def _plan(self, rows: slice) -> _Batch:
        engine = self.engine
        is_hidden = np.ascontiguousarray(self._is_hidden[:, rows])
        groups = engine.group(is_hidden, np.ones(engine.n_variables, dtype=np.bool_))
        codes = np.ascontiguousarray(self._codes[:, rows])
        query = engine.query(codes, groups, weights=self._weights[rows])
        failed, plans = plan_groups(engine.arrays, groups, query, engine.max_cells)
        engine.refuse_group(groups, query, failed)
        return _Batch(groups, plans, query)


def _count_observed(engine: Engine, codes: np.ndarray, is_hidden: np.ndarray) -> np.ndarray:
    """Count of each cell of each family's table, over the rows in which no member is hidden."""
    arrays = engine.arrays
    counts = np.zeros(len(arrays.probabilities))
    ends = np.append(arrays.table_start, len(counts))
    for child in range(engine.n_variables):
        members = slice(arrays.family_start[child], arrays.family_start[child + 1])
        family, strides = arrays.family[members], arrays.strides[members]
        is_observed = ~is_hidden[family].any(axis=0)
        cells = np.zeros(int(is_observed.sum()), dtype=np.int64)
        for member, stride in zip(family.tolist(), strides.tolist()):
            cells += stride * codes[member, is_observed].astype(np.int64)
        table = counts[ends[child] : ends[child + 1]]
        table += np.bincount(cells, minlength=len(table))
    return counts


def _distinct_columns(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct columns of bytes in lexicographic order, and the multiplicity of each."""
    if not columns.shape[1]:
        return columns, np.zeros(0, dtype=np.int64)
    rows = np.ascontiguousarray(columns.T)
    # Each row as one item of bytes, which compares as a whole.
    packed = rows.view(np.dtype((np.void, rows.shape[1]))).ravel()
    _, first, counts = np.unique(packed, return_index=True, return_counts=True)
    return np.ascontiguousarray(rows[first].T), counts
