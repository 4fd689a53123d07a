"""Lists of possible new parents, against sets."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds

from stages.kernels.bits import empty_bit_matrix, set_bit
from stages.kernels.climbing.addable_parents import list_partners, list_permitted, replace_candidates, spread_gains
from stages.kernels.climbing.moves import STALE, insert_arc, new_climb_state


def random_state(seed, n):
    """A climbing state over a random acyclic graph, and in plain sets: (state, parents, permitted)."""
    rng = np.random.default_rng(seed)
    permitted = [{p for p in range(n) if p != v and rng.random() < 0.7} for v in range(n)]
    bits = empty_bit_matrix(n, n)
    for v in range(n):
        for p in permitted[v]:
            set_bit(bits[v], p)
    state = new_climb_state(bits, empty_bit_matrix(n, n), np.arange(n))
    state.best_kind[:] = STALE
    hidden, parents = rng.permutation(n).tolist(), [set() for _ in range(n)]
    for i, child in enumerate(hidden):
        for p in hidden[:i]:
            if p in permitted[child] and rng.random() < 0.3:
                insert_arc(state, child, p)
                parents[child].add(p)
    return state, parents, permitted


@pytest.mark.parametrize("n", [5, 70])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_lists_are_as_defined(seed, n):
    state, parents, permitted = random_state(seed, n)
    out = np.empty(n, dtype=np.int32)
    for v in range(n):
        found = out[: list_permitted(state, v, out)].tolist()
        assert found == sorted(permitted[v] - parents[v])
        found = out[: list_partners(state, v, out)].tolist()
        assert found == [u for u in range(v + 1, n) if u in permitted[v] or v in permitted[u]]


@pytest.mark.parametrize("keeps_all", [False, True])
def test_gains_of_pairs_are_spread_to_both_directions(keeps_all):
    n, rng = 7, np.random.default_rng(1)
    state, _, permitted = random_state(2, n)
    expected, out = [{} for _ in range(n)], np.empty(n, dtype=np.int32)
    for child in range(n):
        partners = out[: list_partners(state, child, out)].copy()
        gains = rng.integers(-2, 3, len(partners)).astype(np.float64)
        spread_gains(state, child, partners, gains, keeps_all)
        for partner, gain in zip(partners.tolist(), gains.tolist()):
            if keeps_all or gain >= 0:
                for a, b in ((child, partner), (partner, child)):
                    if b in permitted[a]:
                        expected[a][b] = gain
    for v in range(n):
        k = state.n_candidates[v]
        assert state.candidates[v, :k].tolist() == sorted(expected[v])
        assert dict(zip(state.candidates[v, :k].tolist(), state.gains[v, :k].tolist())) == expected[v]


@pytest.mark.parametrize("keeps_all", [False, True])
def test_replaced_lists_make_the_best_moves_of_child_and_children_stale(keeps_all):
    state, parents, _ = random_state(3, 8)
    state.best_kind[:] = 0
    child = max(range(8), key=lambda v: sum(v in p for p in parents))
    candidates, gains = np.array([0, 2, 5], dtype=np.int32), np.array([1.0, -1.0, 0.5])
    replace_candidates(state, child, candidates, gains, keeps_all)
    kept = [0, 2, 5] if keeps_all else [0, 5]
    assert state.candidates[child, : state.n_candidates[child]].tolist() == kept
    stale = {v for v in range(8) if v == child or child in parents[v]}
    assert set(np.flatnonzero(state.best_kind == STALE)) == stale
