"""Machine code is made for kernels that Python calls, with all their callees, and reads back from the cache."""

import shutil
import sys

import numpy as np
import pytest
from helpers.compiled import BY_NUMBA, compiled, late
from helpers.places import ROOT
from helpers.processes import run_here, run_python
from numba.core.registry import cpu_target
from numba.core.runtime import _nrt_python as nrt
from numba.core.runtime import rtsys
from tools.native.runs import table_text

from stages.kernels.jit import borrowing, njit
from stages.kernels.machine_code import install

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

PLAIN = """
import sys
sys.modules["stages.kernels.machine_code"] = None  # importing it fails, as with another numba
"""

STRUCK = """
import os, signal
from numba.core.registry import cpu_target

engine = cpu_target.target_context.codegen()._engine._ee
get_buffer = engine._object_cache_getbuffer
calls = []

def raise_in_callback(*_):
    raise KeyboardInterrupt

def struck(module):
    found = get_buffer(module)
    calls.append(found)
    if found is not None and sum(call is not None for call in calls) < 3:
        os.kill(os.getpid(), signal.SIGUSR1)
        sum(range(1000))  # the handler runs between instructions
    return found

signal.signal(signal.SIGUSR1, raise_in_callback)
engine._object_cache_getbuffer = struck
"""

COMMAND = """
import sys
from bnsl_cli.__main__ import start
sys.exit(start())
"""


def assembled(kernel):
    return [types for types, compiled in kernel.overloads.items() if compiled.library.is_assembled]


@late
def test_only_what_python_calls_has_machine_code(monkeypatch):
    monkeypatch.setattr("stages.kernels.compiler.NOT_CACHED", "an earlier run may have called the inner one")

    @njit
    def inner(value):
        return value + 1

    @njit
    def outer(value):
        return inner(value) + 1

    assert outer(1) == 3
    assert len(assembled(outer)) == len(inner.overloads) == 1 and not assembled(inner)
    library = next(iter(inner.overloads.values())).library
    assert not library.get_pointer_to_function("inner")
    assert inner(1) == 2
    assert len(assembled(inner)) == len(inner.overloads) == 1

    @njit
    def later(value):
        return inner(value) + 5

    assert later(1) == 7  # its callee has machine code already


@compiled
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
    assert sys.getrefcount(result) == 2 and sys.getrefcount(result.base) <= 3


@late
def test_no_array_that_is_passed_takes_an_allocation():
    @njit
    def doubled(values):
        return values * 2

    @njit
    def sum_of(arrays, pair, rng):
        return arrays[0].sum() + pair[1][0] * 2 + rng.random()

    values = np.arange(4)

    def allocations(kernel, *arguments):
        kernel(*arguments)
        before = rtsys.get_allocation_stats().mi_alloc
        kernel(*arguments)
        return rtsys.get_allocation_stats().mi_alloc - before

    nrt.memsys_enable_stats()
    try:
        assert allocations(sum_of, (values, values), (1, values), np.random.default_rng(1)) == 0
        assert allocations(doubled, values) == 2  # of the argument, and of what is returned
    finally:
        nrt.memsys_disable_stats()


@late
def test_a_literal_makes_no_variant():
    @njit
    def moved(value, step, back):
        return value - step if back else value + step

    @njit
    def outer(value):
        return moved(value, 1, False) + moved(value, 2, True) + moved(value, step=value, back=value > 1)

    assert outer(5) == 6 + 3 + 0
    assert len(moved.overloads) == 1


@late
def test_kernels_that_count_no_references_return_no_arrays():
    """The caller would free what it got once too often."""

    @borrowing
    def held(values):
        return 1, values

    with pytest.raises(TypeError, match="held counts no references"):
        held(np.arange(3))


def run(tmp_path, script: str, *names: str, is_fresh: bool = False) -> list[str]:
    """Lines that a script of kernels prints in a process of its own, with a cache in `tmp_path`."""
    (tmp_path / "script.py").write_text(script)
    environment = {
        "PYTHONPATH": str(ROOT),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "SOURCE_DATE_EPOCH": "0",
    } | BY_NUMBA
    printed = run_python(str(tmp_path / "script.py"), *names, cwd=tmp_path, env=environment, is_fresh=is_fresh)
    return printed.splitlines()


@compiled
def test_errors_with_values_reach_python():
    """They are made from constants in the environments of the kernels that raise them."""

    @njit
    def checked(value):
        if value < 0:
            raise ValueError("negative", value)
        return value

    @njit
    def increased(value):
        return checked(value) + 1

    for kernel in (increased, checked):
        assert kernel(0) >= 0
        with pytest.raises(ValueError, match="-2"):
            kernel(-2)


@late
@pytest.mark.slow
def test_bitcode_and_machine_code_are_stored_in_any_order(tmp_path):
    def results(*names, **given):
        return run(tmp_path, SCRIPT, *names, **given)

    assert results("outer", is_fresh=True) == ["12 0"]
    assert results("inner") == ["6 1"]  # bitcode was stored; machine code is made now
    assert results("inner", "outer", "doubled") == ["6 1", "12 1", "[0 1 2 3 0 1 2 3] 0"]
    assert results("doubled") == ["[0 1 2 3 0 1 2 3] 1"]
    assert results("length_of_tail") == ["3 0"]
    assert results("tail", "length_of_tail") == ["[1 2 3] 1", "3 1"]  # the callee was stored as bitcode
    assert results("length_of_tail", "tail") == ["3 1", "[1 2 3] 1"]
    assert list((tmp_path / "cache").rglob("*.nbc"))


@late
@pytest.mark.slow
def test_a_signal_while_machine_code_is_loaded_loses_no_code(tmp_path):
    """What is raised in LLVM's callback is dropped, and the code with it: it is loaded again."""
    counted = STRUCK + SCRIPT + "print(sum(call is not None for call in calls))"
    assert run(tmp_path, counted, "outer") == ["12 0", "0"]
    assert run(tmp_path, counted, "outer") == ["12 1", "3"]


@late
def test_a_numba_that_lacks_a_name_is_left_as_it_is(monkeypatch):
    codegen = cpu_target.target_context.codegen()
    before = codegen._library_class, codegen.set_env
    monkeypatch.setattr("stages.kernels.machine_code._USED_OF_CODE_GENERATOR", ("set_env", "not_there"))
    with pytest.raises(AttributeError):
        install()
    assert (codegen._library_class, codegen.set_env) == before


@late
@pytest.mark.slow
def test_without_late_assembly_plain_numba_gives_equal_results(tmp_path):
    """Kernels of a command, too: compiled by plain numba against those of the cache, which are assembled late."""
    names = ("outer", "inner", "doubled", "length_of_tail", "tail")
    results = [line.rpartition(" ")[0] for line in run(tmp_path, SCRIPT, *names)]
    shutil.rmtree(tmp_path / "cache")
    plain = PLAIN + SCRIPT + "assert type(outer).__name__ == 'CPUDispatcher'"
    assert [line.rpartition(" ")[0] for line in run(tmp_path, plain, *names)] == results
    assert run(tmp_path, plain, "outer") == ["12 1"]  # numba's own cache

    (tmp_path / "data.csv").write_text(table_text())
    sets, given = str(tmp_path / "sets.jsonl"), {"SOURCE_DATE_EPOCH": "0"}
    made = run_here("parentsets", "-q", "--seed", 1, "--max-parents", 1, tmp_path / "data.csv", "-o", sets, **given)
    assert made.returncode == 0, made.stderr
    command = ("optimize", "-q", "--tw", "1", "--seed", "1", sets)  # compiles few kernels
    network = run_here(*command, **given).stdout.decode().splitlines()
    assert len(network) > 8 and run(tmp_path, PLAIN + COMMAND, *command) == network
