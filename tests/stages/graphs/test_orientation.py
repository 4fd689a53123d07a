"""Maximally oriented graphs against all members of each equivalence class that agree with the knowledge."""

from __future__ import annotations

import itertools
import random

import pytest
from naive import networks as naive

from formats.errors import Inconsistent
from stages.graphs.essential_graphs import essential_graph, list_arcs
from stages.graphs.orientation import decide_directions, oriented_graph
from stages.knowledge import Knowledge, make_knowledge


def agrees(parents, knowledge: Knowledge) -> bool:
    arcs = list_arcs(parents)
    is_excluded = any(knowledge.excludes(*arc) for arc in arcs)
    return not is_excluded and set(knowledge.required_arcs) <= arcs


def random_knowledge(parents, rng: random.Random) -> Knowledge:
    """Required, forbidden arcs and tiers that agree with a network."""
    n = len(parents)
    arcs = sorted(list_arcs(parents))
    absent = [arc for arc in itertools.permutations(range(n), 2) if arc not in arcs]
    required = rng.sample(arcs, rng.choice([0, 0, 1]) if arcs else 0)
    forbidden = rng.sample(absent, min(len(absent), rng.choice([0, 1, 2])))
    tiers: list[list[int]] = []
    if rng.random() < 0.4:
        order = list(range(n))
        order = [v for v in order if not parents[v]] + [v for v in order if parents[v]]
        tier_of = {v: rng.choice([0, 1, 2]) for v in order if rng.random() < 0.7}
        for parent, child in itertools.product(tier_of, repeat=2):
            if parent in parents[child] and tier_of[parent] > tier_of[child]:
                return make_knowledge("abcde"[:n], required, forbidden)
        tiers = [[v for v in tier_of if tier_of[v] == k] for k in range(3)]
    return make_knowledge("abcde"[:n], required, forbidden, tiers)


def check(members, parents, knowledge: Knowledge) -> int:
    """Compare with brute force; the number of arcs that only the knowledge directs."""
    left = [member for member in members if agrees(member, knowledge)]
    common, rest = naive.essential_graph(left)
    assert oriented_graph(parents, knowledge) == (common, rest)
    compelled = essential_graph(parents).directed
    words = decide_directions(parents, knowledge)
    assert {arc for arc, word in words.items() if word == "neither"} == list_arcs(parents) - common
    assert {arc for arc, word in words.items() if word == "data"} <= compelled
    return len(common - compelled)


def test_all_networks_of_four_variables_under_random_knowledge():
    rng, n_directed = random.Random(1), 0
    for n in (2, 3, 4):
        for members in naive.equivalence_classes(n):
            for parents in members:
                for _ in range(4):
                    n_directed += check(members, parents, random_knowledge(parents, rng))
    assert n_directed > 500


def test_large_classes_of_five_variables_under_random_knowledge():
    rng, n_directed = random.Random(2), 0
    large = [members for members in naive.equivalence_classes(5) if len(members) >= 20]
    for members in rng.choices(large, k=150):
        parents = rng.choice(members)
        n_directed += check(members, parents, random_knowledge(parents, rng))
    assert n_directed > 50


def test_every_rule_directs_an_edge():
    chain = oriented_graph([(), (0,), (1,)], make_knowledge("abc", [(0, 1)]))  # a -> b - c
    assert chain.directed == {(0, 1), (1, 2)}
    triangle = oriented_graph([(), (0,), (0, 1)], make_knowledge("abc", [(0, 1), (1, 2)]))
    assert triangle.directed == {(0, 1), (1, 2), (0, 2)}
    # Rule 4: a is adjacent to all, b and d are not adjacent, d -> c -> b is known, so a -> b.
    fourth = oriented_graph([(), (0, 2), (0, 3), (0,)], make_knowledge("abcd", [(3, 2), (2, 1)]))
    assert (0, 1) in fourth.directed and (0, 3) in fourth.undirected


def test_what_decides_is_distinguished():
    parents = [(), (), (0, 1), (2,), (), (4,)]  # a -> c <- b, c -> d, e -> f
    assert decide_directions(parents, make_knowledge("abcdef", forbidden=[(2, 1)])) == {
        (0, 2): "data",
        (1, 2): "knowledge",
        (2, 3): "data",
        (4, 5): "neither",
    }


def test_a_network_against_the_knowledge_is_refused():
    with pytest.raises(Inconsistent, match="has the arc a -> b, which is forbidden"):
        oriented_graph([(), (0,)], make_knowledge("ab", forbidden=[(0, 1)]))
    with pytest.raises(Inconsistent, match="the other way round"):
        oriented_graph([(), (0,)], make_knowledge("ab", required=[(1, 0)]))
