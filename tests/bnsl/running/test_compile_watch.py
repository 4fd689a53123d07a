"""Messages while kernels are compiled."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numba
import pytest
from numba.core import event

from bnsl.running import reporter
from bnsl.running.reporter import CompileWatch, Reporter, compiling_text
from stages.kernels import jit
from stages.published.nie_2015_2016.kernels.dandelion import draw_code

OF_KERNEL = {"dispatcher": draw_code}


def test_finished_kernels_are_counted_while_others_are_compiled(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reporter, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(reporter, "SILENT_SECONDS", 0.0)
    reports: list[tuple[int, float]] = []
    heard = threading.Event()

    def report(count: int, seconds: float) -> None:
        reports.append((count, seconds))
        heard.set()

    watch = CompileWatch(report)
    watch.start()
    while watch._listener is None:
        pass
    for expected in (0, 1, 1):  # a kernel is counted once, however often it is compiled
        event.start_event("numba:compile", OF_KERNEL)
        heard.clear()
        assert heard.wait(30) and reports[-1][0] == expected
        event.end_event("numba:compile", OF_KERNEL)
    watch.close()
    seconds = [seconds for _, seconds in reports]
    assert seconds == sorted(seconds) and seconds[0] >= 0.0
    heard.clear()
    event.start_event("numba:compile", OF_KERNEL)
    event.end_event("numba:compile", OF_KERNEL)
    assert not heard.wait(0.05)


def test_nested_compilations_take_their_time_once(monkeypatch: pytest.MonkeyPatch):
    now = [10.0]
    watch = CompileWatch(lambda count, seconds: None)
    assert watch._listen()
    # Only here: other threads, and watches of other tests, look at the clock, too.
    monkeypatch.setattr(reporter, "time", SimpleNamespace(monotonic=lambda: now[0]))
    for moment, announce in enumerate((event.start_event, event.start_event, *3 * (event.end_event,))):
        now[0] = 10.0 + 2.0 * min(moment, 3)
        announce("numba:compile", OF_KERNEL)
    monkeypatch.undo()
    watch.close()
    assert (watch._seconds, watch._depth, len(watch._finished)) == (6.0, 0, 1)


def test_lines_are_sparse_where_nobody_watches(capsys: pytest.CaptureFixture):
    reporter = Reporter("bnsl optimize")
    for count in range(5):
        reporter.compiling(count, 1.0 + count)
    reporter.close()
    assert capsys.readouterr().err == "bnsl optimize: compiling kernels, once: 0 done, 1.0 s\n"
    assert compiling_text(12, 8.4) == "compiling kernels, once: 12 done, 8.4 s"


def test_the_reason_why_kernels_are_not_stored_is_named(monkeypatch: pytest.MonkeyPatch):
    folder = numba.config.CACHE_DIR
    assert compiling_text(1, 7.0).startswith("compiling kernels, once:")
    monkeypatch.setattr("os.access", lambda path, mode: path != folder)
    assert (
        compiling_text(1, 7.0) == f"compiling kernels, in each run, since {folder} cannot be written: 1 done, 7.0 s"
    )
    monkeypatch.setattr(jit, "NOT_CACHED", "others may write to /x")
    assert compiling_text(1, 7.0) == "compiling kernels, in each run, since others may write to /x: 1 done, 7.0 s"
