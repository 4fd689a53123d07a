"""Separation and adjustment sets, against listing all paths and all sets of variables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.cases.inference import small_network
from helpers.seeds import seeds
from naive import adjustment as naive
from naive import inference
from naive.independence import ancestors_of, are_separated, descendants_of
from naive.networks import equivalence_classes

from stages.graphs.adjustment_sets import Adjustment
from stages.graphs.d_separation import ancestors, descendants, open_path
from stages.graphs.essential_graphs import essential_graph

N_GRAPHS = 200


def random_parents(seed, n=None):
    """A random acyclic graph on up to six variables."""
    return small_network(seed, n or 3 + seed % 4, most_parents=1 + seed % 4).parents


def all_sets(n, without):
    others = [v for v in range(n) if v not in without]
    return itertools.chain.from_iterable(itertools.combinations(others, k) for k in range(len(others) + 1))


@pytest.mark.parametrize("seed", seeds(N_GRAPHS, 15))
def test_open_paths_are_those_of_the_list_of_all(seed):
    parents = random_parents(seed)
    n = len(parents)
    graph = [set(family) for family in parents]
    for first, second in itertools.combinations(range(n), 2):
        every = naive.paths(parents, first, second)
        for given in all_sets(n, (first, second)):
            found = open_path(parents, first, second, given)
            lengths = [len(path) for path in every if naive.is_open(parents, path, given)]
            assert (found is None) == (not lengths) == are_separated(graph, first, second, given)
            if found is not None:
                assert found in every and naive.is_open(parents, found, given) and len(found) == min(lengths)


@pytest.mark.parametrize("seed", seeds(N_GRAPHS, 15))
def test_adjustment_sets_are_those_of_the_list_of_all(seed):
    parents = random_parents(seed)
    n = len(parents)
    for cause, effect in itertools.permutations(range(n), 2):
        valid = naive.adjustment_sets(parents, cause, effect)
        found = Adjustment(parents, cause, effect)
        assert [frozenset(given) for given in all_sets(n, (cause, effect)) if found.is_valid(given)] == valid
        minimal = {given for given in valid if not any(other < given for other in valid)}
        listed = list(found.minimal())
        assert set(listed) == minimal and len(listed) == len(minimal)
        is_cause = cause in ancestors_of([set(family) for family in parents], [effect])
        assert (found.optimal() is not None) == is_cause
        if is_cause:
            assert frozenset(found.optimal()) in valid


@pytest.mark.parametrize("n", [3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_sets_of_a_class_hold_in_all_its_networks(n):
    """All classes on three and four variables, every twentieth on five; from each member of the class."""
    for members in equivalence_classes(n)[:: 20 if n == 5 else 1]:
        undirected = essential_graph(members[0]).undirected
        for cause, effect in itertools.permutations(range(n), 2):
            valid = frozenset.intersection(*(frozenset(naive.adjustment_sets(m, cause, effect)) for m in members))
            minimal = {given for given in valid if not any(other < given for other in valid)}
            for member in (members[0], members[-1]):
                found = Adjustment(member, cause, effect, undirected)
                assert {frozenset(g) for g in all_sets(n, (cause, effect)) if found.is_valid(g)} == valid
                assert set(found.minimal()) == minimal
                assert found.optimal() is None or frozenset(found.optimal()) in valid
            optimal = [Adjustment(member, cause, effect, undirected).optimal() for member in members]
            assert all(one == optimal[0] for one in optimal)


@pytest.mark.parametrize("seed", seeds(60, 6))
def test_adjustment_gives_the_effect_under_intervention(seed):
    """The sum over each set equals the truncated factorisation."""
    network = small_network(seed, 4 + seed % 2)
    table = inference.joint_table(network)
    n = len(network.variables)
    for cause, effect in itertools.permutations(range(n), 2):
        found = Adjustment(network.parents, cause, effect)
        expected = inference.marginal(inference.truncated_table(network, {cause: 0}), {}, [effect])
        for given in found.minimal() if found.optimal() is None else [*found.minimal(), found.optimal()]:
            chosen = sorted(given)
            total = np.zeros_like(expected)
            for states in itertools.product(*(range(table.shape[v]) for v in chosen)):
                stratum = dict(zip(chosen, states))
                weight = inference.probability(table, stratum)
                total += weight * inference.marginal(table, {**stratum, cause: 0}, [effect])
            np.testing.assert_allclose(total, expected, atol=1e-12)


@pytest.mark.parametrize("seed", seeds(60, 6))
def test_relatives(seed):
    parents = random_parents(seed)
    graph = [set(family) for family in parents]
    for v in range(len(parents)):
        assert ancestors(parents, [v]) == ancestors_of(graph, [v])
        assert descendants(parents, [v]) == descendants_of(graph, v)
