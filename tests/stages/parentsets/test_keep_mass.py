"""``--keep-mass``: a subset must score more by a margin for a set to be left out; searches drop what it dominates."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.cases.selections import identify
from helpers.tables import dependent_dataset, make_dataset
from naive.parentsets import prune_dominated, score_all_sets

from formats.records import ParentSetTable
from stages.knowledge import Knowledge
from stages.lists.undominated import drop_dominated
from stages.parentsets import ParentSetOptions
from stages.parentsets.complete_count import count_complete
from stages.parentsets.identification_run import ParentSetRun

FINISHING = ["sequential", "greedy", "indep"]


def lists_of(dataset, knowledge=None, **options):
    header, records = identify(dataset, ParentSetOptions(**options), knowledge=knowledge)
    return header, list(records)


@pytest.mark.parametrize("method", FINISHING)
@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize("mass", [0.5, 1e-3, 1e-8, 0.0])
@pytest.mark.parametrize("seed", [4, 61])
def test_only_what_a_subset_beats_by_the_margin_is_left_out(method, score, mass, seed):
    dataset, rows = dependent_dataset(seed, 6, 60, most_states=3)
    assert (dataset.n_states > 1).all()
    header, records = lists_of(dataset, method=method, score=score, keep_mass=mass, max_parents=3, evaluations=10**6)
    assert header.extra["keep_mass"] == mass
    for record in records:
        scores = score_all_sets(rows, dataset.n_states.tolist(), record.child, 3, score)
        margin = -math.log(mass) if mass else math.inf
        expected = prune_dominated({parents: round(value, 8) for parents, value in scores.items()}, margin)
        assert record.complete
        assert set(record.parents) == set(expected)
        assert list(record.scores) == pytest.approx([scores[parents] for parents in record.parents])
        assert list(record.scores) == sorted(record.scores, reverse=True)


@pytest.mark.parametrize("method", FINISHING)
def test_constraints_hold(method):
    dataset, rows = dependent_dataset(4, 6, 60, most_states=3)
    knowledge = Knowledge.of_arcs(dataset.names, [(0, 2)], [(1, 3), (4, 3)])
    _, records = lists_of(
        dataset, knowledge, method=method, score="bdeu", keep_mass=0.0, max_parents=3, evaluations=10**6
    )
    everything = [set(score_all_sets(rows, dataset.n_states.tolist(), child, 3, "bdeu")) for child in range(6)]
    everything[2] = {parents for parents in everything[2] if 0 in parents}
    everything[3] = {parents for parents in everything[3] if not {1, 4}.intersection(parents)}
    assert [set(record.parents) for record in records] == everything


@pytest.mark.parametrize("method", [*FINISHING, "grow"])
def test_what_a_cut_search_finds_stays_unless_a_subset_beats_it(method):
    """Fewer scores than there are sets: what is listed is exact, and no listed set beats another by the margin."""
    dataset, rows = dependent_dataset(6, 8, 80, most_states=3)
    mass = 0.01
    _, plain = lists_of(dataset, method=method, score="bdeu", evaluations=60)
    _, records = lists_of(dataset, method=method, score="bdeu", keep_mass=mass, evaluations=60)
    for before, record in zip(plain, records):
        scores = score_all_sets(rows, dataset.n_states.tolist(), record.child, 7, "bdeu")
        assert list(record.scores) == pytest.approx([scores[parents] for parents in record.parents])
        listed = dict(zip(record.parents, record.scores))
        assert prune_dominated(listed, -math.log(mass)) == listed
        assert record.scores[0] >= before.scores[0] - 1e-9
    assert sum(len(record.parents) for record in records) > sum(len(record.parents) for record in plain)


def test_searches_get_the_lists_they_would_have_had():
    dataset, _ = dependent_dataset(6, 7, 80, most_states=3)
    options = {"method": "sequential", "score": "bdeu", "max_parents": 3, "evaluations": 10**6}
    plain = ParentSetTable.from_records(*lists_of(dataset, **options))
    kept = ParentSetTable.from_records(*lists_of(dataset, keep_mass=0.0, **options))
    dropped = drop_dominated(kept)
    assert kept.n_sets == 7 * (1 + 6 + 15 + 20)
    assert dropped.header == plain.header
    for name in ("set_offsets", "parent_offsets", "parents", "complete"):
        np.testing.assert_array_equal(getattr(dropped, name), getattr(plain, name))
    np.testing.assert_array_equal(dropped.scores, plain.scores)
    assert drop_dominated(plain) is plain


def test_counted_in_advance_are_the_sets_that_may_be_scored():
    dataset, _ = dependent_dataset(6, 8, 100, most_states=3)
    options = ParentSetOptions(method="sequential", max_parents=4)
    for mass in (1e-2, 0.0):
        run = ParentSetRun(dataset, replace(options, keep_mass=mass))
        count = count_complete(run)
        records = list(run.records())
        assert count is not None
        assert count.total >= sum(record.evaluated for record in records)


def test_sets_with_columns_of_one_state_count_as_left_out():
    """Columns k (constant), b, c: of 25 networks the three listed weigh 0.1159."""
    dataset = make_dataset(np.array([[0, 0, 0, 0], [0, 1, 0, 1], [1, 0, 0, 1]]), [1, 2, 2])
    _, records = lists_of(dataset, method="sequential", score="bdeu", keep_mass=0.0, evaluations=10**6)
    assert [record.left_out for record in records] == [3.0, 1.0, 1.0]
    assert math.prod(1 / (1 + record.left_out) for record in records) <= 0.1159
