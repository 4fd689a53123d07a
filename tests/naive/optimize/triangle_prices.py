"""Edges and triangles of k-trees, rows about them, and the bound, from the definitions."""

from __future__ import annotations

import itertools

from .edge_prices import dearest_edges, is_sparse


def worths_of(needs, rows):
    """What each edge and triangle is worth: {clique: nats}.

    `needs` are prices of the sets that need a clique, {clique: nats}, or one triangle of a clique of four, {(clique,
    the variable that the triangle leaves out): nats}; `rows` are (multiplier, {clique: coefficient}, demand).
    """
    worths = {}
    for needed, price in needs.items():
        clique = needed[0] - {needed[1]} if isinstance(needed, tuple) else needed
        worths[clique] = worths.get(clique, 0.0) + price
    for multiplier, coefficients, _ in rows:
        for clique, coefficient in coefficients.items():
            worths[clique] = worths.get(clique, 0.0) + multiplier * coefficient
    return worths


def with_triangles(worths, within, pairs):
    """What each pair is worth with its triangles; `within` is {triangle: edge}."""
    return {
        pair: worths.get(pair, 0.0) + sum(max(0.0, worths.get(t, 0.0)) for t, edge in within.items() if edge == pair)
        for pair in pairs
    }


def dearest_base(worths, most, width, lack):
    """Exactly `most` edges, the dearest ones that fit a k-tree, greedily; `worths` are of all pairs."""
    lowest = min(0.0, *worths.values()) - 1.0
    return dearest_edges({pair: worth - lowest for pair, worth in worths.items()}, most, width, lack)


def priced_cost(costs, needs, rows, within, most, width, lack):
    """Least cost of a choice of sets and cliques under the prices `needs` and the multipliers of `rows`.

    `costs` has the sets of each child with their costs, [[(cost, frozenset), ...], ...].
    """
    pairs = [frozenset(pair) for pair in itertools.combinations(range(len(costs)), 2)]
    worths = with_triangles(worths_of(needs, rows), within, pairs)
    total = -sum(worths[pair] for pair in dearest_base(worths, most, width, lack))
    total += sum(multiplier * demand for multiplier, _, demand in rows)
    for child, sets in enumerate(costs):
        total += min(cost + sum(needs.get(needed, 0.0) for needed in needs_of(child, s)) for cost, s in sets)
    return total


def needs_of(child, parents):
    """What a set needs: its arcs, the triangles of the child with two parents, and each triangle of it with three."""
    yield from (frozenset((child, a)) for a in parents)
    yield from (frozenset((child, *pair)) for pair in itertools.combinations(parents, 2))
    for three in itertools.combinations(parents, 3):
        yield from ((frozenset((child, *three)), left_out) for left_out in (child, *three))


def dearest_base_by_enumeration(worths, most, width, lack):
    """Greatest worth of exactly `most` pairs that fit."""
    return max(
        sum(worths[pair] for pair in some)
        for some in itertools.combinations(worths, most)
        if is_sparse(some, width, lack)
    )
