"""Edges of k-trees that sets need, their prices, and the bound, from the definitions.

A row is (edge, None) for the sets with an arc between the two ends of the edge, or (edge, third) for the sets that
join one variable of the triangle to both others.
"""

from __future__ import annotations

import itertools
import math

from .ktrees import all_ktrees
from .networks_search import best_by_subsets, make_table


def rows_of(child, parents):
    """The rows that count a set."""
    for a in parents:
        yield frozenset((child, a)), None
    for pair in itertools.combinations(parents, 2):
        triangle = {child, *pair}
        for edge in itertools.combinations(sorted(triangle), 2):
            (third,) = triangle - set(edge)
            yield frozenset(edge), third


def is_sparse(edges, width, lack):
    """Whether any vertices have at most as many edges among them as in a k-tree."""
    vertices = sorted({v for edge in edges for v in edge})
    return all(
        sum(set(edge) <= set(some) for edge in edges) <= width * size - lack
        for size in range(2, len(vertices) + 1)
        for some in itertools.combinations(vertices, size)
    )


def dearest_edges(worths, most, width, lack):
    """The dearest edges {edge: worth} whose number and density fit a k-tree, greedily."""
    taken = []
    for edge in sorted(worths, key=lambda edge: -worths[edge]):
        if worths[edge] > 0 and len(taken) < most and is_sparse([*taken, edge], width, lack):
            taken.append(edge)
    return taken


def priced_cost(costs, prices, most, width, lack):
    """Least cost of a choice of sets with the prices {row: nats}, less the worth of the dearest edges.

    `costs` has the sets of each child with their costs, [[(cost, frozenset), ...], ...].
    """
    worths = {}
    for (edge, _), price in prices.items():
        worths[edge] = worths.get(edge, 0.0) + price
    total = -sum(worths[edge] for edge in dearest_edges(worths, most, width, lack))
    for child, sets in enumerate(costs):
        total += min(cost + sum(prices.get(row, 0.0) for row in rows_of(child, parents)) for cost, parents in sets)
    return total


def best_within_width(table, width):
    """Best score of a network whose moral graph lies in a k-tree, by all labelled k-trees; -inf if there is none."""
    best = -math.inf
    for edges in all_ktrees(table.n_variables, width):
        lists = {}
        for child in range(table.n_variables):
            lists[child] = {}
            for s in range(table.set_offsets[child], table.set_offsets[child + 1]):
                family = (child, *table.parent_set(s))
                if all(frozenset(pair) in edges for pair in itertools.combinations(family, 2)):
                    lists[child][table.parent_set(s)] = float(table.scores[s])
        if all(lists.values()):
            best = max(best, best_by_subsets(make_table(lists)))
    return best
