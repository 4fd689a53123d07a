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


WIDTH_ROWS = {
    "joined": ("within",),
    "part": ("within",),
    "link": ("among", "roots"),
    "degree": ("reversed",),
    "extended": (),
    "chord": (),
}
"""Kinds of rows about cliques of a k-tree, and what each has beside its own variables."""


@dataclass(frozen=True)
class WidthRow:
    """A row about cliques of a k-tree that contains the moral graph, K being the proof's treewidth.

    z[Q] is 1 if the variables Q are a clique of the k-tree, else 0; 1 for fewer than two variables. x[v, P] is 1 if
    v has the parents P. Other variables than those named are those outside `of`.

    - joined: the sum of x[r, P] with r in `of` and the rest of `of` in P is at most z[within].
    - part: z[of] is at most z[within].
    - link: for J = `of` and k = K - |J|, the sum of z[J a b] over a < b in `among` is at most k times the sum of
      z[J a] over `among`, less (k + 1 - i) z[J u] of the i-th of `roots`, u.
    - degree: as many pairs a < b of other variables have z[J a b] = 1 as k times the sum of z[J a] over other
      variables less k (k + 1) / 2 z[J]. The pairs are at least that, or at most if it is reversed.
    - extended: the sum of z[J a] over other variables is at least (K + 1 - |J|) z[J].
    - chord: for a path from a to b z[a b] is at most the sum of 1 - z of its edges and of z[a b c] of its inner
      variables c.
    """

    kind: str
    of: tuple[int, ...]
    """Ascending; of a path in its order."""
    within: tuple[int, ...] = ()
    """Ascending, some of `of`."""
    among: tuple[int, ...] = ()
    """Ascending; none of `of`."""
    roots: tuple[int, ...] = ()
    """Different variables of `among`."""
    reversed: bool = False

    def renamed(self, places: np.ndarray) -> WidthRow:
        """The same row when variable v becomes ``places[v]``."""
        of, within, among, roots = (
            [int(places[v]) for v in some] for some in (self.of, self.within, self.among, self.roots)
        )
        own = of if self.kind == "chord" else sorted(of)
        return WidthRow(
            self.kind, tuple(own), tuple(sorted(within)), tuple(sorted(among)), tuple(roots), self.reversed
        )


BRANCHES = {"before": "before", "edge": "no_edge", "no_edge": "edge", "arc": "no_arc", "no_arc": "arc"}
"""Kinds of nodes, each with the kind that covers the rest of the node above; `before` with the pair turned."""


@dataclass(frozen=True)
class Step:
    """Non-negative multipliers of some cuts; they give a bound on all networks and so exclude sets."""

    cuts: tuple[int, ...]
    """Numbers of cuts."""
    multipliers: tuple[int, ...]
    """In the proof's unit."""
    is_ray: bool = False
    """Scores count as zero and the bound as minus one: a network's rows alone sum to zero or more, so what is less
    is no network.
    """


@dataclass(frozen=True)
class Node:
    """Some networks of the node above, by what holds for a pair of variables."""

    above: int
    """Number of the node above, less than its own number; -1 for the first node, which has all networks."""
    pair: tuple[int, ...]
    """Two variables; none for the first node."""
    steps: tuple[Step, ...]
    is_solved: bool = False
    """The networks of the sets that remain are to be solved exactly."""
    kind: str = "before"
    """Of `BRANCHES`: the first variable precedes the second in an order; the pair, ascending, is an edge of the
    k-tree or none; the first variable is a parent of the second or not.
    """


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
    cuts: tuple[ClusterCut | HalfCut | WidthRow, ...]
    nodes: tuple[Node, ...]
    treewidth: int | None = None
    """K, less than the number of variables: the proof is about networks within this treewidth. None if it has no
    width rows.
    """
    elimination: tuple[int, ...] = ()
    """An order of all variables in which the moral graph of the network found is eliminated within the treewidth."""

    @property
    def most_parents(self) -> int | None:
        """Largest number of parents in the networks that the proof is about: within a treewidth, a family is a
        clique of the moral graph.
        """
        return min((m for m in (self.max_parents, self.treewidth) if m is not None), default=None)

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
