"""Exact solution of a group of cliques (see `slim`).

Up to K + 1 members may all be adjacent, and the best acyclic choice is found by dynamic programming over subsets
(`start_clique.solve_core`). With K + 2 members one pair must not be adjacent; with K + 3, three pairs that form a
triangle or a path (the complements of the k-trees on K + 3 vertices). The relaxation without these restrictions, or
with a single missing pair, gives an upper bound that prunes most pairs and triples.
"""

from __future__ import annotations

import numpy as np

from ..arrays import copy_into
from ..jit import borrowing, njit
from .slim import SIZE, WORK
from .start_clique import peel_clique, solve_core

GAIN = 1e-6
"""Least improvement in nats; smaller ones may be rounding."""

NO_PAIR, ONE_PAIR, THREE_PAIRS = np.int64(0), np.int64(1), np.int64(3)
"""Numbers of missing pairs, for groups of up to K + 1, of K + 2 and of K + 3 members."""

MOST_WORK = 10_000_000
"""Limit on the steps (variables times subsets, and sets) spent on the triples of a group; beyond it the best choice
found so far is kept. About a tenth of a second; set by hand.
"""


@borrowing
def solve_relaxed(group, n_missing, tables):
    """Best acyclic choice among the sets that leave each of the first `n_missing` missing pairs non-adjacent.

    Fills ``group.picks``.

    Returns
    -------
    float
        Sum of relative scores in nats; minus infinity if a member has no such set.
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
                # A set without ancestors among the members never closes a cycle; later sets are worse.
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


@borrowing
def keep_picks(group, n_missing):
    """Save the present choice, with its `n_missing` missing pairs, as the best."""
    copy_into(group.best_picks, group.picks)
    group.best_missing[:] = 0
    copy_into(group.best_missing[:n_missing], group.missing[:n_missing])


@njit
def solve_group(group, width, floor, tables):
    """Best choice of the members within any k-tree on them; fills ``best_picks`` and ``best_missing``.

    Exact, except that groups of K + 3 members stop after about `MOST_WORK` steps.

    Returns
    -------
    float
        Sum of relative scores in nats; `floor` if nothing better was found.
    """
    size = group.counts[SIZE]
    best = solve_relaxed(group, NO_PAIR, tables)
    if best <= floor:
        return floor
    if size <= width + 1:
        keep_picks(group, NO_PAIR)
        return best
    # Pairs that must be adjacent for the relaxed choice or for variables outside the group. If the missing pairs can
    # be chosen among the others, the relaxed choice is feasible and therefore optimal.
    used = group.adjacent.copy()
    for place in range(size):
        cover = group.covers[group.picks[place]]
        for other in range(size):
            if cover >> other & 1:
                used[other] |= cover
    if size == width + 2:
        return _solve_with_one(group, used, best, floor, tables)
    return _solve_with_three(group, used, best, floor, tables)


@borrowing
def _solve_with_one(group, used, relaxed, floor, tables):
    """`solve_group` for K + 2 members; `used` holds the pairs that the relaxed choice or the outside needs."""
    size, missing = group.counts[SIZE], group.missing
    for a in range(size):
        for b in range(a):
            # A pair that is not needed can be missing: the bound is attained.
            if not used[a] >> b & 1:
                missing[0] = 1 << a | 1 << b
                keep_picks(group, ONE_PAIR)
                return relaxed
    best = floor
    for a in range(size):
        for b in range(a):
            # Variables outside the group need this pair.
            if group.adjacent[a] >> b & 1:
                continue
            missing[0] = 1 << a | 1 << b
            relative_score = solve_relaxed(group, ONE_PAIR, tables)
            if relative_score > best:
                best = relative_score
                keep_picks(group, ONE_PAIR)
    return best


@borrowing
def _solve_with_three(group, used, relaxed, floor, tables):
    """`solve_group` for K + 3 members."""
    size, missing, bounds = group.counts[SIZE], group.missing, group.bounds
    for a in range(size):
        bounds[a, a] = -np.inf
        for b in range(a):
            bounds[a, b] = bounds[b, a] = -np.inf if used[a] >> b & 1 else relaxed
    # First only pairs that the relaxed choice does not need: any triple of them attains the bound.
    if _try_triples(group, floor, relaxed, np.bool_(True), tables) > floor:
        return relaxed
    for a in range(size):
        for b in range(a):
            if group.adjacent[a] >> b & 1:
                bounds[a, b] = bounds[b, a] = -np.inf
            elif used[a] >> b & 1:
                # The score with this pair alone missing bounds that of every triple with it.
                missing[0] = 1 << a | 1 << b
                bounds[a, b] = bounds[b, a] = solve_relaxed(group, ONE_PAIR, tables)
    return _try_triples(group, floor, relaxed, np.bool_(False), tables)


@borrowing
def _try_triples(group, floor, relaxed, any_will_do, tables):
    """Best choice with the pairs of a triangle or path missing; pairs with a bound not above the best are pruned.

    If `any_will_do`, every remaining triple attains the bound `relaxed`: the present choice is saved with the first
    one.
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
                    # For a triangle d = a, and the third pair closes it.
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
