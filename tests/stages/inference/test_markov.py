"""Markov networks: every question, against the product of all factors over all states."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive import inference as naive

from formats.data_records import Variable
from formats.errors import Inconsistent
from formats.graph_records import MarkovNetwork
from stages.inference import queries
from stages.inference.markov import markov_engine
from stages.inference.row_queries import fill, log_probabilities, predict


def random_markov(seed: int, zeros: float) -> MarkovNetwork:
    """Five variables of one to four states; factors of none to three variables, of any scale."""
    draw = np.random.default_rng(seed)
    sizes = draw.integers(1, 5, 5).tolist()
    scopes = [tuple(draw.permutation(5)[: draw.integers(0, 4)].tolist()) for _ in range(draw.integers(0, 8))]
    tables = []
    for scope in scopes:
        table = draw.random([sizes[v] for v in scope]) * 10.0 ** draw.integers(-200, 200)
        tables.append(np.where(draw.random(table.shape) < zeros, 0.0, table))
    variables = tuple(Variable(f"X{i}", tuple(map(str, range(size)))) for i, size in enumerate(sizes))
    return MarkovNetwork(variables, tuple(scopes), tuple(tables))


def weights(network: MarkovNetwork) -> tuple[np.ndarray, float]:
    """The product of all factors for all states, divided by the exponential of the number returned with it."""
    shape = [len(variable.known_states) for variable in network.variables]
    scales = [float(table.max()) or 1.0 for table in network.tables]
    found = np.ones(shape)
    for states in itertools.product(*map(range, shape)):
        for scope, table, scale in zip(network.scopes, network.tables, scales):
            found[states] *= table[tuple(states[v] for v in scope)] / scale
    return found, math.fsum(map(math.log, scales))


@pytest.mark.parametrize("zeros", [0.0, 0.3])
@pytest.mark.parametrize("seed", seeds(60, 8))
def test_every_task(seed, zeros):
    network = random_markov(seed, zeros)
    draw, n = np.random.default_rng(seed + 1000), len(network.variables)
    table, scale = weights(network)
    engine = markov_engine(network)
    chosen = draw.permutation(n)[: draw.integers(0, 4)].tolist()
    evidence = {v: int(draw.integers(table.shape[v])) for v in chosen}
    given = {**(engine.given or {}), **evidence}
    total = naive.probability(table, evidence)
    if total == 0.0:
        with pytest.raises(Inconsistent, match=r"probability zero|exclude one another"):
            queries.log_probability(engine, given)
        return
    assert queries.log_probability(engine, given).log_probability == pytest.approx(math.log(total) + scale, abs=1e-9)
    hidden = [v for v in range(n) if v not in evidence]
    for variable, found in zip(hidden, queries.marginals(engine, given, hidden).found):
        assert found == pytest.approx(naive.marginal(table, evidence, [variable]), abs=1e-12)
    best = queries.most_probable_completion(engine, given)
    assert table[tuple(best.found[:n])] == pytest.approx(naive.most_probable(table, evidence), rel=1e-12)
    assert best.log_probability == pytest.approx(math.log(naive.most_probable(table, evidence)) + scale, abs=1e-9)
    asked = hidden[: draw.integers(1, len(hidden) + 1)]
    likely = queries.most_probable_states(engine, given, asked)
    sums = naive.marginal(table, evidence, asked) * total
    assert sums[tuple(likely.found)] == pytest.approx(sums.max(), rel=1e-12)
    assert likely.log_probability == pytest.approx(math.log(sums.max()) + scale, abs=1e-9)


@pytest.mark.parametrize("seed", seeds(12, 3))
def test_rows(seed):
    network = random_markov(seed, 0.0)
    table, scale = weights(network)
    engine, draw = markov_engine(network), np.random.default_rng(seed)
    n, shape = len(network.variables), np.array(table.shape)
    codes = (draw.random((n, 20)) * shape[:, None]).astype(np.uint8)
    is_hidden = draw.random(codes.shape) < 0.5
    observed = [{v: int(codes[v, row]) for v in range(n) if not is_hidden[v, row]} for row in range(20)]
    (found,) = log_probabilities(engine, codes, is_hidden)
    expected = [math.log(naive.probability(table, evidence)) + scale for evidence in observed]
    assert found.log_probability == pytest.approx(expected, abs=1e-9)
    (filled,) = fill(engine, codes, is_hidden)
    assert filled.codes.shape == codes.shape
    best = [naive.most_probable(table, evidence) for evidence in observed]
    assert [table[tuple(filled.codes[:, row])] for row in range(20)] == pytest.approx(best, rel=1e-12)
    (predicted,) = predict(engine, codes, is_hidden, [0])
    for row, evidence in enumerate(observed):
        others = {v: state for v, state in evidence.items() if v}
        assert predicted.posterior[row] == pytest.approx(naive.marginal(table, others, [0]), abs=1e-12)


def test_factors_that_leave_nothing_and_evidence_that_does():
    two = Variable("X0", ("0", "1"))
    network = MarkovNetwork((two,), ((0,), (0,)), (np.array([1.0, 0.0]), np.array([1.0, 2.0])))
    engine = markov_engine(network)
    with pytest.raises(Inconsistent, match=r"zero: X0=1 is impossible$"):
        queries.log_probability(engine, {**(engine.given or {}), 0: 1})
    engine = markov_engine(MarkovNetwork((two,), ((0,), (0,)), (np.array([1.0, 0.0]), np.array([0.0, 2.0]))))
    with pytest.raises(Inconsistent, match="every state has weight zero"):
        queries.log_probability(engine, engine.given or {})
