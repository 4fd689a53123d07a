"""Passing random generators to kernels: the same streams, and no crash if a signal arrives meanwhile."""

from __future__ import annotations

import sys

import numba
import numpy as np
import pytest
from helpers.places import ROOT
from helpers.processes import environment, run_python

from stages.kernels.jit import njit
from stages.kernels.random_generators import GENERATOR

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

GENERATORS = (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64)

with_and_without_late_assembly = pytest.mark.parametrize("compiled", [njit, numba.njit], ids=["ours", "numba's"])


@pytest.mark.parametrize("kind", GENERATORS)
@with_and_without_late_assembly
def test_kernels_draw_what_numpy_draws(kind: type, compiled):
    @compiled
    def drawn(rng, values):
        for k in range(len(values)):
            values[k] = rng.random() if k % 3 else rng.integers(0, 1000)

    ours, theirs, values = np.random.Generator(kind(7)), np.random.Generator(kind(7)), np.empty(100)
    drawn(ours, values)
    assert values.tolist() == [theirs.random() if k % 3 else float(theirs.integers(0, 1000)) for k in range(100)]
    assert ours.random() == theirs.random()


@with_and_without_late_assembly
def test_no_generator_is_kept(compiled):
    @compiled
    def drawn(rng):
        return rng.random()

    rng = np.random.default_rng(1)
    drawn(rng)
    assert numba.typeof(rng) is GENERATOR
    before = sys.getrefcount(rng), sys.getrefcount(rng.bit_generator), sys.getrefcount(rng.bit_generator.capsule)
    for _ in range(100):
        drawn(rng)
    after = sys.getrefcount(rng), sys.getrefcount(rng.bit_generator), sys.getrefcount(rng.bit_generator.capsule)
    assert after == before


PLAIN = """
import sys
sys.modules["stages.kernels.machine_code"] = None  # importing it fails, as with another numba
"""

SCRIPT = """
import signal
import numpy as np
from stages.kernels.jit import njit
from stages.kernels.random_generators import GENERATOR
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
print(draw(task_generator(2)) == task_generator(2).random(), sum(draw.stats.cache_hits.values()))
"""


@pytest.mark.parametrize("before", ["", PLAIN], ids=["late assembly", "plain numba"])
def test_a_signal_while_a_generator_is_passed_ends_no_process(tmp_path, before):
    """Nor in a second process, which takes the kernel from the cache."""
    (tmp_path / "script.py").write_text(before + SCRIPT)
    for hits in (0, 1):
        given = environment(NUMBA_CACHE_DIR=str(tmp_path / "cache"))
        assert run_python(str(tmp_path / "script.py"), cwd=ROOT, env=given) == f"True {hits}"
