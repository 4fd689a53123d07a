"""What is said while kernels are compiled."""

from __future__ import annotations

import threading

import pytest
from numba.core import event

import stages.kernels.jit  # noqa: F401 (so that there is something to hear)
from bnsl_cli import compiling
from bnsl_cli.compiling import CompileWatch
from bnsl_cli.reporter import Reporter, compiling_text


def test_each_silent_moment_of_compiling_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(compiling, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(compiling, "SILENT_SECONDS", 0.0)
    told: list[int] = []
    heard = threading.Event()

    def tell(count: int) -> None:
        told.append(count)
        heard.set()

    watch = CompileWatch(tell)
    watch.start()
    while watch._listener is None:
        pass
    for expected in (0, 1):
        event.start_event("numba:compile")
        heard.clear()
        assert heard.wait(30) and told[-1] == expected
        event.end_event("numba:compile")
    watch.close()
    heard.clear()
    event.start_event("numba:compile")
    event.end_event("numba:compile")
    assert not heard.wait(0.05)


def test_lines_are_sparse_where_nobody_watches(capsys: pytest.CaptureFixture):
    reporter = Reporter("bnsl optimize")
    for count in range(5):
        reporter.compiling(count)
    reporter.close()
    assert capsys.readouterr().err == "bnsl optimize: compiling, once: 0 kernels so far\n"
    assert compiling_text(1) == "compiling, once: 1 kernel so far"
