"""Posteriors from the definition: all networks of listed sets, with their weights."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

Lists = Sequence[Sequence[tuple[tuple[int, ...], float]]]
"""Sets and scores of every variable."""


def n_orders(parents: Sequence[tuple[int, ...]]) -> int:
    """Orders in which parents precede their children; 0 if there is a cycle."""
    n = len(parents)

    @cache
    def count(left: frozenset[int]) -> int:
        sinks = [v for v in left if not any(v in parents[w] for w in left)]
        return sum(count(left - {v}) for v in sinks) if left else 1

    return count(frozenset(range(n)))


def networks(lists: Lists, prior: str) -> Iterator[tuple[tuple[tuple[int, ...], ...], float]]:
    """Every network with the logarithm of its weight, nats."""
    for families in itertools.product(*lists):
        parents = tuple(parent_set for parent_set, _ in families)
        orders = n_orders(parents)
        if orders:
            total = math.fsum(score for _, score in families)
            yield parents, total + (math.log(orders) if prior == "orders" else 0.0)


def ancestors(parents: Sequence[tuple[int, ...]]) -> list[set[int]]:
    """The ancestors of every variable."""
    found = [set(family) for family in parents]
    for _ in parents:
        for above in found:
            above |= set().union(*(found[p] for p in above))
    return found


def signature(parents: Sequence[tuple[int, ...]]) -> tuple[frozenset, frozenset]:
    """Adjacent pairs and v-structures: equal for equivalent networks (Verma and Pearl 1990)."""
    pairs = frozenset(frozenset((u, v)) for v, family in enumerate(parents) for u in family)
    colliders = ((frozenset(two), v) for v, family in enumerate(parents) for two in itertools.combinations(family, 2))
    return pairs, frozenset((two, v) for two, v in colliders if two not in pairs)


def posterior(lists: Lists, prior: str) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of arcs, and that one variable is an ancestor of another; entry [parent, child] each."""
    weighted = list(networks(lists, prior))
    most = max(weight for _, weight in weighted)
    n = len(lists)
    arcs, above, total = np.zeros((n, n)), np.zeros((n, n)), 0.0
    for parents, log_weight in weighted:
        weight = math.exp(log_weight - most)
        total += weight
        for child, (family, over) in enumerate(zip(parents, ancestors(parents))):
            arcs[list(family), child] += weight
            above[list(over), child] += weight
    return arcs / total, above / total


def blankets(lists: Lists, prior: str) -> np.ndarray:
    """Probabilities that two variables are adjacent or have a common child."""
    weighted = list(networks(lists, prior))
    most = max(weight for _, weight in weighted)
    n = len(lists)
    found, total = np.zeros((n, n)), 0.0
    for parents, log_weight in weighted:
        weight = math.exp(log_weight - most)
        total += weight
        for a, b in itertools.permutations(range(n), 2):
            is_near = a in parents[b] or b in parents[a] or any(a in family and b in family for family in parents)
            found[a, b] += weight if is_near else 0.0
    return found / total
