"""Growth of candidate sets within the cliques of a network's k-tree, where all members of a set may share a bag."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.scoring.set_grower import SetGrower

from ..result import Parents

RELATED = 4
"""Variables before and after a child, those with the best scores as its only parent, in whose bags it grows."""


class Focus(NamedTuple):
    """The network around which sets are grown, with an order and the bags of its k-tree."""

    order: np.ndarray
    parents: Parents
    bags: np.ndarray


def grow_in_cliques(grower: SetGrower, focus: Focus, position: np.ndarray) -> None:
    """Grow a child's sets within its own bag and those of the variables most related to it."""
    child = grower.child
    related, _ = grower.improving(grower.required)
    earlier = position[related] < position[child]
    hosts = [child, *related[earlier][:RELATED].tolist(), *related[~earlier][:RELATED].tolist()]
    allowed = np.zeros(len(position), dtype=np.bool_)
    for host in hosts:
        members = [*focus.bags[host].tolist(), *grower.required]
        allowed[members] = True
        allowed[child] = False
        # The present parents in this bag, if any beside the required ones, are a second start.
        kept = tuple(p for p in focus.parents[child] if allowed[p])
        if len(kept) > len(grower.required):
            grower.grow_and_shrink(allowed, kept)
        grower.grow_and_shrink(allowed)
        allowed[members] = False
