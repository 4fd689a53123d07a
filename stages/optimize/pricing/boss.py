"""Best moves: one variable after the other moves to the best slot of an order, sets grown on demand (BOSS).

The best order score search of Andrews et al. (2023). A search among lists knows only the sets grown for other orders;
here every order is scored by sets grown and shrunk within it. So it finds good orders in basins where the lists have
few sets, and adds all sets met to the lists. Growth is kept in trees (`stages.kernels.orders.grow_shrink_trees`), so
that most moves compute no score. A gain was seen on samples of networks (win95pts, andes) and on 60 ternary columns;
on plants and accidents it is within the spread of seeds in 10 s (examples/measured/ablation.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle

import numpy as np

from stages.kernels.orders.grow_shrink_trees import GrowShrinkTrees, score_slots
from stages.kernels.orders.set_lists import GAIN_TOLERANCE
from stages.scoring.set_grower import SetGrower

NODE_BYTES = 250
BRANCH_BYTES = 16
"""Approximate memory of a node with its set, and of a branch."""

_NOBODY = np.empty(0, dtype=np.int32)


class KeptTrees:
    """The growth of all children's sets, computed as orders need it."""

    def __init__(self, growers: Sequence[SetGrower]):
        n = len(growers)
        self.growers = growers
        self._known_at = self._state()
        ids, scores, variables = np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int32)
        self._trees = GrowShrinkTrees(first=ids, last=ids, score=scores, variable=variables, target=ids)
        self._owner = ids  # the node of every branch
        self._n_branches = 0
        self._reserve(2 * n, 16 * n)
        self._nodes = [(child, grower.required) for child, grower in enumerate(growers)]
        self._node_of = {key: node for node, key in enumerate(self._nodes)}
        self._missing = np.empty(3 * n, dtype=np.int64)
        self._position = np.empty(n, dtype=np.int64)

    def _state(self) -> list[tuple[int, int | None]]:
        return [(grower.now.forgotten, grower.reach) for grower in self.growers]

    @property
    def is_outdated(self) -> bool:
        """Whether the growers' reach has changed, or they have dropped their sets."""
        return self._known_at != self._state()

    @property
    def bytes(self) -> int:
        """Approximate memory."""
        return NODE_BYTES * len(self._nodes) + BRANCH_BYTES * self._n_branches

    def score_slots(self, moved: int, others: np.ndarray, is_spent: Callable[[], bool]) -> np.ndarray | None:
        """Scores of an order in nats by the slot of the variable `moved`: float64, shape (n_variables,).

        `others` are the other variables, first to last, int32. None if `is_spent`, called before each scoring,
        returns true.
        """
        scores = np.empty(len(others) + 1)
        self._position[others] = np.arange(len(others))
        while True:
            # Each pass reports the branches and scores that its walks lacked. Filling these in leads the next pass
            # further, until nothing is missing.
            n_missing = score_slots(self._trees, others, self._position, moved, scores, self._missing)
            if n_missing == 0:
                return scores
            for entry in np.unique(self._missing[:n_missing]).tolist():
                if is_spent():
                    return None
                node = entry if entry >= 0 else self._follow(-1 - entry)
                if entry >= 0 or self._trees.first[node] < 0:
                    self._fill(node)

    def _fill(self, node: int) -> None:
        """Compute a node's branches, or the score of its shrunk set if the branches are known."""
        child, parents = self._nodes[node]
        grower = self.growers[child]
        if self._trees.first[node] >= 0:
            self._trees.score[node] = grower.score(grower.shrink(parents))
            return
        variables = grower.improving(parents)[0] if len(parents) < grower.max_parents else _NOBODY
        first, last = self._n_branches, self._n_branches + len(variables)
        self._reserve(len(self._nodes), last)
        self._trees.variable[first:last] = variables
        self._owner[first:last] = node
        self._trees.first[node], self._trees.last[node] = first, last
        self._n_branches = last

    def _follow(self, branch: int) -> int:
        """The node that a branch leads to; it is created if necessary."""
        child, parents = self._nodes[int(self._owner[branch])]
        larger = tuple(sorted((*parents, int(self._trees.variable[branch]))))
        self.growers[child].score(larger)
        node = self._node_of.setdefault((child, larger), len(self._nodes))
        if node == len(self._nodes):
            self._nodes.append((child, larger))
            self._reserve(len(self._nodes), self._n_branches)
        self._trees.target[branch] = node
        return node

    def _reserve(self, n_nodes: int, n_branches: int) -> None:
        """Enlarge the arrays to at least these numbers of entries."""
        trees = self._trees
        self._trees = GrowShrinkTrees(
            first=_extended(trees.first, n_nodes, -1),
            last=_extended(trees.last, n_nodes, -1),
            score=_extended(trees.score, n_nodes, np.nan),
            variable=_extended(trees.variable, n_branches, -1),
            target=_extended(trees.target, n_branches, -1),
        )
        self._owner = _extended(self._owner, n_branches, -1)


def _extended(array: np.ndarray, size: int, value: float) -> np.ndarray:
    """`array` if it has at least `size` entries, else a copy of at least twice the length: enlarging takes amortised
    constant time.
    """
    return array if size <= len(array) else np.append(array, np.full(size, value, dtype=array.dtype))


def climb_order(
    trees: KeptTrees,
    order: np.ndarray,
    rng: np.random.Generator,
    is_spent: Callable[[], bool],
    report: Callable[[float], None],
) -> np.ndarray:
    """Move one variable after the other to its best slot until no move gains.

    In `order` (int32, shape (n_variables,)) required parents come before their children; this also holds for the
    result. `rng` draws the sequence in which variables move. The climb ends when `is_spent` returns true. `report`
    receives the score after every move, in nats: the score of the network that grows and shrinks within the order.
    """
    n = len(order)
    required = [grower.required for grower in trees.growers]
    requiring: list[list[int]] = [[] for _ in required]
    for child, parents in enumerate(required):
        for parent in parents:
            requiring[parent].append(child)
    idle = 0  # variables in a row that did not move
    for moved in cycle(rng.permutation(n).tolist()):
        if idle == n:
            break
        here = int(np.flatnonzero(order == moved)[0])
        others = np.delete(order, here)
        slots = trees.score_slots(moved, others, is_spent)
        if slots is None:
            break
        place = {variable: slot for slot, variable in enumerate(others.tolist())}
        # Slots after all required parents and before all children that require this variable.
        low = max((place[parent] + 1 for parent in required[moved]), default=0)
        high = min((place[child] for child in requiring[moved]), default=n - 1)
        best = low + int(np.argmax(slots[low : high + 1]))
        idle += 1
        if slots[best] > slots[here] + GAIN_TOLERANCE:
            order, idle = np.insert(others, best, moved), 0
            report(float(slots[best]))
    return order
