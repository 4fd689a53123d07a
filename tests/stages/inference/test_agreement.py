"""Marginals, probabilities of evidence and most probable states on networks too large to list: against pyAgrum.

Its most probable states are had for some evidence only, so they are compared with plain elimination instead.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from helpers.cases.inference import random_evidence, small_network
from helpers.parameter_files import open_parameters
from helpers.places import EXAMPLE_DATA
from helpers.seeds import seeds
from naive import inference as naive

import bnsl
from formats.errors import Inconsistent
from formats.graphs.structures import network_of
from stages.inference.forward_sampling import sample_rows
from stages.inference.junction_trees import Engine
from stages.inference.queries import log_probability, marginals, most_probable_completion

pyagrum = pytest.importorskip("pyagrum", reason="make install-dev installs pyAgrum where there is a wheel")


read = functools.cache(open_parameters)
"""The network of a file, read once."""


def their_network(network):
    """The same network there, with the same bits in its tables."""
    return bnsl.Network(network_of(network)).to_pyagrum()


def possible_evidence(network, seed, share):
    """States of some variables in a row drawn from the network."""
    row = next(iter(sample_rows(network, 1, seed)))[:, 0]
    chosen = np.random.default_rng(seed).random(len(row)) < share
    return {int(v): int(row[v]) for v in np.flatnonzero(chosen)}


def compare(network, evidence):
    """Ask both."""
    engine, every = Engine(network), range(len(network.variables))
    propagation = pyagrum.LazyPropagation(their_network(network))
    propagation.setEvidence({network.variables[v].name: state for v, state in evidence.items()})
    try:
        expected = propagation.evidenceProbability()
    except pyagrum.IncompatibleEvidence:
        expected = 0.0
    if expected == 0.0:
        with pytest.raises(Inconsistent, match="probability zero"):
            log_probability(engine, evidence)
        return
    assert log_probability(engine, evidence).log_probability == pytest.approx(math.log(expected), rel=1e-9)
    found = marginals(engine, evidence, every)
    assert found.log_probability == pytest.approx(math.log(expected), rel=1e-9)
    for variable, distribution in zip(network.variables, found.found):
        # It may have further axes, of variables of one state.
        expected = propagation.posterior(variable.name).toarray().ravel()
        np.testing.assert_allclose(distribution, expected, atol=1e-9)
    best = most_probable_completion(engine, evidence)
    assert best.log_probability == pytest.approx(naive.largest_by_elimination(network, evidence), rel=1e-9)
    assert all(best.found[v] == state for v, state in evidence.items())
    states = [network.tables[v][(*(best.found[p] for p in network.parents[v]), best.found[v])] for v in every]
    assert best.log_probability == pytest.approx(float(np.log(states).sum()), rel=1e-9)


@pytest.mark.parametrize("seed", seeds(40, 6))
def test_bundled_network(seed):
    network = read(str(EXAMPLE_DATA / "random80.bif"))
    compare(network, random_evidence(network, seed, 0.15))


@pytest.mark.parametrize("zeros", [0.0, 0.3])
@pytest.mark.parametrize("seed", seeds(30, 5))
def test_random_networks(seed, zeros):
    """Of 15 to 40 variables; with zeros some of the evidence is impossible."""
    network = small_network(seed, 15 + 5 * (seed % 6), most_parents=3, most_states=4, zeros=zeros)
    compare(network, random_evidence(network, seed, 0.25))
    compare(network, possible_evidence(network, seed, 0.4))


@pytest.mark.parametrize("seed", seeds(20, 3))
@pytest.mark.parametrize("name", ["asia", "alarm", "insurance", "hailfinder", "child"])
def test_networks_of_the_literature(shared, name, seed):
    network = read(str(shared / "data" / "networks" / f"{name}.bif.gz"))
    compare(network, random_evidence(network, seed, 0.1))
    compare(network, possible_evidence(network, seed, seed / 20))
