"""Parent-set identification: bounds, dominance, and every method against exhaustive lists."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.selections import identify as run
from helpers.seeds import seeds
from helpers.tables import dependent_dataset, make_dataset
from hypothesis import given
from hypothesis import strategies as st
from naive.parentsets import prune_dominated, score_all_sets

from formats.records import Header, ParentSetTable, ScreeningForest
from stages.parentsets import METHODS, ParentSetOptions, sequential
from stages.parentsets import pruning_rules as bounds
from stages.parentsets.dirichlet_bounds import superset_bound
from stages.parentsets.found_sets import ChildLimits
from stages.published.scanagatta_2015.kernels import pruning
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer


def identify(dataset, **options):
    header, records = run(dataset, ParentSetOptions(**options))
    return header, list(records)


def as_dict(record) -> dict:
    return dict(zip(record.parents, record.scores))


def exhaustive(dataset, rows, child, max_parents, score="bic"):
    scores = score_all_sets(rows, dataset.n_states.tolist(), child, max_parents, score)
    # Ties by definition differ in the last bits when summed differently.
    return prune_dominated({parents: round(value, 8) for parents, value in scores.items()})


def assert_same_lists(found: dict, expected: dict) -> None:
    assert set(found) == set(expected)
    for parents, score in expected.items():
        assert found[parents] == pytest.approx(score, rel=1e-9)


def supersets(parents, scores):
    return [other for other in scores if set(other) >= set(parents)]


@given(st.floats(0, 1e4), st.integers(2, 20), st.integers(1, 64), st.floats(0.1, 10))
def test_worth_of_a_parent_is_the_entropy_rule(entropy, states, q, penalty):
    worth = bounds.worth_of_parent(entropy, states, 0.0)
    if penalty * q * states > worth * (1 + 1e-9):
        assert pruning.is_excluded_by_entropy(np.inf, entropy, penalty, q, states)
    elif penalty * q * states < worth * (1 - 1e-9):
        assert not pruning.is_excluded_by_entropy(np.inf, entropy, penalty, q, states)


@pytest.mark.slow
def test_rare_variables_are_left_out_of_larger_sets():
    """Two rows out of the ordinary, at most, in each of eight columns of 60 rows: pairs of them cannot pay."""
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 2, (60, 12))
    rows[:, 4:] = 0
    for column in range(4, 12):
        rows[rng.choice(60, 2, replace=False), column] = 1
    rows[:, 0] = rows[:, 1] ^ rows[:, 2] ^ (rng.random(60) < 0.1)
    dataset = make_dataset(rows.T, [2] * 12)
    _, records = identify(dataset, method="sequential", max_parents=4)
    for record in records:
        assert record.complete
        assert as_dict(record).keys() == exhaustive(dataset, rows.tolist(), record.child, 4).keys()
    # Without the rule the search scores 526 of the 562 sets of at most four parents.
    assert records[0].evaluated < 300


@given(
    st.integers(0, 5000), st.sampled_from(["bdeu", "k2", "bds"]), st.integers(1, 4), st.sampled_from([0.3, 1.0, 10.0])
)
def test_dirichlet_bound_covers_all_supersets(seed, score, max_parents, ess):
    dataset, rows = dependent_dataset(seed, 5, 40, most_states=3)
    scorer = FamilyScorer(dataset, score, ess)
    child = seed % 5
    allowed = np.array([y for y in range(5) if y != child], dtype=np.int32)
    scores = score_all_sets(rows, dataset.n_states.tolist(), child, max_parents, score, ess)
    bound = superset_bound(scorer, child, ChildLimits(allowed, max_parents, 10**9))
    states = int(dataset.n_states[child])
    for parents in scores:
        most = bound(parents)
        assert most >= max(scores[s] for s in supersets(parents, scores)) - 1e-9
        for best in scores.values():
            assert bound.excludes(parents, best) == (best >= most)
        cells = {(*(row[p] for p in parents), row[child]) for row in rows}
        assert most <= -len(cells) * np.log(states) + 1e-9


@pytest.mark.parametrize(
    ("method", "score"),
    [("sequential", "bdeu"), ("greedy", "bdeu"), ("sequential", "bds"), ("sequential", "qnml"), ("greedy", "fnml")],
)
def test_what_is_not_listed_is_bounded(method, score):
    dataset, rows = dependent_dataset(4, 6, 60, most_states=3)
    _, records = identify(dataset, method=method, score=score, max_parents=5, evaluations=12)
    for record in records:
        everything = score_all_sets(rows, dataset.n_states.tolist(), record.child, 5, score)
        if not record.complete:
            listed = as_dict(record)
            open_ones = [
                value
                for s, value in everything.items()
                if s not in listed and not any(set(o) < set(s) and listed[o] >= value for o in listed)
            ]
            assert record.unlisted >= max(open_ones, default=-np.inf) - 1e-9


@pytest.mark.parametrize("method", ["sequential", "greedy", "indep"])
def test_a_bound_covers_single_parents_that_were_not_scored(method):
    """The last variable is a copy of the first; three evaluations do not reach it."""
    rows = np.random.default_rng(1).integers(0, 2, (60, 5))
    rows[:, 4] = rows[:, 0]
    dataset = make_dataset(rows.T, [2] * 5)
    _, records = identify(dataset, method=method, score="aic", evaluations=3)
    exact = score_all_sets(rows.tolist(), [2] * 5, 0, 1, "aic")
    if (4,) not in records[0].parents:
        assert records[0].unlisted is None or records[0].unlisted >= exact[4,]


def test_dirichlet_bound_is_met_by_pure_configurations():
    # A parent that determines the child's state: the sum of the cells' terms is the score itself.
    codes = np.array([[0, 0, 1, 1, 1], [0, 0, 1, 1, 1]], dtype=np.uint8)
    scorer = FamilyScorer(make_dataset(codes, [2, 2]), "bdeu", 1.0)
    bound = superset_bound(scorer, 0, ChildLimits(np.array([1], dtype=np.int32), 1, 10**9))
    assert bound((1,)) == pytest.approx(scorer.local_score(0, (1,)), abs=1e-12)


# --- methods ---


@pytest.mark.parametrize("method", ["sequential", "greedy", "indep"])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_methods_that_finish_are_complete(method, seed):
    dataset, rows = dependent_dataset(seed, 6, 120, most_states=3)
    _, records = identify(dataset, method=method, evaluations=10**6)
    for record in records:
        assert record.complete
        assert_same_lists(as_dict(record), exhaustive(dataset, rows, record.child, 5))


@pytest.mark.parametrize("method", ["sequential", "greedy", "indep"])
def test_complete_up_to_a_size(method):
    dataset, rows = dependent_dataset(11, 6, 150)
    _, records = identify(dataset, method=method, max_parents=2, evaluations=10**6)
    for record in records:
        assert record.complete
        assert_same_lists(as_dict(record), exhaustive(dataset, rows, record.child, 2))


@pytest.mark.parametrize("score", ["aic", "bdeu", "k2", "bds", "qnml", "fnml", "ll"])
def test_sequential_is_complete_for_every_score(score):
    dataset, rows = dependent_dataset(2, 5, 80, most_states=3)
    _, records = identify(dataset, method="sequential", score=score, max_parents=4)
    for record in records:
        expected = score_all_sets(rows, dataset.n_states.tolist(), record.child, 4, score)
        best = max(expected.values())
        assert record.scores[0] == pytest.approx(best, rel=1e-9)
        rounded = {s: round(v, 7) for s, v in expected.items()}
        clear = set(prune_dominated(rounded))
        assert clear <= set(record.parents)


@pytest.mark.slow
@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_sequential_finds_the_same_however_its_levels_are_sliced(score, monkeypatch):
    dataset, _ = dependent_dataset(33, 8, 120, most_states=4)
    whole = identify(dataset, method="sequential", score=score, max_parents=5)
    part = identify(dataset, method="sequential", score=score, max_parents=5, evaluations=30)
    monkeypatch.setattr(sequential, "SLICE_ENTRIES", 3)
    assert identify(dataset, method="sequential", score=score, max_parents=5) == whole
    assert identify(dataset, method="sequential", score=score, max_parents=5, evaluations=30) == part
    assert [record.evaluated for record in part[1]] < [record.evaluated for record in whole[1]]


@pytest.fixture(scope="module")
def nine_variables():
    """Data, and each child's scores of all sets of up to four parents."""
    dataset, rows = dependent_dataset(7, 9, 300)
    return dataset, [score_all_sets(rows, dataset.n_states.tolist(), child, 4) for child in range(9)]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_lists_are_well_formed(method, nine_variables):
    dataset, scores_of_all_sets = nine_variables
    _, records = identify(dataset, method=method, evaluations=60, seed=4)
    assert [r.child for r in records] == list(range(9))
    for record in records:
        assert () in record.parents
        assert all(s == tuple(sorted(set(s))) and record.child not in s for s in record.parents)
        keys = [(-score, len(s), s) for s, score in zip(record.parents, record.scores)]
        assert keys == sorted(keys)
        scores = as_dict(record)
        assert set(prune_dominated(scores)) == set(scores)
        exact = scores_of_all_sets[record.child]
        for parents in scores:
            if parents in exact:
                assert scores[parents] == pytest.approx(exact[parents], rel=1e-9)
        if not record.complete and record.unlisted is not None:
            unlisted = [v for s, v in exact.items() if s not in scores]
            assert record.unlisted >= max(prune_dominated(exact).values())
            assert unlisted


@pytest.mark.parametrize("method", METHODS)
def test_results_do_not_depend_on_threads(method):
    dataset, _ = dependent_dataset(8, 12, 400)
    one = identify(dataset, method=method, evaluations=100, seed=1, jobs=1)[1]
    two = identify(dataset, method=method, evaluations=100, seed=1, jobs=2)[1]
    assert one == two


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("method", METHODS)
def test_constant_variables_are_nobodys_parents_and_have_none(method, score):
    dataset, rows = dependent_dataset(3, 8, 200, most_states=3)
    constant = {i for i in range(8) if dataset.n_states[i] == 1}
    assert constant and len(constant) < 6
    _, records = identify(dataset, method=method, score=score, max_parents=3, evaluations=2_000, seed=1)
    for record in records:
        if record.child in constant:
            assert (record.parents, record.evaluated, record.complete) == (((),), 1, True)
        elif method != "grow":
            assert record.complete
            expected = exhaustive(dataset, rows, record.child, 3, score)
            assert_same_lists(as_dict(record), expected)
        assert not constant.intersection(*record.parents)


@pytest.mark.slow
def test_a_larger_budget_never_loses_the_best_set():
    dataset, _ = dependent_dataset(9, 10, 300)
    for method in METHODS:
        small = identify(dataset, method=method, evaluations=15, seed=1)[1]
        large = identify(dataset, method=method, evaluations=2000, seed=1)[1]
        assert all(b.scores[0] >= a.scores[0] for a, b in zip(small, large))


def test_an_interrupt_leaves_valid_lists():
    dataset, _ = dependent_dataset(33, 6, 100)
    budget = Budget()
    _, records = run(dataset, ParentSetOptions(method="indep"), budget)
    first = next(records)
    budget.stop.set()
    rest = list(records)
    assert len(first.parents) >= 1
    assert [r.child for r in rest] == [1, 2, 3, 4, 5]
    assert all(r.parents == ((),) and r.extra == {"interrupted": True} for r in rest)


class Warnings(NullReporter):
    """Keeps warnings and the closing line."""

    def __init__(self):
        self.lines = []

    def warn(self, message):
        self.lines.append(message)

    summary = warn


def test_an_interrupt_says_how_many_variables_were_never_searched():
    dataset, _ = dependent_dataset(33, 6, 100)
    reporter = Warnings()
    budget = Budget()
    header, records = run(dataset, ParentSetOptions(method="indep"), budget, reporter)
    found = [next(records)]
    budget.stop.set()
    found += records
    assert reporter.lines[0] == (
        "the search of 5 of 6 variables was interrupted; 5 of them were never searched and list one set only"
    )
    table = ParentSetTable.from_records(header, found)
    assert (table.n_cut_short, table.n_unsearched) == (5, 5)


@pytest.mark.parametrize("method", METHODS)
def test_the_clock_leaves_no_variable_without_a_first_list(method):
    dataset, _ = dependent_dataset(9, 12, 400)
    reporter = Warnings()
    header, records = run(dataset, ParentSetOptions(method=method, time=1.0), Budget(seconds=0.0), reporter)
    table = ParentSetTable.from_records(header, records)
    has_choice = np.diff(table.set_offsets) > 1
    whole = run(dataset, ParentSetOptions(method="sequential", max_parents=1))[1]
    assert has_choice.tolist() == [len(record.parents) > 1 for record in whole]
    assert table.n_unsearched == 0
    cut = 12 - int(table.complete.sum())
    assert table.n_cut_short == cut > 6
    assert reporter.lines[-1].endswith(f"time ended the search of {cut} early")


def test_where_time_is_given_an_interrupt_leaves_first_lists():
    dataset, _ = dependent_dataset(33, 12, 400)
    budget = Budget(seconds=1e6)
    header, records = run(dataset, ParentSetOptions(method="greedy", time=1e6), budget)
    found = [next(records)]
    budget.stop.set()
    table = ParentSetTable.from_records(header, found + list(records))
    whole = run(dataset, ParentSetOptions(method="sequential", max_parents=1))[1]
    assert (np.diff(table.set_offsets) > 1).tolist() == [len(record.parents) > 1 for record in whole]
    assert (table.n_cut_short, table.n_unsearched) == (11, 0)


def test_screened_variables_are_fixed():
    dataset, _ = dependent_dataset(9, 6, 100)
    forest = ScreeningForest(Header(dataset.variables), {2: (0,), 5: (2,)}, {})
    _, records = run(dataset, ParentSetOptions(method="sequential"), forest=forest)
    for record in records:
        if record.child in forest.parents:
            assert record.fixed
            assert record.parents == (forest.parents[record.child],)
        else:
            assert not record.fixed
            assert not {2, 5} & {p for s in record.parents for p in s}


def test_runs_that_differ_in_limits_alone_are_compiled_for_once(monkeypatch):
    dataset, _ = dependent_dataset(1, 4, 60)
    kinds = []
    monkeypatch.setattr(
        "stages.parentsets.identification_run.compile_first", lambda search, budget, kind: kinds.append(kind)
    )
    limits = {"evaluations": 50, "seed": 3, "jobs": 2, "time": 9.0, "time_per_variable": 2.0, "max_parents": 3}
    for options in ({}, limits, {"memory": 10**9, "shard": (1, 2)}, {"score": "bdeu"}):
        next(run(dataset, ParentSetOptions(method="sequential", **options))[1])
    assert kinds[0] == kinds[1] == kinds[2] != kinds[3]
