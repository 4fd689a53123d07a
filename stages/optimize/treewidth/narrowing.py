"""Networks that are too wide lose members until greedy elimination keeps the bounds; thousands of variables take
milliseconds an order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from formats.sets.listed_sets import ListedSets
from stages.graphs import topological_order
from stages.kernels.ktrees.clique_tree import find_contained
from stages.kernels.ktrees.narrowing import narrow
from stages.kernels.ktrees.sparse_elimination import SparseGraph, eliminate_moral, new_sparse_graph
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import all_sets, new_lists
from stages.runtime.budgets import Budget

from ..result import Parents, total_score
from .table_bound import TableBound

FIRST_ORDERS = 20
"""Greedy elimination orders, random among equal degrees, that are tried before a network counts as too wide."""

SHARE = 0.05
"""Share of the families in the core that lose a member in one step."""

FILLED = 4
"""Edges that elimination adds at most, per variable and unit of the width; an order that adds more is too wide."""


class EliminatedNetwork(NamedTuple):
    """A network within the bounds, and an elimination order of its moral graph that shows it."""

    parents: Parents
    score: float  # in nats
    order: np.ndarray  # int32, shape (n_variables,): parents come before their children
    elimination: np.ndarray  # int32, shape (n_variables,)
    # int32, shape (n_variables, K + 1): each variable and its neighbours when eliminated, filled up with itself.
    bags: np.ndarray


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


def sets_within(lists: SetLists, parents: Parents) -> np.ndarray:
    """The best listed set of each variable within its set of `parents`; int64."""
    families, chosen = ListedSets.of(parents), np.empty(len(parents), dtype=np.int64)
    find_contained(lists, families.offsets, families.members, chosen)
    return chosen


def narrowed(
    lists: SetLists, treewidth: int, bound: TableBound, rng: np.random.Generator, parents: Parents, budget: Budget
) -> EliminatedNetwork | None:
    """A network of listed sets within those of `parents`; None if it cannot be narrowed, or if the budget ends."""
    chosen, graph = sets_within(lists, parents), graph_of_lists(lists, treewidth, bound)
    elimination = order_within(lists, chosen, graph, bound, rng, budget)
    if elimination is None:
        return None
    found = tuple(all_sets(lists).take(chosen))
    bags = np.repeat(np.arange(len(parents), dtype=np.int32)[:, None], treewidth + 1, axis=1)
    is_later = np.arange(treewidth) < graph.sizes[:, None]
    bags[:, :-1][is_later] = graph.later[is_later]
    order = np.array(topological_order(found), dtype=np.int32)
    return EliminatedNetwork(found, total_score(lists.scores, chosen), order, elimination, bags)


def elimination_within(
    parents: Parents, treewidth: int, bound: TableBound, rng: np.random.Generator
) -> np.ndarray | None:
    """An elimination order of a network within the bounds, if greedy elimination finds one; int32."""
    families = ListedSets.of(parents)
    if families.sizes.max() > treewidth:
        return None
    # With no smaller sets in the lists, the network cannot be narrowed.
    n = len(parents)
    lists = new_lists(np.arange(n + 1), families, np.zeros(n))
    return order_within(lists, np.arange(n), graph_of_lists(lists, treewidth, bound), bound, rng, Budget())
