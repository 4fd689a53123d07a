"""Sets of bits against sets of Python, and the closure under new arcs against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize.orders import descendants_of

from stages.kernels.bits import add_family, clear_bit, empty_bit_matrix, has_bit, lowest_bit, popcount, set_bit
from stages.kernels.jit import njit


@njit
def count_and_lowest(word):
    """The two instructions of the processor, which compiled code alone uses."""
    return popcount(word), lowest_bit(word)


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_descendants_stay_closed(seed):
    rng = np.random.default_rng(seed)
    n = 70
    first, last, members = np.zeros(n, np.int64), np.zeros(n, np.int64), []
    descendants, stack, parents = empty_bit_matrix(n, n), np.empty(n, np.int32), {v: set() for v in range(n)}
    for child in rng.permutation(n)[:40].tolist():
        open_to = [v for v in range(n) if v != child and v not in descendants_of(child, parents)]
        parents[child] = set(rng.permutation(open_to)[:3].tolist())
        first[child], last[child] = len(members), len(members) + len(parents[child])
        members += sorted(parents[child])
        family = (first, last, np.array(members, dtype=np.int32))
        add_family(descendants, child, family, stack)
    for v in range(n):
        assert {w for w in range(n) if has_bit(descendants[v], w)} == descendants_of(v, parents)


@given(st.integers(1, 2**64 - 1))
def test_words(word):
    count, lowest = count_and_lowest(np.uint64(word))
    assert int(count) == word.bit_count()
    assert int(lowest) == (word & -word).bit_length() - 1


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 199)), max_size=60))
def test_sets(changes):
    words, expected = empty_bit_matrix(1, 200)[0], set()
    for adds, element in changes:
        (set_bit if adds else clear_bit)(words, element)
        (expected.add if adds else expected.discard)(element)
    assert {v for v in range(200) if has_bit(words, v)} == expected
    assert int(np.bitwise_count(words).sum()) == len(expected)
