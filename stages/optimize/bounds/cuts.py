"""What a cut is: the candidate sets that it counts and the number demanded of them, and how it was made.

A cut is a cluster of variables, or half of a sum of cuts, rounded (see `zero_half_cuts` for why such halves hold).
As the way it was made is kept, it can be made anew when candidate sets are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

MOST_WEIGHT = 100
"""How often a cut may count a set."""


class CountedSets(NamedTuple):
    """Which sets a cut counts.

    Attributes
    ----------
    sets : ndarray of int32
    weights : ndarray of int8
        How many times.
    demand : int
    """

    sets: np.ndarray
    weights: np.ndarray
    demand: int


class HalvedSum:
    """Half of a sum of cuts, as it is made, so that it holds for any candidate sets.

    Parameters
    ----------
    parts : sequence
        The cuts summed: pairs of members and demand, or `HalvedSum`.
    lowered : ndarray of int32
        The variables L for whose sets counts are rounded down, ascending.

    Attributes
    ----------
    depth : int
    key : bytes
        Equal for equal sums.
    """

    def __init__(self, parts: Sequence[Origin], lowered: np.ndarray):
        self.parts = tuple(parts)
        self.lowered = lowered
        self.depth: int = 1 + max((part.depth for part in parts if isinstance(part, HalvedSum)), default=0)
        digest = blake2b(lowered.tobytes(), digest_size=16)
        for key in sorted(key_of(part) for part in parts):
            digest.update(len(key).to_bytes(4, "little") + key)
        self.key = digest.digest()


Origin = tuple[np.ndarray, int] | HalvedSum
"""How a cut is made: a cluster (members, ascending, and demand) or a halved sum."""


def key_of(origin: Origin) -> bytes:
    """Equal for cuts that are made in the same way."""
    if isinstance(origin, HalvedSum):
        return b"h" + origin.key
    return b"c%d," % origin[1] + origin[0].tobytes()


def add_up(parts: Sequence[CountedSets]) -> CountedSets:
    """The sum of cuts: sets ascending, weights of type int64."""
    sets = np.concatenate([part.sets for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    counted, where = np.unique(sets, return_inverse=True)
    totals = np.bincount(where, weights=weights, minlength=len(counted)).astype(np.int64)
    return CountedSets(counted, totals, sum(part.demand for part in parts))


def round_half(total: CountedSets, child: np.ndarray, lowered: np.ndarray) -> CountedSets:
    """Half of a sum, with counts rounded down for the sets of the variables `lowered`.

    Parameters
    ----------
    total : CountedSets
        See `add_up`.
    child : ndarray of int
        Of the sets that `total` counts.
    lowered : ndarray of int32
    """
    demand = (total.demand - len(lowered) + 1) // 2
    half = (total.weights + ~np.isin(child, lowered)) // 2
    # One set taken that counts the whole demand is enough; more would only weaken the cut.
    half = np.minimum(half, max(0, min(demand, MOST_WEIGHT)))
    kept = half > 0
    return CountedSets(total.sets[kept], half[kept].astype(np.int8), min(demand, MOST_WEIGHT))
