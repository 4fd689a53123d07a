"""Rows with holes: predicted, filled, their probabilities, against listing all states and one question at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.inference import contradiction, random_evidence, small_network
from helpers.parameter_files import open_parameters
from helpers.places import EXAMPLE_DATA
from helpers.seeds import seeds
from naive import inference as naive

from formats.errors import Inconsistent
from stages.inference import row_queries
from stages.inference.forward_sampling import sample_rows
from stages.inference.junction_trees import Engine
from stages.inference.queries import marginals
from stages.inference.row_queries import fill, log_probabilities, predict
from stages.runtime.errors import StageError


def random_rows(network, n_rows, seed):
    """Rows that are possible, and holes in them, in some rows everywhere or nowhere."""
    rng = np.random.default_rng(seed)
    codes = next(sample_rows(network, n_rows, seed))
    return codes, rng.random(codes.shape) < rng.choice([0.0, 0.2, 0.5, 1.0], n_rows)


def evidence_of(codes, is_hidden, row):
    return {v: int(codes[v, row]) for v in np.flatnonzero(~is_hidden[:, row]).tolist()}


@pytest.mark.parametrize("seed", seeds(10, 3))
def test_equals_listing_all_states(seed, monkeypatch):
    monkeypatch.setattr(row_queries, "MAX_ROWS", 7)
    network = small_network(seed, 6, zeros=0.2)
    table, engine = naive.joint_table(network), Engine(network)
    codes, is_hidden = random_rows(network, 25, seed)
    hidden_targets = is_hidden.copy()
    hidden_targets[[4, 1]] = True
    logs = np.concatenate([a.log_probability for a in log_probabilities(engine, codes, is_hidden, 2)])
    predicted = list(predict(engine, codes, is_hidden, [4, 1], 2))
    filled = list(fill(engine, codes, is_hidden))
    assert [a.start for a in predicted] == [0, 7, 14, 21]
    posterior = np.concatenate([a.posterior for a in predicted])
    best = np.concatenate([a.codes for a in filled], axis=1)
    best_logs = np.concatenate([a.log_probability for a in filled])
    n_first = table.shape[4]
    for row in range(25):
        evidence = evidence_of(codes, is_hidden, row)
        assert logs[row] == pytest.approx(math.log(naive.probability(table, evidence)), abs=1e-12)
        rest = evidence_of(codes, hidden_targets, row)
        np.testing.assert_allclose(posterior[row, :n_first], naive.marginal(table, rest, [4]), atol=1e-12)
        np.testing.assert_allclose(posterior[row, n_first:], naive.marginal(table, rest, [1]), atol=1e-12)
        most = naive.most_probable(table, evidence)
        assert math.exp(best_logs[row]) == pytest.approx(most)
        assert table[tuple(best[:, row])] == pytest.approx(most)
    np.testing.assert_array_equal(best[~is_hidden], codes[~is_hidden])


def test_draws_have_the_distribution_given_the_row_and_do_not_depend_on_threads():
    network = small_network(3, 5)
    table, n_rows = naive.joint_table(network), 20_000
    codes = np.repeat(next(sample_rows(network, 1, 2)), n_rows, axis=1)
    is_hidden = np.ones(codes.shape, dtype=np.bool_)
    is_hidden[2] = False
    one, two = (
        np.concatenate([a.codes for a in fill(Engine(network), codes, is_hidden, 5, jobs)], axis=1) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one, two)
    evidence = {2: int(codes[2, 0])}
    expected = naive.restricted(table, evidence) / naive.probability(table, evidence)
    counts = np.zeros(table.shape)
    np.add.at(counts, tuple(one), 1)
    assert (np.abs(counts / n_rows - expected) <= 5 * np.sqrt(expected * (1 - expected) / n_rows)).all()


def test_rows_of_a_larger_network_equal_questions_one_by_one():
    network = open_parameters(str(EXAMPLE_DATA / "random80.bif"))
    engine = Engine(network)
    codes = next(sample_rows(network, 12, 1))
    is_hidden = np.random.default_rng(1).random(codes.shape) < 0.3
    targets = [0, 17, 50]
    answers = next(predict(engine, codes, is_hidden, targets))
    is_hidden[targets] = True
    for row in range(12):
        single = marginals(engine, evidence_of(codes, is_hidden, row), targets)
        np.testing.assert_allclose(answers.posterior[row], np.concatenate(single.found), atol=1e-12)
        assert answers.log_probability[row] == pytest.approx(single.log_probability, rel=1e-12)


def test_filling_leaves_the_given_rows_as_they_are():
    network = small_network(3, 5)
    codes, is_hidden = random_rows(network, 20, 3)
    codes[is_hidden] = 0
    before = codes.copy()
    list(fill(Engine(network), codes, is_hidden))
    assert (codes == before).all()


def test_impossible_rows_are_marked_or_named():
    engine = Engine(contradiction(0.0))
    codes = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1]], dtype=np.uint8)
    is_hidden = np.array([[True, True, False], [False, False, False], [True, True, True]])
    answers = next(predict(engine, codes, is_hidden, [0]))
    assert np.isneginf(answers.log_probability).tolist() == [False, True, False]
    np.testing.assert_array_equal(np.isnan(answers.posterior).any(axis=1), [False, True, False])
    with pytest.raises(Inconsistent, match=r"row 2: .* zero: X1=1 is impossible"):
        list(fill(engine, codes, is_hidden))


def test_rows_that_need_too_much_memory_are_refused():
    network = small_network(1, 8, most_parents=4)
    codes = next(sample_rows(network, 3, 1))
    is_hidden = np.zeros(codes.shape, dtype=np.bool_)
    engine = Engine(network, memory=64)
    assert len(list(log_probabilities(engine, codes, is_hidden))) == 1
    is_hidden[:, 2] = True
    with pytest.raises(StageError, match="more than the 64 bytes"):
        list(fill(engine, codes, is_hidden))


@pytest.mark.parametrize("seed", seeds(3, 1))
def test_a_column_missing_throughout_equals_no_evidence(seed):
    network = small_network(seed, 6)
    engine, evidence = Engine(network), random_evidence(network, seed)
    codes, is_hidden = np.zeros((6, 1), dtype=np.uint8), np.ones((6, 1), dtype=np.bool_)
    for variable, state in evidence.items():
        codes[variable, 0], is_hidden[variable, 0] = state, False
    answers = next(predict(engine, codes, is_hidden, range(6)))
    expected = marginals(engine, {}, range(6))
    np.testing.assert_allclose(answers.posterior[0], np.concatenate(expected.found), atol=1e-12)
    assert answers.log_probability[0] == pytest.approx(0.0, abs=1e-12)
