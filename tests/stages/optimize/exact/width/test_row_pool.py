"""Rows of the relaxation against every k-tree with every network inside it; bounds in integers against floats."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from naive.optimize.ktrees import all_ktrees

from formats.sets.listed_sets import ListedSets
from stages.lists.set_lists import new_lists
from stages.optimize.exact.linear_programme import Ranges
from stages.optimize.exact.width.family_cliques import FamilyCliques
from stages.optimize.exact.width.row_pool import Costs, RowPool, safe_bound
from stages.optimize.exact.width.violated_rows import AcyclicRows, FamilyPoint, first_rows, separate
from stages.runtime.budgets import Budget


def all_cliques(n, treewidth):
    """Columns of all sets of at most `treewidth` parents."""
    families = [
        [p for size in range(treewidth + 1) for p in itertools.combinations([u for u in range(n) if u != v], size)]
        for v in range(n)
    ]
    offsets = np.cumsum([0, *map(len, families)])
    sets = ListedSets.of(p for each in families for p in each)
    return FamilyCliques(new_lists(offsets, sets, np.zeros(len(sets))), treewidth), families


def network_within(cliques, families, edges, rng):
    """The point of a random network whose families are cliques of a k-tree."""
    point = np.zeros(cliques.n_columns)

    def is_clique(members):
        return all(frozenset(pair) in edges for pair in itertools.combinations(members, 2))

    order = rng.permutation(cliques.n_variables).tolist()
    for child, listed in enumerate(families):
        before = set(order[: order.index(child)])
        fitting = [i for i, p in enumerate(listed) if before.issuperset(p) and is_clique((child, *p))]
        point[cliques.lists.set_offsets[child] + int(rng.choice(fitting[-3:]))] = 1.0
    for first, groups in ((cliques.first_pair, cliques.pairs), (cliques.first_triple, cliques.triples)):
        point[first : first + len(groups)] = [float(is_clique(group)) for group in groups.tolist()]
    return point


@pytest.mark.parametrize(("n", "treewidth"), [(5, 2), (5, 3), (6, 2), (6, 3), (6, 4)])
def test_rows_hold_for_networks_within_ktrees(n, treewidth):
    cliques, families = all_cliques(n, treewidth)
    rng = np.random.default_rng(n + treewidth)
    pool = RowPool()
    pool.add(first_rows(cliques))
    kinds = set()
    for number in range(60):
        wild = rng.random(cliques.n_columns) ** (0.2 if number % 3 == 0 else 3.0)
        wild[: cliques.n_sets] *= rng.random(cliques.n_sets) < 0.1
        found = separate(FamilyPoint(cliques, wild))
        kinds.update(row.key[0] for row in found)
        pool.add(found)
    expected = {"sink", "edge", "least degree", "most degree", "triangles", "link", "chord"}
    expected |= {"edges"} if treewidth < n - 2 else set()
    assert kinds >= expected
    trees = sorted(all_ktrees(n, treewidth), key=lambda edges: sorted(map(sorted, edges)))
    for edges in trees[:: max(1, len(trees) // 60)]:
        point = network_within(cliques, families, edges, rng)
        lacks = pool.lacks(point)
        worst = int(np.argmax(lacks))
        assert lacks[worst] <= 0.0, list(pool.keys)[worst]
        assert separate(FamilyPoint(cliques, point)) == []


def test_cuts_of_acyclic_networks_hold_for_them_and_cut_off_cycles():
    cliques, families = all_cliques(6, 2)
    rng, pool = np.random.default_rng(1), RowPool()
    acyclic = AcyclicRows(cliques.lists, rng, Budget())
    starts = cliques.lists.set_offsets[:-1]
    for _ in range(20):
        shares = rng.random(cliques.n_sets) ** 8
        pool.add(
            acyclic.violated(shares / np.repeat(np.add.reduceat(shares, starts), np.diff(cliques.lists.set_offsets)))
        )
    whole = np.zeros(cliques.n_columns)
    whole[starts] = 1.0
    for child, parent in ((0, 1), (1, 2), (2, 0)):
        whole[starts[child]], whole[starts[child] + families[child].index((parent,))] = 0.0, 1.0
    pool.add(acyclic.violated(whole[: cliques.n_sets]))
    assert {max(row) for row in np.split(pool.cuts.weights, pool.cuts.offsets[1:-1])} > {1}  # not clusters alone
    assert pool.lacks(whole).max() == 1.0
    for edges in sorted(all_ktrees(6, 2), key=lambda edges: sorted(map(sorted, edges)))[::40]:
        assert pool.lacks(network_within(cliques, families, edges, rng)).max() <= 0.0


def test_lists_without_two_parents_have_rows_of_cliques_alone():
    parents = [(), (1,), (), (0,), (), (0,), (), (2,)]
    cliques = FamilyCliques(new_lists(np.array([0, 2, 4, 6, 8]), ListedSets.of(parents), np.zeros(8)), 2)
    found = separate(FamilyPoint(cliques, np.random.default_rng(0).random(cliques.n_columns)))
    assert "sink" not in {row.key[0] for row in found} != set()


def test_found_rows_are_violated_as_stated():
    cliques, _ = all_cliques(6, 3)
    rng = np.random.default_rng(3)
    values = rng.random(cliques.n_columns) ** 2
    pool = RowPool()
    rows = pool.add(separate(FamilyPoint(cliques, values)))
    assert np.all(pool.lacks(values)[rows] > 0.0)


def test_the_bound_in_whole_numbers_is_that_in_floats():
    cliques, _ = all_cliques(5, 2)
    rng = np.random.default_rng(1)
    pool = RowPool()
    pool.add(first_rows(cliques) + separate(FamilyPoint(cliques, rng.random(cliques.n_columns))))
    costs = Costs(cliques.lists, rng.exponential(10.0, cliques.n_sets), 50.0)
    limits = Ranges.without(np.zeros(cliques.n_columns, dtype=np.bool_))
    limits.lower[cliques.first_pair], limits.upper[cliques.first_pair + 1] = 1, 0
    limits.upper[1] = 0
    for _ in range(20):
        multipliers = rng.normal(0.0, 3.0, len(pool))
        used = np.where(pool.are_equations, multipliers, np.maximum(0.0, multipliers))
        prices = pool.cuts.weights * np.repeat(used, np.diff(pool.cuts.offsets))
        reduced = -np.bincount(pool.cuts.sets, prices, minlength=cliques.n_columns)
        reduced[: cliques.n_sets] += np.minimum(costs.in_nats, 50.0)
        reduced[1] = np.inf
        least = np.minimum.reduceat(reduced[: cliques.n_sets], cliques.lists.set_offsets[:-1]).sum()
        groups = reduced[cliques.n_sets :]
        taken = np.where(
            groups > 0.0, groups * limits.lower[cliques.n_sets :], groups * limits.upper[cliques.n_sets :]
        )
        bound = safe_bound(pool, multipliers, costs, limits)
        assert costs.nats(bound.units) == pytest.approx(used @ pool.cuts.demands + least + taken.sum(), abs=1e-9)
    assert safe_bound(pool, np.full(len(pool), 1e30), costs, limits) is None
