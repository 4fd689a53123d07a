"""Sets of variables as rows of 64-bit words: membership, insertion, growing a transitive closure; and bit tricks
on words, compiled to the processor's own instructions.
"""

from __future__ import annotations

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .jit import njit

WORD_BITS = 64

if numba.config.DISABLE_JIT:

    def popcount(word):
        """Number of set bits of a uint64."""
        return np.uint64(int(word).bit_count())

    def lowest_bit(word):
        """Position of the lowest set bit of a non-zero uint64."""
        value = int(word)
        return np.uint64((value & -value).bit_length() - 1)

else:

    @intrinsic
    def popcount(typing_context, word):
        """Number of set bits of a uint64 (LLVM ``ctpop``); loops over it vectorise."""

        def generate(context, builder, signature, arguments):
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), generate

    @intrinsic
    def lowest_bit(typing_context, word):
        """Position of the lowest set bit of a non-zero uint64 (LLVM ``cttz``)."""

        def generate(context, builder, signature, arguments):
            zero_is_undefined = ir.Constant(ir.IntType(1), 1)
            return builder.cttz(arguments[0], zero_is_undefined)

        return types.uint64(types.uint64), generate


def empty_bit_matrix(n_rows: int, n_bits: int) -> np.ndarray:
    """A matrix of `n_rows` empty sets over `n_bits` elements; uint64, shape (n_rows, ceil(n_bits / 64))."""
    return np.zeros((n_rows, -(-n_bits // WORD_BITS)), dtype=np.uint64)


@njit
def has_bit(words, element):
    """True when `element` is in the set `words`. Unsigned numbers spare the test for an index from the end."""
    bit = np.uint64(element)
    return (words[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1) != 0


@njit
def set_bit(words, element):
    """Put `element` into the set `words`."""
    bit = np.uint64(element)
    words[bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))


@njit
def clear_bit(words, element):
    """Take `element` out of the set `words`."""
    bit = np.uint64(element)
    words[bit >> np.uint64(6)] &= ~(np.uint64(1) << (bit & np.uint64(63)))


@njit
def add_family(descendants, child, parents, stack):
    """Close `descendants` under new arcs from every one of `parents` to `child`.

    Parameters
    ----------
    descendants : ndarray of uint64, shape (n_variables, n_words)
        Row v holds the proper descendants of v; closed under the arcs added so far, changed in place.
    child : int
        Must have no parents yet, and none of `parents` among its descendants.
    parents : tuple of (offsets, members)
        CSR lists of the parents chosen so far, `child`'s included, so that ancestors can be climbed to.
    stack : ndarray of int32, shape (n_variables,)
        Scratch.

    Returns
    -------
    int
        Rows of words changed or looked at, the measure of work.
    """
    first, last, members = parents
    n_words = descendants.shape[1]
    work = 0
    top = 0
    element = np.int64(child)
    gained = descendants[child]
    for k in range(first[child], last[child]):
        parent = members[k]
        if not has_bit(descendants[parent], element):
            set_bit(descendants[parent], element)
            stack[top] = parent
            top += 1
    # An ancestor that already counts the child among its descendants has, by closure, all that it would gain.
    while top > 0:
        top -= 1
        ancestor = stack[top]
        row = descendants[ancestor]
        for w in range(n_words):
            row[w] |= gained[w]
        work += 1
        for k in range(first[ancestor], last[ancestor]):
            parent = members[k]
            work += 1
            if not has_bit(descendants[parent], element):
                set_bit(descendants[parent], element)
                stack[top] = parent
                top += 1
    return work
