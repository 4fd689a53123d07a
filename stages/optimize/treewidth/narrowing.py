"""Networks that are too wide lose members until greedy elimination keeps the bounds; thousands of variables take
milliseconds an order.
"""

from __future__ import annotations

import numpy as np

from formats.sets.listed_sets import ListedSets
from stages.kernels.ktrees.elimination import SparseGraph, eliminate_moral, new_sparse_graph
from stages.kernels.ktrees.narrowing import narrow
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import index_lists
from stages.runtime.budgets import Budget

from ..result import Parents
from .table_bound import TableBound

FIRST_ORDERS = 20
"""Greedy elimination orders, random among equal degrees, that are tried before a network counts as too wide."""

SHARE = 0.05
"""Share of the families in the core that lose a member in one step."""

FILLED = 4
"""Edges that elimination adds at most, per variable and unit of the width; an order that adds more is too wide."""


def graph_of_lists(lists: SetLists, treewidth: int, bound: TableBound) -> SparseGraph:
    """Scratch for the moral graph of any network of the listed sets."""
    sizes, n = np.diff(lists.parent_offsets), len(bound.n_states)
    largest = np.maximum.reduceat(sizes * (sizes + 1) // 2, lists.set_offsets[:-1])
    graph = new_sparse_graph(n, treewidth, int(largest.sum()) + FILLED * n * treewidth)
    graph.cells[:] = bound.n_states
    return graph


def order_within(
    lists: SetLists,
    chosen: np.ndarray,
    graph: SparseGraph,
    bound: TableBound,
    rng: np.random.Generator,
    budget: Budget,
) -> np.ndarray | None:
    """An elimination order of the sets `chosen` within the bounds; int32.

    If `FIRST_ORDERS` orders exceed them, families lose members: then `chosen` is changed. None if no family can lose
    one, or if the budget ends.
    """
    for _ in range(FIRST_ORDERS):
        if eliminate_moral(lists, graph, rng, chosen, bound.most_cells):
            return graph.order.copy()
    state = 1
    while state == 1 and not budget.is_spent():
        state = narrow(lists, graph, rng, chosen, bound.most_cells, SHARE)
    return graph.order.copy() if state == 0 else None


def elimination_within(
    parents: Parents, treewidth: int, bound: TableBound, rng: np.random.Generator
) -> np.ndarray | None:
    """An elimination order of a network within the bounds, if greedy elimination finds one; int32."""
    families = ListedSets.of(parents)
    if families.sizes.max() > treewidth:
        return None
    # With no smaller sets in the lists, the network cannot be narrowed.
    n = len(parents)
    lists = index_lists(np.arange(n + 1), families, np.zeros(n))
    return order_within(lists, np.arange(n), graph_of_lists(lists, treewidth, bound), bound, rng, Budget())
