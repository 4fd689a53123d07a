"""Number, list and random members of classes, against all networks of up to five variables."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import pytest
from naive import networks as naive
from naive.interventions import interventional_classes

from stages.graphs.essential_graphs import essential_graph, list_arcs
from stages.graphs.network_classes import CliquePicking, NetworkClass, allowed_orders
from stages.graphs.orientation import interventional_graph, oriented_graph
from stages.knowledge import make_knowledge
from stages.runtime.errors import StageError


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_all_classes(n):
    for members in naive.equivalence_classes(n):
        parents = members[-1]
        found = NetworkClass(essential_graph(parents), parents)
        assert found.size == len(members)
        listed = list(found)
        assert len(listed) == len(members) and set(listed) == set(members)
        assert found.draw(random.Random(1)) in members


def test_interventional_classes():
    rng = random.Random(2)
    for targets in ([frozenset(), frozenset({0})], [frozenset({1}), frozenset({2, 3})]):
        for members in interventional_classes(4, targets):
            parents = rng.choice(members)
            found = NetworkClass(interventional_graph(parents, targets), parents)
            assert found.size == len(members) and set(found) == set(members)


def test_classes_under_knowledge():
    rng, n_mixed = random.Random(3), 0
    for members in rng.choices([m for m in naive.equivalence_classes(5) if len(m) > 5], k=60):
        parents = rng.choice(members)
        required = rng.sample(sorted(list_arcs(parents)), 2)
        left = [member for member in members if set(required) <= list_arcs(member)]
        graph = oriented_graph(parents, make_knowledge("abcde", required))
        found = NetworkClass(graph, parents)
        assert found.size == len(left) and set(found) == set(left)
        assert found.draw(rng) in left
        fixed = [{tail for tail, head in graph.directed if head == v} for v in range(5)]
        n_mixed += any(fixed[a] != fixed[b] for a, b in graph.undirected)
    assert n_mixed > 10


def test_a_large_class_under_mixed_knowledge_is_refused():
    # Two cliques of ten variables that share nine: 10! orders and more; one arc within is known.
    parents = [tuple(range(v)) for v in range(10)] + [tuple(range(1, 10))]
    graph = oriented_graph(parents, make_knowledge("abcdefghijk", [(0, 1)]))
    with pytest.raises(StageError, match=r"the class without the knowledge has [0-9,]+ networks"):
        _ = NetworkClass(graph, parents).size


def random_chordal(n: int, rng: random.Random) -> list[set[int]]:
    """A connected chordal graph: each vertex is joined with an earlier one and some of its neighbours."""
    graph: list[set[int]] = [set() for _ in range(n)]
    for v in range(1, n):
        first = rng.randrange(v)
        clique = [first]
        for u in rng.sample(sorted(graph[first]), len(graph[first])):
            if u < v and graph[u].issuperset(clique) and rng.random() < 0.7:
                clique.append(u)
        for u in clique:
            graph[u].add(v)
            graph[v].add(u)
    return graph


def orientations(graph) -> set[frozenset[tuple[int, int]]]:
    """Acyclic orientations without v-structures, by all orders of the vertices."""
    found = set()
    for order in itertools.permutations(range(len(graph))):
        place = {v: k for k, v in enumerate(order)}
        parents = [tuple(u for u in graph[v] if place[u] < place[v]) for v in range(len(graph))]
        if not naive.v_structures(parents):
            found.add(naive.arcs(parents))
    return found


def test_random_chordal_graphs():
    rng = random.Random(4)
    for n in [*[6] * 40, *[7] * 10]:
        graph = random_chordal(n, rng)
        expected, picking = orientations(graph), CliquePicking(graph)
        whole = frozenset(range(n))
        assert picking.count(whole) == len(expected)
        listed = list(picking.orders(whole))
        arcs = {frozenset((u, v) for k, v in enumerate(order) for u in graph[v] & set(order[:k])) for order in listed}
        assert len(listed) == len(expected) and arcs == expected


def test_draws_are_uniform():
    graph = random_chordal(7, random.Random(8))
    picking, rng, n_draws = CliquePicking(graph), random.Random(1), 20_000
    whole = frozenset(range(7))
    counts = Counter(
        frozenset((u, v) for k, v in enumerate(order) for u in graph[v] & set(order[:k]))
        for order in (picking.draw(whole, rng) for _ in range(n_draws))
    )
    size = picking.count(whole)
    assert len(counts) == size
    expected = n_draws / size
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < size - 1 + 5 * math.sqrt(2 * (size - 1))


def test_known_numbers():
    n = 300
    path = [{u for u in (v - 1, v + 1) if 0 <= u < n} for v in range(n)]
    assert CliquePicking(path).count(frozenset(range(n))) == n  # one vertex is the source
    star = [set(range(1, n)), *({0} for _ in range(1, n))]
    assert CliquePicking(star).count(frozenset(range(n))) == n
    complete = [set(range(20)) - {v} for v in range(20)]
    assert CliquePicking(complete).count(frozenset(range(20))) == math.factorial(20)


def test_orders_that_begin_with_no_barred_set():
    for size in range(1, 6):
        for sizes in itertools.chain.from_iterable(itertools.combinations(range(1, size), k) for k in range(size)):
            barred = [set(range(k)) for k in sizes]
            allowed = [
                order
                for order in itertools.permutations(range(size))
                if not any(set(order[: len(each)]) == each for each in barred)
            ]
            assert allowed_orders(size, sizes) == len(allowed)
