"""The linear programme over candidate sets and cluster cuts, solved by HiGHS (the optional package highspy).

The shares of each variable's sets sum to one, every cut counts a share of at least its demand, and the cost is
minimal. This module returns shares and multipliers only; bounds are computed from the multipliers by
`stages.kernels.bounds.lagrangian.relax`, so that no proof depends on the solver's tolerances.
"""

from __future__ import annotations

import itertools
import math
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from stages.arrays import offsets_of
from stages.kernels.bounds.dual_ascent import Columns
from stages.kernels.bounds.lagrangian import Cuts
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError

FEASIBILITY = 1e-9
"""The solver's tolerance of reduced costs and of shares."""

COST_SCALE = 1024.0
"""The solver's costs per nat; a power of two, so that scaling does not round. The tolerance is then 1e-12 nats: with
1e-9 the many sets that tie lower the bound by up to that much each, and the proof fails.
"""

SLICE_ITERATIONS = 200
"""Iterations of the simplex method between two looks at the budget."""

FIRST_SETS = 40
"""Sets per variable in the first programme."""


LOUD_RELEASE = "1.16"
"""The first release that writes a line to standard output whatever its options."""


def load_solver() -> Any:
    """The module highspy.

    Raises
    ------
    StageError
        It is not installed, or a release that writes to standard output, where networks go.
    """
    try:
        release = version("highspy")
        if [int(part) for part in release.split(".")[:2]] >= [int(part) for part in LOUD_RELEASE.split(".")]:
            raise ImportError(f"highspy {release} writes its name into the output")
        import highspy
    except ImportError as error:
        raise StageError(
            "method exact needs the linear solver HiGHS for that many variables"
            f" ({error})\n  install it: pip install 'highspy<{LOUD_RELEASE}'; or search with ils, which bounds the"
            " score without it"
        ) from None
    return highspy


class Solution(NamedTuple):
    """The result of a run of the solver.

    Attributes
    ----------
    shares : ndarray of float64, shape (n_sets,)
    multipliers : ndarray of float64, shape (n_cuts,)
        Non-negative.
    """

    shares: np.ndarray
    multipliers: np.ndarray


class Basis(NamedTuple):
    """A basis of the simplex method, from which a programme can start again after its rows and columns have changed.

    Attributes
    ----------
    sets : ndarray of int8
        Status (`highspy.HighsBasisStatus`) of the sets of the programme, in the order of their arrival.
    rows : ndarray of int8
        Status of the rows of the variables and of the cuts.
    cuts : ndarray of int64
        Numbers of these cuts.
    """

    sets: np.ndarray
    rows: np.ndarray
    cuts: np.ndarray


class CutProgramme:
    """The programme, kept between changes so that each solution is a warm start for the next.

    It holds some of the sets; others join by column generation.

    Parameters
    ----------
    present : ndarray of int64
        Initial sets, with the empty sets of all variables, so that there is always a solution.

    Attributes
    ----------
    present : ndarray of int64
        The sets it holds, in the order of their arrival.
    n_solved : int
        Runs of the solver.
    """

    def __init__(self, columns: Columns, present: np.ndarray):
        highspy = load_solver()
        self._status = highspy.HighsModelStatus
        self._endless = highspy.kHighsInf
        self._n_variables = len(columns.set_offsets) - 1
        self._costs = COST_SCALE * columns.costs
        self._child = np.repeat(np.arange(self._n_variables, dtype=np.int32), np.diff(columns.set_offsets))
        self._place = np.full(len(columns.costs), -1, dtype=np.int32)
        self._excluded = np.zeros(len(columns.costs), dtype=np.bool_)
        self.present = np.empty(0, dtype=np.int64)
        self.n_solved = 0
        self._new_basis, self._basis_status = highspy.HighsBasis, highspy.HighsBasisStatus
        # Cuts are numbered in the order of their arrival, those dropped since included.
        self._numbers = np.empty(0, dtype=np.int64)
        self._n_numbers = 0
        self._highs = highs = highspy.Highs()
        settings = {
            "output_flag": False,
            "threads": 1,
            "presolve": "off",
            "dual_feasibility_tolerance": FEASIBILITY,
            "primal_feasibility_tolerance": FEASIBILITY,
        }
        for name, value in settings.items():
            highs.setOptionValue(name, value)
        ones, none = np.ones(self._n_variables), np.empty(0, dtype=np.int32)
        starts = np.zeros(self._n_variables, dtype=np.int32)
        highs.addRows(self._n_variables, ones, ones, 0, starts, none, np.empty(0))
        self._add(present, none, none, np.empty(0))

    def add_sets(self, sets: np.ndarray, cuts: Cuts) -> None:
        """Add these sets; `cuts` are all cuts of the programme."""
        is_new = np.zeros(len(self._place), dtype=np.bool_)
        is_new[sets] = True
        entries = np.flatnonzero(is_new[cuts.sets])
        # Rows of cuts stand behind those of the variables.
        rows = np.searchsorted(cuts.offsets, entries, side="right") - 1 + self._n_variables
        self._add(sets, cuts.sets[entries], rows.astype(np.int32), cuts.weights[entries])

    def _add(self, sets: np.ndarray, counted: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> None:
        """New columns: each in the row of its child, and in the given rows with the sets counted there."""
        every = np.concatenate((sets, counted))
        # By column, as the solver takes them: first the row of the child, then the cuts.
        where = np.argsort(every, kind="stable")
        indices = np.concatenate((self._child[sets], rows))[where]
        values = np.concatenate((np.ones(len(sets)), weights))[where]
        ascending = np.sort(sets)
        starts = np.searchsorted(every[where], ascending).astype(np.int32)
        upper = np.where(self._excluded[ascending], 0.0, self._endless)
        zeros = np.zeros(len(sets))
        self._highs.addCols(len(sets), self._costs[ascending], zeros, upper, len(indices), starts, indices, values)
        self._place[ascending] = np.arange(len(self.present), len(self.present) + len(sets))
        self.present = np.concatenate((self.present, ascending))

    def add_cuts(self, cuts: Cuts, first: int) -> None:
        """Add the cuts from index `first` on."""
        # Sets that are not in the programme get their entries when they join (`add_sets`).
        places = self._place[cuts.sets[cuts.offsets[first] :]]
        starts = offsets_of(places >= 0)[cuts.offsets[first:-1] - cuts.offsets[first]].astype(np.int32)
        weights = cuts.weights[cuts.offsets[first] :][places >= 0].astype(np.float64)
        places = places[places >= 0]
        endless = np.full(len(starts), self._endless)
        before, self._n_numbers = self._n_numbers, self._n_numbers + len(starts)
        self._numbers = np.append(self._numbers, np.arange(before, self._n_numbers))
        self._highs.addRows(len(starts), cuts.demands[first:], endless, len(places), starts, places, weights)

    def keep_cuts(self, kept: np.ndarray) -> None:
        """Drop the cuts where `kept` is false."""
        dropped = (np.flatnonzero(~kept) + self._n_variables).astype(np.int32)
        # The solver forgets its basis when rows are deleted.
        basis = self.basis()
        self._highs.deleteRows(len(dropped), dropped)
        self._numbers = self._numbers[kept]
        self.restore(basis)

    def exclude(self, excluded: np.ndarray) -> None:
        """Fix the share of the sets where `excluded` is true, and of no others, at zero."""
        places = np.flatnonzero((excluded != self._excluded)[self.present]).astype(np.int32)
        if len(places):
            upper = np.where(excluded[self.present[places]], 0.0, self._endless)
            self._highs.changeColsBounds(len(places), places, np.zeros(len(places)), upper)
        self._excluded = excluded.copy()

    def basis(self) -> Basis:
        """The basis of the last solution."""
        basis = self._highs.getBasis()
        sets, rows = (
            np.array([int(status) for status in some], dtype=np.int8) for some in (basis.col_status, basis.row_status)
        )
        return Basis(sets, rows, self._numbers)

    def restore(self, basis: Basis) -> None:
        """Start the next solution from this basis: cuts added since are slack, sets added since have no share."""
        slack, n = int(self._basis_status.kBasic), self._n_variables
        status_of_cut = np.full(self._n_numbers, slack, dtype=np.int8)
        status_of_cut[basis.cuts] = basis.rows[n:]
        added = np.full(len(self.present) - len(basis.sets), int(self._basis_status.kLower), dtype=np.int8)
        new = self._new_basis()
        new.col_status = [self._basis_status(k) for k in np.append(basis.sets, added).tolist()]
        new.row_status = [
            self._basis_status(k) for k in np.append(basis.rows[:n], status_of_cut[self._numbers]).tolist()
        ]
        # Tight cuts of it may have been dropped: the solver then completes what is left.
        new.alien, new.valid = True, True
        self._highs.setBasis(new)

    def solve(self, budget: Budget, most_iterations: int | None = None) -> Solution:
        """Solve from the last solution; ends early after `most_iterations` or when `budget` is spent."""
        highs, left = self._highs, math.inf if most_iterations is None else most_iterations
        self.n_solved += 1
        while True:
            step = int(min(SLICE_ITERATIONS, left))
            highs.setOptionValue("simplex_iteration_limit", step)
            highs.run()
            left -= step
            is_limited = highs.getModelStatus() == self._status.kIterationLimit
            if not is_limited or left <= 0 or budget.is_spent():
                break
        solution = highs.getSolution()
        shares = np.zeros(len(self._place))
        shares[self.present] = solution.col_value
        multipliers = np.array(solution.row_dual, dtype=np.float64)[self._n_variables :] / COST_SCALE
        # Any non-negative multipliers give a valid bound; what is below zero is within the solver's tolerance.
        return Solution(shares, np.maximum(multipliers, 0.0))


def first_sets(set_offsets: np.ndarray, excess: np.ndarray, is_empty: np.ndarray) -> np.ndarray:
    """The `FIRST_SETS` sets of every variable with the least excess and its empty set, ascending; int64."""
    present = is_empty.copy()
    for start, end in itertools.pairwise(set_offsets.tolist()):
        present[start + np.argsort(excess[start:end], kind="stable")[:FIRST_SETS]] = True
    return np.flatnonzero(present)
