"""Proofs of bounds on the scores of all networks of listed sets, in whole numbers that a short program can check.

All scores, multipliers and bounds of a proof are whole numbers of one unit, 2 to the power of minus `Proof.bits` in
nats; scores are rounded up to it. `stages.evaluate.proof_checking` has the rules of checking, ``bnsl help proofs``
has them in words.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from .records import Header, ParentSetTable

CAP = 100
"""Largest demand of a cut and largest weight of a set in it; larger values count as this."""


@dataclass(frozen=True)
class ClusterCut:
    """At least `demand` of the members have fewer than `demand` parents among the members, in every network."""

    members: tuple[int, ...]
    """Variables, ascending; at least `demand` of them."""
    demand: int


@dataclass(frozen=True)
class HalfCut:
    """Half of the sum of earlier cuts; counts are rounded down for sets of the variables `lowered`, up for all
    others.
    """

    parts: tuple[int, ...]
    """Numbers of the cuts summed, each less than its own."""
    lowered: tuple[int, ...]
    """Variables, ascending. The demand is (D - their number) / 2, rounded up, where D is the sum of the parts'
    demands.
    """


@dataclass(frozen=True)
class Step:
    """Non-negative multipliers of some cuts; they give a bound on all networks and so exclude sets."""

    cuts: tuple[int, ...]
    """Numbers of cuts."""
    multipliers: tuple[int, ...]
    """In the proof's unit."""


@dataclass(frozen=True)
class Node:
    """Networks of the node above in which one variable precedes another."""

    above: int
    """Number of the node above, less than its own number; -1 for the first node, which has all networks."""
    pair: tuple[int, ...]
    """Two variables, of which the first precedes the second in an order; none for the first node."""
    steps: tuple[Step, ...]
    is_solved: bool = False
    """The networks of the sets that remain are to be solved exactly."""


@dataclass(frozen=True)
class Proof:
    """A proof that no network of listed sets scores more than `bound`."""

    header: Header
    """Variables, and the commands that made the proof."""
    sets: str
    """Digest of the lists, see `digest_of_sets`."""
    bits: int
    """The unit is 2 to the power of minus this, in nats."""
    bound: int
    """In the unit."""
    max_parents: int | None
    """Largest number of parents in the networks that the proof is about; None is no limit."""
    cuts: tuple[ClusterCut | HalfCut, ...]
    nodes: tuple[Node, ...]

    @property
    def bound_in_nats(self) -> float:
        """The bound in nats, rounded up."""
        exact = Fraction(self.bound, 2**self.bits)
        nearest = float(exact)
        return float(np.nextafter(nearest, np.inf)) if Fraction(nearest) < exact else nearest


def whole_scores(scores: np.ndarray, bits: int) -> np.ndarray:
    """Scores (nats, float64) as whole numbers of the unit, rounded up; int64.

    Scaling by a power of two and rounding up are exact for floats; the maker of a proof ensures that the results fit.
    """
    return np.ceil(np.ldexp(scores, bits)).astype(np.int64)


def digest_of_sets(table: ParentSetTable) -> str:
    """SHA-256 of all listed sets, whatever their order.

    It is taken over a line ``CHILD PARENTS SCORE`` for each set, with ascending parents separated by commas and the
    score in hexadecimal (C99's ``%a`` as Python writes it), sorted by child, then as text.
    """
    digest = hashlib.sha256()
    for child, (first, last) in enumerate(pairwise(table.set_offsets.tolist())):
        scores = table.scores[first:last].tolist()
        lines = [
            f"{child} {','.join(map(str, sorted(table.parent_set(s))))} {score.hex()}\n"
            for s, score in zip(range(first, last), scores)
        ]
        digest.update("".join(sorted(lines)).encode())
    return digest.hexdigest()
