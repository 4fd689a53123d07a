"""Numbers of rows that bitmaps share: the innermost loop of counting.

AND + popcount of every bitmap of one list with every bitmap of another, laid out like a product of matrices: two by
two, so that each word loaded serves two counts, and in blocks that stay in the first cache. Loops over words use
unsigned indices: for signed ones numba inserts a test for negative values, which prevents vectorising (a factor of
five).
"""

from __future__ import annotations

import numpy as np

from ..bits import popcount
from ..jit import borrowing

CHUNK_WORDS = 512
"""Words of each bitmap counted in one go."""

BLOCK_BITMAPS = 8
"""Bitmaps of the second list that are kept in cache meanwhile: 32 kB."""


@borrowing
def count_overlaps(bitmaps, n_bitmaps, others, which, n_which, word_shifts, out):
    """Weighted number of rows that each of some bitmaps shares with each of some others.

    Parameters
    ----------
    bitmaps : ndarray of uint64, at least of shape (n_bitmaps, n_words)
        Sets of rows, 64 rows to a word.
    others : ndarray of uint64, shape (n_others, n_words)
        Likewise.
    which : ndarray of int32, at least of shape (n_which,)
        The others to count: rows of `others`.
    word_shifts : ndarray of uint64, shape (n_words,)
        Rows of a word have weight ``2**word_shifts[w]``; ascending.
    out : ndarray of int32, at least of shape (n_which * n_bitmaps,)
        Receives the counts: for every other bitmap its counts with all `n_bitmaps` bitmaps, one after the other.
    """
    n_words = others.shape[1]
    is_weighted = word_shifts[n_words - 1] > np.uint64(0)
    for start in range(0, n_words, CHUNK_WORDS):
        begin, end = np.uint64(start), np.uint64(min(start + CHUNK_WORDS, n_words))
        for block in range(0, n_which, BLOCK_BITMAPS):
            block_end = min(block + BLOCK_BITMAPS, n_which)
            for i in range(0, n_bitmaps - 1, 2):
                a, b = bitmaps[i], bitmaps[i + 1]
                for j in range(block, block_end, 2):
                    # If the number is odd, the last one is counted twice.
                    j_next = min(j + 1, block_end - 1)
                    c, d = others[which[j]], others[which[j_next]]
                    ac = ad = bc = bd = np.uint64(0)
                    if is_weighted:
                        for w in range(begin, end):
                            ac += popcount(a[w] & c[w]) << word_shifts[w]
                            ad += popcount(a[w] & d[w]) << word_shifts[w]
                            bc += popcount(b[w] & c[w]) << word_shifts[w]
                            bd += popcount(b[w] & d[w]) << word_shifts[w]
                    else:
                        for w in range(begin, end):
                            ac += popcount(a[w] & c[w])
                            ad += popcount(a[w] & d[w])
                            bc += popcount(b[w] & c[w])
                            bd += popcount(b[w] & d[w])
                    at_c, at_d = j * n_bitmaps + i, j_next * n_bitmaps + i
                    # Later chunks add to the sums so far. All sums are read before one is written, so a bitmap that
                    # occurs twice gets the same number twice.
                    if start > 0:
                        ac, bc = ac + np.uint64(out[at_c]), bc + np.uint64(out[at_c + 1])
                        ad, bd = ad + np.uint64(out[at_d]), bd + np.uint64(out[at_d + 1])
                    out[at_c], out[at_c + 1] = ac, bc
                    out[at_d], out[at_d + 1] = ad, bd
            if n_bitmaps % 2 == 0:
                continue
            # The bitmap without a partner meets four others at a time.
            last = n_bitmaps - 1
            a = bitmaps[last]
            for j in range(block, block_end, 4):
                j_2, j_3 = min(j + 1, block_end - 1), min(j + 2, block_end - 1)
                j_4 = min(j + 3, block_end - 1)
                c, d, e, f = others[which[j]], others[which[j_2]], others[which[j_3]], others[which[j_4]]
                ac = ad = ae = af = np.uint64(0)
                if is_weighted:
                    for w in range(begin, end):
                        ac += popcount(a[w] & c[w]) << word_shifts[w]
                        ad += popcount(a[w] & d[w]) << word_shifts[w]
                        ae += popcount(a[w] & e[w]) << word_shifts[w]
                        af += popcount(a[w] & f[w]) << word_shifts[w]
                else:
                    for w in range(begin, end):
                        ac += popcount(a[w] & c[w])
                        ad += popcount(a[w] & d[w])
                        ae += popcount(a[w] & e[w])
                        af += popcount(a[w] & f[w])
                at_c, at_d = j * n_bitmaps + last, j_2 * n_bitmaps + last
                at_e, at_f = j_3 * n_bitmaps + last, j_4 * n_bitmaps + last
                if start > 0:
                    ac, ad = ac + np.uint64(out[at_c]), ad + np.uint64(out[at_d])
                    ae, af = ae + np.uint64(out[at_e]), af + np.uint64(out[at_f])
                out[at_c], out[at_d], out[at_e], out[at_f] = ac, ad, ae, af


@borrowing
def count_rows(bitmap, word_shifts):
    """Weighted number of rows in a bitmap."""
    total = np.uint64(0)
    for w in range(np.uint64(len(bitmap))):
        total += popcount(bitmap[w]) << word_shifts[w]
    return np.int64(total)
