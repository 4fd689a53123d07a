"""Growing samples of the rows: what is sampled, and what the search on all rows begins with."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from helpers.tables import dependent_dataset

from stages.optimize import OptimizeOptions
from stages.optimize.driver import run_on_data
from stages.optimize.pricing import row_samples
from stages.optimize.pricing.row_samples import row_samples as samples_of
from stages.optimize.pricing.row_samples import sample_sizes, search_samples
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring import dataset_layout
from stages.scoring.family_scorer import FamilyScorer


@pytest.fixture
def few_are_many(monkeypatch):
    monkeypatch.setattr(row_samples, "MANY_ROWS", 500)
    monkeypatch.setattr(row_samples, "LEAST_ROWS", 60)
    monkeypatch.setattr(row_samples, "GROWTH", 4)


def test_sizes_grow_by_the_same_factor():
    assert sample_sizes(500_000) == []
    assert sample_sizes(10_000_000) == [19_531, 156_250, 1_250_000]


@pytest.mark.parametrize("part_rows", [1 << 22, 77])
def test_samples_are_nested_rows_of_the_table(monkeypatch, part_rows):
    monkeypatch.setattr(row_samples, "PART_ROWS", part_rows)
    dataset, _ = dependent_dataset(1, 5, 400, most_states=3)
    rows = {tuple(row) for row in dataset.codes.T.tolist()}
    before: list[tuple[int, ...]] = []
    for size, sample in zip((40, 160), samples_of(dataset, [40, 160], threading.Event())):
        found = sorted(tuple(row) for row in sample.plain_codes.T.tolist())
        assert len(found) == size and set(found) <= rows
        assert all(found.count(row) >= before.count(row) for row in set(before))
        before = found
        assert sample.variables == dataset.variables


@pytest.mark.parametrize("better", [False, True])
def test_each_sample_begins_with_the_best_network_before(few_are_many, better):
    dataset, _ = dependent_dataset(4, 5, 1200, most_states=2)
    seen, reported = [], []
    whole = FamilyScorer(dataset)
    child, parent = np.unravel_index(
        np.argmax([whole.expand(v, ()) - whole.local_score(v, ()) for v in range(5)]), (5, 5)
    )
    networks = [((),) * 5, tuple((int(parent),) if v == child else () for v in range(5))]
    if better:
        networks.reverse()
    totals = [math.fsum(whole.local_score(v, p) for v, p in enumerate(network)) for network in networks]
    assert (totals[0] > totals[1]) == better

    def search(scorer, options, budget):
        seen.append((scorer.n_rows, options.start and options.start.parents, budget.seconds))
        return networks[len(seen) - 1]

    class Listener(NullReporter):
        def progress(self, done, total, counted, network=None, **facts):
            reported.append(facts["score"])

    options = search_samples(whole, OptimizeOptions(), Budget(90.0), search, Listener())
    assert [rows for rows, _, _ in seen] == [75, 300]
    assert [start for _, start, _ in seen] == [None, networks[0]]
    # The reported scores are those on all rows, and the best network is kept.
    assert options.start is not None and options.start.parents == networks[0 if better else 1]
    assert reported == totals[: 1 if better else 2]
    assert sum(seconds for _, _, seconds in seen) < 90.0


def test_a_stop_while_a_sample_is_prepared_keeps_the_network_before(few_are_many, monkeypatch):
    monkeypatch.setattr(dataset_layout, "MOMENTS_CELLS", 5 * 100)  # the second sample has more
    dataset, _ = dependent_dataset(2, 5, 1200, most_states=2)
    stop = threading.Event()
    scorer = FamilyScorer(dataset)

    def search(smaller, options, budget):
        stop.set()
        return ((), (0,), (), (), ())

    class StopsLate(Budget):
        """Not spent when it is asked between the samples, as with a stop a moment later."""

        def is_spent(self, evaluations=0):
            return False

    options = search_samples(scorer, OptimizeOptions(), StopsLate(stop=stop), search, NullReporter())
    assert options.start is not None and options.start.parents == ((), (0,), (), (), ())


def test_few_rows_are_not_sampled():
    options = OptimizeOptions()
    dataset, _ = dependent_dataset(2, 5, 100)
    assert search_samples(FamilyScorer(dataset), options, Budget(), lambda *_: (), NullReporter()) is options


def test_the_result_is_scored_on_all_rows(few_are_many):
    dataset, _ = dependent_dataset(3, 7, 1000, most_states=2)
    whole = [
        run_on_data(dataset, OptimizeOptions(method="pricing", seed=seed), Budget(), NullReporter())[0]
        for seed in (0, 0)
    ]
    scorer = FamilyScorer(dataset)
    network = whole[0]
    expected = [scorer.local_score(child, parents) for child, parents in enumerate(network.parents)]
    assert np.allclose(network.scores, expected)
    assert network.header.extra["total"] == pytest.approx(math.fsum(expected))
    assert whole[1].parents == network.parents and whole[1].header == network.header
