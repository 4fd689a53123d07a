"""What is said while kernels are compiled."""

from __future__ import annotations

import threading
from pathlib import Path

import numba
import pytest
from numba.core import event

from bnsl_cli import compiling
from bnsl_cli.compiling import CompileWatch, unwritable_cache
from bnsl_cli.reporter import Reporter, compiling_text
from stages.kernels.ktrees.dandelion import draw_code
from stages.runtime import reachable_kernels

KERNEL = ("stages.kernels.ktrees.dandelion", "draw_code")
OF_KERNEL = {"dispatcher": draw_code}


def test_each_silent_moment_of_compiling_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(compiling, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(compiling, "SILENT_SECONDS", 0.0)
    needed = {("stages.kernels.bits", "unset_bit"), KERNEL}
    monkeypatch.setattr(reachable_kernels, "kernels_to_compile", lambda: needed)
    told: list[tuple[int, int]] = []
    heard = threading.Event()

    def tell(count: int, most: int) -> None:
        told.append((count, most))
        heard.set()

    watch = CompileWatch(tell)
    watch.start()
    while watch._listener is None:
        pass
    for expected in ((0, 2), (1, 2)):
        event.start_event("numba:compile", OF_KERNEL)
        heard.clear()
        assert heard.wait(30) and told[-1] == expected
        event.end_event("numba:compile", OF_KERNEL)
    watch.close()
    heard.clear()
    event.start_event("numba:compile", OF_KERNEL)
    event.end_event("numba:compile", OF_KERNEL)
    assert not heard.wait(0.05)


def test_lines_are_sparse_where_nobody_watches(capsys: pytest.CaptureFixture):
    reporter = Reporter("bnsl optimize")
    for count in range(5):
        reporter.compiling(count, 7)
    reporter.close()
    assert capsys.readouterr().err == "bnsl optimize: compiling, once: 0 of at most 7 kernels\n"
    assert compiling_text(1, 7) == "compiling, once: 1 of at most 7 kernels"


def test_a_folder_that_cannot_be_written_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "absent" / "kernels"))
    assert unwritable_cache() is None
    monkeypatch.setattr("os.access", lambda path, mode: path != str(tmp_path))
    assert unwritable_cache() == f"{tmp_path}/absent/kernels"
    assert compiling_text(1, 7).startswith(f"compiling, in each run, since {tmp_path}/absent/kernels cannot")
