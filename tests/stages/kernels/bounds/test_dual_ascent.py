"""Dual ascent over cluster cuts: placement, minimal clusters, reduced costs, against their definitions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.lagrangian import costs_of, counts, is_violated, placed_by_free_sets, relaxed_cost
from naive.optimize.networks_search import best_by_subsets, make_table, random_table

from stages.kernels.bounds.dual_ascent import (
    ASCENT_DONE,
    CLUSTERS,
    WORK_LEFT,
    ascend,
    new_placement,
    place_free,
    shrink_cluster,
)
from stages.lists import set_lists
from stages.lists.set_lists import lists_in


def nested(lists, values):
    """An array over sets as one list for every variable."""
    return [values[a:b].tolist() for a, b in pairwise(lists.set_offsets)]


def run_ascent(table, seed=0, work=10**9):
    """Dual ascent to the end: (lists, placement, top, clusters, raised)."""
    lists = lists_in(table)
    n = table.n_variables
    placement = new_placement(lists, set_lists.costs_of(lists))
    top = place_free(lists, placement)
    pool, offsets, raised = np.empty(1000 * n, dtype=np.int32), np.zeros(1001, dtype=np.int64), np.zeros(1000)
    progress = np.zeros(2, dtype=np.int64)
    progress[WORK_LEFT] = work
    scratch = np.empty(n, dtype=np.int32), np.zeros(n, dtype=np.bool_)
    rng = np.random.default_rng(seed)
    top, code = ascend(lists, placement, top, *scratch, rng, pool, offsets, raised, progress)
    clusters = [frozenset(pool[a:b].tolist()) for a, b in pairwise(offsets[: progress[CLUSTERS] + 1])]
    return lists, placement, top, clusters, raised[: progress[CLUSTERS]].tolist(), code


def two_cycle():
    """Both variables want each other: 0 loses 3 without 1, 1 loses 5 without 0."""
    return make_table({0: {(): -9.0, (1,): -6.0}, 1: {(): -9.0, (0,): -4.0}})


def test_hand_one_cluster_is_tight():
    _, placement, top, clusters, raised, _ = run_ascent(two_cycle())
    assert (top, clusters, raised) == (2, [frozenset({0, 1})], [3.0])
    assert placement.trail.tolist() == [0, 1]
    assert placement.reduced.tolist() == [0.0, 0.0, 0.0, 2.0]


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_ascent_keeps_its_books(seed):
    """Reduced costs are costs less multipliers and not negative; the bound is their sum; all are placed."""
    table = random_table(seed, 8, n_sets=20, n_fixed=seed % 3, ties=seed % 2 == 0)
    lists, placement, top, clusters, raised, code = run_ascent(table, seed)
    costs = costs_of(table)
    cuts = [(members, 1, price) for members, price in zip(clusters, raised, strict=True)]
    reduced = nested(lists, placement.reduced)
    for child, sets in enumerate(costs):
        for k, (cost, parents) in enumerate(sets):
            rest = cost - sum(price for members, _, price in cuts if counts(child, parents, members, 1))
            assert reduced[child][k] == pytest.approx(rest, abs=1e-8)
            assert rest >= -1e-8
    assert (top, code) == (8, ASCENT_DONE)
    assert placed_by_free_sets(costs, reduced) == set(range(8))
    assert relaxed_cost(costs, cuts) == pytest.approx(sum(raised), abs=1e-8)
    ideal = sum(record.scores[0] for record in table.records())
    assert ideal - sum(raised) >= best_by_subsets(table) - 1e-8


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_shrunk_clusters_are_violated_and_minimal(seed):
    table = random_table(seed, 9, n_sets=20)
    lists, costs = lists_in(table), costs_of(table)
    placement = new_placement(lists, set_lists.costs_of(lists))
    top = place_free(lists, placement)
    reduced = nested(lists, placement.reduced)
    placed = placed_by_free_sets(costs, reduced)
    assert placed == set(placement.trail[:top].tolist())
    rest = sorted(set(range(9)) - placed)
    if not rest:
        return
    members = np.array(rest + [0] * (9 - len(rest)), dtype=np.int32)
    size, _ = shrink_cluster(lists, placement, members, len(rest), top, np.random.default_rng(seed))
    cluster = frozenset(members[:size].tolist())
    assert is_violated(costs, reduced, cluster)
    assert set(np.flatnonzero(placement.placed)) == placed
    outside = set(range(9)) - cluster
    for member in cluster:
        assert placed_by_free_sets(costs, reduced, outside | {member}) == set(range(9))


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_free_sets_wait_at_their_first_unplaced_parent(seed):
    table = random_table(seed, 12, n_sets=20)
    lists = lists_in(table)
    costs = set_lists.costs_of(lists)
    costs[np.diff(lists.parent_offsets) < 2] += 1.0
    placement = new_placement(lists, costs)
    top = place_free(lists, placement)
    for parent in np.flatnonzero(~placement.placed).tolist():
        s = int(placement.waiting[parent])
        while s >= 0:
            members = lists.parents[lists.parent_offsets[s] : lists.parent_offsets[s + 1]]
            assert parent == members[~placement.placed[members]][0]
            s = int(placement.following[s])
    reduced = nested(lists, placement.reduced)
    assert placed_by_free_sets(costs_of(table), reduced) == set(placement.trail[:top].tolist())
