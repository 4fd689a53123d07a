"""The linear solver leaves standard output alone, whatever its release prints."""

from __future__ import annotations

import ctypes
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from stages.optimize.exact.linear_programme import load_solver, new_solver


@pytest.fixture
def fresh():
    """The solver is loaded anew, before and after the test."""
    load_solver.cache_clear()
    yield
    load_solver.cache_clear()


def test_a_greeting_does_not_reach_standard_output(fresh, monkeypatch, capfd):
    """Release 1.16 greets in each process, through C's buffered output."""
    made = []

    def greet():
        made.append(ctypes.CDLL(None).puts(b"Running HiGHS"))
        os.write(1, b"directly\n")

    monkeypatch.setitem(sys.modules, "highspy", SimpleNamespace(Highs=greet))
    ctypes.CDLL(None).printf(b"kept")
    load_solver()
    load_solver()
    ctypes.CDLL(None).fflush(None)
    assert len(made) == 1
    assert capfd.readouterr().out == "kept"


def test_the_installed_release_prints_nothing(fresh, capfd):
    solver = new_solver(2)
    none = np.empty(0, dtype=np.int32)
    solver.addCols(1, np.ones(1), np.zeros(1), np.ones(1), 0, none, none, np.empty(0))
    solver.run()
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr() == ("", "")
