"""Elementary algorithms on directed and moral graphs: orders, components, elimination, reachability.

A directed graph is a sequence of parent sets, one per variable; an undirected one is a list of sets of neighbours.
Moral graphs and widths of elimination orders, which readers of networks need too, are in `formats.graphs.algorithms`.

treewidth             bounds on the treewidth, certificates
essential_graphs      essential graphs (CPDAGs), structural Hamming distance
orientation           what decides the directions of arcs, maximally oriented graphs, interventional ones
intervention_targets  what was set from outside in rows, and the directions that this decides
network_classes       number, list and random ones of the networks of a class, by clique picking
consistent_extension  directions without new v-structures
subgraphs             Markov blankets, neighbourhoods, parts of a network
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from formats.graphs.algorithms import Graph, Parents


def children_of(parents: Parents) -> list[list[int]]:
    """Children of every variable, ascending."""
    children: list[list[int]] = [[] for _ in parents]
    for child, family in enumerate(parents):
        for parent in family:
            children[parent].append(child)
    return children


# ------------------------------------------------------------------------------------ orders and cycles
def topological_order(parents: Parents, rank: Sequence[int] | np.ndarray | None = None) -> list[int]:
    """Variables with parents before children (Kahn 1962).

    With `rank` (distinct numbers), the next variable is the one of least rank among those whose parents are all
    placed. Without it, the next variable is the one that became free first, initially by index. Variables on a cycle
    or reached from one are left out (see `behind_cycles`).
    """
    children = children_of(parents)
    waiting = [len(family) for family in parents]
    free = [v for v, count in enumerate(waiting) if count == 0]
    if rank is None:
        for variable in free:  # grows during the iteration
            free += _released(children[variable], waiting)
        return free
    ready = [(int(rank[v]), v) for v in free]
    heapq.heapify(ready)
    order = []
    while ready:
        _, variable = heapq.heappop(ready)
        order.append(variable)
        for child in _released(children[variable], waiting):
            heapq.heappush(ready, (int(rank[child]), child))
    return order


def _released(children: Iterable[int], waiting: list[int]) -> list[int]:
    """Children without further unplaced parents once this parent is placed; `waiting` is updated."""
    released = []
    for child in children:
        waiting[child] -= 1
        if waiting[child] == 0:
            released.append(child)
    return released


def random_topological_order(parents: Parents, rng: np.random.Generator) -> np.ndarray:
    """A random topological order of an acyclic graph (not uniform); int32."""
    return np.array(topological_order(parents, rng.permutation(len(parents))), dtype=np.int32)


def behind_cycles(parents: Parents) -> list[int]:
    """Variables on a cycle or reached from one, ascending; empty when the graph is acyclic."""
    return sorted(set(range(len(parents))) - set(topological_order(parents)))


class CycleError(ValueError):
    """The arcs close a cycle.

    Attribute `cycle`: its variables, each followed by one of its parents, the last by the first.
    """

    def __init__(self, cycle: list[int]):
        super().__init__(f"the arcs close a cycle through {len(cycle)} variables")
        self.cycle = cycle


def pull_parents_forward(order: Iterable[int], parents: Mapping[int, Iterable[int]]) -> list[int]:
    """`order`, in which parents that come later are moved to just before their child (depth-first post-order).

    `parents` is by child, for children that have any. Raises `CycleError` if the arcs close a cycle.
    """
    return _post_order(order, lambda v: sorted(parents.get(v, ())), is_acyclic=True)


def _post_order(starts: Iterable[int], following: Callable[[int], Iterable[int]], is_acyclic: bool) -> list[int]:
    """Vertices of a depth-first search by finishing time; raises `CycleError` for a cycle in a graph declared
    acyclic.
    """
    done: set[int] = set()
    placed: list[int] = []
    for start in starts:
        path = [(start, iter(following(start)))] if start not in done else []
        on_path = {start}
        while path:
            vertex, rest = path[-1]
            new = next((u for u in rest if u not in done and (is_acyclic or u not in on_path)), None)
            if new is None:
                path.pop()
                on_path.discard(vertex)
                done.add(vertex)
                placed.append(vertex)
            # The path follows arcs: an arc back to one of its own vertices closes a cycle.
            elif new in on_path:
                cycle = [v for v, _ in path]
                raise CycleError(cycle[cycle.index(new) :])
            else:
                on_path.add(new)
                path.append((new, iter(following(new))))
    return placed


def positions_of(order: np.ndarray) -> np.ndarray:
    """The inverse permutation: position of every variable; int32."""
    position = np.empty(len(order), dtype=np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    return position


# ------------------------------------------------------------------------------------ components
def connected_components(graph: Graph) -> list[list[int]]:
    """Vertices of each component, ascending; components by their least vertex."""
    # Each edge is present in both directions.
    return sorted(strongly_connected_components([list(neighbours) for neighbours in graph]))


def strongly_connected_components(parents: Parents) -> list[list[int]]:
    """Variables of every strongly connected component, ascending (Kosaraju and Sharir 1981)."""
    finished = _post_order(range(len(parents)), children_of(parents).__getitem__, is_acyclic=False)
    component = [-1] * len(parents)
    components: list[list[int]] = []
    # The vertex that finished last lies in a component that no other unvisited component leads into; so against the
    # arcs, exactly this component can be reached from it.
    for root in reversed(finished):
        if component[root] >= 0:
            continue
        component[root], reached = len(components), [root]
        for variable in reached:  # grows during the iteration
            for parent in parents[variable]:
                if component[parent] < 0:
                    component[parent] = len(components)
                    reached.append(parent)
        components.append(sorted(reached))
    return components


# ------------------------------------------------------------------------------------ elimination
def eliminate_children_first(graph: Graph, parents: Parents) -> list[int]:
    """Greedy elimination order of small width with children before their parents: among the variables without
    remaining children, always one with the fewest neighbours, ties by index.

    `graph` is the moral graph of `parents`, which is acyclic.
    """
    graph = [set(neighbours) for neighbours in graph]
    waiting = [len(children) for children in children_of(parents)]
    free = {v for v, count in enumerate(waiting) if count == 0}
    order = []
    while free:
        vertex = min(free, key=lambda v: (len(graph[v]), v))
        free.discard(vertex)
        order.append(vertex)
        for u in graph[vertex]:
            graph[u] |= graph[vertex]
            graph[u] -= {u, vertex}
        # As in a topological sort, against the arcs: a parent is free once all its children are eliminated.
        free.update(_released(parents[vertex], waiting))
    return order
