"""Sets of variables as rows of 64-bit words: membership, insertion, union, and growing a transitive
closure.
"""

from __future__ import annotations

import numpy as np

from .jit import njit

WORD_BITS = 64


def empty_bit_matrix(n_rows: int, n_bits: int) -> np.ndarray:
    """A matrix of `n_rows` empty sets over `n_bits` elements; uint64, shape (n_rows, ceil(n_bits / 64))."""
    return np.zeros((n_rows, -(-n_bits // WORD_BITS)), dtype=np.uint64)


@njit
def has_bit(words, element):
    """True when `element` is in the set `words`."""
    return (words[element >> 6] >> np.uint64(element & 63)) & np.uint64(1) != 0


@njit
def set_bit(words, element):
    """Put `element` into the set `words`."""
    words[element >> 6] |= np.uint64(1) << np.uint64(element & 63)


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
    gained = descendants[child]
    for k in range(first[child], last[child]):
        parent = members[k]
        if not has_bit(descendants[parent], child):
            set_bit(descendants[parent], child)
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
            if not has_bit(descendants[parent], child):
                set_bit(descendants[parent], child)
                stack[top] = parent
                top += 1
    return work
