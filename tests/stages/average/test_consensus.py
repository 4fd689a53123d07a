"""Consensus networks against all networks of a few variables."""

from __future__ import annotations

import dataclasses
import itertools
import random

import numpy as np
import pytest
from helpers.cases.graphs import network_of
from helpers.seeds import seeds
from naive.average import most_agreement
from naive.networks import all_networks, equivalence_classes, is_acyclic
from naive.optimize.treewidth import moral_edges, treewidth

from formats.data_records import Variable
from formats.errors import Inconsistent
from formats.graph_records import ArcProbabilityTable, directions_of
from formats.records import Header
from stages.average import consensus
from stages.average.consensus import best_order, improved_order, pairwise_bound
from stages.average.strengths import count_arcs, pair_strengths, significance_threshold
from stages.graphs.essential_graphs import essential_graph
from stages.knowledge import Knowledge
from stages.optimize import OptimizeOptions
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


def probabilities(n_variables, rng) -> ArcProbabilityTable:
    """Of random pairs, some of them sure, some in one direction only."""
    shares = {}
    for a in range(n_variables):
        for b in range(a):
            both, split = rng.choice([0, 0.3, 0.7, 1.0, rng.random()]), rng.choice([0, 1, 0.5, rng.random()])
            shares[a, b], shares[b, a] = both * split, both * (1 - split)
    arcs = sorted((arc for arc, share in shares.items() if share), key=lambda arc: (-shares[arc], arc))
    ends = np.array(arcs, dtype=np.int32).reshape(-1, 2)
    strength = np.array([shares[arc] for arc in arcs])
    either = np.array([shares[a, b] + shares[b, a] for a, b in arcs])
    header = Header(tuple(Variable(f"V{i}") for i in range(n_variables)))
    return ArcProbabilityTable(header, ends[:, 0], ends[:, 1], strength, np.zeros(len(arcs)), either)


def by_arc(table):
    return dict(zip(zip(table.parents.tolist(), table.children.tolist()), table.probability.tolist()))


def find(table, threshold, budget=None, **options):
    budget = budget or Budget()
    return consensus.consensus_network(table, threshold, OptimizeOptions(**options), budget, NullReporter())


@pytest.mark.parametrize("n_variables", [1, 2, 3, 4])
@pytest.mark.parametrize("few", [0, consensus.FEW])
@pytest.mark.parametrize("seed", seeds(20, 5))
def test_no_network_agrees_more(n_variables, seed, few, monkeypatch):
    monkeypatch.setattr(consensus, "FEW", few)
    rng = random.Random(f"{seed} {n_variables}")
    table, threshold = probabilities(n_variables, rng), rng.choice([0, 0.2, 0.5, 0.9])
    network = find(table, threshold)
    extra = network.header.extra
    assert extra["agreement"] == pytest.approx(most_agreement(n_variables, by_arc(table), threshold), abs=1e-9)
    assert extra["agreement_bound"] == extra["agreement"]
    strengths, shares = pair_strengths(table), by_arc(table)
    assert is_acyclic(network.parents)
    arcs = [(p, c) for c, family in enumerate(network.parents) for p in family]
    assert all(strengths[min(arc), max(arc)] > threshold for arc in arcs)
    assert extra["agreement"] == pytest.approx(sum(shares[arc] - threshold / 2 for arc in arcs), abs=1e-9)
    assert extra["method"] == "average" and extra["threshold"] == threshold


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_no_network_of_five_variables_agrees_more(seed):
    table = probabilities(5, random.Random(seed))
    found = find(table, 0.4).header.extra["agreement"]
    assert found == pytest.approx(most_agreement(5, by_arc(table), 0.4), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("bound", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_none_of_bounded_treewidth_agrees_more(seed, bound):
    table = probabilities(4, random.Random(seed))
    network = find(table, 0.25, treewidth=bound, seed=seed, budget=Budget(evaluations=200))
    expected = most_agreement(4, by_arc(table), 0.25, bound)
    assert network.header.extra["agreement"] == pytest.approx(expected, abs=1e-9)
    assert treewidth(moral_edges(network.parents)) <= bound
    assert network.header.extra["treewidth"]["bound"] == bound


@pytest.mark.parametrize("seed", seeds(20, 5))
def test_cut_lists_under_a_bound_on_the_treewidth(seed, monkeypatch):
    """Arcs of no listed set are added within the treewidth bound; the bound on the agreement holds."""
    monkeypatch.setattr(consensus, "MOST_SETS", 2)
    table = probabilities(4, random.Random(seed))
    network = find(table, 0.25, treewidth=2, seed=seed, budget=Budget(evaluations=50))
    extra, gains = network.header.extra, consensus.arc_gains(table, 0.25, Knowledge(()))
    expected = most_agreement(4, by_arc(table), 0.25, 2)
    assert extra["agreement"] <= expected + 1e-9 <= extra["agreement_bound"] + 2e-9
    assert treewidth(moral_edges(network.parents)) <= 2
    order = extra["treewidth"]["elimination"]
    assert consensus.with_arcs_in_bags(network.parents, gains, order) == network.parents


def test_arcs_in_bags():
    """Of a triangle's three arcs the last fits into the bag of the other two; a fourth variable does not."""
    gains = [{}, {0: 0.5, 3: 0.9}, {0: 0.4, 1: 0.3}, {}]
    parents = ((), (0,), (0,), ())
    assert consensus.with_arcs_in_bags(parents, gains, [3, 2, 1, 0]) == parents
    assert consensus.with_arcs_in_bags(((), (0,), (0, 1), ()), gains, [3, 2, 1, 0]) == ((), (0,), (0, 1), ())
    gains[2][3] = 0.2
    joined = ((), (0,), (0, 1), (0,))
    assert consensus.with_arcs_in_bags(((), (), (0, 1), ()), gains, [3, 2, 0, 1]) == ((), (0,), (0, 1), ())
    assert consensus.with_arcs_in_bags(joined, gains, [3, 2, 1, 0]) == joined


def test_of_one_network_it_is_that_network():
    for parents in random.Random(2).sample(all_networks(4), 5):
        table = count_arcs([network_of(parents)], cpdag=False).table
        network = find(table, significance_threshold(pair_strengths(table).values()))
        assert network.parents == parents
        assert network.header.extra["networks"] == 1


@pytest.mark.parametrize("seed", seeds(12, 4))
@pytest.mark.slow
def test_of_equivalent_networks_it_is_another_one(seed):
    """Directions that nothing decides are chosen so that no v-structure arises."""
    rng = random.Random(seed)
    large = [members for members in equivalence_classes(5) if len(members) >= 8]
    members = rng.choice(large)
    table = count_arcs(map(network_of, rng.choices(members, k=4))).table
    network = find(table, significance_threshold(pair_strengths(table).values()))
    assert network.parents in members
    words = directions_of(network)
    assert words == {arc: "data" if arc in essential_graph(members[0]).directed else "neither" for arc in words}


def with_knowledge(network, **options):
    by = ({"stage": "optimize", "version": "1", "options": options},)
    return dataclasses.replace(network, header=dataclasses.replace(network.header, by=by))


def test_a_required_arc_stays_where_the_others_could_close_a_cycle():
    """Without knowledge the arc a -> b, which breaks two cycles, is the cheapest to drop."""
    names, required = "abcd", ["a->b"]
    one, other = [(2,), (0,), (), ()], [(3,), (0,), (), ()]
    third, fourth = [(), (0,), (1,), (1,)], [(), (0,), (1,), (1,)]
    learnt = [with_knowledge(network_of(p, names), require=required) for p in (one, other, third, fourth)]
    counts = count_arcs(learnt, cpdag=False)
    assert counts.knowledge is not None and counts.knowledge.required == {1: (0,)}
    arcs = {(0, 1): 0.4, (1, 2): 0.9, (2, 0): 0.9, (1, 3): 0.9, (3, 0): 0.9}
    for by, expected in (((), False), (learnt[0].header.by, True)):
        ends = np.array(list(arcs), dtype=np.int32)
        strength = np.array(list(arcs.values()))
        header = Header(learnt[0].header.variables, by=by)
        table = ArcProbabilityTable(header, ends[:, 0], ends[:, 1], strength, np.zeros(5), strength)
        assert (0 in find(table, 0.1).parents[1]) == expected
        assert (0 in find(table, 0.1, treewidth=3, budget=Budget(evaluations=20)).parents[1]) == expected


def test_excluded_arcs_are_left_out_and_required_ones_must_be_there():
    header = Header(tuple(map(Variable, "ab")), by=({"stage": "optimize", "options": {"tiers": [["b"], ["a"]]}},))
    one = np.array([1.0])
    table = ArcProbabilityTable(header, np.array([0]), np.array([1]), one, one - 1, one)
    assert find(table, 0.5).parents == ((), ())
    header = dataclasses.replace(header, by=({"stage": "optimize", "options": {"require": ["b->a"]}},))
    with pytest.raises(Inconsistent, match="the required arc b -> a is not among the strong ones"):
        find(dataclasses.replace(table, header=header), 0.5)


def test_a_cycle_is_broken_where_it_costs_least():
    arcs = {(0, 1): 0.9, (1, 2): 0.8, (2, 0): 0.7}
    ends = np.array(list(arcs), dtype=np.int32)
    strength = np.array(list(arcs.values()))
    header = Header(tuple(map(Variable, "abc")))
    table = ArcProbabilityTable(header, ends[:, 0], ends[:, 1], strength, np.zeros(3), strength)
    assert find(table, 0.5).parents == ((), (0,), (1,))


@pytest.mark.parametrize("seed", seeds(10, 3))
def test_lists_that_are_cut_are_made_up_for(monkeypatch, seed):
    """Where not every set can be listed, the order found is improved by all arcs; the bound is one of pairs."""
    monkeypatch.setattr(consensus, "MOST_SETS", 2)
    table = probabilities(4, random.Random(seed))
    extra = find(table, 0.1).header.extra
    most = most_agreement(4, by_arc(table), 0.1)
    assert 0.8 * most <= extra["agreement"] <= most + 1e-9
    assert extra["agreement_bound"] >= most - 1e-9


def test_hubs_get_all_their_parents():
    """Each of 16 variables agrees with one order; all sets of 15 candidates are not listed."""
    n = 16
    shares = {(a, b): 0.9 if a < b else 0.1 for a in range(n) for b in range(n) if a != b}
    ends = np.array(list(shares), dtype=np.int32)
    header = Header(tuple(Variable(f"V{i}") for i in range(n)))
    strength = np.array(list(shares.values()))
    table = ArcProbabilityTable(header, ends[:, 0], ends[:, 1], strength, np.zeros(len(ends)), np.ones(len(ends)))
    network = find(table, 0.1, budget=Budget(evaluations=50))
    assert network.parents == tuple(tuple(range(child)) for child in range(n))
    assert network.header.extra["agreement_bound"] == network.header.extra["agreement"]


@pytest.mark.parametrize("seed", seeds(10, 3))
def test_no_move_betters_an_improved_order(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    weights = rng.integers(0, 5, (n, n)).astype(np.float64)
    np.fill_diagonal(weights, 0)

    def counted(order):
        return sum(weights[a, b] for i, a in enumerate(order) for b in order[i + 1 :])

    start = rng.permutation(n)
    found = improved_order(start, weights).tolist()
    assert sorted(found) == list(range(n)) and counted(found) >= counted(start.tolist())
    most = max(map(counted, itertools.permutations(range(n))))
    assert pairwise_bound(weights) >= most == counted(best_order(weights).tolist())
    for variable in range(n):
        others = [v for v in found if v != variable]
        assert all(counted([*others[:i], variable, *others[i:]]) <= counted(found) for i in range(n))


def test_candidate_sets_are_scored_by_their_arcs():
    header = Header(tuple(map(Variable, "abcd")))
    gains = [{2: 0.5, 1: 9.0}, {}, {0: 0.25, 3: 0.5}, {}]
    lists = consensus.candidate_sets(consensus.ConsensusProblem(header, gains, Knowledge(())), [0, 2, 3])
    assert [list(zip(r.parents, r.scores)) for r in lists.records()] == [
        [((1,), 0.5), ((), 0.0)],
        [((0, 2), 0.75), ((2,), 0.5), ((0,), 0.25), ((), 0.0)],
        [((), 0.0)],
    ]
    assert lists.complete.all() and lists.header.names == ("a", "c", "d")


def test_a_direction_as_strong_as_its_reverse_is_decided_by_neither():
    """Half of the networks direct the pair in one way, half in the other, each by a v-structure."""
    networks = [network_of([(), (0, 2), (), ()]), network_of([(1, 3), (), (), ()])]
    table = count_arcs(networks).table
    said = dict(zip(zip(table.parents.tolist(), table.children.tolist()), table.directions))
    assert said == {(0, 1): "neither", (1, 0): "neither", (2, 1): "data", (3, 0): "data"}
    directions = directions_of(find(table, 0.4))
    assert {words for arc, words in directions.items() if set(arc) == {0, 1}} == {"neither"}
    assert {words for arc, words in directions.items() if set(arc) != {0, 1}} == {"data"}
