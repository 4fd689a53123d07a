"""Best moves: one variable after the other goes to the best slot of an order, its sets grown on demand (BOSS).

A search among lists sees what was grown for other orders; here every order is judged by the sets that grow and
shrink within it. That finds a good order in basins where the lists are thin, and leaves all sets that were met to the
lists. Growth is kept in trees (`stages.kernels.orders.grow_shrink_trees`), so that mostly no score is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from .visits import TOLERANCE

if TYPE_CHECKING:
    from stages.scoring.set_grower import SetGrower

NODE_BYTES = 250
BRANCH_BYTES = 16
"""Memory of a node with its set, about, and of a branch."""

_NOBODY = np.empty(0, dtype=np.int32)


class KeptTrees:
    """The growth of all children's sets as far as orders asked for it.

    Parameters
    ----------
    growers : list of SetGrower
        One per variable, in variable order; they score what grows.
    """

    def __init__(self, growers: Sequence[SetGrower]):
        from stages.kernels.orders.grow_shrink_trees import GrowShrinkTrees

        n = len(growers)
        self.growers = growers
        self._known_at = self._state()
        self._trees = GrowShrinkTrees(
            first=np.full(2 * n, -1, dtype=np.int64),
            last=np.full(2 * n, -1, dtype=np.int64),
            score=np.full(2 * n, np.nan),
            variable=np.empty(16 * n, dtype=np.int32),
            target=np.full(16 * n, -1, dtype=np.int64),
        )
        self._nodes = [(child, grower.required) for child, grower in enumerate(growers)]
        self._node_of = {key: node for node, key in enumerate(self._nodes)}
        self._owner = np.empty(16 * n, dtype=np.int32)  # the nodes whose branches they are
        self._n_branches = 0
        self._missing = np.empty(3 * n, dtype=np.int64)
        self._position = np.empty(n, dtype=np.int64)

    def _state(self) -> list[tuple[int, int | None]]:
        return [(grower.now.forgotten, grower.reach) for grower in self.growers]

    @property
    def is_outdated(self) -> bool:
        """The growers look at other candidates now, or have forgotten their sets."""
        return self._known_at != self._state()

    @property
    def bytes(self) -> int:
        """Memory taken, about."""
        return NODE_BYTES * len(self._nodes) + BRANCH_BYTES * self._n_branches

    def score_slots(self, moved: int, others: np.ndarray, is_spent: Callable[[], bool]) -> np.ndarray | None:
        """Scores of an order in nats by the slot that a variable is put into.

        Parameters
        ----------
        moved : int
        others : ndarray of int32, shape (n_variables - 1,)
            The other variables, first to last.
        is_spent : callable
            Asked before anything is scored.

        Returns
        -------
        ndarray of float64, shape (n_variables,); None if `is_spent` said so.
        """
        from stages.kernels.orders.grow_shrink_trees import score_slots

        scores = np.empty(len(others) + 1)
        self._position[others] = np.arange(len(others))
        while True:
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
        """Find out a node's branches, or what its set shrinks to if these are known."""
        child, parents = self._nodes[node]
        grower = self.growers[child]
        if self._trees.first[node] >= 0:
            self._trees.score[node] = grower.score(grower.shrink(parents))
            return
        variables = grower.improving(parents)[0] if len(parents) < grower.max_parents else _NOBODY
        first, last = self._n_branches, self._n_branches + len(variables)
        self._make_room(len(self._nodes), last)
        self._trees.variable[first:last] = variables
        self._owner[first:last] = node
        self._trees.first[node], self._trees.last[node] = first, last
        self._n_branches = last

    def _follow(self, branch: int) -> int:
        """The node that a branch leads to, made if there is none yet."""
        child, parents = self._nodes[int(self._owner[branch])]
        larger = tuple(sorted((*parents, int(self._trees.variable[branch]))))
        self.growers[child].score(larger)
        node = self._node_of.setdefault((child, larger), len(self._nodes))
        if node == len(self._nodes):
            self._nodes.append((child, larger))
            self._make_room(len(self._nodes), self._n_branches)
        self._trees.target[branch] = node
        return node

    def _make_room(self, n_nodes: int, n_branches: int) -> None:
        """Have arrays of at least so many entries."""
        trees = self._trees
        if n_nodes > len(trees.first):
            more = n_nodes
            trees = trees._replace(
                first=np.append(trees.first, np.full(more, -1)),
                last=np.append(trees.last, np.full(more, -1)),
                score=np.append(trees.score, np.full(more, np.nan)),
            )
        if n_branches > len(trees.variable):
            more = n_branches
            trees = trees._replace(
                variable=np.append(trees.variable, np.empty(more, dtype=np.int32)),
                target=np.append(trees.target, np.full(more, -1)),
            )
            self._owner = np.append(self._owner, np.empty(more, dtype=np.int32))
        self._trees = trees


def climb_order(
    trees: KeptTrees,
    order: np.ndarray,
    rng: np.random.Generator,
    is_spent: Callable[[], bool],
    tell: Callable[[float], None],
) -> np.ndarray:
    """Put one variable after the other into its best slot until no move gains.

    Parameters
    ----------
    trees : KeptTrees
    order : ndarray of int32, shape (n_variables,)
        Has the parents that a variable must have before it.
    rng : numpy.random.Generator
        Draws whose turn it is.
    is_spent : callable
        Ends the climb.
    tell : callable
        Receives the score after every move, in nats: that of the network that grows and shrinks within the order.

    Returns
    -------
    ndarray of int32, shape (n_variables,)
    """
    n = len(order)
    required = [grower.required for grower in trees.growers]
    requiring: list[list[int]] = [[] for _ in required]
    for child, parents in enumerate(required):
        for parent in parents:
            requiring[parent].append(child)
    still = 0  # variables in turn that stayed where they were
    for moved in cycle(rng.permutation(n).tolist()):
        if still == n:
            break
        here = int(np.flatnonzero(order == moved)[0])
        others = np.delete(order, here)
        slots = trees.score_slots(moved, others, is_spent)
        if slots is None:
            break
        place = {variable: slot for slot, variable in enumerate(others.tolist())}
        low = max((place[parent] + 1 for parent in required[moved]), default=0)
        high = min((place[child] for child in requiring[moved]), default=n - 1)
        best = low + int(np.argmax(slots[low : high + 1]))
        still += 1
        if slots[best] > slots[here] + TOLERANCE:
            order, still = np.insert(others, best, moved), 0
            tell(float(slots[best]))
    return order
