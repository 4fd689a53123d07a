"""Replicates of data, and the networks learnt from them."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from helpers.tables import dependent_dataset, make_dataset
from naive import scores

from formats.data_records import Dataset, Interventions
from formats.records import Header, NetworkRecord
from stages.optimize import OptimizeOptions
from stages.optimize.bootstrap import Resampling, bootstrap_networks
from stages.optimize.driver import run_on_data
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter
from stages.runtime.seeding import task_generator
from stages.scoring.dataset_layout import pack_dataset

BOOTSTRAP = Resampling()
FIFTY = make_dataset(np.zeros((1, 50), dtype=np.uint8), [1])


def hill_climb(dataset, order, seed, stop):
    options = OptimizeOptions(method="hc", seed=seed)
    return run_on_data(dataset, options, Budget(stop=stop), NullReporter())


def networks(dataset, n_replicates, seed=1, jobs=1, search=hill_climb, stop=None, rule=BOOTSTRAP):
    stop = stop or threading.Event()
    return list(bootstrap_networks(dataset, n_replicates, seed, search, jobs, stop, rule))


def resample(dataset, rng):
    return dataset.rows(Resampling().rows(dataset, (0, 1), 0, rng))


def test_rows_are_drawn_with_replacement():
    codes = np.array([range(200), range(200)], dtype=np.uint8)
    drawn = Counter()
    for replicate in range(200):
        rows = resample(make_dataset(codes, [200, 200]), task_generator(3, replicate)).codes
        assert rows.shape == codes.shape and np.array_equal(rows[0], rows[1])
        counts = Counter(rows[0].tolist())
        assert 0.5 < len(counts) / 200 < 0.76  # 1 - 1/e of them on average
        drawn += counts
    assert sum(drawn.values()) == 200 * 200
    assert all(130 < drawn[row] < 270 for row in range(200))  # five standard deviations around 200


def test_rows_drawn_twice_are_counted_by_weight():
    codes = np.arange(20_000, dtype=np.int64)
    columns = np.array([codes % 200, codes // 200 % 100], dtype=np.uint8)
    replicate = resample(make_dataset(columns, [200, 100]), task_generator(0, 0))
    packed = pack_dataset(replicate.codes, replicate.n_states)
    assert packed.weights.max() > 1 and packed.weights.sum() == 20_000
    assert np.count_nonzero(packed.weights) < 0.75 * 20_000


def test_scores_are_those_of_the_rows_drawn():
    dataset, _ = dependent_dataset(5, 5, 300)
    for index, (network, _) in enumerate(networks(dataset, 3, seed=8)):
        rows = [tuple(row) for row in resample(dataset, task_generator(8, index)).codes.T.tolist()]
        for child, parents in enumerate(network.parents):
            expected = scores.local_score(rows, dataset.n_states.tolist(), child, parents, "bic")
            assert network.scores[child] == pytest.approx(expected, rel=1e-9)
        assert network.header.extra["replicate"] == index + 1
        assert network.header.data is None and network.header.rows == 300
        assert network.header.variables == dataset.variables


def as_text(found):
    return [(network.parents, network.scores.tolist(), network.header.extra) for network, _ in found]


def test_they_do_not_depend_on_the_number_of_workers():
    dataset, _ = dependent_dataset(2, 6, 100)
    one = as_text(networks(dataset, 7))
    assert one == as_text(networks(dataset, 7, jobs=2))
    assert one[:3] == as_text(networks(dataset, 3))
    assert len({extra["seed"] for _, _, extra in one}) == 7
    assert one != as_text(networks(dataset, 7, seed=2))


def test_constant_columns_end_no_run():
    """A state of one row only is missing in a third of the replicates."""
    dataset = make_dataset(np.array([[1] + [0] * 9, [0, 1] * 5], dtype=np.uint8), [2, 2])
    replicates = [resample(dataset, task_generator(1, index)) for index in range(10)]
    assert any((replicate.codes[0] == 0).all() for replicate in replicates)
    assert len(networks(dataset, 10)) == 10


def test_sub_samples_have_a_share_of_the_rows_once_each():
    rule = Resampling("subsample", 0.3)
    rows = [rule.rows(FIFTY, (index, 9), 0, task_generator(0, index)) for index in range(9)]
    assert all(len(set(found.tolist())) == 15 and (np.diff(found) > 0).all() for found in rows)
    assert len({tuple(found) for found in rows}) == 9
    with pytest.raises(StageError, match=r"a share of 0.001 of 50 rows is less than one row"):
        Resampling("subsample", 0.001).rows(FIFTY, (0, 1), 0, task_generator(0))


@pytest.mark.parametrize("n_replicates", [2, 7, 50])
def test_the_jackknife_leaves_out_each_row_once(n_replicates):
    rule = Resampling("jackknife")
    left_out = Counter()
    for index in range(n_replicates):
        rows = rule.rows(FIFTY, (index, n_replicates), 3, task_generator(3, index)).tolist()
        without = set(range(50)) - set(rows)
        assert len(rows) + len(without) == 50 and len(without) in (50 // n_replicates, 50 // n_replicates + 1)
        left_out.update(without)
    assert left_out == Counter(range(50))


@pytest.mark.parametrize("n_replicates", [1, 51])
def test_the_jackknife_needs_as_many_rows_as_blocks(n_replicates):
    with pytest.raises(StageError, match=f"50 rows make 2 to 50, not {n_replicates}"):
        Resampling("jackknife").rows(FIFTY, (0, n_replicates), 3, task_generator(3, 0))


def under_intervention(of_row: list[int], targets: tuple[tuple[int, ...], ...]) -> Dataset:
    codes = np.array([np.arange(len(of_row)) % 2, np.arange(len(of_row)) % 3 > 0], dtype=np.uint8)
    table = make_dataset(codes, [2, 2])
    return replace(table, interventions=Interventions(targets, np.array(of_row, dtype=np.int32)))


@pytest.mark.parametrize("rule", [Resampling(), Resampling("subsample", 0.4), Resampling("jackknife")])
def test_rows_under_intervention_are_resampled_by_themselves(rule):
    """Variable 0 was set in all rows but two: most replicates of all rows at once would have none of these."""
    of_row = [0, 1, 1, 2, 2, 2, 1, 0, *[1, 2] * 20]
    table = under_intervention(of_row, ((), (0,), (0, 1)))
    sizes = Counter(of_row)
    for index in range(30):
        rows = rule.rows(table, (index, 30), 2, task_generator(2, index))
        found = Counter(np.array(of_row)[rows].tolist())
        assert (np.diff(rows) >= 0).all()
        if rule.kind == "jackknife":
            assert sum((sizes - found).values()) in (1, 2) and found[0] >= 1
        else:
            share = rule.share if rule.kind == "subsample" else 1
            assert found == {target: max(1, round(share * size)) for target, size in sizes.items()}
        table.rows(rows).require_free_rows()
    if rule.kind == "jackknife":
        left_out = [set(range(len(of_row))) - set(rule.rows(table, (k, 30), 2, task_generator(0))) for k in range(30)]
        assert sorted(row for rows in left_out for row in rows) == list(range(len(of_row)))


def test_a_jackknife_without_a_free_row_is_refused():
    table = under_intervention([0, 1, 1, 1], ((), (1,)))
    with pytest.raises(StageError, match=r"of the jackknife has no row in which 'V1' was not set"):
        for index in range(4):
            Resampling("jackknife").rows(table, (index, 4), 0, task_generator(0))


def test_each_replicate_has_an_order_of_the_columns():
    dataset, _ = dependent_dataset(2, 5, 60)
    orders = []

    def search(rows, order, seed, stop):
        orders.append(tuple(order.tolist()))
        assert rows.variables == dataset.variables
        return hill_climb(rows, order, seed, stop)

    found = networks(dataset, 60, search=search)
    assert all(sorted(order) == list(range(5)) for order in orders) and len(set(orders)) > 30
    assert as_text(found) == as_text(networks(dataset, 60, jobs=2))


@pytest.mark.parametrize(("stopped_at", "expected"), [(0, 1), (1, 1), (2, 2)])
def test_only_whole_networks_come_after_the_first(stopped_at, expected):
    stop, n_begun = threading.Event(), []

    def search(dataset, order, seed, stop):
        n_begun.append(seed)
        if len(n_begun) == stopped_at + 1:
            stop.set()
        extra = {"interrupted": True} if stop.is_set() else {}
        return NetworkRecord(Header(dataset.variables, extra=extra), ((),), np.zeros(1)), {}

    dataset = make_dataset(np.zeros((1, 4), dtype=np.uint8), [1])
    found = networks(dataset, 5, search=search, stop=stop)
    assert len(found) == expected and len(n_begun) == stopped_at + 1
    assert ("interrupted" in found[0][0].header.extra) == (stopped_at == 0)
