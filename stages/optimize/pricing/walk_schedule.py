"""How a walk over orders as k-trees cools down, and how wide its k-trees are."""

from __future__ import annotations

from .run import PricingRun

COOLING = 0.03
"""Final temperature, as a share of the initial one; by experiment."""

COOLING_TIME = 0.8
"""Share of the remaining time or local scores in which the walk cools under the smallest bounds."""

EVEN_WIDTH = 8
"""Bound K at which the walk takes half of that time: its share is EVEN_WIDTH^3 / (K^3 + EVEN_WIDTH^3)."""

COOLING_ROUNDS = 50
"""Largest number of rounds in which the walk cools without a time limit; also less for larger bounds."""

TWICE_MOVES, FIRST_COOLING = 8000, 0.3
"""The walk cools twice if time allows this number of changes of the order per variable; and the first cooling takes
this share of the time, after which the second one starts with its sets. By experiment.
"""

FEW_MOVES, NARROW_COOLING = 400, 0.5
"""If time allows fewer changes of the order per variable (by the count of the first phase), k-trees have half the
width until this share of the cooling: narrow ones take less time, and wide ones continue from a better order. By
experiment.
"""


class WalkSchedule:
    """The schedule of a walk that begins now; earlier rounds and local scores do not count.

    Only a time limit, not a limit on local scores, makes the walk cool twice or use narrow k-trees.
    """

    def __init__(self, run: PricingRun, treewidth: int):
        self.run, self.treewidth = run, treewidth
        self.share = EVEN_WIDTH**3 / (treewidth**3 + EVEN_WIDTH**3)
        self.time = run.budget.part(COOLING_TIME * self.share)
        self.rounds, self.evaluations = run.work.rounds, run.scorer.evaluations
        self.moves = 0  # changes of the order so far
        self._is_timed = self.time.seconds is not None and self.time.evaluations is None
        # Narrow k-trees may have no room for required parents.
        self._can_be_narrow = not any(grower.required for grower in run.growers)
        self._is_narrow: bool | None = None  # decided after the first phase
        self._cools_twice = False

    def cooled(self) -> float:
        """Share of the cooling that is done; 1 or more once the walk is over."""
        run, time = self.run, self.time
        shares = [(run.work.rounds - self.rounds) / (COOLING_ROUNDS * self.share)]
        if time.seconds is not None:
            shares = [time.elapsed() / time.seconds if time.seconds else 1.0]
        if time.evaluations is not None:
            most = COOLING_TIME * self.share * (time.evaluations - self.evaluations)
            shares.append((run.scorer.evaluations - self.evaluations) / most if most > 0 else 1.0)
        return max(shares)

    def begin_phase(self) -> int:
        """Decide how the walk continues, by the number of moves made in the time so far; returns the width of its
        k-trees.
        """
        cooled, n = self.cooled(), self.run.scorer.n_variables
        if self._is_timed and self.moves:
            if self._is_narrow is None:
                self._is_narrow = self._can_be_narrow and self.moves < cooled * FEW_MOVES * n
            if cooled < FIRST_COOLING and not self._is_narrow:
                self._cools_twice |= self.moves >= cooled * TWICE_MOVES * n
        if self._is_narrow and cooled < NARROW_COOLING:
            return min(self.treewidth, max(2, (self.treewidth + 1) // 2))
        return self.treewidth

    def temperature(self) -> float:
        """Present temperature, as a share of the initial one; 0 once the walk is over."""
        cooled = self.cooled()
        if cooled >= 1.0:
            return 0.0
        if self._cools_twice:
            is_first = cooled < FIRST_COOLING
            cooled = cooled / FIRST_COOLING if is_first else (cooled - FIRST_COOLING) / (1.0 - FIRST_COOLING)
        return COOLING**cooled
