"""Families of some variables are swapped between the networks on neighbouring rungs, by the rule of Metropolis.

Whole networks (Geyer 1991) are swapped the less often the more variables there are, as their scores differ
everywhere. Here parts are swapped. The two families of a variable, whichever network has which, stay the same in all
swaps. So do the union of the arcs of both networks and the parts that are derived from it:

- strongly connected parts. A cycle lies within one of them, where all families come from one network: every choice
  of parts to swap leaves both networks acyclic, and parts are independent of each other.
- within these, variables connected by arcs with opposite directions in the two networks. Their swap may close a
  cycle through several such groups; then it is refused.

Swaps pay where there are many modes (copies in examples/measured/ablation.md).
"""

import math

import numpy as np

from ..jit import borrowing, inlined
from .block_moves import flag_descendants, link_family, unlink_family

PART, NUMBER, LOW, PLACE, CALLS, WAITING = range(6)
"""Rows of ``Walk.marks`` in `mark_parts`."""

GROUP, FOLLOWING, N_GROUP, N_PART = 1, 2, 3, 4
"""Rows in `swap_groups`, besides `PART`."""

N_SWAP_MARKS = 6


@inlined
def child_at(walk, rung, v, k):
    """The k-th child of a variable in the union of the networks on a rung and the next; -1 behind the last."""
    n, n_next = walk.n_children[rung, v], walk.n_children[rung + 1, v]
    if k < n:
        return walk.children[rung, walk.child_offsets[v] + k]
    return walk.children[rung + 1, walk.child_offsets[v] + k - n] if k < n + n_next else -1


@borrowing
def mark_parts(walk, rung):
    """Number the strongly connected parts of the union in ``marks[PART]`` (Tarjan 1972)."""
    n = walk.chosen.shape[1]
    part, number, low = walk.marks[PART], walk.marks[NUMBER], walk.marks[LOW]
    place, calls, waiting = walk.marks[PLACE], walk.marks[CALLS], walk.marks[WAITING]
    part[:], number[:] = -1, -1
    n_met, n_parts, n_waiting = 0, 0, 0
    for root in range(n):
        if number[root] >= 0:
            continue
        calls[0], depth = root, 1
        while depth:
            v = calls[depth - 1]
            if number[v] < 0:
                number[v], low[v], place[v] = n_met, n_met, 0
                n_met += 1
                waiting[n_waiting] = v
                n_waiting += 1
            child = child_at(walk, rung, v, place[v])
            if child >= 0 and number[child] < 0:
                calls[depth] = child
                depth += 1
                continue
            if child >= 0:
                # A child that was called from here has its final value now.
                if part[child] < 0:
                    low[v] = min(low[v], low[child])
                place[v] += 1
                continue
            depth -= 1
            if low[v] == number[v]:
                while part[v] < 0:
                    n_waiting -= 1
                    part[waiting[n_waiting]] = n_parts
                n_parts += 1


@inlined
def swap_family(lists, walk, rung, v):
    """Swap the family of a variable on a rung and the next."""
    here, there = walk.chosen[rung, v], walk.chosen[rung + 1, v]
    if here != there:
        unlink_family(lists, walk, rung, v)
        unlink_family(lists, walk, rung + 1, v)
        walk.chosen[rung, v], walk.chosen[rung + 1, v] = there, here
        link_family(lists, walk, rung, v)
        link_family(lists, walk, rung + 1, v)


@inlined
def family_gain(lists, weighting, walk, rung, v):
    """What the swap of a family adds to the logarithm of the density of both networks."""
    better = lists.scores[walk.chosen[rung + 1, v]] - lists.scores[walk.chosen[rung, v]]
    return (weighting.rungs[rung] - weighting.rungs[rung + 1]) * better


@borrowing
def swap_parts(lists, weighting, walk, rung, rng):
    """Swap each strongly connected part by the rule of Metropolis."""
    n = walk.chosen.shape[1]
    part, gains = walk.marks[PART], walk.gains
    gains[:] = 0.0
    for v in range(n):
        gains[part[v]] += family_gain(lists, weighting, walk, rung, v)
    for k in range(n):
        gains[k] = 1.0 if gains[k] >= 0.0 or rng.random() < math.exp(gains[k]) else 0.0
    for v in range(n):
        if gains[part[v]]:
            swap_family(lists, walk, rung, v)


@borrowing
def lies_on_cycle(lists, walk, rung, v):
    """Whether a variable is its own descendant in the graph on a rung, and the work: variables visited."""
    n_flagged = flag_descendants(walk, rung, v, np.uint8(1), 0)
    s, is_found = walk.chosen[rung, v], False
    for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
        is_found |= walk.flags[lists.parents[k]] != 0
    for k in range(n_flagged):
        walk.flags[walk.stack[k]] = 0
    return is_found, n_flagged


@inlined
def group_of(group, v):
    """The first variable of a group in the making."""
    while group[v] != v:
        v = group[v]
    return v


@inlined
def mark_groups(lists, walk, rung):
    """Mark every variable with the first variable of its group in ``marks[GROUP]``."""
    n = walk.chosen.shape[1]
    group = walk.marks[GROUP]
    for v in range(n):
        group[v] = v
    for v in range(n):
        s = walk.chosen[rung + 1, v]
        for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
            u = lists.parents[k]
            t = walk.chosen[rung, u]
            for i in range(lists.parent_offsets[t], lists.parent_offsets[t + 1]):
                if lists.parents[i] == v:
                    first, second = group_of(group, u), group_of(group, v)
                    group[max(first, second)] = min(first, second)
    for v in range(n):
        group[v] = group_of(group, v)


@borrowing
def swap_groups(lists, weighting, walk, rung, rng):
    """Swap the groups that are no whole part, by the rule of Metropolis; returns the work, in visits of variables."""
    n = walk.chosen.shape[1]
    mark_groups(lists, walk, rung)
    part, group, following = walk.marks[PART], walk.marks[GROUP], walk.marks[FOLLOWING]
    n_group, n_part = walk.marks[N_GROUP], walk.marks[N_PART]
    n_group[:], n_part[:], following[:] = 0, 0, -1
    for v in range(n - 1, -1, -1):
        first = group[v]
        if v != first:
            following[v] = following[first]
            following[first] = v
        n_group[first] += 1
        n_part[part[v]] += 1
    work = 10 * n
    for first in range(n):
        if group[first] != first or n_group[first] == n_part[part[first]]:
            continue
        gain, differs = 0.0, False
        v = first
        while v >= 0:
            differs |= walk.chosen[rung, v] != walk.chosen[rung + 1, v]
            gain += family_gain(lists, weighting, walk, rung, v)
            v = following[v]
        if not differs or (gain < 0.0 and rng.random() >= math.exp(gain)):
            continue
        # If there is a cycle now, swapped back.
        for _ in range(2):
            v = first
            while v >= 0:
                swap_family(lists, walk, rung, v)
                v = following[v]
            # A new cycle has a new arc, so it goes through a member.
            v, has_cycle = first, False
            while v >= 0 and not has_cycle:
                for k in range(2):
                    is_on_cycle, n_visited = lies_on_cycle(lists, walk, rung + k, v)
                    has_cycle |= is_on_cycle
                    work += n_visited
                v = following[v]
            if not has_cycle:
                break
    return work


@borrowing
def swap_families(lists, weighting, walk, rng):
    """Swap families on neighbouring rungs, from the first rung on; returns the work, in visits of variables."""
    work = 0
    for rung in range(len(walk.chosen) - 1):
        mark_parts(walk, rung)
        swap_parts(lists, weighting, walk, rung, rng)
        work += swap_groups(lists, weighting, walk, rung, rng)
    return work
