"""The linear programme over some sets and rows, and all pairs, triples and groups of four, solved by HiGHS."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.runtime.budgets import Budget

from ..linear_programme import BASIC, COST_SCALE, load_solver, new_solver
from .row_pool import Ranges, RowPool

MOST_ITERATIONS = 10_000_000
"""No limit on iterations."""


class CliqueSolution(NamedTuple):
    """The result of a run of the solver."""

    point: np.ndarray  # float64, shape (n_columns,)
    multipliers: np.ndarray  # float64, shape (n_rows,), nats; a ray without a unit if the programme has no solution
    value: float  # of the objective, nats
    is_infeasible: bool


class CliqueBasis(NamedTuple):
    """A basis: what of columns and rows is not at its lower bound, or not basic."""

    of_columns: np.ndarray  # int8, shape (n_columns,)
    of_children: np.ndarray  # int8
    rows: np.ndarray  # int64: rows of the pool that are not basic
    of_rows: np.ndarray  # int8: their status


class CliqueProgramme:
    """A programme that sets and rows join; each solution is a warm start for the next.

    `costs` are nats by set, `child` is the child of each set. All other columns cost nothing. The
    solver stops when `budget` is spent.
    """

    def __init__(
        self, costs: np.ndarray, child: np.ndarray, n_columns: int, sets: np.ndarray, limits: Ranges, budget: Budget
    ):
        highspy = load_solver()
        self._status, self._new_basis = highspy.HighsModelStatus, highspy.HighsBasis
        codes = highspy.HighsBasisStatus
        self._names = [codes(k) for k in range(len(codes.__members__))]
        self._lower, self._endless = int(codes.kLower), highspy.kHighsInf
        self._costs, self._child, self._n_children = costs, child, int(child.max()) + 1
        self.n_columns = n_columns
        self.is_in = np.zeros(n_columns, dtype=np.bool_)
        self._place = np.full(n_columns, -1, dtype=np.int32)
        self.columns = self.rows = np.empty(0, dtype=np.int64)  # of the pool, in the order of arrival
        self._limits = limits.copied()
        self._highs = new_solver(self._n_children)
        # In slices of iterations the solver would lose its perturbed costs each time, and stall on ties.
        self._highs.cbSimplexInterrupt.subscribe(lambda event: interrupt_when_spent(event, budget))
        self._pool = RowPool()
        self.add_columns(np.append(sets, np.arange(len(costs), n_columns)), self._pool)

    def add_columns(self, columns: np.ndarray, pool: RowPool) -> None:
        """Add these columns; `pool` has the rows of the programme."""
        n_sets = len(self._costs)
        row_place = np.full(len(pool), -1, dtype=np.int64)
        row_place[self.rows] = self._n_children + np.arange(len(self.rows))
        joining = np.zeros(self.n_columns, dtype=np.bool_)
        joining[columns] = True
        entries = np.flatnonzero(joining[pool.columns] & (row_place[pool.rows] >= 0))
        sets = columns[columns < n_sets]
        every = np.concatenate([sets, pool.columns[entries]])
        rows = np.concatenate([self._child[sets], row_place[pool.rows[entries]]])
        values = np.concatenate([np.ones(len(sets)), pool.values[entries]])
        ascending = np.sort(columns)
        where = np.argsort(every, kind="stable")
        starts = np.searchsorted(every[where], ascending).astype(np.int32)
        costs = np.zeros(len(ascending))
        is_set = ascending < n_sets
        costs[is_set] = COST_SCALE * self._costs[ascending[is_set]]
        lower, upper = (bounds[ascending].astype(np.float64) for bounds in self._limits)
        self._highs.addCols(
            len(ascending), costs, lower, upper, len(where), starts, rows[where].astype(np.int32), values[where]
        )
        self._place[ascending] = np.arange(len(self.columns), len(self.columns) + len(ascending))
        self.columns = np.concatenate([self.columns, ascending])
        self.is_in[ascending] = True

    def add_rows(self, pool: RowPool, rows: np.ndarray) -> None:
        """Add these rows of `pool`; rows that are there already stay as they are."""
        rows = np.setdiff1d(rows, self.rows)
        sizes = pool.offsets[rows + 1] - pool.offsets[rows]
        entries = np.repeat(pool.offsets[rows] - offsets_of(sizes)[:-1], sizes) + np.arange(sizes.sum())
        # Sets that are not in the programme get their entries when they join.
        kept = self.is_in[pool.columns[entries]]
        counts = np.bincount(np.repeat(np.arange(len(rows)), sizes)[kept], minlength=len(rows))
        entries = entries[kept]
        demands = pool.demands[rows].astype(np.float64)
        upper = np.where(pool.are_equations[rows], demands, self._endless)
        starts = offsets_of(counts)[:-1].astype(np.int32)
        places = self._place[pool.columns[entries]]
        self._highs.addRows(
            len(rows), demands, upper, len(entries), starts, places, pool.values[entries].astype(np.float64)
        )
        self.rows = np.concatenate([self.rows, rows])

    def drop_rows(self, rows: np.ndarray) -> None:
        """Drop these rows of the pool; a row that is tight in the basis stays."""
        basis = self.basis()
        gone = np.isin(self.rows, rows) & ~np.isin(self.rows, basis.rows)
        places = (self._n_children + np.flatnonzero(gone)).astype(np.int32)
        self._highs.deleteRows(len(places), places)
        self.rows = self.rows[~gone]
        self.start(basis)

    def limit(self, limits: Ranges) -> None:
        """Set the bounds of all columns."""
        changed = (limits.lower != self._limits.lower) | (limits.upper != self._limits.upper)
        self._limits = limits.copied()
        columns = np.flatnonzero(changed & self.is_in)
        if len(columns):
            lower, upper = (bounds[columns].astype(np.float64) for bounds in limits)
            self._highs.changeColsBounds(len(columns), self._place[columns], lower, upper)

    def basis(self) -> CliqueBasis:
        """The basis of the last solution."""
        basis = self._highs.getBasis()
        of_columns = np.full(self.n_columns, self._lower, dtype=np.int8)
        of_columns[self.columns] = [int(status) for status in basis.col_status]
        of_rows = np.array([int(status) for status in basis.row_status], dtype=np.int8)
        of_cuts = of_rows[self._n_children :]
        tight = of_cuts != BASIC
        return CliqueBasis(of_columns, of_rows[: self._n_children], self.rows[tight], of_cuts[tight])

    def start(self, basis: CliqueBasis) -> None:
        """Begin the next solution with this basis; rows that it does not know are basic."""
        of_rows = np.full(1 + max(basis.rows.max(initial=0), self.rows.max(initial=0)), BASIC)
        of_rows[basis.rows] = basis.of_rows
        new = self._new_basis()
        new.col_status = [self._names[k] for k in basis.of_columns[self.columns].tolist()]
        new.row_status = [self._names[k] for k in basis.of_children.tolist() + of_rows[self.rows].tolist()]
        new.alien, new.valid = True, True
        self._highs.setBasis(new)

    def solve(self, n_rows: int, most_iterations: int = MOST_ITERATIONS) -> CliqueSolution:
        """Solve from the last basis; ends early after `most_iterations`, or when the budget is spent. `n_rows` is the
        size of the pool.
        """
        highs = self._highs
        highs.setOptionValue("simplex_iteration_limit", most_iterations)
        highs.run()
        status = highs.getModelStatus()
        solution = highs.getSolution()
        is_infeasible = status == self._status.kInfeasible
        duals = np.array(solution.row_dual)[self._n_children :] / COST_SCALE
        if is_infeasible:
            found = highs.getDualRay()
            duals = np.array(found[2])[self._n_children :] if found[1] else np.zeros(len(self.rows))
        point, multipliers = np.zeros(self.n_columns), np.zeros(n_rows)
        point[self.columns] = solution.col_value
        multipliers[self.rows] = duals
        return CliqueSolution(point, multipliers, highs.getObjectiveValue() / COST_SCALE, is_infeasible)


def interrupt_when_spent(event: Any, budget: Budget) -> None:
    """Ask the solver to stop when the budget is spent; it calls this every few iterations."""
    if budget.is_spent():
        event.interrupt()
