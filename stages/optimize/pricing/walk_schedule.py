"""How a walk over orders as k-trees cools down."""

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


class WalkSchedule:
    """The schedule of a walk that begins now; earlier rounds and local scores do not count."""

    def __init__(self, run: PricingRun, treewidth: int):
        self.run = run
        self.share = EVEN_WIDTH**3 / (treewidth**3 + EVEN_WIDTH**3)
        self.time = run.budget.part(COOLING_TIME * self.share)
        self.rounds, self.evaluations = run.work.rounds, run.scorer.evaluations

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

    def temperature(self) -> float:
        """Present temperature, as a share of the initial one; 0 once the walk is over."""
        cooled = self.cooled()
        return 0.0 if cooled >= 1.0 else COOLING**cooled
