"""Iterated local search over groups of cliques: groups near the latest changes first, small ones before larger."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..jit import borrowing, njit
from .clique_tree import build_cliques, put_first
from .slim import LEVELS, SIZE, WORK, collect_choices, grow_group, mark_interfaces, order_members
from .slim_dp import GAIN, NO_PAIR, ONE_PAIR, keep_picks, solve_group, solve_relaxed

TRIES = 2
"""Random groups of each size around a variable after a change near it; set by hand."""

_TABOO = 1 << 62
"""An artificial pair that marks a forbidden set, see `disturb`."""

PRESENT, KEPT = 0, 1
"""Entries of `KeptOrder.relative_scores`."""


class GroupQueue(NamedTuple):
    """Variables around which groups are to be solved, by level (size of the groups).

    Attributes
    ----------
    waiting : ndarray of int32, shape (LEVELS, n_variables)
    counts : ndarray of int64, shape (LEVELS,)
        Number of entries of `waiting`.
    tries : ndarray of int64, shape (LEVELS, n_variables)
        Groups still to be tried around each variable; 0 for variables not in the queue.
    """

    waiting: np.ndarray
    counts: np.ndarray
    tries: np.ndarray


class KeptOrder(NamedTuple):
    """The order kept with its choice of sets, from which the search continues after an unsuccessful disturbance.

    Attributes
    ----------
    relative_scores : ndarray of float64, shape (2,)
        In nats, of the present network and of the kept one, see `PRESENT` and `KEPT`.
    chosen : ndarray of int64, shape (n_variables,)
    order : ndarray of int32, shape (n_variables,)
    idle : ndarray of int64, shape (1,)
        Disturbances since the kept network last improved.
    """

    relative_scores: np.ndarray
    chosen: np.ndarray
    order: np.ndarray
    idle: np.ndarray


def new_group_queue(n_variables: int) -> GroupQueue:
    """An empty queue."""
    return GroupQueue(
        waiting=np.zeros((LEVELS, n_variables), dtype=np.int32),
        counts=np.zeros(LEVELS, dtype=np.int64),
        tries=np.zeros((LEVELS, n_variables), dtype=np.int64),
    )


def new_kept_order(n_variables: int) -> KeptOrder:
    """No order yet."""
    return KeptOrder(
        relative_scores=np.full(2, -np.inf),
        chosen=np.zeros(n_variables, dtype=np.int64),
        order=np.zeros(n_variables, dtype=np.int32),
        idle=np.zeros(1, dtype=np.int64),
    )


@borrowing
def enqueue_groups(queue, variable):
    """Enqueue a variable for groups of all sizes."""
    for level in range(LEVELS):
        if queue.tries[level, variable] == 0:
            queue.waiting[level, queue.counts[level]] = variable
            queue.counts[level] += 1
        queue.tries[level, variable] = TRIES


@borrowing
def dequeue_group(queue, rng, level):
    """A random variable of a non-empty level; it stays in the queue until its tries are used up."""
    place = int(rng.random() * queue.counts[level])
    variable = queue.waiting[level, place]
    queue.tries[level, variable] -= 1
    if queue.tries[level, variable] == 0:
        queue.counts[level] -= 1
        queue.waiting[level, place] = queue.waiting[level, queue.counts[level]]
    return variable


@njit
def apply_choice(lists, cliques, group, queue, rng, top):
    """Give the members their best picks, rebuild the cliques, and enqueue the members that changed."""
    size = group.counts[SIZE]
    for place in range(size):
        variable = group.members[place]
        s = group.sets[group.best_picks[place]]
        if s != cliques.chosen[variable]:
            cliques.chosen[variable] = s
            enqueue_groups(queue, variable)
    put_first(cliques, top, order_members(group), size, group.flags)
    build_cliques(lists, cliques, rng)


@borrowing
def leave_group(group):
    """Clear the members."""
    for place in range(group.counts[SIZE]):
        group.places[group.members[place]] = -1


@borrowing
def solve_next(lists, cliques, group, tables, queue, rng, level):
    """Solve a group of up to K + 1 + `level` members around a queued variable; an improvement is applied.

    Returns
    -------
    float
        The gain in nats.
    """
    width = cliques.earlier.shape[1]
    # K + 1 members may all be adjacent; each further level adds a member, and more pairs must be non-adjacent.
    most = min(width + 1 + level, len(group.members))
    top = grow_group(cliques, group, rng, dequeue_group(queue, rng, level), most)
    if top < 0:
        return 0.0
    gain = 0.0
    present = collect_choices(lists, cliques.chosen, group)
    mark_interfaces(cliques, group, top)
    found = solve_group(group, width, present + GAIN, tables)
    # Smaller gains may be rounding, and accepting them could make the search cycle.
    if found > present + GAIN:
        gain = found - present
        apply_choice(lists, cliques, group, queue, rng, top)
    leave_group(group)
    return gain


@borrowing
def disturb(lists, cliques, group, tables, queue, rng):
    """Forbid a random variable its present set, and solve a group of up to K + 1 members around it without the set.

    Returns
    -------
    float
        Change of the relative score in nats; 0 if no group or no other choice was found.
    """
    width = cliques.earlier.shape[1]
    seed = np.int32(rng.random() * len(cliques.order))
    top = grow_group(cliques, group, rng, seed, min(width + 1, len(group.members)))
    if top < 0:
        return 0.0
    change = 0.0
    present = collect_choices(lists, cliques.chosen, group)
    place = int(rng.random() * group.counts[SIZE])
    # The set is marked as joining an artificial pair that no other set joins, and this pair must be missing.
    for k in range(group.starts[place], group.starts[place + 1]):
        if group.sets[k] == cliques.chosen[group.members[place]]:
            group.covers[k] |= _TABOO
    group.missing[0] = _TABOO
    found = solve_relaxed(group, ONE_PAIR, tables)
    if found > -np.inf:
        change = found - present
        keep_picks(group, NO_PAIR)
        apply_choice(lists, cliques, group, queue, rng, top)
    leave_group(group)
    return change


@borrowing
def search_groups(lists, cliques, group, tables, queue, kept, rng, patience, limits):
    """Solve queued groups, smallest first; when the queue is empty, disturb the network.

    A network with an empty queue is a local optimum. It replaces the kept network unless it is worse; otherwise the
    search returns to the kept network.

    Parameters
    ----------
    lists : SetLists
        Lists in which the members of a set are its parents only.
    tables : CliqueTables
        For K + 3 variables.
    patience : int
        Stop after this number of disturbances in a row without improvement.
    limits : tuple of (int, int)
        Stop after this number of groups (first entry), or once ``group.counts[WORK]`` reaches the second entry. The
        course of the search does not depend on how it is divided into calls.

    Returns
    -------
    int Groups solved, disturbances included. A smaller number than allowed, with work left, means that patience ran
        out.
    """
    done = 0
    while done < limits[0] and group.counts[WORK] < limits[1]:
        level = 0
        # Small groups cost least; larger ones are tried when no smaller one is queued.
        while level < LEVELS and queue.counts[level] == 0:
            level += 1
        if level < LEVELS:
            kept.relative_scores[PRESENT] += solve_next(lists, cliques, group, tables, queue, rng, level)
        else:
            # No group around any change improves: a local optimum, which a disturbance leaves.
            settle_network(lists, cliques, kept, rng)
            if kept.idle[0] >= patience:
                break
            kept.idle[0] += 1
            kept.relative_scores[PRESENT] += disturb(lists, cliques, group, tables, queue, rng)
        done += 1
    return done


@borrowing
def settle_network(lists, cliques, kept, rng):
    """Keep the present network, or return to the kept one if that is better."""
    if kept.relative_scores[PRESENT] < kept.relative_scores[KEPT] - GAIN:
        copy_into(cliques.chosen, kept.chosen)
        copy_into(cliques.order, kept.order)
        kept.relative_scores[PRESENT] = kept.relative_scores[KEPT]
        build_cliques(lists, cliques, rng)
        return
    if kept.relative_scores[PRESENT] > kept.relative_scores[KEPT] + GAIN:
        kept.idle[0] = 0
    # An equally good network replaces the kept one, so that the search drifts over plateaus.
    kept.relative_scores[KEPT] = kept.relative_scores[PRESENT]
    copy_into(kept.chosen, cliques.chosen)
    copy_into(kept.order, cliques.order)
