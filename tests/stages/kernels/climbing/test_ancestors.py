"""Ancestors kept up to date while arcs come and go, against their definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from naive.independence import ancestors_of
from naive.optimize import climbing as naive

from stages.kernels.climbing.ancestors import add_ancestors, all_ancestors, closes_cycle, has_other_path


@given(st.integers(0, 10**6), st.integers(2, 70), st.integers(1, 60))
def test_ancestors_follow_random_moves(seed, n, n_moves):
    rng = np.random.default_rng(seed)
    arcs = np.zeros((n, n), dtype=np.int32)
    n_parents = np.zeros(n, dtype=np.int32)
    ancestors = np.zeros((n, -(-n // 64)), dtype=np.uint64)
    graph = [set() for _ in range(n)]
    for _ in range(n_moves):
        child, parent = rng.integers(n, size=2).tolist()
        if parent in graph[child]:
            others = naive.apply_move(graph, "remove", child, parent)
            expected = parent in ancestors_of(others, [child])
            assert has_other_path(ancestors, arcs, n_parents, child, parent) == expected
            graph = others
        else:
            cyclic = child in ancestors_of(graph, [parent])
            assert closes_cycle(ancestors, child, parent) == cyclic
            if cyclic:
                continue
            graph = naive.apply_move(graph, "add", child, parent)
        arcs[child, : len(graph[child])] = sorted(graph[child])
        n_parents[child] = len(graph[child])
        if parent in graph[child]:
            add_ancestors(ancestors, child, parent)
        else:
            assert all_ancestors(ancestors, arcs, n_parents)
    bits = np.unpackbits(ancestors.view(np.uint8), axis=1, bitorder="little")
    assert [set(np.flatnonzero(r).tolist()) for r in bits] == [ancestors_of(graph, [v]) - {v} for v in range(n)]
    afresh = np.zeros_like(ancestors)
    assert all_ancestors(afresh, arcs, n_parents)
    assert np.array_equal(afresh, ancestors)


def test_cycle_is_noticed():
    arcs = np.array([[2, 0, 0], [0, 0, 0], [1, 0, 0]], dtype=np.int32)
    ancestors = np.zeros((3, 1), dtype=np.uint64)
    assert not all_ancestors(ancestors, arcs, np.array([1, 1, 1], dtype=np.int32))
