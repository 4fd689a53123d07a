"""Acyclic selection along an order against its definition, also in slices."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.orders import acyclic_selection, descendants_of, is_acyclic, lists_of

from stages.graphs import random_topological_order
from stages.kernels.bits import empty_bit_matrix, has_bit
from stages.kernels.orders.acyclic_selection import best_swap, first_acyclic, select_slice, swap_selection
from stages.lists.set_lists import fixed_parents, lists_in


@pytest.mark.parametrize("budget", [1, 10**9])
@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_selection_is_as_defined(seed, budget):
    n = 9
    table = random_table(seed, n, n_sets=20, ties=seed % 2 == 0)
    lists, order = lists_in(table), np.random.default_rng(seed).permutation(n).astype(np.int32)
    chosen = np.full(n, -1, dtype=np.int64)
    family = (np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), lists.parents)
    descendants, stack = empty_bit_matrix(n, n), np.empty(n, dtype=np.int32)
    position, calls = n - 1, 0
    while position >= 0:
        position, _ = select_slice(lists, order, chosen, family, descendants, stack, position, budget)
        calls += 1
    assert calls == (n if budget == 1 else 1)
    _, parents = acyclic_selection(lists_of(table), order.tolist())
    assert {c: frozenset(table.parent_set(int(s))) for c, s in enumerate(chosen)} == parents
    for v in range(n):
        assert {w for w in range(n) if has_bit(descendants[v], w)} == descendants_of(v, parents)
        first, stop = lists.set_offsets[v], lists.set_offsets[v + 1]
        fitting = [s for s in range(first, stop) if not descendants_of(v, parents) & {*table.parent_set(s)}]
        assert first_acyclic(lists, first, stop, descendants[v]) == (fitting[0] if fitting else -1)


def naive_swap(families, parents, order, i):
    """Gain and choices of an exchange: the two lose their parents and choose anew, the one now later first."""
    later, earlier = order[i], order[i + 1]
    network = {**parents, later: frozenset(), earlier: frozenset()}
    gain = 0.0
    for child in (later, earlier):
        forbidden = descendants_of(child, network)
        fitting = [(score, family) for score, family in families[child] if not forbidden & family]
        if not fitting:
            return -np.inf, None
        gain += fitting[0][0] - {f: s for s, f in families[child]}[parents[child]]
        network[child] = fitting[0][1]
    return gain, (network[later], network[earlier])


@pytest.mark.parametrize("seed", seeds(20, quick=3))
def test_swaps_are_as_defined(seed):
    n = 8
    table = random_table(seed, n, n_sets=20, ties=seed % 2 == 0, n_fixed=seed % 3)
    lists, naive = lists_in(table), lists_of(table)
    rng = np.random.default_rng(seed)
    _, parents = acyclic_selection(naive, rng.permutation(n).tolist(), fixed_parents(table))
    families = {c: [(score, frozenset(family)) for score, family in naive[c]] for c in range(n)}
    chosen = np.array(
        [
            next(
                s
                for s in range(table.set_offsets[c], table.set_offsets[c + 1])
                if frozenset(table.parent_set(s)) == parents[c]
            )
            for c in range(n)
        ]
    )
    order = random_topological_order([sorted(parents[c]) for c in range(n)], rng)
    gains = []
    for i in range(n - 1):
        gain, *sets = swap_selection(lists, order, chosen, np.empty(n, dtype=np.uint8), i)
        expected, choices = naive_swap(families, parents, order.tolist(), i)
        assert gain == pytest.approx(expected, abs=1e-9)
        if choices is not None:
            assert tuple(frozenset(table.parent_set(s)) for s in sets) == choices
            after = {**parents, order[i]: choices[0], order[i + 1]: choices[1]}
            assert is_acyclic(after)
        gains.append(gain)
    found = best_swap(lists, order, chosen, np.empty(n, dtype=np.uint8), 0, n - 1, 0.0, -1)
    best = max(gains)
    assert found == ((best, gains.index(best)) if best > 0 else (0.0, -1))
