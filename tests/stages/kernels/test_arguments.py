"""The words in which a kernel refuses arguments: each argument has one type, exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from stages.kernels.arguments import NUMBERS, PYTHON, why_refused


class Pair(NamedTuple):
    """Two entries with names."""

    left: object
    right: object


def taking_one(given):
    """What kernels of one argument are asked about."""


def taking_two(first, second):
    """What kernels of two arguments are asked about."""


PLACE = f"{__name__}.taking_one: given"
PASSED = f"{__name__}.taking_one: an argument was refused"
"""The sentence for arguments that are right, which machine code never asks about."""

VALUES = {name: np.dtype(name).type(1) for name in NUMBERS.values()} | {
    "int": 1,
    "float": 1.0,
    "bool of Python": True,
}


def refused(text: str, value: object) -> str:
    """What is wrong with the one argument of a kernel; the name of the kernel and the argument are taken off."""
    sentence = why_refused(taking_one, text, (value,))
    return sentence if sentence == PASSED else sentence.removeprefix(PLACE).removeprefix(" must be ")


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("letter", NUMBERS)
def test_each_number_has_one_type(letter, name):
    """Numbers of Python stand for the widest ones; a whole number is no float, and a bool is neither."""
    fitting = {NUMBERS[letter]} | {{int: "int", float: "float", bool: "bool of Python"}.get(PYTHON.get(letter))}
    sentence = refused(letter, VALUES[name])
    if name in fitting:
        assert sentence == PASSED
    else:
        described = {"int": "1", "float": "1.0", "bool of Python": "True"}.get(name, f"numpy.{name}")
        python = f"{PYTHON[letter].__name__} or " if letter in PYTHON else ""
        assert sentence == f"{python}numpy.{NUMBERS[letter]}, not {described}"


@pytest.mark.parametrize("value", [None, "1", (1,), [1], np.ones(1), np.array(1), np.complex128(1), 1j])
@pytest.mark.parametrize("letter", NUMBERS)
def test_what_is_no_number(letter, value):
    assert refused(letter, value).rpartition(", not ")[0].endswith(f"numpy.{NUMBERS[letter]}")


@pytest.mark.parametrize(
    ("value", "fits"), [(2**63 - 1, True), (-(2**63), True), (2**63, False), (-(2**63) - 1, False)]
)
def test_whole_numbers_have_64_bits(value, fits):
    assert refused("l", value) == (PASSED if fits else f"int or numpy.int64, not {value}")


@pytest.mark.parametrize("letter", NUMBERS)
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_arrays_have_one_type_and_number_of_dimensions(letter, dimensions):
    plural = "s" * (dimensions != 1)
    wanted = f"a writable, C-contiguous array of {NUMBERS[letter]} with {dimensions} dimension{plural}, not "
    for name in NUMBERS.values():
        for size in (1, 2, 3):
            sentence = refused(f"A{letter}{dimensions}", np.ones((2,) * size, dtype=name))
            if (name, size) == (NUMBERS[letter], dimensions):
                assert sentence == PASSED
            else:
                assert sentence == f"{wanted}an array of {name} of shape {(2,) * size}"
    for value in (None, 1, 1.0, (1,), [1.0, 2.0]):
        assert refused(f"A{letter}{dimensions}", value) == f"{wanted}{value!r}"


def read_only(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


@pytest.mark.parametrize(
    ("array", "described"),
    [
        (read_only(np.ones((2, 3))), "an array of float64 of shape (2, 3), read-only"),
        (np.ones((3, 2)).T, "an array of float64 of shape (2, 3), not contiguous"),
        (np.ones((2, 6))[:, ::2], "an array of float64 of shape (2, 3), not contiguous"),
        (read_only(np.ones((2, 6)))[:, ::2], "an array of float64 of shape (2, 3), read-only, not contiguous"),
        (np.ones((2, 3), dtype=">f8"), "an array of >f8 of shape (2, 3)"),
    ],
)
def test_arrays_are_contiguous_and_writable(array, described):
    sentence = refused("Ad2", array)
    assert sentence == f"a writable, C-contiguous array of float64 with 2 dimensions, not {described}"


@pytest.mark.parametrize("array", [np.ones((0, 3)), np.ones((6, 1))[::2][:1], np.ones((4, 3))[1:3]])
def test_parts_that_are_contiguous_pass(array):
    assert refused("Ad2", array) == PASSED


def test_generators_and_none():
    rng = np.random.default_rng(1)
    assert refused("G", rng) == refused("n", None) == PASSED
    for value in (None, 1, np.random, rng.bit_generator, np.random.RandomState(1)):
        assert refused("G", value) == f"a numpy.random.Generator, not {repr(value)[:80]}"
    for value in (rng, 0, False, ()):
        assert refused("n", value) == f"None, not {repr(value)[:80]}"


def test_long_values_are_cut():
    assert len(refused("n", "x" * 1000)) < 100


@pytest.mark.parametrize(
    ("text", "value", "sentence"),
    [
        ("(ll)", (1, 2), None),
        ("()", (), None),
        ("(l(d?)l)", (1, (2.0, True), 3), None),
        ("(ll)", Pair(1, 2), None),
        ("(Ad1(Ad1n))", Pair(np.ones(1), Pair(np.ones(1), None)), None),
        ("(ll)", [1, 2], " must be a tuple, not [1, 2]"),
        ("(ll)", (1,), " has 1 entries, which are too few"),
        ("(ll)", (1, 2, 3), " has 3 entries, which are too many"),
        ("(ll)", Pair(1, None), ".right must be int or numpy.int64, not None"),
        ("(ll)", (1, None), "[1] must be int or numpy.int64, not None"),
        ("()", (1,), " has 1 entries, which are too many"),
        ("(l)", (), " has 0 entries, which are too few"),
        ("(l(d?)l)", (1, (2.0,), 3), "[1] has 1 entries, which are too few"),
        ("(l(d?)l)", (1, (2.0, 1), 3), "[1][1] must be bool or numpy.bool, not 1"),
        ("(l(d?)l)", (1, (2.0, True, 1), 3), "[1] has 3 entries, which are too many"),
        ("(l(d?)l)", (1, (2.0, True), 3.0), "[2] must be int or numpy.int64, not 3.0"),
        ("(l(d?)l)", (1, 2.0, 3), "[1] must be a tuple, not 2.0"),
        ("(Ad1(Ad1n))", Pair(np.ones(1), Pair(np.ones(1), 1)), ".right.right must be None, not 1"),
        ("((Ai2l)B)", ((np.ones((1, 1), np.int32), 1), 1), "[1] must be numpy.uint8, not 1"),
    ],
)
def test_tuples_are_checked_entry_by_entry(text, value, sentence):
    assert why_refused(taking_one, text, (value,)) == (PASSED if sentence is None else f"{PLACE}{sentence}")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((), " takes 2 arguments, and 0 were given"),
        ((1,), " takes 2 arguments, and 1 were given"),
        ((1, 2.0, 3), " takes 2 arguments, and 3 were given"),
        (((1, 2), 2), ": second must be float or numpy.float64, not 2"),
        (((1, 2.0), 2), ": first[1] must be int or numpy.int64, not 2.0"),
    ],
)
def test_the_first_wrong_argument_is_named(given, sentence):
    assert why_refused(taking_two, "(ll)d", given) == f"{__name__}.taking_two{sentence}"
