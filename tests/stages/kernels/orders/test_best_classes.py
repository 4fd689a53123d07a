"""The kernels of the best classes against their definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of

from stages.kernels.orders.best_classes import (
    BestClasses,
    ClassKeys,
    complete_totals,
    extend_classes,
    family_key,
    insert_class,
)
from stages.kernels.orders.subset_dp import best_within_subsets
from stages.lists.set_lists import index_table


def tables_of(n, table):
    lists, best = index_table(table), np.empty((n, 1 << (n - 1)), dtype=np.int32)
    for child in range(n):
        best_within_subsets(lists, child, best[child])
    return lists, best


def made(n_subsets, most, n):
    return BestClasses(
        counts=np.zeros(n_subsets, dtype=np.int64),
        totals=np.zeros((n_subsets, most)),
        keys=np.zeros((n_subsets, most), dtype=np.uint64),
        families=np.full((n_subsets, most, n), -1, dtype=np.int32),
    )


def keys_of(n, seed=0):
    numbers = np.random.default_rng(seed).integers(0, 2**64, size=(n + 1, n, n), dtype=np.uint64)
    arcs = np.tril(numbers[n], -1)
    return ClassKeys(arcs=np.ascontiguousarray(arcs + arcs.T), colliders=np.ascontiguousarray(numbers[:n]))


def masks_of(lists):
    ends = zip(lists.parent_offsets[:-1], lists.parent_offsets[1:])
    return np.array([sum(1 << int(p) for p in lists.parents[a:b]) for a, b in ends], dtype=np.int64)


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_completions(seed):
    n = 4
    table = random_table(seed, n, n_sets=6, n_fixed=seed % 2)
    lists, best = tables_of(n, table)
    rests = np.zeros(1 << n)
    for start in range(12, -1, -3):
        complete_totals(lists.scores, best, rests, start, min(start + 3, (1 << n) - 1))
    sets = lists_of(table)
    for mask in range(1 << n):
        outside = [v for v in range(n) if not mask >> v & 1]
        expected = -np.inf
        for order in itertools.permutations(outside):
            within, total = {v for v in range(n) if mask >> v & 1}, 0.0
            for v in order:
                total += max((s for s, members in sets[v] if set(members) <= within), default=-np.inf)
                within.add(v)
            expected = max(expected, total)
        assert rests[mask] == pytest.approx(expected)


def test_a_family_adds_its_pairs_and_colliders():
    n = 4
    keys = keys_of(n)
    set_masks = np.array([0, 0b0001, 0b0011], dtype=np.int64)
    families = np.array([0, 0, 1, -1], dtype=np.int32)  # 0 and 1 without parents, 0 -> 2
    found = family_key(keys, set_masks, families, 3, 0b0111)
    pairs = [keys.arcs[3, p] for p in (0, 1, 2)]
    # Of the pairs among 0, 1, 2 only 0 and 2 are adjacent.
    expected = sum(map(int, [*pairs, keys.colliders[3, 0, 1], keys.colliders[3, 1, 2]])) % 2**64
    assert int(found) == expected


def test_insertion_keeps_the_best_network_of_each_class():
    found, kept, rng = made(1, 3, 2), {}, np.random.default_rng(1)
    for step in range(200):
        key, total = int(rng.integers(5)), float(rng.integers(100))
        families = np.array([step, -1], dtype=np.int32)
        insert_class(found, 0, total, np.uint64(key), families, 1, step)
        kept[key] = max(kept.get(key, -1.0), total)
        count = int(found.counts[0])
        totals = sorted(kept.values(), reverse=True)[:3]
        assert found.totals[0, :count].tolist() == totals
        assert all(kept[int(k)] == t for k, t in zip(found.keys[0, :count], totals))
        assert (found.families[0, :count, 0] == found.families[0, :count, 1]).all()


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_one_more_variable(seed):
    n, most = 3, 50
    table = random_table(seed, n, n_sets=4)
    lists, best = tables_of(n, table)
    rests = np.zeros(1 << n)
    complete_totals(lists.scores, best, rests, 0, (1 << n) - 1)
    keys, set_masks = keys_of(n), masks_of(lists)
    before, places = made(1, most, n), np.full(1 << n, -1, dtype=np.int32)
    before.counts[0], places[0] = 1, 0
    for size in range(1, n + 1):
        subsets = np.array([m for m in range(1 << n) if m.bit_count() == size], dtype=np.int64)
        found = made(len(subsets), most, n)
        rules = lists, set_masks, lists.scores, best, rests, -np.inf, keys
        extend_classes(*rules, places, before, subsets, 0, len(subsets), found)
        for row, mask in enumerate(subsets.tolist()):
            count = int(found.counts[row])
            assert count == len(set(found.keys[row, :count].tolist()))
            for total, families in zip(found.totals[row, :count], found.families[row, :count].tolist()):
                assert [v for v in range(n) if families[v] >= 0] == [v for v in range(n) if mask >> v & 1]
                assert total == pytest.approx(sum(lists.scores[s] for s in families if s >= 0))
        places[:] = -1
        places[subsets] = np.arange(len(subsets))
        before = found
