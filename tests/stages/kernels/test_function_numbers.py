"""Functions of one name that several processes compiled are distinguished."""

from __future__ import annotations

import itertools
import os

import pytest
from helpers.compiled import late
from helpers.places import ROOT
from helpers.processes import environment, run_python
from numba.core.bytecode import FunctionIdentity

from stages.kernels.function_numbers import start

SCRIPT = """
import sys
from stages.kernels.jit import njit

def adding(step):
    def add(value):
        return value + step
    return njit(add)

print(*[adding(int(step))(10) for step in sys.argv[1:]])
"""


def sums(folder, *steps: str, is_fresh: bool = False, **settings: str) -> str:
    """What a process prints that compiles or loads functions called ``add``."""
    values = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(folder), "PATH": "/usr/bin:/bin", **settings}
    return run_python("-c", SCRIPT, *steps, cwd=folder, env=values, is_fresh=is_fresh)


@pytest.mark.slow
@late
def test_functions_of_one_name_from_two_processes(tmp_path):
    assert sums(tmp_path, "1", is_fresh=True) == "11" and sums(tmp_path, "2") == "12"
    assert sums(tmp_path, "1", "2") == "11 12" and sums(tmp_path, "2", "1") == "12 11"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks")
def test_forks_count_from_elsewhere():
    code = (
        "import os, sys; import stages.kernels.compiler; from numba.core.bytecode import FunctionIdentity as f\n"
        "first = os.fork() and os.fork()\n"
        "os.write(1, f'{next(f._unique_ids)}\\n'.encode())\n"
        "if first: os.wait(); os.wait()"
    )
    found = run_python("-c", code, cwd=ROOT, env=environment())
    numbers = sorted(map(int, found.split()))
    assert len(numbers) == 3 and min(b - a for a, b in itertools.pairwise(numbers)) > 1_000_000


def test_a_numba_that_counts_otherwise_is_left_as_it_is(monkeypatch):
    monkeypatch.delattr(FunctionIdentity, "_unique_ids")
    assert not start() and not hasattr(FunctionIdentity, "_unique_ids")
