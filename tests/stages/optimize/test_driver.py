"""What `run_on_data` says about its time limit."""

from __future__ import annotations

import pytest
from helpers.clocks import StoppedClock
from helpers.tables import dependent_dataset

from stages.optimize import OptimizeOptions, driver
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring import interventional_scorer


class Recorder(NullReporter):
    """Keeps the warnings."""

    def __init__(self):
        self.warnings: list[str] = []

    def warn(self, message: str) -> None:
        self.warnings.append(message)


@pytest.mark.parametrize("method", ["hc", "pricing"])
@pytest.mark.parametrize("layout_seconds, warned", [(7.0, True), (4.0, False)])
def test_a_limit_that_ends_while_the_data_are_laid_out_is_warned_of(monkeypatch, method, layout_seconds, warned):
    clock, reporter = StoppedClock(), Recorder()

    class SlowLayout(interventional_scorer.FamilyScorer):
        def __init__(self, *args):
            super().__init__(*args)
            clock.now += layout_seconds

    options = OptimizeOptions(method=method, seed=1)
    rows, _ = dependent_dataset(1, 6, 150)
    driver.run_on_data(rows, options, Budget(), NullReporter())  # what compiles is laid out as well
    monkeypatch.setattr(interventional_scorer, "FamilyScorer", SlowLayout)
    network, _ = driver.run_on_data(rows, options, Budget(5.0, clock=clock), reporter)
    assert len(reporter.warnings) == warned and any(network.parents) != warned
    for message in reporter.warnings:
        assert "prepared, which took 7.0 s" in message and "--time several times as much" in message
