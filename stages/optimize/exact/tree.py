"""The tree of branch and cut: open branches, best bound first, and what all branches together prove."""

from __future__ import annotations

import heapq
import itertools
import math
from typing import NamedTuple

import numpy as np

from ..bounds.cuts import Origin
from ..bounds.proof_steps import TreeNode, positive_prices
from .linear_programme import Basis


class Branch(NamedTuple):
    """A node of the tree: the networks that keep a partial order.

    Attributes
    ----------
    cost : float
        Lower bound on the cost of its networks, in nats against the best listed sets.
    excluded : ndarray of bool, shape (n_sets,)
        Sets that the order forbids or that reduced cost excludes.
    after : tuple of int
        For each variable the bits of those that come after it.
    node : TreeNode
        What a proof needs of it.
    basis : Basis or None
        That of the branch above, from which its linear programme starts; None for the root.
    """

    cost: float
    excluded: np.ndarray
    after: tuple[int, ...]
    node: TreeNode
    basis: Basis | None = None


class BranchTree:
    """Branches of a search.

    Parameters
    ----------
    root : TreeNode
        The node of all networks.
    cost : float
        Lower bound on their cost in nats.
    keeps_nodes : bool
        Whether a proof is wanted: else nothing is kept of branches that were left.

    Attributes
    ----------
    present : float
        Cost of the branch in work; infinite if there is none.
    nodes : list of TreeNode
        The root and, with `keeps_nodes`, all branches added.
    """

    def __init__(self, root: TreeNode, cost: float, keeps_nodes: bool):
        self.present = cost
        self.nodes = [root]
        self._keeps_nodes = keeps_nodes
        self._open: list[tuple[float, int, int, Branch]] = []
        self._numbers = itertools.count()
        self._closed = math.inf

    def __len__(self) -> int:
        return len(self._open)

    @property
    def cost(self) -> float:
        """Lower bound on the cost of every network in nats."""
        # Every network is in an open branch, in the present one, or in one that was closed at this cost or more.
        return min(self.present, self._closed, self._open[0][0] if self._open else math.inf)

    def push(self, branch: Branch) -> None:
        """Open a branch."""
        # A bit for each set: open branches may be thousands, sets hundreds of thousands.
        packed = branch._replace(excluded=np.packbits(branch.excluded))
        heapq.heappush(self._open, (branch.cost, next(self._numbers), len(branch.excluded), packed))

    def pop(self) -> Branch:
        """Take the branch of least cost, which becomes the present one."""
        cost, _, n_sets, packed = heapq.heappop(self._open)
        self.present = cost
        return packed._replace(excluded=np.unpackbits(packed.excluded, count=n_sets).view(np.bool_))

    def close(self, cost: float) -> None:
        """Leave a branch whose networks cost no less than this."""
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
        """Keep the multipliers of a node's best bound for the proof; parameters as of `positive_prices`."""
        if self._keeps_nodes:
            node.best = positive_prices(origins, multipliers)

    def keep_exclusions(self, node: TreeNode, origins: list[Origin], multipliers: np.ndarray) -> None:
        """Keep multipliers that excluded sets of a node for the proof; parameters as of `positive_prices`."""
        if self._keeps_nodes:
            node.exclusions.append(positive_prices(origins, multipliers))
