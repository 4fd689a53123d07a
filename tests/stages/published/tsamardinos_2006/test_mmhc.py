"""MMPC and MMHC: the tail of the chi-square distribution, the tests, the climb among neighbours."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.tables import dependent_dataset, make_dataset
from naive.optimize import climbing as naive
from naive.optimize.mmpc import PlainSearch, g_squared
from scipy.stats import chi2

from stages.optimize import OptimizeOptions
from stages.optimize.climbing.climber import GRID_QUANTA
from stages.published.tsamardinos_2006.mmhc import TargetSearch, find_neighbours, search_data, subsets_within
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer


def neighbours_of(dataset, alpha=0.05, jobs=1):
    return find_neighbours(FamilyScorer(dataset, "ll"), alpha, Budget(), NullReporter(), jobs)


def sampled(n_rows, seed, tables, order):
    """Rows of binary variables: ``tables[v]`` is (parents, chance of state 1 per parents' states)."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((len(tables), n_rows), dtype=np.uint8)
    for v in order:
        parents, chances = tables[v]
        share = np.array(chances, dtype=float)[tuple(codes[p] for p in parents)]
        codes[v] = rng.random(n_rows) < share
    return make_dataset(codes, [2] * len(tables))


# ------------------------------------------------------------------------------------------- by hand


def test_neighbours_of_a_chain_and_a_collider():
    # 0 -> 1 -> 2 and 3 -> 2: 0 and 2 are separated by 1, 3 is independent of 0 and 1.
    tables = [((), 0.5), ((0,), [0.2, 0.8]), ((1, 3), [[0.1, 0.6], [0.7, 0.95]]), ((), 0.4)]
    found = neighbours_of(sampled(4000, 1, tables, [0, 3, 1, 2]))
    assert found.members == ((1,), (0, 2), (1, 3), (2,))


def test_statistic_of_a_table_worked_by_hand():
    rows = [(0, 0)] * 30 + [(0, 1)] * 10 + [(1, 0)] * 20 + [(1, 1)] * 40
    expected = 2 * (
        30 * math.log(30 * 100 / (40 * 50))
        + 10 * math.log(10 * 100 / (40 * 50))
        + 20 * math.log(20 * 100 / (60 * 50))
        + 40 * math.log(40 * 100 / (60 * 50))
    )
    assert g_squared(rows, 0, 1, ()) == pytest.approx(expected)
    search = TargetSearch(FamilyScorer(make_dataset(np.array(rows).T, [2, 2]), "ll"), 0, 0.05, Budget())
    statistics, log_p = search._test(np.array([1], dtype=np.int32), ())
    assert statistics[0] == pytest.approx(expected)
    assert math.exp(log_p[0]) == pytest.approx(chi2.sf(expected, 1))


@pytest.mark.parametrize("n_rows", [19, 20])
def test_no_test_below_five_rows_per_cell(n_rows):
    codes = np.tile(np.arange(n_rows) % 2, (2, 1))  # two equal columns of two states: four cells
    found = neighbours_of(make_dataset(codes, [2, 2]))
    assert found.members == (((1,), (0,)) if n_rows == 20 else ((), ()))
    assert found.tests == (2 if n_rows == 20 else 0)


# ------------------------------------------------------------------------------------------- plain twins
@pytest.mark.parametrize("size", range(5))
def test_subsets_within_the_rows(size):
    members, n_states = [7, 3, 9, 1, 4], [2, 5, 3, 2, 4]
    for most in range(0, 130, 3):
        expected = [
            subset
            for subset in itertools.combinations(members, size)
            if math.prod(n_states[members.index(v)] for v in subset) <= most
        ]
        assert list(subsets_within(members, n_states, size, most)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_neighbours_and_tests_as_defined(alpha):
    for seed in range(10):
        n = 4 + seed % 4
        dataset, rows = dependent_dataset(seed, n, 100 + 150 * (seed % 3), most_states=3, noise=0.5)
        states = dataset.n_states.tolist()
        scorer = FamilyScorer(dataset, "ll")
        sets, tests = [], 0
        for target in range(n):
            plain = PlainSearch(rows, states, target, alpha, chi2.sf)
            expected = plain.run()
            fast = TargetSearch(scorer, target, alpha, Budget())
            fast.run()
            assert fast.members == expected
            assert fast.tests == plain.tests
            sets.append(set(expected))
            tests += plain.tests
        found = neighbours_of(dataset, alpha, jobs=2)
        assert found.tests == tests
        assert [set(m) for m in found.members] == [
            {y for y in sets[target] if target in sets[y]} for target in range(n)
        ]


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_climb_among_neighbours_as_defined(score):
    for seed in range(8):
        n = 5
        dataset, _ = dependent_dataset(50 + seed, n, 300, most_states=3, noise=0.5)
        if (dataset.n_states == 1).any():
            continue
        pairs = neighbours_of(dataset).members
        excluded = {(p, v) for v in range(n) for p in range(n) if p != v and p not in pairs[v]}
        scorer = FamilyScorer(dataset, score, 2.0)
        grid = scorer.quantum * GRID_QUANTA
        options = OptimizeOptions(method="mmhc", score=score, ess=2.0)
        result = search_data(scorer, options, Budget(), NullReporter())
        assert result.stats["pairs"] == sum(map(len, pairs)) // 2
        assert result.facts["tests"] == neighbours_of(dataset).tests
        # Pairs that are no neighbours do not count for ties either.
        ranks = naive.ranks_of(
            lambda v, p, pairs=pairs, scorer=scorer: scorer.local_score(v, p if set(p) <= set(pairs[v]) else ()),
            n,
            grid,
        )
        empty = [set() for _ in range(n)]
        expected = naive.climb(scorer.local_score, empty, grid, ranks, forbidden=excluded)
        assert [set(p) for p in result.parents] == expected


# ------------------------------------------------------------------------------------------- runs
def test_search_with_start_tabu_and_budget():
    dataset, _ = dependent_dataset(70, 8, 500, most_states=2, noise=0.4)
    scorer = FamilyScorer(dataset)
    plain = search_data(scorer, OptimizeOptions(method="mmhc"), Budget(), NullReporter())
    tabu = search_data(scorer, OptimizeOptions(method="mmhc", tabu=5), Budget(), NullReporter())
    assert sum(tabu.scores) >= sum(plain.scores)
    stopped = Budget()
    stopped.stop.set()
    assert search_data(scorer, OptimizeOptions(method="mmhc"), stopped, NullReporter()).parents == ((),) * 8
