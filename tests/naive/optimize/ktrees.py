"""Search under a treewidth bound from the definitions: k-trees as lists of cliques, networks by brute force."""

from __future__ import annotations

import functools
import itertools
import math

from ..networks import all_networks, best_choice, is_acyclic
from .treewidth import elimination_width, moral_edges, treewidth


def small_lists(lists, bound):
    """Candidate lists without sets of more than `bound` parents."""
    return [[(score, family) for score, family in sets if len(family) <= bound] for sets in lists]


def best_on(lists, members):
    """Best DAG on a few variables with all parents among them: {child: (score, set)}; by all their orders."""
    best = None
    for order in itertools.permutations(members):
        network = {}
        for i, child in enumerate(order):
            within = set(order[:i])
            network[child] = next((entry for entry in lists[child] if entry[1] <= within), None)
        if None in network.values():
            continue
        if best is None or sum(s for s, _ in network.values()) > sum(s for s, _ in best.values()):
            best = network
    return best


class NaiveKTree:
    """k-G along one order, with an explicit list of (K + 1)-cliques.

    Attributes
    ----------
    network : dict
        {child: (score, set)}
    bags : dict
        The clique each variable formed when it was placed, longest-serving member first.
    """

    def __init__(self, lists, order, bound, left_out=None, hosts=None, n_states=None, most_cells=math.inf):
        self.bound = min(bound, len(order) - 1)
        self.n_states, self.most_cells = n_states or [1] * len(lists), most_cells
        lists = small_lists(lists, self.bound)
        lists = [[(s, p) for s, p in sets if self.cells({v, *p}) <= most_cells] for v, sets in enumerate(lists)]
        largest = sorted(self.n_states, reverse=True)
        n_start = max(m for m in range(1, self.bound + 2) if math.prod(largest[:m]) <= most_cells)
        start = list(order[:n_start])
        self.order = list(order)
        self.network = dict(best_on(lists, start))
        self.bags = {v: sorted(start) for v in start}
        for i in range(n_start, len(order)):
            child = order[i]
            self.network[child] = next(entry for entry in lists[child] if self.holds(entry[1]))
            self.bags[child] = self.join(
                child, self.network[child][1], (left_out or {}).get(child), (hosts or {}).get(child)
            )

    def holds(self, family):
        """Whether some clique of the k-tree has all members of `family`, in at most K of its vertices."""
        return any(family <= set(bag) for bag in self.bags.values()) and len(family) <= self.bound

    def join(self, child, family, unwanted, preferred):
        latest = max((self.order.index(p) for p in family), default=0)
        host = self.bags[self.order[latest]]
        if preferred in self.bags and family <= set(self.bags[preferred]):
            host = self.bags[preferred]
        kept = list(host)
        while len(kept) > self.bound or self.cells({*kept, child}) > self.most_cells:
            spare = [v for v in kept if v not in family]
            kept.remove(unwanted if unwanted in spare else spare[0])
        return [*kept, child]

    def cells(self, members):
        return math.prod(self.n_states[v] for v in members)

    def score(self):
        return math.fsum(score for score, _ in self.network.values())

    def families(self):
        return [self.network[v][1] for v in sorted(self.network)]


@functools.lru_cache(maxsize=64)
def _ranked_networks(lists):
    """All acyclic networks whose families are listed, the best first: (score, families); n <= 5."""
    score_of = [{tuple(sorted(family)): score for score, family in sets} for sets in lists]
    listed = [
        (math.fsum(scores[family] for scores, family in zip(score_of, families)), families)
        for families in all_networks(len(lists))
        if all(family in scores for scores, family in zip(score_of, families))
    ]
    return sorted(listed, key=lambda entry: -entry[0])


def best_network(lists, is_good):
    """Best score of an acyclic network whose families satisfy `is_good`."""
    for score, families in _ranked_networks(tuple(map(tuple, lists))):
        if is_good(families):
            return score
    return -math.inf


def best_bounded(lists, bound):
    """Best score of a network whose moral graph has treewidth at most `bound`; by all networks, n <= 5."""
    return best_network(lists, lambda families: treewidth(moral_edges(families)) <= bound)


def best_along_orders(lists, bound):
    """Best network whose children can be eliminated before their parents with width at most `bound`; n <= 5.

    The networks that k-trees built along orders can hold (paper, section 3.3).
    """

    return best_network(lists, lambda families: width_along_orders(families) <= bound)


@functools.cache
def width_along_orders(families):
    """The smallest width of an elimination of the moral graph with children before their parents."""
    edges = moral_edges(families)
    return min(
        elimination_width(edges, order[::-1])
        for order in itertools.permutations(range(len(families)))
        if all(order.index(p) < order.index(child) for child, family in enumerate(families) for p in family)
    )


def best_forest(lists):
    """Best score of a network in which every variable has at most one parent."""
    return best_choice(small_lists(lists, 1), is_acyclic)


@functools.cache
def all_ktrees(n_vertices, bound):
    """All labelled k-trees as frozensets of edges."""
    return grow_ktrees(itertools.combinations(range(n_vertices), bound + 1), n_vertices, bound)


def grow_ktrees(cliques, n_vertices, bound):
    """All labelled k-trees with one of these (K + 1)-cliques: grown from each in every way."""
    level = {(frozenset(c), frozenset(map(frozenset, itertools.combinations(c, 2)))) for c in cliques}
    for _ in range(n_vertices - bound - 1):
        grown = set()
        for vertices, edges in level:
            for clique in itertools.combinations(sorted(vertices), bound):
                if all(frozenset(pair) in edges for pair in itertools.combinations(clique, 2)):
                    for new in set(range(n_vertices)) - vertices:
                        grown.add((vertices | {new}, edges | {frozenset((new, v)) for v in clique}))
        level = grown
    return frozenset(edges for _, edges in level)


def best_inside(lists, edges):
    """Best score of a network whose moral graph is a subgraph of the graph with these edges."""

    def is_inside(child, family):
        return all(frozenset(pair) in edges for pair in itertools.combinations((child, *family), 2))

    within = [[(s, p) for s, p in sets if is_inside(v, p)] for v, sets in enumerate(lists)]
    return best_choice(within, is_acyclic)
