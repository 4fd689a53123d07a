"""The linear programme over candidate sets and the rows of cuts, solved by HiGHS (the package highspy).

The shares of each variable's sets sum to one, every row counts at least its demand, and the cost is minimal. Within a
treewidth there are other columns too, of cliques. This module returns shares and multipliers only; bounds are
computed from the multipliers (`stages.kernels.bounds.lagrangian.relax`, `width.row_pool`), so that no proof depends
on the solver's tolerances.
"""

# Imported where needed, since loading takes time: highspy
from __future__ import annotations

import ctypes
import functools
import itertools
import os
import threading
from typing import Any, NamedTuple

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.kernels.bounds.lagrangian import Cuts, no_cuts
from stages.kernels.orders.set_lists import SetLists
from stages.runtime.budgets import Budget

from ..bounds.cut_pool import slacks_of

FEASIBILITY = 1e-9
"""The solver's tolerance of reduced costs and of shares."""

COST_SCALE = 1024.0
"""Units of the solver's cost per nat; a power of two, so scaling does not round. The tolerance is then 1e-12 nats.
With 1e-9, each of the many tied sets could lower the bound by this much, and the proof would fail.
"""

MOST_ITERATIONS = 10_000_000
"""No limit on iterations."""

TRIAL_ITERATIONS = 60
"""Iterations that try a branch."""

FIRST_SETS = 40
"""Sets per variable in the first programme."""

OUTPUT = 1
"""The file descriptor of standard output."""

BASIC = 1
"""The solver's code for the status of basic sets and rows."""

_GREETING = threading.Lock()  # two threads must not both put standard output back


@functools.cache
def load_solver() -> Any:
    """The module highspy, after its greeting.

    From release 1.16 on, the first solver of a process writes lines to standard output, where networks go, whatever
    its options say. So the first one is made here, while the file descriptor of standard output leads nowhere.
    """
    import highspy

    with _GREETING:
        flush_c = ctypes.CDLL(None).fflush
        flush_c(None)
        output = os.dup(OUTPUT)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, OUTPUT)
            highspy.Highs()
            flush_c(None)
        finally:
            os.dup2(output, OUTPUT)
            os.close(output)
            os.close(nowhere)
    return highspy


def new_solver(n_variables: int) -> Any:
    """A programme without columns that has a row for each variable: the shares of its sets sum to one."""
    highs = load_solver().Highs()
    settings = {
        "output_flag": False,
        "threads": 1,
        "presolve": "off",
        "dual_feasibility_tolerance": FEASIBILITY,
        "primal_feasibility_tolerance": FEASIBILITY,
    }
    for name, value in settings.items():
        highs.setOptionValue(name, value)
    ones, none = np.ones(n_variables), np.empty(0, dtype=np.int32)
    highs.addRows(n_variables, ones, ones, 0, np.zeros(n_variables, dtype=np.int32), none, np.empty(0))
    return highs


class Ranges(NamedTuple):
    """The columns that a branch leaves: bounds of each column, int8, shape (n_columns,).

    Sets have the upper bound 0 if they are excluded.
    """

    lower: np.ndarray
    upper: np.ndarray

    @classmethod
    def without(cls, excluded: np.ndarray) -> Ranges:
        """All columns but those where `excluded` is true."""
        return cls(np.zeros(len(excluded), dtype=np.int8), (~excluded).astype(np.int8))

    def copied(self) -> Ranges:
        """A copy to change."""
        return Ranges(self.lower.copy(), self.upper.copy())


class Solution(NamedTuple):
    """The result of a run of the solver."""

    shares: np.ndarray  # float64, shape (n_columns,)
    # float64, shape (n_rows,): nats, for all rows of the pool; zero for rows outside the programme. A ray without a
    # unit if the programme has no solution.
    multipliers: np.ndarray
    value: float  # of the objective, nats
    is_infeasible: bool


class Basis(NamedTuple):
    """A basis of the simplex method, with the columns and rows of its programme that matter."""

    columns: np.ndarray  # int64: the columns of the programme
    of_columns: np.ndarray  # int8: their status (`highspy.HighsBasisStatus`)
    of_variables: np.ndarray  # int8: the status of the rows of the variables
    rows: np.ndarray  # int64: the rows that are not basic; the others are slack and have no multiplier
    of_rows: np.ndarray  # int8: their status

    def over(self, kept: np.ndarray) -> Basis:
        """The same basis over the columns where `kept` is true."""
        stays, index = kept[self.columns], np.cumsum(kept) - 1
        return self._replace(columns=index[self.columns[stays]], of_columns=self.of_columns[stays])

    def without(self, excluded: np.ndarray) -> np.ndarray:
        """The columns of a programme in which these are excluded; basic ones stay, with share zero."""
        return self.columns[~excluded[self.columns] | (self.of_columns == BASIC)]

    def at(self, places: np.ndarray) -> Basis:
        """The same basis where its rows have these indices, -1 for rows that were dropped."""
        return self._replace(rows=places[places >= 0], of_rows=self.of_rows[places >= 0])


class Programme:
    """The programme over some columns and rows, which can be added; each solution is a warm start for the next.

    `costs` (float64, nats) and `child` are of the sets, which come first among the columns that `limits` bounds; all
    others cost nothing. It begins with `columns` (int64). The solver stops when `budget` is spent.
    """

    def __init__(self, costs: np.ndarray, child: np.ndarray, limits: Ranges, columns: np.ndarray, budget: Budget):
        highspy = load_solver()
        self._status, self._new_basis = highspy.HighsModelStatus, highspy.HighsBasis
        codes = highspy.HighsBasisStatus
        self._names = [codes(k) for k in range(len(codes.__members__))]
        self._lower, self._endless = int(codes.kLower), highspy.kHighsInf
        self._child, self._n_variables = child, int(child[-1]) + 1
        self._costs = np.zeros(len(limits.upper))
        self._costs[: len(costs)] = COST_SCALE * costs
        self._place = np.full(len(self._costs), -1, dtype=np.int32)
        self._limits = limits.copied()
        # int64: the columns and rows that it holds, in the order of arrival.
        self.columns = self.rows = np.empty(0, dtype=np.int64)
        self._highs = new_solver(self._n_variables)
        # In slices of iterations the solver would lose its perturbed costs each time, and stall on ties.
        self._highs.cbSimplexInterrupt.subscribe(lambda event: interrupt_when_spent(event, budget))
        self.add_columns(columns, no_cuts())

    @property
    def is_in(self) -> np.ndarray:
        """Whether it holds a column; bool, shape (n_columns,)."""
        return self._place >= 0

    def add_columns(self, columns: np.ndarray, pool: Cuts) -> None:
        """Add these columns, with coefficient 1 in the row of a set's child; `pool` has the rows of the programme."""
        ascending = np.sort(columns)
        place = np.full(len(self._place), -1, dtype=np.int32)
        place[ascending] = np.arange(len(ascending))
        entries = over(some_cuts(pool, self.rows), place)
        of_entries = np.repeat(np.arange(len(self.rows)), np.diff(entries.offsets))
        children = self._child[ascending[ascending < len(self._child)]]
        # By column, as the solver expects entries: first the row of the child, then the others.
        every = np.concatenate((np.arange(len(children)), entries.sets))
        where = np.argsort(every, kind="stable")
        rows = np.concatenate((children, self._n_variables + of_entries))[where].astype(np.int32)
        values = np.concatenate((np.ones(len(children)), entries.weights))[where]
        starts = np.searchsorted(every[where], np.arange(len(ascending))).astype(np.int32)
        lower, upper = (bounds[ascending].astype(np.float64) for bounds in self._limits)
        self._highs.addCols(len(ascending), self._costs[ascending], lower, upper, len(rows), starts, rows, values)
        self._place[ascending] = np.arange(len(self.columns), len(self.columns) + len(ascending))
        self.columns = np.concatenate((self.columns, ascending))

    def add_rows(self, rows: np.ndarray, pool: Cuts, are_equations: np.ndarray | None = None) -> None:
        """Add the rows with these indices into `pool`; where `are_equations` (bool, by index) is true, they count
        exactly their demands.
        """
        # Columns that are not in the programme get their entries when they join (`add_columns`).
        added = over(some_cuts(pool, rows), self._place)
        starts, weights = added.offsets[:-1].astype(np.int32), added.weights.astype(np.float64)
        demands, upper = added.demands.astype(np.float64), np.full(len(rows), self._endless)
        if are_equations is not None:
            upper[are_equations[rows]] = demands[are_equations[rows]]
        self._highs.addRows(len(rows), demands, upper, len(added.sets), starts, added.sets, weights)
        self.rows = np.concatenate((self.rows, rows))

    def drop_rows(self, rows: np.ndarray) -> None:
        """Drop these rows of the pool; a row that is tight in the basis stays."""
        basis = self.basis()
        gone = np.isin(self.rows, rows) & ~np.isin(self.rows, basis.rows)
        places = (self._n_variables + np.flatnonzero(gone)).astype(np.int32)
        self._highs.deleteRows(len(places), places)
        self.rows = self.rows[~gone]
        self.start(basis)

    def limit(self, limits: Ranges) -> None:
        """Set the bounds of all columns."""
        changed = (limits.lower != self._limits.lower) | (limits.upper != self._limits.upper)
        columns = np.flatnonzero(changed & self.is_in)
        if len(columns):
            lower, upper = (bounds[columns].astype(np.float64) for bounds in limits)
            self._highs.changeColsBounds(len(columns), self._place[columns], lower, upper)
        self._limits = limits.copied()

    def basis(self) -> Basis:
        """The basis of the last solution."""
        basis = self._highs.getBasis()
        of_columns, of_rows = (
            np.array([int(status) for status in some], dtype=np.int8) for some in (basis.col_status, basis.row_status)
        )
        of_added = of_rows[self._n_variables :]
        tight = of_added != BASIC
        return Basis(self.columns, of_columns, of_rows[: self._n_variables], self.rows[tight], of_added[tight])

    def start(self, basis: Basis) -> None:
        """Begin the next solution with this basis; the programme may lack some of its columns and rows.

        Columns and rows that the basis does not know have value and multiplier zero.
        """
        of_column = np.full(len(self._place), self._lower, dtype=np.int8)
        of_column[basis.columns] = basis.of_columns
        of_row = np.full(1 + max(basis.rows.max(initial=0), self.rows.max(initial=0)), BASIC)
        of_row[basis.rows] = basis.of_rows
        new = self._new_basis()
        new.col_status = [self._names[k] for k in of_column[self.columns].tolist()]
        new.row_status = [self._names[k] for k in basis.of_variables.tolist() + of_row[self.rows].tolist()]
        # Where basic columns or tight rows are missing, the solver completes the basis.
        new.alien, new.valid = True, True
        self._highs.setBasis(new)

    def solve(self, n_rows: int, most_iterations: int = MOST_ITERATIONS) -> Solution:
        """Solve from the last solution; ends early after `most_iterations`, or when the budget is spent. `n_rows` is
        the size of the pool.
        """
        highs = self._highs
        highs.setOptionValue("simplex_iteration_limit", most_iterations)
        highs.run()
        solution = highs.getSolution()
        found, is_infeasible = solution.row_dual, highs.getModelStatus() == self._status.kInfeasible
        if is_infeasible:
            ray = highs.getDualRay()
            found = COST_SCALE * ray[2] if ray[1] else np.zeros(self._n_variables + len(self.rows))
        shares, multipliers = np.zeros(len(self._place)), np.zeros(n_rows)
        shares[self.columns] = solution.col_value
        multipliers[self.rows] = np.array(found)[self._n_variables :] / COST_SCALE
        return Solution(shares, multipliers, highs.getObjectiveValue() / COST_SCALE, is_infeasible)


def interrupt_when_spent(event: Any, budget: Budget) -> None:
    """Ask the solver to stop when the budget is spent; it calls this every few iterations."""
    if budget.is_spent():
        event.interrupt()


def most_violated(pool: Cuts, known: np.ndarray, shares: np.ndarray, violation: float) -> np.ndarray:
    """The cuts that are not `known` and that these shares violate by more than `violation`; most violated first."""
    lacks = -slacks_of(pool, shares)
    lacks[known] = 0.0
    most = np.argsort(-lacks, kind="stable")
    return most[lacks[most] > violation]


def some_cuts(cuts: Cuts, wanted: np.ndarray) -> Cuts:
    """The cuts with these indices, in this order."""
    sizes = cuts.offsets[wanted + 1] - cuts.offsets[wanted]
    offsets = offsets_of(sizes)
    entries = np.repeat(cuts.offsets[wanted] - offsets[:-1], sizes) + np.arange(offsets[-1])
    return Cuts(offsets=offsets, sets=cuts.sets[entries], weights=cuts.weights[entries], demands=cuts.demands[wanted])


def over(cuts: Cuts, place: np.ndarray) -> Cuts:
    """The same cuts over the columns that `place` (int32) numbers; it is -1 for columns left out."""
    places = place[cuts.sets]
    kept = places >= 0
    return Cuts(
        offsets=offsets_of(kept)[cuts.offsets], sets=places[kept], weights=cuts.weights[kept], demands=cuts.demands
    )


def first_sets(lists: SetLists, excess: np.ndarray, is_empty: np.ndarray) -> np.ndarray:
    """The `FIRST_SETS` sets of least excess of every variable, and its empty set, ascending; int64."""
    present = is_empty.copy()
    for start, end in itertools.pairwise(lists.set_offsets.tolist()):
        present[start + np.argsort(excess[start:end], kind="stable")[:FIRST_SETS]] = True
    return np.flatnonzero(present)
