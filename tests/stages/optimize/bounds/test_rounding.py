"""Proofs hold to the rounding of the sums: large scores, tiny differences, ties; and what is left is solved."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import best_by_subsets, make_table, random_table

from bnsl.facts import gap_text
from stages.graphs import strongly_connected_components
from stages.lists import set_lists
from stages.lists.set_lists import lists_in
from stages.optimize import OptimizeOptions
from stages.optimize.bounds.residual import solve_residual
from stages.optimize.bounds.rounding import optimality_tolerance
from stages.optimize.driver import run
from stages.optimize.exact.any_width import prove
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


def scaled(table, shift, factor):
    """The same lists with other scores; shifts are the same for all sets of a child."""
    return replace(table, scores=shift + factor * table.scores)


def exact_total(table, result):
    """The score of a result without rounding."""
    return sum(map(Fraction, result.scores.tolist()))


@pytest.mark.parametrize(("shift", "factor"), [(-1e9, 1.0), (0.0, 1e-7), (-50.0, 1e-7), (1e9, 1e-3), (0.0, 1e9)])
@pytest.mark.parametrize("by_subsets", [True, False])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_the_best_network_is_found_and_its_bound_holds(shift, factor, by_subsets, seed):
    table = scaled(random_table(seed, 6, n_sets=15, ties=seed % 2 == 0), shift, factor)
    result = prove(table, OptimizeOptions(seed=seed), Budget(), NullReporter(), by_subsets)
    # Against the best one on losses, which have no rounding to speak of.
    firsts = np.repeat(table.scores[table.set_offsets[:-1]], np.diff(table.set_offsets))
    best_loss = best_by_subsets(replace(table, scores=table.scores - firsts))
    tolerance = optimality_tolerance(result.scores)
    loss = result.score - math.fsum(table.scores[table.set_offsets[:-1]].tolist())
    assert loss >= best_loss - tolerance
    ideal = sum(map(Fraction, table.scores[table.set_offsets[:-1]].tolist()))
    assert Fraction(result.bound.value) >= ideal + Fraction(best_loss) - Fraction(1e-15 * abs(best_loss))
    assert Fraction(result.bound.value) >= exact_total(table, result)


def test_a_network_some_nats_below_the_optimum_is_not_called_optimal_where_scores_are_large():
    lists = {0: {(): -1e9 - 1.55, (1,): -1e9}, 1: {(): -1e9, (0,): -1e9 + 0.5}}
    table = make_table(lists)
    network, _ = run(table, OptimizeOptions(method="obs"), Budget(evaluations=1), NullReporter())
    extra = {**network.header.extra, "total": -2e9 - 1.55 + 0.5, "bound": -2e9, "gap": 1.05}
    worse = replace(network, header=replace(network.header, extra=extra))
    assert gap_text(worse) == "within 1.05 nats of the best network of the listed sets"
    best, _ = run(table, OptimizeOptions(method="exact"), Budget(), NullReporter())
    assert best.header.extra["total"] == -2e9
    assert gap_text(best) == "optimal among networks of the listed sets"


def test_differences_of_some_ten_millionths_count():
    table = make_table({0: {(): -10.0, (1,): -10.0 + 6e-7}, 1: {(): -10.0, (0,): -10.0 + 3e-7}})
    for method in ("exact", "obs", "asobs"):
        network, _ = run(table, OptimizeOptions(method=method), Budget(evaluations=50), NullReporter())
        is_best = network.parents == ((1,), ())
        assert is_best or "within 3e-07 nats of" in gap_text(network)
        assert is_best or method != "exact"


# What is left


@pytest.mark.parametrize("seed", seeds(12, quick=2))
def test_what_is_left_is_solved_as_all_would_be(seed):
    table = random_table(seed, 7, n_sets=4 + seed % 9, ties=seed % 2 == 0)
    lists = lists_in(table)
    cost, chosen = solve_residual(lists, set_lists.costs_of(lists), np.ones(table.n_sets, dtype=np.bool_))
    ideal = math.fsum(table.scores[table.set_offsets[:-1]].tolist())
    assert ideal - cost == pytest.approx(best_by_subsets(table), abs=1e-9)
    assert math.fsum(table.scores[chosen].tolist()) == pytest.approx(ideal - cost, abs=1e-9)
    assert np.all((table.set_offsets[:-1] <= chosen) & (chosen < table.set_offsets[1:]))


def test_what_is_left_may_have_no_network():
    table = make_table({0: {(): -9.0, (1,): -1.0}, 1: {(): -9.0, (0,): -1.0}})
    kept = np.array([True, False, True, False])
    lists = lists_in(table)
    assert solve_residual(lists, set_lists.costs_of(lists), kept) is None


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_strongly_connected_components_are_pairs_that_reach_each_other(seed):
    rng = np.random.default_rng(seed)
    n = 9
    parents = [np.flatnonzero(rng.random(n) < 0.15).tolist() for _ in range(n)]
    reaches = np.eye(n, dtype=bool)
    for v, family in enumerate(parents):
        reaches[v, family] = True
    for k in range(n):
        reaches |= reaches[:, k : k + 1] & reaches[k]
    expected = {tuple(np.flatnonzero(reaches[v] & reaches[:, v]).tolist()) for v in range(n)}
    components = strongly_connected_components(parents)
    assert sorted(map(tuple, components)) == sorted(expected)
