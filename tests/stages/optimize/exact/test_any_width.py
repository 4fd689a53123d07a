"""Exact search: dynamic programming, branch and cut, and that both and brute force agree."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize.exact import arcs_on_cycles, closure
from naive.optimize.networks_search import best_by_orders, best_by_subsets, make_table, random_table
from naive.optimize.orders import lists_of, order_score

from stages.lists import set_lists
from stages.lists.set_lists import lists_in
from stages.optimize import OptimizeOptions
from stages.optimize.bounds import subset_dp as subsets
from stages.optimize.bounds.rounding import optimality_tolerance
from stages.optimize.bounds.separators import make_point
from stages.optimize.bounds.subset_dp import solve_by_subsets, subset_bytes, subsets_fit
from stages.optimize.driver import run
from stages.optimize.exact.any_width import prove, search
from stages.optimize.exact.fractional import SharedArcs, add_precedence, order_by_shares, with_empty_sets
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

OPTIMA = {
    "survey": -19710.916,
    "sachs": -36511.410,
    "child": -62059.503,
    "insurance": -68053.141,
    "water": -65865.813,
    "mildew": -262638.071,
    "barley": -294944.952,
    "pathfinder": -149209.674,
}
"""Of the score files in ``../shared/data/jkl``, as far as they take few seconds."""


def optimum(table):
    return best_by_orders(table) if table.n_variables <= 6 else best_by_subsets(table)


# Worked by hand


def two_cycle():
    """Both variables want each other: 0 loses 3 without 1, 1 loses 5 without 0."""
    return make_table({0: {(): -9.0, (1,): -6.0}, 1: {(): -9.0, (0,): -4.0}})


@pytest.mark.parametrize("by_subsets", [True, False])
def test_hand_two_cycle(by_subsets):
    result = prove(two_cycle(), OptimizeOptions(), Budget(), NullReporter(), by_subsets)
    assert result.parents == ((), (0,)) and result.scores.tolist() == [-9.0, -4.0] and result.score == -13.0
    assert -13.0 <= result.bound.value < -13.0 + 1e-12  # rounded outward
    assert result.bound.value - result.score < 1e-12


def test_hand_one_variable_and_none():
    alone = make_table({0: {(): -3.0}})
    assert search(alone, OptimizeOptions(), Budget(), NullReporter()).parents == ((),)


def test_hand_precedence():
    after, pairs = add_precedence((0, 0, 0), 0, 1)
    assert (after, pairs) == ((0b10, 0, 0), [(0, 1)])
    after, pairs = add_precedence(after, 1, 2)
    assert after == (0b110, 0b100, 0)
    assert sorted(pairs) == [(0, 2), (1, 2)]


# Against the definitions


@pytest.mark.parametrize("seed", seeds(12, quick=2))
def test_subsets_find_the_optimum_and_an_order_for_it(seed):
    n = 1 + seed % 8
    table = random_table(seed, n, n_sets=20, n_fixed=seed % 3 if n > 3 else 0, ties=seed % 2 == 0)
    order, chosen = solve_by_subsets(lists_in(table), Budget(), NullReporter())
    best = optimum(table)
    assert math.fsum(table.scores[chosen]) == pytest.approx(best, abs=1e-9)
    assert order_score(lists_of(table), order.tolist()) == pytest.approx(best, abs=1e-9)


def test_slices_of_subsets_change_nothing(monkeypatch):
    table = random_table(5, 9, n_sets=30)
    whole = solve_by_subsets(lists_in(table), Budget(), NullReporter())
    monkeypatch.setattr(subsets, "SLICE", 7)
    cut = solve_by_subsets(lists_in(table), Budget(), NullReporter())
    assert np.array_equal(whole[0], cut[0])
    assert np.array_equal(whole[1], cut[1])


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12))
def test_precedences_are_closed(pairs):
    after, kept, reported = (0,) * 7, set(), set()
    for first, second in pairs:
        if first == second or (second, first) in closure(kept):
            continue
        kept.add((first, second))
        after, new = add_precedence(after, first, second)
        assert not reported & set(new)
        reported |= set(new)
        expected = closure(kept)
        assert reported == expected
        assert {(a, b) for a in range(7) for b in range(7) if after[a] >> b & 1} == expected


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_arcs_on_cycles_and_pairs_to_branch_on(seed):
    table = random_table(seed, 7, n_sets=10)
    lists = lists_in(table)
    rng = np.random.default_rng(seed)
    shares = np.where(rng.random(len(lists.scores)) < 0.3, rng.random(len(lists.scores)), 0.0)
    child = np.repeat(np.arange(7), np.diff(lists.set_offsets))
    arcs = {(p, int(child[s])) for s in np.flatnonzero(shares) for p in table.parent_set(int(s))}
    shared = SharedArcs(lists)
    expected = arcs_on_cycles(arcs)
    assert set(shared.on_cycles(shares > 0.0)) == expected
    cycle = shared.cycle(shares > 0.0)
    assert bool(cycle) == bool(expected)
    assert all(any((p, c) in expected for p in cycle) for c in cycle)
    pairs = shared.undecided_pairs(shares, 0.0, (0,) * 7)
    assert sorted(pairs) == sorted({(min(arc), max(arc)) for arc in expected})
    for pair, both in pairs.items():
        for (parent, of), share in zip((pair, pair[::-1]), both):
            with_arc = [s for s in np.flatnonzero(child == of).tolist() if parent in table.parent_set(s)]
            assert share == pytest.approx(math.fsum(shares[with_arc]))
        after, _ = add_precedence((0,) * 7, *pair)
        assert pair not in shared.undecided_pairs(shares, 0.0, after)
    order = order_by_shares(make_point(lists, shares, 0.0).support, rng)
    assert sorted(order.tolist()) == list(range(7))


def test_order_by_shares_of_a_network_is_one_of_its_orders():
    table = random_table(2, 8, n_sets=20)
    _, chosen = solve_by_subsets(lists_in(table), Budget(), NullReporter())
    shares = np.zeros(table.n_sets)
    shares[chosen] = 1.0
    order = order_by_shares(make_point(lists_in(table), shares, 0.5).support, np.random.default_rng(0))
    assert order_score(lists_of(table), order.tolist()) >= math.fsum(table.scores[chosen]) - 1e-9


def test_every_variable_gets_an_empty_set():
    table = random_table(1, 6, n_sets=8, n_fixed=3)
    listed = lists_in(table)
    known = set_lists.costs_of(listed)
    lists, costs, source = with_empty_sets(listed, known, np.arange(table.n_sets), 77.0)
    assert lists.scores + costs == pytest.approx(
        np.repeat(table.scores[table.set_offsets[:-1]], np.diff(lists.set_offsets))
    )
    for child in range(6):
        sets = range(lists.set_offsets[child], lists.set_offsets[child + 1])
        empty = [s for s in sets if lists.parent_offsets[s] == lists.parent_offsets[s + 1]]
        assert len(empty) == 1
        if source[empty[0]] < 0:
            assert costs[empty[0]] == 77.0
            assert empty[0] == sets[-1]
        assert [int(source[s]) for s in sets if source[s] >= 0] == list(
            range(table.set_offsets[child], table.set_offsets[child + 1])
        )


# Branch and cut


@pytest.mark.slow
@pytest.mark.parametrize("by_subsets", [True, False])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_both_ways_prove_the_optimum(seed, by_subsets):
    table = random_table(seed, 7, n_sets=20, n_fixed=seed % 3)
    result = prove(table, OptimizeOptions(seed=seed), Budget(), NullReporter(), by_subsets)
    assert math.fsum(result.scores) == result.score == pytest.approx(best_by_subsets(table), abs=1e-9)
    assert result.bound.value - result.score <= optimality_tolerance(result.scores) < 1e-9


def test_what_a_proof_holds_for_is_said():
    table = random_table(3, 6)
    table.complete[:] = True
    extra = run(table, OptimizeOptions(method="exact"), Budget(), NullReporter())[0].header.extra
    assert extra["bound_relative_to"] == "all networks within the limits of the lists, which are unknown"
    assert extra["total"] == pytest.approx(best_by_orders(table), abs=1e-9)
    assert extra["total"] <= extra["bound"] < extra["total"] + 1e-10  # rounded outward


def test_few_variables_are_solved_exactly_when_no_method_is_named():
    def method(n, **options):
        return run(random_table(1, n), OptimizeOptions(**options), Budget(evaluations=50), NullReporter())[
            0
        ].header.extra["method"]

    assert [method(8), method(23)] == ["exact", "ils"]
    assert [method(8, restarts=2), method(8, treewidth=2), method(8, treewidth=1)] == ["ils", "ils", "forest"]


def test_interrupted_before_it_began_it_has_a_network_and_a_bound():
    stop = threading.Event()
    stop.set()
    table = random_table(3, 8, n_sets=25)
    for by_subsets in (True, False):
        result = prove(table, OptimizeOptions(), Budget(stop=stop), NullReporter(), by_subsets)
        assert result.bound.value >= best_by_subsets(table) - 1e-7
        assert result.bound.value - result.score >= 0.0


def test_memory_and_variables_decide_whether_subsets_are_the_way(monkeypatch):
    assert subset_bytes(20) == 20 * 4 * 2**19 + 8 * 2**20
    assert subsets_fit(10)
    assert not subsets_fit(23)
    monkeypatch.setattr(subsets, "free_bytes", lambda: 1)
    assert not subsets_fit(10)


@pytest.mark.slow
def test_same_seed_same_network_and_proof():
    table = random_table(5, 24, max_parents=4, n_sets=40)
    options = OptimizeOptions(method="exact", seed=4)
    first, again = (run(table, options, Budget(evaluations=5000), NullReporter())[0] for _ in range(2))
    assert first.parents == again.parents
    assert first.header == again.header


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIMA)
def test_published_score_files_are_proved(name, shared):
    from formats import open_parent_sets

    table = open_parent_sets(str(shared / "data" / "jkl" / f"{name}-5000.jkl.gz"))
    extra = run(table, OptimizeOptions(method="exact", seed=1), Budget(), NullReporter())[0].header.extra
    assert extra["total"] == pytest.approx(OPTIMA[name], abs=1e-3)
    assert extra["gap"] <= 1e-9 * abs(OPTIMA[name]) + 1e-6
