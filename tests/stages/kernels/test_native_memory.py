"""Machine code that is made in advance frees its arrays and keeps no references."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers import sample_kernels
from helpers.native_build import needs_build
from helpers.sample_kernels import examples

from stages.kernels.arguments import why_refused

pytestmark = needs_build


def test_arrays_are_freed_when_nothing_refers_to_them(native, kernels):
    before = native.live_records()
    arrays = kernels.tail(5)
    assert native.live_records() == before + 1
    part = arrays[1:]
    del arrays
    gc.collect()
    assert native.live_records() == before + 1 and part.tolist() == [3, 4]
    del part
    assert native.live_records() == before


@pytest.mark.parametrize(("name", "count"), [("made", 2), ("shapes", 1), ("listed", 1)])
def test_all_arrays_of_a_result_are_freed(native, kernels, name, count):
    """The arrays of a tuple, too, and arrays that a kernel needs on the way."""
    before = native.live_records()
    found = getattr(kernels, name)(*examples()[name])
    assert native.live_records() == before + count
    del found
    assert native.live_records() == before


def test_a_part_of_a_result_is_kept_by_itself(native, kernels):
    """Shapes of the same memory, each with a reference of its own."""
    before = native.live_records()
    (_, copied), _, last = kernels.shapes(np.arange(24.0).reshape(6, 4))
    del _
    copied[0, 3] = 9
    del copied
    gc.collect()
    assert native.live_records() == before + 1 and last[0, 3] == 9
    del last
    assert native.live_records() == before


def test_a_kernel_that_returns_an_argument_leaks_nothing(native, kernels):
    before, values = native.live_records(), np.arange(4)
    references = sys.getrefcount(values)
    with pytest.raises(SystemError, match="memory that is not its own"):
        kernels.passed_on(values)
    assert (native.live_records(), sys.getrefcount(values)) == (before, references)


def references_of(value: Any) -> list[int]:
    """Counts of references to what arguments consist of, at any depth; small whole numbers are everywhere."""
    found = [] if isinstance(value, int) else [sys.getrefcount(value)]
    if isinstance(value, tuple):
        for entry in value:
            found += references_of(entry)
    if isinstance(value, np.random.Generator):
        found += [sys.getrefcount(value.bit_generator), sys.getrefcount(value.bit_generator.capsule)]
    return found


def repeated(call: Callable[..., object], arguments: tuple[Any, ...], error: type[Exception] | None) -> None:
    for _ in range(1000):
        if error is None:
            call(*arguments)
        else:
            with pytest.raises(error):
                call(*arguments)


@pytest.mark.parametrize("name", [name for name in examples() if name != "passed_on"])
def test_calls_keep_no_references(native, kernels, name):
    arguments, kernel = examples()[name], getattr(kernels, name)
    wrong = (*arguments, object())  # one too many
    bad = (*arguments[:-1], object())  # the last one is of no type
    tries = [(arguments, None), (wrong, TypeError), *([(bad, TypeError)] if arguments else [])]
    for given, error in tries:
        before = references_of(given), sys.getrefcount(kernel), native.live_records()
        repeated(kernel, given, error)
        assert (references_of(given), sys.getrefcount(kernel), native.live_records()) == before


@pytest.mark.parametrize(
    ("size", "error"), [(1, ValueError), (2, ZeroDivisionError), (3, KeyError), (-1, ValueError)]
)
def test_exceptions_keep_no_references(native, kernels, size, error):
    given = np.arange(3.0), size
    before = references_of(given[0]), sys.getrefcount(error), native.live_records()
    repeated(kernels.checked, given, error)
    gc.collect()
    assert (references_of(given[0]), sys.getrefcount(error), native.live_records()) == before


def test_results_take_no_more_memory_call_after_call(native, kernels):
    """Arrays of a megabyte, a thousand times; and the kernel is freed with its last reference."""
    before = native.live_records()
    for _ in range(1000):
        assert kernels.made(125_000, 0.5).pair.left[-1] == 124_999
    assert native.live_records() == before

    plain = sample_kernels.constant.py_func
    references = sys.getrefcount(plain), sys.getrefcount(why_refused), sys.getrefcount(native.Kernel)
    for _ in range(1000):
        assert native.bind("helpers.sample_kernels.constant", plain, why_refused)() == 42
    assert (sys.getrefcount(plain), sys.getrefcount(why_refused), sys.getrefcount(native.Kernel)) == references
