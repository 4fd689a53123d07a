"""Front-door sets and instruments, against listing all paths and all sets, and what they are for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.cases.inference import small_network
from helpers.seeds import seeds
from naive import adjustment as naive
from naive import inference

from stages.graphs import identification
from stages.graphs.identification import front_door_sets, instruments, is_front_door

N_GRAPHS = 200


def random_parents(seed):
    """A random acyclic graph on three to six variables."""
    return small_network(seed, 3 + seed % 4, most_parents=1 + seed % 3).parents


@pytest.mark.parametrize("seed", seeds(N_GRAPHS, 15))
def test_they_are_those_of_the_list_of_all(seed):
    parents = random_parents(seed)
    for cause, effect in itertools.permutations(range(len(parents)), 2):
        found = front_door_sets(parents, cause, effect)
        assert found.most is None and len(set(found.sets)) == len(found.sets)
        assert set(found.sets) == naive.front_door_sets(parents, cause, effect)
        assert [len(chosen) for chosen in found.sets] == sorted(len(chosen) for chosen in found.sets)
        listed = list(instruments(parents, cause, effect))
        assert set(listed) == naive.instruments(parents, cause, effect) and len(listed) == len(set(listed))


@pytest.mark.parametrize("seed", seeds(N_GRAPHS, 15))
def test_front_door_sums_are_the_effect(seed):
    """Sum over z of P(z | x), and over x' of P(y | x', z) P(x'), is P(y | do(x)) by truncated factorisation."""
    network = small_network(seed, 3 + seed % 3, most_parents=1 + seed % 3, zeros=0.0)
    joint = inference.joint_table(network)
    for cause, effect in itertools.permutations(range(joint.ndim), 2):
        for chosen in front_door_sets(network.parents, cause, effect).sets:
            rest = tuple(v for v in range(joint.ndim) if v not in (cause, effect, *chosen))
            order = [v for v in range(joint.ndim) if v not in rest]
            axes = [order.index(cause), order.index(effect), *(order.index(v) for v in sorted(chosen))]
            table = joint.sum(axis=rest).transpose(axes)
            table = table.reshape(*table.shape[:2], -1)  # x, y, z
            of_x, of_z = table.sum(axis=(1, 2)), table.sum(axis=1)
            inner = np.einsum("xyz,xz,x->yz", table, 1 / of_z, of_x)
            found = np.einsum("xz,x,yz->xy", of_z, 1 / of_x, inner)
            for state in range(joint.shape[cause]):
                others = tuple(v for v in range(joint.ndim) if v != effect)
                expected = inference.truncated_table(network, {cause: state}).sum(axis=others)
                np.testing.assert_allclose(found[state], expected, rtol=0, atol=1e-12)


def test_the_examples_of_text_books():
    """Smoking, tar, cancer with a common cause; and encouragement to smoke."""
    parents = [(), (0, 4), (1,), (0, 2), ()]  # common cause, smoking, tar, cancer, encouragement
    assert front_door_sets(parents, 1, 3).sets == [frozenset({2})]
    assert (4, frozenset()) in list(instruments(parents, 1, 3))
    assert not is_front_door(parents, 1, 3, ())


def test_a_limit_is_said(monkeypatch):
    parents = [(), (0,), (1,), (2,), (0, 3)]  # a chain beside a common cause
    assert front_door_sets(parents, 1, 4).sets == [frozenset({2}), frozenset({3})]
    monkeypatch.setattr(identification, "MOST_TESTED", 2)
    assert front_door_sets(parents, 1, 4).most == 1
