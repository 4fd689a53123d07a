"""The search for violated clusters: sums kept up to date, clusters found, against the definition."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.lagrangian import costs_of, counted_share, most_violated
from naive.optimize.networks_search import random_table

from stages.kernels.bounds.cluster_cuts import ClusterRules, flip, new_cluster, search_clusters
from stages.lists.set_lists import lists_in
from stages.optimize.bounds.separators import make_point


def nested(lists, values):
    """An array over sets as one list for every variable."""
    return [values[a:b].tolist() for a, b in pairwise(lists.set_offsets)]


def random_shares(lists, rng):
    """A random fractional choice with few sets per variable."""
    shares = np.zeros(len(lists.scores))
    for a, b in pairwise(lists.set_offsets):
        sets = rng.permutation(np.arange(a, b))[: rng.integers(1, 4)]
        shares[sets] = rng.dirichlet(np.ones(len(sets)))
    return shares


def clusters_of(support, demand, rng):
    """What a search from every variable finds."""
    n = len(support.lists.set_offsets) - 1
    rules = ClusterRules(demand=demand, n_steps=60, most_members=n, least_violation=0.01, noise=0.0)
    pool, offsets = np.empty(n * n, dtype=np.int32), np.zeros(n + 1, dtype=np.int64)
    cluster = new_cluster(support)
    before = cluster.counted.copy()
    kept, until = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int64)
    seeds = np.arange(n, dtype=np.int32)
    count, _ = search_clusters(support, cluster, seeds, rules, rng, kept, until, pool, offsets)
    # The cluster is empty again.
    assert not cluster.inside.any() and not cluster.hits.any() and not cluster.is_near.any()
    assert cluster.counted == pytest.approx(before)
    return [frozenset(pool[a:b].tolist()) for a, b in pairwise(offsets[: count + 1])]


@pytest.mark.parametrize("seed", seeds(20, quick=2))
@pytest.mark.parametrize("demand", [1, 2])
def test_clusters_found_are_violated_and_none_is_overlooked(seed, demand):
    table = random_table(seed, 7, n_sets=20)
    lists, costs = lists_in(table), costs_of(table)
    rng = np.random.default_rng(seed)
    shares = random_shares(lists, rng)
    by_child = nested(lists, shares)
    found = clusters_of(make_point(lists, shares, 0.0).support, demand, rng)
    for members in found:
        assert counted_share(costs, by_child, members, demand) <= demand - 0.01 + 1e-9
    assert bool(found) == (most_violated(costs, by_child, demand) > 0.01 + 1e-9)


@pytest.mark.parametrize("demand", [1, 2])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_sums_give_the_change_by_each_flip(seed, demand):
    rng, table = np.random.default_rng(seed), random_table(seed, 7, n_sets=20)
    lists, costs = lists_in(table), costs_of(table)
    shares = random_shares(lists, rng)
    by_child = nested(lists, shares)
    cluster = new_cluster(support := make_point(lists, shares, 0.0).support)
    members, n_near = frozenset(), 0
    for _ in range(25):
        v = int(rng.integers(7))
        n_near = flip(support, cluster, v, demand, n_near)
        members ^= {v}
        assert members == set(np.flatnonzero(cluster.inside))
        here = counted_share(costs, by_child, members, demand)
        assert cluster.counted[list(members)].sum() == pytest.approx(here, abs=1e-9)
        for u in range(7):
            change = counted_share(costs, by_child, members ^ {u}, demand) - here
            reported = (
                cluster.regained[u] - cluster.counted[u] if u in members else cluster.counted[u] - cluster.lost[u]
            )
            assert reported == pytest.approx(change, abs=1e-9)
