"""Independence selection: sets are closed in order of BIC*, the others are open.

The open list holds lines of extensions, see `stages.published.scanagatta_2015.independence`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.arrays import copy_into
from stages.kernels.counting.add_one import score_expansions
from stages.kernels.counting.score_tables import line_of_key
from stages.kernels.jit import inlined, njit

from .open_list import OpenList, pop_entry, push_entry
from .pruning import bic_star, bic_star_error, is_excluded_by_bic_star, is_excluded_by_entropy, is_excluded_by_penalty
from .set_store import SetStore, add_set, find_set, members_of, store_has_room, write_union

SET_WORK = 500.0
"""Taking an entry from the open list, in the unit of the counting kernels' cost model; measured roughly."""


class Ranking(NamedTuple):
    """The single variables, best first for every number of states; such a line serves the extensions of all sets.

    Attributes
    ----------
    variables : ndarray of int32
        The allowed parents, line by line.
    starts : ndarray of int64, shape (n_lines + 1,)
        Line g is ``variables[starts[g]:starts[g + 1]]``.
    states : ndarray of float64, shape (n_lines,)
        Number of states of its variables, ascending.
    scores : ndarray of float64, shape (n_variables,)
        Exact scores of the single variables, nats.
    entropies : ndarray of float64, shape (n_variables,)
        N H(Y), nats.
    """

    variables: np.ndarray
    starts: np.ndarray
    states: np.ndarray
    scores: np.ndarray
    entropies: np.ndarray


class ChildFacts(NamedTuple):
    """Numbers about the child and the run.

    Attributes
    ----------
    empty_score, child_entropy, penalty : float
        Score without parents besides the required ones, N H(X), penalty per configuration of the others; nats.
    required_configurations : float
        Configurations of the required parents.
    most_added : int
        Largest set besides the required parents.
    ahead : int
        Extensions of one set that are scored together at most.
    by_configurations : bool
        Whether the look-up tables depend on the number of configurations.
    floor : float
        Largest score of a subset by which a rule may prune: infinite, or -inf where none may.
    margin : float
        Nats by which a subset must score more for a set to be pruned.
    """

    child: int
    empty_score: float
    child_entropy: float
    penalty: float
    required_configurations: float
    most_added: int
    ahead: int
    by_configurations: bool
    floor: float
    margin: float


class IndependenceState(NamedTuple):
    """State of the search. Sets are without the required parents; arrays of numbers and flags are by set.

    Attributes
    ----------
    sets : SetStore
        The single variables first, then sets in the order in which they were met.
    waiting : OpenList
        An entry for every closed set and line: its best extension not yet taken.
    scores : ndarray of float64
        Exact scores; NaN for sets pruned before they were scored.
    estimates : ndarray of float64
        BIC*, by which the set was ranked; NaN for single variables.
    configurations : ndarray of float64
        Product of the members' numbers of states.
    is_closed : ndarray of bool
        Whether the set was taken from the open list.
    is_better : ndarray of bool
        Whether it scores more than the subsets that its estimate came from and the empty set.
    evaluated : ndarray of int64, shape (1,)
    missing : ndarray of float64, shape (1,)
        Number of configurations whose look-up tables are missing; NaN for none.
    """

    sets: SetStore
    waiting: OpenList
    scores: np.ndarray
    estimates: np.ndarray
    configurations: np.ndarray
    is_closed: np.ndarray
    is_better: np.ndarray
    evaluated: np.ndarray
    missing: np.ndarray


@inlined
def estimate(state, ranking, facts, base, y, line):
    """BIC* of a set and a variable."""
    return bic_star(
        state.scores[base], ranking.scores[y], state.configurations[base], ranking.states[line],
        facts.empty_score, facts.penalty,
    )  # fmt: skip


@inlined
def push_next(state, ranking, facts, base, line, place):
    """Open the next extension of a set, from a position of a line on."""
    members = members_of(state.sets, base)
    while place < ranking.starts[line + 1]:
        y = ranking.variables[place]
        is_member = False
        for member in members:
            is_member |= member == y
        if not is_member:
            star = estimate(state, ranking, facts, base, y, line)
            push_entry(state.waiting, state.sets, star, base, y, line, place)
            return
        place += 1


@inlined
def open_extensions(state, ranking, facts, base, best):
    """Open every line of extensions of a set; `best` is the best score among it and its known subsets."""
    # All extensions of a line have equally many configurations: the rule excludes the whole line or none of it.
    reached = min(best, facts.floor)
    for line in range(len(ranking.states)):
        q = state.configurations[base] * ranking.states[line]
        if not (facts.penalty > 0 and is_excluded_by_penalty(reached, facts.penalty, q)):
            push_next(state, ranking, facts, base, line, ranking.starts[line])


@inlined
def cannot_pay(state, ranking, facts, base, y, line):
    """Whether a variable cannot earn its penalty on top of a set."""
    if facts.penalty <= 0:
        return False
    q = state.configurations[base]
    # BIC = LL - penalty q and N H(X | P) = -LL.
    likelihood_gap = max(-facts.penalty * q - state.scores[base], 0.0)  # N H(X | P)
    return is_excluded_by_entropy(
        likelihood_gap + facts.margin, ranking.entropies[y] + facts.margin, facts.penalty, q, ranking.states[line]
    )


@inlined
def add_extension(state, ranking, facts, members, base, y, line):
    """Add the extension of a set by a variable, not scored yet; returns its number."""
    number = add_set(state.sets, members)
    state.scores[number] = np.nan
    state.estimates[number] = estimate(state, ranking, facts, base, y, line)
    state.configurations[number] = state.configurations[base] * ranking.states[line]
    state.is_closed[number] = False
    state.is_better[number] = False
    return number


@inlined
def best_part(state, ranking, facts, base, y):
    """Best score among a set, a single variable and the empty set."""
    return max(state.scores[base], ranking.scores[y], facts.empty_score)


@njit
def score_extensions(data, tables, facts, required, ranking, state, base, line, place, most_work, buffers, work):
    """Score the extension of a set by the variable at a position of a line, and those by the variables next in it.

    Returns
    -------
    float
        The work it took.
    """
    family, candidates, union, scratch = buffers
    members = members_of(state.sets, base)
    size = len(required) + len(members)
    copy_into(family[: len(required)], required)
    copy_into(family[len(required) : size], members)
    n = 0
    # The one asked for, and behind it in the line those that are new and not excluded: one count of the set serves
    # them all.
    for k in range(place, min(place + facts.ahead, ranking.starts[line + 1])):
        y = ranking.variables[k]
        is_wanted = k == place
        if not is_wanted:
            is_wanted = not cannot_pay(state, ranking, facts, base, y, line)
            for member in members:
                is_wanted &= member != y
            is_wanted = is_wanted and find_set(state.sets, union[: write_union(members, y, union)]) < 0
        if is_wanted:
            candidates[n] = y
            n += 1
    n, done = score_expansions(
        data, tables, facts.child, family[:size], candidates[:n], np.int64(0), most_work, scratch, work
    )
    state.evaluated[0] += n
    for k in range(n):
        y = candidates[k]
        extension = union[: write_union(members, y, union)]
        # The set asked for has its number already; those scored ahead are new.
        number = find_set(state.sets, extension)
        if number < 0:
            number = add_extension(state, ranking, facts, extension, base, y, line)
        state.scores[number] = scratch[y]
        state.is_better[number] = scratch[y] > best_part(state, ranking, facts, base, y)
    return done


@inlined
def has_room(state, ranking, facts):
    """Whether the arrays can hold what closing the first open entry adds."""
    waiting = state.waiting
    base = waiting.bases[waiting.heap[0]]
    size = state.sets.offsets[base + 1] - state.sets.offsets[base] + 1
    return store_has_room(state.sets, facts.ahead + 1, size) and waiting.n_open[0] + len(ranking.states) + 1 <= len(
        waiting.values
    )


@njit
def open_singletons(state, ranking, facts, n_singletons):
    """Open the pairs: the extensions of the first sets, which are the single variables."""
    for number in range(n_singletons):
        open_extensions(state, ranking, facts, number, max(state.scores[number], facts.empty_score))


@njit
def close_sets(data, tables, keys, facts, required, ranking, state, most_evaluated, most_work, buffers, work):
    """Close one set after the other, until `most_work` is reached, an array is full or look-up tables are missing.

    Parameters
    ----------
    tables : ScoreTables
        With a line for every number of configurations in `keys`; kinds are written here.
    keys : ndarray of float64
        Unused without `facts.by_configurations`.
    required : ndarray of int32
        Parents in every set.
    most_evaluated : int
        Exact scores at which to stop.
    most_work : float
        In the unit of the counting kernels' cost model.
    buffers : tuple of ndarray
        Scratch for a family, candidates and a union (int32) and scores (float64), each of n_variables + 1 entries.
    """
    waiting, union = state.waiting, buffers[2]
    done = 0.0
    while waiting.n_open[0] > 0 and done <= most_work and state.evaluated[0] < most_evaluated:
        if not has_room(state, ranking, facts):
            return
        kind = 0
        if facts.by_configurations:
            first = waiting.heap[0]
            q = state.configurations[waiting.bases[first]] * ranking.states[waiting.lines[first]]
            kind = line_of_key(keys, facts.required_configurations * q)
            if kind < 0:
                state.missing[0] = facts.required_configurations * q
                return
        entry = pop_entry(waiting, state.sets)
        base, line, place = waiting.bases[entry], waiting.lines[entry], waiting.places[entry]
        # All of the entry is read before `push_next`, which may use it again.
        y, star = waiting.added[entry], waiting.values[entry]
        push_next(state, ranking, facts, base, line, place + 1)
        done += SET_WORK
        extension = union[: write_union(members_of(state.sets, base), y, union)]
        number = find_set(state.sets, extension)
        if number < 0:
            number = add_extension(state, ranking, facts, extension, base, y, line)
        # Closed before as the extension of another set.
        elif state.is_closed[number]:
            continue
        state.is_closed[number] = True
        if cannot_pay(state, ranking, facts, base, y, line):
            continue
        if np.isnan(state.scores[number]):
            # A line's variables have equally many states, so one look-up table serves all.
            for k in range(place, min(place + facts.ahead, ranking.starts[line + 1])):
                tables.kind[ranking.variables[k]] = kind
            left = max(most_work - done, 0.0)
            done += score_extensions(
                data, tables, facts, required, ranking, state, base, line, place, left, buffers, work
            )
        if state.sets.offsets[number + 1] - state.sets.offsets[number] >= facts.most_added:
            continue
        best = max(state.scores[number], best_part(state, ranking, facts, base, y))
        # N H(P) of the base is not known: leaving it out of the minimum keeps the bound valid, if weaker.
        error = bic_star_error(facts.child_entropy, np.inf, ranking.entropies[y])
        # The superset of fewest configurations adds the variable of fewest states; if it is excluded, all are.
        smallest = state.configurations[number] * ranking.states[0]
        reached = min(star, facts.floor + error)
        if not (facts.penalty > 0 and is_excluded_by_bic_star(reached, facts.penalty, smallest, error)):
            open_extensions(state, ranking, facts, number, best)
