"""Marginals, joint distributions, most probable states, samples: against listing all states."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.cases.inference import chain_of_small_numbers, contradiction, random_evidence, small_network
from helpers.parameter_files import open_parameters
from helpers.places import EXAMPLE_DATA
from helpers.seeds import seeds
from naive import inference as naive

from formats.data_records import Variable
from formats.errors import Inconsistent, UnsuitableData
from formats.records import Parameters
from stages.inference.junction_trees import Engine
from stages.inference.queries import (
    joint,
    log_probability,
    marginals,
    most_probable_completion,
    most_probable_states,
    sample_given,
)
from stages.runtime.errors import StageError


@pytest.mark.parametrize("zeros", [0.0, 0.4])
@pytest.mark.parametrize("seed", seeds(30, 6))
def test_most_probable_states_of_some_variables(seed, zeros):
    """Found component by component, against the largest entry of the joint distribution of all."""
    network = small_network(seed, 4 + seed % 5, zeros=zeros)
    evidence = random_evidence(network, seed, share=0.3)
    table, engine = naive.joint_table(network), Engine(network)
    hidden = [v for v in range(len(network.variables)) if v not in evidence]
    if naive.probability(table, evidence) == 0.0 or not hidden:
        return
    chosen = np.random.default_rng(seed).permutation(hidden)[: 1 + seed % 4].tolist()
    found = most_probable_states(engine, evidence, chosen)
    together = naive.marginal(table, evidence, chosen) * naive.probability(table, evidence)
    assert together[tuple(found.found)] == pytest.approx(together.max(), rel=1e-12)
    assert found.log_probability == pytest.approx(math.log(together.max()), abs=1e-12)


@pytest.mark.parametrize("zeros", [0.0, 0.4])
@pytest.mark.parametrize("seed", seeds(30, 4))
def test_equals_listing_all_states(seed, zeros):
    network = small_network(seed, 4 + seed % 5, zeros=zeros)
    evidence = random_evidence(network, seed)
    table, engine = naive.joint_table(network), Engine(network)
    expected = naive.probability(table, evidence)
    if expected == 0.0:
        with pytest.raises(Inconsistent, match="probability zero"):
            log_probability(engine, evidence)
        return
    hidden = [v for v in range(len(network.variables)) if v not in evidence]
    assert log_probability(engine, evidence).log_probability == pytest.approx(math.log(expected), abs=1e-12)
    every = range(len(network.variables))
    found = marginals(engine, evidence, every)
    assert found.log_probability == pytest.approx(math.log(expected), abs=1e-12)
    for variable in every:
        np.testing.assert_allclose(found.found[variable], naive.marginal(table, evidence, [variable]), atol=1e-12)
    for chosen in [(variable,) for variable in hidden[:2]] + list(itertools.permutations(hidden, 2))[:4]:
        np.testing.assert_allclose(
            joint(engine, evidence, chosen).found, naive.marginal(table, evidence, list(chosen)), atol=1e-12
        )
    best = most_probable_completion(engine, evidence)
    assert math.exp(best.log_probability) == pytest.approx(naive.most_probable(table, evidence))
    assert table[tuple(best.found)] == pytest.approx(math.exp(best.log_probability))
    assert all(best.found[v] == state for v, state in evidence.items())


@pytest.mark.parametrize("seed", seeds(12, 2))
def test_single_variables_leave_out_what_does_not_bear_on_them(seed):
    network = small_network(seed, 8, zeros=0.1)
    evidence = random_evidence(network, seed, 0.2)
    table, engine = naive.joint_table(network), Engine(network)
    if naive.probability(table, evidence) == 0.0:
        return
    whole = marginals(engine, evidence, range(8)).cost
    for variable in range(8):
        found = marginals(engine, evidence, [variable])
        np.testing.assert_allclose(found.found[0], naive.marginal(table, evidence, [variable]), atol=1e-12)
        assert found.cost.cells <= whole.cells


@pytest.mark.parametrize("seed", seeds(4, 1))
def test_samples_have_the_joint_distribution(seed):
    network = small_network(seed + 1, 4)
    evidence = {2: 0}
    table = naive.joint_table(network)
    rows = np.concatenate(list(sample_given(Engine(network), evidence, 40_000, seed)), axis=1)
    assert rows.shape == (4, 40_000)
    counts = np.zeros(table.shape)
    np.add.at(counts, tuple(rows), 1)
    expected = naive.restricted(table, evidence) / naive.probability(table, evidence)
    error = np.sqrt(expected * (1 - expected) / 40_000)
    assert (np.abs(counts / 40_000 - expected) <= 5 * error).all()


def test_more_samples_continue_the_same_rows():
    engine = Engine(small_network(3))
    few, many = (np.concatenate(list(sample_given(engine, {0: 1}, n, 7)), axis=1) for n in (10, 30))
    np.testing.assert_array_equal(few, many[:, :10])


def test_numbers_that_leave_the_range_of_floating_point():
    engine = Engine(chain_of_small_numbers())
    evidence = dict.fromkeys(range(1, 701), 1)
    shift = 700 * math.log(1e-3)
    # The first state's share is 2^-700 of the second's.
    expected = shift + 700 * math.log(2) + math.log(0.7) + math.log1p(0.3 / 0.7 * 2.0**-700)
    found = marginals(engine, evidence, [0])
    assert found.log_probability == pytest.approx(expected, rel=1e-13)
    assert found.found[0][0] == pytest.approx(0.3 / 0.7 * 2.0**-700, rel=1e-10)
    assert most_probable_completion(engine, evidence).found[0] == 1


def test_what_is_hardly_possible_is_not_impossible():
    engine = Engine(contradiction())
    found = marginals(engine, {1: 1}, [0, 2])
    assert found.log_probability == pytest.approx(math.log(1e-310) + math.log(0.5))
    np.testing.assert_array_equal(found.found[0], [1.0, 0.0])
    np.testing.assert_allclose(found.found[1], [0.25, 0.75])
    np.testing.assert_allclose(joint(engine, {1: 1}, [2, 0]).found, [[0.25, 0.0], [0.75, 0.0]])
    assert most_probable_completion(engine, {1: 1}).found.tolist() == [0, 1, 1]
    assert (next(sample_given(engine, {1: 1}, 100, 1))[0] == 0).all()


def test_impossible_evidence_is_narrowed_down():
    with pytest.raises(Inconsistent, match="zero: X0=1, X1=1 exclude one another"):
        marginals(Engine(contradiction()), {2: 0, 0: 1, 1: 1}, [2])
    with pytest.raises(Inconsistent, match="zero: X0=0 is impossible"):
        log_probability(Engine(contradiction(0.0)), {2: 0, 0: 0})


def test_what_does_not_fit_into_memory_is_refused():
    network = small_network(1, 8, most_parents=4)
    with pytest.raises(StageError, match=r"more than the 64 bytes .*: its width is [2-9]"):
        marginals(Engine(network, memory=64), {}, range(8))
    assert marginals(Engine(network, memory=64), dict.fromkeys(range(1, 8), 0), [0]).cost.width == 0


def test_more_states_than_a_byte_holds_are_refused():
    variable = Variable("X", tuple(map(str, range(257))))
    with pytest.raises(UnsuitableData, match="256 states"):
        Engine(Parameters((variable,), ((),), (np.full(257, 1 / 257),)))


def test_a_given_order_is_kept_where_it_is_the_best():
    network = open_parameters(str(EXAMPLE_DATA / "random80.bif"))
    plain = marginals(Engine(network), {}, [0]).cost
    order = np.argsort(Engine(network).ranks).tolist()
    assert marginals(Engine(network, order), {}, [0]).cost == plain
