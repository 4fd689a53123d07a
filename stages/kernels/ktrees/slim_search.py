"""Iterated local search over groups of cliques: those near the latest changes first, small ones before larger."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..jit import njit
from .clique_tree import build_cliques, put_first
from .slim import LEVELS, SIZE, WORK, collect_choices, grow_group, mark_interfaces, order_members
from .slim_dp import GAIN, NO_PAIR, ONE_PAIR, keep_picks, solve_group, solve_relaxed

TRIES = 2
"""Random groups around a variable, of each size, after a change near it; set by hand."""


_TABOO = 1 << 62
"""Stands for a pair in masks of pairs."""


PRESENT, KEPT = 0, 1
"""Entries of `KeptNetwork.relative_scores`."""


class GroupQueue(NamedTuple):
    """Variables around which groups are to be solved, for each of the levels.

    Attributes
    ----------
    waiting : ndarray of int32, shape (LEVELS, n_variables)
    counts : ndarray of int64, shape (LEVELS,)
        Number of entries of `waiting`.
    tries : ndarray of int64, shape (LEVELS, n_variables)
        By variable the groups still to be tried; 0 for those not waiting.
    """

    waiting: np.ndarray
    counts: np.ndarray
    tries: np.ndarray


class KeptNetwork(NamedTuple):
    """The network to go back to.

    Attributes
    ----------
    relative_scores : ndarray of float64, shape (2,)
        In nats, of the network at hand and of the one kept, see `PRESENT` and `KEPT`.
    chosen : ndarray of int64, shape (n_variables,)
    order : ndarray of int32, shape (n_variables,)
    idle : ndarray of int64, shape (1,)
        Disturbances since the kept network last became better.
    """

    relative_scores: np.ndarray
    chosen: np.ndarray
    order: np.ndarray
    idle: np.ndarray


def new_group_queue(n_variables: int) -> GroupQueue:
    """No variable waits."""
    return GroupQueue(
        waiting=np.zeros((LEVELS, n_variables), dtype=np.int32),
        counts=np.zeros(LEVELS, dtype=np.int64),
        tries=np.zeros((LEVELS, n_variables), dtype=np.int64),
    )


def new_kept_network(n_variables: int) -> KeptNetwork:
    """No network yet."""
    return KeptNetwork(
        relative_scores=np.full(2, -np.inf),
        chosen=np.zeros(n_variables, dtype=np.int64),
        order=np.zeros(n_variables, dtype=np.int32),
        idle=np.zeros(1, dtype=np.int64),
    )


@njit
def enqueue_groups(queue, variable):
    """Let groups of all sizes around a variable be tried."""
    for level in range(LEVELS):
        if queue.tries[level, variable] == 0:
            queue.waiting[level, queue.counts[level]] = variable
            queue.counts[level] += 1
        queue.tries[level, variable] = TRIES


@njit
def dequeue_group(queue, rng, level):
    """A random variable of a level that has any; it stays there until its tries are used up."""
    place = int(rng.random() * queue.counts[level])
    variable = queue.waiting[level, place]
    queue.tries[level, variable] -= 1
    if queue.tries[level, variable] == 0:
        queue.counts[level] -= 1
        queue.waiting[level, place] = queue.waiting[level, queue.counts[level]]
    return variable


@njit
def apply_choice(lists, cliques, group, queue, rng, top):
    """Give the members their best picks, renew the cliques, and enqueue those that changed."""
    size = group.counts[SIZE]
    for place in range(size):
        variable = group.members[place]
        s = group.sets[group.best_picks[place]]
        if s != cliques.chosen[variable]:
            cliques.chosen[variable] = s
            enqueue_groups(queue, variable)
    put_first(cliques, top, order_members(group), size, group.flags)
    build_cliques(lists, cliques, rng)


@njit
def leave_group(group):
    """Forget the members."""
    for place in range(group.counts[SIZE]):
        group.places[group.members[place]] = -1


@njit
def solve_next(lists, cliques, group, tables, queue, rng, level):
    """Solve a group of up to K + 1 + `level` members around a waiting variable, and take what improves.

    Returns
    -------
    float
        The gain in nats.
    """
    width = cliques.earlier.shape[1]
    # K + 1 members may all be adjacent; each level more adds a member and the pairs that must then be missing.
    most = min(width + 1 + level, len(group.members))
    top = grow_group(cliques, group, rng, dequeue_group(queue, rng, level), most)
    if top < 0:
        return 0.0
    gain = 0.0
    present = collect_choices(lists, cliques.chosen, group)
    mark_interfaces(cliques, group, top)
    found = solve_group(group, width, present + GAIN, tables)
    # Smaller gains may be rounding, and taking them could go round in circles.
    if found > present + GAIN:
        gain = found - present
        apply_choice(lists, cliques, group, queue, rng, top)
    leave_group(group)
    return gain


@njit
def disturb(lists, cliques, group, tables, queue, rng):
    """Take its set from a random variable and let a group of up to K + 1 members around do its best without.

    Returns
    -------
    float
        Change of the relative score in nats; 0 when there was nothing to take.
    """
    width = cliques.earlier.shape[1]
    seed = np.int32(rng.random() * len(cliques.order))
    top = grow_group(cliques, group, rng, seed, min(width + 1, len(group.members)))
    if top < 0:
        return 0.0
    change = 0.0
    present = collect_choices(lists, cliques.chosen, group)
    place = int(rng.random() * group.counts[SIZE])
    # The set counts as making a pair adjacent that no other makes, and that pair is to be missing.
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


@njit
def search_groups(lists, cliques, group, tables, queue, kept, rng, patience, limits):
    """Solve waiting groups, smallest first; when none is waiting, disturb the network, or the one kept before.

    A network without waiting groups is kept unless it is worse than the one kept before.

    Parameters
    ----------
    lists : BoundedLists
        With the parents alone as members of a set.
    cliques : CliqueTree
    group : BagGroup
    tables : CliqueTables
        For K + 3 variables.
    queue : GroupQueue
    kept : KeptNetwork
    rng : Generator
    patience : int
        Stop after so many disturbances in a row that led to nothing better.
    limits : tuple of (int, int)
        Stop after so many groups, or once ``group.counts[WORK]`` is so much. Where a call stops makes no
        difference to what the next ones do.

    Returns
    -------
    int
        Groups solved, disturbances counted as such; fewer than allowed with work left when patience ended.
    """
    done = 0
    while done < limits[0] and group.counts[WORK] < limits[1]:
        level = 0
        # Small groups cost least; larger ones are tried when no small one waits.
        while level < LEVELS and queue.counts[level] == 0:
            level += 1
        if level < LEVELS:
            kept.relative_scores[PRESENT] += solve_next(lists, cliques, group, tables, queue, rng, level)
        else:
            # No group around any change improves: a local optimum, to be kept or given up, and left by a disturbance.
            settle_network(lists, cliques, kept, rng)
            if kept.idle[0] >= patience:
                break
            kept.idle[0] += 1
            kept.relative_scores[PRESENT] += disturb(lists, cliques, group, tables, queue, rng)
        done += 1
    return done


@njit
def settle_network(lists, cliques, kept, rng):
    """Keep the present network, or go back to the kept one if that is better."""
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
