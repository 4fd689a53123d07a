"""Iterated local search over groups of cliques: those near the latest changes first, small ones before larger."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import njit
from .clique_tree import build_cliques, put_first
from .slim import LEVELS, collect_choices, grow_group, mark_interfaces, order_members
from .slim_dp import GAIN, keep_picks, solve_group, solve_relaxed

TRIES = 2
"""Random groups around a variable, of each size, after a change near it."""


_TABOO = 1 << 62
"""Stands for a pair in masks of pairs."""


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
    losses : ndarray of float64, shape (2,)
        Of the present network and of the kept one, in nats.
    chosen : ndarray of int64, shape (n_variables,)
    order : ndarray of int32, shape (n_variables,)
    idle : ndarray of int64, shape (1,)
        Disturbances since the kept network last became better.
    """

    losses: np.ndarray
    chosen: np.ndarray
    order: np.ndarray
    idle: np.ndarray


@njit
def enqueue(queue, variable):
    """Let groups of all sizes around a variable be tried."""
    for level in range(LEVELS):
        if queue.tries[level, variable] == 0:
            queue.waiting[level, queue.counts[level]] = variable
            queue.counts[level] += 1
        queue.tries[level, variable] = TRIES


@njit
def dequeue(queue, rng, level):
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
    size = group.counts[0]
    for place in range(size):
        variable = group.members[place]
        s = group.sets[group.best_picks[place]]
        if s != cliques.chosen[variable]:
            cliques.chosen[variable] = s
            enqueue(queue, variable)
    put_first(cliques, top, order_members(group), size, group.flags)
    build_cliques(lists, cliques, rng)


@njit
def leave_group(group):
    """Forget the members."""
    for place in range(group.counts[0]):
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
    most = min(width + 1 + level, len(group.members))
    top = grow_group(cliques, group, rng, dequeue(queue, rng, level), most)
    if top < 0:
        return 0.0
    gain = 0.0
    present = collect_choices(lists, cliques.chosen, group)
    mark_interfaces(cliques, group, top)
    found = solve_group(group, width, present + GAIN, tables)
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
        Change of the loss in nats; 0 when there was nothing to take.
    """
    width = cliques.earlier.shape[1]
    seed = np.int32(rng.random() * len(cliques.order))
    top = grow_group(cliques, group, rng, seed, min(width + 1, len(group.members)))
    if top < 0:
        return 0.0
    change = 0.0
    present = collect_choices(lists, cliques.chosen, group)
    place = int(rng.random() * group.counts[0])
    # The set counts as making a pair adjacent that no other makes, and that pair is to be missing.
    for k in range(group.starts[place], group.starts[place + 1]):
        if group.sets[k] == cliques.chosen[group.members[place]]:
            group.covers[k] |= _TABOO
    group.missing[0] = _TABOO
    found = solve_relaxed(group, 1, tables)
    if found > -np.inf:
        change = found - present
        keep_picks(group, 0)
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
        Stop after so many groups, or when ``group.counts`` says so much work. Where a call stops makes no
        difference to what the next ones do.

    Returns
    -------
    int
        Groups solved, disturbances counted as such; fewer than allowed with work left when patience ended.
    """
    done = 0
    while done < limits[0] and group.counts[2] < limits[1]:
        level = 0
        while level < LEVELS and queue.counts[level] == 0:
            level += 1
        if level < LEVELS:
            kept.losses[0] += solve_next(lists, cliques, group, tables, queue, rng, level)
        else:
            settle(lists, cliques, kept, rng)
            if kept.idle[0] >= patience:
                break
            kept.idle[0] += 1
            kept.losses[0] += disturb(lists, cliques, group, tables, queue, rng)
        done += 1
    return done


@njit
def settle(lists, cliques, kept, rng):
    """Keep the present network, or go back to the kept one if that is better."""
    if kept.losses[0] < kept.losses[1] - GAIN:
        cliques.chosen[:] = kept.chosen
        cliques.order[:] = kept.order
        kept.losses[0] = kept.losses[1]
        build_cliques(lists, cliques, rng)
        return
    if kept.losses[0] > kept.losses[1] + GAIN:
        kept.idle[0] = 0
    kept.losses[1] = kept.losses[0]
    kept.chosen[:] = cliques.chosen
    kept.order[:] = cliques.order
