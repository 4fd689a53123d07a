"""Local search from one order under a treewidth bound: the state that the compiled moves work on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..restarts import Attempt
from .problem import BoundedProblem

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget

SLICE_WORK = 2_000_000
"""Units of work per kernel call, see `OrderSearch.move_work`: some hundredths of a second."""

ORDER_MOVES = {"left_out": 0.0, "host": 0.0, "wanted": 0.3}
"""Shares of `MoveShares` for a search over orders alone."""

ALL_MOVES = {"left_out": 0.2, "host": 0.2, "wanted": 0.3}
"""Shares of `MoveShares` with preferences: what did best on the benchmark lists."""


class OrderSearch:
    """A k-tree, its log and the best order met, for one thread.

    Parameters
    ----------
    problem : BoundedProblem
    rng : Generator
    shares : dict of str to float
        Shares of the kinds of moves, see `stages.kernels.ktrees.annealing.MoveShares`.
    """

    def __init__(
        self,
        problem: BoundedProblem,
        rng: np.random.Generator,
        shares: Mapping[str, float] = ALL_MOVES,
    ):
        from stages.kernels.ktrees.annealing import MoveShares, new_best_order
        from stages.kernels.ktrees.moves import new_move_log

        n = problem.n_variables
        self.problem = problem
        self.rng = rng
        self.shares = MoveShares(**shares)
        self.tree = problem.new_tree()
        self.clique = problem.new_clique_tables()
        self.log = new_move_log(n, problem.treewidth)
        self.best = new_best_order(n)
        self.moves = 0

    @property
    def work(self) -> float:
        """Work of the moves so far in sets looked at, about."""
        return float(self.moves * self.move_work)

    @property
    def move_work(self) -> int:
        """What a move costs, about."""
        return (100 + self.problem.n_variables // 2) * max(1, self.problem.treewidth)

    @property
    def slice_moves(self) -> int:
        """Moves that one call of the kernel may try."""
        return max(100, SLICE_WORK // self.move_work)

    def start(
        self, order: np.ndarray, left_out: np.ndarray | None = None, hosts: np.ndarray | None = None
    ) -> float:
        """Build the k-tree along `order` with the given preferences; its relative score in nats."""
        from stages.kernels.ktrees.annealing import keep_best
        from stages.kernels.ktrees.moves import build_ktree

        self.tree.order[:] = order
        self.tree.left_out[:] = -1 if left_out is None else left_out
        self.tree.hosts[:] = -1 if hosts is None else hosts
        relative_score = build_ktree(self.problem.lists, self.tree, self.log, self.clique)
        if relative_score > self.best.relative_score[0]:
            keep_best(self.tree, self.best, relative_score)
        return relative_score

    def anneal(self, n_moves: int, temperatures: tuple[float, float]) -> float:
        """Try `n_moves` changes (see `stages.kernels.ktrees.annealing.anneal`); the relative score at the end."""
        from stages.kernels.ktrees.annealing import anneal

        self.moves += n_moves
        return anneal(
            self.problem.lists,
            self.tree,
            self.log,
            self.clique,
            self.problem.precedences,
            self.rng,
            self.shares,
            temperatures,
            n_moves,
            self.best,
        )

    def climb(self, patience: int, budget: Budget | None, limit: int | None = None) -> int:
        """Take improvements and changes without effect until `patience` moves in a row improved nothing.

        Ends early when `budget` runs out or after `limit` moves. Returns the moves tried.
        """
        relative_score, idle, tried = self.best.relative_score[0], 0, 0
        while idle < patience and (budget is None or not budget.is_spent()):
            n_moves = min(self.slice_moves, patience)
            if limit is not None:
                n_moves = min(n_moves, limit - tried)
            if n_moves <= 0:
                break
            self.anneal(n_moves, (0.0, 0.0))
            tried += n_moves
            idle = 0 if self.best.relative_score[0] > relative_score else idle + n_moves
            relative_score = self.best.relative_score[0]
        return tried

    def outcome(self, orders: int) -> Attempt:
        """The best network met, after `orders` further orders were evaluated elsewhere."""
        chosen = self.best.chosen.copy()
        score = self.problem.score(chosen)
        return Attempt(chosen, score, orders + self.moves, self.work, self.best.order.copy())
