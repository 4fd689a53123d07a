"""Scores as differences of functions of sets, which are counted once for each set and serve all its members.

With F(S) the sum of a look-up table over the cells of the variables in S, the score of x with parents P is
``F(P + x) - R(P) - penalty``, R like F with the table of configurations (the same function but for K2, where it
depends on the number of states of x). A value is made when a family first needs it, and the other members of the set
find it. Processes may share the arrays: whoever makes a value writes the same bits.

All table entries are multiples of one power of two, so that sums are exact whatever their order: a family scores the
same here and in `add_one`, to the last bit.

Sets of binary variables are counted by `set_values`, others by `add_one`, with one member as child.
"""

from __future__ import annotations

import numpy as np

from ..jit import borrowing
from .add_one import ScoreTables, score_expansions
from .set_values import fill_binary, line_of, rank_base, shared_rows

SCORE_COST = 3.0
"""The score of a family with known values; in the unit of `counting_plan`."""


@borrowing
def fill_by_expansion(data, arrays, function, members, n_members, n_behind, others, most_work, scratch, work):
    """Make the values of the sets of at least one member and one of `others`, until `most_work` was done.

    Parameters as of `fill_binary`.

    Returns
    -------
    (int, float)
        The number of `others` done, and the cost.
    """
    variables, n_states, last = arrays.variables, arrays.n_states, arrays.binomials.shape[1] - 2
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
    n_done, cost = score_expansions(
        data, tables, np.int64(variables[members[0]]), parents, scratch.candidates[: len(others)], 0, most_work,
        scratch.scores, work,
    )  # fmt: skip
    base, row = rank_base(arrays.starts, arrays.binomials, members, n_members, n_behind)
    for i in range(n_done):
        place = base - arrays.binomials[row, last - others[i]]
        function.values[place] = scratch.scores[variables[others[i]]]
    return n_done, cost


@borrowing
def fill_singles(data, arrays, function, others):
    """Make the values of single variables."""
    for i in range(len(others)):
        variable, total = arrays.variables[others[i]], 0.0
        table = function.table[line_of(function.products, arrays.n_states[others[i]])]
        for bitmap in range(data.state_offsets[variable], data.state_offsets[variable + 1]):
            total += table[shared_rows(data.bits[bitmap], data.bits[bitmap], data.word_shifts)]
        function.values[arrays.starts[1] + others[i]] = total


@borrowing
def next_run(members, n_members, gap, candidates, first):
    """Where the candidates from `first` on end that are less than member `gap`, if there is such a member."""
    if gap == n_members or first == len(candidates):
        return len(candidates)
    if members[gap] < candidates[first]:
        return first
    return first + np.searchsorted(candidates[first:], members[gap])


@borrowing
def know_values(data, arrays, function, members, n_members, others, most_work, scratch, work):
    """Make the values of the sets of some members and one of `others` that are not known.

    Parameters
    ----------
    members : ndarray of int64
        The first `n_members` are ascending places.
    others : ndarray of int32
        Ascending places of no members.

    Returns
    -------
    (bool, float)
        Whether all are known, else the call is to be repeated; and the cost.
    """
    starts, binomials, values = arrays.starts, arrays.binomials, function.values
    n, done, first, is_binary = binomials.shape[1] - 1, 0.0, 0, True
    for i in range(n_members):
        is_binary &= arrays.n_states[members[i]] == 2
    for gap in range(n_members + 1):
        end = next_run(members, n_members, gap, others, first)
        n_behind = n_members - gap
        base, row = rank_base(starts, binomials, members, n_members, n_behind)
        n_missing = n_binary = 0
        missing = scratch.missing
        for i in range(first, end):
            if values[base - binomials[row, n - 1 - others[i]]] == 0.0:
                missing[n_missing] = others[i]
                # Binary ones first; they stay ascending.
                if is_binary and arrays.n_states[others[i]] == 2:
                    missing[n_missing], missing[n_binary] = missing[n_binary], missing[n_missing]
                    n_binary += 1
                n_missing += 1
        first = end
        if n_missing == 0:
            continue
        if n_members == 0:
            fill_singles(data, arrays, function, missing[:n_missing])
            continue
        if n_binary > 0:
            done += fill_binary(data, arrays, function, members, n_members, n_behind, missing[:n_binary], scratch)
        if n_missing > n_binary:
            n_done, cost = fill_by_expansion(
                data, arrays, function, members, n_members, n_behind, missing[n_binary:n_missing], most_work - done,
                scratch, work,
            )  # fmt: skip
            done += cost
            if n_done < n_missing - n_binary:
                return False, done
        if done > most_work and end < len(others):
            return False, done
    return True, done


@borrowing
def take_values(values, starts, binomials, members, n_members, candidates, unknown, out):
    """Write the values of the sets of some members and each candidate, `unknown` for those that are 0."""
    last, first = binomials.shape[1] - 2, 0
    for gap in range(n_members + 1):
        end = next_run(members, n_members, gap, candidates, first)
        if end == first:
            continue
        base, row = rank_base(starts, binomials, members, n_members, n_members - gap)
        if row == 1 and candidates[end - 1] - candidates[first] == end - 1 - first:
            # Neighbours, since the further one is the last of its set.
            at, begin = np.uint64(base - last + candidates[first]), np.uint64(first)
            for i in range(np.uint64(end - first)):
                value = values[at + i]
                out[begin + i] = unknown if value == 0.0 else value
        else:
            line, behind, from_place = np.uint64(row), np.uint64(last), np.uint64(base)
            for i in range(np.uint64(first), np.uint64(end)):
                value = values[from_place - np.uint64(binomials[line, behind - np.uint64(candidates[i])])]
                out[i] = unknown if value == 0.0 else value
        first = end


@borrowing
def insert_place(members, n_members, place):
    """Insert a place into an ascending list."""
    i = n_members
    while i > 0 and members[i - 1] > place:
        members[i] = members[i - 1]
        i -= 1
    members[i] = place


@borrowing
def score_open_by_values(
    data, arrays, function, parent_function, child, required, allowed, places, which, position, most_work,
    starts, entries, is_better, scores, penalty, quantum, scratch, work,
):  # fmt: skip
    """Score the open extensions of some sets, until about `most_work` was done.

    Parameters
    ----------
    function, parent_function : SetFunction
        F, and R for the child.
    child : int
        Its place.
    required, allowed : ndarray of int32
        Places of the variables in every set, and of those that `places` index.
    places, which, position, starts, entries, is_better, scores
        As of `sets_by_size.score_open`.
    penalty, quantum : float
        Penalty in nats per configuration; scores are rounded to multiples of `quantum`, a power of two.

    Returns
    -------
    int
        Where to continue in `which`.
    """
    n_members = len(required) + places.shape[1]
    members, whole, others, of_sets, of_parents = (
        scratch.members, scratch.whole, scratch.others, scratch.of_sets, scratch.of_parents,
    )  # fmt: skip
    values, parent_values, set_starts, binomials, n_states = (
        function.values, parent_function.values, arrays.starts, arrays.binomials, arrays.n_states,
    )  # fmt: skip
    per_quantum, done = 1.0 / quantum, 0.0
    while position < len(which) and done <= most_work:
        s = which[position]
        n_configurations = 1.0
        for k in range(n_members):
            is_required = k < len(required)
            member = required[k] if is_required else allowed[places[s, k - len(required)]]
            insert_place(members, k, member)
            n_configurations *= n_states[member]
        per_state = penalty * n_configurations
        for k in range(n_members):
            whole[k] = members[k]
        insert_place(whole, n_members, child)
        begin, n_extended = np.uint64(starts[s]), starts[s + 1] - starts[s]
        candidates = allowed[len(allowed) - n_extended :]
        take_values(values, set_starts, binomials, whole, n_members + 1, candidates, np.nan, of_sets)
        take_values(parent_values, set_starts, binomials, members, n_members, candidates, np.nan, of_parents)
        n_missing = np.int64(0)
        for i in range(np.uint64(n_extended)):
            n_missing += np.isnan(of_sets[i] + of_parents[i]) & ~np.isnan(entries[begin + i])
        if n_missing > 0:
            n_missing = 0
            for i in range(n_extended):
                if np.isnan(of_sets[i] + of_parents[i]) and not np.isnan(entries[starts[s] + i]):
                    others[n_missing] = candidates[i]
                    n_missing += 1
            is_known, cost = know_values(
                data, arrays, parent_function, members, n_members, others[:n_missing], most_work - done, scratch, work
            )
            done += cost
            if not is_known:
                return position
            is_known, cost = know_values(
                data, arrays, function, whole, n_members + 1, others[:n_missing], most_work - done, scratch, work
            )
            done += cost
            if not is_known:
                return position
            take_values(values, set_starts, binomials, whole, n_members + 1, candidates, 0.0, of_sets)
            take_values(parent_values, set_starts, binomials, members, n_members, candidates, 0.0, of_parents)
        done += n_extended * SCORE_COST
        for i in range(np.uint64(n_extended)):
            score = of_sets[i] - of_parents[i] - per_state * n_states[candidates[i]]
            of_sets[i] = np.rint(score * per_quantum) * quantum
        # Closed extensions have no number as entry: no score is better.
        for i in range(np.uint64(n_extended)):
            is_better[begin + i] = of_sets[i] > entries[begin + i]
        for i in range(np.uint64(n_extended)):
            entry = entries[begin + i]
            entries[begin + i] = of_sets[i] if of_sets[i] > entry else entry
        if len(scores) > 0:
            for i in range(np.uint64(n_extended)):
                scores[begin + i] = np.nan if np.isnan(entries[begin + i]) else of_sets[i]
        position += 1
    return position
