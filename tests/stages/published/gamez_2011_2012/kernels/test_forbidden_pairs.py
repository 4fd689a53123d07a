"""What constrained climbing tests, forbids and reopens, against sets."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize import climbing as naive

from stages.kernels.bits import empty_bit_matrix, has_bit, set_bit
from stages.kernels.climbing.moves import STALE, insert_arc, new_climb_state
from stages.published.gamez_2011_2012.kernels.forbidden_pairs import (
    can_gain_arc,
    forbid_pairs,
    list_neighbours,
    list_tested,
    list_unsupported,
    list_untested,
    release_pairs,
    unlist_pairs,
)

N = 8


class Model:
    """A random acyclic graph with forbidden pairs, held by the kernels and in plain sets."""

    def __init__(self, seed, max_parents=3):
        self.rng, self.max_parents = np.random.default_rng(seed), max_parents
        everyone = empty_bit_matrix(N, N)
        for v in range(N):
            for p in set(range(N)) - {v}:
                set_bit(everyone[v], p)
        self.state = new_climb_state(everyone, empty_bit_matrix(N, N), np.arange(N))
        self.bits = empty_bit_matrix(N, N)
        self.state.removal_gains[:] = -1.0
        self.graph, self.shut = [set() for _ in range(N)], [set() for _ in range(N)]
        hidden = self.rng.permutation(N).tolist()
        for i, child in enumerate(hidden):
            for p in self.rng.permutation(hidden[:i])[:max_parents].tolist():
                if self.rng.random() < 0.5:
                    insert_arc(self.state, child, p)
                    self.graph[child].add(p)
        for a, b in self.rng.integers(0, N, (4, 2)).tolist():
            if a != b:
                self.forbid(a, [b])

    def forbid(self, child, others):
        forbid_pairs(self.bits, child, np.array(others, dtype=np.int32))
        for other in others:
            self.shut[child].add(other)
            self.shut[other].add(child)

    def kernel_shut(self):
        return [{p for p in range(N) if has_bit(self.bits[v], p)} for v in range(N)]

    def untested(self, child):
        """The parents that `list_untested` writes."""
        out = np.empty(N, dtype=np.int32)
        return out[: list_untested(self.state, self.bits, child, self.max_parents, out)].tolist()

    def listed(self, child):
        """The listed parents of a child with their gains."""
        k = self.state.n_candidates[child]
        return dict(zip(self.state.candidates[child, :k].tolist(), self.state.gains[child, :k].tolist()))

    def gainable(self, child):
        """Parents that some move could bring to `child` now: by addition, or by turning an arc around."""
        moves = naive.neighbours(self.graph, self.max_parents)
        added = {p for kind, c, p in moves if kind == "add" and c == child}
        turned = {c for kind, c, p in moves if kind == "reverse" and p == child}
        return added | turned


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_untested_parents_are_what_a_move_could_bring_and_no_list_has(seed):
    model = Model(seed)
    for child in range(N):
        gainable = model.gainable(child)
        able = {p for p in range(N) if p != child and can_gain_arc(model.state, child, p, model.max_parents)}
        assert able - model.graph[child] == gainable
        expected = sorted(gainable - model.shut[child])
        assert model.untested(child) == expected
        # In two parts, so that the second is inserted among the first.
        gains = model.rng.integers(-2, 3, len(expected)).astype(np.float64)
        for part in (slice(0, None, 2), slice(1, None, 2)):
            list_tested(model.state, child, np.array(expected[part], dtype=np.int32), gains[part].copy())
        kept = {p: gain for p, gain in zip(expected, gains.tolist()) if gain >= 0}
        assert model.listed(child) == kept and list(model.listed(child)) == sorted(kept)
        assert model.untested(child) == sorted(set(expected) - set(kept))


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_forbidden_pairs_are_taken_from_both_lists(seed):
    model = Model(seed)
    for child in range(N):
        parents = np.array(model.untested(child), dtype=np.int32)
        list_tested(model.state, child, parents, np.arange(len(parents), dtype=np.float64))
    before = [model.listed(v) for v in range(N)]
    model.state.best_kind[:] = 0
    model.forbid(2, [0, 3, 7])
    assert model.kernel_shut() == model.shut and [model.listed(v) for v in range(N)] == before
    unlist_pairs(model.state, 2, np.array([0, 3, 7], dtype=np.int32))
    lost = {v for other in (0, 3, 7) for v in (2, other) if other in before[2] or 2 in before[other]}
    assert set(np.flatnonzero(model.state.best_kind == STALE)) == lost
    for v in range(N):
        gone = {0, 3, 7} if v == 2 else {2} if v in (0, 3, 7) else set()
        assert model.listed(v) == {p: gain for p, gain in before[v].items() if p not in gone}


def test_arcs_whose_removal_gains_are_found_unless_required():
    model = Model(1)
    child = max(range(N), key=lambda v: len(model.graph[v]))
    parents, out = sorted(model.graph[child]), np.empty(N, dtype=np.int32)
    assert len(parents) == 3 and list_unsupported(model.state, child, out) == 0
    model.state.removal_gains[child, :3] = (1.0, 0.0, 2.0)
    assert out[: list_unsupported(model.state, child, out)].tolist() == [parents[0], parents[2]]
    set_bit(model.state.fixed[child], parents[0])
    assert out[: list_unsupported(model.state, child, out)].tolist() == [parents[2]]


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_linked_pairs_reopen_what_is_next_to_them(seed):
    model, out = Model(seed), np.empty(N, dtype=np.int32)
    for child in range(N):
        parents = np.array(model.untested(child), dtype=np.int32)
        list_tested(model.state, child, parents, np.ones(len(parents)))
        found = out[: list_neighbours(model.state, child, out)].tolist()
        assert sorted(found) == sorted(naive.linked_to(model.graph, child))
    moves = [move for move in naive.neighbours(model.graph, model.max_parents) if move[0] == "add"]
    _, child, parent = moves[int(model.rng.integers(len(moves)))]
    insert_arc(model.state, child, parent)
    model.graph = naive.apply_move(model.graph, "add", child, parent)
    before = [set(p) for p in model.shut]
    touched = np.zeros(N, dtype=np.bool_)
    release_pairs(model.state, model.bits, child, parent, touched)
    naive.release(model.shut, model.graph, child, parent)
    assert model.kernel_shut() == model.shut
    assert {v for v in range(N) if before[v] != model.shut[v]} <= set(np.flatnonzero(touched))
