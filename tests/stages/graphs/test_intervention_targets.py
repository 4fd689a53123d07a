"""Interventional classes against all networks of up to five variables."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from helpers.tables import dependent_dataset
from naive import networks as naive
from naive.interventions import interventional_classes

from formats.data_records import Interventions, Variable
from formats.errors import Inconsistent
from formats.records import Header
from stages.evaluate.measures import evaluate_network
from stages.graphs.essential_graphs import essential_graph, list_arcs
from stages.graphs.intervention_targets import recorded_targets, targets_of
from stages.graphs.orientation import decide_directions, interventional_graph, oriented_graph
from stages.knowledge import Knowledge, make_knowledge
from stages.scoring.independent import score_families


def random_targets(n: int, rng: random.Random) -> list[frozenset[int]]:
    """Sets of which none has a variable that is in all of them; the empty set may be absent."""
    while True:
        sets = {frozenset(v for v in range(n) if rng.random() < 0.4) for _ in range(rng.choice([1, 2, 3]))}
        if all(any(v not in target for target in sets) for v in range(n)):
            return sorted(sets, key=sorted)


def check(members, parents, targets) -> int:
    common, rest = naive.essential_graph(members)
    assert interventional_graph(parents, targets) == (common, rest)
    words = decide_directions(parents, Knowledge(tuple("abcde"[: len(parents)])), targets)
    assert {arc for arc, word in words.items() if word == "data"} == common
    return len(common - essential_graph(parents).directed)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_all_networks_under_random_sets(n):
    rng, n_directed = random.Random(n), 0
    for _ in range(12):
        targets = random_targets(n, rng)
        for members in interventional_classes(n, targets):
            for parents in members if n < 4 else members[:3]:
                n_directed += check(members, parents, targets)
    assert n_directed > 0


def test_networks_of_five_variables():
    rng = random.Random(5)
    targets = [frozenset(), frozenset({0}), frozenset({1, 2})]
    classes = interventional_classes(5, targets)
    for members in rng.choices(classes, k=2000):
        check(members, rng.choice(members), targets)


def test_with_knowledge_the_class_is_narrowed_further():
    rng = random.Random(1)
    for _ in range(6):
        targets = random_targets(4, rng)
        for members in rng.choices(interventional_classes(4, targets), k=60):
            parents = rng.choice(members)
            arcs = sorted(list_arcs(parents))
            knowledge = make_knowledge("abcd", rng.sample(arcs, min(1, len(arcs))))
            left = [member for member in members if set(knowledge.required_arcs) <= list_arcs(member)]
            assert oriented_graph(parents, knowledge, targets) == naive.essential_graph(left)


def test_networks_of_one_class_score_alike():
    dataset, _ = dependent_dataset(4, 4, 400, least_states=2)
    targets = ((), (0,), (1, 2))
    given = Interventions(targets, np.arange(400, dtype=np.int32) % 3)
    dataset = type(dataset)(dataset.variables, dataset.codes, "", given)
    totals = {}
    for number, members in enumerate(interventional_classes(4, [frozenset(t) for t in targets])):
        scores = [score_families(parents, dataset, ("bic", "bdeu"), 2.0) for parents in members[:4]]
        for name in ("bic", "bdeu"):
            found = [each[name].sum() for each in scores]
            assert np.allclose(found, found[0], rtol=1e-12)
        totals[number] = round(float(scores[0]["bdeu"].sum()), 6)
    assert len(set(totals.values())) > 0.9 * len(totals)


def test_headers_keep_the_sets():
    header = Header(tuple(map(Variable, "abc")), extra={"interventions": [[], [0], [1, 2]]})
    assert targets_of(header) == [frozenset(), frozenset({0}), frozenset({1, 2})]
    assert targets_of(header, "cba") == [frozenset(), frozenset({0, 1}), frozenset({2})]
    assert recorded_targets(targets_of(header)) == {"interventions": [[], [0], [1, 2]]}
    assert targets_of(Header(header.variables)) == [] and recorded_targets(()) == {}
    for wrong in ([[3]], [0], "a", [["a"]], [[True]]):
        with pytest.raises(Inconsistent, match="no lists of variables"):
            targets_of(Header(header.variables, extra={"interventions": wrong}))


def test_the_distance_of_classes_is_of_interventional_ones(make_network):
    chain, other = make_network([(), (0,), (1,)]), make_network([(1,), (2,), ()])
    assert evaluate_network(chain, reference=other, treewidth=False)["shd"] == 0
    chain.header.extra["interventions"] = [[], [0]]
    # With 0 set in some rows 0 -> 1 -> 2 is all directed, and so is its reverse.
    assert evaluate_network(chain, reference=other, treewidth=False)["shd"] == 2


@pytest.fixture
def make_network():
    from formats.records import NetworkRecord

    def make(parents):
        header = Header(tuple(map(Variable, "abc")), extra={})
        return NetworkRecord(header, tuple(parents), np.full(3, np.nan))

    return make


def test_a_set_of_both_ends_decides_nothing():
    pairs = list(itertools.combinations(range(3), 2))
    for a, b in pairs:
        parents = tuple((a,) if v == b else () for v in range(3))
        assert interventional_graph(parents, [frozenset(), frozenset({a, b})]).undirected == {(a, b)}
        assert interventional_graph(parents, [frozenset(), frozenset({a})]).directed == {(a, b)}
