"""Scores as differences of functions of sets; each function is computed once per set and serves all members of the
set.

Let F(S) be the sum of a look-up table over the cells of the variables in S. The score of x with parents P is ``F(P +
x) - R(P) - penalty``. R is F with the table of configurations: the same function, except for K2, where R depends on
the number of states of x. A value is computed when a family first needs it. If it is kept, the other members of the
set find it. Processes may share the arrays: all of them compute the same bits.

All table entries are multiples of one power of two, so that sums are exact whatever their order: a family scores the
same here and in `add_one`, to the last bit.

Sets of binary variables are counted by `set_values`, others by `add_one`, with one member as child.
"""

from __future__ import annotations

import numpy as np

from ..arrays import first_not_below
from ..jit import borrowing
from .add_one import ScoreTables, score_expansions
from .set_values import line_of, rank_base, shared_rows, sum_binary

SCORE_COST = 3.0
"""The score of a family with known values; in the unit of `counting_plan`."""


@borrowing
def sum_by_expansion(data, arrays, function, members, n_members, others, most_work, scratch, work):
    """Values of the sets of `members` (at least one) and one of `others`, until `most_work` was done.

    Parameters as in `sum_binary`; values are written to ``scratch.scores`` by the number of the variable.

    Returns
    -------
    (int, float)
        The number of `others` done, and the cost.
    """
    variables, n_states = arrays.variables, arrays.n_states
    # Any member may be the child: cells are summed, and configurations contribute nothing.
    parents = scratch.parents[: n_members - 1]
    n_cells = n_states[members[0]]
    for i in range(1, n_members):
        parents[i - 1] = variables[members[i]]
        n_cells *= n_states[members[i]]
    for i in range(len(others)):
        scratch.candidates[i] = variables[others[i]]
        scratch.kinds[variables[others[i]]] = line_of(function.products, n_cells * n_states[others[i]])
    tables = ScoreTables(
        cell=function.table,
        row=function.nothing,
        kind=scratch.kinds,
        penalty=0.0,
        quantum=function.grid,
        drops_pure=False,
    )
    return score_expansions(
        data, tables, np.int64(variables[members[0]]), parents, scratch.candidates[: len(others)], 0, most_work,
        scratch.scores, work,
    )  # fmt: skip


@borrowing
def sum_single(data, arrays, function, place):
    """The value of a single variable."""
    variable, total = arrays.variables[place], 0.0
    table = function.table[line_of(function.products, arrays.n_states[place])]
    for bitmap in range(data.state_offsets[variable], data.state_offsets[variable + 1]):
        total += table[shared_rows(data.bits[bitmap], data.bits[bitmap], data.word_shifts)]
    return total


@borrowing
def next_run(members, n_members, gap, candidates, first):
    """End of the run of candidates, from `first` on, that are less than member `gap`; all of them if there is no such
    member.
    """
    if gap == n_members or first == len(candidates):
        return len(candidates)
    if members[gap] < candidates[first]:
        return first
    return first_not_below(candidates, first, len(candidates), members[gap])


@borrowing
def make_values(data, arrays, function, members, n_members, candidates, entries, row, most_work, scratch, work):
    """Compute the wanted, unknown values of the sets of some members and each candidate.

    Parameters
    ----------
    members : ndarray of int64
        The first `n_members` are ascending places.
    candidates : ndarray of int32
        Ascending places of no members.
    entries : ndarray of float64, shape (n_candidates,)
        NaN where no value is wanted.
    row : ndarray of float64, at least of shape (n_candidates,)
        The values, NaN for unknown ones; receives the computed ones.
    work : Workspace or None
        None if all variables are binary: then expansions are not compiled.

    Returns
    -------
    (bool, float) Whether all wanted values are known (else repeat the call), and the cost.
    """
    starts, binomials, n_states, values = arrays.starts, arrays.binomials, arrays.n_states, function.values
    last, done, first, is_binary = binomials.shape[1] - 2, 0.0, 0, True
    missing, wanted = scratch.missing, scratch.wanted
    for i in range(n_members):
        is_binary &= n_states[members[i]] == 2
    for gap in range(n_members + 1):
        begin, first = first, next_run(members, n_members, gap, candidates, first)
        n_missing = n_others = np.uint64(0)
        for i in range(np.uint64(begin), np.uint64(first)):
            if np.isnan(row[i]) & ~np.isnan(entries[i]):
                place = candidates[i]
                if is_binary & (n_states[np.uint64(place)] == 2):
                    # Binary candidates are moved before the others.
                    at = n_missing - n_others
                    missing[n_missing], wanted[n_missing] = missing[at], wanted[at]
                    missing[at], wanted[at] = place, i
                else:
                    missing[n_missing], wanted[n_missing] = place, i
                    n_others += np.uint64(1)
                n_missing += np.uint64(1)
        n_binary = n_missing - n_others
        if n_missing == 0:
            continue
        if n_members == 0:
            for i in range(n_missing):
                row[np.uint64(wanted[i])] = sum_single(data, arrays, function, missing[i])
        elif n_binary > 0:
            done += sum_binary(
                data, arrays, function, members, n_members, n_members - gap, missing[: np.int64(n_binary)], scratch
            )
            for i in range(n_binary):
                row[np.uint64(wanted[i])] = scratch.sums[i]
        n_done = n_missing
        if work is not None and n_members > 0 and n_missing > n_binary:
            n_more, cost = sum_by_expansion(
                data, arrays, function, members, n_members, missing[np.int64(n_binary) : np.int64(n_missing)],
                most_work - done, scratch, work,
            )  # fmt: skip
            done += cost
            n_done = n_binary + np.uint64(n_more)
            for i in range(n_binary, n_done):
                row[np.uint64(wanted[i])] = scratch.scores[arrays.variables[missing[i]]]
        base, line = rank_base(starts, binomials, members, n_members, n_members - gap)
        if base - binomials[line, last - candidates[begin]] >= arrays.kept[n_members + 1]:
            of_line, behind, from_place = np.uint64(line), np.uint64(last), np.uint64(base)
            for i in range(n_done):
                place = from_place - np.uint64(binomials[of_line, behind - np.uint64(missing[i])])
                values[place] = row[np.uint64(wanted[i])]
        if n_done < n_missing or (done > most_work and first < len(candidates)):
            return False, done
    return True, done


@borrowing
def take_values(arrays, values, members, n_members, candidates, row):
    """Write the values of the sets of some members and each candidate, NaN for unknown ones; returns the number of
    unknown ones.
    """
    starts, binomials, kept = arrays.starts, arrays.binomials, arrays.kept[n_members + 1]
    last, end, n_unknown = binomials.shape[1] - 2, 0, np.int64(0)
    for gap in range(n_members + 1):
        first, end = end, next_run(members, n_members, gap, candidates, end)
        if end == first:
            continue
        base, line = rank_base(starts, binomials, members, n_members, n_members - gap)
        at, begin = base - binomials[line, last - candidates[first]], np.uint64(first)
        if at < kept:
            row[first:end] = np.nan
            n_unknown += end - first
        elif line == 1 and candidates[end - 1] - candidates[first] == end - 1 - first:
            # Neighbouring places, since the candidate is the last member of its set.
            place = np.uint64(at)
            for i in range(np.uint64(end - first)):
                value = values[place + i]
                row[begin + i] = np.nan if value == 0.0 else value
                n_unknown += value == 0.0
        else:
            behind, of_line, from_place = np.uint64(last), np.uint64(line), np.uint64(base)
            for i in range(begin, np.uint64(end)):
                value = values[from_place - np.uint64(binomials[of_line, behind - np.uint64(candidates[i])])]
                row[i] = np.nan if value == 0.0 else value
                n_unknown += value == 0.0
    return n_unknown


@borrowing
def insert_place(members, n_members, place):
    """Insert a place into an ascending list."""
    i = n_members
    while i > 0 and members[i - 1] > place:
        members[i] = members[i - 1]
        i -= 1
    members[i] = place


@borrowing
def score_row(of_sets, of_parents, n_states, per_state, quantum, entries, is_better):
    """Score the extensions of one set by the values of sets, and keep the best; NaN entries stay.

    Parameters
    ----------
    of_sets, of_parents, n_states : ndarray of float64, at least of the shape of entries
        Values with the child and without it; the former become scores. Numbers of states of the further parents.
    per_state : float
        Penalty in nats of the set alone.
    """
    per_quantum = 1.0 / quantum
    for i in range(np.uint64(len(entries))):
        score = np.rint((of_sets[i] - of_parents[i] - per_state * n_states[i]) * per_quantum) * quantum
        entry = entries[i]
        # Entries of closed extensions are NaN, so no score compares as better.
        of_sets[i], is_better[i], entries[i] = score, score > entry, score if score > entry else entry


@borrowing
def score_open_by_values(
    data, arrays, function, parent_function, child, required, allowed, n_states, places, which, position, is_begun,
    most_work, starts, entries, is_better, scores, penalty, quantum, scratch, work,
):  # fmt: skip
    """Score the open extensions of some sets, until about `most_work` was done.

    Parameters
    ----------
    function, parent_function : SetFunction
        F, and R for the child.
    child : int
        Its place.
    required, allowed : ndarray of int32
        Places of the variables in every set, and of the variables that `places` index.
    n_states : ndarray of float64, shape (n_allowed,)
        Of the allowed.
    places, which, position
        As of `sets_by_size.score_open`.
    is_begun : bool
        Whether the call before ended within a set.
    starts, entries, is_better, scores
        As of `sets_by_size.score_open`.
    penalty, quantum : float
        Penalty in nats per configuration; scores are rounded to multiples of `quantum`, a power of two.
    work
        As of `make_values`.

    Returns
    -------
    (int, bool) Where to continue in `which`, and whether that set is begun; then the scratch must stay unchanged.
    """
    n_members = len(required) + places.shape[1]
    members, whole, of_sets, of_parents = scratch.members, scratch.whole, scratch.of_sets, scratch.of_parents
    done = 0.0
    while position < len(which) and done <= most_work:
        s = which[position]
        n_configurations = 1.0
        for k in range(n_members):
            is_required = k < len(required)
            member = required[k] if is_required else allowed[places[s, k - len(required)]]
            insert_place(members, k, member)
            n_configurations *= arrays.n_states[member]
        for k in range(n_members):
            whole[k] = members[k]
        insert_place(whole, n_members, child)
        begin, end = starts[s], starts[s + 1]
        tail = len(allowed) - (end - begin)
        candidates, own = allowed[tail:], entries[begin:end]
        n_unknown = np.int64(1)
        if not is_begun:
            n_unknown = take_values(arrays, function.values, whole, n_members + 1, candidates, of_sets)
            n_unknown += take_values(arrays, parent_function.values, members, n_members, candidates, of_parents)
        is_begun = False
        if n_unknown > 0:
            is_known, cost = make_values(
                data, arrays, parent_function, members, n_members, candidates, own, of_parents, most_work - done,
                scratch, work,
            )  # fmt: skip
            done += cost
            if is_known:
                is_known, cost = make_values(
                    data, arrays, function, whole, n_members + 1, candidates, own, of_sets, most_work - done, scratch,
                    work,
                )  # fmt: skip
                done += cost
            if not is_known:
                return position, True
        done += len(own) * SCORE_COST
        score_row(
            of_sets, of_parents, n_states[tail:], penalty * n_configurations, quantum, own, is_better[begin:end]
        )
        if len(scores) > 0:
            for i in range(np.uint64(len(own))):
                scores[begin + i] = np.nan if np.isnan(own[i]) else of_sets[i]
        position += 1
    return position, False


@borrowing
def score_open_binary(
    data, arrays, function, parent_function, child, required, allowed, n_states, places, which, position, is_begun,
    most_work, starts, entries, is_better, scores, penalty, quantum, scratch,
):  # fmt: skip
    """`score_open_by_values` for binary variables only; half as much code is compiled."""
    return score_open_by_values(
        data, arrays, function, parent_function, child, required, allowed, n_states, places, which, position,
        is_begun, most_work, starts, entries, is_better, scores, penalty, quantum, scratch, None,
    )  # fmt: skip
