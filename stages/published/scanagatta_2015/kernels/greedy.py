"""Greedy selection: the best-scoring unexpanded set is expanded by every single variable.

A set that could be reached from several others is scored once. Expanding P records, under every P - {m}, that m was
added to it. An expansion skips variables that were added to one of its own subsets with one member less.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stages.kernels.arrays import copy_into
from stages.kernels.counting.add_one import ScoreTables, score_expansions
from stages.kernels.counting.score_tables import line_of_key
from stages.kernels.jit import borrowing, njit

from .open_list import OpenList, pop_entry, push_entry
from .pruning import is_excluded_by_penalty
from .set_store import SetStore, add_set, find_set, members_of, store_has_room, write_union

EXPANSION_WORK = 500.0
"""Taking an entry from the open list, in the unit of the counting kernels' cost model; measured roughly."""

EXPANDED, CHOSEN, SCORED = 0, 1, 2
"""Entries of `GreedyState.progress`: the set under expansion, the number of its candidates, and how many of them are
scored.
"""

NOBODY = -1
"""No set is under expansion."""


class GreedyRules(NamedTuple):
    """Limits and pruning rules of the search of one child."""

    child: int
    penalty: float  # nats per configuration; 0 for none
    max_parents: int  # limit of a set's members, required parents included
    by_configurations: bool  # whether the look-up tables depend on the number of configurations
    has_bound: bool  # whether the Dirichlet bound rules out expansions
    # Rules do not prune sets that can score more than this, even if a subset dominates them; infinite for no such
    # floor.
    floor: float


class DirichletTerms(NamedTuple):
    """Upper bounds on supersets under a Dirichlet score; see `stages.parentsets.dirichlet_bounds`."""

    tables: ScoreTables  # a line of terms in `cell` for every exponent in `exponents`, zeros in `row`, no penalty
    exponents: np.ndarray  # float64: binary logarithms of numbers of configurations, one per line
    # float64, shape (n_allowed + 1,): binary logarithm of the largest number of configurations, by the number of
    # further parents.
    log2_states: np.ndarray
    largest_exponent: int  # larger exponents count as this one


class GreedyState(NamedTuple):
    """State of the search."""

    sets: SetStore  # expanded sets, in the order of expansion, required parents included
    waiting: OpenList  # an entry for every expansion: its best unexpanded set
    # `scores`, `configurations` (float64): of every expanded set.
    scores: np.ndarray
    configurations: np.ndarray
    # int64: extensions of set s are ``added[ends[s - 1]:ends[s]]`` (from 0 for the first), best first.
    ends: np.ndarray
    added: np.ndarray  # int32: the variable that each extension adds
    extended: np.ndarray  # float64: the score of every extension, nats
    rests: SetStore  # expanded sets less one member
    # `heads`, `links` (int64): the last link of every rest, and the link before each link; -1 for none.
    heads: np.ndarray
    links: np.ndarray
    linked: np.ndarray  # int32: the variable added to the rest
    n_links: np.ndarray  # int64, shape (1,)
    candidates: np.ndarray  # int32, shape (n_variables,): candidates of the present expansion
    progress: np.ndarray  # int64, shape (3,): see `EXPANDED`, `CHOSEN`, `SCORED` and `NOBODY`
    stamps: np.ndarray  # int64, shape (n_variables,)
    evaluated: np.ndarray  # int64, shape (1,)
    # float64, shape (2,): number of configurations whose look-up tables are missing, and exponent whose terms are
    # missing; NaN for none.
    missing: np.ndarray
    scratch: np.ndarray  # float64, shape (n_variables,)
    union: np.ndarray  # int32, shape (n_variables + 1,)


@borrowing
def begin_expansion(state, data, rules, allowed, members, score, configurations):
    """Add a set to expand, and choose the candidates whose unions with it are neither pruned nor already scored."""
    number = add_set(state.sets, members)
    state.scores[number] = score
    state.configurations[number] = configurations
    members = members_of(state.sets, number)
    for member in members:
        state.stamps[member] = number
    for k in range(len(members)):
        # Each v linked to this rest means: rest + {v} was expanded before, and there this set's extension by v was
        # scored or pruned. Then this member is linked too, for sets expanded later.
        rest = state.union[: len(members) - 1]
        copy_into(rest[:k], members[:k])
        copy_into(rest[k:], members[k + 1 :])
        place = find_set(state.rests, rest)
        if place < 0:
            place = add_set(state.rests, rest)
            state.heads[place] = -1
        link = state.heads[place]
        while link >= 0:
            state.stamps[state.linked[link]] = number
            link = state.links[link]
        link = state.n_links[0]
        state.n_links[0] += 1
        state.linked[link] = members[k]
        state.links[link] = state.heads[place]
        state.heads[place] = link
    n = 0
    reached = min(score, rules.floor)
    for y in allowed:
        states = data.state_offsets[y + 1] - data.state_offsets[y]
        # A stamp with this number marks members and extensions seen in this expansion; other stamps are older.
        if state.stamps[y] == number:
            continue
        if rules.penalty > 0 and is_excluded_by_penalty(reached, rules.penalty, configurations * states):
            continue
        state.candidates[n] = y
        n += 1
    state.progress[EXPANDED] = number
    state.progress[CHOSEN] = n
    state.progress[SCORED] = 0


@njit
def end_expansion(state):
    """Sort the scored candidates into the extensions, and open the best of them."""
    number, n = state.progress[EXPANDED], state.progress[SCORED]
    start = state.ends[number - 1] if number > 0 else 0
    # Negated for an ascending sort; stable, so among equals the smaller variable comes first.
    values = np.empty(n)
    for k in range(n):
        values[k] = -state.scratch[state.candidates[k]]
    order = np.argsort(values, kind="mergesort")
    for k in range(n):
        state.added[start + k] = state.candidates[order[k]]
        state.extended[start + k] = -values[order[k]]
    state.ends[number] = start + n
    state.evaluated[0] += n
    if n > 0:
        push_entry(state.waiting, state.sets, state.extended[start], number, state.added[start], np.int64(0), start)
    state.progress[EXPANDED] = NOBODY


@borrowing
def write_kinds(state, data, tables, keys, allowed, configurations):
    """Assign each candidate its line of the look-up tables; False if one is missing."""
    last_states, line = 0, 0
    for y in allowed:
        states = data.state_offsets[y + 1] - data.state_offsets[y]
        if states != last_states:
            line = line_of_key(keys, configurations * states)
            if line < 0:
                state.missing[0] = configurations * states
                return False
            last_states = states
        tables.kind[y] = line
    return True


@borrowing
def superset_exponent(terms, rules, members, configurations):
    """Exponent of the terms that bound the supersets of a set."""
    if not rules.by_configurations:
        return 0.0
    room = min(rules.max_parents - len(members), len(terms.log2_states) - 1)
    # Rounded up, so that few tables serve all sets; the small term keeps exact powers of two unchanged.
    exponent = math.ceil(math.log2(configurations) + terms.log2_states[room] - 1e-9)
    return float(min(exponent, terms.largest_exponent))


@borrowing
def no_superset_can_pay(state, data, terms, line, rules, members, score, configurations, n_rows, work):
    """Whether a score reaches the Dirichlet bound on all supersets of a non-empty set; then they are dominated."""
    values = terms.tables.cell[line]
    r = data.state_offsets[rules.child + 1] - data.state_offsets[rules.child]
    cells = min(configurations * r, float(n_rows))
    # Terms fall ever more slowly with the number of rows, so their sum is least when `cells` cells share the rows
    # equally.
    if score < cells * values[math.ceil(n_rows / cells)]:
        return False
    # The terms are summed over the set's cells by scoring its last member as a new parent of the others.
    last = len(members) - 1
    terms.tables.kind[members[last]] = line
    score_expansions(
        data, terms.tables, rules.child, members[:last], members[last:], np.int64(0), np.inf, state.scratch, work
    )
    return score >= state.scratch[members[last]]


@borrowing
def has_room_for_expansion(state, size, n_allowed):
    """Whether the arrays can hold the expansion of a set of `size` members."""
    n_sets = state.sets.n_sets[0]
    used = state.ends[n_sets - 1] if n_sets > 0 else 0
    return (
        store_has_room(state.sets, 1, size)
        and store_has_room(state.rests, size, size)
        and state.n_links[0] + size <= len(state.links)
        and used + n_allowed <= len(state.added)
        and state.waiting.n_open[0] + 2 <= len(state.waiting.values)
    )


@borrowing
def expand_sets(data, tables, keys, terms, rules, allowed, state, n_rows, most_evaluated, most_work, work):
    """Expand one set after the other, until `most_work` is reached, an array is full or look-up tables are missing.

    Parameters
    ----------
    tables : ScoreTables
        With a line for every number of configurations in `keys`; kinds are written here.
    keys : ndarray of float64
        Unused without `rules.by_configurations`.
    terms : DirichletTerms
        Unused without `rules.has_bound`.
    state : GreedyState
        An interrupted expansion continues; the workspace must be as the previous call left it.
    most_evaluated : int
        Limit of exact scores; it cuts the last expansion short.
    most_work : float
        In the unit of the counting kernels' cost model.
    """
    waiting, progress = state.waiting, state.progress
    done = 0.0
    while done <= most_work:
        if progress[EXPANDED] == NOBODY:
            if waiting.n_open[0] == 0 or state.evaluated[0] >= most_evaluated:
                return
            # The entry stays on the heap until arrays and tables suffice, so the same call can be repeated after a
            # return.
            first = waiting.heap[0]
            base, place, y = waiting.bases[first], waiting.places[first], waiting.added[first]
            members = state.union[: write_union(members_of(state.sets, base), y, state.union)]
            states = data.state_offsets[y + 1] - data.state_offsets[y]
            configurations, score = state.configurations[base] * states, waiting.values[first]
            is_expanded = len(members) < rules.max_parents
            if is_expanded:
                if not has_room_for_expansion(state, len(members), len(allowed)):
                    return
                if rules.by_configurations and not write_kinds(state, data, tables, keys, allowed, configurations):
                    return
            if is_expanded and rules.has_bound:
                exponent = superset_exponent(terms, rules, members, configurations)
                line = line_of_key(terms.exponents, exponent)
                if line < 0:
                    state.missing[1] = exponent
                    return
                is_expanded = not no_superset_can_pay(
                    state, data, terms, line, rules, members, min(score, rules.floor), configurations, n_rows, work
                )
                done += len(data.weights) * len(members)
            pop_entry(waiting, state.sets)
            place += 1
            # The base's next best extension replaces the one taken.
            if place < state.ends[base]:
                push_entry(waiting, state.sets, state.extended[place], base, state.added[place], np.int64(0), place)
            done += EXPANSION_WORK
            if is_expanded:
                begin_expansion(state, data, rules, allowed, members, score, configurations)
                progress[CHOSEN] = min(progress[CHOSEN], most_evaluated - state.evaluated[0])
            continue
        if progress[SCORED] < progress[CHOSEN]:
            scored, more = score_expansions(
                data, tables, rules.child, members_of(state.sets, progress[EXPANDED]),
                state.candidates[: progress[CHOSEN]], progress[SCORED], max(most_work - done, 0.0),
                state.scratch, work,
            )  # fmt: skip
            progress[SCORED] = scored
            done += more
        if progress[SCORED] == progress[CHOSEN]:
            end_expansion(state)
