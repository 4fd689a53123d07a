"""Machine code is made for what Python calls, with all that it calls, and reads back from the cache."""

import subprocess
import sys

import numba
import numpy as np
import pytest
from helpers.places import ROOT

from stages.kernels.jit import ASSEMBLES_LATE, njit
from stages.kernels.machine_code import WholeLibrary
from stages.kernels.reference_counts import holds_arrays

pytestmark = [
    pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled"),
    pytest.mark.skipif(not ASSEMBLES_LATE, reason="numba's usual way"),
]

SCRIPT = """
import sys, numpy as np
from stages.kernels.jit import njit

@njit
def inner(values):
    total = 0
    for value in values:
        total += value
    return total

@njit
def outer(values):
    return inner(values) + inner(values[1:])

@njit
def doubled(values):
    return np.concatenate((values, values))

@njit
def tail(values):
    return values[1:]

@njit
def length_of_tail(values):
    return len(tail(values))

values = np.arange(4)
for name in sys.argv[1:]:
    print(globals()[name](values), sum(globals()[name].stats.cache_hits.values()))
"""


def test_only_what_python_calls_has_machine_code():
    @njit
    def inner(value):
        return value + 1

    @njit
    def outer(value):
        return inner(value) + 1

    assert outer(1) == 3
    assert len(outer.ways_in) == len(inner.overloads) == 1 and not inner.ways_in
    library = next(iter(inner.overloads.values())).library
    assert isinstance(library, WholeLibrary) and not library.get_pointer_to_function("inner")
    assert inner(1) == 2
    assert len(inner.ways_in) == len(inner.overloads) == 1


def test_arrays_that_a_kernel_makes_are_freed_and_those_given_are_not():
    @njit
    def made(values):
        return values * 2

    @njit
    def looked_at(values, index):
        row = values[index]
        return row[0] + row.T[1]

    values = np.arange(4).reshape(2, 2)
    references = sys.getrefcount(values)
    result = made(values)
    assert result.tolist() == [[0, 2], [4, 6]]
    assert looked_at(values, 1) == 5
    assert sys.getrefcount(values) == references
    assert holds_arrays(next(iter(made.ways_in.values())).signature.return_type)


@pytest.mark.slow
def test_parts_and_wholes_are_stored_in_any_order(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {
        "PYTHONPATH": str(ROOT),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PATH": "/usr/bin:/bin",
    }

    def run(*names: str) -> list[str]:
        command = [sys.executable, str(tmp_path / "script.py"), *names]
        settings = {"env": environment, "capture_output": True, "text": True, "check": True}
        return subprocess.run(command, **settings).stdout.splitlines()

    assert run("outer") == ["12 0"]
    assert run("inner") == ["6 1"]  # the part was stored, a way in is made now
    assert run("inner", "outer", "doubled") == ["6 1", "12 1", "[0 1 2 3 0 1 2 3] 0"]
    assert run("doubled") == ["[0 1 2 3 0 1 2 3] 1"]
    assert run("tail") == ["[1 2 3] 0"]
    assert run("length_of_tail", "tail") == ["3 0", "[1 2 3] 2"]  # the part was read first
