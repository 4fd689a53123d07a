"""Sets of one size, made from the sets of the size before, and scored.

A set is considered only if all its subsets with one member less stayed open, as in the Apriori algorithm (Agrawal and
Srikant 1994). It is a row of ascending places among the allowed variables. A level keeps its sets in blocks, one for
each choice of all places but the last, in lexicographic order; a block has an entry for every later place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..jit import borrowing, njit
from .add_one import score_expansions


class Level(NamedTuple):
    """All sets of one size that are open: a superset may score more than all its subsets.

    Attributes
    ----------
    prefixes : ndarray of int32, shape (n_blocks, size - 1)
        All places but the last, lexicographic.
    starts : ndarray of int64, shape (n_blocks + 1,)
        First entry of each block; it belongs to the place after the prefix.
    entries : ndarray of float64
        Best score in nats among a set and its subsets; NaN for closed sets.
    """

    prefixes: np.ndarray
    starts: np.ndarray
    entries: np.ndarray


def empty_level(prefix_size: int) -> Level:
    """A level without sets, for prefixes of `prefix_size` places."""
    return Level(
        prefixes=np.zeros((0, prefix_size), dtype=np.int32), starts=np.zeros(1, dtype=np.int64), entries=np.zeros(0)
    )


@borrowing
def has_prefix(prefixes, block, places, dropped):
    """Whether the prefix of a block is `places` without the one at `dropped`; not if there is no such block."""
    if block >= len(prefixes):
        return False
    for k in range(prefixes.shape[1]):  # noqa: SIM110 (compiled)
        if prefixes[block, k] != places[k if k < dropped else k + 1]:
            return False
    return True


@borrowing
def find_block(prefixes, places, dropped, guess):
    """Block whose prefix is `places` without the one at `dropped`; -1 if there is none.

    `guess`, or the block after it, is the right one in most calls for ascending sets.
    """
    for block in range(guess, guess + 2):
        if has_prefix(prefixes, block, places, dropped):
            return block
    width = prefixes.shape[1]
    low, high = 0, len(prefixes)
    # Lexicographic binary search: blocks before `low` precede the wanted prefix, blocks from `high` on do not.
    while low < high:
        middle = (low + high) // 2
        is_before = False
        for k in range(width):
            wanted = places[k if k < dropped else k + 1]
            if prefixes[middle, k] != wanted:
                is_before = prefixes[middle, k] < wanted
                break
        if is_before:
            low = middle + 1
        else:
            high = middle
    return low if has_prefix(prefixes, low, places, dropped) else -1


@borrowing
def mark_open(level, places, best, q, n_states, penalty, worth, starts, entries, counts, found):
    """Find the one-place extensions of some sets that have to be scored.

    Parameters
    ----------
    level : Level
        The level of the sets.
    places : ndarray of int32, shape (n_sets, size)
        The sets: ascending places among the allowed variables.
    best : ndarray of float64, shape (n_sets,)
        Best score among a set and its subsets, nats.
    q : ndarray of float64, shape (n_sets,)
        Configurations of the sets.
    n_states : ndarray of float64, shape (n_allowed,)
        Numbers of states of the allowed variables.
    penalty : float
        Nats per configuration, 0 for none: an extension is closed if a subset scores at least minus its penalty,
        since a log-likelihood is at most 0 (de Campos and Ji 2011).
    worth : ndarray of float64, shape (n_allowed,)
        Largest penalty at which a set with this member can still score more than its subsets: an extension is closed
        if its penalty is at least the `worth` of some member.
    starts : ndarray of int64, shape (n_sets + 1,)
        Set s has ``entries[starts[s]:starts[s + 1]]``, one for each later place.
    entries : ndarray of float64, shape (starts[-1],)
        Receives the best score among the proper subsets of every extension, NaN for closed ones.
    counts : ndarray of int64, shape (n_sets,)
        Receives the number of open extensions.
    found : ndarray of int64, shape (size,)
        Scratch.
    """
    size = places.shape[1]
    found[:] = 0  # the last block without each of the old places
    for s in range(len(places)):
        own = entries[starts[s] : starts[s + 1]]
        # Subsets of an extension with one member less: the set itself lacks the new place; every other one lacks an
        # old place and ends with the new one.
        own[:] = best[s]
        for dropped in range(size):
            # The sets with one old place less and any later last place form one block, whose last entries match
            # `own`.
            block = find_block(level.prefixes, places[s], dropped, found[dropped])
            if block < 0:
                own[:] = np.nan
                break
            found[dropped] = block
            others = level.entries[level.starts[block] : level.starts[block + 1]]
            others = others[len(others) - len(own) :]
            for i in range(np.uint64(len(own))):
                # A closed subset closes the extension: the maximum of NaN and a number is NaN.
                own[i] = np.maximum(own[i], others[i])
        least = np.inf
        for k in range(size):
            least = min(least, worth[places[s, k]])
        # Every block ends with the last place, so entry i stands for place first + i.
        first = np.uint64(len(n_states) - len(own))
        per_state, n_open = penalty * q[s], np.int64(0)
        for i in range(np.uint64(len(own))):
            entry, total, limit = own[i], per_state * n_states[first + i], worth[first + i]
            limit = limit if limit < least else least
            is_closed = (penalty > 0) & ((entry >= -total) | (total >= limit))
            # An addition to all entries, since storing only some of them takes longer.
            entry += np.nan if is_closed else 0.0
            own[i] = entry
            n_open += not np.isnan(entry)
        counts[s] = n_open


@njit
def score_open(
    data, tables, child, required, allowed, places, which, position, first, most_work,
    starts, entries, is_better, scores, scratch, work,
):  # fmt: skip
    """Score the open extensions of some sets with equally many configurations, until about `most_work` was done.

    Parameters
    ----------
    required, allowed : ndarray of int32
        Variables in every set, and the variables that places index.
    places : ndarray of int32, shape (n_sets, size)
        As for `mark_open`.
    which : ndarray of int64
        The sets to extend.
    position, first : int
        Where to begin in `which`, and at which extension of that set; 0 and 0, or what the call before returned.
    most_work : float
        As for `score_expansions`.
    starts, entries : ndarray
        As from `mark_open`; the entry of an open extension becomes the best score among it and its subsets.
    is_better : ndarray of bool, shape of entries
        Receives whether an extension scores more than all its subsets.
    scores : ndarray of float64, shape of entries or (0,)
        Receives the scores of open extensions, if it is not empty.
    scratch : ndarray of float64, shape (n_variables,)
        Keeps the scores of a set that is continued in the next call.

    Returns
    -------
    (position, first) : int
        Where to continue; ``(len(which), 0)`` when all are done. Entries of a set are unchanged until all its
        extensions are scored.
    """
    size = places.shape[1]
    parents = np.empty(len(required) + size, dtype=np.int32)
    candidates = np.empty(len(allowed), dtype=np.int32)
    done = 0.0
    while position < len(which) and done <= most_work:
        s = which[position]
        copy_into(parents[: len(required)], required)
        for k in range(size):
            parents[len(required) + k] = allowed[places[s, k]]
        # Entry i of the block stands for place offset + i.
        offset = len(allowed) - (starts[s + 1] - starts[s]) - starts[s]
        n = 0
        for i in range(starts[s], starts[s + 1]):
            if not np.isnan(entries[i]):
                candidates[n] = allowed[offset + i]
                n += 1
        if n > 0:
            first, more = score_expansions(
                data, tables, child, parents, candidates[:n], first, most_work - done, scratch, work
            )
            done += more
            if first < n:
                # Unchanged entries give the same candidates at the next call; the scores so far wait in `scratch`.
                return position, first
        for i in range(starts[s], starts[s + 1]):
            if not np.isnan(entries[i]):
                score = scratch[allowed[offset + i]]
                if len(scores) > 0:
                    scores[i] = score
                is_better[i] = score > entries[i]
                entries[i] = max(score, entries[i])
        position += 1
        first = 0
    return position, first
