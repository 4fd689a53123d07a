"""Answers under intervention, against the truncated factorisation of the table of all states."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.inference import random_evidence, small_network
from helpers.seeds import seeds
from naive import inference as naive

from formats.errors import Inconsistent
from stages.inference.forward_sampling import sample_rows
from stages.inference.intervened_networks import intervened
from stages.inference.junction_trees import Engine
from stages.inference.likelihood_weighting import weigh_samples
from stages.inference.queries import (
    joint,
    log_probability,
    marginals,
    most_probable_completion,
    most_probable_states,
    sample_given,
)
from stages.inference.row_queries import fill, predict


def case(seed, zeros=0.0):
    """A network, variables that are set in it, and evidence on others."""
    network = small_network(seed, 2 + seed % 5, zeros=zeros)
    fixed = random_evidence(network, seed + 1, 0.3) or {0: 0}
    evidence = {v: state for v, state in random_evidence(network, seed, 0.3).items() if v not in fixed}
    return network, fixed, evidence


@pytest.mark.parametrize("zeros", [0.0, 0.4])
@pytest.mark.parametrize("seed", seeds(300, 20))
def test_equals_the_truncated_factorisation(seed, zeros):
    network, fixed, evidence = case(seed, zeros)
    table, engine = naive.truncated_table(network, fixed), Engine(intervened(network, fixed))
    expected = naive.probability(table, evidence)
    if expected == 0.0:
        with pytest.raises(Inconsistent, match="probability zero") as refused:
            log_probability(engine, evidence)
        assert not any(f"X{v}=" in str(refused.value) for v in fixed)
        return
    assert log_probability(engine, evidence).log_probability == pytest.approx(math.log(expected), abs=1e-12)
    every = range(len(network.variables))
    for variable, found in zip(every, marginals(engine, evidence, every).found):
        np.testing.assert_allclose(found, naive.marginal(table, evidence, [variable]), atol=1e-12)
    hidden = [v for v in every if v not in evidence]
    for together in (hidden[:2], hidden[::-1][:3]):
        expected_joint = naive.marginal(table, evidence, together)
        np.testing.assert_allclose(joint(engine, evidence, together).found, expected_joint, atol=1e-12)
        states = most_probable_states(engine, evidence, together).found
        assert expected_joint[tuple(states)] == pytest.approx(expected_joint.max(), rel=1e-12)
    best = most_probable_completion(engine, evidence)
    assert table[tuple(best.found)] == pytest.approx(naive.most_probable(table, evidence), rel=1e-12)
    assert all(best.found[v] == state for v, state in fixed.items())


@pytest.mark.parametrize("seed", seeds(40, 6))
def test_rows_of_evidence_under_one_intervention(seed):
    network, fixed, _ = case(seed)
    table, engine = naive.truncated_table(network, fixed), Engine(intervened(network, fixed))
    n = len(network.variables)
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, len(v.known_states), 5) for v in network.variables], dtype=np.uint8)
    is_hidden = rng.random(codes.shape) < 0.5
    is_hidden[list(fixed)] = True
    target = int(rng.integers(n))
    (found,) = predict(engine, codes, is_hidden, [target])
    (filled,) = fill(engine, codes, is_hidden)
    for row in range(5):
        evidence = {v: int(codes[v, row]) for v in range(n) if not is_hidden[v, row]}
        others = {v: state for v, state in evidence.items() if v != target}
        np.testing.assert_allclose(found.posterior[row], naive.marginal(table, others, [target]), atol=1e-12)
        assert table[tuple(filled.codes[:, row])] == pytest.approx(naive.most_probable(table, evidence))


@pytest.mark.parametrize("seed", seeds(6, 2))
def test_samples_and_estimates_have_the_distribution_under_intervention(seed):
    network = small_network(seed, 4)
    fixed, evidence = {seed % 4: 0}, {(seed + 1) % 4: 0}
    table = naive.truncated_table(network, fixed)
    model = intervened(network, fixed)
    engine = Engine(model)
    given = naive.restricted(table, evidence) / naive.probability(table, evidence)
    for rows, expected in (
        (np.concatenate(list(sample_rows(model, 20_000, seed)), axis=1), table),
        (np.concatenate(list(sample_given(engine, evidence, 20_000, seed)), axis=1), given),
    ):
        counts = np.zeros(table.shape)
        np.add.at(counts, tuple(rows), 1)
        assert (np.abs(counts / 20_000 - expected) <= 5 * np.sqrt(expected * (1 - expected) / 20_000)).all()
    wanted = (seed + 2) % 4
    estimate = weigh_samples(engine, evidence, [[wanted]], 20_000, seed)
    distance = np.abs(estimate.probabilities[0] - naive.marginal(table, evidence, [wanted]))
    assert (distance <= 5 * estimate.standard_errors[0] + 1e-12).all()


def test_arcs_out_of_a_variable_stay_and_arcs_into_it_are_cut():
    network = small_network(5)
    child = next(v for v, parents in enumerate(network.parents) if parents)
    found = intervened(network, {child: 0})
    assert found.parents[child] == ()
    assert [p for v, p in enumerate(found.parents) if v != child] == [
        p for v, p in enumerate(network.parents) if v != child
    ]
    assert network.parents[child]  # the original is as it was
