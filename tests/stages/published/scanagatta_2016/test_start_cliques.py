"""k-A* and k-G where the start clique is larger than the kernels solve: against the exact method and plain twins."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.kastar import best_choices
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import lists_of

from stages.kernels.ktrees.orders import evaluate_order
from stages.kernels.ktrees.start_clique import EXACT_CLIQUE
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.treewidth.problem import prepare_bounded
from stages.published.scanagatta_2016 import start_cliques
from stages.published.scanagatta_2016.start_cliques import StartCliques
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

WIDTH = EXACT_CLIQUE  # start cliques of one member more than the kernels solve exactly


def optimize(table, width, method, restarts=None, seconds=None, evaluations=None):
    """What the sampled orders give, without the best forest's."""
    options = OptimizeOptions(method=method, treewidth=width, restarts=restarts, seed=1, sampled_only=True)
    return run(table, options, Budget(seconds, evaluations), NullReporter())[0].header.extra


def exact(table):
    return run(table, OptimizeOptions(method="exact"), Budget(), NullReporter())[0].header.extra["total"]


def dense_table(seed, n):
    """Lists on which the best sets of many variables close cycles."""
    return random_table(seed, n, max_parents=4, n_sets=25)


def best_on_first(table, order, size):
    """The best total on the first variables of an order, by the exact method on their sets alone."""
    place = {v: t for t, v in enumerate(order[:size])}
    sets = {
        place[v]: {tuple(sorted(place[p] for p in family)): score for score, family in lists if family <= set(place)}
        for v, lists in enumerate(lists_of(table))
        if v in place
    }
    return exact(make_table(sets))


@pytest.mark.parametrize("method", ["kastar", "kg"])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_a_start_clique_of_all_variables_is_the_exact_network(method, seed):
    for n in (WIDTH + 1, WIDTH + 3):
        table = dense_table(seed, n)
        found = optimize(table, n - 1, method)
        assert found["total"] == pytest.approx(exact(table), abs=1e-9)
        assert found["orders"] == 1
        assert found.get("decided", 1) == 1 and "undecided" not in found


@pytest.mark.parametrize("beyond", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(3, quick=1))
def test_orders_decided_are_the_best_ones_along_them(beyond, seed):
    """One order of K + 2 to K + 4 variables: the exact DAG on its start clique, and the best choices behind it."""
    n = WIDTH + 1 + beyond
    table = dense_table(seed, n)
    found = optimize(table, WIDTH, "kastar", restarts=1)
    assert found["decided"] == 1
    order = found["treewidth"]["elimination"][::-1]
    first = best_on_first(table, order, WIDTH + 1)
    assert found["total"] == pytest.approx(first + best_choices(lists_of(table), order, WIDTH), abs=1e-9)
    assert found["total"] <= exact(table) + 1e-9
    many = optimize(table, WIDTH, "kastar", restarts=3)
    assert many["orders"] == 3 and many["total"] >= found["total"]
    assert many["total"] >= optimize(table, WIDTH, "kg", restarts=3)["total"] - 1e-9


def test_beyond_the_programme_orders_are_undecided_and_restarts_honoured(monkeypatch):
    monkeypatch.setattr(start_cliques, "MOST_VARIABLES", WIDTH + 1)
    n = WIDTH + 3
    table = dense_table(2, n)
    best = exact(table)
    one, some = (optimize(table, n - 1, "kastar", restarts=restarts) for restarts in (1, 5))
    assert (one["orders"], some["orders"]) == (1, 5)
    assert one["undecided"] == 1
    assert one["total"] < best <= one["total"] + one["undecided_gap"]["largest"] + 1e-9
    assert one["total"] <= some["total"] <= best + 1e-9
    assert optimize(table, n - 1, "kg", restarts=5)["orders"] == 5


def test_without_time_the_kernels_choice_stays_and_is_undecided():
    table = dense_table(2, WIDTH + 3)
    found = optimize(table, WIDTH + 2, "kastar", seconds=0.0)
    assert found["decided"] == 0 and found["undecided"] == 1
    assert found["total"] + found["undecided_gap"]["largest"] >= exact(table) - 1e-9


@pytest.mark.parametrize("method", ["kmax", "asobs", "ils"])
def test_other_methods_try_more_orders_where_their_clique_is_not_exact(method):
    """One order is enough only up to the cliques that the kernels solve."""
    for n, is_more in ((EXACT_CLIQUE, False), (EXACT_CLIQUE + 2, True)):
        found = optimize(dense_table(4, n), n - 1, method, restarts=4, evaluations=400)
        assert (found["orders"] > 1) == is_more or found["gap"] < 1e-6


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_the_order_is_left_if_it_cannot_reach_the_floor(seed):
    table = dense_table(seed, WIDTH + 3)
    problem = prepare_bounded(table, WIDTH)
    cliques, tree = StartCliques(problem, Budget()), problem.new_tree()
    tree.order[:] = np.random.default_rng(seed).permutation(WIDTH + 3)
    before = evaluate_order(problem.lists, problem.filters, tree, problem.new_clique_tables(), -np.inf)
    chosen = tree.chosen.copy()
    score, room = cliques.complete(tree, before, np.inf)
    assert score == before and (tree.chosen == chosen).all()
    gained, slack = cliques.complete(tree, before)
    assert before <= gained <= before + room + 1e-9 and slack == 0.0
    assert problem.lists.scores[tree.chosen].sum() == pytest.approx(gained, abs=1e-9)
    assert cliques.complete(tree, gained)[0] == pytest.approx(gained, abs=1e-9)
