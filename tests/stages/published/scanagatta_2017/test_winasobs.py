"""Moves of blocks in an order: the kernels against evaluation from scratch, and the search of WINASOBS."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.orders import assert_state_is_fresh, feasible_order, reachable, start
from helpers.seeds import seeds
from naive.optimize.networks_search import best_by_orders, make_table, random_table
from naive.optimize.orders import inserted, lists_of, order_score

from stages.graphs import topological_order
from stages.lists.set_lists import fixed_parents, index_members, lists_in
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.published.scanagatta_2017.winasobs import WindowSearcher
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


def searcher_of(table, seed, widest=5):
    rng, lists = np.random.default_rng(seed), lists_in(table)
    return WindowSearcher(lists, index_members(lists), fixed_parents(table), feasible_order(table, rng), rng, widest)


# Worked by hand


def test_hand_topological_order_by_rank():
    assert topological_order([(), (0,), (), (2,)], [2, 0, 1, 3]) == [2, 0, 1, 3]


# Against evaluation from scratch


# Search


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_no_block_gains_at_the_end_of_a_climb(seed):
    table = random_table(seed, 8, n_sets=25, n_fixed=seed % 3)
    naive, searcher = lists_of(table), searcher_of(table, seed, widest=4)
    lists, _, state = start(table, searcher.order)
    before = order_score(naive, state.order.tolist())
    searcher.climb(state, Budget())
    order = state.order.tolist()
    here = order_score(naive, order)
    assert here >= before - 1e-9
    assert_state_is_fresh(lists, state)
    for width in range(1, 5):
        for i in range(8 - width + 1):
            for j in reachable(naive, order, i, width):
                assert order_score(naive, inserted(order, i, j, width)) <= here + 1e-6


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_small_tables_are_solved(seed):
    table = random_table(seed, 6, n_sets=15, n_fixed=seed % 3)
    options = OptimizeOptions(method="winasobs", restarts=5, seed=seed)
    network, _ = run(table, options, Budget(), NullReporter())
    assert network.header.extra["total"] == pytest.approx(best_by_orders(table))


@pytest.mark.slow
def test_limits_threads_and_slices_change_nothing_but_the_end(monkeypatch):
    table = random_table(3, 15, n_sets=40)
    totals = []
    for jobs, slice_work, evaluations in (
        (1, None, None),
        (2, None, None),
        (1, 50, None),
        (1, None, 700),
        (2, 50, 700),
    ):
        if slice_work is not None:
            monkeypatch.setattr("stages.published.scanagatta_2017.winasobs.SLICE_WORK", slice_work)
        options = OptimizeOptions(method="winasobs", restarts=6, seed=4, jobs=jobs)
        network, _ = run(table, options, Budget(evaluations=evaluations), NullReporter())
        extra = network.header.extra
        totals.append((extra["total"], extra["orders"], network.parents))
        if evaluations is not None:
            assert extra["orders"] <= evaluations
    assert totals[0] == totals[1] == totals[2]
    assert totals[3] == totals[4]


def test_a_stopped_search_still_delivers():
    table = random_table(5, 10, n_sets=20, n_fixed=2)
    budget = Budget()
    budget.stop.set()
    network, _ = run(table, OptimizeOptions(method="winasobs"), budget, NullReporter())
    assert network.header.extra["interrupted"] is True and len(network.parents) == 10


def test_one_variable():
    table = make_table({0: {(): -1.0}})
    network, _ = run(table, OptimizeOptions(method="winasobs", restarts=1), Budget(), NullReporter())
    assert network.parents == ((),)
