"""The paper's best-first search along one order: it finds the best choices, and bounds them where it is cut short."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.cases.ktrees import demanding_table, joined_sets
from helpers.seeds import seeds
from naive.optimize.informative_score import best_growth
from naive.optimize.networks_search import random_table

from stages.kernels.ktrees.orders import evaluate_order
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.treewidth.problem import prepare_bounded
from stages.published.scanagatta_2016.kastar import search_plainly
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


def prepare(table, width, seed):
    """A problem, the tree of k-G along a random order, and the relative score of its start clique."""
    problem = prepare_bounded(table, width)
    tree = problem.new_tree()
    order = np.random.default_rng(seed).permutation(problem.n_variables).astype(np.int32)
    tree.order[:] = problem.respect(order)
    evaluate_order(problem.lists, problem.filters, tree, problem.new_clique_tables(), -np.inf)
    return problem, tree, float(problem.lists.scores[tree.chosen[tree.order[: width + 1]]].sum())


@pytest.mark.parametrize("demanding", [False, True])
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_the_best_choices_along_an_order(width, seed, demanding):
    n = 6
    table = demanding_table(seed, n, n_fixed=width - 1) if demanding else random_table(seed, n, n_sets=24)
    problem, tree, start = prepare(table, width, seed)
    expected = start + best_growth(joined_sets(problem.lists), {}, tree.order.tolist(), width, 1.0)
    found, bound, n_states = search_plainly(problem, tree, start, Budget())
    assert found == pytest.approx(expected, abs=1e-9) and bound == found and n_states >= n - width
    assert problem.lists.scores[tree.chosen].sum() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("room", [0, 1, 5, 100])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_cut_short_it_bounds_what_it_lacks(room, seed):
    problem, tree, start = prepare(random_table(seed, 9, n_sets=40), 2, seed)
    expected = start + best_growth(joined_sets(problem.lists), {}, tree.order.tolist(), 2, 1.0)
    found, bound, _ = search_plainly(problem, tree, start, Budget(), room)
    assert found <= expected + 1e-9 and bound >= expected - 1e-9
    assert problem.lists.scores[tree.chosen].sum() == pytest.approx(found, abs=1e-9)


def test_without_time_it_has_a_bound_alone():
    problem, tree, start = prepare(random_table(1, 9, n_sets=40), 2, 1)
    found, bound, _ = search_plainly(problem, tree, start, Budget(seconds=0.0))
    assert found == -np.inf and start >= bound > -np.inf


@pytest.mark.parametrize("n", [3, 10])
@pytest.mark.parametrize("seed", seeds(3, quick=1))
def test_both_searches_decide_the_same_orders_alike(n, seed):
    table = random_table(seed, n, n_sets=30)
    options = OptimizeOptions(method="kastar", treewidth=2, restarts=6, seed=seed)
    plain = replace(options, best_first=True)
    extras = [run(table, given, Budget(), NullReporter())[0].header.extra for given in (options, plain)]
    assert extras[0]["orders"] == extras[1]["orders"] == extras[0]["decided"] == extras[1]["decided"]
    assert extras[0]["total"] == pytest.approx(extras[1]["total"], abs=1e-9)
