"""Informative scores and the paths of S2+ from the definitions."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np


def edges_of(tree):
    """Edges of a kernel's k-tree, by its bags."""
    bags = tree.bags[: len(tree.order)].tolist()
    return frozenset(frozenset(pair) for bag in bags for pair in itertools.combinations(bag, 2))


def is_clique(members, edges):
    return all(frozenset(pair) in edges for pair in itertools.combinations(members, 2))


def pair_information(rows, n):
    """{pair: rows times mutual information in nats} from a table of rows."""
    total = {}
    for a, b in itertools.combinations(range(n), 2):
        joint, left, right = {}, {}, {}
        for row in rows:
            joint[row[a], row[b]] = joint.get((row[a], row[b]), 0) + 1
            left[row[a]] = left.get(row[a], 0) + 1
            right[row[b]] = right.get(row[b], 0) + 1
        total[frozenset((a, b))] = sum(
            count * math.log(count * len(rows) / (left[x] * right[y])) for (x, y), count in joint.items()
        )
    return total


def informative_score(lists, information, edges):
    """IS of the graph with these edges; `information` by pair."""
    return largest_informative_score(lists, information, frozenset([edges]))


def largest_informative_score(lists, information, graphs):
    """Largest IS of a frozenset of graphs given by their edges."""
    bits = bits_of_all(graphs)
    shared = sum(value * (bits >> place(edge) & 1) for edge, value in information.items())
    total = np.zeros(len(bits))
    for child, sets in enumerate(lists):
        is_open = np.ones(len(bits), dtype=bool)  # no set of this child has fitted
        for score, family in sets:
            needed = bits_of(frozenset(map(frozenset, itertools.combinations((child, *family), 2))))
            fits = is_open & (needed & ~bits == 0)
            total[fits] += score
            is_open &= ~fits
        assert not is_open.any()
    return (shared / abs(total)).max()


def place(edge):
    """The bit of an edge: pairs are numbered by their larger vertex."""
    return max(edge) * (max(edge) - 1) // 2 + min(edge)


def bits_of(edges):
    """A set of edges as one integer."""
    return sum(1 << place(edge) for edge in edges)


@functools.cache
def bits_of_all(graphs):
    """Graphs of at most eleven vertices, as integers."""
    return np.array([bits_of(edges) for edges in graphs], dtype=np.int64)


def best_growth(lists, information, order, bound, weight):
    """Most that joining the variables one by one along `order` is worth, over all choices of K-cliques that
    hold one of the variable's sets.
    """

    def grow(t, bags):
        if t == len(order):
            return 0.0
        v, best = order[t], -math.inf
        for clique in {c for bag in bags for c in itertools.combinations(sorted(bag), bound)}:
            step = sum(information.get(frozenset((v, u)), 0.0) for u in clique)
            top = lists[v][0][0]
            fitting = next((s for s, family in lists[v] if family <= set(clique)), None)
            if fitting is None:
                continue
            step += weight * (fitting - top)
            best = max(best, step + grow(t + 1, [*bags, {v, *clique}]))
        return best

    return grow(bound + 1, [set(order[: bound + 1])])


def best_clique(lists, information, size):
    """Largest IS of a clique of so many variables as a k-tree on these alone."""
    best = -math.inf
    for members in itertools.combinations(range(len(lists)), size):
        shared = sum(information.get(frozenset(pair), 0.0) for pair in itertools.combinations(members, 2))
        score = sum(next(s for s, family in lists[v] if family <= set(members)) for v in members)
        best = max(best, shared / abs(score))
    return best
