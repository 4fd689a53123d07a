"""Pricing: growth within orders, candidate lists, whole runs and their bound."""

from __future__ import annotations

import math
import re
import threading

import numpy as np
import pytest
from helpers.clocks import TickingClock
from helpers.seeds import seeds
from helpers.tables import dependent_dataset
from naive.optimize.networks_search import best_by_subsets
from naive.optimize.pricing import grow_and_shrink, undominated
from naive.parentsets import prune_dominated, score_all_sets

from formats.records import ParentSetTable
from stages.knowledge import Knowledge
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run_on_data
from stages.optimize.pricing import loop
from stages.optimize.pricing.growing_lists import EXTENSIONS_KEPT, GrowingLists
from stages.optimize.pricing.order_pricing import OrderPricing
from stages.optimize.pricing.run import start_run
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.set_grower import SetGrower


def learn(dataset, evaluations=3000, seed=0, seconds=None, start=None, table=None, **options):
    """The network, and the lists that the run ended with as a table."""
    kept = []
    options = OptimizeOptions(method="pricing", seed=seed, **options)
    network, _ = run_on_data(
        dataset,
        options,
        Budget(seconds, evaluations, clock=TickingClock()),
        NullReporter(),
        start,
        table,
        lambda header, records: kept.append(ParentSetTable.from_records(header, records)),
    )
    return network, kept[0]


@pytest.fixture
def growing(monkeypatch):
    """Lists that grow to the end, however small the data."""
    monkeypatch.setattr(loop, "forecast_listing", lambda _: None)


def run_of(dataset, **options):
    scorer = FamilyScorer(dataset)
    return start_run(scorer, OptimizeOptions(method="pricing", **options), Budget(), NullReporter())


# Growth


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_sets_are_grown_as_defined(seed):
    dataset, rows = dependent_dataset(seed, 7, 150, most_states=3)
    rng = np.random.default_rng(seed)
    scorer, child = FamilyScorer(dataset), seed % 7
    exact = score_all_sets(rows, dataset.n_states, child, 6)
    others = [v for v in range(7) if v != child]
    required = tuple(others[:1]) if seed % 3 == 2 else ()
    candidates = np.array(others, dtype=np.int32)
    grower = SetGrower(scorer, child, 3 + seed % 3, lambda: candidates, required)
    for _ in range(6):
        allowed = np.zeros(7, dtype=np.bool_)
        allowed[rng.permutation(others)[: rng.integers(0, 7)]] = True
        allowed[list(required)] = True
        met = set()
        reached = grow_and_shrink(
            lambda p: round(exact[p], 6), set(np.flatnonzero(allowed).tolist()), required, required, 3 + seed % 3, met
        )
        found = grower.grow_and_shrink(allowed)
        assert exact[found] == pytest.approx(exact[reached], abs=1e-6)
        assert all(grower.scores[p] == pytest.approx(exact[p], abs=1e-6) for p in grower.scores)
        assert set(required) <= set(found)
        assert all(allowed[p] for p in found)
        if found == reached:
            assert met <= {*grower.improvements(7), *grower.scores}


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_lists_are_the_undominated_sets_and_the_best_extensions(seed):
    dataset, rows = dependent_dataset(seed, 6, 120, most_states=3)
    run = run_of(dataset, seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        # Lists that are there take in what is new.
        run.grow_within(rng.permutation(6).astype(float))
        packed = run.lists.latest()
    for child, grower in enumerate(run.growers):
        expected = undominated(grower.improvements(EXTENSIONS_KEPT))
        sets = range(packed.set_offsets[child], packed.set_offsets[child + 1])
        listed = [
            tuple(packed.parents[packed.parent_offsets[s] : packed.parent_offsets[s + 1]].tolist()) for s in sets
        ]
        assert listed == expected
        exact = score_all_sets(rows, dataset.n_states, child, 5)
        assert [exact[p] for p in listed] == pytest.approx(packed.scores[sets.start : sets.stop].tolist())
        assert () in listed


def test_extensions_are_kept_up_to_a_number():
    dataset, _ = dependent_dataset(1, 8, 300, most_states=2, noise=0.05)
    grower = SetGrower(FamilyScorer(dataset), 7, 7)
    order, scores = grower.improving(())
    assert set(grower.improvements(2)) == {(), *((y,) for y in order[:2].tolist())}
    assert [grower.improvements(2)[(y,)] for y in order[:2].tolist()] == scores[:2].tolist()
    grower.max_parents = 0
    assert set(grower.improvements(2)) == {()}


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_lists_extended_in_rounds_are_those_made_at_once(seed):
    dataset, _ = dependent_dataset(seed, 8, 200, most_states=3)
    run = run_of(dataset)
    rng = np.random.default_rng(seed)
    for _ in range(4):
        run.grow_within(rng.permutation(8).astype(float))
        run.lists.latest()
        # A set that becomes known with a lower score, as from a file that rounds, is listed once.
        for record, grower in zip(run.lists.records(), run.growers):
            listed = dict(zip(record.parents, record.scores.tolist()))
            new = [parents for parents in listed if parents not in grower.scores][:2]
            grower.scores |= {parents: listed[parents] - 1e-9 for parents in new}
    listed = list(run.lists.records())
    assert sum(len(record.scores) for record in listed) == run.lists.n_sets
    for record, once in zip(listed, GrowingLists(run.growers).records(), strict=True):
        assert record.parents == once.parents
        np.testing.assert_array_equal(record.scores, once.scores)
        known = run.growers[record.child].improvements(EXTENSIONS_KEPT)
        assert set(record.parents) == set(prune_dominated(known))


def test_complete_lists_stay_whatever_growers_learn():
    dataset, _ = dependent_dataset(2, 8, 200, most_states=2)
    run = run_of(dataset)
    run.grow_within(np.arange(8.0))
    records = list(run.lists.records())
    run.lists.complete(records)
    run.growers[3].score((0, 1, 2, 4, 5))
    run.lists.limit_parents(0)
    assert run.lists.is_complete and run.lists.table().complete.all()
    assert [(r.parents, r.scores.tolist()) for r in run.lists.records()] == [
        (r.parents, r.scores.tolist()) for r in records
    ]
    assert max(record.parents.sizes.max() for record in records) > 0


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_growth_within_an_order_gives_every_variable_a_set_before_it(seed):
    dataset, _ = dependent_dataset(seed, 8, 200, most_states=2)
    run = run_of(dataset, max_parents=2)
    position = np.random.default_rng(seed).permutation(8).astype(float)
    run.grow_within(position)
    for child, grower in enumerate(run.growers):
        assert all(len(p) <= 2 for p in grower.improvements(8))
        before = [p for p in grower.scores if all(position[v] < position[child] for v in p)]
        best = max(before, key=grower.scores.get)
        # No further variable before it helps the set that was reached.
        order, _ = grower.improving(best) if len(best) < 2 else (np.empty(0, int), None)
        assert not any(position[y] < position[child] for y in order)


# Memory


def test_forgetting_keeps_lists_and_frees_the_rest():
    dataset, _ = dependent_dataset(2, 8, 200, most_states=2)
    run = run_of(dataset)
    for seed in range(5):
        run.grow_within(np.random.default_rng(seed).permutation(8).astype(float))
    before = list(run.lists.records())
    known = sum(grower.bytes for grower in run.growers)
    assert not run.lists.forget_over(known)
    assert run.lists.forget_over(known - 1)
    assert sum(grower.bytes for grower in run.growers) < known
    assert list(run.lists.records()) == before


@pytest.mark.slow
def test_a_run_with_little_memory_keeps_to_it_and_is_no_worse(monkeypatch, growing):
    dataset, _ = dependent_dataset(3, 10, 300, most_states=2, noise=0.1)
    plain, _ = learn(dataset, None)
    known = []
    grow = OrderPricing.grow

    def watch(self):
        known.append(sum(grower.bytes for grower in self.run.growers))
        grow(self)

    monkeypatch.setattr(loop, "MOST_BYTES", 1)
    monkeypatch.setattr(OrderPricing, "grow", watch)
    small, lists = learn(dataset, None)
    assert small.header.extra["total"] >= plain.header.extra["total"] - 1e-6
    # All that is left between two rounds are the lists.
    assert known[-1] <= 250 * lists.n_sets


# Whole runs


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_small_data_are_solved(seed, growing):
    dataset, rows = dependent_dataset(seed, 6, 200, most_states=3)
    from naive.optimize.networks_search import make_table

    network, _ = learn(dataset, None, seed)
    best = best_by_subsets(
        make_table({c: prune_dominated(score_all_sets(rows, dataset.n_states, c, 5)) for c in range(6)})
    )
    assert network.header.extra["total"] == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize(
    "options", [{}, {"knowledge": Knowledge.of_arcs(range(12), ((0, 3), (5, 2)))}, {"treewidth": 2}]
)
def test_no_more_scores_are_computed_than_asked_for(growing, options):
    dataset, _ = dependent_dataset(4, 12, 200, most_states=2)
    for evaluations in (20, 97, 150) if "treewidth" in options else (20, 41, 150, 151, 277, 400, 503):
        network, _ = learn(dataset, evaluations, **options)
        # The scores of a set less each of its parents are computed together, or none of them.
        assert evaluations - 12 < network.header.extra["scores_computed"] <= evaluations


@pytest.mark.slow
def test_same_seed_same_bytes_for_any_number_of_threads(growing):
    dataset, _ = dependent_dataset(4, 12, 200, most_states=2)
    first, *others = [learn(dataset, 4000, 5, jobs=jobs)[0] for jobs in (1, 1, 2)]
    for other in others:
        assert other.parents == first.parents
        assert other.header == first.header


@pytest.mark.slow
def test_saved_sets_hold_the_network_and_lead_on(growing):
    dataset, _ = dependent_dataset(6, 10, 300, most_states=2)
    network, lists = learn(dataset, 3000)
    listed = {(r.child, p): s for r in lists.records() for p, s in zip(r.parents, r.scores)}
    for child, parents in enumerate(network.parents):
        assert listed[child, parents] == network.scores[child]
    for record in lists.records():
        kept = dict(zip(record.parents, record.scores))
        assert list(record.parents) == undominated(kept)
    again, more = learn(dataset, 3500, seed=9, table=lists)
    assert again.header.extra["total"] >= network.header.extra["total"] - 1e-6
    assert more.n_sets >= 1


@pytest.mark.slow
def test_lists_of_other_data_are_scored_anew(growing):
    dataset, _ = dependent_dataset(6, 8, 300, most_states=2)
    other, _ = dependent_dataset(7, 8, 100, most_states=2)
    _, lists = learn(other, 2000)
    lists = ParentSetTable.from_records(
        type(lists.header)(lists.header.variables, data="sha256:other"), list(lists.records())
    )
    network, _ = learn(dataset, 3000, table=lists)  # run_on_data verifies all scores on the data
    assert math.isfinite(network.header.extra["total"])


# The bound


@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_bound_holds_for_the_final_lists(seed, growing):
    dataset, _ = dependent_dataset(seed, 8, 250, most_states=2, noise=0.15)
    network, lists = learn(dataset, 1500, seed)
    extra = network.header.extra
    assert extra["bound"] >= best_by_subsets(lists) - 1e-6
    assert extra["gap"] == extra["bound"] - extra["total"] >= 0.0
    known = f"{lists.n_sets} sets at the end of the search; more exist"
    assert extra["bound_relative_to"] == f"networks of the listed sets ({known})"
    assert not lists.complete.any()


@pytest.mark.slow
def test_a_gap_is_shown_before_the_end(growing):
    reported = []

    class Listener(NullReporter):
        def progress(self, done, total, counted, network=None, **facts):
            reported.append(facts)

    dataset, _ = dependent_dataset(3, 12, 250, most_states=2, noise=0.15)
    run_on_data(dataset, OptimizeOptions(method="pricing"), Budget(evaluations=20_000), Listener())
    gaps = [(name, gap) for facts in reported for name, gap in facts.items() if name.startswith("gap")]
    assert any("gap to the best of " in " ".join(facts) for facts in reported if "rounds" in facts)
    assert all(gap >= 0.0 for _, gap in gaps)
    # No gap is shown without the number of sets of the lists that it is about.
    assert all(re.fullmatch(r"gap to the best of (the final )?[\d,]+ sets", name) for name, _ in gaps)


def test_a_run_out_of_evaluations_leaves_the_rest_of_its_time(growing):
    dataset, _ = dependent_dataset(4, 12, 200, most_states=2)
    timed, _ = learn(dataset, 150, seconds=100.0)  # a tick of the clock is far less
    plain, _ = learn(dataset, 150)
    assert plain.header.extra["scores_computed"] == 150
    assert timed.header.extra["bound"] == plain.header.extra["bound"]
    assert timed.header.extra["gap"] > 0.0


@pytest.mark.slow
def test_time_is_shared_with_the_bound(growing):
    dataset, _ = dependent_dataset(3, 25, 300, most_states=2)
    network, _ = learn(dataset, None, seconds=1.5)
    assert network.header.extra["gap"] < 0.05 * abs(network.header.extra["total"])


def test_interrupted_runs_have_a_network_and_a_bound(growing):
    dataset, _ = dependent_dataset(3, 8, 200, most_states=2)
    stop = threading.Event()
    stop.set()
    options = OptimizeOptions(method="pricing")
    network, _ = run_on_data(dataset, options, Budget(stop=stop), NullReporter())
    assert network.header.extra["interrupted"]
    assert network.header.extra["bound"] >= network.header.extra["total"]


def test_candidate_lists_of_nothing_but_required_sets():
    dataset, _ = dependent_dataset(2, 4, 100)
    scorer = FamilyScorer(dataset)
    growers = [SetGrower(scorer, child, 3, None, ((child + 1) % 4,) if child < 3 else ()) for child in range(4)]
    lists = GrowingLists(growers)
    assert lists.required == ((1,), (2,), (3,), ())
    assert lists.n_sets == 0
    assert len(lists.latest().scores) == lists.n_sets == 4
