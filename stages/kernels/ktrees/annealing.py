"""Simulated annealing over orders under a treewidth bound.

A move changes the position of one variable in the order, or a preference of one variable: the host whose bag it
joins, or the member of that bag that it leaves out. Without preferences a fixed rule determines both; with them,
every k-tree whose bags agree with the order is reachable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..bits import set_bit
from ..jit import borrowing
from .move_log import mark_move, prefer_host
from .order_moves import NOTHING_MOVED, move_variable, refresh, take_back

NEAR = 10
"""Largest distance of half of the random moves, in positions."""


class MoveShares(NamedTuple):
    """Probabilities of the kinds of moves; the remaining moves go to random positions.

    Attributes
    ----------
    left_out, host : float
        Change of a variable's preference for the member left out, or for the host.
    wanted : float
        Move of a variable next to the latest member of one of its better sets, or of that member.
    """

    left_out: float
    host: float
    wanted: float


class BestOrder(NamedTuple):
    """The best order visited, with its preferences and choices as in `KTree`; `relative_score` holds one float64."""

    relative_score: np.ndarray
    order: np.ndarray
    chosen: np.ndarray
    left_out: np.ndarray
    hosts: np.ndarray


def new_best_order(n_variables: int) -> BestOrder:
    """No order visited so far."""
    return BestOrder(
        relative_score=np.full(1, -np.inf),
        order=np.arange(n_variables, dtype=np.int32),
        chosen=np.zeros(n_variables, dtype=np.int64),
        left_out=np.full(n_variables, -1, dtype=np.int32),
        hosts=np.full(n_variables, -1, dtype=np.int32),
    )


@borrowing
def keep_best(tree, best, relative_score):
    """Copy the tree's order, choices and preferences to `best`."""
    best.relative_score[0] = relative_score
    copy_into(best.order, tree.order)
    copy_into(best.chosen, tree.chosen)
    copy_into(best.left_out, tree.left_out)
    copy_into(best.hosts, tree.hosts)


@borrowing
def draw_place(rng, n, start):
    """A random new position for the variable at `start`: uniform, or within `NEAR` positions."""
    if rng.random() < 0.5:
        return int(rng.random() * n)
    end = start - NEAR + int(rng.random() * (2 * NEAR + 1))
    return min(max(end, 0), n - 1)


@borrowing
def draw_wanted(lists, tree, rng, variable):
    """A move that places `variable` and the latest member of a random better set next to each other.

    Returns
    -------
    tuple of (int, int)
        Positions to move from and to; equal when `variable` has its best set.
    """
    place = tree.position[variable]
    best = lists.set_offsets[variable]
    s = best + int(rng.random() * (tree.chosen[variable] - best))
    latest = 0
    for i in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
        latest = max(latest, tree.position[lists.parents[i]])
    moves_variable = rng.random() < 0.5
    if s == tree.chosen[variable]:
        return place, place
    # The variables in between shift by one: the moved one then stands next to the other, the member first.
    if latest > place:
        return (place, latest) if moves_variable else (latest, place)
    return (place, latest + 1) if moves_variable else (latest, place - 1)


@borrowing
def draw_host(lists, index, tree, rng, variable):
    """A random preferred host for `variable` that lists a member of its set as a parent; -1 for none."""
    if rng.random() < 0.2:
        return -1
    s = tree.chosen[variable]
    size = lists.parent_offsets[s + 1] - lists.parent_offsets[s]
    if size == 0:
        return tree.order[int(rng.random() * tree.position[variable])]
    member = lists.parents[lists.parent_offsets[s] + int(rng.random() * size)]
    first, end = index.pair_offsets[member], index.pair_offsets[member + 1]
    return index.pair_children[first + int(rng.random() * (end - first))]


@borrowing
def clamp_place(precedences, position, variable, start, end):
    """The position nearest to `end` to which `variable` can move from `start` without violating a precedence."""
    if end > start:
        for i in range(precedences.after_offsets[variable], precedences.after_offsets[variable + 1]):
            end = min(end, position[precedences.after[i]] - 1)
    else:
        for i in range(precedences.before_offsets[variable], precedences.before_offsets[variable + 1]):
            end = max(end, position[precedences.before[i]] + 1)
    return end


@borrowing
def anneal(lists, index, filters, pairs, tree, log, clique, precedences, rng, shares, temperatures, n_moves, best):
    """Try `n_moves` random moves; accept improvements, and losses with probability exp(gain / T).

    Parameters
    ----------
    pairs : MemberPairs
        Of `lists`.
    tree : KTree
        A state left by `build_ktree` or an earlier call.
    temperatures : tuple of (float, float)
        T in nats before the first and after the last move; it falls geometrically. Zeros for pure improvement.
    best : BestOrder
        Updated; its `relative_score` must belong to a state visited before, or be minus infinity.

    Returns
    -------
    float
        Relative score of the tree at the end, in nats.
    """
    order, position, bags, chosen = tree.order, tree.position, tree.bags, tree.chosen
    left_out, hosts = tree.left_out, tree.hosts
    n, size = len(order), tree.n_start
    relative_score = 0.0
    for variable in range(n):
        relative_score += lists.scores[chosen[variable]]
    if relative_score > best.relative_score[0]:
        keep_best(tree, best, relative_score)
    first, last = temperatures
    cooling = (last / first) ** (1.0 / n_moves) if first > 0.0 else 0.0
    temperature = first
    for _ in range(n_moves):
        temperature *= cooling
        kind = rng.random()
        start = end = former = 0
        if kind < shares.left_out + shares.host:
            start = size + int(rng.random() * (n - size))
            if start >= n:
                continue
            variable = order[start]
            set_bit(log.marks, start)
            if kind < shares.left_out:
                former = left_out[variable]
                left_out[variable] = bags[variable, int(rng.random() * bags.shape[1])]
            else:
                former = hosts[variable]
                prefer_host(lists, tree, log, variable, draw_host(lists, index, tree, rng, variable))
            n_logged, gain = refresh(
                lists, index, filters, pairs, tree, log, clique, np.int64(start), np.int64(start), NOTHING_MOVED
            )
        else:
            variable = np.int32(rng.random() * n)
            start = position[variable]
            if kind < shares.left_out + shares.host + shares.wanted:
                start, end = draw_wanted(lists, tree, rng, variable)
                variable = order[start]
            else:
                end = draw_place(rng, n, start)
            if len(precedences.before):
                end = clamp_place(precedences, position, variable, start, end)
            low, high = min(start, end), max(start, end)
            # Moves within the start clique are skipped: for up to `EXACT_CLIQUE` variables its DAG does not depend on
            # their order.
            if start == end or high < size:
                continue
            move_variable(order, position, start, end)
            mark_move(lists, tree, log, variable, low)
            n_logged, gain = refresh(
                lists, index, filters, pairs, tree, log, clique, np.int64(low), np.int64(high), np.int64(variable)
            )
        # The rule of Metropolis (Kirkpatrick, Gelatt and Vecchi 1983).
        if gain >= 0.0 or rng.random() < (np.exp(gain / temperature) if temperature > 0.0 else 0.0):
            relative_score += gain
            # The running sum has rounding errors: an improvement must exceed them.
            if relative_score > best.relative_score[0] + 1e-9 * abs(best.relative_score[0]):
                keep_best(tree, best, relative_score)
            continue
        take_back(lists, tree, log, n_logged)
        if kind < shares.left_out:
            left_out[variable] = former
        elif kind < shares.left_out + shares.host:
            prefer_host(lists, tree, log, variable, former)
        else:
            move_variable(order, position, end, start)
    return relative_score
