"""D-separation and adjustment sets by listing all paths and all sets."""

from __future__ import annotations

import itertools

from .independence import descendants_of


def paths(parents, first, second):
    """All paths between two variables, arcs followed in either direction."""
    linked = [{u for u in range(len(parents)) if u in parents[v] or v in parents[u]} for v in range(len(parents))]

    def extend(path):
        if path[-1] == second:
            yield path
            return
        for v in sorted(linked[path[-1]] - set(path)):
            yield from extend([*path, v])

    return list(extend([first]))


def is_open(parents, path, given):
    """Whether a path is open: each collider has a given descendant or is given, no other inner vertex is given."""
    graph = [set(family) for family in parents]
    for before, v, after in zip(path, path[1:], path[2:]):
        is_collider = before in graph[v] and after in graph[v]
        if is_collider and not descendants_of(graph, v) & set(given):
            return False
        if not is_collider and v in given:
            return False
    return True


def is_directed(parents, path):
    """Whether all arcs of a path point from its start to its end."""
    return all(a in parents[b] for a, b in itertools.pairwise(path))


def is_adjustment_set(parents, cause, effect, given):
    """The criterion of Shpitser et al.: no descendant of a vertex of a directed path, the cause apart, and no other
    path is open."""
    graph = [set(family) for family in parents]
    every = paths(parents, cause, effect)
    causal = {v for path in every if is_directed(parents, path) for v in path[1:]}
    forbidden = {cause, effect}.union(*(descendants_of(graph, v) for v in causal))
    if forbidden & set(given):
        return False
    return not any(is_open(parents, path, given) for path in every if not is_directed(parents, path))


def adjustment_sets(parents, cause, effect):
    """All adjustment sets."""
    others = [v for v in range(len(parents)) if v not in (cause, effect)]
    return [
        frozenset(given)
        for size in range(len(others) + 1)
        for given in itertools.combinations(others, size)
        if is_adjustment_set(parents, cause, effect, given)
    ]
