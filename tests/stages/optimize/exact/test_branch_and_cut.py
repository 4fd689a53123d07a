"""Branch and cut, against the programme over subsets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import best_by_subsets, random_table

from stages.lists.set_lists import fixed_first_order, fixed_parents, lists_in
from stages.optimize.bounds.lagrangian import BoundSearch
from stages.optimize.bounds.subset_dp import solve_by_subsets
from stages.optimize.exact import branch_and_cut, linear_programme, node
from stages.optimize.exact.branch_and_cut import BranchAndCut
from stages.optimize.exact.branching import RELIABLE, Gain, OrderGains
from stages.optimize.exact.incumbent import Incumbent
from stages.optimize.exact.linear_programme import most_violated
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


def tree_on(table, seed=0, budget=None, bound_work=1.0, jobs=1):
    """Branch and cut from a poor network and bound, so that it has something to do."""
    rng = np.random.default_rng(seed)
    order = np.array(fixed_first_order(table), dtype=np.int32)
    incumbent = Incumbent(lists_in(table), fixed_parents(table), lambda: order, rng)
    bound = BoundSearch(lists_in(table), rng)
    bound.improve(Budget(), bound_work, incumbent.score)
    return BranchAndCut(bound, incumbent, budget or Budget(), lambda: None, jobs=jobs)


def root_work(table, seed):
    """The work on the root, before it has begun, and all its sets as not excluded."""
    tree = tree_on(table, seed, bound_work=1e6)
    work = tree._work()
    work.begin(tree._multipliers)
    return work, np.zeros(len(work.pool.costs), dtype=np.bool_)


@pytest.mark.parametrize("rounds", [1, 30])
@pytest.mark.parametrize("seed", seeds(16, quick=2))
def test_branch_and_cut_agrees_with_dynamic_programming(seed, rounds, monkeypatch):
    monkeypatch.setattr(branch_and_cut, "ROOT_ROUNDS", rounds)
    monkeypatch.setattr(branch_and_cut, "BRANCH_ROUNDS", rounds)
    # So few sets to begin with that others must join.
    monkeypatch.setattr(linear_programme, "FIRST_SETS", 2)
    n = 5 + seed % 6
    table = random_table(seed, n, max_parents=3 + seed % 2, n_sets=25, n_fixed=seed % 3, ties=seed % 4 == 0)
    tree = tree_on(table, seed)
    tree.run()
    best = math.fsum(table.scores[solve_by_subsets(lists_in(table), Budget(), NullReporter())[1]])
    assert tree.incumbent.score == pytest.approx(best, abs=1e-6)
    assert tree.is_closed
    assert tree.value >= best - 1e-6
    if seed < 4:
        assert best == pytest.approx(best_by_subsets(table), abs=1e-9)


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_a_programme_starts_from_a_basis_of_other_sets_and_cuts(seed, monkeypatch):
    monkeypatch.setattr(linear_programme, "FIRST_SETS", 2)
    work, none = root_work(random_table(seed, 9, max_parents=4, n_sets=30), seed)
    pool, lists, every = work.pool, work.pool.lists, np.arange(len(none))
    solution, _, _ = work.solve(none)
    basis = work.programme.basis()
    multipliers = np.zeros(len(pool))
    multipliers[basis.rows] = solution.multipliers[basis.rows]
    assert np.array_equal(multipliers, solution.multipliers)  # no cut but these has one
    work.add_cuts(solution.shares)
    # A third of the cuts is lost, and sets with a share are forbidden.
    kept = np.flatnonzero(np.arange(len(pool)) % 3 > 0)
    is_empty = np.diff(lists.parent_offsets) == 0
    excluded = ~is_empty & (solution.shares > 0.5)
    started = work._programme_of(basis.columns, excluded, kept[:2])
    fresh = work._programme_of(every, excluded, kept)
    started.start(basis)
    started.solve(len(pool))
    started.add_columns(np.setdiff1d(every, started.columns), pool.cuts)
    started.add_rows(kept[2:], pool.cuts)
    for some in (started, fresh):
        some.limit(linear_programme.Ranges.without(none))
    found, expected = (some.solve(len(pool)) for some in (started, fresh))
    cost = expected.shares @ pool.costs
    assert found.shares @ pool.costs == pytest.approx(cost, abs=1e-6)
    assert [work.evaluate(none, some.multipliers)[0] for some in (found, expected)] == pytest.approx([cost] * 2)


@pytest.mark.parametrize("seed", seeds(20, quick=4))
def test_known_cuts_that_are_violated_join_and_others_do_not(seed):
    work, none = root_work(random_table(seed, 9, max_parents=4, n_sets=30), seed)
    rng = np.random.default_rng(seed)
    held = np.sort(rng.permutation(len(work.pool))[: len(work.pool) // 3])
    work.programme = work._programme_of(np.arange(len(none)), none, held)
    shares = rng.random(len(none)) * (rng.random(len(none)) < 0.3)
    expected = {}
    for index in range(len(work.pool)):
        row = work.pool.row(index)
        counted = sum(shares[s] * w for s, w in zip(row.sets.tolist(), row.weights.tolist()))
        if index not in held and row.demand - counted > 0.3:
            expected[index] = counted - row.demand
    found = most_violated(work.pool.cuts, work.programme.rows, shares, 0.3).tolist()
    assert sorted(found) == list(expected)
    assert [expected[index] for index in found] == pytest.approx(sorted(expected.values()))


def test_a_pool_is_copied_and_finds_its_cuts():
    work, _ = root_work(random_table(3, 9, max_parents=4, n_sets=30), 3)
    pool = work.pool
    pool.add([(np.array([0, 2, 4, 6, 7, 8], dtype=np.int32), 2)])  # arrays with room for more
    other = pool.copied()
    other.add([(np.array([0, 1, 2, 3, 4, 5, 6], dtype=np.int32), 2)])
    assert len(other) == len(pool) + 1
    assert other.places(other.origins).tolist() == list(range(len(other)))
    assert pool.places(other.origins[::-1]).tolist() == [-1, *range(len(pool) - 1, -1, -1)]
    # What one of them adds now does not show in the other.
    added = other.row(len(other) - 1)
    before = added.sets.tolist()
    pool.add([(np.array([1, 2, 3, 7, 8], dtype=np.int32), 1)])
    assert added.sets.tolist() == before


def test_pairs_are_ranked_by_the_product_of_what_their_orders_gained():
    gains = OrderGains(4)
    # Nothing is known: the most balanced shares come first, and a pair of which one order forbids nothing last.
    pairs = {(0, 1): (0.5, 0.5), (1, 2): (0.3, 0.6), (2, 3): (1.0, 0.0)}
    assert [pair for _, pair in gains.ranked(pairs)] == [(0, 1), (1, 2), (2, 3)]
    for _ in range(RELIABLE):
        gains.note(Gain((0, 1), 0.5, 0.0))
        gains.note(Gain((1, 2), 0.6, 0.9))
    assert not gains.is_reliable((0, 1))
    for _ in range(RELIABLE):
        gains.note(Gain((1, 0), 0.5, 0.0))
        gains.note(Gain((2, 1), 0.3, 0.1))
    # Equivalent orders gain nothing.
    assert [pair for _, pair in gains.ranked(pairs)] == [(1, 2), (0, 1), (2, 3)]
    assert gains.is_reliable((0, 1)) and not gains.is_reliable((2, 3))
    mean = (RELIABLE * (0.9 / 0.36 + 0.1 / 0.09) + 1.0) / (4 * RELIABLE + 1)
    expected = [
        (RELIABLE * rate + mean) / (RELIABLE + 1) * share**2 for rate, share in ((2.5, 0.6), (0.1 / 0.09, 0.3))
    ]
    assert gains.ranked(pairs)[0][0] == pytest.approx(math.prod(expected))
    gains.note(Gain((2, 3), 0.01, 5.0))  # too small a share to count
    assert gains.ranked(pairs)[-1][0] < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 7])
def test_branch_and_cut_ended_early_has_a_bound_that_holds(seed, monkeypatch):
    monkeypatch.setattr(branch_and_cut, "ROOT_ROUNDS", 1)
    monkeypatch.setattr(branch_and_cut, "BRANCH_ROUNDS", 1)
    table = random_table(seed, 8, max_parents=4, n_sets=30)
    best = math.fsum(table.scores[solve_by_subsets(lists_in(table), Budget(), NullReporter())[1]])
    before = math.inf
    for limit in (1, 3, 10, 30, 100, 300, 10_000_000):
        tree = tree_on(table, seed, Budget(evaluations=limit))
        tree.run()
        assert tree.incumbent.score <= best + 1e-9
        assert best - 1e-7 <= tree.value <= before + 1e-6
        before = tree.value
    assert tree.is_closed


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(4, quick=1))
def test_jobs_change_nothing(seed, monkeypatch):
    """Of a tree to its end, and of one that a limit on evaluations ends."""
    from stages.optimize.bounds import residual

    monkeypatch.setattr(node, "SEPARATORS", node.SEPARATORS[:1])
    monkeypatch.setattr(residual, "MOST_TOGETHER", 3)
    monkeypatch.setattr(branch_and_cut, "ROOT_ROUNDS", 1)
    monkeypatch.setattr(branch_and_cut, "BRANCH_ROUNDS", 1)
    table = random_table(seed, 7, max_parents=4, n_sets=16)
    for budget in ({}, {"evaluations": 5_000}):
        trees = [tree_on(table, seed, Budget(**budget), jobs=jobs) for jobs in (1, 2)]
        for tree in trees:
            tree.run()
        reported = [
            (
                t.n_branches,
                t.n_programmes,
                t.value,
                t.incumbent.score,
                t.incumbent.chosen.tolist(),
                t.pool.origins[-1:],
            )
            for t in trees
        ]
        assert trees[0].n_branches > branch_and_cut.LEAST_OPEN and trees[0].is_closed == (not budget)
        assert repr(reported[0]) == repr(reported[1])
