"""Uniform k-trees: every code, what it decodes to, and how codes are drawn."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from helpers.cases.ktrees import draw_tree
from helpers.seeds import seeds
from naive.optimize import informative_score as naive
from naive.optimize.ktrees import all_ktrees
from naive.optimize.networks_search import random_table

from stages.kernels.bits import has_bit
from stages.kernels.ktrees.set_filters import pair_bit
from stages.optimize.treewidth.problem import prepare_within
from stages.published.nie_2015_2016.kernels.dandelion import decode_ktree, draw_code


@pytest.mark.parametrize(("n", "width"), [(2, 1), (4, 1), (5, 1), (4, 2), (5, 2), (5, 3), (4, 3)])
def test_codes_give_every_ktree_equally_often(n, width):
    """One code per k-tree and root clique; every k-tree has 1 + K (n - K) K-cliques."""
    problem = prepare_within(random_table(0, n), width)
    tree, found = problem.new_tree(), Counter()
    n_symbols = 1 + width * (n - width)
    for root in itertools.combinations(range(n), width):
        for code in itertools.product(range(n_symbols), repeat=n - width - 1):
            tree.order[:] = [*root, *sorted(set(range(n)) - set(root))]
            decode_ktree(tree, np.array(code, dtype=np.int64))
            found[naive.edges_of(tree)] += 1
    assert set(found) == all_ktrees(n, width)
    assert set(found.values()) == {n_symbols}


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_decoded_trees_are_built_along_their_order(width, seed):
    n = 9
    tree = draw_tree(prepare_within(random_table(seed, n), width), np.random.default_rng(seed))
    order, edges = tree.order.tolist(), naive.edges_of(tree)
    assert sorted(order) == list(range(n))
    assert tree.position[tree.order].tolist() == list(range(n))
    assert len(edges) == width * (width + 1) // 2 + width * (n - width - 1)
    for t in range(width + 1, n):
        bag = tree.bags[order[t]].tolist()
        assert bag[-1] == order[t]
        assert set(bag) <= set(order[: t + 1])
        assert naive.is_clique(bag, edges)
    for a, b in itertools.combinations(range(n), 2):
        assert has_bit(tree.edges, pair_bit(a, b)) == (frozenset((a, b)) in edges)


def test_root_cliques_and_symbols_are_drawn_uniformly():
    rng = np.random.default_rng(1)
    order, symbols = np.empty(5, dtype=np.int32), np.empty(2, dtype=np.int64)
    roots, drawn = Counter(), Counter()
    for _ in range(7000):
        draw_code(rng, order, 2, symbols)
        roots[tuple(order[:2].tolist())] += 1
        drawn[int(symbols[1])] += 1
        assert order[2:].tolist() == sorted(set(range(5)) - set(order[:2].tolist()))
    assert len(roots) == 10 and all(abs(count - 700) < 110 for count in roots.values())
    assert len(drawn) == 7 and all(abs(count - 1000) < 130 for count in drawn.values())
