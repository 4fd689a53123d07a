"""Probabilities of arcs as soft knowledge.

The prior probability of a network is proportional to the product, over ordered pairs of variables, of p where the
network has the arc and of 1 - p where it has not. A pair whose adjacency has probability q has the factors q/2 for
each direction and 1 - q for no arc. So an arc adds ``log(p / (1 - p))``, or ``log(q / 2 / (1 - q))``, to the local
score of its child, which is relative to no arc: the factors of the empty network are dropped, and so is the sum over
all acyclic networks. Pairs without a probability add nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import Inconsistent

KEY = "arc_prior"
"""Key of headers of lists and networks whose scores contain a prior of arcs."""

Triple = tuple[str, str, float]


@dataclass(frozen=True)
class ArcPrior:
    """Probabilities between 0 and 1, both excluded, by the names of variables; no pair occurs twice."""

    arcs: tuple[Triple, ...] = ()
    """Parent, child, probability of the arc."""
    adjacencies: tuple[Triple, ...] = ()
    """Two variables, probability of an arc in either direction."""

    def log_odds(self) -> dict[tuple[str, str], float]:
        """What each arc (parent, child) adds to the local score of its child, nats."""
        found = {(parent, child): math.log(p) - math.log1p(-p) for parent, child, p in self.arcs}
        for one, other, q in self.adjacencies:
            found[one, other] = found[other, one] = math.log(q / 2.0) - math.log1p(-q)
        return found

    def recorded(self) -> dict[str, Any]:
        """The entry of headers."""
        parts = {"arcs": self.arcs, "adjacencies": self.adjacencies}
        return {KEY: {name: [list(triple) for triple in triples] for name, triples in parts.items() if triples}}


def recorded_prior(extra: Mapping[str, Any]) -> ArcPrior | None:
    """The prior that a header records; None without one.

    Raises `Inconsistent` if the entry is damaged.
    """
    entry = extra.get(KEY)
    if entry is None:
        return None
    try:
        arcs, adjacencies = (
            tuple((str(one), str(other), float(p)) for one, other, p in entry.get(name, ()))
            for name in ("arcs", "adjacencies")
        )
    except (AttributeError, TypeError, ValueError):
        arcs = adjacencies = (("", "", math.nan),)
    if not all(0.0 < p < 1.0 for _, _, p in (*arcs, *adjacencies)):
        raise Inconsistent(f"header: key {KEY!r} does not hold probabilities of arcs", remedy="make the file again")
    return ArcPrior(arcs, adjacencies)
