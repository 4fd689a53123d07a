"""Scores as differences of one function of sets, which is counted once for each set and serves all its members.

With F(S) the sum of a look-up table over the cells of the variables in S, the score of x with parents P is
``F(P + x) - R(P) - penalty``, R like F with the table of configurations (the same one but for K2). A value is made
when a family first needs it, and the other members of the set find it. Processes may share the arrays: whoever makes
a value writes the same bits.

All table entries are multiples of one power of two, so that sums are exact whatever their order: a family scores the
same here and in `add_one`, to the last bit.

Sets of binary variables are counted by `set_values`, others by `add_one`, for one member as child; F follows from the
score.
"""

from __future__ import annotations

import numpy as np

from ..jit import njit
from .add_one import score_expansions
from .set_values import fill_binary, rank_base, shared_rows

SCORE_COST = 3.0
"""The score of a family with known values; in the unit of `counting_plan`."""


@njit
def fill_by_scores(data, tables, arrays, child, members, n_members, others, most_work, scratch, work):
    """Make the values of the sets of a child, ascending members and one of `others`, until `most_work` was done.

    The values without the child are known, and no place of `others` is less than that of a member.

    Returns
    -------
    (int, float)
        The number of `others` done, and the cost.
    """
    binomials, n = arrays.binomials, arrays.binomials.shape[1] - 1
    parents = np.empty(n_members, dtype=np.int32)
    for i in range(n_members):
        parents[i] = arrays.variables[members[i]]
    for i in range(len(others)):
        scratch.candidates[i] = arrays.variables[others[i]]
    n_done, cost = score_expansions(
        data, tables, np.int64(arrays.variables[child]), parents, scratch.candidates[: len(others)], 0, most_work,
        scratch.scores, work,
    )  # fmt: skip
    base, row = rank_base(arrays.starts, binomials, members, n_members, False)
    whole = np.empty(n_members + 1, dtype=np.int64)
    n_before = 0
    for i in range(n_members):
        n_before += members[i] < child
    whole[:n_before] = members[:n_before]
    whole[n_before] = child
    whole[n_before + 1 :] = members[n_before:n_members]
    own_base, own_row = rank_base(arrays.starts, binomials, whole, n_members + 1, False)
    early_base, early_row = own_base, own_row
    if n_before == n_members:
        early_base, early_row = rank_base(arrays.starts, binomials, whole, n_members + 1, True)
    for i in range(n_done):
        later = n - 1 - others[i]
        place = own_base - binomials[own_row, later]
        if others[i] < child:
            place = early_base - binomials[early_row, later]
        likelihood = scratch.scores[arrays.variables[others[i]]]
        # The score without a penalty is F of the whole set less F of the parents.
        arrays.values[place] = likelihood + arrays.values[base - binomials[row, later]]
    return n_done, cost


@njit
def find_missing(values, base, binomials_row, others, first, last, missing):
    """Write those of ``others[first:last]`` whose set has no value yet; their number."""
    n, n_missing = len(binomials_row) - 1, 0
    for i in range(first, last):
        if values[base - binomials_row[n - 1 - others[i]]] == 0.0:
            missing[n_missing] = others[i]
            n_missing += 1
    return n_missing


@njit
def know_values(data, tables, arrays, child, members, n_members, others, most_work, scratch, work):
    """Make the values that the scores of a child with `members` and one of `others` take.

    Parameters
    ----------
    child : int
        Its place; -1 to know the sets without a child.
    members : ndarray of int64
        Ascending places of the first `n_members`.
    others : ndarray of int32
        Ascending places, greater than those of the members.

    Returns
    -------
    (bool, float)
        Whether all are known, else the call is to be repeated; and the cost.
    """
    binomials, done = arrays.binomials, 0.0
    whole = np.empty(n_members + 1, dtype=np.int64)
    n_whole, n_before, is_binary = 0, 0, True
    for i in range(n_members):
        if child >= 0 and n_whole == i and child < members[i]:
            whole[n_whole] = child
            n_whole += 1
        whole[n_whole] = members[i]
        n_whole += 1
        is_binary &= arrays.is_binary[members[i]]
    if child >= 0:
        is_binary &= arrays.is_binary[child]
        if n_whole == n_members:
            whole[n_whole] = child
            n_whole += 1
    # Others before the child, then those behind it.
    while n_before < len(others) and others[n_before] < child:
        n_before += 1
    for part in range(2):
        first, last = (0, n_before) if part == 0 else (n_before, len(others))
        if first == last:
            continue
        base, row = rank_base(arrays.starts, binomials, whole, n_whole, part == 0)
        n_missing = find_missing(arrays.values, base, binomials[row], others, first, last, scratch.missing)
        if n_missing == 0:
            continue
        missing = scratch.missing[:n_missing]
        if is_binary:
            n_binary = 0
            for i in range(n_missing):
                if arrays.is_binary[missing[i]]:
                    missing[i], missing[n_binary] = missing[n_binary], missing[i]
                    n_binary += 1
            if n_binary > 0:
                done += fill_binary(data, arrays, whole, n_whole, part == 0, missing[:n_binary], scratch)
            missing = missing[n_binary:]
        if len(missing) > 0:
            if n_whole == 0:
                fill_singles(data, arrays, missing)
                continue
            own, rest, n_rest = np.int64(child), members, n_members
            if child < 0:
                # Any member may be the child; the sets of the others are smaller, and known.
                own, rest, n_rest = members[0], members[1:], n_members - 1
            n_done, cost = fill_by_scores(
                data, tables, arrays, own, rest, n_rest, missing, most_work - done, scratch, work
            )
            done += cost
            if n_done < len(missing):
                return False, done
        if done > most_work and last < len(others):
            return False, done
    return True, done


@njit
def fill_singles(data, arrays, others):
    """Make the values of single variables."""
    table = arrays.cell[min(1, len(arrays.cell) - 1)]
    for i in range(len(others)):
        variable, total = arrays.variables[others[i]], 0.0
        for bitmap in range(data.state_offsets[variable], data.state_offsets[variable + 1]):
            total += table[shared_rows(data.bits[bitmap], data.bits[bitmap], data.word_shifts)]
        arrays.values[arrays.starts[1] + others[i]] = total


@njit
def score_open_by_values(
    data, tables, arrays, child, allowed, places, which, position, most_work, starts, entries, is_better, scores,
    penalty, quantum, scratch, work,
):  # fmt: skip
    """Score the open extensions of some sets, until about `most_work` was done.

    Parameters
    ----------
    tables : ScoreTables
        For sets with variables of more than two states: without penalty, rounded as the tables are.
    child : int
        Its place.
    allowed, places, which, position, starts, entries, is_better, scores
        As of `sets_by_size.score_open`.
    penalty, quantum : float
        Penalty in nats per configuration; scores are rounded to multiples of `quantum`.

    Returns
    -------
    int
        Where to continue in `which`.
    """
    size = places.shape[1]
    binomials, last = arrays.binomials, arrays.binomials.shape[1] - 2
    members = np.empty(size, dtype=np.int64)
    others = np.empty(len(allowed), dtype=np.int32)
    at = np.empty(len(allowed), dtype=np.int64)
    found = np.empty(len(allowed))
    whole = np.empty(size + 1, dtype=np.int64)
    is_binary = arrays.is_binary.all()
    values, parent_values, starts_of_size = arrays.values, arrays.parent_values, arrays.starts
    n_states = np.empty(len(arrays.variables), dtype=np.int64)
    for k in range(len(n_states)):
        variable = arrays.variables[k]
        n_states[k] = np.int64(data.state_offsets[variable + 1] - data.state_offsets[variable])
    done = 0.0
    while position < len(which) and done <= most_work:
        s = which[position]
        n_configurations = 1.0
        for k in range(size):
            variable = allowed[places[s, k]]
            members[k] = arrays.place[variable]
            n_configurations *= data.state_offsets[variable + 1] - data.state_offsets[variable]
        offset = len(allowed) - (starts[s + 1] - starts[s]) - starts[s]
        n_open = 0
        for i in range(starts[s], starts[s + 1]):
            if not np.isnan(entries[i]):
                others[n_open] = arrays.place[allowed[offset + i]]
                at[n_open] = i
                n_open += 1
        n_before = 0
        for k in range(size):
            n_before += members[k] < child
        whole[:n_before] = members[:n_before]
        whole[n_before] = child
        whole[n_before + 1 :] = members[n_before:]
        parent_base, parent_row = rank_base(starts_of_size, binomials, members, size, False)
        behind, row_behind = rank_base(starts_of_size, binomials, whole, size + 1, False)
        # A candidate before the child stands before the last of the set, since it follows all members.
        before, row_before = rank_base(starts_of_size, binomials, whole, size + 1, True)
        of_parents, steps_behind, steps_before = binomials[parent_row], binomials[row_behind], binomials[row_before]
        n_missing = 0
        for k in range(n_open):
            later = last - others[k]
            place = before - steps_before[later] if others[k] < child else behind - steps_behind[later]
            parent_place = parent_base - of_parents[later]
            n_missing += (values[place] == 0.0) | (values[parent_place] == 0.0)
            found[k] = values[place] - parent_values[parent_place]
        if n_missing > 0:
            # Values of the parents: of ever larger tails where one is the child, whose parents are the tail before.
            for first in range(0 if is_binary else size, -1, -1):
                is_whole, cost = know_values(
                    data, tables, arrays, -1, members[first:], size - first, others[:n_open], most_work - done,
                    scratch, work,
                )  # fmt: skip
                done += cost
                if not is_whole:
                    return position
            is_whole, cost = know_values(
                data, tables, arrays, child, members, size, others[:n_open], most_work - done, scratch, work
            )
            done += cost
            if not is_whole:
                return position
            for k in range(n_open):
                later = last - others[k]
                place = before - steps_before[later] if others[k] < child else behind - steps_behind[later]
                found[k] = values[place] - parent_values[parent_base - of_parents[later]]
        done += n_open * SCORE_COST
        per_state = penalty * n_configurations
        for k in range(n_open):
            score = np.rint((found[k] - per_state * n_states[others[k]]) / quantum) * quantum
            i = at[k]
            if len(scores) > 0:
                scores[i] = score
            is_better[i] = score > entries[i]
            entries[i] = max(score, entries[i])
        position += 1
    return position
