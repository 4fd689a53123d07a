"""Families that fit a k-tree, and the bound on their networks, against the definitions and all networks."""

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

from stages.kernels.bounds.dual_ascent import FREE, raise_cluster
from stages.optimize.treewidth.problem import prepare_within
from stages.published.nie_2015_2016.kernels.ktree_families import (
    bound_networks,
    collect_families,
    find_cluster,
    follow_trail,
    new_ascent_scratch,
    new_families,
)


def families_of(seed, n, width, n_sets):
    problem = prepare_within(random_table(seed, n, max_parents=4, n_sets=n_sets), width)
    tree = draw_tree(problem, np.random.default_rng(seed))
    families = new_families(n, len(problem.scores), len(problem.lists.parents))
    within = collect_families(problem.lists, problem.filters, tree, families)
    return problem, tree, families, new_ascent_scratch(n, len(problem.scores)), within


def parents_of(families, s):
    return frozenset(families.lists.parents[slice(*families.lists.parent_offsets[s : s + 2])].tolist())


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_families_are_those_within(width, seed):
    n = 8
    problem, tree, families, _, within = families_of(seed, n, width, 25)
    edges, total = naive.edges_of(tree), 0.0
    for v, sets in enumerate(lists_of(problem.table)):
        fitting = [(s, p) for s, p in sets if len(p) <= width and naive.is_clique([v, *p], edges)]
        top = max(score for score, p in sets if len(p) <= width)
        span = range(*families.lists.set_offsets[v : v + 2])
        assert [parents_of(families, s) for s in span] == [p for _, p in fitting]
        assert families.lists.scores[span] == pytest.approx([score - top for score, _ in fitting])
        total += fitting[0][0] - top
        for s, (_, p) in zip(span, fitting):
            assert families.cliques[s] == max(width, *(int(tree.position[u]) for u in (v, *p)))
            assert frozenset(problem.table.parent_set(int(problem.source[families.sets[s]]))) == p
    assert within == pytest.approx(total)


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_bound_and_its_network_enclose_the_optimum(width, seed):
    n = 5 + seed % 3
    problem, tree, families, scratch, within = families_of(seed, n, width, 10 if n < 7 else 5)
    best = best_inside(lists_of(problem.table), naive.edges_of(tree))
    cost = problem.score(problem.lists.set_offsets[:-1]) + within - best
    chosen = np.zeros(n, dtype=np.int64)
    for start in range(n):
        least = bound_networks(families.lists, scratch, np.inf, start)
        found = follow_trail(families, scratch.placement, chosen)
        assert least - 1e-9 <= cost <= found + 1e-9
        networks = [frozenset(problem.table.parent_set(int(problem.source[s]))) for s in chosen]
        assert is_acyclic(networks)
        assert within - found == pytest.approx(problem.lists.scores[chosen].sum())
        # A family of a better network has a reduced cost of at most what that costs above the bound.
        assert (scratch.placement.reduced[: families.lists.set_offsets[-1]] >= 0.0).all()
    # Given up as soon as the slack is used.
    assert cost <= 0.5 or bound_networks(families.lists, scratch, least / 2, 0) >= least / 2


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_clusters_are_violated_and_raised(seed):
    n = 9
    _, _, families, scratch, _ = families_of(seed, n, 3, 40)
    placement = scratch.placement
    bound_networks(families.lists, scratch, 0.0, 0)
    top = int(placement.placed.sum())
    while top < n:
        start = int(np.flatnonzero(~placement.placed)[0])
        size = find_cluster(families.lists, scratch, start)
        cluster = set(scratch.members[:size].tolist())
        assert not scratch.number.any() and not placement.placed[list(cluster)].any()
        paying = [
            s
            for v in cluster
            for s in range(*families.lists.set_offsets[v : v + 2])
            if not parents_of(families, s) & cluster
        ]
        before = placement.reduced.copy()
        assert (before[paying] > FREE).all()
        least, top = raise_cluster(families.lists, placement, scratch.members, size, scratch.inside, top)
        assert least == min(before[paying])
        lowered = before.copy()
        lowered[paying] -= least
        assert placement.reduced == pytest.approx(lowered, abs=2 * FREE)
        assert not scratch.inside.any()
