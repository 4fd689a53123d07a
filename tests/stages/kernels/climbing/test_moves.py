"""The choice of moves: after any moves, the best one is found although most children are not looked at again."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize import climbing as naive

from stages.kernels.climbing.addable_parents import replace_candidates
from stages.kernels.climbing.moves import (
    ADD,
    KIND,
    NO_MOVE,
    REMOVE,
    REVERSE,
    STALE,
    Limits,
    apply_move,
    choose_move,
    insert_arc,
    mark_stale,
    new_climb_state,
    with_wider_rows,
)

KINDS = {ADD: "add", REMOVE: "remove", REVERSE: "reverse"}


class Model:
    """A graph with gains drawn at random, held by the kernels and in plain sets."""

    def __init__(self, n: int, max_parents: int, seed: int):
        self.rng = np.random.default_rng(seed)
        self.n, self.max_parents = n, max_parents
        self.graph = [set() for _ in range(n)]
        self.gains: dict[tuple[int, int], float] = {}
        self.removal_gains: dict[tuple[int, int], float] = {}
        everyone = np.full((n, 1), (1 << n) - 1, dtype=np.uint64)
        self.state = new_climb_state(everyone, np.zeros((n, 1), dtype=np.uint64), self.rng.permutation(n))
        self.state.best_kind[:] = STALE
        for child in range(n):
            self.rescore(child)

    def draw(self) -> float:
        """A gain; few values, so that ties are frequent."""
        return float(self.rng.integers(-4, 6))

    def rescore(self, child: int) -> None:
        """New gains for a child whose parents have changed."""
        others = [v for v in range(self.n) if v != child and v not in self.graph[child]]
        gains = [self.draw() for _ in others]
        self.gains |= {(child, v): g for v, g in zip(others, gains)}
        replace_candidates(self.state, child, np.array(others, dtype=np.int32), np.array(gains), True)
        for k, parent in enumerate(sorted(self.graph[child])):
            self.removal_gains[child, parent] = self.state.removal_gains[child, k] = self.draw()
        mark_stale(self.state, child)

    def gain_of(self, kind: str, child: int, parent: int) -> float:
        """Gain of a move of a child."""
        if kind == "add":
            return self.gains[child, parent]
        if kind == "remove":
            return self.removal_gains[child, parent]
        return self.removal_gains[child, parent] + self.gains[parent, child]

    def best(self, floor: float, tabu: list[set[int]], aspiration: float):
        """The best move from the definition, or None."""
        ranks = np.argsort(self.state.order).tolist()
        options = []
        for move in naive.neighbours(self.graph, self.max_parents):
            gain = self.gain_of(*move)
            if gain > floor and ({*move[1:]} not in tabu or gain > aspiration):
                options.append((-gain, *naive.preference(move, ranks), move))
        return min(options)[-1] if options else None

    def apply(self, kind: int, child: int, parent: int) -> None:
        """Make a move and draw new gains for the children it changes."""
        apply_move(self.state, np.array([kind, child, parent]))
        self.graph = naive.apply_move(self.graph, KINDS[kind], child, parent)
        for v in (child, parent) if kind == REVERSE else (child,):
            self.rescore(v)


def test_reversal_opens_when_the_other_path_is_cut():
    model = Model(5, 4, 0)
    model.draw = lambda: -1.0
    for child, parent in ((3, 0), (1, 0), (2, 1), (4, 2), (3, 4)):
        model.apply(ADD, child, parent)
    # Turning 0 -> 3 would gain, but 0 -> 1 -> 2 -> 4 -> 3 would become a cycle.
    model.state.removal_gains[3, 0] = model.removal_gains[3, 0] = 5.0
    limits = Limits(max_parents=4, floor=5.0, tabu=np.empty((0, 2), dtype=np.int64), aspiration=0.0)
    model.state.gains[0, list(model.state.candidates[0]).index(3)] = 2.0
    mark_stale(model.state, 0)
    mark_stale(model.state, 3)
    move = np.empty(3, dtype=np.int64)
    assert choose_move(model.state, limits, move) == -math.inf
    model.apply(REMOVE, 2, 1)
    assert choose_move(model.state, limits, move) == 7.0
    assert move.tolist() == [REVERSE, 3, 0]


@given(st.integers(0, 10**6), st.integers(3, 9), st.integers(1, 4), st.booleans())
def test_best_move_after_any_moves(seed, n, max_parents, uses_tabu):
    model = Model(n, max_parents, seed)
    recent: list[set[int]] = []
    codes = {name: code for code, name in KINDS.items()}
    for step in range(40):
        floor = -math.inf if uses_tabu else 0.0
        aspiration = float(model.rng.integers(0, 12))
        tabu = recent[-3:] if uses_tabu else []
        pairs = np.array([sorted(pair) for pair in tabu], dtype=np.int64).reshape(-1, 2)
        move = np.empty(3, dtype=np.int64)
        limits = Limits(max_parents=max_parents, floor=floor, tabu=pairs, aspiration=aspiration)
        gain = choose_move(model.state, limits, move)
        expected = model.best(floor, tabu, aspiration)
        if expected is None:
            assert move[KIND] == NO_MOVE and gain == -math.inf
        else:
            kind, child, parent = move.tolist()
            assert (KINDS[kind], child, parent) == expected
            assert gain == model.gain_of(*expected)
        # Mostly another move than the best one, so that removals and reversals are frequent.
        moves = naive.neighbours(model.graph, max_parents)
        taken = expected if expected and step % 3 == 0 else moves[int(model.rng.integers(len(moves)))]
        model.apply(codes[taken[0]], *taken[1:])
        recent.append({*taken[1:]})


def test_lists_are_kept_when_they_get_room():
    bits = np.zeros((5, 1), dtype=np.uint64)
    state = new_climb_state(bits, bits, np.arange(5), most_listed=2, most_parents=1)
    insert_arc(state, 3, 1)
    state.removal_gains[3, 0] = -2.0
    state.n_candidates[:] = (0, 1, 0, 0, 2)
    state.candidates[1, 0], state.gains[1, 0] = 4, 0.5
    state.candidates[4], state.gains[4] = (0, 2), (3.0, 1.0)
    assert with_wider_rows(state, 2, 1) is state
    wider = with_wider_rows(state, 3, 2)
    assert wider.candidates.shape == wider.gains.shape == (5, 4)  # twice as many at least
    assert wider.arcs.shape == wider.removal_gains.shape == (5, 2)
    assert wider.candidates[4].tolist() == [0, 2, 0, 0] and wider.gains[4].tolist() == [3.0, 1.0, 0.0, 0.0]
    assert (wider.candidates[1, 0], wider.gains[1, 0]) == (4, 0.5)
    insert_arc(wider, 3, 0)
    assert wider.arcs[3].tolist() == [0, 1] and wider.removal_gains[3, 0] == -2.0
    assert with_wider_rows(wider, 5, 9).arcs.shape == (5, 5)  # all variables at most
