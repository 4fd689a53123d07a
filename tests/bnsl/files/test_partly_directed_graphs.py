"""Partly directed graphs as they are read: against all networks, grouped by definition."""

from __future__ import annotations

import io
import itertools
import random

import pytest
from helpers.seeds import seeds
from naive.networks import arcs, equivalence_classes, essential_graph, skeleton, v_structures

from bnsl.files.network_inputs import read_network_or_class
from formats.errors import FormatError
from stages.graphs.orientation import differing_edge

N_CASES = 40


def random_graph(rng: random.Random, n: int) -> tuple[frozenset, frozenset]:
    """Arcs and undirected edges: an essential graph, one with a few marks changed, or any marks."""
    pairs = list(itertools.combinations(range(n), 2))
    directed, undirected = essential_graph(rng.choice(equivalence_classes(n)))
    mark_of: dict = dict.fromkeys(pairs)
    mark_of |= {(min(arc), max(arc)): arc for arc in directed} | dict.fromkeys(undirected, "-")
    kind = rng.random()
    changed = [] if kind < 0.3 else rng.sample(pairs, rng.randint(1, 2)) if kind < 0.75 else pairs
    for a, b in changed:
        mark_of[a, b] = rng.choice([None, (a, b), (b, a), "-", "-"])
    directed = frozenset(mark for mark in mark_of.values() if isinstance(mark, tuple))
    return directed, frozenset(pair for pair, mark in mark_of.items() if mark == "-")


def members_of(n: int, directed: frozenset, undirected: frozenset) -> list:
    """The networks that have all arcs of a graph, its edges in some direction, and no other v-structures."""
    joined = {frozenset(pair) for pair in (*directed, *undirected)}
    colliding = frozenset(
        (min(a, b), c, max(a, b))
        for (a, c), (b, d) in itertools.combinations(directed, 2)
        if c == d and frozenset((a, b)) not in joined
    )
    of_class = [members for members in equivalence_classes(n) if skeleton(members[0]) == joined]
    of_class = [members for members in of_class if v_structures(members[0]) == colliding]
    return [network for members in of_class for network in members if directed <= arcs(network)]


def text_of(n: int, directed: frozenset, undirected: frozenset, kind: str) -> str:
    if kind == "arcs":
        rows = [f"{a},{b},directed" for a, b in directed] + [f"{a},{b},undirected" for a, b in undirected]
        return "from,to,type\n" + "".join(f"{row}\n" for row in rows)
    if kind == "adjacency":
        ones = directed | undirected | {(b, a) for a, b in undirected}
        rows = [",".join("01"[(a, b) in ones] for b in range(n)) for a in range(n)]
        return "\n".join([",".join(f"V{v}" for v in range(n)), *rows, ""])
    if kind == "dot":
        drawn = [f"{a} -> {b};" for a, b in directed] + [f"{a} -> {b} [dir=none];" for a, b in undirected]
        return f"digraph {{ {' '.join(f'{v};' for v in range(n))} {' '.join(drawn)} }}"
    nodes = "".join(f'<node id="{v}"/>' for v in range(n))
    drawn = [f'<edge source="{a}" target="{b}"/>' for a, b in directed]
    drawn += [f'<edge directed="false" source="{a}" target="{b}"/>' for a, b in undirected]
    return f'<graphml><graph edgedefault="directed">{nodes}{"".join(drawn)}</graph></graphml>'


def check_case(rng: random.Random) -> str:
    """Read a random graph in a random format: what is accepted, and what as an essential graph; returns which."""
    n = rng.choice([3, 4, 4, 5])
    directed, undirected = random_graph(rng, n)
    if not undirected:
        return "network"
    members = members_of(n, directed, undirected)
    is_oriented = bool(members) and frozenset.intersection(*map(arcs, members)) == directed
    kind = rng.choice(["arcs", "adjacency", "dot", "graphml"])
    stream = io.BytesIO(text_of(n, directed, undirected, kind).encode())
    if not is_oriented:
        with pytest.raises(FormatError):
            read_network_or_class(stream)
        return "none"
    found = read_network_or_class(stream)
    number = {name: int(name.removeprefix("V")) for name in found.record.header.names}
    place = [number[name] for name in found.record.header.names]
    families = [()] * n
    for child, family in enumerate(found.record.parents):
        families[place[child]] = tuple(sorted(place[p] for p in family))
    assert tuple(families) in members
    assert found.undirected is not None
    assert {tuple(sorted((place[a], place[b]))) for a, b in found.undirected} == undirected
    is_essential = any(
        essential_graph(m) == (directed, undirected) for m in equivalence_classes(n) if members[0] in m
    )
    assert (differing_edge(found.record.parents, found.undirected) is None) == is_essential
    return "essential" if is_essential else "oriented"


@pytest.mark.parametrize("seed", seeds(8, 2))
def test_exactly_the_graphs_of_a_class_are_read(seed):
    rng = random.Random(seed)
    kinds = {check_case(rng) for _ in range(N_CASES)}
    assert {"essential", "oriented", "none"} <= kinds
