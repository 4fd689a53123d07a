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


def is_front_door(parents, cause, effect, chosen):
    """Pearl's criterion on all paths. A back-door path of the set leaves none of its vertices by an arc."""
    if any(is_directed(parents, path) and not chosen & set(path) for path in paths(parents, cause, effect)):
        return False
    for v in chosen:
        behind = [path for path in paths(parents, cause, v) if path[1] in parents[cause]]
        if any(is_open(parents, path, ()) for path in behind):
            return False
        for path in paths(parents, v, effect):
            steps = [*itertools.pairwise(path), *itertools.pairwise(path[::-1])]
            leaves = any(a in chosen and a in parents[b] for a, b in steps)
            if not leaves and is_open(parents, path, {cause}):
                return False
    return True


def front_door_sets(parents, cause, effect):
    """All front-door sets of which no proper subset is one; none without a directed path."""
    if not any(is_directed(parents, path) for path in paths(parents, cause, effect)):
        return set()
    others = [v for v in range(len(parents)) if v not in (cause, effect)]
    every = [frozenset(s) for k in range(len(others) + 1) for s in itertools.combinations(others, k)]
    valid = [chosen for chosen in every if is_front_door(parents, cause, effect, chosen)]
    return {chosen for chosen in valid if not any(other < chosen for other in valid)}


def instruments(parents, cause, effect):
    """All instruments with their minimal sets."""
    graph = [set(family) for family in parents]
    causal = {v for path in paths(parents, cause, effect) if is_directed(parents, path) for v in path[1:]}
    forbidden = {cause, effect}.union(*(descendants_of(graph, v) for v in causal))
    without = [tuple(p for p in family if not (p == cause and v in causal)) for v, family in enumerate(parents)]
    others = [v for v in range(len(parents)) if v not in forbidden]
    found = set()
    for variable in others:
        rest = [v for v in others if v != variable]
        every = [frozenset(s) for k in range(len(rest) + 1) for s in itertools.combinations(rest, k)]
        to_effect, to_cause = paths(without, variable, effect), paths(parents, variable, cause)
        separating = [s for s in every if not any(is_open(without, path, s) for path in to_effect)]
        for chosen in separating:
            if any(other < chosen for other in separating):
                continue
            if any(is_open(parents, path, chosen) for path in to_cause):
                found.add((variable, chosen))
    return found


def adjustment_sets(parents, cause, effect):
    """All adjustment sets."""
    others = [v for v in range(len(parents)) if v not in (cause, effect)]
    return [
        frozenset(given)
        for size in range(len(others) + 1)
        for given in itertools.combinations(others, size)
        if is_adjustment_set(parents, cause, effect, given)
    ]
