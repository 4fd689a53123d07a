"""Crossings counted one by one, and never more of them after the search than before."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stages.drawing.crossings import LayeredGraph, fewest_crossings, reduce_crossings


@st.composite
def layered_graphs(draw) -> LayeredGraph:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    layer = np.repeat(np.arange(len(sizes)), sizes)
    pairs = [(a, b) for a, b in itertools.product(range(len(layer)), repeat=2) if layer[b] == layer[a] + 1]
    links = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    weight = draw(st.lists(st.sampled_from([0.25, 1.0]), min_size=len(links), max_size=len(links)))
    return LayeredGraph(layer, np.array(links, dtype=np.int64).reshape(-1, 2), np.array(weight))


def count_one_by_one(graph: LayeredGraph) -> int:
    links = [(row, u, v) for row, us in enumerate(graph.rows) for u in us for v, _ in graph.below[u]]
    return sum(
        (graph.rank[a] - graph.rank[c]) * (graph.rank[b] - graph.rank[d]) < 0
        for (row, a, b), (other, c, d) in itertools.combinations(links, 2)
        if row == other
    )


@given(graph=layered_graphs())
def test_fewer_crossings(graph: LayeredGraph):
    before, rows = graph.crossings(), [sorted(row) for row in graph.rows]
    assert before == count_one_by_one(graph)
    assert reduce_crossings(graph) == graph.crossings() == count_one_by_one(graph) <= before
    assert [sorted(row) for row in graph.rows] == rows
    assert all([graph.rank[v] for v in row] == list(range(len(row))) for row in graph.rows)


@given(graph=layered_graphs(), seed=st.integers(0, 99))
def test_the_best_of_several_starts(graph: LayeredGraph, seed: int):
    rng = np.random.default_rng(seed)
    starts = [rng.random(len(graph.rank)) for _ in range(3)]
    counts = []
    for start in starts:
        graph.start(start)
        counts.append(reduce_crossings(graph))
    assert fewest_crossings(graph, starts) == min(counts) == count_one_by_one(graph)


def test_strong_links_are_straight():
    """One vertex between two neighbours of 0 and 2: it goes to the side of the strong one."""
    layer, links = np.array([0, 0, 0, 1, 1]), np.array([(0, 3), (2, 3), (1, 4)])
    for weight, expected in (([9.0, 1, 1], [3, 4]), ([1.0, 9, 1], [4, 3])):
        graph = LayeredGraph(layer, links, np.array(weight))
        graph.sort_row(1, graph.above)
        assert graph.rows[1] == expected


def test_a_ladder_is_untangled():
    links = np.array([(i, 7 - i) for i in range(4)])
    graph = LayeredGraph(np.array([0] * 4 + [1] * 4), links, np.ones(4))
    assert graph.crossings() == 6
    reduce_crossings(graph)
    assert graph.crossings() == 0
