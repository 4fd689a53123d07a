"""Exact improvement of a few cliques of a tree decomposition, by trying all choices of sets."""

from __future__ import annotations

import itertools

from ..networks import best_choice, is_acyclic
from .treewidth import treewidth


def cliques_along(families, order):
    """{variable: its neighbours left when the reverse of `order` is eliminated}."""
    neighbours = {v: set() for v in order}
    for child, family in enumerate(families):
        for a, b in itertools.permutations([child, *family], 2):
            neighbours[a].add(b)
    found = {}
    for v in reversed(order):
        found[v] = set(neighbours.pop(v))
        for u in found[v]:
            neighbours[u] |= found[v]
            neighbours[u] -= {u, v}
    return found


def best_in_group(lists, families, order, above, nodes, bound):
    """Best score of the members of the cliques of `nodes` when all else stays.

    All choices of sets within the group, or of the present ones, are tried: the whole must be acyclic, and the
    members with the new families and with the cliques shared with the rest must have treewidth `bound`. In the
    tree each variable's clique hangs below that of the variable `above` it (None for the first one).
    """
    cliques = cliques_along(families, order)
    members = sorted(set(nodes).union(*(cliques[v] for v in nodes)))
    shared = [cliques[v] for v in order if above[v] is not None and (v in nodes) != (above[v] in nodes)]
    options = [[(s, p) for s, p in lists[v] if set(p) <= set(members) or set(p) == set(families[v])] for v in members]

    def edges_of(clique):
        return {frozenset(map(members.index, pair)) for pair in itertools.combinations(clique, 2)}

    kept = set().union(*map(edges_of, shared))
    added = {(v, p): edges_of({v, *p}) if set(p) <= set(members) else set() for v in members for _, p in lists[v]}

    def is_good(picks):
        changed = list(map(frozenset, families))
        for v, p in zip(members, picks, strict=True):
            changed[v] = p
        edges = kept.union(*(added[pick] for pick in zip(members, picks, strict=True)))
        return is_acyclic(changed) and treewidth(edges) <= bound

    return best_choice(options, is_good)
