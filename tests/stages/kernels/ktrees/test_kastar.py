"""k-A* along one order, against all choices of cliques."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.ktree_cases import joined_sets
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.informative_score import best_growth
from naive.ktrees import best_along_orders
from naive.networks_search import random_table
from naive.orders import lists_of

from stages.kernels.ktrees.kastar import (
    OPEN,
    STATES,
    estimate_rest,
    new_path_states,
    pop_state,
    push_state,
    rebuild,
    search_paths,
)
from stages.kernels.ktrees.orders import evaluate_order
from stages.optimize.treewidth.problem import prepare_bounded


def search(problem, tree, floor, n_expansions=10**6, capacity=100_000):
    """The states, and the complete one reached (see `search_paths`); `tree` holds k-G's choices before."""
    n, size, lists = problem.n_variables, problem.treewidth + 1, problem.lists
    rest = np.empty(n + 1)
    estimate_rest(lists, tree, rest)
    start = float(lists.relative_scores[tree.chosen[tree.order[:size]]].sum())
    states, state = new_path_states(capacity, size, start, start + rest[size]), -1
    fitting = np.empty(len(problem.scores), dtype=np.int64)
    while state == -1:
        _, state = search_paths(lists, tree, states, rest, floor, fitting, n_expansions)
    return states, state, start


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_best_cliques_along_an_order(width, seed):
    n = 6
    problem = prepare_bounded(random_table(seed, n, n_sets=20, ties=seed % 2 == 0), width)
    tree = problem.new_tree()
    tree.order[:] = np.random.default_rng(seed).permutation(n)
    greedy = evaluate_order(problem.lists, tree, problem.new_clique_tables(), -np.inf)
    joins = joined_sets(problem.lists)
    states, state, start = search(problem, tree, greedy - 1e-6)
    expected = start + best_growth(joins, {}, tree.order.tolist(), width, 1.0)
    assert states.values[state] == pytest.approx(expected, abs=1e-9)
    rebuild(tree, states, state)
    assert problem.lists.relative_scores[tree.chosen].sum() == pytest.approx(expected, abs=1e-9)
    one_by_one, same, _ = search(problem, tree, greedy - 1e-6, n_expansions=1)
    assert one_by_one.values[same] == states.values[state]
    # Nothing is found above the optimum; without room the search says so.
    assert search(problem, tree, expected)[1] == -2
    assert search(problem, tree, greedy - 1e-6, capacity=2)[1] in (-3, state)


@pytest.mark.parametrize("seed", range(3))
def test_best_of_all_orders(seed):
    n, width = 5, 2
    table = random_table(seed, n, n_sets=14)
    problem, best = prepare_bounded(table, width), -np.inf
    rng = np.random.default_rng(seed)
    for _ in range(120):
        tree = problem.new_tree()
        tree.order[:] = rng.permutation(n)
        evaluate_order(problem.lists, tree, problem.new_clique_tables(), -np.inf)
        states, state, _ = search(problem, tree, -np.inf)
        rebuild(tree, states, state)
        best = max(best, problem.score(tree.chosen))
    assert best <= best_along_orders(lists_of(table), width) + 1e-9


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=40))
def test_states_leave_the_heap_best_first(entries):
    states = new_path_states(len(entries) + 1, 0, 0.0, 0.0)
    pop_state(states)
    for k, (estimate, depth) in enumerate(entries):
        states.estimates[k], states.depths[k] = estimate, depth
        states.counts[STATES] = k + 1
        push_state(states, np.int32(k))
    assert states.counts[OPEN] == len(entries)
    expected = sorted(range(len(entries)), key=lambda k: (-entries[k][0], -entries[k][1], k))
    assert [int(pop_state(states)) for _ in entries] == expected
