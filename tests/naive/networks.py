"""Networks by brute force: all acyclic graphs on a few variables, Markov equivalence, v-structures."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

Parents = tuple[tuple[int, ...], ...]


def is_acyclic(parents: Sequence[Sequence[int]]) -> bool:
    """Variables without parents among the rest can be taken away one after the other until none is left."""
    left = set(range(len(parents)))
    while left:
        free = {v for v in left if not left & set(parents[v])}
        if not free:
            return False
        left -= free
    return True


def best_choice(options, is_good):
    """Best total of one (score, set) from each list whose sets together are good; minus infinity if none is.

    Tries all choices but those whose scores, with the best of the lists left, do not beat the best one met.
    """
    most = [max((score for score, _ in sets), default=-math.inf) for sets in options]
    best = -math.inf

    def extend(picks):
        nonlocal best
        total = math.fsum([*(score for score, _ in picks), *most[len(picks) :]])
        if total <= best:
            return
        if len(picks) < len(options):
            for entry in options[len(picks)]:
                extend([*picks, entry])
        elif is_good([chosen for _, chosen in picks]):
            best = total

    extend([])
    return best


@functools.cache
def all_networks(n_variables: int) -> tuple[Parents, ...]:
    """Every directed acyclic graph on labelled variables: 1, 3, 25, 543, 29281 for one to five variables."""
    found = set()
    for order in itertools.permutations(range(n_variables)):
        choices = []
        for child in range(n_variables):
            earlier = sorted(order[: order.index(child)])
            choices.append([s for size in range(len(earlier) + 1) for s in itertools.combinations(earlier, size)])
        found.update(itertools.product(*choices))
    return tuple(sorted(found))


def arcs(parents: Sequence[Sequence[int]]) -> frozenset[tuple[int, int]]:
    """All (parent, child)."""
    return frozenset((p, child) for child, parent_set in enumerate(parents) for p in parent_set)


def per_variable(counts: Sequence[int], name: str) -> dict[str, float]:
    """Least, mean and most of counts per variable, from the sorted counts."""
    ordered = sorted(counts)
    return {f"min_{name}": ordered[0], f"mean_{name}": math.fsum(ordered) / len(ordered), f"max_{name}": ordered[-1]}


def structure_summary(parents: Sequence[Sequence[int]], n_states: Sequence[int]) -> dict[str, float]:
    """Arcs, parameters, and states, parents and children per variable, counted arc by arc and configuration by
    configuration."""
    drawn, variables = arcs(parents), range(len(parents))
    free = [len(list(itertools.product(*(range(n_states[p]) for p in s)))) for s in parents]
    return {
        "variables": len(parents),
        "arcs": len(drawn),
        **per_variable(n_states, "states"),
        **per_variable([sum(child == v for _, child in drawn) for v in variables], "parents"),
        **per_variable([sum(parent == v for parent, _ in drawn) for v in variables], "children"),
        "parameters": sum((n_states[v] - 1) * free[v] for v in variables),
    }


def skeleton(parents: Sequence[Sequence[int]]) -> frozenset[frozenset[int]]:
    """Adjacent pairs, directions forgotten."""
    return frozenset(frozenset(arc) for arc in arcs(parents))


def v_structures(parents: Sequence[Sequence[int]]) -> frozenset[tuple[int, int, int]]:
    """All (a, child, b), a < b, with arcs a -> child <- b and a and b not adjacent."""
    edges = skeleton(parents)
    return frozenset(
        (a, child, b)
        for child, parent_set in enumerate(parents)
        for a, b in itertools.combinations(sorted(parent_set), 2)
        if frozenset((a, b)) not in edges
    )


@functools.cache
def equivalence_classes(n_variables: int) -> tuple[tuple[Parents, ...], ...]:
    """All networks grouped by Markov equivalence: same skeleton, same v-structures (Verma & Pearl 1990)."""
    classes: dict[tuple, list[Parents]] = {}
    for parents in all_networks(n_variables):
        classes.setdefault((skeleton(parents), v_structures(parents)), []).append(parents)
    return tuple(map(tuple, classes.values()))


def essential_graph(members: Sequence[Parents]) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Arcs common to all members of a class, and the remaining edges as pairs, smaller index first."""
    common = frozenset.intersection(*map(arcs, members))
    rest = skeleton(members[0]) - {frozenset(arc) for arc in common}
    return common, frozenset((min(edge), max(edge)) for edge in rest)


def hamming_distance(
    first: tuple[frozenset, frozenset], second: tuple[frozenset, frozenset], n_variables: int
) -> int:
    """Pairs of variables whose edge differs between two graphs given as (arcs, undirected edges)."""
    distance = 0
    for a, b in itertools.combinations(range(n_variables), 2):
        marks = [((a, b) in g[0], (b, a) in g[0], (a, b) in g[1]) for g in (first, second)]
        distance += marks[0] != marks[1]
    return distance
