"""Upper bound on the posterior mass of the sets that ``--keep-mass`` omits from a list, relative to the listed sets.

Every omitted set P has a listed proper subset S with a larger weight (with `keep_mass` EPS: at least 1 / EPS times as
large). Let f(P) be the best of these subsets (among the ones reached through scored sets, member by member), and f(S)
= S for listed sets. Replacing each family P of a network by f(P) only removes arcs. So an acyclic network of any sets
becomes one of listed sets, and forbidden arcs and tiers still hold. All networks that become the same network, with
families S_i, together weigh at most as much as this network times the product over i of

    1 + sum of w(P) / w(S_i) over all omitted P with f(P) = S_i   <=   1 + left_out_i,

where `left_out` of a child is the largest of these sums over its listed sets. Summed over all networks of listed
sets: all networks together weigh at most ``prod(1 + left_out_i)`` times as much as the networks of listed sets. The
same holds under the prior of orders, since with fewer arcs a network agrees with at least as many orders. It is sharp
for one child with a single choice. (Replacing every w(P) / w(S) by EPS, with all N_i omitted sets at one S, would
give ``prod(1 + EPS N_i)``: far too large with thousands of sets, most of them far lighter than EPS.)

Columns of one state are in no listed set and have no parents, because they change no score. A set P and such columns
C weigh as much as P, and f(P + C) = f(P). With at most c choices of C (the empty one included), the sum of S is (1 +
s) c - 1, where s is the sum over the other sets.
"""

from __future__ import annotations

import math

import numpy as np

from formats.sets.listed_sets import ListedSets

LARGEST_KEY = 1 << 62
"""Sets too large to be numbered below this count with the largest possible weight."""

DIGITS = 4
"""Significant digits to which sums are rounded up: coarser than their rounding error, fine enough for a bound."""


def omitted_mass(
    sets: ListedSets,
    scores: np.ndarray,
    keep: np.ndarray,
    n_within: float,
    largest_ratio: float,
    unscored_ratio: float,
) -> float:
    """Largest total weight of omitted sets, relative to the listed subset that replaces them.

    The result may be infinite. `sets` are all scored sets, best first, with `scores` in nats; `keep` marks the listed
    ones, including the smallest set. `n_within` is the number of sets within the limits, scored or not.
    `largest_ratio` is an upper bound on the weight of an omitted scored set over the weight of its best listed
    subset; `unscored_ratio` is the same for sets that were not scored.
    """
    n_scored, n_variables = len(sets), int(sets.members.max(initial=0)) + 1
    best = np.full(n_scored, n_scored)
    sizes = sets.sizes
    smaller_keys, smaller_best = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for size in range(int(sizes.min()), int(sizes.max()) + 1):
        # Larger sets keep no listed subset and count with the largest weight.
        if n_variables**size >= LARGEST_KEY:
            break
        which = np.flatnonzero(sizes == size)
        members = sets.take(which).members.astype(np.int64).reshape(len(which), size)
        # Place of the best listed subset. Sets are best first, so it is the least of the set's own place and the
        # places of its subsets with one member less.
        own = np.where(keep[which], which, n_scored)
        for dropped in range(size):
            keys = _keys(np.delete(members, dropped, axis=1), n_variables)
            place = np.minimum(np.searchsorted(smaller_keys, keys), max(len(smaller_keys) - 1, 0))
            if len(smaller_keys):
                own = np.minimum(own, np.where(smaller_keys[place] == keys, smaller_best[place], n_scored))
        best[which] = own
        keys = _keys(members, n_variables)
        order = np.argsort(keys)
        smaller_keys, smaller_best = keys[order], own[order]
    is_out = ~keep
    is_known = is_out & (best < n_scored)
    ratios = np.exp(scores[is_known] - scores[best[is_known]])
    at_one = float(np.bincount(best[is_known], ratios, 1).max(initial=0.0))
    # Sets without a known listed subset may all belong to the listed set with the largest sum.
    anywhere = int((is_out & ~is_known).sum()) * largest_ratio
    if unscored_ratio:
        anywhere += max(0.0, n_within - n_scored) * unscored_ratio
    return rounded_up(at_one + anywhere)


def rounded_up(value: float) -> float:
    """A non-negative number rounded up to `DIGITS` significant digits."""
    if value == 0.0 or math.isinf(value):
        return value
    unit = math.floor(math.log10(value)) - DIGITS + 1
    return float(f"{math.ceil(value / 10.0**unit)}e{unit}")


def _keys(members: np.ndarray, n_variables: int) -> np.ndarray:
    """A distinct number for each set, a row of members."""
    return members @ n_variables ** np.arange(members.shape[1], dtype=np.int64)


def n_sets_within(n_candidates: int, most: int) -> float:
    """Number of sets of at most `most` of `n_candidates` candidates; infinite beyond floating-point numbers."""
    if most >= n_candidates:
        return 2.0**n_candidates if n_candidates < 1024 else math.inf
    total, of_size = 0.0, 1.0
    for size in range(most + 1):
        total += of_size
        of_size *= (n_candidates - size) / (size + 1)
        if total == math.inf:
            break
    return total
