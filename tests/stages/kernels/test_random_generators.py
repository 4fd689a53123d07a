"""Passing random generators to kernels: the same streams, and no crash if a signal arrives meanwhile."""

from __future__ import annotations

import sys

import numba
import numpy as np
import pytest
from helpers.places import ROOT
from helpers.processes import environment, run_python
from numba.core.boxing import unbox_numpy_random_generator
from numba.core.pythonapi import _unboxers

from stages.kernels.jit import KERNEL, njit
from stages.kernels.random_generators import install_unboxing, unbox_generator

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT or KERNEL is None, reason="read by numba itself")

GENERATORS = (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64)


@pytest.mark.parametrize("kind", GENERATORS)
def test_kernels_draw_what_numpy_draws(kind: type):
    @njit
    def drawn(rng, values):
        for k in range(len(values)):
            values[k] = rng.random() if k % 3 else rng.integers(0, 1000)

    ours, theirs, values = np.random.Generator(kind(7)), np.random.Generator(kind(7)), np.empty(100)
    drawn(ours, values)
    assert values.tolist() == [theirs.random() if k % 3 else float(theirs.integers(0, 1000)) for k in range(100)]
    assert ours.random() == theirs.random()


def test_a_reader_of_numbas_own_is_replaced_and_no_other(monkeypatch):
    kind = numba.types.NumPyRandomGeneratorType
    for before, after in ((unbox_numpy_random_generator, unbox_generator), (len, len)):
        monkeypatch.setitem(_unboxers.functions, kind, before)
        install_unboxing()
        assert _unboxers.lookup(kind) is after


def test_no_generator_is_kept():
    @njit
    def drawn(rng):
        return rng.random()

    rng = np.random.default_rng(1)
    drawn(rng)
    before = sys.getrefcount(rng), sys.getrefcount(rng.bit_generator), sys.getrefcount(rng.bit_generator.capsule)
    for _ in range(100):
        drawn(rng)
    after = sys.getrefcount(rng), sys.getrefcount(rng.bit_generator), sys.getrefcount(rng.bit_generator.capsule)
    assert after == before


def test_a_signal_while_a_generator_is_passed_ends_no_process():
    script = """
import signal
import numpy as np
from stages.kernels.jit import njit
from stages.runtime.seeding import task_generator

class Stopped(Exception):
    pass

def stop(*_):
    raise Stopped

@njit
def draw(rng):
    return rng.random()

draw(task_generator(1))
signal.signal(signal.SIGALRM, stop)
for moment in range(300):
    rng = task_generator(1)
    try:
        signal.setitimer(signal.ITIMER_REAL, 2e-4 + 1e-6 * moment)
        while True:
            draw(rng)
    except Stopped:
        pass
print(draw(task_generator(2)) == task_generator(2).random())
"""
    assert run_python("-c", script, cwd=ROOT, env=environment()) == "True"
