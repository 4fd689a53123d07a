"""The best equivalence classes of networks of listed sets, from all networks."""

from __future__ import annotations

import math

from formats.records import ParentSetTable

from ..networks import all_networks, skeleton, v_structures


def class_of(parents, separated=lambda a, b: False):
    """What equivalent networks share: adjacencies, v-structures, and arcs between variables that data separate."""
    decided = {(p, child) for child, family in enumerate(parents) for p in family if separated(p, child)}
    return skeleton(parents), v_structures(parents), frozenset(decided)


def ranked_classes(table: ParentSetTable, separated=lambda a, b: False) -> dict:
    """The score of the best network of each class, best first, nats."""
    n = table.n_variables
    scores = [
        {
            table.parent_set(s): float(table.scores[s])
            for s in range(int(table.set_offsets[child]), int(table.set_offsets[child + 1]))
        }
        for child in range(n)
    ]
    best: dict = {}
    for parents in all_networks(n):
        if all(family in scores[child] for child, family in enumerate(parents)):
            total = math.fsum(scores[child][family] for child, family in enumerate(parents))
            kind = class_of(parents, separated)
            best[kind] = max(best.get(kind, -math.inf), total)
    return dict(sorted(best.items(), key=lambda item: -item[1]))
