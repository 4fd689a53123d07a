"""Handlers of signals: the first asks a search to stop, any other ends the process at once."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.processes import environment

from bnsl.running import interrupts
from bnsl.running.interrupts import explain_interruption, graceful_stop, install_handlers, interrupts_handled
from stages.runtime.errors import NothingFoundError


@pytest.fixture
def handled(monkeypatch) -> Iterator[list[object]]:
    """Handlers of a command whose process goes on: what they leave with, and the exit code."""
    done: list[object] = []
    before = {number: signal.getsignal(number) for number in interrupts.SIGNALS}

    def end(code: int) -> None:
        done.append(code)
        raise SystemExit(code)

    monkeypatch.setattr(interrupts.os, "_exit", end)
    monkeypatch.setattr(interrupts._state, "lost", "")
    try:
        install_handlers(done.append)
        yield done
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.mark.parametrize("number", interrupts.SIGNALS)
def test_the_first_signal_asks_the_second_ends(handled: list[object], number: signal.Signals):
    with graceful_stop() as stop:
        assert stop.exit_code == 0
        signal.raise_signal(number)
        assert stop.is_set() and stop.exit_code == 128 + number and not handled
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGINT)
    assert handled == ["interrupted twice: the result so far is not written", 130]


def test_a_signal_outside_a_search_ends_the_command(handled: list[object]):
    with graceful_stop():
        pass
    explain_interruption("no network yet")
    with pytest.raises(SystemExit):
        signal.raise_signal(signal.SIGTERM)
    assert handled == ["interrupted: no network yet", 143]


def test_a_signal_in_the_handler_of_another_does_not_wait_for_it(handled: list[object], monkeypatch):
    with graceful_stop() as stop:
        monkeypatch.setattr(stop, "set", lambda: signal.raise_signal(signal.SIGTERM))
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGINT)
    assert handled[-1] == 143


def test_a_search_that_was_asked_before_there_was_a_result_ends_the_command(handled: list[object]):
    explain_interruption("no network yet")
    with pytest.raises(NothingFoundError), graceful_stop():
        raise NothingFoundError("nobody asked to stop")
    with pytest.raises(SystemExit), graceful_stop():
        signal.raise_signal(signal.SIGTERM)
        raise NothingFoundError("interrupted")
    assert handled == ["interrupted: no network yet", 143]


def test_a_call_from_python_ends_with_the_exception_of_python():
    with interrupts_handled():
        explain_interruption("no network yet")
        with pytest.raises(KeyboardInterrupt, match="interrupted: no network yet"):
            signal.raise_signal(signal.SIGINT)
        with graceful_stop() as stop:
            signal.raise_signal(signal.SIGINT)
            assert stop.is_set()
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), graceful_stop():
            signal.raise_signal(signal.SIGINT)
            raise NothingFoundError("interrupted")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_while_a_file_is_written_leaves_no_temporary_file(tmp_path: Path):
    """Also where Python would drop an exception: in a finaliser."""
    script = """
import os, signal, sys, time
from bnsl.running.interrupts import install_handlers
from bnsl_cli.main import cli
from formats.temporaries import replacement

class Finalised:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)

install_handlers(cli.leave)
with replacement(sys.argv[1]) as stream:
    stream.write(b"half")
    print(len(os.listdir(os.path.dirname(sys.argv[1]))), flush=True)
    Finalised()
    time.sleep(30)
"""
    target = tmp_path / "out"
    target.write_text("older")
    words = [sys.executable, "-c", script, str(target)]
    done = subprocess.run(words, capture_output=True, env=environment(), check=False)
    assert (done.returncode, done.stdout, done.stderr) == (143, b"2\n", b"bnsl: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["out"] and target.read_text() == "older"
