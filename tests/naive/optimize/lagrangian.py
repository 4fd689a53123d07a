"""Cluster cuts and the bounds they give, from the definitions."""

from __future__ import annotations

import itertools


def costs_of(table):
    """What every listed set loses against its child's best one: [[(cost, frozenset), ...], ...]."""
    return [
        [(record.scores[0] - s, frozenset(p)) for s, p in zip(record.scores, record.parents, strict=True)]
        for record in table.records()
    ]


def counts(child, parents, members, demand):
    """Whether a cut counts this set: the child is a member and has fewer than `demand` parents among them."""
    return child in members and len(parents & members) < demand


def relaxed_cost(costs, cuts):
    """Least cost when every variable takes a set on its own and every cut is priced: [(members, demand, price)]."""
    total = sum(demand * price for _, demand, price in cuts)
    for child, sets in enumerate(costs):
        total += min(
            cost - sum(price for members, demand, price in cuts if counts(child, parents, members, demand))
            for cost, parents in sets
        )
    return total


def is_violated(costs, reduced, members):
    """Whether no free set of a member avoids all members."""
    return not any(
        reduced[child][k] <= 1e-9 and not parents & members
        for child in members
        for k, (_, parents) in enumerate(costs[child])
    )


def placed_by_free_sets(costs, reduced, given=frozenset()):
    """All variables that `given` and sets without reduced cost place."""
    placed = set(given)
    while True:
        more = {
            child
            for child, sets in enumerate(costs)
            for k, (_, parents) in enumerate(sets)
            if child not in placed and reduced[child][k] <= 1e-9 and parents <= placed
        }
        if not more:
            return placed
        placed |= more


def counted_share(costs, shares, members, demand):
    """The share of the sets that a cut counts; shares are [[share, ...], ...] as the lists."""
    return sum(
        shares[child][k]
        for child, sets in enumerate(costs)
        for k, (_, parents) in enumerate(sets)
        if counts(child, parents, members, demand)
    )


def most_violated(costs, shares, demand):
    """The largest lack of share over all clusters of more than `demand` variables."""
    n = len(costs)
    return max(
        demand - counted_share(costs, shares, frozenset(members), demand)
        for size in range(demand + 1, n + 1)
        for members in itertools.combinations(range(n), size)
    )
