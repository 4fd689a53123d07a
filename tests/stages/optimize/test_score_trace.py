"""The trace of a search: the best score whenever it rose or the gap fell, and everything passed on."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest
from helpers.tables import dependent_dataset

from stages.methods import SETS
from stages.optimize import METHODS, OptimizeOptions
from stages.optimize.driver import run, run_on_data
from stages.optimize.score_trace import ScoreTrace
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.runtime.warm_up import tiny_table


class Listener(NullReporter):
    """Keeps all reports."""

    def __init__(self):
        self.reported: list[tuple] = []

    def progress(self, done: int, total: int | None, counted: str, network: object = None, **facts: object) -> None:
        self.reported.append((done, total, counted, facts))


def no_network(found: object) -> NoReturn:
    """Reports without a network ask for none."""
    raise AssertionError(found)


def test_only_better_scores_are_kept_and_all_is_passed_on():
    seconds = iter([0.0, 1.0, 2.0, 3.0])
    listener = Listener()
    trace = ScoreTrace(listener, Budget(clock=lambda: next(seconds)), no_network)
    trace.progress(1, 9, "local scores", score=-5.0, gap=2.5, note="first")
    trace.progress(2, 9, "local scores", score=-6.0)
    trace.progress(3, None, "tests")
    trace.progress(4, 9, "local scores", score=-4.0)
    assert trace.finish(-4.0) == trace.entries
    assert trace.entries == [
        {"seconds": 1.0, "local_scores": 1, "gap": 2.5, "score": -5.0},
        {"seconds": 2.0, "local_scores": 4, "score": -4.0},
    ]
    assert len(listener.reported) == 4 and listener.reported[0][3]["note"] == "first"
    assert trace.finish(-3.5)[-1] == {"seconds": 3.0, "score": -3.5}


def test_the_gap_is_kept_when_it_changes_by_a_tenth():
    trace = ScoreTrace(NullReporter(), Budget(clock=lambda: 0.0), no_network)
    for score, gap in ((-5.0, 2.0), (-5.0, 1.9), (-5.0, 1.0), (-6.0, 0.1), (-5.0, 0.95), (-5.0, 0.0), (-5.0, 0.0)):
        trace.progress(1, None, "orders", score=score, **{"gap to the lists' best": gap})
    entries = trace.finish(-5.0)
    assert [(entry["score"], entry["gap_to_the_lists'_best"]) for entry in entries] == [(-5, 2), (-5, 1), (-5, 0)]


def test_the_last_gap_is_kept():
    trace = ScoreTrace(NullReporter(), Budget(clock=lambda: 0.0), no_network)
    for score, gap in ((-5.0, 2.0), (-4.0, 1.0), (-4.0, 0.96), (-4.0, 0.95), (-6.0, 0.5)):
        trace.progress(1, None, "orders", score=score, gap=gap)
    entries = trace.finish(-14.0, -10.0)
    assert [(entry["score"], entry["gap"]) for entry in entries] == [(-15.0, 2.0), (-14.0, 1.0), (-14.0, 0.95)]


def test_families_that_are_not_searched_count():
    trace = ScoreTrace(NullReporter(), Budget(clock=lambda: 0.0), no_network)
    trace.progress(1, None, "moves", score=-5.0)
    trace.progress(2, None, "moves", score=-4.0)
    assert [entry["score"] for entry in trace.finish(-14.0, -10.0)] == [-15.0, -14.0]


def assert_whole(stats: dict[str, Any], total: float) -> None:
    trace = stats["trace"]
    scores = [entry["score"] for entry in trace]
    assert scores == sorted(scores) and scores[-1] == pytest.approx(total)
    assert [entry["seconds"] for entry in trace] == sorted(entry["seconds"] for entry in trace)


def test_searches_among_sets_have_one():
    options = OptimizeOptions(method="obs", seed=1, restarts=3)
    network, stats = run(tiny_table(), options, Budget(), NullReporter())
    assert_whole(stats, network.header.extra["total"])


def test_searches_on_data_have_one():
    options = OptimizeOptions(method="hc", seed=1)
    network, stats = run_on_data(dependent_dataset(1, 6, 200)[0], options, Budget(), NullReporter())
    assert_whole(stats, network.header.extra["total"])


def test_restarts_report_the_best_score_so_far():
    for method in [name for name, method in METHODS.items() if SETS in method.variants]:
        listener = Listener()
        run(tiny_table(), OptimizeOptions(method=method, seed=1, restarts=3), Budget(), listener)
        counted = [facts for _, _, counted, facts in listener.reported if counted == "restarts"]
        assert all("score" in facts for facts in counted), method
