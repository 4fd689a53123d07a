"""Machine code that is made in advance: what its caller in C takes, refuses and gives."""

from __future__ import annotations

import copy
import os
import pickle
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers import sample_kernels
from helpers.native_build import needs_build
from helpers.native_files import file_name
from helpers.places import ROOT
from helpers.processes import run_python
from helpers.sample_kernels import Nested, Pair, examples

from stages.kernels.arguments import why_refused

pytestmark = needs_build


def assert_same(found: Any, expected: Any) -> None:
    """Equal values of the same types, at any depth."""
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            assert_same(one, other)
    elif isinstance(expected, np.ndarray):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.tolist() == expected.tolist()
    elif isinstance(expected, np.random.Generator):
        assert found.bit_generator.state == expected.bit_generator.state
    else:
        assert found == expected


# ---- results


@pytest.mark.parametrize("name", [name for name in examples() if name != "passed_on"])
def test_results_and_changed_arguments_are_those_of_numba(folder, kernels, name):
    expected, changed = pickle.loads((folder / "results.pickle").read_bytes())[name]
    arguments = examples()[name]
    assert_same(getattr(kernels, name)(*arguments), expected)
    assert_same(arguments, changed)


NUMBERS = {
    "l": (-(2**63), -1, 0, 2**63 - 1), "i": (-(2**31), -1, 0, 2**31 - 1), "b": (-128, -1, 0, 127),
    "L": (0, 2**63, 2**64 - 1), "I": (0, 2**31, 2**32 - 1), "B": (0, 128, 255),
    "d": (-0.0, 5e-324, -1.7e308, float("inf")), "?": (False, True),
}  # fmt: skip
TYPES = dict(zip(NUMBERS, (np.int64, np.int32, np.int8, np.uint64, np.uint32, np.uint8, np.float64, np.bool_)))


@pytest.mark.parametrize("place", range(8))
def test_every_number_comes_back(kernels, place):
    letter = list(NUMBERS)[place]
    ones = [kind(1) for kind in TYPES.values()]
    for value in NUMBERS[letter]:
        forms = [TYPES[letter](value)] + ([value] if letter in "ld?" else [])
        for form in forms:
            given = [*ones[:place], form, *ones[place + 1 :]]
            found = kernels.numbers(*given)[place]
            assert repr(found) == repr(value) and type(found) is type(value)


def test_numpys_other_names_of_the_widest_numbers_pass(kernels):
    given = list(examples()["numbers"])
    given[0], given[3] = np.longlong(-5), np.ulonglong(7)
    assert kernels.numbers(*given)[:4] == (-5, given[1], given[2], 7)


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_kernels_draw_what_numpy_draws(kernels, kind):
    ours, theirs, values = np.random.Generator(kind(7)), np.random.Generator(kind(7)), np.empty(99)
    last = kernels.drawn(ours, values)
    draws = (theirs.random, lambda: float(theirs.integers(0, 1000)), theirs.standard_normal)
    assert values.tolist() == [draws[k % 3]() for k in range(99)]
    assert last == theirs.random() and ours.random() == theirs.random()


@pytest.mark.parametrize("size", [0, 2, 3])
def test_arrays_without_entries(kernels, size):
    assert kernels.tail(size).tolist() == list(range(2, size))
    assert kernels.halved_sum(np.empty(0)) == 0.0


def test_named_tuples_keep_their_classes(kernels):
    found = kernels.made(2, 0.5)
    assert type(found) is Nested and type(found.pair) is Pair
    assert found.pair.right.flags.carray


def test_other_kernels_are_not_there(native):
    plain = sample_kernels._added.py_func
    assert native.bind("helpers.sample_kernels._added", plain, why_refused) is None
    for name in ("", "a", "helpers.sample_kernels.constan", "helpers.sample_kernels.constant_", "z"):
        assert native.bind(name, plain, why_refused) is None


# ---- refusals

WORD = np.ones(1, dtype=np.uint64)


@pytest.mark.parametrize(
    ("name", "place", "value", "sentence"),
    [
        ("numbers", 0, 1.0, "long must be int or numpy.int64, not 1.0"),
        ("numbers", 0, True, "long must be int or numpy.int64, not True"),
        ("numbers", 0, 2**63, f"long must be int or numpy.int64, not {2**63}"),
        ("numbers", 1, 1, "half must be numpy.int32, not 1"),
        ("numbers", 3, np.int64(1), "positive must be numpy.uint64, not numpy.int64"),
        ("numbers", 6, 1, "real must be float or numpy.float64, not 1"),
        ("numbers", 6, np.float32(1), "real must be float or numpy.float64, not numpy.float32"),
        ("numbers", 7, 1, "flag must be bool or numpy.bool, not 1"),
        ("halved_sum", 0, [1.0], "values must be a writable, C-contiguous array of float64 with 1 dimension"),
        ("halved_sum", 0, np.arange(3), "not an array of int64 of shape (3,)"),
        ("halved_sum", 0, np.ones((1, 3)), "not an array of float64 of shape (1, 3)"),
        ("halved_sum", 0, np.ones(6)[::2], "of shape (3,), not contiguous"),
        ("halved_sum", 0, np.ones(3, dtype=">f8"), "not an array of >f8 of shape (3,)"),
        ("halved_sum", 0, np.frombuffer(bytes(8)), "of shape (1,), read-only"),
        ("halved_sum", 0, np.float64(1), "with 1 dimension, not numpy.float64"),
        ("unpacked", 0, Nested(pair=(np.arange(4),), number=0.5), "nested.pair has 1 entries, which are too few"),
        ("unpacked", 0, (1, 2, 3), "nested[0] must be a tuple, not 1"),
        ("unpacked", 1, (3, (np.ones(1, dtype=np.uint64), (5,))), "more[1][1][0] must be numpy.int8, not 5"),
        ("unpacked", 1, (3, (np.ones(1, dtype=np.uint64), ())), "more[1][1] has 0 entries, which are too few"),
        (
            "unpacked",
            1,
            (3, (np.ones(1, dtype=np.uint64), (np.int8(5),)), 1),
            "more has 3 entries, which are too many",
        ),
        ("unpacked", 2, 0, "nothing must be None, not 0"),
        ("drawn", 0, np.random, "rng must be a numpy.random.Generator, not <module"),
        (
            "drawn",
            0,
            SimpleNamespace(bit_generator=SimpleNamespace(capsule=1)),
            "rng must be a numpy.random.Generator",
        ),
    ],
)
def test_what_is_refused_is_named(kernels, name, place, value, sentence):
    given = list(examples()[name])
    given[place] = value
    with pytest.raises(TypeError) as error:
        getattr(kernels, name)(*given)
    assert str(error.value).startswith(f"helpers.sample_kernels.{name}: ") and sentence in str(error.value)


@pytest.mark.parametrize("count", [0, 1, 3, 50])
def test_wrong_numbers_of_arguments_are_refused(kernels, count):
    with pytest.raises(TypeError, match=rf"sample_kernels.drawn takes 2 arguments.*{count}"):
        kernels.drawn(*[1] * count)
    for call in (kernels.drawn.__call__, lambda *given: kernels.drawn(*given)):
        with pytest.raises(TypeError, match=r"sample_kernels.drawn takes 2 arguments"):
            call(*[1] * count)


def test_keywords_are_refused(kernels):
    for given in ({"values": np.ones(3)}, {"other": 1}):
        with pytest.raises(TypeError, match=r"sample_kernels.halved_sum takes .*no keywords"):
            kernels.halved_sum(**given)
        with pytest.raises(TypeError, match=r"sample_kernels.halved_sum takes .*no keywords"):
            kernels.halved_sum(np.ones(3), **given)
    assert kernels.halved_sum(*[np.ones(3)], **{}) == 1.5


# ---- exceptions


@pytest.mark.parametrize(
    ("size", "kind", "arguments"),
    [
        (1, ValueError, ("one is too few",)),
        (2, ZeroDivisionError, ()),
        (3, KeyError, ("three", 3)),
        (-1, ValueError, ("negative dimensions not allowed",)),
    ],
)
def test_exceptions_arrive_with_their_arguments(kernels, size, kind, arguments):
    for _ in range(3):
        with pytest.raises(kind) as error:
            kernels.checked(np.arange(3.0), size)
        assert type(error.value) is kind and error.value.args == arguments
    assert kernels.checked(np.arange(3.0), 4).shape == (4,)


def test_memory_that_there_is_not(kernels, native):
    before = native.live_records()
    with pytest.raises(MemoryError):
        kernels.tail(2**50)
    assert native.live_records() == before


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None  # importing them fails
import numpy as np
from helpers.native_files import loaded

def checked(values, size):
    pass

kernel = loaded(sys.argv[1]).bind("helpers.sample_kernels.checked", checked, None)
for size in range(1, 4):
    try:
        kernel(np.arange(3.0), size)
    except Exception as error:
        print(repr(error))
"""


def test_exceptions_need_no_numba(folder):
    given = {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    path = str(folder / file_name("sample"))
    printed = run_python("-c", WITHOUT_NUMBA, path, cwd=folder, env=given, is_fresh=True)
    assert printed.splitlines() == ["ValueError('one is too few')", "ZeroDivisionError()", "KeyError('three', 3)"]


# ---- threads and processes


def test_other_threads_run_meanwhile(kernels):
    moments, is_done = [], threading.Event()

    def tick() -> None:
        while not is_done.is_set():
            moments.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        begun = time.perf_counter()
        kernels.busy(300_000_000)
        ended = time.perf_counter()
    finally:
        is_done.set()
        thread.join()
    length = ended - begun
    assert length > 0.05
    assert any(begun + length / 4 < moment < ended - length / 4 for moment in moments)


def test_threads_share_kernels(native, kernels):
    before, wrong = native.live_records(), []

    def call(seed: int) -> None:
        values = np.arange(seed, seed + 50.0)
        for k in range(300):
            found = kernels.made(k, float(seed))
            if kernels.halved_sum(values) != values.sum() / 2 or found.pair.right.tolist() != [seed] * k:
                wrong.append(seed)

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and native.live_records() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks")
def test_forks_call_kernels(kernels):
    found = kernels.tail(5)
    process = os.fork()
    if process == 0:
        is_right = kernels.tail(6).tolist() == [2, 3, 4, 5] and found.tolist() == [2, 3, 4]
        os._exit(0 if is_right and kernels.halved_sum(np.ones(4)) == 2.0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


# ---- as functions of Python


def test_kernels_look_like_their_functions(kernels):
    plain = kernels.made.py_func
    assert plain is sample_kernels.made.py_func
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        assert getattr(kernels.made, name) == getattr(plain, name)
    assert repr(kernels.made) == "<kernel helpers.sample_kernels.made>" and callable(kernels.made)
    with pytest.raises(TypeError):
        type(kernels.made)()
    with pytest.raises(AttributeError):
        kernels.made.py_func = None


def test_kernels_are_pickled_and_copied_by_name(kernels, monkeypatch):
    monkeypatch.setattr(sample_kernels, "made", kernels.made)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(kernels.made, protocol)) is kernels.made
    held = {"kernel": [kernels.made]}
    assert copy.deepcopy(held)["kernel"][0] is kernels.made and copy.copy(kernels.made) is kernels.made
