"""Progress in the middle of a pipe: plain lines where a person looks, silence elsewhere."""

from __future__ import annotations

import io
import sys

import pytest
from helpers.clocks import TickingClock

from bnsl.running import live_reporter, reporter
from stages.runtime.budgets import Budget


@pytest.mark.parametrize(
    ("on_terminal", "verbosity", "lines"), [(True, 0, 1), (False, 0, 0), (False, 1, 1), (True, -1, 0)]
)
def test_plain_progress(monkeypatch, capsys, on_terminal: bool, verbosity: int, lines: int):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: on_terminal, raising=False)
    monkeypatch.setattr(reporter, "PLAIN_INTERVAL", 0.0)
    reporter.LineReporter("bnsl test", verbosity).progress(1, 3, "variables")
    assert capsys.readouterr().err.count("bnsl test: 1/3 variables") == lines


def test_progress_shows_what_is_counted_and_the_time_left(monkeypatch, capsys):
    monkeypatch.setattr(reporter, "PLAIN_INTERVAL", 0.0)
    working = reporter.LineReporter("bnsl test", 1)
    working.follow(Budget(seconds=12.0, clock=TickingClock(1.0)))
    working.progress(1234, None, "moves", score=-5.0)
    working.progress(0, None, "restarts", score=-5.0)  # one restart after another, none done yet
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("bnsl test: 1,234 moves, score -5.00, left 11 s of 12 s, ")
    assert second.startswith("bnsl test: score -5.00, left 10 s of 12 s, ")


class Screen(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        return True


def test_live_line(monkeypatch):
    """Without the delays the line stands there from the beginning, also before any progress is reported."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(live_reporter, "SILENT_DELAY", 0.0)
    monkeypatch.setattr(live_reporter, "LIVE_DELAY", -1.0)
    working = live_reporter.LiveReporter("bnsl test", 0, shows_silence=True)
    working.progress(3, 4, "variables", score=-1234.5)
    working.summary("done")
    working.close()
    assert "bnsl test" in screen.getvalue()
    assert "bnsl test: done\n" in screen.getvalue()


def test_notebooks_with_widgets_draw_the_line(monkeypatch):
    assert not live_reporter._draws_live(0)
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr(live_reporter.importlib.util, "find_spec", lambda name: sys)
    assert live_reporter._draws_live(0) and not live_reporter._draws_live(-1)
    monkeypatch.setattr(live_reporter.importlib.util, "find_spec", lambda name: None)
    assert not live_reporter._draws_live(0)


@pytest.mark.parametrize("gap", [99.0, 101.0])
def test_a_gap_appears_once_it_tells_something(gap: float):
    parts = reporter.progress_parts(3, 4, "restarts", {"score": -1e4, "gap to the best of 7 sets": gap})
    assert parts == ["3/4 restarts", "score -10,000.00", "gap to the best of 7 sets 99.00"][: 3 if gap < 100 else 2]


@pytest.mark.parametrize("room", range(8, 60))
def test_the_live_line_holds_whole_figures(room: int):
    line = live_reporter.fitting(["12 moves", "score -10,000.00", "gap to the best of 7 sets 99.00"], room)
    assert len(line) <= room
    assert line in ("12 moves", "12 moves, score -10,000.00", "12 moves, score -10,000.00, gap 99.00")
