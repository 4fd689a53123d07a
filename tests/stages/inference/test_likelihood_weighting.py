"""Weighted samples: their estimates against exact answers, within their own errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.inference import random_evidence, small_network
from helpers.seeds import seeds
from naive import inference as naive

from formats.data_records import Variable
from formats.records import Parameters
from stages.inference.junction_trees import Engine
from stages.inference.likelihood_weighting import weigh_samples
from stages.runtime.errors import StageError


@pytest.mark.parametrize("seed", seeds(20, 3))
def test_estimates_are_within_their_errors(seed):
    network = small_network(seed, 5 + seed % 4, zeros=0.2)
    evidence = random_evidence(network, seed, share=0.3)
    table = naive.joint_table(network)
    expected = naive.probability(table, evidence)
    hidden = [v for v in range(len(network.variables)) if v not in evidence]
    if expected == 0.0 or len(hidden) < 2:
        return
    groups = [[v] for v in hidden] + [hidden[:2][::-1]]
    found = weigh_samples(Engine(network), evidence, groups, 20_000, seed)
    assert abs(found.log_probability - math.log(expected)) <= 5 * found.log_error + 1e-12
    assert 1 <= found.effective <= 20_000 * (1 + 1e-9)
    for group, estimate, error in zip(groups, found.probabilities, found.standard_errors):
        exact = naive.marginal(table, evidence, group)
        assert estimate.shape == error.shape == exact.shape
        assert estimate.sum() == pytest.approx(1.0)
        assert (np.abs(estimate - exact) <= 5 * error + 5e-4).all()


def test_errors_are_as_large_as_the_spread():
    """Of 200 estimates about 95 % lie within 1.96 standard errors, and their spread is what the errors say."""
    network = small_network(3, 6)
    engine, evidence = Engine(network), {5: 0}
    exact = naive.marginal(naive.joint_table(network), evidence, [0])
    found = [weigh_samples(engine, evidence, [[0]], 500, seed) for seed in range(200)]
    values = np.array([one.probabilities[0][0] for one in found])
    errors = np.array([one.standard_errors[0][0] for one in found])
    inside = np.abs(values - exact[0]) <= 1.96 * errors
    assert 0.9 <= inside.mean() <= 0.99
    assert values.std() == pytest.approx(errors.mean(), rel=0.2)


def test_the_same_seed_gives_the_same_numbers_and_tiny_weights_are_kept():
    variables = tuple(Variable(f"X{i}", ("0", "1")) for i in range(301))
    tables = (np.array([0.3, 0.7]), *[np.array([[0.999, 1e-3], [0.998, 2e-3]])] * 300)
    network = Parameters(variables, ((), *[(0,)] * 300), tables)
    evidence = dict.fromkeys(range(1, 301), 1)
    one, other = (weigh_samples(Engine(network), evidence, [[0]], 1000, 7) for _ in range(2))
    assert (
        one.log_probability == other.log_probability == pytest.approx(math.log(0.7) + 300 * math.log(2e-3), abs=0.1)
    )
    assert (one.probabilities[0] == other.probabilities[0]).all()


def test_evidence_that_no_sample_meets():
    variables = tuple(Variable(name, ("0", "1")) for name in "ab")
    network = Parameters(variables, ((), (0,)), (np.array([1.0, 0.0]), np.eye(2)))
    with pytest.raises(StageError, match="none of 100 samples agrees"):
        weigh_samples(Engine(network), {1: 1}, [[0]], 100, 1)
