"""Networks that keep required and forbidden ancestors, by enumeration and by paths one arc at a time."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence

Pair = tuple[int, int]
Family = tuple[int, ...]


def is_acyclic(parents: Sequence[Family]) -> bool:
    left = set(range(len(parents)))
    while left:
        roots = {v for v in left if not left & set(parents[v])}
        if not roots:
            return False
        left -= roots
    return True


def is_ancestor(parents: Sequence[Family], above: int, below: int) -> bool:
    """Whether a directed path of at least one arc leads from one variable to another."""
    found: set[int] = set()
    for _ in parents:
        found |= {p for v in (below, *found) for p in parents[v]}
    return above in found


def keeps(parents: Sequence[Family], required: Sequence[Pair], forbidden: Sequence[Pair]) -> bool:
    """Whether an acyclic graph has the required ancestors and none of the forbidden ones."""
    is_there = all(is_ancestor(parents, *pair) for pair in required)
    return is_there and not any(is_ancestor(parents, *pair) for pair in forbidden)


def all_networks(n: int) -> Iterator[tuple[Family, ...]]:
    """All acyclic graphs."""
    pairs = list(itertools.combinations(range(n), 2))
    for directions in itertools.product((None, 0, 1), repeat=len(pairs)):
        families: list[list[int]] = [[] for _ in range(n)]
        for pair, direction in zip(pairs, directions):
            if direction is not None:
                families[pair[direction]].append(pair[1 - direction])
        graph = tuple(tuple(sorted(family)) for family in families)
        if is_acyclic(graph):
            yield graph


Lists = list[dict[Family, float]]


def listed_networks(lists: Lists) -> Iterator[tuple[tuple[Family, ...], float]]:
    """All networks of listed sets, with their scores."""
    for choice in itertools.product(*(sets.items() for sets in lists)):
        parents = tuple(family for family, _ in choice)
        if is_acyclic(parents):
            yield parents, math.fsum(score for _, score in choice)


def random_lists(rng: random.Random, n: int, most_sets: int = 7) -> Lists:
    """Lists with the empty set and some others, dominated ones among them."""
    lists: Lists = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        sizes = [rng.randint(1, min(3, n - 1)) for _ in range(rng.randint(0, most_sets))]
        sets = {tuple(sorted(rng.sample(others, size))): rng.gauss(0.0, 5.0) for size in sizes}
        lists.append({(): 0.0} | sets)
    return lists


def random_pairs(rng: random.Random, n: int, most: int) -> tuple[list[Pair], list[Pair]]:
    """Required and forbidden ancestors, which may contradict each other."""
    pairs = list(itertools.permutations(range(n), 2))
    chosen = rng.sample(pairs, min(len(pairs), rng.randint(1, most)))
    required = [pair for pair in chosen if rng.random() < 0.5]
    return required, [pair for pair in chosen if pair not in required]
