"""Clusters of a large network: variables that many arcs join, in groups of limited size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from formats.graph_records import Arc


def find_clusters(n_variables: int, weight: Mapping[Arc, float], largest: int) -> list[list[int]]:
    """Disjoint groups of at most `largest` variables that join what strong arcs join; ascending by first member.

    In rounds, pairs of groups merge, the ones with the most weight for their sizes first (heavy-edge matching,
    Karypis and Kumar 1998). A group that stays small joins its strongest neighbour, which may then have
    up to twice as many. `weight` of an arc is positive. Variables without arcs are groups of one.
    """
    group = list(range(n_variables))
    size = [1] * n_variables
    while pairs := _pairs(group, weight, size, largest):
        target = list(range(n_variables))
        is_taken = [False] * n_variables
        for a, b in pairs:
            if not (is_taken[a] or is_taken[b]):
                is_taken[a] = is_taken[b] = True
                target[b] = a
                size[a] += size[b]
        group = [target[g] for g in group]
    for (a, b), _ in sorted(_between(group, weight).items(), key=lambda item: (-item[1], item[0])):
        small, other = sorted((group[a], group[b]), key=lambda g: (size[g], g))
        if small != other and size[small] < largest / 4 and size[small] + size[other] <= 2 * largest:
            size[other] += size[small]
            group = [other if g == small else g for g in group]
    members: dict[int, list[int]] = {}
    for v, g in enumerate(group):
        members.setdefault(g, []).append(v)
    return sorted(members.values())


def _between(group: Sequence[int], weight: Mapping[Arc, float]) -> Counter[Arc]:
    """Weight between each two groups, by their numbers, the smaller first."""
    found: Counter[Arc] = Counter()
    for (parent, child), value in weight.items():
        a, b = sorted((group[parent], group[child]))
        if a != b:
            found[a, b] += value  # type: ignore[assignment]
    return found


def _pairs(group: Sequence[int], weight: Mapping[Arc, float], size: Sequence[int], largest: int) -> list[Arc]:
    """Pairs of groups that may merge, the best first."""
    found = _between(group, weight)
    able = [pair for pair in found if size[pair[0]] + size[pair[1]] <= largest]
    return sorted(able, key=lambda pair: (-found[pair] / (size[pair[0]] * size[pair[1]]) ** 0.5, pair))
