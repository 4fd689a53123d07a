"""Sets of variables as rows of 64-bit words: membership, insertion, removal, transitive closure; and operations on
single words that compile to one processor instruction.
"""

import numpy as np

from .jit import borrowing, instruction

WORD_BITS = 64


@instruction("ctpop")
def popcount(word):
    """Number of set bits of a uint64; loops over it vectorise."""
    return np.uint64(int(word).bit_count())


@instruction("cttz", True)
def lowest_bit(word):
    """Position of the lowest set bit of a non-zero uint64."""
    value = int(word)
    return np.uint64((value & -value).bit_length() - 1)


def empty_bit_matrix(n_rows: int, n_bits: int) -> np.ndarray:
    """A matrix of `n_rows` empty sets over `n_bits` elements; uint64, shape (n_rows, ceil(n_bits / 64))."""
    return np.zeros((n_rows, -(-n_bits // WORD_BITS)), dtype=np.uint64)


@borrowing
def has_bit(words, element):
    """Whether `element` is in the set `words`. Unsigned indices avoid numba's check for negative ones."""
    bit = np.uint64(element)
    return (words[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1) != 0


@borrowing
def set_bit(words, element):
    """Insert `element` into the set `words`."""
    bit = np.uint64(element)
    words[bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))


@borrowing
def clear_bit(words, element):
    """Remove `element` from the set `words`."""
    bit = np.uint64(element)
    words[bit >> np.uint64(6)] &= ~(np.uint64(1) << (bit & np.uint64(63)))


@borrowing
def add_family(descendants, child, parents, stack):
    """Update the transitive closure `descendants` for new arcs from all parents of `child` to `child`.

    Returns rows updated plus arcs followed, the measure of work.

    Parameters
    ----------
    descendants : ndarray of uint64, shape (n_variables, n_words)
        Row v is the set of proper descendants of v under the arcs added so far; changed in place.
    child : int
        Had no parents before; none of its new ones is among its descendants.
    parents : tuple of (first, last, members)
        The parents of v are ``members[first[v]:last[v]]``; this includes the parents of `child`.
    stack : ndarray of int32, shape (n_variables,)
        Scratch.
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
    # The child's bit also marks the ancestors that were visited: before this call it was nobody's descendant.
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
