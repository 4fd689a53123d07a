"""The best network within a k-tree: families, states and choices, against all networks."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.ktrees import draw_tree
from helpers.seeds import seeds
from naive.networks import is_acyclic
from naive.optimize import informative_score as naive
from naive.optimize.ktrees import best_inside
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of

from stages.lists.set_lists import costs_of
from stages.optimize.treewidth.problem import prepare_within
from stages.published.nie_2015_2016.kernels.families_by_clique import new_clique_families, sort_families
from stages.published.nie_2015_2016.kernels.ktree_dp import (
    LOST,
    link_cliques,
    new_clique_messages,
    solve_cliques,
    trace_choices,
)
from stages.published.nie_2015_2016.kernels.ktree_dp_states import new_partial_choices
from stages.published.nie_2015_2016.kernels.ktree_families import collect_families, new_families


def sorted_families(problem, tree, most_reduced=np.inf):
    """All families of a k-tree up to a cost, and what the best of these cost against the best of all."""
    n, n_sets = problem.n_variables, len(problem.scores)
    families, chosen = new_families(n, n_sets, len(problem.lists.parents)), new_clique_families(n, n_sets)
    collect_families(problem.lists, problem.filters, tree, families)
    fitting = families.lists._replace(scores=families.lists.scores[: families.lists.set_offsets[-1]])
    return chosen, sort_families(families, costs_of(fitting), most_reduced, chosen)


def solve(problem, tree, slack, limit=300):
    """Relative score of the best network that costs less than `slack`, None without one; what those lost cost."""
    n, width, lists = problem.n_variables, problem.treewidth, problem.lists
    (families, _), messages = sorted_families(problem, tree), new_clique_messages(n)
    link_cliques(tree, messages)
    states = new_partial_choices(200_000, width + 1)
    found, kept = (new_partial_choices(8 * limit, width + 1) for _ in range(2))
    t = n - 1
    while t >= width:
        t = solve_cliques(lists, tree, families, messages, states, found, kept, slack, limit, t)
    lost = messages.costs[LOST]
    if t == -2:
        return None, lost
    return trace_choices(lists, tree, states, int(messages.starts[tree.order[width]])), lost


@pytest.mark.parametrize("width", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_best_network_within_a_ktree(width, seed):
    n = 5 + seed % 3
    table = random_table(seed, n, max_parents=4, n_sets=10 if n < 7 else 5, ties=seed % 2 == 0)
    problem = prepare_within(table, width)
    tree = draw_tree(problem, np.random.default_rng(seed))
    relative_score, lost = solve(problem, tree, np.inf)
    assert lost == np.inf
    expected = best_inside(lists_of(table), naive.edges_of(tree))
    assert problem.score(tree.chosen) == pytest.approx(expected, abs=1e-9)
    assert problem.lists.scores[tree.chosen].sum() == pytest.approx(relative_score, abs=1e-9)
    families = [frozenset(table.parent_set(int(s))) for s in problem.source[tree.chosen]]
    assert is_acyclic(families)
    # Slack is what networks may cost against the best sets within the k-tree, cycles allowed.
    edges = naive.edges_of(tree)
    best = sum(
        next(s for s, p in sets if len(p) <= width and naive.is_clique([v, *p], edges))
        for v, sets in enumerate(lists_of(table))
    )
    cost = best - expected
    assert solve(problem, tree, cost + 1e-6)[0] == pytest.approx(relative_score, abs=1e-9)
    assert cost < 1e-6 or solve(problem, tree, cost - 1e-6) == (None, np.inf)
    # Without room for all states the loss is reported: no network costs less than that or than what is found.
    rough, lost = solve(problem, tree, np.inf, limit=1)
    assert cost >= min(lost, np.inf if rough is None else best - problem.score(tree.chosen)) - 1e-9


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_families_lie_where_their_clique_is_formed(seed):
    n, width = 8, 2
    table = random_table(seed, n, n_sets=20)
    problem = prepare_within(table, width)
    tree = draw_tree(problem, np.random.default_rng(seed))
    families, lack = sorted_families(problem, tree)
    assert lack == 0.0
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


def test_families_of_no_use_are_left_out():
    problem = prepare_within(random_table(1, 8, n_sets=20), 2)
    tree = draw_tree(problem, np.random.default_rng(1))
    everything, _ = sorted_families(problem, tree)
    cheap, lack = sorted_families(problem, tree, 3.0)
    costs = {
        int(s): everything.best[child] - problem.lists.scores[s]
        for s, child in zip(everything.sets, everything.children)
    }
    kept = set(cheap.sets[: cheap.offsets[-1]].tolist())
    assert kept == {s for s in everything.sets[: everything.offsets[-1]].tolist() if costs[s] <= 3.0}
    assert lack == 0.0
    assert ((cheap.most == everything.most) | (everything.most > 3.0) & np.isinf(cheap.most)).all()
