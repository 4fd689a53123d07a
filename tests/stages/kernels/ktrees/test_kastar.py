"""k-A* along one order, against all choices of cliques."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.order_searches import check_best_choices, fits_order, search_best_first
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.ktrees import best_along_orders
from naive.networks_search import random_table
from naive.orders import lists_of

from stages.kernels.ktrees.best_first import OPEN, STATES, pop_state, push_state, trail_to
from stages.kernels.ktrees.kastar import new_fill_states
from stages.optimize.treewidth.problem import prepare_bounded


@pytest.mark.parametrize("demanding", [False, True])
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(8, quick=3))
def test_best_cliques_along_an_order(width, seed, demanding):
    def search(problem, order, floor, steps):
        return search_best_first(problem, order, floor, steps)[:3]

    problem, order = check_best_choices(search, seed, width, demanding)
    found, _, _, greedy, _ = search_best_first(problem, order, -np.inf)
    assert found >= greedy - 1e-9


@pytest.mark.parametrize("n", [9, 70])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_best_of_all_choices_of_sets(n, seed):
    """Against all choices of sets that fit, also where ranks take two words."""
    width = 2
    table = random_table(seed, n, n_sets=3)
    problem = prepare_bounded(table, width)
    order = np.random.default_rng(seed).permutation(n).astype(np.int32)
    lists, position = problem.lists, np.argsort(order)
    found, chosen, *_ = search_best_first(problem, order, -np.inf)
    options = []
    for child in order[width + 1 :].tolist():
        sets = range(lists.set_offsets[child], lists.set_offsets[child + 1])
        members = {s: lists.parents[lists.parent_offsets[s] : lists.parent_offsets[s + 1]] for s in sets}
        options.append([s for s in sets if (position[members[s]] < position[child]).all()])
    assert fits_order(problem, order.tolist(), chosen)
    # Changing the choices of a few variables at a time gives nothing better.
    rng = np.random.default_rng(seed)
    for _ in range(4):
        picked = rng.choice(len(options), size=min(len(options), 4), replace=False)
        for sets in itertools.product(*(options[i] for i in picked)):
            trial = chosen.copy()
            trial[order[width + 1 :][picked]] = sets
            if problem.lists.relative_scores[trial].sum() > found + 1e-9:
                assert not fits_order(problem, order.tolist(), trial)


@pytest.mark.parametrize("seed", range(3))
def test_best_of_all_orders(seed):
    n, width = 5, 2
    table = random_table(seed, n, n_sets=14)
    problem, best = prepare_bounded(table, width), -math.inf
    rng = np.random.default_rng(seed)
    for _ in range(120):
        chosen = search_best_first(problem, rng.permutation(n), -np.inf)[1]
        best = max(best, problem.score(chosen))
    assert best <= best_along_orders(lists_of(table), width) + 1e-9


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=40))
def test_states_leave_the_heap_best_first(entries):
    states = new_fill_states(len(entries) + 1, 0.0, 0.0)
    pop_state(states)
    for k, (estimate, depth) in enumerate(entries):
        states.estimates[k], states.depths[k] = estimate, depth
        states.counts[STATES] = k + 1
        push_state(states, np.int32(k))
    assert states.counts[OPEN] == len(entries)
    expected = sorted(range(len(entries)), key=lambda k: (-entries[k][0], -entries[k][1], k))
    assert [int(pop_state(states)) for _ in entries] == expected


def test_the_way_to_a_state():
    """By depth, whatever depth the first state has; nothing stands where no decision was."""
    states = new_fill_states(6, 0.0, 0.0)
    states.parents[:6] = -1, 0, 0, 2, 1, 3
    states.depths[:6] = 2, 3, 3, 4, 4, 5
    assert trail_to(states, 5).tolist() == [-1, -1, 0, 2, 3, 5]
    assert trail_to(states, 0).tolist() == [-1, -1, 0]
