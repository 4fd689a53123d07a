"""Annealing over orders: the moves it draws, what it may break, what it keeps."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.ktrees import demanding_table
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table

from stages.kernels.ktrees.annealing import (
    MoveShares,
    anneal,
    clamp_place,
    draw_place,
    draw_wanted,
    keep_best,
    new_best_order,
)
from stages.kernels.ktrees.move_log import new_move_log
from stages.kernels.ktrees.order_moves import build_ktree
from stages.kernels.ktrees.orders import new_precedences
from stages.optimize.treewidth.problem import prepare_bounded
from stages.runtime.errors import InfeasibleError


def build(problem, order):
    """The k-tree along an order, its log and scratch for the start clique."""
    tree, log = problem.new_tree(), new_move_log(problem.n_variables, problem.treewidth)
    clique = problem.new_clique_tables()
    tree.order[:] = order
    return (
        tree,
        log,
        clique,
        build_ktree(problem.lists, problem.index, problem.filters, problem.pairs, tree, log, clique),
    )


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_places_are_clamped_to_what_precedences_allow(seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(9)
    position = np.argsort(order).astype(np.int32)
    pairs = [(int(order[a]), int(order[b])) for a, b in np.sort(rng.integers(0, 9, (8, 2))) if a < b]
    precedences = new_precedences(pairs, 9)
    for variable in range(9):
        start = int(position[variable])
        for end in range(9):
            place = clamp_place(precedences, position, variable, start, end)
            between = range(min(start, end), max(start, end) + 1)
            # The farthest position on the path at which all precedences hold.
            legal = [start]
            for t in sorted(between, key=lambda t: abs(t - start))[1:]:
                passed = int(order[t])
                pair = (variable, passed) if t > start else (passed, variable)
                if pair in pairs:
                    break
                legal.append(t)
            assert place == legal[-1]


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_wanted_moves_bring_a_better_set_within_reach(seed):
    problem = prepare_bounded(random_table(seed, 10, n_sets=30), 2)
    rng = np.random.default_rng(seed)
    tree, *_ = build(problem, rng.permutation(10))
    lists = problem.lists
    for _ in range(60):
        variable = int(rng.integers(10))
        start, end = draw_wanted(lists, tree, rng, variable)
        first = lists.set_offsets[variable]
        if tree.chosen[variable] == first:
            assert start == end
            continue
        place = int(tree.position[variable])
        moved = int(tree.order[start])
        members = set(lists.parents[lists.parent_offsets[first] : lists.parent_offsets[tree.chosen[variable]]])
        assert moved == variable or moved in members
        order = tree.order.tolist()
        order.insert(end, order.pop(start))
        other = order[order.index(variable) - 1]
        assert start == end or other in members or abs(order.index(variable) - place) > 0
    assert all(0 <= draw_place(rng, 10, 3) < 10 for _ in range(100))


@pytest.mark.parametrize("demanding", [False, True])
@pytest.mark.parametrize("temperature", [0.0, 5.0])
@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_walks_keep_their_books_and_the_precedences(seed, temperature, demanding):
    """The relative score returned is that of the tree; the best one visited is kept and never gets worse."""
    table = demanding_table(seed, 10, n_fixed=3) if demanding else random_table(seed, 10, n_sets=30)
    try:
        problem = prepare_bounded(table, 2)
    except InfeasibleError:
        return
    rng = np.random.default_rng(seed)
    order = problem.respect(rng.permutation(10).astype(np.int32))
    tree, log, clique, before = build(problem, order)
    best, shares = new_best_order(10), MoveShares(left_out=0.2, host=0.2, wanted=0.3)
    keep_best(tree, best, before)
    for _ in range(20):
        found = anneal(
            problem.lists,
            problem.index,
            problem.filters,
            problem.pairs,
            tree,
            log,
            clique,
            problem.precedences,
            rng,
            shares,
            (temperature,) * 2,
            15,
            best,
        )
        assert found == pytest.approx(problem.lists.scores[tree.chosen].sum(), abs=1e-8)
        assert problem.respect(tree.order).tolist() == tree.order.tolist()
        assert best.relative_score[0] >= max(found, before) - 1e-8
        assert problem.lists.scores[best.chosen].sum() == pytest.approx(best.relative_score[0])
        if temperature == 0.0:
            assert found >= before - 1e-8
            before = found
