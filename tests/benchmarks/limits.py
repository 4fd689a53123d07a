"""What the machine allows: 64-bit words per second through AND and popcount, one thread.

Counting by bitmaps can be no faster than this; what is (the groups' shares of it above 1) did not count by bitmaps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stages.kernels.bits import popcount
from stages.kernels.jit import njit

from .cases import best_seconds

WORDS_IN_CACHE = 250
"""Bitmap of 16,000 rows: 2 kB."""

WORDS_IN_MEMORY = 1 << 24
"""Two of 128 MB."""


@njit
def count_common(first, second, repeats):
    """Rows that two bitmaps share, counted again and again."""
    total = np.uint64(0)
    for k in range(repeats):
        for w in range(len(first)):
            total += popcount((first[w] ^ np.uint64(k)) & second[w])
    return total


def words_per_second(n_words: int) -> float:
    """Pairs of words handled per second."""
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 2**63, (2, n_words)).astype(np.uint64)
    repeats = max(1, 40_000_000 // n_words)
    count_common(first, second, 1)
    return n_words * repeats / best_seconds(lambda: count_common(first, second, repeats), repeats=5)


def measure() -> Iterator[dict[str, object]]:
    """In cache and from memory."""
    yield {"case": "bitmaps in cache (2 kB)", "words/s": words_per_second(WORDS_IN_CACHE)}
    yield {"case": "bitmaps in memory (128 MB)", "words/s": words_per_second(WORDS_IN_MEMORY)}
