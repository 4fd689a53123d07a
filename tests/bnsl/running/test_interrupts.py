"""Handlers of signals: what the first does, what a second one does, and none is lost."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from helpers.processes import environment

from bnsl.running import interrupts
from bnsl.running.interrupts import Interrupted, graceful_stop, install_handlers
from bnsl_cli.main import StageGroup, cli
from stages.runtime.budgets import Budget
from stages.runtime.errors import NothingFoundError
from stages.runtime.warm_up import compile_first


def test_a_signal_in_a_finaliser_is_not_lost():
    script = """
import os, signal, time
from bnsl.running.interrupts import Interrupted, install_handlers

class Finalised:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)

install_handlers()
try:
    Finalised()
    time.sleep(30)
except Interrupted as interrupted:
    print(interrupted.signal_number)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environment(), check=True)
    assert (result.stdout, result.stderr) == (b"15\n", b"")


def test_a_signal_waits_until_a_compiled_module_is_loaded():
    script = """
import signal, sys, time
from bnsl.running.interrupts import Interrupted, deferred_signals, install_handlers

class Finder:
    def find_spec(self, name, path=None, target=None):
        if "orjson.orjson" in sys.modules and not met:
            met.append(name)
            signal.raise_signal(signal.SIGTERM)

met = []
sys.meta_path.insert(0, Finder())
install_handlers()
try:
    with deferred_signals():
        import orjson
        print(orjson.dumps(1))
    time.sleep(30)
except Interrupted as interrupted:
    print(interrupted.signal_number, len(met))
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environment(), check=True)
    assert (result.stdout, result.stderr) == (b"b'1'\n15 1\n", b"")


def test_a_signal_while_a_dropped_one_is_sent_again_is_not_lost():
    script = """
import signal, time
from bnsl.running import interrupts

class Finalised:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)

def slowly(*given):
    arm(*given)
    if not asked:
        asked.append(1)
        signal.raise_signal(signal.SIGHUP)

asked, arm = [], signal.setitimer
interrupts.install_handlers()
signal.setitimer = slowly
try:
    Finalised()
    time.sleep(30)
except interrupts.Interrupted as interrupted:
    print(interrupted.signal_number)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environment(), check=True)
    assert (result.stdout, result.stderr) == (b"1\n", b"")


def test_a_signal_while_a_class_is_built_ends_the_command(monkeypatch):
    """Python before 3.12 answers what `__set_name__` raises with a `RuntimeError`."""

    class Member:
        def __set_name__(self, owner, name):
            raise Interrupted(signal.SIGHUP)

    def build(self, ctx):
        type("Options", (), {"member": Member()})

    monkeypatch.setattr(StageGroup, "invoke", build)
    with pytest.raises(Interrupted) as interrupted:
        cli.main(args=["formats"])
    assert interrupted.value.signal_number == signal.SIGHUP


def test_the_first_signal_asks_the_second_insists(monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # restored at the end
    previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)}
    try:
        install_handlers()
        with pytest.raises(Interrupted), graceful_stop() as stop:
            signal.raise_signal(signal.SIGTERM)
            assert stop.is_set()
            assert stop.exit_code == 143
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(Interrupted):
            signal.raise_signal(signal.SIGINT)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def test_a_signal_in_the_handler_of_another_does_not_wait_for_it(monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # restored at the end
    before, alarm = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGALRM)
    try:
        install_handlers()
        with pytest.raises(Interrupted), graceful_stop() as stop:
            monkeypatch.setattr(stop, "set", lambda: signal.raise_signal(signal.SIGTERM))
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGALRM, alarm)


def test_a_signal_before_there_is_a_result_ends_the_command(monkeypatch):
    monkeypatch.setattr(interrupts._state, "lost", "no network yet")
    with pytest.raises(NothingFoundError), graceful_stop():
        raise NothingFoundError("nobody asked to stop")
    with pytest.raises(Interrupted, match="no network yet"), graceful_stop() as stop:
        stop.signal_number = signal.SIGTERM
        raise NothingFoundError("interrupted")


def test_a_signal_while_kernels_are_compiled_ends_the_command(monkeypatch):
    """There is nothing to hand over, and compiling on would take as long as it takes."""
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # restored at the end
    monkeypatch.setattr(interrupts._state, "lost", "no network yet")
    before, alarm = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGALRM)
    try:
        install_handlers()
        with pytest.raises(Interrupted, match="interrupted: no network yet"), graceful_stop() as stop:
            compile_first(lambda _: signal.raise_signal(signal.SIGTERM), Budget(stop=stop), object())
        with graceful_stop() as stop:
            compile_first(lambda _: None, Budget(stop=stop), object())
            signal.raise_signal(signal.SIGTERM)
            assert stop.exit_code == 143
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGALRM, alarm)
