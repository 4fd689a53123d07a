"""Values of sets of binary variables: sums of a table over the cells of the variables in a set.

Values of all sets of a size lie in one array by the lexicographic rank of the set, 0 where they are not known yet.
Only the rows with all variables in state 1 are counted, and kept for larger sets: the other cells follow by inclusion
and exclusion, so that a set takes one AND with popcount.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import popcount
from ..jit import borrowing
from .counting_plan import CELL_COST, WORD_COST
from .overlaps import count_overlaps


class SetArrays(NamedTuple):
    """Sets of the ranked variables, which are those with two states or more.

    Sets of size s take the places ``starts[s]:starts[s + 1]`` of arrays of values, by lexicographic rank.

    Attributes
    ----------
    variables, firsts : ndarray of int32, shape (n_ranked,)
        The ranked variables, and the first bitmap of each.
    n_states : ndarray of float64, shape (n_ranked,)
    binomials : ndarray of int64, shape (largest + 1, n_ranked + 1)
        ``binomials[k, n]``: subsets of size k of n elements.
    starts : ndarray of int64, shape (largest + 2,)
    counts : ndarray of int32
        Of sets of binary variables below the largest size: rows with all in state 1, plus one.
    """

    variables: np.ndarray
    firsts: np.ndarray
    n_states: np.ndarray
    binomials: np.ndarray
    starts: np.ndarray
    counts: np.ndarray


class SetFunction(NamedTuple):
    """A sum over the cells of a set, by the number of rows in each.

    Attributes
    ----------
    values : ndarray of float64
        The sum for each set, 0 where it is not known yet.
    products : ndarray of float64, shape (n_lines,)
        Numbers of cells of sets, ascending; a single one if the table serves all.
    table : ndarray of float64, shape (n_lines, n_rows + 1)
        What a cell of a set with so many cells contributes, 0 at 0.
    nothing : ndarray of float64, shape (n_lines, n_rows + 1)
        Zeros: what configurations of parents contribute.
    grid : float
        Entries are multiples of this power of two.
    """

    values: np.ndarray
    products: np.ndarray
    table: np.ndarray
    nothing: np.ndarray
    grid: float


class SetScratch(NamedTuple):
    """Scratch of one thread: for k = largest size - 1, bitmaps and counts of the subsets of k variables."""

    bitmaps: np.ndarray  # uint64 (2**k, n_words)
    counts: np.ndarray  # int32 (2**k, n_ranked)
    which: np.ndarray  # int32 (n_ranked,)
    sums: np.ndarray  # float64 (n_ranked,)
    subset: np.ndarray  # int64 (k + 1,)
    made: np.ndarray  # bool (2**k,)
    own: np.ndarray  # int32 (2**k,): rows in each cell of the k variables
    missing: np.ndarray  # int32 (n_ranked,)
    parents: np.ndarray  # int32 (k,)
    candidates: np.ndarray  # int32 (n_ranked,)
    kinds: np.ndarray  # int32 (n_variables,)
    scores: np.ndarray  # float64 (n_variables,)
    # Of the set that is extended, without and with the child: places, extensions that are not known, values.
    members: np.ndarray  # int64 (k,)
    whole: np.ndarray  # int64 (k + 1,)
    others: np.ndarray  # int32 (n_ranked,)
    of_parents: np.ndarray  # float64 (n_ranked,)
    of_sets: np.ndarray  # float64 (n_ranked,)


@borrowing
def line_of(products, n_cells):
    """Line of the table for sets with so many cells."""
    return np.searchsorted(products, n_cells) if len(products) > 1 else 0


@borrowing
def rank_base(starts, binomials, members, n_members, n_behind):
    """What the rank of `members` and one more is by the latter's place p: ``base - binomials[row, n - 1 - p]``.

    Parameters
    ----------
    members : ndarray of int64
        The first `n_members` are ascending places.
    n_behind : int
        How many of them are greater than the further one.

    Returns
    -------
    (base, row) : int
        The former with `starts`.
    """
    n = binomials.shape[1] - 1
    size = n_members + 1
    # The sets after a given one agree with it up to some member and have a larger one there.
    base = starts[size] + binomials[size, n] - 1
    for i in range(n_members):
        later = size - i - (i >= n_members - n_behind)
        base -= binomials[later, n - 1 - members[i]]
    return base, 1 + n_behind


@borrowing
def rank_of(starts, binomials, members, n_members):
    """Place of the values of a set of ascending places."""
    base, row = rank_base(starts, binomials, members, n_members - 1, 0)
    return base - binomials[row, binomials.shape[1] - 2 - members[n_members - 1]]


@borrowing
def subset_bitmap(bits, firsts, members, code, bitmaps, made):
    """Write the bitmap of the rows in which the members of a subset, given by its binary digits, are in state 1.

    Those of the first members of the subset alone are written, too, and reused where they are marked as made.
    """
    done, i = 0, 0
    if not made[0]:
        bitmaps[0] = ~np.uint64(0)
        made[0] = True
    while done != code:
        if (code >> i) & 1:
            more = done | (1 << i)
            if not made[more]:
                new, old, own = np.uint64(more), np.uint64(done), np.uint64(firsts[members[i]] + 1)
                for w in range(np.uint64(bits.shape[1])):
                    bitmaps[new, w] = bits[own, w] & bitmaps[old, w]
                made[more] = True
            done = more
        i += 1


@borrowing
def shared_rows(one, other, word_shifts):
    """Weighted number of rows in both bitmaps."""
    total = np.uint64(0)
    for w in range(np.uint64(len(one))):
        total += popcount(one[w] & other[w]) << word_shifts[w]
    return np.int64(total)


@borrowing
def take_subset(members, n_members, code, subset):
    """Write the members of the subset with these binary digits; their number."""
    size = 0
    for i in range(n_members):
        if (code >> i) & 1:
            subset[size] = members[i]
            size += 1
    return size


@borrowing
def sum_cells(table, own, n_codes, counts, n_others, sums):
    """Sum of a table over all cells, from those in which the other variable is in state 1."""
    sums[:n_others] = 0.0
    # Two cells of the members at once (one where there are none): a sum is written half as often.
    for code in range(0, n_codes, 2):
        more = min(code + 1, n_codes - 1)
        one, other = np.uint64(code), np.uint64(more)
        total, other_total = np.uint64(own[code]), np.uint64(own[more])
        weight = 1.0 if more > code else 0.0
        for i in range(np.uint64(n_others)):
            a, b = np.uint64(counts[one, i]), np.uint64(counts[other, i])
            sums[i] += (table[a] + table[total - a]) + weight * (table[b] + table[other_total - b])


@borrowing
def fill_binary(data, arrays, function, members, n_members, n_behind, others, scratch):
    """Make the values of the sets of some binary variables and one of `others`, binary as well.

    Parameters
    ----------
    function : SetFunction
    members : ndarray of int64
        The first `n_members` are ascending places.
    n_behind : int
        As in `rank_base`, for all others.
    others : ndarray of int32
        Ascending places.

    Returns
    -------
    float
        The cost.
    """
    # Calls in here take arrays one by one: to pass tuples of many costs as much as a set.
    bits, word_shifts, firsts, known = data.bits, data.word_shifts, arrays.firsts, arrays.counts
    starts, binomials, values = arrays.starts, arrays.binomials, function.values
    counts, own, subset, made, bitmaps, sums = (
        scratch.counts, scratch.own, scratch.subset, scratch.made, scratch.bitmaps, scratch.sums,
    )  # fmt: skip
    n_others, n_codes, size = len(others), 1 << n_members, n_members + 1
    last = binomials.shape[1] - 2
    largest = len(starts) - 2
    is_run = others[n_others - 1] - others[0] == n_others - 1
    made[1:n_codes] = False
    # Cells are numbered by the members in state 1. At first digit 0 leaves a member unrestricted.
    own[0] = function.table.shape[1] - 1
    for code in range(n_codes):
        n_subset = take_subset(members, n_members, code, subset)
        if code > 0:
            place = rank_of(starts, binomials, subset, n_subset)
            if known[place] == 0:
                subset_bitmap(bits, firsts, members, code, bitmaps, made)
                known[place] = shared_rows(bitmaps[code], bitmaps[code], word_shifts) + 1
            own[code] = known[place] - 1
        # The same rows with the other variable in state 1.
        subset_behind = 0
        for i in range(n_members - n_behind, n_members):
            subset_behind += (code >> i) & 1
        base, row = rank_base(starts, binomials, subset, n_subset, subset_behind)
        at = np.uint64(code)
        # Counts plus one, 0 for those that are not known.
        least = np.int32(0)
        if size < largest or code < n_codes - 1:
            least = np.int32(1)
            if row == 1 and is_run:
                # Neighbouring places, as in a list from which nothing was pruned.
                first = np.uint64(base - last + others[0])
                for i in range(np.uint64(n_others)):
                    rows = known[first + i]
                    counts[at, i] = rows - 1
                    least = min(least, rows)
            else:
                for i in range(np.uint64(n_others)):
                    rows = known[base - binomials[row, last - others[i]]]
                    counts[at, i] = rows - 1
                    least = min(least, rows)
        if least == 0:
            subset_bitmap(bits, firsts, members, code, bitmaps, made)
            for i in range(n_others):
                scratch.which[i] = firsts[others[i]] + 1
            count_overlaps(bitmaps[code : code + 1], 1, bits, scratch.which, n_others, word_shifts, counts[code])
            if n_subset + 1 < largest:
                for i in range(n_others):
                    known[base - binomials[row, last - others[i]]] = counts[at, i] + 1
    # A Moebius transform turns digit 0 into state 0: less the rows with the member in state 1.
    for k in range(n_members):
        for code in range(n_codes):
            if not (code >> k) & 1:
                own[code] -= own[code | (1 << k)]
                less, more = np.uint64(code), np.uint64(code | (1 << k))
                for i in range(np.uint64(n_others)):
                    counts[less, i] -= counts[more, i]
    base, row = rank_base(starts, binomials, members, n_members, n_behind)
    sum_cells(function.table[line_of(function.products, 2.0**size)], own, n_codes, counts, n_others, sums)
    for i in range(n_others):
        values[base - binomials[row, last - others[i]]] = sums[i]
    return (n_others + n_codes) * (bits.shape[1] * WORD_COST + 2 * n_codes * CELL_COST)
