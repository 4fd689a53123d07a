"""Scores with a prior of arcs: lists, optima and posteriors equal what follows from the product over pairs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.cases.arc_priors import Case
from naive.parentsets import prune_dominated

from formats.arc_priors import ArcPrior
from stages.lists.arc_prior import with_prior
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run as search_lists
from stages.optimize.driver import run_on_data
from stages.posterior import PosteriorOptions
from stages.posterior.arc_posterior import run as arc_posterior
from stages.posterior.weights import listed_share
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

SEEDS = range(12)


def listed(table, child):
    return {
        table.parent_set(s): float(table.scores[s]) for s in range(*table.set_offsets[child : child + 2].tolist())
    }


def best_of_lists(table):
    return search_lists(table, OptimizeOptions(method="exact"), Budget(), NullReporter())[0]


def probabilities(totals, n):
    """Probabilities of arcs over all networks; entry [parent, child]."""
    most, arcs, weight = max(totals.values()), np.zeros((n, n)), 0.0
    for parents, total in totals.items():
        share = math.exp(total - most)
        weight += share
        for child, family in enumerate(parents):
            arcs[list(family), child] += share
    return arcs / weight


def arc_table(found, n):
    arcs = np.zeros((n, n))
    arcs[found.parents, found.children] = found.probability
    return arcs


@pytest.mark.parametrize("seed", SEEDS)
def test_complete_lists_hold_what_no_subset_beats_with_the_prior(seed):
    case = Case(seed)
    table = case.lists(case.dataset, method="sequential")
    assert table.complete.all()
    for child, scores in enumerate(case.scores):
        expected, found = prune_dominated(scores), listed(table, child)
        assert all(abs(found[family] - expected[family]) < 1e-8 for family in expected.keys() & found.keys())
        # Ties to the last digit may fall either way.
        for family in expected.keys() ^ found.keys():
            rivals = [scores[other] for other in scores if set(other) < set(family)]
            assert abs(max(rivals) - scores[family]) < 1e-8


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("method", ["pricing", "hc", "lists"])
def test_best_network(seed, method):
    case = Case(seed)
    best = max(case.totals(case.scores).values())
    if method == "lists":
        network = best_of_lists(case.lists(case.dataset, method="sequential"))
    else:
        options = OptimizeOptions(method=method, score=case.score, max_parents=case.most)
        network, _ = run_on_data(case.dataset, options, Budget(), NullReporter())
    total = network.header.extra["total"]
    assert total == pytest.approx(case.totals(case.scores)[network.parents], abs=1e-8)
    assert total == pytest.approx(best, abs=1e-8) if method != "hc" else total <= best + 1e-8
    assert network.header.extra["arc_prior"] == case.prior.recorded()["arc_prior"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("keep_mass", [0.0, 1e-2])
@pytest.mark.parametrize("when", ["listing", "afterwards"])
def test_posterior(seed, keep_mass, when):
    case, reporter = Case(seed, scores=("bic", "bdeu", "k2")), NullReporter()
    if when == "listing":
        table = case.lists(case.dataset, method="sequential", keep_mass=keep_mass)
    else:
        table = with_prior(case.lists(case.plain, method="sequential", keep_mass=keep_mass), case.prior, reporter)
    totals = case.totals(case.scores)
    n = case.plain.n_variables
    found = arc_posterior(table, PosteriorOptions(method="exact"), Budget(), reporter).table
    sets = [listed(table, child) for child in range(n)]
    most = max(totals.values())
    kept = [math.exp(t - most) for p, t in totals.items() if all(f in sets[c] for c, f in enumerate(p))]
    share = math.fsum(kept) / math.fsum(math.exp(t - most) for t in totals.values())
    assert share >= listed_share(table) - 1e-9
    within = {p: t for p, t in totals.items() if all(f in sets[c] for c, f in enumerate(p))}
    assert np.allclose(arc_table(found, n), probabilities(within, n), atol=1e-9)
    if keep_mass == 0.0:
        assert share == pytest.approx(1.0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("keep_mass", [None, 1e-1, 1e-6, 0.0])
def test_lists_scored_afterwards_claim_only_what_holds(seed, keep_mass):
    case = Case(seed)
    table = with_prior(case.lists(case.plain, method="sequential", keep_mass=keep_mass), case.prior, NullReporter())
    for child in range(case.plain.n_variables):
        found, scores = listed(table, child), case.scores[child]
        assert list(found.values()) == sorted(found.values(), reverse=True)
        assert all(abs(scores[family] - score) < 1e-8 for family, score in found.items())
        if table.complete[child]:
            for family in scores.keys() - found.keys():
                rivals = [found[other] for other in found if set(other) < set(family)]
                assert max(rivals) >= scores[family] - 1e-8
    assert with_prior(table, case.prior, NullReporter()) is table


@pytest.mark.parametrize("seed", SEEDS)
def test_a_search_that_ends_early_bounds_what_it_does_not_list(seed):
    case = Case(seed, 4)
    table = case.lists(case.dataset, method="sequential", evaluations=5)
    for child, scores in enumerate(case.scores):
        found = listed(table, child)
        if table.complete[child] or np.isnan(table.unlisted[child]):
            continue
        for family in scores.keys() - found.keys():
            is_dominated = any(set(other) < set(family) and found[other] >= scores[family] - 1e-8 for other in found)
            assert is_dominated or scores[family] <= table.unlisted[child] + 1e-8


@pytest.mark.parametrize("method", ["sequential", "grow"])
def test_even_odds_change_nothing(method):
    case = Case(5, 4)
    names = case.plain.names
    even = ArcPrior(tuple((a, b, 0.5) for a in names for b in names if a != b))
    one, other = (case.lists(data, method=method) for data in (case.plain, replace(case.plain, prior=even)))
    assert np.array_equal(one.scores, other.scores) and np.array_equal(one.parents, other.parents)
    options = OptimizeOptions(score=case.score)
    networks = [
        run_on_data(data, options, Budget(), NullReporter())[0]
        for data in (case.plain, replace(case.plain, prior=even))
    ]
    assert networks[0].parents == networks[1].parents and np.array_equal(networks[0].scores, networks[1].scores)
