"""Scores of rows under intervention, against counting the other rows by hand."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from helpers.seeds import seeds
from helpers.tables import dependent_dataset
from naive.interventions import interventional_score
from naive.networks import all_networks

from formats.data_records import Dataset, Interventions
from formats.errors import UnsuitableData
from stages.methods import DATA, DATA_TW
from stages.optimize import METHODS, OptimizeOptions
from stages.optimize.driver import run, run_on_data
from stages.parentsets import METHODS as SELECTIONS
from stages.parentsets import ParentSetOptions
from stages.parentsets.identification_run import ParentSetRun
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.independent import IndependentScorer
from stages.scoring.interventional_scorer import InterventionalScorer, scorer_of

SCORES = ("bic", "aic", "bdeu", "k2", "bds", "qnml", "fnml", "ll")


def set_in_rows(dataset: Dataset, seed: int, share: float = 0.5):
    """The data with random interventions on all variables but the last, and the sets by row."""
    rng = np.random.default_rng(seed)
    n = dataset.n_variables
    targets = tuple(sorted({(), *((v,) for v in range(n - 1)), (0, 1)}))
    of_row = np.where(rng.random(dataset.n_rows) < share, rng.integers(0, len(targets), dataset.n_rows), 0)
    given = Interventions(targets, of_row.astype(np.int32))
    return Dataset(dataset.variables, dataset.codes, dataset.fingerprint, given), [targets[k] for k in of_row]


@pytest.mark.parametrize("seed", seeds(12, 3))
@pytest.mark.parametrize("score", SCORES)
def test_every_way_of_counting_leaves_the_rows_out(seed, score):
    dataset, rows = dependent_dataset(seed, 5, 60 + 40 * (seed % 5), noise=0.5)
    dataset, was_set = set_in_rows(dataset, seed)
    n_states = dataset.n_states.tolist()
    scorer, independent = scorer_of(dataset, score, 1.7), IndependentScorer(dataset, score, 1.7)
    pairs = scorer.pairs().matrix()

    def plain(child, parents):
        return pytest.approx(
            interventional_score(rows, was_set, n_states, child, parents, score, 1.7), rel=1e-9, abs=1e-8
        )

    for child in range(5):
        others = [v for v in range(5) if v != child]
        for size in range(4):
            for parents in itertools.combinations(others, size):
                expected = plain(child, parents)
                assert scorer.local_score(child, parents) == expected
                assert scorer.of_child(child).local_score(child, parents) == expected
                assert independent.local_score(child, parents) == expected
                found = scorer.expand(child, parents)
                for other in set(others) - set(parents):
                    assert found[other] == plain(child, tuple(sorted((*parents, other))))
        for other in others:
            assert pairs[child, other] == plain(child, (other,))


def test_without_interventions_it_is_the_plain_scorer():
    dataset, _ = dependent_dataset(1, 4, 50)
    assert type(scorer_of(dataset)) is FamilyScorer
    nothing = Interventions(((),), np.zeros(50, dtype=np.int32))
    assert type(scorer_of(Dataset(dataset.variables, dataset.codes, "", nothing))) is FamilyScorer
    assert type(scorer_of(set_in_rows(dataset, 1)[0])) is InterventionalScorer


def test_a_variable_that_is_always_set_is_refused():
    dataset, _ = dependent_dataset(1, 3, 20)
    given = Interventions(((1,), (1, 2)), np.arange(20, dtype=np.int32) % 2)
    with pytest.raises(UnsuitableData, match="'V1' was set in every row") as refused:
        scorer_of(Dataset(dataset.variables, dataset.codes, "", given))
    assert "--forbid '*->V1'" in str(refused.value)


def test_workers_elsewhere_get_what_was_set():
    dataset, _ = set_in_rows(dependent_dataset(2, 4, 90)[0], 2)
    sent = pickle.loads(pickle.dumps(dataset))
    assert [scorer_of(sent).local_score(v, ()) for v in range(4)] == [
        scorer_of(dataset).local_score(v, ()) for v in range(4)
    ]
    part = dataset.rows(np.arange(40)).of_variables([3, 0], "")
    assert part.is_free(0) is None and part.is_free(1).tolist() == dataset.is_free(0)[:40].tolist()


def best_total(rows, was_set, n_states, score) -> float:
    n = len(n_states)
    local = {
        (child, parents): interventional_score(rows, was_set, n_states, child, parents, score)
        for child in range(n)
        for size in range(n)
        for parents in itertools.combinations([v for v in range(n) if v != child], size)
    }
    return max(sum(local[child, family] for child, family in enumerate(g)) for g in all_networks(n))


def lists_of(dataset, **options):
    from formats.records import ParentSetTable

    search = ParentSetRun(dataset, ParentSetOptions(**options))
    return ParentSetTable.from_records(search.header, search.records())


@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize("seed", seeds(6, 2))
def test_the_optimum_of_complete_lists_is_that_of_all_networks(seed, score):
    dataset, rows = dependent_dataset(seed, 4, 150, least_states=2)
    dataset, was_set = set_in_rows(dataset, seed)
    expected = best_total(rows, was_set, dataset.n_states.tolist(), score)
    table = lists_of(dataset, method="sequential", score=score)
    assert table.complete.all() and table.header.extra["interventions"] == [[], [0], [0, 1], [1], [2]]
    found, _ = run(table, OptimizeOptions(method="exact"), Budget(), NullReporter())
    assert found.header.extra["total"] == pytest.approx(expected, rel=1e-9)
    assert found.header.extra["interventions"] == table.header.extra["interventions"]
    on_data, _ = run_on_data(dataset, OptimizeOptions(score=score), Budget(), NullReporter())
    assert on_data.header.extra["total"] == pytest.approx(expected, rel=1e-9)
    assert on_data.header.extra["bound"] >= expected - 1e-6


LISTED = [
    (name, score) for name in SELECTIONS for score in ("bic", "bdeu") if (name, score) != ("independence", "bdeu")
]


@pytest.mark.parametrize(("method", "score"), LISTED)
def test_every_selection_lists_scores_of_the_other_rows(method, score):
    dataset, rows = dependent_dataset(3, 6, 200, least_states=2)
    dataset, was_set = set_in_rows(dataset, 3)
    table = lists_of(dataset, method=method, score=score, evaluations=60)
    n_states = dataset.n_states.tolist()
    for record in table.records():
        for parents, value in zip(record.parents, record.scores.tolist()):
            expected = interventional_score(rows, was_set, n_states, record.child, parents, score)
            assert value == pytest.approx(expected, rel=1e-9)


ON_DATA = [
    (name, task)
    for name, spec in METHODS.items()
    for task in (DATA, DATA_TW)
    if task in spec.variants and spec.family != "classifiers"  # these refuse such rows
]


@pytest.mark.parametrize(("method", "task"), ON_DATA)
def test_every_search_on_data_returns_such_scores(method, task):
    # The driver verifies the network by independent counting.
    dataset, rows = dependent_dataset(5, 7, 300, least_states=2)
    dataset, was_set = set_in_rows(dataset, 5, share=0.9)
    options = OptimizeOptions(method=method, treewidth=2 if task.bounded else None)
    found, _ = run_on_data(dataset, options, Budget(evaluations=2000), NullReporter())
    for child, (family, value) in enumerate(zip(found.parents, found.scores.tolist())):
        expected = interventional_score(rows, was_set, dataset.n_states.tolist(), child, family)
        assert value == pytest.approx(expected, rel=1e-9)
    assert found.header.extra["interventions"] == [[], *([v] for v in range(1)), [0, 1], *([v] for v in range(1, 6))]
