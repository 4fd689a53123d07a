"""Crossings counted one by one, and never more of them after the search than before."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stages.drawing.crossings import LayeredGraph, reduce_crossings


@st.composite
def layered_graphs(draw) -> LayeredGraph:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    layer = np.repeat(np.arange(len(sizes)), sizes)
    pairs = [(a, b) for a, b in itertools.product(range(len(layer)), repeat=2) if layer[b] == layer[a] + 1]
    links = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return LayeredGraph(layer, np.array(links, dtype=np.int64).reshape(-1, 2), np.zeros(len(layer)))


def count_one_by_one(graph: LayeredGraph) -> int:
    links = [(row, u, v) for row, us in enumerate(graph.rows) for u in us for v in graph.below[u]]
    return sum(
        (graph.rank[a] - graph.rank[c]) * (graph.rank[b] - graph.rank[d]) < 0
        for (row, a, b), (other, c, d) in itertools.combinations(links, 2)
        if row == other
    )


@given(graph=layered_graphs())
def test_fewer_crossings(graph: LayeredGraph):
    before, rows = graph.crossings(), [sorted(row.tolist()) for row in graph.rows]
    assert before == count_one_by_one(graph)
    reduce_crossings(graph)
    assert graph.crossings() == count_one_by_one(graph) <= before
    assert [sorted(row.tolist()) for row in graph.rows] == rows
    assert all(graph.rank[row].tolist() == list(range(len(row))) for row in graph.rows)


def test_a_ladder_is_untangled():
    links = np.array([(i, 7 - i) for i in range(4)])
    graph = LayeredGraph(np.array([0] * 4 + [1] * 4), links, np.zeros(8))
    assert graph.crossings() == 6
    reduce_crossings(graph)
    assert graph.crossings() == 0
