"""The linear programme over candidate sets and cluster cuts, solved by HiGHS (the package highspy).

The shares of each variable's sets sum to one, every cut counts a share of at least its demand, and the cost is
minimal. This module returns shares and multipliers only; bounds are computed from the multipliers by
`stages.kernels.bounds.lagrangian.relax`, so that no proof depends on the solver's tolerances.
"""

# Imported where needed, since loading takes time: highspy
from __future__ import annotations

import ctypes
import functools
import itertools
import math
import os
import threading
from typing import Any, NamedTuple

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.kernels.bounds.lagrangian import Cuts
from stages.kernels.orders.set_lists import SetLists
from stages.runtime.budgets import Budget

from ..bounds.cut_pool import cuts_of_sets, restricted, slacks_of

FEASIBILITY = 1e-9
"""The solver's tolerance of reduced costs and of shares."""

COST_SCALE = 1024.0
"""Units of the solver's cost per nat; a power of two, so scaling does not round. The tolerance is then 1e-12 nats.
With 1e-9, each of the many tied sets could lower the bound by this much, and the proof would fail.
"""

SLICE_ITERATIONS = 200
"""Iterations of the simplex method between two looks at the budget."""

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


class Solution(NamedTuple):
    """The result of a run of the solver."""

    shares: np.ndarray  # float64, shape (n_sets,)
    # float64, shape (n_cuts,): non-negative, for all cuts of the pool; zero for cuts outside the programme.
    multipliers: np.ndarray


class Basis(NamedTuple):
    """A basis of the simplex method, with the sets and cuts of its programme that matter."""

    sets: np.ndarray  # int64: the sets of the programme
    of_sets: np.ndarray  # int8: their status (`highspy.HighsBasisStatus`)
    of_variables: np.ndarray  # int8: the status of the rows of the variables
    cuts: np.ndarray  # int64: the cuts that are not basic; the others are slack and have no multiplier
    of_cuts: np.ndarray  # int8: their status

    def over(self, kept: np.ndarray) -> Basis:
        """The same basis over the sets where `kept` is true."""
        stays, index = kept[self.sets], np.cumsum(kept) - 1
        return self._replace(sets=index[self.sets[stays]], of_sets=self.of_sets[stays])

    def sets_without(self, excluded: np.ndarray) -> np.ndarray:
        """The sets of a programme in which these sets are excluded; basic ones stay, with share zero."""
        return self.sets[~excluded[self.sets] | (self.of_sets == BASIC)]

    def at(self, places: np.ndarray) -> Basis:
        """The same basis where its cuts have these indices, -1 for cuts that were dropped."""
        return self._replace(cuts=places[places >= 0], of_cuts=self.of_cuts[places >= 0])


class CutProgramme:
    """The programme over some sets and cuts. Sets and cuts can be added, and each solution is a warm start for the
    next.

    `costs` (float64) are those of the sets of `lists` in nats. It begins with `sets` (int64). These include the empty
    set of every variable, so there is always a solution. The share of the sets `excluded` (bool, shape (n_sets,)) is
    fixed at zero.
    """

    def __init__(self, lists: SetLists, costs: np.ndarray, sets: np.ndarray, excluded: np.ndarray):
        highspy = load_solver()
        self._status, self._new_basis = highspy.HighsModelStatus, highspy.HighsBasis
        self._basis_status, self._endless = highspy.HighsBasisStatus, highspy.kHighsInf
        self._n_variables = len(lists.set_offsets) - 1
        self._costs = COST_SCALE * costs
        self._child = np.repeat(np.arange(self._n_variables, dtype=np.int32), np.diff(lists.set_offsets))
        self._place = np.full(len(costs), -1, dtype=np.int32)
        self._excluded = excluded.copy()
        # int64: the sets and cuts that it holds, in the order of arrival.
        self.sets = self.cuts = np.empty(0, dtype=np.int64)
        self._highs = new_solver(self._n_variables)
        none = np.empty(0, dtype=np.int32)
        self._add(sets, none, none, np.empty(0))

    def add_sets(self, sets: np.ndarray, pool: Cuts) -> None:
        """Add these sets; `pool` has the cuts of the programme."""
        ascending = np.sort(sets)
        cuts = some_cuts(cuts_of_sets(pool, ascending, len(self._place)), self.cuts)
        # Rows of cuts follow the rows of the variables.
        every = np.arange(self._n_variables, self._n_variables + len(self.cuts), dtype=np.int32)
        rows = np.repeat(every, np.diff(cuts.offsets))
        self._add(sets, ascending[cuts.sets], rows, cuts.weights)

    def _add(self, sets: np.ndarray, counted: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> None:
        """Add a column per set: coefficient 1 in its child's row, and its weight in every cut that counts it."""
        every = np.concatenate((sets, counted))
        # By column, as the solver expects entries: first the row of the child, then the cuts.
        where = np.argsort(every, kind="stable")
        indices = np.concatenate((self._child[sets], rows))[where]
        values = np.concatenate((np.ones(len(sets)), weights))[where]
        ascending = np.sort(sets)
        starts = np.searchsorted(every[where], ascending).astype(np.int32)
        upper = np.where(self._excluded[ascending], 0.0, self._endless)
        zeros = np.zeros(len(sets))
        self._highs.addCols(len(sets), self._costs[ascending], zeros, upper, len(indices), starts, indices, values)
        self._place[ascending] = np.arange(len(self.sets), len(self.sets) + len(sets))
        self.sets = np.concatenate((self.sets, ascending))

    def add_cuts(self, pool: Cuts, added: np.ndarray) -> None:
        """Add the cuts with these indices into `pool`."""
        # Sets that are not in the programme get their entries when they join (`add_sets`).
        cuts = restricted(some_cuts(pool, added), self._place)
        starts, weights = cuts.offsets[:-1].astype(np.int32), cuts.weights.astype(np.float64)
        endless = np.full(len(added), self._endless)
        self._highs.addRows(len(added), cuts.demands, endless, len(cuts.sets), starts, cuts.sets, weights)
        self.cuts = np.concatenate((self.cuts, added))

    def exclude(self, excluded: np.ndarray) -> None:
        """Fix the share of exactly the sets where `excluded` is true at zero."""
        places = np.flatnonzero((excluded != self._excluded)[self.sets]).astype(np.int32)
        if len(places):
            upper = np.where(excluded[self.sets[places]], 0.0, self._endless)
            self._highs.changeColsBounds(len(places), places, np.zeros(len(places)), upper)
        self._excluded = excluded.copy()

    def basis(self) -> Basis:
        """The basis of the last solution."""
        basis = self._highs.getBasis()
        of_sets, of_rows = (
            np.array([int(status) for status in some], dtype=np.int8) for some in (basis.col_status, basis.row_status)
        )
        of_cuts = of_rows[self._n_variables :]
        tight = of_cuts != int(self._basis_status.kBasic)
        return Basis(self.sets, of_sets, of_rows[: self._n_variables], self.cuts[tight], of_cuts[tight])

    def start(self, basis: Basis) -> None:
        """Begin the next solution with this basis; the programme may lack some of its sets and cuts.

        Sets and cuts that the basis does not know have share and multiplier zero.
        """
        of_set = np.full(len(self._place), int(self._basis_status.kLower), dtype=np.int8)
        of_set[basis.sets] = basis.of_sets
        of_cut = np.full(1 + max(basis.cuts.max(initial=0), self.cuts.max(initial=0)), int(self._basis_status.kBasic))
        of_cut[basis.cuts] = basis.of_cuts
        new = self._new_basis()
        names = [self._basis_status(k) for k in range(len(self._basis_status.__members__))]
        new.col_status = [names[k] for k in of_set[self.sets].tolist()]
        new.row_status = [names[k] for k in basis.of_variables.tolist() + of_cut[self.cuts].tolist()]
        # Where basic sets or tight cuts are missing, the solver completes the basis.
        new.alien, new.valid = True, True
        self._highs.setBasis(new)

    def solve(self, budget: Budget, n_cuts: int, most_iterations: int | None = None) -> Solution:
        """Solve from the last solution; ends early after `most_iterations` or when `budget` is spent.

        `n_cuts` is the size of the pool.
        """
        highs, left = self._highs, math.inf if most_iterations is None else most_iterations
        while True:
            step = int(min(SLICE_ITERATIONS, left))
            highs.setOptionValue("simplex_iteration_limit", step)
            highs.run()
            left -= step
            is_limited = highs.getModelStatus() == self._status.kIterationLimit
            if not is_limited or left <= 0 or budget.is_spent():
                break
        solution = highs.getSolution()
        shares, multipliers = np.zeros(len(self._place)), np.zeros(n_cuts)
        shares[self.sets] = solution.col_value
        # Any non-negative multipliers give a valid bound; negative values are within the solver's tolerance.
        found = np.array(solution.row_dual, dtype=np.float64)[self._n_variables :] / COST_SCALE
        multipliers[self.cuts] = np.maximum(found, 0.0)
        return Solution(shares, multipliers)


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


def first_sets(lists: SetLists, excess: np.ndarray, is_empty: np.ndarray) -> np.ndarray:
    """The `FIRST_SETS` sets of least excess of every variable, and its empty set, ascending; int64."""
    present = is_empty.copy()
    for start, end in itertools.pairwise(lists.set_offsets.tolist()):
        present[start + np.argsort(excess[start:end], kind="stable")[:FIRST_SETS]] = True
    return np.flatnonzero(present)
