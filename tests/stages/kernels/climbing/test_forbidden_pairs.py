"""What constrained climbing tests, forbids and reopens, against sets."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive import climbing as naive

from stages.kernels.bits import empty_bit_matrix, has_bit, set_bit
from stages.kernels.climbing.addable_parents import shut_pair
from stages.kernels.climbing.forbidden_pairs import list_neighbours, next_untested, release_pairs, relist, take_gains
from stages.kernels.climbing.moves import STALE, insert_arc, new_climb_state


class Model:
    """A random acyclic graph with forbidden pairs, held by the kernels and in plain sets."""

    def __init__(self, seed, n=8, max_parents=3):
        self.rng, self.n, self.max_parents = np.random.default_rng(seed), n, max_parents
        everyone = empty_bit_matrix(n, n)
        for v in range(n):
            for p in set(range(n)) - {v}:
                set_bit(everyone[v], p)
        self.state = new_climb_state(everyone, empty_bit_matrix(n, n), np.arange(n))
        self.state.best_kind[:] = STALE
        self.state.removal_gains[:] = -1.0
        self.graph, self.shut = [set() for _ in range(n)], [set() for _ in range(n)]
        hidden = self.rng.permutation(n).tolist()
        for i, child in enumerate(hidden):
            for p in self.rng.permutation(hidden[:i])[:max_parents].tolist():
                if self.rng.random() < 0.5:
                    insert_arc(self.state, child, p)
                    self.graph[child].add(p)
        for a, b in self.rng.integers(0, n, (4, 2)).tolist():
            if a != b:
                shut_pair(self.state, a, b)
                self.shut[a].add(b)
                self.shut[b].add(a)

    def kernel_shut(self):
        return [{p for p in range(self.n) if has_bit(self.state.shut[v], p)} for v in range(self.n)]

    def gainable(self, child):
        """Parents that some move could bring to `child` now: by addition, or by turning an arc around."""
        moves = naive.neighbours(self.graph, self.max_parents)
        added = {p for kind, c, p in moves if kind == "add" and c == child}
        turned = {c for kind, c, p in moves if kind == "reverse" and p == child}
        return (added | turned) - self.shut[child]


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_relisted_children_test_what_a_move_could_bring(seed):
    model = Model(seed)
    out = np.empty(model.n, dtype=np.int32)
    for child in range(model.n):
        n = relist(model.state, child, model.max_parents, out)
        assert out[:n].tolist() == sorted(model.gainable(child))
        listed = model.state.candidates[child, : model.state.n_candidates[child]].tolist()
        assert listed == sorted(set(range(model.n)) - {child} - model.graph[child] - model.shut[child])


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_gains_forbid_the_pairs_they_speak_against(seed):
    model, out = Model(seed), np.empty(8, dtype=np.int32)
    for child in range(model.n):
        n = relist(model.state, child, model.max_parents, out)
        tested = out[:n].copy()
        gains = model.rng.integers(-2, 3, n).astype(np.float64)
        for k, parent in enumerate(sorted(model.graph[child])):
            removal = float(model.rng.integers(-1, 2))
            model.state.removal_gains[child, k] = removal
            if removal > 0.0:
                model.shut[child].add(parent)
                model.shut[parent].add(child)
        for parent, gain in zip(tested.tolist(), gains.tolist()):
            if gain < 0.0:
                model.shut[child].add(parent)
                model.shut[parent].add(child)
        take_gains(model.state, child, tested, gains, model.max_parents)
        assert model.kernel_shut() == model.shut


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_linked_pairs_reopen_what_is_next_to_them(seed):
    """As FastCHC defines it; children whose lists changed are tested one after the other."""
    model, out = Model(seed), np.empty(8, dtype=np.int32)
    for child in range(model.n):
        n = relist(model.state, child, model.max_parents, out)
        take_gains(model.state, child, out[:n].copy(), np.ones(n), model.max_parents)
    for v in range(model.n):
        found = out[: list_neighbours(model.state, v, out)].tolist()
        assert sorted(found) == sorted(naive.linked_to(model.graph, v))
    moves = [move for move in naive.neighbours(model.graph, model.max_parents) if move[0] == "add"]
    if not moves:
        return
    _, child, parent = moves[int(model.rng.integers(len(moves)))]
    insert_arc(model.state, child, parent)
    model.graph = naive.apply_move(model.graph, "add", child, parent)
    before = [set(p) for p in model.shut]
    touched = np.zeros(model.n, dtype=np.bool_)
    release_pairs(model.state, child, parent, touched)
    naive.release(model.shut, model.graph, child, parent)
    assert model.kernel_shut() == model.shut
    changed = {v for v in range(model.n) if before[v] != model.shut[v]}
    assert changed <= set(np.flatnonzero(touched))
    start, visited = 0, []
    while True:
        v, n = next_untested(model.state, touched, start, model.max_parents, out)
        if n == 0:
            break
        assert touched[v] and set(out[:n].tolist()) <= model.gainable(v)
        visited.append(v)
        start = v + 1
    assert visited == sorted(visited) and (v, n) == (-1, 0)
