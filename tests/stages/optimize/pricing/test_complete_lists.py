"""Complete lists in place of grown ones: the forecast bounds the work, and what is claimed is the best of all."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from helpers.clocks import TickingClock
from helpers.seeds import seeds
from helpers.tables import dependent_dataset
from naive.networks import is_acyclic
from naive.parentsets import score_all_sets

from formats.records import ParentSetTable
from stages.knowledge import Knowledge
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run_on_data
from stages.optimize.pricing import complete_lists, loop
from stages.optimize.pricing.complete_lists import enumerate_all, forecast_listing, limits_of, most_scores
from stages.optimize.pricing.run import start_run
from stages.parentsets.enumeration import configuration_caps, count_sets, seconds_of
from stages.parentsets.sequential import search_child
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer


def learn(dataset, budget=None, **options):
    kept = []
    network, figures = run_on_data(
        dataset,
        OptimizeOptions(**options),
        budget or Budget(),
        NullReporter(),
        keep_lists=lambda header, records: kept.append(ParentSetTable.from_records(header, records)),
    )
    return network, kept[0], figures


def best_of_all(rows, n_states, most_parents, score="bic", allowed=lambda parents, child: True):
    """The best total of all acyclic graphs, one by one."""
    n = len(n_states)
    scored = [
        [(p, s) for p, s in score_all_sets(rows, n_states, c, most_parents, score).items() if allowed(p, c)]
        for c in range(n)
    ]
    return max(
        math.fsum(score for _, score in choice)
        for choice in product(*scored)
        if is_acyclic([parents for parents, _ in choice])
    )


@pytest.mark.parametrize("seed", seeds(8, quick=3))
@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_what_is_claimed_is_the_best_of_all_graphs(seed, score):
    dataset, rows = dependent_dataset(seed, 4, 60 + 40 * seed, most_states=3, noise=0.1)
    network, lists, _ = learn(dataset, score=score, seed=seed)
    extra = network.header.extra
    assert extra["bound_relative_to"] == "all networks"
    assert extra["total"] == pytest.approx(best_of_all(rows, dataset.n_states, 3, score), abs=1e-6)
    assert extra["gap"] < 1e-8
    assert lists.complete.all()


@pytest.mark.slow
def test_five_variables_against_all_graphs():
    dataset, rows = dependent_dataset(3, 5, 150, most_states=2, noise=0.1)
    network, _, _ = learn(dataset)
    assert network.header.extra["total"] == pytest.approx(best_of_all(rows, dataset.n_states, 4), abs=1e-6)


def test_claims_name_limits_and_constraints():
    dataset, rows = dependent_dataset(4, 4, 200, most_states=3, noise=0.1)
    network, _, _ = learn(dataset, max_parents=1)
    assert network.header.extra["bound_relative_to"] == "all networks with at most 1 parent each"
    assert network.header.extra["total"] == pytest.approx(best_of_all(rows, dataset.n_states, 1), abs=1e-6)
    network, _, _ = learn(
        dataset, knowledge=Knowledge.of_arcs(dataset.names, required=((3, 0),), forbidden=((1, 2),))
    )
    assert network.header.extra["bound_relative_to"] == "all networks under the constraints"
    best = best_of_all(rows, dataset.n_states, 3, allowed=lambda p, c: (c != 0 or 3 in p) and (c != 2 or 1 not in p))
    assert network.header.extra["total"] == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("seed", seeds(12, quick=4))
@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "ll"])
def test_the_forecast_bounds_the_scores_computed(seed, score):
    dataset, _ = dependent_dataset(seed, 7, 60 + 30 * seed, most_states=4, noise=0.2)
    required = ((0, 6), (1, 6)) if seed % 3 == 2 else ()
    options = OptimizeOptions(
        score=score,
        knowledge=Knowledge.of_arcs(dataset.names, required=required),
        max_parents=None if seed % 2 else 3,
    )
    run = start_run(FamilyScorer(dataset, score), options, Budget(), NullReporter())
    for grower in run.growers:
        limits = limits_of(grower)
        found = search_child(run.scorer, grower.child, limits, Budget())
        most = sum(most_scores(grower, math.inf))
        assert found.complete
        assert found.evaluated <= most
        assert sum(most_scores(grower, 1.0)) >= min(most, 2)


def test_the_forecast_counts_sets_by_their_caps():
    """Two states each, fewer than 5, 9 and 3 configurations: of all pairs only {0, 1}, with 4, is below the caps."""
    scores, n_states = np.array([-5.0, -9.0, -3.0]), np.array([2, 2, 2])
    caps, anything = configuration_caps(scores, -math.inf, 1.0), configuration_caps(scores, -math.inf, 0.0)
    assert count_sets(n_states, caps, 3) == [1, 3, 1, 0]
    assert count_sets(n_states, caps, 1) == [1, 3]
    assert count_sets(n_states, anything, 2) == [1, 3, 3]
    assert count_sets(n_states, anything, 0) == [1]


def test_evaluations_are_kept_whatever_is_feasible():
    dataset, _ = dependent_dataset(4, 12, 400, most_states=2, noise=0.1)
    _, lists, _ = learn(dataset)
    assert lists.complete.all()
    network, lists, figures = learn(dataset, Budget(evaluations=300))
    assert not lists.complete.any()
    assert network.header.extra["bound_relative_to"].startswith("networks of the ")
    assert figures["scores_computed"] < 500
    run = start_run(FamilyScorer(dataset), OptimizeOptions(), Budget(), NullReporter())
    assert 0.0 < forecast_listing(run) < 1.0
    assert forecast_listing(replace(run, budget=Budget(evaluations=run.scorer.evaluations + 30))) is None
    assert forecast_listing(replace(run, budget=Budget(seconds=1e-6))) is None


def test_same_seed_same_network_for_any_number_of_threads():
    dataset, _ = dependent_dataset(4, 10, 200, most_states=2)
    first, *others = [learn(dataset, seed=5, jobs=jobs)[0] for jobs in (1, 1, 2)]
    for other in others:
        assert other.parents == first.parents
        assert other.header == first.header


def test_an_enumeration_cut_short_claims_nothing_about_all_networks(monkeypatch):
    dataset, _ = dependent_dataset(3, 8, 200, most_states=2)
    stop = threading.Event()

    def stop_in_the_middle(run, score):
        stop.set()
        return enumerate_all(run, score)

    monkeypatch.setattr(loop, "enumerate_all", stop_in_the_middle)
    network, lists, _ = learn(dataset, Budget(stop=stop))
    assert network.header.extra["interrupted"]
    assert network.header.extra["bound_relative_to"].startswith("networks of the ")
    assert not lists.complete.any()


def test_the_search_comes_first_and_its_network_and_gap_outlast_an_interrupted_listing(monkeypatch):
    """A long listing, stopped at once, leaves what the search found until it converged, with its bound."""
    dataset, _ = dependent_dataset(7, 14, 300, most_states=3, noise=0.1)
    stop, said = threading.Event(), []

    class Messages(NullReporter):
        def summary(self, message):
            said.append(message)

    def stop_in_the_middle(run, score):
        if run.scorer.n_variables == dataset.n_variables:  # not while kernels are compiled
            stop.set()
        return enumerate_all(run, score)

    monkeypatch.setattr(loop, "forecast_listing", lambda _: 100.0)
    monkeypatch.setattr(loop, "enumerate_all", stop_in_the_middle)
    cut, figures = run_on_data(dataset, OptimizeOptions(seed=2), Budget(stop=stop), Messages())
    monkeypatch.setattr(loop, "forecast_listing", lambda _: None)
    network, without = run_on_data(dataset, OptimizeOptions(seed=2), Budget(), NullReporter())
    assert cut.header.extra["interrupted"]
    assert cut.header.extra["total"] >= network.header.extra["total"] - 1e-6
    assert cut.header.extra["gap"] <= network.header.extra["gap"] + 1e-6
    assert figures["rounds"] == without["rounds"] > 1
    assert len(said) == 1 and "Ctrl-C" in said[0]


def test_a_search_stopped_before_it_begins_delivers_a_network_and_a_gap():
    dataset, _ = dependent_dataset(3, 12, 200, most_states=2)
    stop = threading.Event()
    stop.set()
    network, _, _ = learn(dataset, Budget(stop=stop))
    extra = network.header.extra
    assert extra["interrupted"] and extra["gap"] < 0.1 * abs(extra["total"])


def test_no_time_at_all_still_delivers():
    dataset, _ = dependent_dataset(3, 8, 200, most_states=2)
    network, _, _ = learn(dataset, Budget(0.0, clock=TickingClock()))
    assert network.header.extra["bound"] >= network.header.extra["total"]


def test_a_proof_that_the_search_leaves_open_is_worked_on(monkeypatch):
    """Beyond the variables of dynamic programming an iterated local search may end before the bound is closed."""
    dataset, _ = dependent_dataset(7, 8, 200, most_states=2, noise=0.1)
    best, _, _ = learn(dataset)
    search = loop.search_complete

    def leave_open(*parts):
        found = search(*parts)
        return replace(found, bound=found.bound._replace(value=found.bound.value + 7.0))

    monkeypatch.setattr(loop, "search_complete", leave_open)
    network, _, _ = learn(dataset)
    assert network.header.extra["total"] == best.header.extra["total"]
    assert network.header.extra["gap"] < 1e-8


@pytest.mark.parametrize("jobs", [1, 2])
def test_lists_that_a_few_show_to_be_long_are_given_up(monkeypatch, jobs):
    dataset, _ = dependent_dataset(4, 10, 200, most_states=2)
    _, complete, _ = learn(dataset, seed=5)
    n_listed = complete.n_sets
    assert complete.complete.all()
    for allowed, is_listed in ((2.0 * n_listed, True), (0.1 * n_listed, False)):
        monkeypatch.setattr(complete_lists, "SECONDS_TO_SOLVE", complete_lists.MOST_SECONDS / allowed)
        network, lists, _ = learn(dataset, seed=5, jobs=jobs)
        assert lists.complete.all() == is_listed
        whose = network.header.extra["bound_relative_to"]
        assert (whose == "all networks") == is_listed and whose.startswith("networks of the ") != is_listed


@pytest.mark.parametrize("at_once", [1, 3, 32])
@pytest.mark.slow
def test_lists_are_given_up_once_all_together_are_too_long(monkeypatch, at_once):
    """By the one list looked at first they would be short enough; threads change nothing."""
    dataset, _ = dependent_dataset(7, 8, 200, most_states=2)
    _, complete, _ = learn(dataset, seed=5)
    n_listed, n_first = complete.n_sets, int(complete.set_offsets[1])
    assert 10 * n_first < n_listed - 1
    monkeypatch.setattr(complete_lists, "SAMPLED", 1)
    monkeypatch.setattr(complete_lists, "LISTED_AT_ONCE", at_once)
    for allowed, is_listed in ((n_listed, True), (n_listed - 1, False), (10 * n_first, False)):
        monkeypatch.setattr(complete_lists, "SECONDS_TO_SOLVE", complete_lists.MOST_SECONDS / allowed)
        scored = set()
        for jobs in (1, 4):
            network, lists, _ = learn(dataset, seed=5, jobs=jobs)
            assert lists.complete.all() == is_listed
            scored.add((network.parents, network.header.extra["scores_computed"]))
        assert len(scored) == 1


def test_the_forecast_of_time_grows_with_what_takes_time():
    def seconds(n_rows, most_states, counts, score="bic"):
        dataset, _ = dependent_dataset(1, 6, n_rows, most_states=most_states)
        assert (dataset.n_states.max() > 2) == (most_states > 2)
        return seconds_of(FamilyScorer(dataset, score), counts)

    least = seconds(100, 2, [1, 10, 100])
    assert 0.0 < least < seconds(1000, 2, [1, 10, 100])
    assert least < seconds(100, 2, [1, 10, 10, 90])  # the same number of scores, larger sets
    assert least < seconds(100, 4, [1, 10, 100]) < seconds(100, 4, [1, 10, 100], "bdeu")
    assert seconds(100, 4, [0, 0, 200]) == pytest.approx(2.0 * seconds(100, 4, [0, 100]))


def test_the_forecast_of_time_takes_sets_of_any_size():
    dataset, _ = dependent_dataset(1, 6, 100, most_states=2)
    scorer = FamilyScorer(dataset, "bic")
    # Tables of more than 1,000 columns have an entry for each size; 2^1024 is no number of 64 bits.
    assert seconds_of(scorer, [1, 10, *[0] * 2000]) == seconds_of(scorer, [1, 10])
