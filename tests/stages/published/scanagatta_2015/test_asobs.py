"""Acyclic selection (ASOBS): twin, and Theorems 3 and 4 of Scanagatta et al. (2015)."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import best_by_orders, make_table, random_table
from naive.optimize.orders import acyclic_climb, acyclic_selection, is_acyclic, lists_of, order_score, swapped

from stages.graphs import random_topological_order
from stages.kernels.orders.acyclic_selection import best_swap
from stages.lists.order_decoding import select_acyclic
from stages.lists.set_lists import fixed_parents, lists_in, respect_fixed
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.result import total_score
from stages.published.scanagatta_2015.asobs import climb
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


def select(table, order):
    prescribed = fixed_parents(table)
    order = respect_fixed(np.array(order, dtype=np.int32), prescribed)
    return order.tolist(), select_acyclic(lists_in(table), order, prescribed)


def test_hand_arc_against_the_order():
    """Order 0, 1, 2: nothing below 1 stops it from taking 2, which then takes neither 0 nor 1."""
    table = make_table({0: {(): -9.0}, 1: {(): -9.0, (2,): -1.0}, 2: {(): -9.0}})
    _, chosen = select(table, [0, 1, 2])
    assert [table.parent_set(s) for s in chosen] == [(), (2,), ()]
    assert order_score(lists_of(table), [0, 1, 2]) == -27.0


@pytest.mark.parametrize("seed", seeds(30, quick=2))
def test_matches_the_naive_twin(seed):
    table = random_table(seed, 9, n_sets=15, n_fixed=seed % 4)
    order, chosen = select(table, np.random.default_rng(seed).permutation(9))
    score, parents = acyclic_selection(lists_of(table), order, fixed_parents(table))
    assert {c: frozenset(table.parent_set(int(s))) for c, s in enumerate(chosen)} == parents
    assert total_score(table.scores, chosen) == pytest.approx(score, abs=1e-9)
    assert is_acyclic(parents)


@pytest.mark.parametrize("seed", seeds(60, quick=2))
def test_theorem_3_never_below_obs_on_the_same_order(seed):
    table = random_table(seed, 10, n_sets=20, n_fixed=seed % 5, ties=seed % 2 == 0)
    order, chosen = select(table, np.random.default_rng(seed).permutation(10))
    assert total_score(table.scores, chosen) >= order_score(lists_of(table), order) - 1e-9


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_theorem_4_improving_swaps_can_be_followed(seed):
    """From the order of an acyclic selection, a swap that improves OBS leads acyclic selection higher as
    well.
    """
    table = random_table(seed, 8, n_sets=20)
    naive = lists_of(table)
    rng = np.random.default_rng(seed)
    _, chosen = select(table, rng.permutation(8))
    here = total_score(table.scores, chosen)
    order = random_topological_order([table.parent_set(s) for s in chosen.tolist()], rng).tolist()
    assert order_score(naive, order) >= here - 1e-9
    for i in range(7):
        neighbour = swapped(order, i)
        if order_score(naive, neighbour) > order_score(naive, order):
            _, followed = select(table, neighbour)
            assert total_score(table.scores, followed) > here


@pytest.mark.parametrize("seed", seeds(4, quick=2))
@pytest.mark.slow
def test_search_stays_within_the_optimum_and_repeats_at_any_number_of_threads(seed):
    table = random_table(seed, 6, n_fixed=seed % 3)
    networks = [
        run(table, OptimizeOptions(method="asobs", restarts=50, seed=1, jobs=jobs), Budget(), NullReporter())[0]
        for jobs in (1, 3)
    ]
    assert networks[0].parents == networks[1].parents
    assert networks[0].header == networks[1].header
    plain, _ = run(table, OptimizeOptions(method="obs", iterations=0, restarts=50, seed=1), Budget(), NullReporter())
    assert plain.header.extra["total"] - 1e-9 <= networks[0].header.extra["total"]
    assert networks[0].header.extra["total"] <= best_by_orders(table) + 1e-9


@pytest.mark.parametrize("iterations", [0, 1, 3, 1000])
@pytest.mark.parametrize("seed", seeds(15, quick=2))
def test_climbs_follow_the_naive_twin(seed, iterations):
    table = random_table(seed, 9, n_sets=20, n_fixed=seed % 3)
    order, chosen = select(table, np.random.default_rng(seed).permutation(9))
    parents = {c: frozenset(table.parent_set(int(s))) for c, s in enumerate(chosen)}
    score, parents, steps = acyclic_climb(lists_of(table), [int(v) for v in order], parents, iterations)
    found = climb(lists_in(table), np.array(order, dtype=np.int32), chosen.copy(), iterations, Budget())
    assert found.score == pytest.approx(score, abs=1e-9)
    assert found.figures["iterations"] == steps
    assert {c: frozenset(table.parent_set(int(s))) for c, s in enumerate(found.chosen)} == parents
    assert is_acyclic(parents)


@pytest.mark.parametrize("seed", seeds(12, quick=2))
def test_climbs_end_where_no_swap_gains(seed):
    table = random_table(seed, 9, n_sets=20, n_fixed=seed % 3)
    lists = lists_in(table)
    order, chosen = select(table, np.random.default_rng(seed).permutation(9))
    before = total_score(table.scores, chosen)
    found = climb(lists, np.array(order, dtype=np.int32), chosen.copy(), 1000, Budget())
    assert found.figures["initial_score"] == before and found.score >= before
    assert found.orders == 1 + 8 * (found.figures["iterations"] + 1)
    last = found.order
    assert best_swap(lists, last, found.chosen, np.empty(9, dtype=np.uint8), 0, 8, 0.0, -1) == (0.0, -1)
    none = climb(lists, np.array(order, dtype=np.int32), chosen.copy(), 0, Budget())
    assert np.array_equal(none.chosen, chosen) and none.orders == 1
