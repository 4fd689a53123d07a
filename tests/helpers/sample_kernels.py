"""Kernels that have what kernels may take and give, and arguments of each; the test of `caller.c` compiles them.

`make` builds extension modules: ``_native_sample``, a better one, ``_native_sampler``, one of other sources,
``_native_stale``, and one for no processor, ``_native_unfit``. It writes what numba's own wrappers give to
``results.pickle``.
"""

from __future__ import annotations

import math
import pickle
import platform
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stages.kernels.jit import borrowing, inlined, njit

DIGEST = "0123456789abcdef"


class Pair(NamedTuple):
    """Two arrays."""

    left: np.ndarray
    right: np.ndarray


class Nested(NamedTuple):
    """A pair and a number."""

    pair: Pair
    number: float


@njit
def numbers(long, half, byte, positive, positive_half, positive_byte, real, flag):
    """What is passed."""
    return long, half, byte, positive, positive_half, positive_byte, real, flag


@borrowing
def _added(total, values):
    for value in values:
        total += value
    return total


@inlined
def _halved(value):
    return value / 2


@borrowing
def halved_sum(values):
    """Half of the sum, by two kernels that Python does not call."""
    return _halved(_added(0.0, values))


@njit
def entries(line, table, box, flags):
    """An entry of each array; the arrays are changed in place."""
    found = (line[1], table[1, 2], box[1, 2, 3], flags[0])
    line[1] = -7
    table[1, 2] = line.shape[0] + 10 * table.shape[0] + 100 * table.shape[1]
    box[1, 2, 3] = box.shape[0] + 4 * box.shape[1] + 16 * box.shape[2]
    flags[0] = not flags[0]
    return found


@njit
def unpacked(nested, more, nothing):
    """Sums over what tuples hold, at any depth."""
    number, (words, (byte,)) = more
    total = nested.pair.left.sum() + 2 * nested.pair.right.sum() + nested.number + number + byte + words[0]
    return total if nothing is None else 0.0


@njit
def made(size, number):
    """Arrays in named tuples, one in the other."""
    return Nested(pair=Pair(left=np.arange(size), right=np.full(size, number)), number=number)


@njit
def shapes(values):
    """Arrays of several shapes in a tuple, the first in another one: all of them own memory."""
    copied = values.copy()
    return (copied.reshape(2, 12), copied), copied.reshape(3, 2, 4), copied.reshape(24, 1).reshape(4, 6)


@njit
def tail(size):
    """A part of an array."""
    return np.arange(size)[2:]


@njit
def nothing(values):
    """No result."""
    values[0] += 1


@njit
def constant():
    """No argument."""
    return np.int64(42)


@njit
def listed(size):
    """A list on the way, which grows."""
    found = [0]
    for k in range(size):
        found.append(k * k)
    return np.array(found)


@njit
def exponent(value):
    """A function of C."""
    return math.frexp(value)


@njit
def drawn(rng, values):
    """Entries are drawn in three ways."""
    for k in range(len(values)):
        if k % 3 == 0:
            values[k] = rng.random()
        else:
            values[k] = rng.integers(0, 1000) if k % 3 == 1 else rng.standard_normal()
    return rng.random()


@njit
def checked(values, size):
    """Raise of several classes."""
    if size == 1:
        raise ValueError("one is too few")
    if size == 2:
        raise ZeroDivisionError
    if size == 3:
        raise KeyError("three", 3)
    return np.zeros(size) + values[1]  # a negative size is numba's to refuse


@njit
def passed_on(values):
    """An array that is not its own, beside one that is."""
    return np.arange(3), values


@njit
def busy(steps):
    """Takes a while: a thousand million steps take seconds."""
    word = np.uint64(88172645463325252)
    for _ in range(steps):
        word ^= word << np.uint64(13)
        word ^= word >> np.uint64(7)
        word ^= word << np.uint64(17)
    return word


def examples() -> dict[str, tuple[Any, ...]]:
    """Arguments of each kernel by its name; new arrays each time."""
    return {
        "numbers": (-(2**63), np.int32(-(2**31)), np.int8(-128), np.uint64(2**64 - 1), np.uint32(2**32 - 1),
                    np.uint8(255), -0.1, True),
        "halved_sum": (np.arange(5.0),),
        "entries": (np.arange(4), np.arange(12.0).reshape(3, 4), np.arange(24, dtype=np.int32).reshape(2, 3, 4),
                    np.array([True, False])),
        "unpacked": (Nested(pair=Pair(left=np.arange(4), right=np.arange(6)), number=0.5),
                     (3, (np.array([9], dtype=np.uint64), (np.int8(-5),))), None),
        "made": (3, 1.5),
        "shapes": (np.arange(24.0).reshape(6, 4),),
        "tail": (5,),
        "nothing": (np.arange(3),),
        "constant": (),
        "listed": (100,),
        "exponent": (40.0,),
        "drawn": (np.random.default_rng(5), np.empty(50)),
        "checked": (np.arange(3.0), 4),
        "passed_on": (np.arange(2),),
        "busy": (1000,),
    }  # fmt: skip


def make(folder: Path) -> None:
    """Write extension modules and results."""
    from tools.native.build import LEVELS, build

    module = sys.modules[__name__]
    results, variants = {}, []
    for name, arguments in examples().items():
        kernel = getattr(module, name)
        results[name] = kernel(*arguments), arguments
        (variant,) = kernel.overloads.values()
        variants.append((kernel, variant))
    variants.sort(key=lambda each: each[0].py_func.__name__)
    level = list(LEVELS[platform.machine()].values())[-1]
    build(variants, {"sample": level, "sampler": level, "unfit": level._replace(fits="0")}, DIGEST, folder)
    build(variants[:1], {"stale": level}, "of other sources", folder)
    (folder / "results.pickle").write_bytes(pickle.dumps(results))
