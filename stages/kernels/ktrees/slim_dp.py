"""The best network on a group of cliques (see `slim`), exactly.

With at most K + 1 members they may all be adjacent, and the best acyclic choice is found by dynamic programming
over subsets. With one more, a pair of them must not be adjacent; with two more, three pairs: a triangle or a
path, the complements of the k-trees on K + 3 vertices. The problem without these restrictions, or with just one
of the pairs, is a bound by which most of them need no look.
"""

from __future__ import annotations

import numpy as np

from ..arrays import copy_into
from ..jit import njit
from .slim import SIZE, WORK
from .start_clique import peel_clique, solve_core

GAIN = 1e-6
"""Least improvement in nats: more than rounding can feign."""

NO_PAIR, ONE_PAIR, THREE_PAIRS = np.int64(0), np.int64(1), np.int64(3)
"""Numbers of missing pairs, for groups of up to K + 1, of K + 2 and of K + 3 members."""

MOST_WORK = 10_000_000
"""Steps (variables times subsets, and sets) after which a group that takes long is left with the best found so far:
set by hand to take about a tenth of a second.
"""


@njit
def solve_relaxed(group, n_missing, tables):
    """Best acyclic choice without sets that make one of the first `n_missing` missing pairs adjacent.

    Fills ``group.picks``.

    Returns
    -------
    float
        Sum of relative scores in nats; minus infinity when a member has no such set.
    """
    size, missing, picks = group.counts[SIZE], group.missing, group.picks
    starts, masks, candidates = tables.starts, tables.masks, tables.candidates
    count, total = 0, 0.0
    for place in range(size):
        starts[place] = count
        for k in range(group.starts[place], group.starts[place + 1]):
            fits = True
            for i in range(n_missing):
                if group.covers[k] & missing[i] == missing[i]:
                    fits = False
                    break
            if fits:
                masks[count] = group.above[k]
                candidates[count] = k
                count += 1
                # A set that makes no member an ancestor closes no cycle; what follows in the list is worse.
                if group.above[k] == 0:
                    break
        if count == starts[place]:
            return -np.inf
    starts[size] = count
    free, core = peel_clique(size, tables)
    subsets = 1
    for place in range(size):
        if core >> place & 1:
            subsets <<= 1
        else:
            picks[place] = candidates[starts[place]]
            total += group.relative_scores[picks[place]]
    group.counts[WORK] += size * subsets + group.starts[size]
    solve_core(group.relative_scores, tables, free, core)
    total += tables.values[core]
    if total == -np.inf:
        return total
    while core:
        sink = tables.sinks[core]
        picks[sink] = tables.taken[core]
        core &= ~(1 << sink)
    return total


@njit
def keep_picks(group, n_missing):
    """Note the present choices and missing pairs as the best; the former stay missing pairs of nothing."""
    copy_into(group.best_picks, group.picks)
    group.best_missing[:] = 0
    copy_into(group.best_missing[:n_missing], group.missing[:n_missing])


@njit
def solve_group(group, width, floor, tables):
    """Best choice of the members for some k-tree on them; fills ``best_picks`` and ``best_missing``.

    Groups of K + 3 members that take more than `MOST_WORK` steps need not be solved to the end.

    Returns
    -------
    float
        Sum of relative scores in nats; `floor` when there is nothing better.
    """
    size = group.counts[SIZE]
    best = solve_relaxed(group, NO_PAIR, tables)
    if best <= floor:
        return floor
    if size <= width + 1:
        keep_picks(group, NO_PAIR)
        return best
    # Pairs that the best choice needs adjacent, besides those that variables outside the group need. If a pair may
    # be missing that is not among them, the best choice without restrictions stands.
    used = group.adjacent.copy()
    for place in range(size):
        cover = group.covers[group.picks[place]]
        for other in range(size):
            if cover >> other & 1:
                used[other] |= cover
    if size == width + 2:
        return _solve_with_one(group, used, best, floor, tables)
    return _solve_with_three(group, used, best, floor, tables)


@njit
def _solve_with_one(group, used, relaxed, floor, tables):
    """`solve_group` for K + 2 members: `used` are the pairs of the best choice if all were adjacent."""
    size, missing = group.counts[SIZE], group.missing
    for a in range(size):
        for b in range(a):
            # A pair that nobody needs is the one to miss: the bound is reached.
            if not used[a] >> b & 1:
                missing[0] = 1 << a | 1 << b
                keep_picks(group, ONE_PAIR)
                return relaxed
    best = floor
    for a in range(size):
        for b in range(a):
            # What is outside the group needs this pair.
            if group.adjacent[a] >> b & 1:
                continue
            missing[0] = 1 << a | 1 << b
            relative_score = solve_relaxed(group, ONE_PAIR, tables)
            if relative_score > best:
                best = relative_score
                keep_picks(group, ONE_PAIR)
    return best


@njit
def _solve_with_three(group, used, relaxed, floor, tables):
    """`solve_group` for K + 3 members."""
    size, missing, bounds = group.counts[SIZE], group.missing, group.bounds
    for a in range(size):
        bounds[a, a] = -np.inf
        for b in range(a):
            bounds[a, b] = bounds[b, a] = -np.inf if used[a] >> b & 1 else relaxed
    # First only pairs that the best choice without restrictions does not need: a triple of them reaches the bound.
    if _try_triples(group, floor, relaxed, np.bool_(True), tables) > floor:
        return relaxed
    for a in range(size):
        for b in range(a):
            if group.adjacent[a] >> b & 1:
                bounds[a, b] = bounds[b, a] = -np.inf
            elif used[a] >> b & 1:
                # A triple with this pair is worth at most what missing this pair alone is.
                missing[0] = 1 << a | 1 << b
                bounds[a, b] = bounds[b, a] = solve_relaxed(group, ONE_PAIR, tables)
    return _try_triples(group, floor, relaxed, np.bool_(False), tables)


@njit
def _try_triples(group, floor, relaxed, any_will_do, tables):
    """Best choice with the pairs of a triangle or path missing, each of a bound above the best so far.

    If `any_will_do`, the first triple is as good as all: the present choices are noted for it.
    """
    size, missing, bounds = group.counts[SIZE], group.missing, group.bounds
    best, most_work = floor, group.counts[WORK] + MOST_WORK
    for b in range(size):
        for c in range(size):
            if bounds[b, c] <= best:
                continue
            for a in range(size):
                if a == c or bounds[a, b] <= best:
                    continue
                for d in range(size):
                    if d == b or bounds[c, d] <= best:
                        continue
                    # Each triangle once, and each path from one of its ends.
                    if (a == d and not (a > b > c)) or (a != d and b > c):
                        continue
                    # For a triangle d is a, so that the third pair closes it.
                    missing[0] = 1 << a | 1 << b
                    missing[1] = 1 << b | 1 << c
                    missing[2] = 1 << c | 1 << d
                    if any_will_do:
                        keep_picks(group, THREE_PAIRS)
                        return relaxed
                    relative_score = solve_relaxed(group, THREE_PAIRS, tables)
                    if relative_score > best:
                        best = relative_score
                        keep_picks(group, THREE_PAIRS)
                    if group.counts[WORK] > most_work:
                        return best
    return best
