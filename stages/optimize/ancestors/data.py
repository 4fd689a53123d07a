"""Climbs on data under pairs of ancestors: first graphs, and moves that keep the pairs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from stages.ancestral_knowledge import Ancestors, Pair, Parents, ancestor_masks, shortest_path
from stages.kernels.bits import has_bit
from stages.kernels.climbing.moves import ADD, KIND, NO_MOVE, REVERSE, STALE, ClimbState

MOST_TRIES = 10_000
"""Paths tried before giving up."""

Graph = tuple[tuple[int, ...], ...]


def moved(parents: Parents, kind: int, child: int, parent: int) -> list[tuple[int, ...]]:
    """The graph after a move."""
    changed = [tuple(family) for family in parents]
    if kind == ADD:
        changed[child] = (*changed[child], parent)
        return changed
    changed[child] = tuple(p for p in changed[child] if p != parent)
    if kind == REVERSE:
        changed[parent] = (*changed[parent], child)
    return changed


def keeps_pairs(ancestors: Ancestors, state: ClimbState, parents: Parents, move: Sequence[int]) -> bool:
    """Whether no pair is broken after a possible move, if none is before.

    `parents` is the graph of `state`. Most moves concern no pair, which rows of bits tell: a new arc hands the
    ancestors of its tail to its head and to all descendants; without an arc only paths through it end.
    """
    kind, child, parent = move
    above = state.ancestors

    def is_above(a: int, b: int) -> bool:
        return a == b or bool(has_bit(above[b], a))

    if kind == ADD:
        return not any(is_above(a, parent) and is_above(child, b) for a, b in ancestors.forbidden)
    concerned = any(is_above(a, parent) and is_above(child, b) for a, b in ancestors.required)
    if kind == REVERSE:
        # The reversed arc may make variables above the old head ancestors of variables below the old tail.
        concerned |= any(is_above(a, child) and is_above(parent, b) for a, b in ancestors.forbidden)
    return not concerned or ancestors.agrees(moved(parents, kind, child, parent))


class BlockedMoves:
    """Moves that break a pair, taken out of a climber's lists while the best of the others is sought."""

    def __init__(self, state: ClimbState):
        self._state = state
        self._before: list[tuple[np.ndarray, tuple[int, int], float, tuple[int, ...]]] = []

    def block(self, move: np.ndarray) -> None:
        """Take a move out.

        A reversal has the gain of its removal and of its addition, which nothing else needs while the arc is there.
        A removal that breaks a required pair takes the reversal out as well, which then breaks it, too.
        """
        kind, child, parent = move.tolist()
        state = self._state
        head, tail = (parent, child) if kind == REVERSE else (child, parent)
        gains, listed = (
            (state.gains, state.candidates[head, : state.n_candidates[head]])
            if kind in (ADD, REVERSE)
            else (state.removal_gains, state.arcs[head, : state.n_parents[head]])
        )
        place = (head, int(np.searchsorted(listed, tail)))
        self._before.append((gains, place, float(gains[place]), (head, child)))
        gains[place] = -np.inf
        state.best_kind[[head, child]] = STALE

    def release(self) -> None:
        """Put all moves back."""
        for gains, place, gain, variables in reversed(self._before):
            gains[place] = gain
            self._state.best_kind[list(variables)] = STALE
        self._before.clear()


def choose_kept(
    choose: Callable[[np.ndarray], object],
    ancestors: Ancestors,
    state: ClimbState,
    parents: Parents,
    move: np.ndarray,
) -> None:
    """Find the best move that keeps all pairs: `choose` finds the best move of a state, as `choose_move` does."""
    blocked = BlockedMoves(state)
    while True:
        choose(move)
        if move[KIND] == NO_MOVE or keeps_pairs(ancestors, state, parents, move.tolist()):
            break
        blocked.block(move)
    blocked.release()


class PossibleArcs(NamedTuple):
    """The possible parents of each child, and their largest number."""

    parents_of: Callable[[int], list[int]]
    max_parents: int


def without_paths(parents: Parents, ancestors: Ancestors, fixed: Collection[Pair]) -> Graph | None:
    """A graph without the paths of forbidden pairs: an arc of each is removed, but none of those `fixed`, as
    (parent, child); None if one cannot be.
    """
    graph = [tuple(family) for family in parents]
    forbidden = Ancestors(forbidden=ancestors.forbidden)
    while broken := forbidden.violations(graph):
        path = shortest_path(graph, *broken[0].pair)
        free = [arc for arc in itertools.pairwise(path) if arc not in fixed]
        if not free:
            return None
        tail, head = free[-1]
        graph[head] = tuple(p for p in graph[head] if p != tail)
    return tuple(graph)


def with_paths(parents: Parents, ancestors: Ancestors, arcs: PossibleArcs) -> tuple[Graph | None, Pair]:
    """A graph with paths for all required pairs, made from one that breaks no forbidden pair.

    In its place None and the pair for which no path was found. Forbidden are all pairs that follow.
    """
    graph: Parents = parents
    for pair in ancestors.required:
        if ancestors_of(graph, pair[1]) >> pair[0] & 1:
            continue
        found = next(_joined(graph, pair, ancestors, arcs), None)
        if found is None:
            return None, pair
        graph = found
    return tuple(tuple(sorted(family)) for family in graph), (0, 0)


def ancestors_of(parents: Parents, variable: int) -> int:
    """Bits of the ancestors of a variable, and its own."""
    above = ancestor_masks(parents)
    assert above is not None
    return above[variable]


def _joined(graph: Parents, pair: Pair, ancestors: Ancestors, arcs: PossibleArcs) -> Iterator[list[tuple[int, ...]]]:
    """Graphs with a further path for a pair, the shortest paths first; at most `MOST_TRIES` are tried."""
    first, last = pair
    forbidden = Ancestors(forbidden=ancestors.forbidden)
    waiting = [[last]]
    for tries, path in enumerate(waiting):  # grows while it is read: breadth first, against the arcs
        if tries > MOST_TRIES:
            return
        possible = set(arcs.parents_of(path[0])).difference(path)
        if first in possible:
            whole = _with_path(graph, [first, *path], arcs.max_parents)
            if whole is not None and forbidden.agrees(whole):
                yield whole
        if len(waiting) < MOST_TRIES:
            waiting += [[v, *path] for v in sorted(possible - {first})]


def _with_path(graph: Parents, path: list[int], max_parents: int) -> list[tuple[int, ...]] | None:
    """A graph with the arcs of a path; None if a variable had too many parents."""
    changed = [tuple(family) for family in graph]
    for tail, head in itertools.pairwise(path):
        if tail not in changed[head]:
            changed[head] = (*changed[head], tail)
            if len(changed[head]) > max_parents:
                return None
    return changed
