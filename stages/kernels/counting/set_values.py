"""Values of sets of binary variables: sums of a table over the cells of the variables in a set.

Values of the sets of one size lie in one array by the lexicographic rank of the set; 0 marks an unknown value. Where
memory does not hold all values, the ones of the last ranks are kept, and the others are computed again for each
member. Only the rows with all variables in state 1 are counted, and kept for larger sets. The other cells follow by
inclusion and exclusion, so a set takes one AND with popcount.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import first_not_below
from ..bits import popcount
from ..jit import borrowing
from .counting_plan import CELL_COST, WORD_COST
from .overlaps import count_overlaps


class SetArrays(NamedTuple):
    """Sets of the ranked variables: all variables with at least two states.

    A set of size s has the place ``starts[s]`` plus its lexicographic rank. Arrays of values hold the places
    ``kept[s]:kept[s + 1]``; smaller places are not kept. If the first of some sets that differ in one member only is
    kept, all of them are.

    Attributes
    ----------
    variables, firsts : ndarray of int32, shape (n_ranked,)
        The ranked variables, and the first bitmap of each.
    n_states : ndarray of float64, shape (n_ranked,)
        Numbers of states of the ranked variables.
    binomials : ndarray of int64, shape (largest + 1, n_ranked + 1)
        ``binomials[k, n]``: subsets of size k of n elements.
    starts : ndarray of int64, shape (largest + 1,)
        Place of the first set of each size.
    kept : ndarray of int64, shape (largest + 2,)
        The range of the kept places of each size.
    counts : ndarray of int32
        For sets of binary variables below the largest size: the number of rows with all of them in state 1, plus one.
    """

    variables: np.ndarray
    firsts: np.ndarray
    n_states: np.ndarray
    binomials: np.ndarray
    starts: np.ndarray
    kept: np.ndarray
    counts: np.ndarray


class SetFunction(NamedTuple):
    """A sum over the cells of a set: a function of the number of rows in each.

    Attributes
    ----------
    values : ndarray of float64
        The sum for each set, 0 where it is not known yet.
    products : ndarray of float64, shape (n_lines,)
        Numbers of cells of sets, ascending; a single one if one line serves all sets.
    table : ndarray of float64, shape (n_lines, n_rows + 1)
        Contribution of a cell by its count, one line for each number of cells; 0 at 0.
    nothing : ndarray of float64, shape (n_lines, n_rows + 1)
        Zeros, the contribution of parent configurations.
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
    # Sets without a value: places of their further member, and where in a row the values go.
    missing: np.ndarray  # int32 (n_ranked,)
    wanted: np.ndarray  # int32 (n_ranked,)
    parents: np.ndarray  # int32 (k,)
    candidates: np.ndarray  # int32 (n_ranked,)
    kinds: np.ndarray  # int32 (n_variables,)
    scores: np.ndarray  # float64 (n_variables,)
    # Of the set that is extended, without and with the child: places, unknown extensions, values.
    members: np.ndarray  # int64 (k,)
    whole: np.ndarray  # int64 (k + 1,)
    of_parents: np.ndarray  # float64 (n_ranked,)
    of_sets: np.ndarray  # float64 (n_ranked,)


@borrowing
def line_of(products, n_cells):
    """Line of the table for sets with `n_cells` cells."""
    return first_not_below(products, 0, len(products), n_cells) if len(products) > 1 else 0


@borrowing
def rank_base(starts, binomials, members, n_members, n_behind):
    """Rank of `members` and a further place p: ``base - binomials[row, n - 1 - p]``.

    Parameters
    ----------
    members : ndarray of int64
        The first `n_members` are ascending places.
    n_behind : int
        Number of members greater than p.

    Returns
    -------
    (base, row) : int `starts` is included in `base`.
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

    Bitmaps of the subset's first members alone are written as well, and reused where they are marked as made.
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
    """Write the members of the subset with these binary digits; returns their number."""
    size = 0
    for i in range(n_members):
        if (code >> i) & 1:
            subset[size] = members[i]
            size += 1
    return size


@borrowing
def subtract_counts(counts, less):
    """Copy neighbouring counts, kept plus one; returns whether all are known."""
    for i in range(np.uint64(len(counts))):
        counts[i] -= less[i]


@borrowing
def take_counts(known, first, counts):
    """Copy neighbouring counts, kept plus one; whether all are known."""
    at, least = np.uint64(first), np.int32(1)
    for i in range(np.uint64(len(counts))):
        rows = known[at + i]
        counts[i] = rows - np.int32(1)
        least = min(least, rows)
    return least > 0


@borrowing
def sum_cells(table, own, code, counts, sums):
    """Add a table's entries for the cells of eight configurations, from `code` on, with each state of another binary
    variable.

    Parameters
    ----------
    own : ndarray of int32
        Rows in each configuration of the members.
    counts : ndarray of int32
        ``counts[code + d]``: rows in which the other variable is in state 1, at least the members named by the binary
        digits of d are in state 1, and the members beyond the lowest three have the states in `code`.
    sums : ndarray of float64
        One sum for each other variable.
    """
    c0, c1, c2, c3 = counts[code], counts[code + 1], counts[code + 2], counts[code + 3]
    c4, c5, c6, c7 = counts[code + 4], counts[code + 5], counts[code + 6], counts[code + 7]
    o0, o1 = np.uint64(own[code]), np.uint64(own[code + 1])
    o2, o3 = np.uint64(own[code + 2]), np.uint64(own[code + 3])
    o4, o5 = np.uint64(own[code + 4]), np.uint64(own[code + 5])
    o6, o7 = np.uint64(own[code + 6]), np.uint64(own[code + 7])
    # Unsigned: numba's test for negative indices takes longer than the look-up.
    for i in range(np.uint64(len(sums))):
        n7, m6, m5, m3 = np.uint64(c7[i]), np.uint64(c6[i]), np.uint64(c5[i]), np.uint64(c3[i])
        m4, m2, m1, m0 = np.uint64(c4[i]), np.uint64(c2[i]), np.uint64(c1[i]), np.uint64(c0[i])
        # Eight counts in registers, indexed by the digits of three members: so far digit 0 leaves a member
        # unrestricted. A Moebius transform, one member after the other, subtracts the rows with state 1; then digit 0
        # means state 0.
        n6, n5, n3 = m6 - n7, m5 - n7, m3 - n7
        n4, n2, n1 = m4 - n5 - m6, m2 - n3 - m6, m1 - n5 - m3
        n0 = m0 - m4 - n2 - n1 - n3
        sums[i] += (
            ((table[n0] + table[o0 - n0]) + (table[n1] + table[o1 - n1]))
            + ((table[n2] + table[o2 - n2]) + (table[n3] + table[o3 - n3]))
        ) + (
            ((table[n4] + table[o4 - n4]) + (table[n5] + table[o5 - n5]))
            + ((table[n6] + table[o6 - n6]) + (table[n7] + table[o7 - n7]))
        )


@borrowing
def count_subsets(data, arrays, members, n_members, n_behind, others, scratch):
    """Rows with all members of each subset in state 1, alone (`own`) and with each other variable (`counts`).

    Parameters as in `sum_binary`. Subsets are numbered by their binary digits.
    """
    # These calls take single arrays: passing tuples of many arrays costs as much as a set.
    bits, word_shifts, firsts, known = data.bits, data.word_shifts, arrays.firsts, arrays.counts
    starts, kept, binomials = arrays.starts, arrays.kept, arrays.binomials
    counts, own, subset, made, bitmaps = scratch.counts, scratch.own, scratch.subset, scratch.made, scratch.bitmaps
    n_others, n_codes, last = len(others), 1 << n_members, binomials.shape[1] - 2
    largest = len(starts) - 1
    is_run = others[n_others - 1] - others[0] == n_others - 1
    made[1:n_codes] = False
    for code in range(1, n_codes):
        n_subset = take_subset(members, n_members, code, subset)
        place = rank_of(starts, binomials, subset, n_subset)
        is_kept = place >= kept[n_subset]
        if is_kept and known[place] > 0:
            own[code] = known[place] - 1
        else:
            subset_bitmap(bits, firsts, members, code, bitmaps, made)
            own[code] = shared_rows(bitmaps[code], bitmaps[code], word_shifts)
            if is_kept:
                known[place] = own[code] + 1
    for code in range(n_codes):
        n_subset = take_subset(members, n_members, code, subset)
        subset_behind = 0
        for i in range(n_members - n_behind, n_members):
            subset_behind += (code >> i) & 1
        base, row = rank_base(starts, binomials, subset, n_subset, subset_behind)
        # Counts of the largest sets are needed only here.
        is_kept = n_subset + 1 < largest and base - binomials[row, last - others[0]] >= kept[n_subset + 1]
        is_known = is_kept
        if is_kept and row == 1 and is_run:
            # Neighbouring places, as in an unpruned list.
            is_known = take_counts(known, base - last + others[0], counts[code, :n_others])
        elif is_kept:
            for i in range(n_others):
                rows = known[base - binomials[row, last - others[i]]]
                counts[code, i] = rows - 1
                is_known &= rows > 0
        if not is_known:
            subset_bitmap(bits, firsts, members, code, bitmaps, made)
            for i in range(n_others):
                scratch.which[i] = firsts[others[i]] + 1
            count_overlaps(bitmaps[code : code + 1], 1, bits, scratch.which, n_others, word_shifts, counts[code])
            if is_kept:
                for i in range(n_others):
                    known[base - binomials[row, last - others[i]]] = counts[code, i] + 1


@borrowing
def sum_binary(data, arrays, function, members, n_members, n_behind, others, scratch):
    """Values of the sets of some binary variables and one of `others`, binary as well, into ``scratch.sums``.

    Parameters
    ----------
    function : SetFunction
        The function whose values are made.
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
    counts, own, sums = scratch.counts, scratch.own, scratch.sums
    n_others, n_codes, size = len(others), 1 << n_members, n_members + 1
    own[0] = function.table.shape[1] - 1
    count_subsets(data, arrays, members, n_members, n_behind, others, scratch)
    # Moebius transforms: of `own` over all digits, of `counts` over all but the lowest three, which follow in
    # `sum_cells`.
    for k in range(n_members):
        for code in range(n_codes):
            if not (code >> k) & 1:
                own[code] -= own[code | (1 << k)]
                if k >= 3:
                    subtract_counts(counts[code, :n_others], counts[code | (1 << k), :n_others])
    # Fewer than three members: configurations of the missing ones have no rows.
    for code in range(n_codes, 8):
        own[code] = 0
        counts[code, :n_others] = 0
    sums[:n_others] = 0.0
    table = function.table[line_of(function.products, 2.0**size)]
    for code in range(0, n_codes, 8):
        sum_cells(table, own, code, counts, sums[:n_others])
    return (n_others + n_codes) * (data.bits.shape[1] * WORD_COST + 2 * n_codes * CELL_COST)
