"""The tree of branch and cut: open branches, best bound first, and what all branches together prove."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..bounds.cuts import Origin
from ..bounds.proof_steps import TreeNode, positive_prices
from .linear_programme import Basis


class Branch(NamedTuple):
    """A node of the tree: the networks that keep a partial order."""

    cost: float  # lower bound on the cost of its networks, in nats against the best listed sets
    excluded: np.ndarray  # bool, shape (n_sets,): sets that the order forbids or that reduced cost excludes
    after: tuple[int, ...]  # for each variable the bits of the variables that come after it
    node: TreeNode  # multipliers of the branch, for a proof
    # Where its linear programme starts; None for the root. Indices of cuts in it are outdated.
    basis: Basis | None = None
    tight: Sequence[Origin] = ()  # the cuts of the basis

    def over(self, kept: np.ndarray) -> Branch:
        """The same branch over the sets where `kept` is true: all others are excluded."""
        assert self.basis is not None
        return self._replace(excluded=self.excluded[kept], basis=self.basis.over(kept))


class BranchTree:
    """Branches of a search.

    `root` is the node of all networks. Unless a proof is wanted (`keeps_nodes`), closed branches are forgotten.
    """

    def __init__(self, root: TreeNode, keeps_nodes: bool):
        self.nodes = [root]  # the root and, with `keeps_nodes`, all branches added
        self._keeps_nodes = keeps_nodes
        self._open: list[tuple[float, int, int, Branch]] = []
        self._numbers = itertools.count()
        self._closed = math.inf

    def __len__(self) -> int:
        return len(self._open)

    @property
    def cost(self) -> float:
        """Lower bound on the cost of every network in nats."""
        # Every network is in an open branch or in a branch closed at this cost or more.
        return min(self._closed, self._open[0][0] if self._open else math.inf)

    def push(self, branch: Branch) -> None:
        """Open a branch."""
        # One bit per set: there may be thousands of open branches and hundreds of thousands of sets.
        packed = branch._replace(excluded=np.packbits(branch.excluded))
        heapq.heappush(self._open, (branch.cost, next(self._numbers), len(branch.excluded), packed))

    def pop(self) -> Branch:
        """Take the branch of least cost. Until it is pushed again or closed, `cost` does not hold."""
        _, _, n_sets, packed = heapq.heappop(self._open)
        return packed._replace(excluded=np.unpackbits(packed.excluded, count=n_sets).view(np.bool_))

    def close(self, cost: float) -> None:
        """Close a branch whose networks cost at least this."""
        self._closed = min(self._closed, cost)

    def add(self, branch: Branch, limit: float) -> None:
        """Open a branch, or close it if it costs `limit` or more."""
        if self._keeps_nodes:
            self.nodes.append(branch.node)
        if branch.cost >= limit:
            self.close(branch.cost)
        else:
            self.push(branch)

    def keep_best(self, node: TreeNode, origins: list[Origin], multipliers: np.ndarray) -> None:
        """Keep the multipliers of a node's best bound for the proof; parameters as in `positive_prices`."""
        if self._keeps_nodes:
            node.best = positive_prices(origins, multipliers)

    def keep_exclusions(self, node: TreeNode, origins: list[Origin], multipliers: np.ndarray) -> None:
        """Keep multipliers that excluded sets of a node, for the proof; parameters as in `positive_prices`."""
        if self._keeps_nodes:
            node.exclusions.append(positive_prices(origins, multipliers))
