"""Exact search under a treewidth bound: optima against all networks and all k-trees, bounds, claims, interruption."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.ktrees import all_ktrees, best_bounded, best_forest, best_inside
from naive.optimize.networks_search import best_by_orders, make_table, random_table
from naive.optimize.orders import lists_of

from stages.optimize import OptimizeOptions
from stages.optimize.bounds.rounding import optimality_tolerance
from stages.optimize.driver import run
from stages.optimize.exact.width import edge_tree, within_width
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter

OPTIMUM = 1e-9


def solve(table, treewidth, budget=None, seed=0):
    options = OptimizeOptions(method="exact", treewidth=treewidth, seed=seed)
    return run(table, options, budget or Budget(), NullReporter())[0]


def total(network):
    return network.header.extra["total"]


def assert_optimal(network, best):
    assert math.isclose(total(network), best, abs_tol=OPTIMUM)
    assert network.header.extra["gap"] <= optimality_tolerance(network.scores)


# Worked by hand


def collider_of(n_parents):
    """The last variable wants all others as parents, which gain nothing: 10 nats for each two parents more."""
    n = n_parents + 1
    sets: dict[int, dict[tuple[int, ...], float]] = {v: {(): -10.0} for v in range(n)}
    sets[n_parents] = {tuple(range(size)): -100.0 + 10.0 * size for size in range(n_parents + 1)}
    return make_table(sets)


def test_a_parent_set_larger_than_the_bound_is_not_chosen():
    network = solve(collider_of(4), 2)
    assert network.parents[4] == (0, 1)
    assert_optimal(network, -40.0 - 80.0)
    assert "with at most 2 parents each" in network.header.extra["bound_relative_to"]


def test_a_cycle_of_marriages_needs_one_more():
    """Four colliders close a cycle of four pairs, of treewidth 2; two more make a clique of four of it."""
    sets = {v: {(): -10.0} for v in range(4)}
    for child, pair in enumerate([(0, 1), (1, 2), (2, 3), (0, 3)], start=4):
        sets[child] = {(): -20.0, pair: -5.0 - child}
    table = make_table(sets)
    assert_optimal(solve(table, 2), -40.0 - (9 + 10 + 11 + 12))
    more = {**{v: dict(sets[v]) for v in sets}, 8: {(): -20.0, (0, 2): -1.0}, 9: {(): -20.0, (1, 3): -1.0}}
    # All six pairs of four variables: a clique of four, which treewidth 2 does not hold; the cheapest is left out.
    assert_optimal(solve(make_table(more), 2), -40.0 - (9 + 10 + 11 + 20) - 2.0)
    assert_optimal(solve(make_table(more), 3), -40.0 - (9 + 10 + 11 + 12) - 2.0)


# Against brute force


@pytest.mark.parametrize("seed", seeds(12, quick=4))
def test_optima_are_the_same_after_a_bound_by_multipliers(seed, monkeypatch):
    """Sets that it excludes are in no better network; few sets need neither bound nor exclusions."""
    table, treewidth = random_table(seed, 8, 3, 30, ties=seed % 2 == 0), 2 + seed % 2
    best = solve(table, treewidth)
    n_excluded = []

    def exclude(incumbent, *others):
        bound = _exclude(incumbent, *others)
        n_excluded.append(incumbent.table.n_sets - len(bound.kept))
        return bound

    _exclude = within_width._exclude
    monkeypatch.setattr(within_width, "_exclude", exclude)
    monkeypatch.setattr(within_width, "LEAST_SETS", 0)
    network = solve(table, treewidth)
    assert len(n_excluded) <= 1
    assert_optimal(network, total(best))


@pytest.mark.parametrize("seed", seeds(16, quick=3))
def test_optima_equal_those_of_all_networks(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 6))
    treewidth = int(rng.integers(2, n - 1)) if n > 4 else 2
    n_fixed = int(rng.integers(0, 3)) if seed % 3 == 0 else 0
    table = random_table(seed, n, treewidth + 1, int(rng.integers(4, 11)), n_fixed, ties=seed % 2 == 0)
    try:
        network = solve(table, treewidth, seed=seed)
    except StageError:
        assert best_bounded(lists_of(table), treewidth) == -math.inf
        return
    assert_optimal(network, best_bounded(lists_of(table), treewidth))


@pytest.mark.parametrize(("seed", "treewidth"), [(1, 2), (2, 3), (3, 2), (4, 4)])
def test_optima_equal_those_within_all_ktrees(seed, treewidth):
    table = random_table(seed, 6, treewidth, 7, ties=seed % 2 == 0)
    best = max(best_inside(lists_of(table), edges) for edges in all_ktrees(6, treewidth))
    assert_optimal(solve(table, treewidth), best)


@pytest.mark.parametrize("seed", range(4))
def test_sets_that_join_the_programme_later_do_not_change_the_optimum(seed, monkeypatch):
    monkeypatch.setattr(edge_tree, "MOST_AT_ONCE", 0)
    monkeypatch.setattr(edge_tree, "FIRST_SETS", 1)
    table = random_table(seed, 6, 3, 9, ties=seed % 2 == 0)
    assert_optimal(solve(table, 2), max(best_inside(lists_of(table), edges) for edges in all_ktrees(6, 2)))


@pytest.mark.parametrize("seed", range(4))
def test_bounds_0_1_and_all_variables(seed):
    table = random_table(seed, 5, 3, 8)
    assert_optimal(solve(table, 1), best_forest(lists_of(table)))
    assert_optimal(solve(table, 4), best_by_orders(table))
    assert all(family == () for family in solve(table, 0).parents)


# Bounds when it ends early, repetition, refusals


def test_ends_early_with_a_valid_bound():
    table = random_table(7, 9, 3, 40)
    best = total(solve(table, 3))
    for evaluations in (1, 50, 4505):
        network = solve(table, 3, Budget(evaluations=evaluations))
        extra = network.header.extra
        assert total(network) <= best + OPTIMUM
        assert extra["bound"] >= best - OPTIMUM
        assert extra["bound"] - extra["gap"] == pytest.approx(total(network))


def test_an_interrupted_search_returns_its_network():
    budget = Budget()
    budget.stop.set()
    network = solve(random_table(7, 9, 3, 40), 2, budget)
    assert network.header.extra["interrupted"]
    assert network.header.extra["treewidth"]["width"] <= 2


def test_repeats_exactly():
    table = random_table(11, 9, 3, 30, ties=True)
    first, second = (solve(table, 2, seed=5) for _ in range(2))
    assert first.parents == second.parents
    assert first.header.extra == second.header.extra
