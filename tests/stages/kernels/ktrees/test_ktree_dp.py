"""The best network within a k-tree: families, states and choices, against all networks."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.ktree_cases import draw_tree
from helpers.seeds import seeds
from naive import informative_score as naive
from naive.ktrees import best_inside
from naive.networks import is_acyclic
from naive.networks_search import random_table
from naive.orders import lists_of

from stages.kernels.ktrees.ktree_dp import (
    collect_families,
    link_cliques,
    new_clique_messages,
    new_families,
    solve_cliques,
    trace_choices,
)
from stages.kernels.ktrees.ktree_dp_states import new_partial_choices
from stages.optimize.treewidth.problem import prepare_within


def solve(problem, tree, slack, limit=300):
    """Relative score of the best network that costs less than `slack`; None if there is none."""
    n, width, lists = problem.n_variables, problem.treewidth, problem.lists
    families, messages = new_families(n, len(problem.scores)), new_clique_messages(n)
    collect_families(lists, tree, families)
    link_cliques(tree, messages)
    states = new_partial_choices(200_000, width + 1)
    found, kept = (new_partial_choices(8 * limit, width + 1) for _ in range(2))
    t = n - 1
    while t >= width:
        t = solve_cliques(lists, tree, families, messages, states, found, kept, slack, limit, t)
    if t == -2:
        return None
    return trace_choices(lists, tree, states, int(messages.starts[tree.order[width]]))


@pytest.mark.parametrize("width", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_best_network_within_a_ktree(width, seed):
    n = 5 + seed % 3
    table = random_table(seed, n, max_parents=4, n_sets=10 if n < 7 else 5, ties=seed % 2 == 0)
    problem = prepare_within(table, width)
    tree = draw_tree(problem, np.random.default_rng(seed))
    relative_score = solve(problem, tree, np.inf)
    expected = best_inside(lists_of(table), naive.edges_of(tree))
    assert problem.score(tree.chosen) == pytest.approx(expected, abs=1e-9)
    assert problem.lists.relative_scores[tree.chosen].sum() == pytest.approx(relative_score, abs=1e-9)
    families = [frozenset(table.parent_set(int(s))) for s in problem.source[tree.chosen]]
    assert is_acyclic(families)
    # Slack is what networks may cost against the best sets within the k-tree, cycles allowed.
    edges = naive.edges_of(tree)
    best = sum(
        next(s for s, p in sets if len(p) <= width and naive.is_clique([v, *p], edges))
        for v, sets in enumerate(lists_of(table))
    )
    cost = best - expected
    assert solve(problem, tree, cost + 1e-6) == pytest.approx(relative_score, abs=1e-9)
    assert cost < 1e-6 or solve(problem, tree, cost - 1e-6) is None


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_families_lie_where_their_clique_is_formed(seed):
    n, width = 8, 2
    table = random_table(seed, n, n_sets=20)
    problem = prepare_within(table, width)
    tree = draw_tree(problem, np.random.default_rng(seed))
    families = new_families(n, len(problem.scores))
    collect_families(problem.lists, tree, families)
    edges, expected = naive.edges_of(tree), set()
    for v, sets in enumerate(lists_of(table)):
        fitting = [(s, p) for s, p in sets if len(p) <= width and naive.is_clique([v, *p], edges)]
        top = sets[0][0] if len(sets[0][1]) <= width else max(s for s, p in sets if len(p) <= width)
        assert families.best[v] == pytest.approx(fitting[0][0] - top)
        assert families.most[v] == pytest.approx(fitting[0][0] - fitting[-1][0])
        for _, p in fitting[:-1]:
            place = max(width, *(int(tree.position[u]) for u in (v, *p)))
            expected.add((place, v, p))
    found = {
        (t, int(families.children[i]), frozenset(table.parent_set(int(problem.source[families.sets[i]]))))
        for t in range(n)
        for i in range(families.offsets[t], families.offsets[t + 1])
    }
    assert found == expected
