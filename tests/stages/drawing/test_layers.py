"""Layers: parents above children, arcs short, wide layers split."""

from __future__ import annotations

import itertools

import numpy as np
from helpers.format_strategies import parent_tuples
from hypothesis import given
from hypothesis import strategies as st

from stages.drawing.layers import assign_layers, split_layers

parents_of_some = st.integers(1, 6).flatmap(parent_tuples)


def length_of(layer, parents) -> int:
    return sum(int(layer[v] - layer[p]) for v, family in enumerate(parents) for p in family)


def longest_paths(parents) -> list[int]:
    depth = [0] * len(parents)
    for _ in parents:
        depth = [max((depth[p] + 1 for p in family), default=0) for family in parents]
    return depth


@given(parents=parents_of_some)
def test_parents_are_above_and_arcs_no_longer_than_by_longest_path(parents):
    layer = assign_layers(parents)
    assert all(layer[p] < layer[v] for v, family in enumerate(parents) for p in family)
    assert set(layer.tolist()) == set(range(int(layer.max()) + 1))
    assert length_of(layer, parents) <= length_of(longest_paths(parents), parents)


def test_what_hangs_on_one_child_comes_near_it():
    #  0 -> 1 -> 2 -> 3 -> 4;  5 -> 6 -> 4 and 7 -> 6: the branch goes down whole
    layer = assign_layers([(), (0,), (1,), (2,), (3, 6), (), (5, 7), ()])
    assert layer.tolist() == [0, 1, 2, 3, 4, 2, 3, 2]


def test_shortest_on_a_small_graph():
    parents = ((), (0,), (1,), (0, 2), (), (4,), (3, 5))
    shortest = min(
        length_of(layer, parents)
        for layer in itertools.product(range(5), repeat=7)
        if all(layer[p] < layer[v] for v, family in enumerate(parents) for p in family)
    )
    assert length_of(assign_layers(parents), parents) == shortest


def test_wide_layers_are_split_like_bricks():
    layer, rank = np.array([0, 1, 1, 1, 1, 2]), np.array([0, 0, 1, 2, 3, 0])
    assert split_layers(layer, rank, np.ones(6), 2.0).tolist() == [0, 1, 2, 1, 2, 3]
    assert split_layers(layer, rank, np.ones(6), 4.0).tolist() == layer.tolist()
