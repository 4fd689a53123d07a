"""Likelihood evidence and Jeffrey's rule, against the table of all states."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.inference import random_evidence, small_network
from helpers.seeds import seeds
from naive import inference as naive

from formats.errors import Inconsistent
from stages.inference.junction_trees import Engine
from stages.inference.likelihood_weighting import weigh_samples
from stages.inference.queries import joint, log_probability, marginals, most_probable_completion, sample_given
from stages.inference.uncertain_evidence import jeffrey_likelihood, with_likelihoods


def weighted(table, likelihoods):
    """The table of all states times the likelihoods of each state."""
    for variable, likelihood in likelihoods.items():
        shape = [1] * table.ndim
        shape[variable] = len(likelihood)
        table = table * likelihood.reshape(shape)
    return table


def case(seed, zeros=0.0):
    """A network, evidence, and likelihoods of one or two other variables."""
    network = small_network(seed, 3 + seed % 4, zeros=zeros)
    n = len(network.variables)
    rng = np.random.default_rng(seed)
    soft = rng.permutation(n)[: 1 + seed % 2].tolist()
    evidence = {v: state for v, state in random_evidence(network, seed, 0.3).items() if v not in soft}
    likelihoods = {v: rng.random(len(network.variables[v].known_states)) * 3 for v in soft}
    return network, evidence, likelihoods


@pytest.mark.parametrize("zeros", [0.0, 0.4])
@pytest.mark.parametrize("seed", seeds(150, 15))
def test_likelihoods_weigh_the_states(seed, zeros):
    network, evidence, likelihoods = case(seed, zeros)
    table = weighted(naive.joint_table(network), likelihoods)
    engine, observed = with_likelihoods(Engine(network), evidence, likelihoods)
    assert engine.variables == network.variables
    expected = naive.probability(table, evidence)
    if expected == 0.0:
        with pytest.raises(Inconsistent, match="probability zero"):
            log_probability(engine, observed)
        return
    assert log_probability(engine, observed).log_probability == pytest.approx(math.log(expected), abs=1e-12)
    every = range(len(network.variables))
    for variable, found in zip(every, marginals(engine, observed, every).found):
        np.testing.assert_allclose(found, naive.marginal(table, evidence, [variable]), atol=1e-12)
    hidden = [v for v in every if v not in evidence][:2]
    np.testing.assert_allclose(
        joint(engine, observed, hidden).found, naive.marginal(table, evidence, hidden), atol=1e-12
    )
    best = most_probable_completion(engine, observed)
    assert math.exp(best.log_probability) == pytest.approx(naive.most_probable(table, evidence))
    assert table[tuple(best.found[: len(network.variables)])] == pytest.approx(naive.most_probable(table, evidence))


@pytest.mark.parametrize("seed", seeds(150, 15))
def test_jeffreys_rule_keeps_what_is_given_the_states(seed):
    network, evidence, _ = case(seed)
    table = naive.joint_table(network)
    variable = next(v for v in range(len(network.variables)) if v not in evidence)
    n_states = len(network.variables[variable].known_states)
    posterior = np.random.default_rng(seed).dirichlet(np.ones(n_states))
    engine = Engine(network)
    likelihood = jeffrey_likelihood(engine, evidence, variable, posterior)
    engine, observed = with_likelihoods(engine, evidence, {variable: likelihood})
    for other in range(len(network.variables)):
        expected = sum(
            share * naive.marginal(table, {**evidence, variable: state}, [other])
            for state, share in enumerate(posterior)
        )
        (found,) = marginals(engine, observed, [other]).found
        np.testing.assert_allclose(found, expected, atol=1e-12)
    found = log_probability(engine, observed).log_probability
    assert found == pytest.approx(math.log(naive.probability(table, evidence)), abs=1e-12)


@pytest.mark.parametrize("seed", seeds(4, 2))
def test_samples_and_estimates_follow_the_likelihoods(seed):
    network = small_network(seed + 1, 4)
    likelihoods = {seed % 4: np.linspace(0.2, 1.5, len(network.variables[seed % 4].known_states))}
    table = weighted(naive.joint_table(network), likelihoods)
    engine, observed = with_likelihoods(Engine(network), {}, likelihoods)
    rows = np.concatenate(list(sample_given(engine, observed, 20_000, seed)), axis=1)[:4]
    counts = np.zeros(table.shape)
    np.add.at(counts, tuple(rows), 1)
    expected = table / table.sum()
    assert (np.abs(counts / 20_000 - expected) <= 5 * np.sqrt(expected * (1 - expected) / 20_000)).all()
    found = weigh_samples(engine, observed, [[(seed + 1) % 4]], 20_000, seed)
    assert found.log_probability == pytest.approx(math.log(table.sum()), abs=5 * found.log_error + 1e-12)
    distance = np.abs(found.probabilities[0] - naive.marginal(table, {}, [(seed + 1) % 4]))
    assert (distance <= 5 * found.standard_errors[0] + 1e-12).all()


def test_an_impossible_state_cannot_get_a_share():
    network = small_network(3)
    n_states = len(network.variables[0].known_states)
    engine, observed = with_likelihoods(Engine(network), {}, {0: np.eye(n_states)[0]})
    with pytest.raises(Inconsistent, match="cannot get"):
        jeffrey_likelihood(engine, observed, 0, np.full(n_states, 1 / n_states))
