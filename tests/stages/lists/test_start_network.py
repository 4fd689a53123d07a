"""Networks to start from: how they are matched, the order they stand for, and that searches begin there."""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of, order_score

from formats.data_records import Variable
from formats.graphs.algorithms import elimination_width, moral_graph
from formats.records import Header, NetworkRecord
from stages.lists.start_network import StartNetwork, match_start
from stages.optimize import METHODS, SETS, SETS_TW, OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.treewidth.problem import prepare_bounded
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter


def methods_with_start(task):
    return [
        name for name, spec in METHODS.items() if task in spec.variants and "start" in spec.variants[task].options
    ]


def network_of(names, parents, **extra):
    header = Header(tuple(Variable(name) for name in names), extra=extra)
    return NetworkRecord(header, parents, np.zeros(len(names)))


def solve(table, method="ils", evaluations=2000, **options):
    options = OptimizeOptions(method=method, **options)
    return run(table, options, Budget(evaluations=evaluations), NullReporter())[0]


@functools.cache
def solved(seed):
    """A table and a good network for it."""
    table = random_table(seed, 12, n_sets=40, n_fixed=seed)
    return table, solve(table)


@functools.cache
def solved_within_three():
    """A table and a good network of treewidth 3 or less for it."""
    table = random_table(3, 12, n_sets=40)
    return table, solve(table, "asobs", treewidth=3)


def test_hand_matched_by_name():
    start = network_of("abc", ((), (0,), (0, 1)), treewidth={"elimination": [2, 1, 0]})
    matched = match_start(start, ("c", "a", "b"))
    assert matched.parents == ((1, 2), (), (1,))
    assert matched.elimination == (0, 2, 1)
    assert matched.order().tolist() == [1, 2, 0]


@pytest.mark.parametrize("names", [("a", "b"), ("a", "b", "d"), ("a", "b", "c", "d")])
def test_other_variables_are_refused(names):
    with pytest.raises(StageError, match=r"start network and the parent sets differ in variable '[cd]'"):
        match_start(network_of("abc", ((), (0,), ())), names, "the parent sets")


def test_hand_inverted_tree_is_a_hint():
    """Its width is 2, but not with children eliminated before their parents."""
    start = StartNetwork(((), (), (), (), (0, 1), (2, 3), (4, 5)))
    assert start.order(2).tolist() == start.order().tolist() == [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_an_order_within_the_width_is_found_where_the_header_names_none(seed):
    best = solve(random_table(seed, 9, n_sets=30), treewidth=2)
    order = StartNetwork(best.parents).order(2)
    assert elimination_width(moral_graph(best.parents), order[::-1].tolist()) <= 2


def test_an_elimination_order_that_does_not_fit_is_passed_over():
    parents = ((), (0,), (1,))
    assert StartNetwork(parents, (0, 1, 2)).order(1).tolist() == [0, 1, 2]
    assert StartNetwork(parents, (2, 1, 0)).order(1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("method", methods_with_start(SETS))
@pytest.mark.parametrize("seed", range(3))
def test_searches_begin_at_the_start_network(method, seed):
    table, best = solved(seed)
    order = StartNetwork(best.parents).order()
    there = order_score(lists_of(table), order.tolist())
    assert there >= best.header.extra["total"] - 1e-9
    start = match_start(best, table.header.names)
    again = solve(table, method, 1, restarts=1, seed=77 + seed, start=start)
    assert again.header.extra["total"] >= best.header.extra["total"] - 1e-9


@pytest.mark.parametrize("method", methods_with_start(SETS_TW))
@pytest.mark.parametrize("init", ["dfs", pytest.param("random", marks=pytest.mark.slow)])
def test_bounded_searches_begin_with_its_order(method, init):
    from stages.kernels.ktrees.orders import evaluate_order

    table, best = solved_within_three()
    start = match_start(best, table.header.names)
    problem = prepare_bounded(table, 3)
    tree = problem.new_tree()
    tree.order[:] = problem.respect(start.order(3))
    assert tree.order[::-1].tolist() == best.header.extra["treewidth"]["elimination"]
    evaluate_order(problem.lists, problem.filters, tree, problem.new_clique_tables(), -np.inf)
    there = math.fsum(problem.scores[tree.chosen])
    again = solve(table, method, 1, restarts=1, treewidth=3, seed=5, init=init, start=start)
    assert again.header.extra["total"] >= there - 1e-9
    # Whatever follows is another matter: only the first order is given.
    more = solve(table, method, 8, treewidth=3, seed=5, init=init, start=start)
    assert more.header.extra["total"] >= there - 1e-9


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_ils_keeps_a_start_network_with_arcs_against_its_order(seed):
    table = random_table(seed, 12, n_sets=40, n_fixed=seed)
    best = solve(table, treewidth=3)
    start = match_start(best, table.header.names)
    again = solve(table, "ils", 1, restarts=1, treewidth=3, seed=5, start=start)
    assert again.header.extra["total"] >= best.header.extra["total"] - 1e-9


def test_a_wide_start_network_is_a_hint():
    table = random_table(1, 10, n_sets=40)
    start = match_start(solve(table), table.header.names)
    assert solve(table, treewidth=2, start=start).header.extra["treewidth"]["width"] <= 2


def test_a_start_does_not_change_later_restarts():
    table = random_table(2, 10, n_sets=40)
    start = match_start(solve(table), table.header.names)
    plain = OptimizeOptions(method="obs", restarts=5, seed=3)
    columns = [
        run(table, options, Budget(), NullReporter())[1]["per_restart"]["initial_score"]
        for options in (plain, replace(plain, start=start))
    ]
    assert columns[0][1:] == columns[1][1:]
    assert columns[0][0] < columns[1][0]
