"""Bounds on the treewidth of a network's moral graph, and the check of a certificate.

Upper bounds are widths of min-fill and min-degree orders, the lower bound comes from contractions (Bodlaender &
Koster 2010, 2011). The effort is limited by counted operations, not by time, so results are reproducible.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from formats.errors import Inconsistent
from formats.graphs.algorithms import Graph, elimination_bags, elimination_width, largest_table, moral_graph

WORK_LIMIT = 30_000_000
"""Limit of min-fill's neighbour look-ups, a few seconds; after it min-degree takes over."""


class TreewidthBounds(NamedTuple):
    """Bounds on a treewidth, and an elimination order whose width is the upper one."""

    lower: int
    upper: int
    elimination: list[int]


def check_certificate(
    parents: Sequence[Sequence[int]], certificate: Mapping[str, Any], n_states: Sequence[int] | None = None
) -> int:
    """Check the ``treewidth`` entry of a network's header; return the width of its elimination order.

    `certificate` has ``elimination``, a permutation of the variables; optionally ``width`` and ``bound``, ``table``
    and ``max_table``. `n_states` is by variable; without it tables are not checked. Raises `Inconsistent` if the
    order is no permutation, or its width or largest table differs from the stated one or exceeds the bound.
    """
    order = certificate.get("elimination") if isinstance(certificate, Mapping) else None
    if not isinstance(order, (list, tuple)) or not all(type(v) is int for v in order):
        raise Inconsistent("the treewidth certificate has no elimination order of variable indices")
    if sorted(order) != list(range(len(parents))):
        raise Inconsistent(f"the elimination order is no permutation of the {len(parents)} variables")
    graph = moral_graph(parents)
    width = elimination_width(graph, order)
    stated, bound = certificate.get("width"), certificate.get("bound")
    if stated is not None and stated != width:
        raise Inconsistent(f"the elimination order has width {width}, the header says {stated}")
    if bound is not None and width > bound:
        raise Inconsistent(f"the elimination order has width {width}, more than the bound {bound}")
    stated, bound = certificate.get("table"), certificate.get("max_table")
    if n_states and (stated is not None or bound is not None):
        cells = largest_table(graph, order, n_states)
        if stated is not None and stated != cells:
            raise Inconsistent(f"the elimination order has a table of {cells} cells, the header says {stated}")
        if bound is not None and cells > bound:
            raise Inconsistent(f"the elimination order has a table of {cells} cells, more than the bound {bound}")
    return width


def jointree_cells(graph: Graph, order: Sequence[int], n_states: Sequence[int]) -> int | float:
    """Total cells of a junction tree's cliques, the maximal cliques of an elimination order.

    Propagation visits each cell a fixed number of times. `n_states` is by variable. The result is a float beyond
    2^53.
    """
    position = {vertex: rank for rank, vertex in enumerate(order)}
    bags = list(elimination_bags(graph, order))
    # The clique of a vertex's parent in the elimination tree (its first later neighbour) contains all its later
    # neighbours; it is nested in the vertex's own clique if it has no other members.
    tree_parents = [min(bag, key=position.__getitem__, default=None) for bag in bags]
    within = {v for v, bag in zip(tree_parents, bags) if v is not None and len(bags[position[v]]) == len(bag) - 1}
    cells = math.fsum(
        math.prod((float(n_states[u]) for u in bag), start=n_states[vertex])
        for vertex, bag in zip(order, bags)
        if vertex not in within
    )
    return int(cells) if cells < 2**53 else cells


def bound_treewidth(graph: Graph) -> TreewidthBounds:
    """Bounds on the treewidth of an undirected graph."""
    lower = contraction_bound(graph)
    orders = [min_fill_order(graph), min_degree_order(graph)]
    width, _, order = min((elimination_width(graph, order), rank, order) for rank, order in enumerate(orders))
    return TreewidthBounds(lower, width, order)


def min_degree_order(graph: Graph) -> list[int]:
    """Elimination order that always takes a vertex of minimum degree, ties by index.

    The adjacency matrix is in bits, because large graphs become dense towards the end.
    """
    n_vertices = len(graph)
    rows = _neighbour_bits(graph)
    degrees = np.array([len(neighbours) for neighbours in graph], dtype=np.int64)
    order: list[int] = []
    remaining = np.ones(n_vertices, dtype=np.bool_)
    width = 0
    while n_vertices - len(order) > width + 1:
        vertex = int(np.argmin(degrees))
        width = max(width, int(degrees[vertex]))
        neighbours = np.flatnonzero(np.unpackbits(rows[vertex].view(np.uint8), bitorder="little"))
        # The neighbours are joined pairwise: each gets the row of the vertex, without the vertex and itself.
        block = rows[neighbours] | rows[vertex]
        block[:, vertex >> 6] &= ~_bit(vertex)
        block[np.arange(len(neighbours)), neighbours >> 6] &= ~_bit(neighbours)
        rows[neighbours] = block
        degrees[neighbours] = np.bitwise_count(block).sum(axis=1, dtype=np.int64)
        # Larger than any degree: `argmin` does not find it again.
        degrees[vertex] = n_vertices
        remaining[vertex] = False
        order.append(vertex)
    # The remaining vertices are too few to exceed the present width, in any order.
    return order + np.flatnonzero(remaining).tolist()


def _bit(vertex):
    return np.left_shift(np.uint64(1), np.asarray(vertex, dtype=np.uint64) & np.uint64(63))


def _neighbour_bits(graph: Graph) -> np.ndarray:
    """Adjacency as uint64 words, shape (n_vertices, ceil(n_vertices / 64)), lowest bit first."""
    rows = np.zeros((len(graph), (len(graph) + 63) // 64), dtype=np.uint64)
    for vertex, neighbours in enumerate(graph):
        members = np.fromiter(neighbours, dtype=np.int64, count=len(neighbours))
        np.bitwise_or.at(rows[vertex], members >> 6, _bit(members))
    return rows


def min_fill_order(graph: Graph, work_limit: int = WORK_LIMIT) -> list[int]:
    """Elimination order that always takes a vertex with the fewest fill edges.

    Ties go to the smaller degree, then index. After `work_limit` look-ups the rest is ordered by min-degree.
    """
    search = _MinFill(graph)
    while search.is_open and search.work < work_limit:
        search.eliminate_next()
    rest = sorted(search.remaining)
    if search.is_open:
        index = {vertex: rank for rank, vertex in enumerate(rest)}
        rest = [rest[v] for v in min_degree_order([{index[u] for u in search.graph[v]} for v in rest])]
    return search.order + rest


def exceeds_cells(graph: Graph, n_states: Sequence[int], limit: float, work_limit: int = WORK_LIMIT) -> bool:
    """Whether a clique of a min-fill order has more than `limit` cells; it ends at the first one.

    `n_states` is by variable. Also true if the order takes more than `work_limit` look-ups.
    """
    search = _MinFill(graph)
    while search.remaining:
        search.eliminate_next()
        vertex = search.order[-1]
        cells = math.prod((float(n_states[u]) for u in search.graph[vertex]), start=float(n_states[vertex]))
        if cells > limit or search.work > work_limit:
            return True
    return False


class _MinFill:
    """Min-fill elimination with incremental numbers of fill edges (`missing` among a vertex's neighbours)."""

    def __init__(self, graph: Graph):
        self.graph = [set(neighbours) for neighbours in graph]
        self.remaining = set(range(len(graph)))
        self.order: list[int] = []
        self.width = 0
        self.work = 0
        self.missing = [self._count_missing(vertex) for vertex in range(len(graph))]
        self.heap = [(self.missing[v], len(graph[v]), v) for v in range(len(graph))]
        heapq.heapify(self.heap)

    @property
    def is_open(self) -> bool:
        """Whether the order of the remaining vertices can still affect the width."""
        return len(self.remaining) > self.width + 1

    def _count_missing(self, vertex: int) -> int:
        neighbours = self.graph[vertex]
        self.work += len(neighbours) ** 2
        # Each edge among the neighbours is counted from both ends.
        linked = sum(len(neighbours & self.graph[u]) for u in neighbours)
        return (len(neighbours) * (len(neighbours) - 1) - linked) // 2

    def eliminate_next(self) -> None:
        while True:
            missing, degree, vertex = heapq.heappop(self.heap)
            # Entries in the heap are never changed: an entry that disagrees with the present state is stale and
            # skipped.
            if vertex in self.remaining and (missing, degree) == (self.missing[vertex], len(self.graph[vertex])):
                break
        neighbours = sorted(self.graph[vertex])
        changed = self._detach(vertex)
        if missing:
            changed |= self._join(neighbours)
        for v in changed:
            heapq.heappush(self.heap, (self.missing[v], len(self.graph[v]), v))
        self.width = max(self.width, degree)
        self.remaining.discard(vertex)
        self.order.append(vertex)

    def _detach(self, vertex: int) -> set[int]:
        """Remove a vertex: its neighbours lose the missing edges between this vertex and their other neighbours."""
        neighbours = self.graph[vertex]
        for u in neighbours:
            self.missing[u] -= len(self.graph[u]) - 1 - len(self.graph[u] & neighbours)
            self.graph[u].discard(vertex)
        self.work += len(neighbours) ** 2
        return set(neighbours)

    def _join(self, clique: list[int]) -> set[int]:
        """Make some vertices pairwise adjacent; return the vertices whose missing edges changed."""
        changed: set[int] = set()
        for u in clique:
            for v in sorted(set(clique) - self.graph[u] - {u}):
                common = self.graph[u] & self.graph[v]
                self.work += len(self.graph[u])
                for w in common:
                    self.missing[w] -= 1
                # Each end gains a neighbour that is adjacent, among its other neighbours, only to the common ones.
                self.missing[u] += len(self.graph[u]) - len(common)
                self.missing[v] += len(self.graph[v]) - len(common)
                self.graph[u].add(v)
                self.graph[v].add(u)
                changed |= common
        return changed


def contraction_bound(graph: Graph) -> int:
    """Lower bound on the treewidth: the largest minimum degree of successive edge contractions (MMD+).

    A vertex of minimum degree is merged with the neighbour that shares the fewest neighbours with it (rule least-c;
    ties: smaller degree, then index). The bound is at least the degeneracy, hence at least the largest family minus
    one.

    Contraction does not increase the treewidth, and the minimum degree of a graph is at most its treewidth.
    Bodlaender & Koster, "Treewidth computations II: lower bounds" (Information and Computation, 2011).
    """
    graph = [set(neighbours) for neighbours in graph]
    heap = [(len(neighbours), vertex) for vertex, neighbours in enumerate(graph)]
    heapq.heapify(heap)
    remaining = set(range(len(graph)))
    bound = 0
    # A graph of m vertices has no vertex of degree m, so a smaller graph cannot raise the bound.
    while len(remaining) > bound + 1:
        degree, vertex = heapq.heappop(heap)
        # A stale entry.
        if vertex not in remaining or degree != len(graph[vertex]):
            continue
        bound = max(bound, degree)
        remaining.discard(vertex)
        neighbours = graph[vertex]
        if not neighbours:
            continue
        target = min((len(graph[u] & neighbours), len(graph[u]), u) for u in neighbours)[2]
        for u in neighbours:
            graph[u].discard(vertex)
        # The vertex is contracted into `target`, which takes over its other neighbours.
        neighbours.discard(target)
        for u in neighbours:
            graph[u].add(target)
        graph[target] |= neighbours
        for u in (target, *neighbours):
            heapq.heappush(heap, (len(graph[u]), u))
    return bound
