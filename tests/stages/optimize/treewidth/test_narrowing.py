"""Networks that lose members until they keep the bounds, against elimination step by step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.slim import cliques_along
from naive.optimize.treewidth import elimination_width, moral_edges, treewidth

from formats.sets.listed_sets import ListedSets
from stages.graphs import positions_of
from stages.lists.set_lists import lists_in, new_lists
from stages.optimize.treewidth import triangulation
from stages.optimize.treewidth.narrowing import narrowed
from stages.optimize.treewidth.table_bound import TableBound
from stages.optimize.treewidth.triangulation import narrowed_network
from stages.runtime.budgets import Budget

N = 10


def random_problem(seed):
    """Random lists, and the best network of their sets along a random order."""
    rng = np.random.default_rng(seed)
    lists, order = lists_in(random_table(seed, N, n_sets=12)), rng.permutation(N)
    positions, offsets, parents = positions_of(order), lists.parent_offsets, []
    for child in range(N):
        for s in range(*lists.set_offsets[child : child + 2]):
            members = lists.parents[offsets[s] : offsets[s + 1]].tolist()
            if all(positions[p] < positions[child] for p in members):
                parents.append(tuple(members))
                break
    return lists, tuple(parents), rng


def score_of(lists, parents):
    """The sum of the scores of the listed sets `parents`."""
    scores, offsets = [], lists.parent_offsets
    for child, family in enumerate(parents):
        (score,) = (
            lists.scores[s]
            for s in range(*lists.set_offsets[child : child + 2])
            if tuple(lists.parents[offsets[s] : offsets[s + 1]].tolist()) == family
        )
        scores.append(score)
    return math.fsum(scores)


@pytest.mark.parametrize("seed", seeds(20, quick=3))
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("most_cells", [math.inf, 40.0])
def test_a_narrowed_network_keeps_the_bounds(seed, width, most_cells):
    lists, parents, rng = random_problem(seed)
    n_states = rng.integers(2, 5, N).astype(np.float64)
    found = narrowed(lists, width, TableBound(n_states, most_cells), rng, parents, Budget())
    assert all(set(family) <= set(wide) for family, wide in zip(found.parents, parents, strict=True))
    assert elimination_width(moral_edges(found.parents), found.elimination.tolist()) <= width
    cliques = cliques_along(found.parents, found.elimination[::-1].tolist())
    assert [set(bag) for bag in found.bags.tolist()] == [{v, *cliques[v]} for v in range(N)]
    assert all(math.prod(n_states[list(set(bag))]) <= most_cells for bag in found.bags.tolist())
    positions = positions_of(found.order)
    assert all(positions[p] < positions[child] for child, family in enumerate(found.parents) for p in family)
    assert found.score == pytest.approx(score_of(lists, found.parents))
    if most_cells == math.inf and treewidth(moral_edges(parents)) > width:
        assert found.parents != parents


@pytest.mark.parametrize(("few", "pays"), [(N - 1, False), (N, True)])
@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_networks_are_narrowed_and_improved_where_that_pays(seed, few, pays, monkeypatch):
    monkeypatch.setattr(triangulation, "FEW_VARIABLES", few)
    lists, parents, _ = random_problem(seed)
    bound = TableBound(np.ones(N), np.inf)
    found = narrowed_network(lists, 2, bound, np.random.default_rng(seed), parents, Budget())
    alone = narrowed(lists, 2, bound, np.random.default_rng(seed), parents, Budget())
    assert elimination_width(moral_edges(found.parents), found.elimination.tolist()) <= 2
    assert found.score >= alone.score
    assert pays or found.parents == alone.parents


@pytest.mark.parametrize("few", [N - 1, N])
def test_a_network_within_the_bounds_stays(few, monkeypatch):
    monkeypatch.setattr(triangulation, "FEW_VARIABLES", few)
    lists, parents, rng = random_problem(0)
    found = narrowed_network(lists, N - 1, TableBound(np.ones(N), np.inf), rng, parents, Budget())
    assert found.parents == parents
    assert found.score == pytest.approx(score_of(lists, parents))


@pytest.mark.parametrize("few", [3, 4])
def test_without_smaller_sets_nothing_is_narrowed(few, monkeypatch):
    monkeypatch.setattr(triangulation, "FEW_VARIABLES", few)
    parents = ((), (0,), (0, 1), (0, 1, 2))
    lists = new_lists(np.arange(5), ListedSets.of(parents), np.zeros(4))
    bound, rng = TableBound(np.ones(4), np.inf), np.random.default_rng(0)
    assert narrowed_network(lists, 2, bound, rng, parents, Budget()) is None


def test_nothing_is_narrowed_once_the_budget_has_ended():
    lists, parents, rng = random_problem(1)
    assert treewidth(moral_edges(parents)) > 1
    assert narrowed(lists, 1, TableBound(np.ones(N), np.inf), rng, parents, Budget(seconds=0.0)) is None
