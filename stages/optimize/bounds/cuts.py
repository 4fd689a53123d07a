"""Cuts: the candidate sets that each counts, the number demanded, and its origin.

A cut is a cluster of variables, or half of a sum of cuts, rounded (`zero_half_cuts` has the proof). The origin allows
the cut to be counted anew when candidate sets are excluded or other lists are searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

MOST_WEIGHT = 100
"""Largest weight of a set in a cut."""


class Cut(NamedTuple):
    """A cut: the sets that it counts, and how many of them a network must have at least."""

    sets: np.ndarray  # int32
    weights: np.ndarray  # int8: multiplicity of each set
    demand: int


class HalvedSum:
    """The origin of a zero-half cut: half of a sum of cuts, valid for any candidate sets.

    `parts` are the cuts summed: pairs of members and demand, or `HalvedSum`. For sets of the variables in `lowered`
    (int32, ascending), counts are rounded down (L in `zero_half_cuts`).
    """

    def __init__(self, parts: Sequence[Origin], lowered: np.ndarray):
        self.parts = tuple(parts)
        self.lowered = lowered
        self.depth: int = 1 + max((part.depth for part in parts if isinstance(part, HalvedSum)), default=0)  # nesting
        digest = blake2b(lowered.tobytes(), digest_size=16)
        for key in sorted(key_of(part) for part in parts):
            digest.update(len(key).to_bytes(4, "little") + key)
        self.key = digest.digest()  # equal for equal sums


Origin = tuple[np.ndarray, int] | HalvedSum
"""A cluster (members, ascending, and demand) or a halved sum."""


def key_of(origin: Origin) -> bytes:
    """A key that is equal for equal origins."""
    if isinstance(origin, HalvedSum):
        return b"h" + origin.key
    return b"c%d," % origin[1] + origin[0].tobytes()


def add_up(parts: Sequence[Cut]) -> Cut:
    """The sum of cuts: sets ascending, weights int64."""
    sets = np.concatenate([part.sets for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    totals = np.bincount(sets, weights=weights).astype(np.int64)
    counted = np.flatnonzero(totals).astype(np.int32)
    return Cut(counted, totals[counted], sum(part.demand for part in parts))


def round_half(total: Cut, child: np.ndarray, lowered: np.ndarray) -> Cut:
    """Half of a sum, with counts rounded down for the sets of the variables `lowered`.

    `total` is a sum from `add_up`; `child` (int) has the children of the sets that it counts.
    """
    demand = (total.demand - len(lowered) + 1) // 2
    # Adding one before halving rounds up; sets of `lowered` are rounded down.
    is_lowered = np.zeros(max(child.max(initial=0), lowered.max(initial=0)) + 1, dtype=np.bool_)
    is_lowered[lowered] = True
    half = (total.weights + ~is_lowered[child]) // 2
    # A set of weight `demand` satisfies the cut alone; a larger weight would only weaken it.
    half = np.minimum(half, max(0, min(demand, MOST_WEIGHT)))
    kept = half > 0
    return Cut(total.sets[kept], half[kept].astype(np.int8), min(demand, MOST_WEIGHT))
