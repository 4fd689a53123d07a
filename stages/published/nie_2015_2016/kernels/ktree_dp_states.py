"""Partial choices of sets within a k-tree: the mutually undominated states of `ktree_dp`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.jit import borrowing, njit


class PartialChoices(NamedTuple):
    """States. The states of one clique are a range, sorted by cost; each continues one or two earlier states."""

    costs: np.ndarray  # float64, shape (capacity,): in nats
    taken: np.ndarray  # int64: mask of the clique's members that took their set
    above: np.ndarray  # int64, shape (capacity, K + 1): mask of the members that are ancestors of each member
    # `first`, `second` (int64): the states it continues; -1 for none.
    first: np.ndarray
    second: np.ndarray
    sets: np.ndarray  # int64: set chosen with this state; -1 for none
    stored: np.ndarray  # int64, shape (1,): number of states
    lost: np.ndarray  # float64, shape (1,): least cost of a state dropped by the limit; infinite if there is none


def new_partial_choices(capacity: int, n_members: int) -> PartialChoices:
    """Capacity for `capacity` states of cliques of `n_members` variables; initially none."""
    return PartialChoices(
        costs=np.zeros(capacity),
        taken=np.zeros(capacity, dtype=np.int64),
        above=np.zeros((capacity, n_members), dtype=np.int64),
        first=np.zeros(capacity, dtype=np.int64),
        second=np.zeros(capacity, dtype=np.int64),
        sets=np.zeros(capacity, dtype=np.int64),
        stored=np.zeros(1, dtype=np.int64),
        lost=np.full(1, np.inf),
    )


def with_more_room(states: PartialChoices, capacity: int) -> PartialChoices:
    """The same states with another capacity."""
    larger = new_partial_choices(capacity, states.above.shape[1])
    for array, former in zip(larger, states):
        array[: len(former)] = former
    return larger


@borrowing
def extend_ancestors(above, member, ancestors):
    """Make all of `ancestors` (a mask, closed upwards) ancestors of `member`; False if that closes a cycle."""
    if (ancestors >> member) & 1:
        return False
    # Invariant: `above` is transitive. A member of `ancestors` that is a descendant of `member` would close a cycle.
    for j in range(len(above)):
        # Its ancestors become ancestors of its descendants as well.
        if j == member or (above[j] >> member) & 1:
            if (ancestors >> j) & 1:
                return False
            above[j] |= ancestors
    return True


@borrowing
def is_dominated(states, one, other, most):
    """Whether state `one` dominates `other`: any continuation of `other` is possible after `one` at no higher cost.

    Members that took their set only in `other` can take the empty set after `one`, at a cost of at most `most` each.
    """
    if states.taken[one] & ~states.taken[other]:
        return False
    for j in range(states.above.shape[1]):
        if states.above[one, j] & ~states.above[other, j]:
            return False
    # A larger mask is more restrictive in both respects: fewer members can still take a set, more arcs close cycles.
    price = states.costs[one]
    for j in range(len(most)):
        if (states.taken[other] & ~states.taken[one]) >> j & 1:
            price += most[j]
    return price <= states.costs[other]


@borrowing
def copy_state(source, i, target, k):
    """Copy state `i` of `source` to place `k` of `target`."""
    target.costs[k] = source.costs[i]
    target.taken[k] = source.taken[i]
    for j in range(source.above.shape[1]):
        target.above[k, j] = source.above[i, j]
    target.first[k] = source.first[i]
    target.second[k] = source.second[i]
    target.sets[k] = source.sets[i]


@borrowing
def keep_undominated(found, kept, most, limit, ranked):
    """Reduce the candidates `found`, whose indices by cost are `ranked`, to at most `limit` undominated ones."""
    n_kept = np.int64(0)
    for i in ranked:
        useful = True
        # A state can only be dominated by a cheaper one, or by an earlier one of equal cost.
        copy_state(found, i, kept, n_kept)
        for k in range(n_kept):
            if is_dominated(kept, k, n_kept, most):
                useful = False
                break
        if useful:
            if n_kept == limit:
                # All remaining ones cost at least this.
                found.lost[0] = min(found.lost[0], kept.costs[n_kept])
                break
            n_kept += 1
    for k in range(n_kept):
        copy_state(kept, k, found, k)
    found.stored[0] = n_kept


@njit
def thin_out(found, kept, most, limit):
    """Reduce the candidates `found` to at most `limit` undominated ones, cheapest first; `kept` is scratch."""
    # A stable sort, so that states of equal cost stay in the order in which they were found.
    ranked = np.argsort(found.costs[: found.stored[0]], kind="mergesort")
    keep_undominated(found, kept, most, limit, ranked)


@borrowing
def add_candidate(found, kept, most, limit, state):
    """Append a candidate to `found`: ``state`` is (cost, taken, above, first, second, set)."""
    if found.stored[0] == len(found.costs):
        thin_out(found, kept, most, limit)
    k = found.stored[0]
    cost, taken, above, first, second, chosen = state
    found.costs[k] = cost
    found.taken[k] = taken
    for j in range(len(above)):
        found.above[k, j] = above[j]
    found.first[k] = first
    found.second[k] = second
    found.sets[k] = chosen
    found.stored[0] += 1


@borrowing
def store(found, kept, most, limit, states):
    """Append the undominated candidates, `limit` at most, to `states`; returns their range."""
    thin_out(found, kept, most, limit)
    start = states.stored[0]
    for k in range(found.stored[0]):
        copy_state(found, k, states, start + k)
    states.stored[0] += found.stored[0]
    found.stored[0] = 0
    return start, states.stored[0]
