"""Feedback arc sets, their weights and depth-first orders, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.orders import is_acyclic, lists_of

from stages.kernels.orders.initial_orders import arc_weights, break_cycles, depth_first_order, restore_arcs
from stages.lists.order_decoding import chosen_arcs
from stages.lists.set_lists import lists_in
from stages.optimize.orders.initial_orders import OrderSampler


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_feedback_arc_set_is_minimal_and_breaks_all_cycles(seed):
    table = random_table(seed, 9, n_sets=12)
    sampler = OrderSampler(table, "fas")
    offsets, parents = chosen_arcs(table, table.set_offsets[:-1])
    removed = break_cycles(offsets, parents, sampler.weights, np.arange(9, dtype=np.int32))
    graph = lambda keep: {  # noqa: E731
        c: {int(parents[k]) for k in range(offsets[c], offsets[c + 1]) if keep[k]} for c in range(9)
    }
    assert is_acyclic(graph(~removed))
    out = np.flatnonzero(removed)
    restore_arcs(offsets, parents, removed, out, sampler.children)
    assert is_acyclic(graph(~removed))
    for k in np.flatnonzero(removed):
        with_one_more = ~removed
        with_one_more[k] = True
        assert not is_acyclic(graph(with_one_more))


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_weights_are_what_a_child_misses_without_the_parent(seed):
    table = random_table(seed, 8, n_sets=20, n_fixed=seed % 3)
    weights = iter(arc_weights(lists_in(table), table.set_offsets[:-1]).tolist())
    for child, sets in enumerate(lists_of(table)):
        score, best = sets[0]
        for parent in table.parent_set(int(table.set_offsets[child])):
            others = [s for s, p in sets[1:] if p <= best - {parent}]
            assert next(weights) == (score - max(others) if others else math.inf)
    assert next(weights, None) is None


def visit(parents, ranks, variable, seen):
    """Depth-first post-order from one variable, by recursion."""
    seen.add(variable)
    found = []
    for parent in sorted(parents[variable], key=ranks.__getitem__):
        if parent not in seen:
            found += visit(parents, ranks, parent, seen)
    return [*found, variable]


def meet(neighbours, ranks, variable, seen):
    """Variables in the order in which a depth-first walk meets them, in plain recursion."""
    seen.add(variable)
    found = [variable]
    for neighbour in sorted(neighbours[variable], key=ranks.__getitem__):
        if neighbour not in seen:
            found += meet(neighbours, ranks, neighbour, seen)
    return found


@pytest.mark.parametrize("walk", [visit, meet])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_depth_first_orders_are_as_defined(seed, walk):
    rng = np.random.default_rng(seed)
    graph = [sorted(rng.permutation(9)[: rng.integers(0, 4)].tolist()) for _ in range(9)]
    offsets = np.concatenate(([0], np.cumsum([len(p) for p in graph])))
    parents = np.array([p for family in graph for p in family], dtype=np.int32)
    ranks, starts = (rng.permutation(9).astype(np.int32) for _ in range(2))
    order, seen = np.empty(9, dtype=np.int32), set()
    depth_first_order(offsets, parents, ranks, starts, order, walk is meet)
    expected = [v for s in starts.tolist() if s not in seen for v in walk(graph, ranks, s, seen)]
    assert order.tolist() == expected
