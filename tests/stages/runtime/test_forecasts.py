"""Runs that are stopped by their first result, or by the clock."""

from __future__ import annotations

import pytest

from stages.runtime import forecasts
from stages.runtime.errors import NothingFoundError, StageError
from stages.runtime.forecasts import until_first


def test_the_first_result_stops_the_run():
    def search(budget, take):
        assert budget.evaluations == 7 and not budget.interrupted
        take("network")
        assert budget.interrupted and budget.part(0.5).interrupted
        return "end"

    found, seconds = until_first(search, 60.0, 7)
    assert found == "end" and seconds is not None and 0.0 <= seconds < 60.0


def test_a_run_that_ends_by_itself_has_its_end_as_first_result():
    found, seconds = until_first(lambda budget, take: "end", None)
    assert found == "end" and seconds is not None


def test_the_clock_stops_a_run_without_a_result(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(forecasts, "PATIENCE", -1.0)

    def search(budget, take):
        assert budget.interrupted
        raise NothingFoundError("stopped")

    assert until_first(search, None) == (None, None)
    assert until_first(lambda budget, take: "unfinished", None) == ("unfinished", None)


def test_a_run_that_fails_fails():
    def search(budget, take):
        raise StageError("no such lists")

    with pytest.raises(StageError, match="no such lists"):
        until_first(search, None)
