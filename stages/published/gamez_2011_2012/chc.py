"""Constrained hill climbing: CHC, CHC*, iCHC, 2iCHC, FastCHC (Gámez, Mateo and Puerta 2011, 2012).

Gains that indicate an independence put the pair into forbidden-parent sets, so that it is not tried again in the same
climb. CHC alone need not end in an I-map. Remedies: a climb without these sets from its result (CHC*); CHC from its
own result, until nothing changes (iCHC) or just once more (2iCHC); reopening pairs that a new arc links at distance
two (FastCHC).

A new arc that would lower the score, or an arc whose removal would raise it, is read as an independence. That FastCHC
reopens the pairs that a new arc links at distance two is a reconstruction from Example 1 and the proof of Proposition
3 of the paper of 2012.

A step tests the open moves one after the other and takes the best tested one. Of two directions, the arc into the
later variable is tested first, as in Example 1 of the paper of 2012. If it loses, the other direction is not tested.
If it gains and the other one loses, it can still be taken in this step, but not later.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.climbing.moves import ADD, mark_stale
from stages.optimize import OptimizeOptions
from stages.optimize.climbing.cache import FamilyCache
from stages.optimize.climbing.climb import Climb, ClimbingRun, Method, run_method
from stages.optimize.climbing.climber import Climber
from stages.optimize.climbing.constraints import Constraints
from stages.optimize.climbing.literal_count import column_of, row_of
from stages.optimize.result import Parents, SearchResult
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .kernels.forbidden_pairs import (
    forbid_pairs,
    list_tested,
    list_unsupported,
    list_untested,
    release_pairs,
    unlist_pairs,
)

ITERATIONS: dict[str, int | None] = {"chc": 1, "chc-star": 1, "ichc": None, "2ichc": 2, "fastchc": 1}
"""Climbs with forbidden-parent sets; None means until nothing changes."""


def search_data(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The method of the CHC family named by ``options.method``; see `run_method`.

    It takes no tabu list: with forbidden-parent sets hardly any worse graph is left to move to.
    """
    return run_method(constrained, scorer, options, budget, reporter)


def constrained(run: ClimbingRun) -> Method:
    """The method that the run's options name."""
    name = str(run.options.method)
    iterations = ITERATIONS[name]
    climber = run.climber(ConstrainedClimber, releases=name == "fastchc")
    finisher = run.climber() if name == "chc-star" else None

    def climb(run: ClimbingRun, start: Parents) -> Climb:
        result, done = run.climb(climber, start), 1
        while result.done and done != iterations and result.parents != start:
            start = result.parents
            result = run.climb(climber, start)
            done += 1
        if finisher is not None and result.done:
            result = run.climb(finisher, result.parents)
        return result

    return climb


class ConstrainedClimber(Climber):
    """Hill climbing with forbidden-parent sets; parameters as in `Climber`, without a tabu list.

    With `releases`, pairs next to new arcs are opened again (FastCHC).
    """

    def __init__(
        self,
        scorer: FamilyScorer,
        cache: FamilyCache,
        constraints: Constraints,
        order: np.ndarray,
        releases: bool = False,
        jobs: int = 1,
        ties: np.random.Generator | None = None,
    ):
        super().__init__(scorer, cache, constraints, order, jobs=jobs, ties=ties)
        self.releases = releases
        # uint64, shape (n_variables, n_words): row x has the forbidden parents of x.
        self.shut = np.zeros_like(self.state.permitted)
        # Closed pairs, as a child and others; their other direction was tested before and can still be taken.
        self._leaving: list[tuple[int, np.ndarray]] = []
        # For the count by definition: the forbidden parents when the tests of the present step began; the variables
        # whose sets then differed from those before or after the tests of the last step.
        self._shut_before = np.zeros_like(self.shut)
        self._has_changed = np.zeros(len(self.shut), dtype=np.bool_)

    def begin(self, parents: Parents, budget: Budget) -> None:
        """See `Climber.begin`; clears the forbidden-parent sets."""
        self.shut[:] = 0
        self._shut_before[:] = 0
        self._leaving.clear()
        super().begin(parents, budget)

    def _score_all(self, budget: Budget) -> None:
        for child in reversed(range(len(self.parents))):
            if budget.is_spent(self.cache.computed):
                return
            self._rescore(child)
            self._test(child)

    def _list_pairs(self, child: int, partners: np.ndarray, gains: np.ndarray) -> None:
        super()._list_pairs(child, partners, gains)
        forbid_pairs(self.shut, child, partners[gains < 0.0])

    def _list_additions(self, child: int) -> None:
        self.state.n_candidates[child] = 0  # listed when tested
        mark_stale(self.state, child)

    def _test(self, child: int) -> None:
        """Test the open new parents of `child` that are not listed, and its present parents.

        Children are tested in descending order, so the arc into the later of two variables comes first.
        """
        state, out = self.state, self._listed
        if self.parents[child]:
            unsupported = out[: list_unsupported(state, child, out)].copy()
            forbid_pairs(self.shut, child, unsupported)
            unlist_pairs(state, child, unsupported)
        untested = out[: list_untested(state, self.shut, child, self.constraints.max_parents, out)].copy()
        if len(untested):
            gains = self._gains(child, untested)
            list_tested(state, child, untested, gains)
            independent = untested[gains < 0.0]
            forbid_pairs(self.shut, child, independent)
            unlist_pairs(state, child, independent[independent < child])
            self._leaving.append((child, independent[independent > child]))

    def _step(self, move: np.ndarray) -> float:
        for pair in self._leaving:
            unlist_pairs(self.state, *pair)
        self._leaving.clear()
        counts = self.literal is not None
        if counts:
            self._has_changed = (self.shut != self._shut_before).any(axis=1)
        kind, child, parent = move.tolist()
        touched = np.zeros(len(self.parents), dtype=np.bool_)
        touched[[child, parent]] = True
        if kind != ADD:
            # Without the arc, new parents of `parent` and its ancestors may no longer close a cycle.
            above = np.unpackbits(self.state.ancestors[parent].view(np.uint8), bitorder="little")
            touched |= above[: len(touched)].astype(np.bool_)
        gain = super()._step(move)
        if kind == ADD and self.releases:
            release_pairs(self.state, self.shut, child, parent, touched)
        if counts:
            self._has_changed |= (self.shut != self._shut_before).any(axis=1)
            self._shut_before[:] = self.shut
        for variable in reversed(np.flatnonzero(touched).tolist()):
            self._test(variable)
        return gain

    # ------------------------------------------------------------------------------------- counting
    def compared(self, child: int) -> tuple[np.ndarray, np.ndarray]:
        """See `Climber.compared`: no forbidden parents, and the second of two directions only unless the first one
        lost.
        """
        added, turned = super().compared(child)
        state, most = self.state, self.constraints.max_parents
        was_open = ~row_of(self._shut_before, child)
        added, turned = added[was_open[added]], turned[was_open[turned]]
        # The removal is tested first, and closes the pair where it gains.
        keeps = [state.removal_gains[y, self.parents[y].index(child)] <= 0.0 for y in turned.tolist()]
        closed = row_of(self.shut, child)
        for variable, others in self._leaving:
            if variable == child:
                closed[others] = False
        can_be_parent = column_of(state.permitted, child) & (state.n_parents < most) & ~row_of(state.ancestors, child)
        return added[~((added > child) & (closed & can_be_parent)[added])], turned[np.array(keeps, dtype=np.bool_)]

    def _reached(self, move: np.ndarray) -> set[int]:
        changed = self._has_changed | (self.shut != self._shut_before).any(axis=1)
        return super()._reached(move) | set(np.flatnonzero(changed).tolist())
