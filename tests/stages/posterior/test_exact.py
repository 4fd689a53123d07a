"""Exact posteriors against enumeration of all networks; what cannot be summed up is refused."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from helpers.cases.selections import identify
from helpers.seeds import seeds
from helpers.tables import dependent_dataset
from naive.posterior import blankets, posterior

from formats.records import ParentSetTable
from stages.knowledge import Knowledge
from stages.lists.constrain import keep_admissible
from stages.parentsets import ParentSetOptions
from stages.posterior import MOST_EXACT, PosteriorOptions
from stages.posterior.arc_posterior import run
from stages.posterior.exact import exact_probabilities
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError, NothingFoundError, StageError
from stages.runtime.reporting import NullReporter


class Heard(NullReporter):
    def __init__(self):
        self.warnings = []

    def warn(self, message: str) -> None:
        self.warnings.append(message)


def probabilities(table, prior="dags", **options):
    return exact_probabilities(table, PosteriorOptions(prior=prior, **options), Budget(), NullReporter())[:2]


def lists_of(table) -> list:
    return [list(zip(record.parents, record.scores)) for record in table.records()]


@pytest.mark.parametrize("prior", ["dags", "orders"])
@pytest.mark.parametrize(
    ("seed", "n_variables", "spread", "share"),
    [(0, 1, 1.0, 1.0), (1, 2, 1.0, 1.0), (2, 3, 20.0, 1.0), (3, 4, 0.0, 1.0), (4, 4, 200.0, 0.7), (5, 5, 3.0, 0.35)],
)
def test_exact_is_enumeration(seed, n_variables, spread, share, prior):
    lists = random_lists(seed, n_variables, spread, share=share)
    arcs, above = probabilities(as_table(lists), prior)
    expected = posterior(lists, prior)
    np.testing.assert_allclose(arcs, expected[0], rtol=0, atol=1e-12)
    if prior == "dags":
        np.testing.assert_allclose(above, expected[1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("prior", ["dags", "orders"])
@pytest.mark.parametrize("seed", seeds(40, 10))
def test_exact_blankets_are_enumeration(seed, prior):
    """Also where all networks join a pair, and where none does."""
    lists = random_lists(seed, 1 + seed % 5, (0.5, 3.0, 50.0)[seed % 3], share=(1.0, 0.5)[seed % 2])
    options = PosteriorOptions(prior=prior, features=("blankets",))
    found = run(as_table(lists), options, Budget(), NullReporter()).table
    expected = blankets(lists, prior)
    assert found.header.extra["method"] == "exact"
    values, errors = found.features["blanket"]
    np.testing.assert_allclose(values, expected[found.parents, found.children], rtol=0, atol=1e-12)
    assert not errors.any() and ((values >= 0.0) & (values <= 1.0)).all()


def test_blankets_that_all_networks_have():
    lists = [[((), 0.0)], [((0, 2), 0.0)], [((), 0.0)], [((), 0.0)]]
    found = run(as_table(lists), PosteriorOptions(features=("blankets",)), Budget(), NullReporter()).table
    pairs = zip(found.parents.tolist(), found.children.tolist(), found.features["blanket"][0].tolist())
    assert all(value == (3 not in (a, b)) for a, b, value in pairs)


@pytest.mark.parametrize("prior", ["dags", "orders"])
@pytest.mark.parametrize("score", ["bic", "bdeu", "k2", "bds"])
@pytest.mark.slow
def test_all_networks_of_data_under_constraints(score, prior):
    """Complete lists under required and forbidden arcs and tiers, made with them, or filtered by them afterwards."""
    dataset, _ = dependent_dataset(4, 5, 60, most_states=3)
    assert (dataset.n_states > 1).all()
    tiers = np.array([0, 1, 0, 1, -1], dtype=np.int32)
    knowledge = Knowledge.of_arcs(dataset.names, [(0, 1)], [(2, 4), (3, 4), (0, 3)], tiers)
    options = ParentSetOptions(method="sequential", score=score, keep_mass=0.0, max_parents=2, evaluations=10**6)
    table = ParentSetTable.from_records(*identify(dataset, options, knowledge=knowledge))
    expected = posterior(lists_of(table), prior)[0]
    arcs, _ = probabilities(table, prior)
    np.testing.assert_allclose(arcs, expected, rtol=0, atol=1e-10)
    assert arcs[0, 1] == pytest.approx(1.0)
    assert arcs[2, 4] == arcs[0, 3] == arcs[1, 0] == 0.0
    free = ParentSetTable.from_records(*identify(dataset, options))
    filtered, _ = probabilities(keep_admissible(free, knowledge), prior)
    np.testing.assert_allclose(filtered, arcs, rtol=0, atol=1e-10)


def test_scores_far_apart_do_not_underflow():
    """What acyclicity demands weighs less than floating-point numbers can hold beside the best sets."""
    lists = [
        [((1,), -10.0), ((2,), -5000.0), ((), -9000.0)],
        [((2,), -20.0), ((), -8000.0)],
        [((0,), -30.0), ((), -7999.0)],
    ]
    arcs, _ = probabilities(as_table(lists))
    # Of the cycle the arc goes that costs least, 7969 nats; the next one costs 11 more.
    assert arcs[2, 1] == pytest.approx(1.0, abs=1e-4)
    assert arcs[1, 0] == pytest.approx(1.0, abs=1e-4)
    assert arcs[0, 2] < 1e-4
    shifted = [[(s, score - 1e6 * v) for s, score in sets] for v, sets in enumerate(lists)]
    np.testing.assert_allclose(probabilities(as_table(shifted))[0], arcs, atol=1e-9)


@pytest.mark.parametrize("prior", ["dags", "orders"])
def test_independent_variables_of_many(prior):
    """All sets weigh the same: the probabilities are those of a uniform prior, equal for all pairs."""
    n = 8
    lists = [
        [(s, -1.0) for k in range(n) for s in itertools.combinations([v for v in range(n) if v != child], k)]
        for child in range(n)
    ]
    arcs, _ = probabilities(as_table(lists), prior)
    off = arcs[~np.eye(n, dtype=bool)]
    assert off.max() - off.min() < 1e-12
    assert 0.2 < off[0] < 0.5


def test_what_is_too_much_is_refused():
    lists = [[((), -1.0)] for _ in range(MOST_EXACT["dags"] + 1)]
    with pytest.raises(StageError, match="too many for exact sums"):
        probabilities(as_table(lists))
    with pytest.raises(StageError, match="need sampled networks"):
        probabilities(as_table(lists[:3]), prior="orders", features=("ancestors",))


def test_time_and_the_user_end_it():
    table = as_table(random_lists(0, 4, 1.0))
    with pytest.raises(StageError, match="time ran out"):
        exact_probabilities(table, PosteriorOptions(), Budget(1e-9), NullReporter())
    stopped = Budget()
    stopped.stop.set()
    with pytest.raises(NothingFoundError):
        exact_probabilities(table, PosteriorOptions(), stopped, NullReporter())


# --- the run around it


@pytest.mark.parametrize("score", ["ll", "aic"])
def test_scores_that_are_no_posterior_are_refused(score):
    with pytest.raises(StageError, match="no log-posterior"):
        run(as_table(random_lists(0, 3, 1.0), score), PosteriorOptions(), Budget(), NullReporter())


def test_pruned_lists_give_a_warning():
    pruned = as_table([[((1,), -1.0), ((), -2.0)], [((0,), -1.0), ((), -2.0)]])
    kept = replace(pruned, header=replace(pruned.header, extra={"keep_mass": 0.001}))
    dominated = as_table([[((), -1.0), ((1,), -2.0)], [((0,), -1.0), ((), -2.0)]])
    for table, count in ((pruned, 1), (kept, 0), (dominated, 0)):
        heard = Heard()
        run(table, PosteriorOptions(), Budget(), heard)
        assert len(heard.warnings) == count
    heard = Heard()
    run(replace(dominated, header=replace(dominated.header, score="unknown")), PosteriorOptions(), Budget(), heard)
    assert "does not name its score" in heard.warnings[0]


@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_pairs_of_probability_0_have_rows(method: str):
    table = as_table([[((), -7.0)], [((0,), -5.0), ((), -7.0)], [((), -7.0)]])
    found = run(table, PosteriorOptions(method=method, samples=100), Budget(), Heard()).table
    pairs = list(zip(found.parents.tolist(), found.children.tolist()))
    assert pairs == [(0, 1), *(pair for pair in itertools.permutations(range(3), 2) if pair != (0, 1))]
    assert found.probability[0] > 0.5 and not found.probability[1:].any() and found.either[2] == found.probability[0]


def test_the_table_has_all_pairs():
    table = as_table(random_lists(3, 4, 2.0))
    found = run(table, PosteriorOptions(features=("ancestors",)), Budget(), Heard()).table
    arcs, above = posterior(lists_of(table), "dags")
    rows = list(zip(found.parents.tolist(), found.children.tolist()))
    assert len(set(rows)) == len(rows) == 12
    assert (np.diff(found.probability) <= 0).all()
    for row, (parent, child) in enumerate(rows):
        assert found.probability[row] == pytest.approx(arcs[parent, child])
        assert found.either[row] == pytest.approx(arcs[parent, child] + arcs[child, parent])
        assert found.features["ancestor"][0][row] == pytest.approx(above[parent, child])
    assert not found.standard_error.any()
    assert (found.header.extra["prior"], found.header.extra["method"]) == ("dags", "exact")


def test_required_arcs_that_close_a_cycle_are_refused():
    table = as_table([[((1,), -1.0)], [((0,), -1.0)]])
    with pytest.raises(InfeasibleError):
        run(replace(table, fixed=np.array([True, True])), PosteriorOptions(), Budget(), Heard())
