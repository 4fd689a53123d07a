"""The linear programme over candidate sets and cluster cuts, solved by HiGHS (the optional package highspy).

Every variable takes sets with shares that sum to one, every cut counts a share of at least its demand, and the
loss is least. What leaves this module are shares and multipliers; bounds are worked out from the multipliers by
`stages.kernels.relaxation.relax`, so that no proof depends on the tolerances of the solver.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stages.errors import StageError

if TYPE_CHECKING:
    from stages.budgets import Budget
    from stages.kernels.dual_ascent import Columns
    from stages.kernels.relaxation import Cuts

SLICE_ITERATIONS = 500
"""Iterations of the simplex method between two looks at the budget."""


def load_solver() -> Any:
    """The module highspy.

    Raises
    ------
    StageError
        It is not installed.
    """
    try:
        import highspy
    except ImportError as error:
        raise StageError(
            "method exact needs the linear solver HiGHS for that many variables"
            f" ({error})\n  install it: pip install 'bnsl-cli[exact]'; or search with ils, which bounds the"
            " score without it"
        ) from None
    return highspy


class Solution(NamedTuple):
    """What a run of the solver ended with.

    Attributes
    ----------
    is_optimal : bool
    loss : float
        Of the fractional choice, in nats; an estimate where it is not optimal.
    shares : ndarray of float64, shape (n_sets,)
    multipliers : ndarray of float64, shape (n_cuts,)
        Not negative.
    """

    is_optimal: bool
    loss: float
    shares: np.ndarray
    multipliers: np.ndarray


class CutProgramme:
    """The programme, kept between changes so that each solution starts from the one before.

    Parameters
    ----------
    columns : Columns

    Attributes
    ----------
    n_solved : int
        Runs of the solver.
    """

    def __init__(self, columns: Columns):
        highspy = load_solver()
        self._status = highspy.HighsModelStatus
        self._endless = highspy.kHighsInf
        self._n_variables, self._n_sets = len(columns.set_offsets) - 1, len(columns.losses)
        self._upper = np.full(self._n_sets, self._endless)
        self.n_solved = 0
        self._highs = highs = highspy.Highs()
        for name, value in {"output_flag": False, "threads": 1, "presolve": "off"}.items():
            highs.setOptionValue(name, value)
        every = np.arange(self._n_sets, dtype=np.int32)
        highs.addVars(self._n_sets, np.zeros(self._n_sets), self._upper)
        highs.changeColsCost(self._n_sets, every, columns.losses)
        ones = np.ones(self._n_variables)
        starts = columns.set_offsets[:-1].astype(np.int32)
        highs.addRows(self._n_variables, ones, ones, self._n_sets, starts, every, np.ones(self._n_sets))

    @property
    def n_cuts(self) -> int:
        return self._highs.getNumRow() - self._n_variables

    def add_cuts(self, cuts: Cuts, first: int) -> None:
        """Add the cuts from index `first` on."""
        offsets = cuts.offsets[first:] - cuts.offsets[first]
        counted = cuts.sets[cuts.offsets[first] :]
        n_new = len(offsets) - 1
        self._highs.addRows(
            n_new,
            cuts.demands[first:],
            np.full(n_new, self._endless),
            len(counted),
            offsets[:-1].astype(np.int32),
            counted.astype(np.int32),
            np.ones(len(counted)),
        )

    def keep_cuts(self, kept: np.ndarray) -> None:
        """Drop the cuts where `kept` is false."""
        dropped = (np.flatnonzero(~kept) + self._n_variables).astype(np.int32)
        self._highs.deleteRows(len(dropped), dropped)

    def exclude(self, excluded: np.ndarray) -> None:
        """From now on the sets where `excluded` is true, and no others, take no share."""
        upper = np.where(excluded, 0.0, self._endless)
        changed = np.flatnonzero(upper != self._upper).astype(np.int32)
        if len(changed):
            self._highs.changeColsBounds(len(changed), changed, np.zeros(len(changed)), upper[changed])
            self._upper = upper

    def solve(self, budget: Budget, most_iterations: int | None = None) -> Solution:
        """Go on from the last solution to an optimal one.

        Ends early after `most_iterations`, or when `budget` runs out.
        """
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
        multipliers = np.array(solution.row_dual, dtype=np.float64)[self._n_variables :]
        return Solution(
            highs.getModelStatus() == self._status.kOptimal,
            float(highs.getInfo().objective_function_value),
            np.array(solution.col_value, dtype=np.float64),
            np.maximum(multipliers, 0.0),
        )
