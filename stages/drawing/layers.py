"""Layers of a drawing: every variable below its parents, with short arcs."""

from __future__ import annotations

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.graphs import Parents, children_of, topological_order

SWEEPS = 12
"""Maximum number of sweeps of `assign_layers` in either direction; the total length hardly falls after a few."""


def assign_layers(parents: Parents) -> np.ndarray:
    """A layer for each variable, 0 at the top; arcs point downward and span few layers.

    The graph must be acyclic. Returns int64, shape (n_variables,).

    From longest-path layers, groups of variables move while this shortens the arcs: close to the optimum of network
    simplex (Gansner et al. 1993).
    """
    order = topological_order(parents)
    children = children_of(parents)
    depth = [0] * len(parents)
    for v in order:
        depth[v] = max((depth[p] + 1 for p in parents[v]), default=0)
    for _ in range(SWEEPS):
        moved = sum([_sink(v, depth, parents, children) for v in reversed(order)])
        # The same upside down: variables move up towards their parents.
        height = [-d for d in depth]
        moved += sum([_sink(v, height, children, parents) for v in order])
        depth = [-h for h in height]
        if not moved:
            break
    # Layers that lost all variables are closed.
    used = sorted(set(depth))
    return np.searchsorted(used, depth).astype(np.int64)


def _sink(variable: int, depth: list[int], parents: Parents, children: Parents) -> bool:
    """Move a variable, with ancestors if that helps, down towards its children if this shortens the arcs in total.

    Returns whether it moved.
    """
    if not children[variable]:
        return False
    free = min(depth[c] for c in children[variable]) - depth[variable] - 1
    if free <= 0:
        return False
    group, waiting = {variable}, [variable]
    pull = len(children[variable]) - len(parents[variable])
    while waiting:
        for parent in parents[waiting.pop()]:
            inside = sum(child in group for child in children[parent])
            # If it joins, its arcs into the group keep their length, its other arcs get shorter, and arcs into it get
            # longer.
            gain = len(children[parent]) - len(parents[parent])
            slack = [depth[c] - depth[parent] - 1 for c in children[parent] if c not in group]
            distance = min(slack, default=free)
            if parent not in group and distance > 0 and inside and gain > 0:
                group.add(parent)
                waiting.append(parent)
                pull += gain
                free = min(free, distance)
    if pull <= 0:
        return False
    for member in group:
        depth[member] += free
    return True


def split_layers(layer: np.ndarray, rank: np.ndarray, width: np.ndarray, limit: float) -> np.ndarray:
    """New layers in which layers that are too wide are split into several.

    Neighbours in the order alternate between the new layers, so all keep their horizontal position. `layer`, `rank`
    (the position in the order of the layer) and `width` have the shape (n_variables,); `limit` is the maximum width
    of a layer.
    """
    total = np.bincount(layer, weights=width)
    parts = np.maximum(1, np.ceil(total / limit)).astype(np.int64)
    first = offsets_of(parts)
    return first[layer] + rank % parts[layer]
