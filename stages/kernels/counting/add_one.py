"""Exact local scores of all expansions of one parent set: the hot loop of the project.

For a child X and parents P, one call scores P + {Y} for every candidate Y. The configurations of P are built
once (`row_groups`), and each Y is counted the cheapest of three ways: AND + popcount over the bitmaps of wide
configurations, a walk over the rows of narrow ones, or, where Y is rarely out of its most frequent state, a walk
over just those rows that corrects the counts of the configurations they fall in.

Every score of the project is a sum over cells minus a sum over configurations minus a penalty:
``sum cell[N_xp] - sum row[N_p] - penalty * |P||Y|`` with look-up tables ``cell`` and ``row`` that are 0 at 0
(`score_tables`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import lowest_bit, popcount
from ..jit import inlined, njit
from .row_groups import count_narrow_cells, count_wide_cells, narrow_limit, split_rows

# The cost model that decides between the ways of counting. The unit is the time for one row of a narrow
# configuration; all four were measured (tests/benchmarks). A wrong value costs time, never changes a score.
WORD_COST = 0.04
"""AND + popcount of one word of 64 rows."""
CELL_COST = 1.2
"""Looking up the contribution of one cell of a split configuration."""
SPARSE_ROW_COST = 2.5
"""Counting one row in which the candidate is out of its most frequent state."""
SPARSE_SETUP_ROW_COST = 1.5
"""Writing the cell of one row, once per parent set, before minority rows can be walked."""


class ScoreTables(NamedTuple):
    """Look-up tables of one score for one child and one number of parent configurations.

    Attributes
    ----------
    cell, row : ndarray of float64, shape (n_kinds, n_rows + 1)
        Contribution in nats of a cell and of a configuration with a given count; one line per number of states
        of the new parent where the score depends on it (BDeu), else a single line.
    kind : ndarray of int32, shape (n_variables,)
        Line to use when the variable is the new parent.
    penalty : ndarray of float64, shape (1,)
        Penalty in nats per parent configuration.
    quantum : ndarray of float64, shape (1,)
        Scores are rounded to multiples of this power of two, well above the rounding error of their sums and
        far below what matters: so a family scores the same however it was counted, and ties are ties.
    drops_pure : ndarray of bool, shape (1,)
        Whether configurations with a single child state contribute nothing, however they are split.
    """

    cell: np.ndarray
    row: np.ndarray
    kind: np.ndarray
    penalty: np.ndarray
    quantum: np.ndarray
    drops_pure: np.ndarray


@njit
def count_overlap(data, bitmaps, cell, state_bitmap):
    """Weighted number of rows in ``bitmaps[cell]`` and in ``data.bits[state_bitmap]``."""
    total = np.int64(0)
    for g in range(len(data.segment_shifts)):
        count = np.uint64(0)
        for w in range(np.uint64(data.segment_words[g]), np.uint64(data.segment_words[g + 1])):
            count += popcount(bitmaps[cell, w] & data.bits[state_bitmap, w])
        total += np.int64(count) << data.segment_shifts[g]
    return total


@njit
def binary_wide_score(bits, state_bitmap, cells, cell_counts, n_wide, words, shifts, cell_table, row_table):
    """Contribution of all wide configurations split by a binary candidate, for a binary child.

    Takes single arrays: handing over the tuples that hold them would cost as much as the counting.
    """
    score = 0.0
    for c in range(n_wide):
        in_total = np.int64(0)
        in_one = np.int64(0)
        for g in range(len(shifts)):
            total = np.uint64(0)
            ones = np.uint64(0)
            for w in range(np.uint64(words[g]), np.uint64(words[g + 1])):
                word = bits[state_bitmap, w]
                total += popcount(cells[2 * c, w] & word)
                ones += popcount(cells[2 * c + 1, w] & word)
            in_total += np.int64(total) << shifts[g]
            in_one += np.int64(ones) << shifts[g]
        # Rows where the candidate is in its first state are the rest: only one of its states is counted.
        zero = np.int64(cell_counts[2 * c])
        one = np.int64(cell_counts[2 * c + 1])
        in_zero = in_total - in_one
        score += cell_table[in_zero] + cell_table[in_one] - row_table[in_total]
        score += cell_table[zero - in_zero] + cell_table[one - in_one]
        score -= row_table[zero + one - in_total]
    return score


@njit
def wide_score(data, child, candidate, work, n_wide, cell_table, row_table, kind):
    """Contribution of all wide configurations split by the candidate's states, any numbers of states."""
    r = data.state_offsets[child + 1] - data.state_offsets[child]
    first = data.state_offsets[candidate]
    s = data.state_offsets[candidate + 1] - first
    rest = work.small
    score = 0.0
    for c in range(n_wide):
        rest_total = np.int64(0)
        for x in range(r):
            rest[x] = work.cell_counts[c * r + x]
            rest_total += rest[x]
        # State 0 of candidate and child is never counted: it is what the others leave over.
        for y in range(1, s):
            total = count_overlap(data, work.cells, c * r, first + y)
            # A state that does not occur here adds nothing: the tables are 0 at 0.
            if total == 0:
                continue
            in_zero = total
            for x in range(1, r):
                count = count_overlap(data, work.cells, c * r + x, first + y)
                score += cell_table[kind, count]
                rest[x] -= count
                in_zero -= count
            score += cell_table[kind, in_zero] - row_table[kind, total]
            rest[0] -= in_zero
            rest_total -= total
        for x in range(r):
            score += cell_table[kind, rest[x]]
        score -= row_table[kind, rest_total]
    return score


@njit
def narrow_score(data, child, candidate, work, level, n_narrow, cell_table, row_table, kind):
    """Contribution of all narrow configurations split by the candidate's states."""
    r = data.state_offsets[child + 1] - data.state_offsets[child]
    s = data.state_offsets[candidate + 1] - data.state_offsets[candidate]
    counts = work.small
    score = 0.0
    for group in range(n_narrow):
        for i in range(r * s):
            counts[i] = 0
        for i in range(work.starts[level, group], work.starts[level, group + 1]):
            row = work.rows[level, i]
            counts[data.codes[candidate, row] * r + data.codes[child, row]] += data.weights[row]
        for y in range(s):
            total = np.int64(0)
            for x in range(r):
                count = counts[y * r + x]
                total += count
                score += cell_table[kind, count]
            score -= row_table[kind, total]
    return score


@njit
def label_rows(data, child, work, level, n_wide, n_narrow):
    """Write the cell (configuration * r + child state) of every packed row, -1 for dropped rows."""
    r = data.state_offsets[child + 1] - data.state_offsets[child]
    work.cell_of_row[:] = -1
    for c in range(n_wide):
        for w in range(data.bits.shape[1]):
            word = work.cells[c * r, w]
            while word != np.uint64(0):
                row = w * 64 + np.int64(lowest_bit(word))
                work.cell_of_row[row] = c * r + data.codes[child, row]
                word &= word - np.uint64(1)
    for group in range(n_narrow):
        for i in range(work.starts[level, group], work.starts[level, group + 1]):
            row = work.rows[level, i]
            work.cell_of_row[row] = (n_wide + group) * r + data.codes[child, row]


@inlined
def configuration_score(cell_counts, configuration, r, cell_table, row_table, kind):
    """Contribution of one unsplit configuration."""
    score = 0.0
    total = np.int64(0)
    for cell in range(configuration * r, (configuration + 1) * r):
        total += cell_counts[cell]
        score += cell_table[kind, cell_counts[cell]]
    return score - row_table[kind, total]


@njit
def sparse_score(data, child, candidate, work, base, cell_table, row_table, kind):
    """Contribution of all configurations, from `base` (all unsplit) by correcting those with minority rows.

    `base` must be the sum of `configuration_score` over all configurations for the same `kind`.
    """
    r = data.state_offsets[child + 1] - data.state_offsets[child]
    s = data.state_offsets[candidate + 1] - data.state_offsets[candidate]
    n_touched = 0
    for i in range(data.minority_offsets[candidate], data.minority_offsets[candidate + 1]):
        row = data.minority_rows[i]
        cell = work.cell_of_row[row]
        if cell < 0:
            continue
        configuration = cell // r
        # The stamp tells whether this candidate met the configuration before, so that nothing needs clearing.
        if work.stamps[configuration] != candidate:
            work.stamps[configuration] = candidate
            work.touched[n_touched] = configuration
            n_touched += 1
        work.histogram[cell * s + data.codes[candidate, row]] += data.weights[row]
    score = base
    majority = data.majority[candidate]
    for i in range(n_touched):
        configuration = work.touched[i]
        # Take the unsplit configuration out of the base, and put its parts in: first the majority state (the rest).
        score -= configuration_score(work.cell_counts, configuration, r, cell_table, row_table, kind)
        rest_total = np.int64(0)
        for x in range(r):
            rest_total += work.cell_counts[configuration * r + x]
        for x in range(r):
            rest = np.int64(work.cell_counts[configuration * r + x])
            for y in range(s):
                rest -= work.histogram[(configuration * r + x) * s + y]
            score += cell_table[kind, rest]
        for y in range(s):
            if y == majority:
                continue
            total = np.int64(0)
            for x in range(r):
                index = (configuration * r + x) * s + y
                count = np.int64(work.histogram[index])
                # Leave the histogram empty for the next candidate.
                work.histogram[index] = 0
                total += count
                score += cell_table[kind, count]
            score -= row_table[kind, total]
            rest_total -= total
        score -= row_table[kind, rest_total]
    return score


@inlined
def dense_cost(data, candidate, r, n_wide, n_narrow, n_narrow_rows):
    """Estimated cost of counting one candidate over bitmaps and row lists, in listed rows."""
    s = data.state_offsets[candidate + 1] - data.state_offsets[candidate]
    # One state of the candidate comes from the others by subtraction.
    words = n_wide * r * (s - 1) * data.bits.shape[1]
    return words * WORD_COST + n_narrow_rows + (n_wide + n_narrow) * r * s * CELL_COST


@inlined
def uses_minority_rows(data, candidates, r, partition):
    """Whether walking minority rows saves more than labelling all rows for it costs."""
    n_wide, n_narrow, _, n_narrow_rows = partition
    savings = -SPARSE_SETUP_ROW_COST * len(data.weights)
    for candidate in candidates:
        if data.is_sparse[candidate]:
            rows = data.minority_offsets[candidate + 1] - data.minority_offsets[candidate]
            dense = dense_cost(data, candidate, r, n_wide, n_narrow, n_narrow_rows)
            savings += max(0.0, dense - rows * SPARSE_ROW_COST)
    return savings > 0


@inlined
def cross_parents(data, child, parents, drops_pure, work):
    """Count the child's states in every configuration of `parents`, the first half of `score_expansions`.

    Returns
    -------
    (n_wide, n_narrow, level, n_narrow_rows) : what `score_candidates` needs besides the workspace; weighted
        counts are ``work.cell_counts[: (n_wide + n_narrow) * n_child_states]``, pure configurations left out
        if `drops_pure`.
    """
    r = data.state_offsets[child + 1] - data.state_offsets[child]
    limit = narrow_limit(data.bits.shape[1], r, data.bits.shape[0], len(data.majority))
    n_wide, n_narrow, level = split_rows(data, parents, limit, work)
    n_wide = count_wide_cells(data, child, work, level, n_wide, drops_pure)
    n_narrow = count_narrow_cells(data, child, work, level, n_narrow, n_wide, drops_pure)
    n_narrow_rows = work.starts[level, n_narrow] if n_narrow > 0 else 0
    return n_wide, n_narrow, level, n_narrow_rows


@inlined
def score_candidates(
    data, tables, child, n_configurations, partition, candidates, first, most_work, out, work
):
    """Score candidates on top of the parents that `cross_parents` has counted, until that was `most_work`.

    `n_configurations` is the product of the parents' numbers of states, `partition` what `cross_parents`
    returned; the rest as in `score_expansions`.
    """
    n_wide, n_narrow, level, n_narrow_rows = partition
    r = data.state_offsets[child + 1] - data.state_offsets[child]
    quantum = tables.quantum[0]
    base = np.full(tables.cell.shape[0], np.nan)
    uses_sparse = uses_minority_rows(data, candidates, r, partition)
    # Labels and stamps stay in the workspace for the calls that go on with the same candidates.
    if uses_sparse and first == 0:
        label_rows(data, child, work, level, n_wide, n_narrow)
        for configuration in range(n_wide + n_narrow):
            work.stamps[configuration] = -1
    done = 0.0
    for place in range(first, len(candidates)):
        if done > most_work:
            return place, done
        candidate = candidates[place]
        s = data.state_offsets[candidate + 1] - data.state_offsets[candidate]
        kind = tables.kind[candidate]
        cost = dense_cost(data, candidate, r, n_wide, n_narrow, n_narrow_rows)
        takes_sparse = uses_sparse and data.is_sparse[candidate]
        if takes_sparse:
            sparse_rows = data.minority_offsets[candidate + 1] - data.minority_offsets[candidate]
            fits = np.int64(n_wide + n_narrow) * r * s <= len(work.histogram)
            takes_sparse = fits and sparse_rows * SPARSE_ROW_COST < cost
            if takes_sparse:
                cost = sparse_rows * SPARSE_ROW_COST
        done += cost
        # The score of the parents alone is needed by some candidates only; it is summed at most once per line.
        if (takes_sparse or s == 1) and np.isnan(base[kind]):
            base[kind] = 0.0
            for configuration in range(n_wide + n_narrow):
                base[kind] += configuration_score(
                    work.cell_counts, configuration, r, tables.cell, tables.row, kind
                )
        if takes_sparse:
            score = sparse_score(data, child, candidate, work, base[kind], tables.cell, tables.row, kind)
        elif s == 1:
            score = base[kind]
        else:
            if r == 2 and s == 2:
                score = binary_wide_score(
                    data.bits,
                    data.state_offsets[candidate] + 1,
                    work.cells,
                    work.cell_counts,
                    n_wide,
                    data.segment_words,
                    data.segment_shifts,
                    tables.cell[kind],
                    tables.row[kind],
                )
            else:
                score = wide_score(data, child, candidate, work, n_wide, tables.cell, tables.row, kind)
            if n_narrow > 0:
                score += narrow_score(
                    data, child, candidate, work, level, n_narrow, tables.cell, tables.row, kind
                )
        score -= tables.penalty[0] * n_configurations * s
        # Ways of counting sum in different orders; rounding makes their results equal to the last bit.
        out[candidate] = np.rint(score / quantum) * quantum
    return len(candidates), done


@njit
def score_expansions(data, tables, child, parents, candidates, first, most_work, out, work):
    """Scores of `parents` + {Y} for the candidates Y from `first` on, until about `most_work` was done.

    Parameters
    ----------
    data : PackedData
    tables : ScoreTables
        For this child and the product of the parents' numbers of states.
    child : int
    parents, candidates : ndarray of int32
        Candidates are not among the parents and not the child.
    first : int
        0, or where the call before stopped, with all else the same and the workspace left alone.
    most_work : float
        Rows to count, in the unit of the cost model, before the caller looks at its clock.
    out : ndarray of float64, shape (n_variables,)
        ``out[Y]`` receives the score in nats; other entries are left alone.
    work : Workspace

    Returns
    -------
    (place, done) : int and float
        Up to where candidates are scored now, and the work of this call.
    """
    n_configurations = 1.0
    for parent in parents:
        n_configurations *= data.state_offsets[parent + 1] - data.state_offsets[parent]
    grouping = 0.0
    if first == 0:
        partition = cross_parents(data, child, parents, tables.drops_pure[0], work)
        for k in range(4):
            work.partition[k] = partition[k]
        grouping = 1.0 * len(data.weights) * (len(parents) + 1)
    else:
        partition = (work.partition[0], work.partition[1], work.partition[2], work.partition[3])
    place, done = score_candidates(
        data, tables, child, n_configurations, partition, candidates, first, most_work, out, work
    )
    return place, grouping + done
