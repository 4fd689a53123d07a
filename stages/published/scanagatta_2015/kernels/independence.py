"""Independence selection: sets are closed in order of BIC*, the others are open.

The open list holds lines of extensions, see `stages.published.scanagatta_2015.independence`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.arrays import copy_into
from stages.kernels.counting.add_one import score_expansions
from stages.kernels.counting.score_tables import line_of_key
from stages.kernels.jit import borrowing

from .open_list import OpenList, pop_entry, push_entry
from .pruning import bic_star, bic_star_error, is_excluded_by_bic_star, is_excluded_by_entropy, is_excluded_by_penalty
from .set_store import SetStore, add_set, find_set, is_member, members_of, store_has_room, write_union

SET_WORK = 500.0
"""Taking an entry from the open list, in the unit of the counting kernels' cost model; measured roughly."""


class Ranking(NamedTuple):
    """The single variables by their number of states, best first; each line serves the extensions of all sets."""

    variables: np.ndarray  # int32: the allowed parents, line by line
    starts: np.ndarray  # int64, shape (n_lines + 1,): line g is ``variables[starts[g]:starts[g + 1]]``
    states: np.ndarray  # float64, shape (n_lines,): number of states of its variables, ascending
    scores: np.ndarray  # float64, shape (n_variables,): exact scores of the single variables, nats
    entropies: np.ndarray  # float64, shape (n_variables,): N H(Y), nats


class ChildFacts(NamedTuple):
    """Numbers about the child and the run."""

    child: int
    # `empty_score`, `child_entropy`, `penalty`: score with the required parents only, N H(X), penalty per
    # configuration of the other parents; nats.
    empty_score: float
    child_entropy: float
    penalty: float
    required_configurations: float  # configurations of the required parents
    most_added: int  # largest number of parents besides the required ones
    ahead: int  # largest number of extensions of one set that are scored together
    by_configurations: bool  # whether the look-up tables depend on the number of configurations
    floor: float  # a rule may prune only by scores of subsets up to this: infinite for any, -inf for none
    margin: float  # nats by which a subset must score more for a set to be pruned


class IndependenceState(NamedTuple):
    """State of the search. Sets exclude the required parents; arrays of numbers and flags are indexed by set."""

    sets: SetStore  # the single variables first, then sets in the order in which they were found
    waiting: OpenList  # an entry for every closed set and line: its best extension not yet taken
    scores: np.ndarray  # float64: exact scores; NaN for sets pruned before they were scored
    estimates: np.ndarray  # float64: BIC*, by which sets are ranked; NaN for single variables
    configurations: np.ndarray  # float64: product of the members' numbers of states
    is_closed: np.ndarray  # bool: whether the set was taken from the open list
    # bool: whether it scores more than the empty set and the two subsets of its estimate.
    is_better: np.ndarray
    evaluated: np.ndarray  # int64, shape (1,)
    # float64, shape (1,): number of configurations whose look-up tables are missing; NaN for none.
    missing: np.ndarray


@borrowing
def push_next(state, ranking, facts, base, line, place):
    """Open the next extension of a set, at or after a position of a line."""
    # A line's variables have equally many states, so BIC* falls with their own scores: the first variable is the
    # best.
    end = ranking.starts[line + 1]
    while place < end and is_member(state.sets, base, ranking.variables[place]):
        place += 1
    if place < end:
        y = ranking.variables[place]
        star = bic_star(
            state.scores[base], ranking.scores[y], state.configurations[base], ranking.states[line],
            facts.empty_score, facts.penalty,
        )  # fmt: skip
        push_entry(state.waiting, state.sets, star, base, y, line, place)


@borrowing
def open_extensions(state, ranking, facts, base, best):
    """Open every line of extensions of a set; `best` is the best score among the set and its known subsets."""
    # All extensions of a line have equally many configurations, so the rule excludes the whole line or nothing.
    reached = min(best, facts.floor)
    for line in range(len(ranking.states)):
        q = state.configurations[base] * ranking.states[line]
        if not (facts.penalty > 0 and is_excluded_by_penalty(reached, facts.penalty, q)):
            push_next(state, ranking, facts, base, line, ranking.starts[line])


@borrowing
def cannot_pay(facts, score, q, entropy, states):
    """Whether a variable of entropy N H (nats) with `states` states cannot earn its penalty when added to a set with
    score `score` (nats) and `q` configurations.
    """
    if facts.penalty <= 0:
        return False
    # BIC = LL - penalty q and N H(X | P) = -LL.
    likelihood_gap = max(-facts.penalty * q - score, 0.0)  # N H(X | P)
    return is_excluded_by_entropy(likelihood_gap + facts.margin, entropy + facts.margin, facts.penalty, q, states)


@borrowing
def add_extension(state, extension, star, q):
    """Add a set with estimate `star` and `q` configurations, not yet scored; returns its number."""
    number = add_set(state.sets, extension)
    state.scores[number] = np.nan
    state.estimates[number] = star
    state.configurations[number] = q
    state.is_closed[number] = False
    state.is_better[number] = False
    return number


@borrowing
def score_extensions(data, tables, facts, required, ranking, state, base, line, place, most_work, buffers, work):
    """Score the extension of a set by the variable at a position of a line, and extensions by the next variables of
    the line.

    Returns the work it took.
    """
    family, candidates, union, scratch = buffers
    sets, variables, states = state.sets, ranking.variables, ranking.states[line]
    members = members_of(sets, base)
    score, q = state.scores[base], state.configurations[base]
    size = len(required) + len(members)
    copy_into(family[: len(required)], required)
    copy_into(family[len(required) : size], members)
    n = 0
    # The requested extension, and later ones in the line that are new and not excluded: one count of the set serves
    # all.
    for k in range(place, min(place + facts.ahead, ranking.starts[line + 1])):
        y = variables[k]
        if k == place or (
            not cannot_pay(facts, score, q, ranking.entropies[y], states)
            and not is_member(sets, base, y)
            and find_set(sets, union[: write_union(members, y, union)]) < 0
        ):
            candidates[n] = y
            n += 1
    n, done = score_expansions(
        data, tables, facts.child, family[:size], candidates[:n], np.int64(0), most_work, scratch, work
    )
    state.evaluated[0] += n
    for k in range(n):
        y = candidates[k]
        extension = union[: write_union(members, y, union)]
        # The requested set has its number already; sets scored ahead are new.
        number = find_set(sets, extension)
        if number < 0:
            star = bic_star(score, ranking.scores[y], q, states, facts.empty_score, facts.penalty)
            number = add_extension(state, extension, star, q * states)
        state.scores[number] = scratch[y]
        # Otherwise a subset dominates the set.
        state.is_better[number] = scratch[y] > max(score, ranking.scores[y], facts.empty_score)
    return done


@borrowing
def open_singletons(state, ranking, facts, n_singletons):
    """Open the pairs: the extensions of the first sets, which are the single variables."""
    for number in range(n_singletons):
        open_extensions(state, ranking, facts, number, max(state.scores[number], facts.empty_score))


@borrowing
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
    sets, waiting, union = state.sets, state.waiting, buffers[2]
    scores, configurations = state.scores, state.configurations
    states = ranking.states
    done = 0.0
    while waiting.n_open[0] > 0 and done <= most_work and state.evaluated[0] < most_evaluated:
        first = waiting.heap[0]
        base, line = waiting.bases[first], waiting.lines[first]
        size, q = sets.offsets[base + 1] - sets.offsets[base] + 1, configurations[base] * states[line]
        has_room_for_entries = waiting.n_open[0] + len(states) + 1 <= len(waiting.values)
        if not (has_room_for_entries and store_has_room(sets, facts.ahead + 1, size)):
            return
        kind = 0
        if facts.by_configurations:
            kind = line_of_key(keys, facts.required_configurations * q)
            if kind < 0:
                state.missing[0] = facts.required_configurations * q
                return
        entry = pop_entry(waiting, sets)
        # Read the whole entry before `push_next`, which may overwrite it.
        place, y, star = waiting.places[entry], waiting.added[entry], waiting.values[entry]
        push_next(state, ranking, facts, base, line, place + 1)
        done += SET_WORK
        extension = union[: write_union(members_of(sets, base), y, union)]
        number = find_set(sets, extension)
        if number < 0:
            number = add_extension(state, extension, star, q)
        # Closed already, as the extension of another set.
        elif state.is_closed[number]:
            continue
        state.is_closed[number] = True
        if cannot_pay(facts, scores[base], configurations[base], ranking.entropies[y], states[line]):
            continue
        if np.isnan(scores[number]):
            # A line's variables have equally many states, so one look-up table serves all.
            for k in range(place, min(place + facts.ahead, ranking.starts[line + 1])):
                tables.kind[ranking.variables[k]] = kind
            left = max(most_work - done, 0.0)
            done += score_extensions(
                data, tables, facts, required, ranking, state, base, line, place, left, buffers, work
            )
        if size >= facts.most_added:
            continue
        best = max(scores[number], scores[base], ranking.scores[y], facts.empty_score)
        # N H(P) of the base is unknown; without it the minimum, and so the bound, is weaker but valid.
        error = bic_star_error(facts.child_entropy, np.inf, ranking.entropies[y])
        # The superset of fewest configurations adds the variable of fewest states; if it is excluded, all are.
        smallest = configurations[number] * states[0]
        reached = min(star, facts.floor + error)
        if not (facts.penalty > 0 and is_excluded_by_bic_star(reached, facts.penalty, smallest, error)):
            open_extensions(state, ranking, facts, number, best)
