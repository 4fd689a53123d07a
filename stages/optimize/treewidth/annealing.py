"""Simulated annealing from one order under a treewidth bound."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stages.kernels.ktrees.annealing import MoveShares, anneal, keep_best, new_best_order
from stages.kernels.ktrees.move_log import new_move_log
from stages.kernels.ktrees.order_moves import build_ktree
from stages.runtime.budgets import Budget

from ..restarts import Attempt
from .problem import BoundedProblem

SLICE_WORK = 2_000_000
"""Units of work per kernel call, see `OrderSearch.move_work`: some hundredths of a second."""

ORDER_MOVES = {"left_out": 0.0, "host": 0.0, "wanted": 0.3}
"""`MoveShares` of a search that changes orders only."""

ALL_MOVES = {"left_out": 0.2, "host": 0.2, "wanted": 0.3}
"""`MoveShares` with preferences: the best on the benchmark lists."""


class OrderSearch:
    """A k-tree, its log and the best order visited, for one thread.

    `shares` are fields of `stages.kernels.ktrees.annealing.MoveShares`.
    """

    def __init__(self, problem: BoundedProblem, rng: np.random.Generator, shares: Mapping[str, float] = ALL_MOVES):
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
        """Approximate work of the moves so far, in sets tested."""
        return float(self.moves * self.move_work)

    @property
    def move_work(self) -> int:
        """Upper estimate of the cost of a move in sets tested; it hardly grows with the number of variables."""
        return (100 + self.problem.n_variables // 2) * max(1, self.problem.treewidth)

    @property
    def slice_moves(self) -> int:
        """Moves per kernel call."""
        return max(100, SLICE_WORK // self.move_work)

    def start(self, order: np.ndarray, left_out: np.ndarray | None = None, hosts: np.ndarray | None = None) -> float:
        """Build the k-tree along `order` with the given preferences; returns its relative score in nats."""
        self.tree.order[:] = order
        self.tree.left_out[:] = -1 if left_out is None else left_out
        self.tree.hosts[:] = -1 if hosts is None else hosts
        relative_score = build_ktree(
            self.problem.lists,
            self.problem.index,
            self.problem.filters,
            self.problem.pairs,
            self.tree,
            self.log,
            self.clique,
        )
        if relative_score > self.best.relative_score[0]:
            keep_best(self.tree, self.best, relative_score)
        return relative_score

    def anneal(self, n_moves: int, temperatures: tuple[float, float]) -> float:
        """Try `n_moves` moves (`stages.kernels.ktrees.annealing.anneal`); returns the relative score at the end."""
        self.moves += n_moves
        lists, precedences = self.problem.lists, self.problem.precedences
        return anneal(
            lists,
            self.problem.index,
            self.problem.filters,
            self.problem.pairs,
            self.tree,
            self.log,
            self.clique,
            precedences,
            self.rng,
            self.shares,
            temperatures,
            n_moves,
            self.best,
        )

    def climb(self, patience: int, budget: Budget | None, limit: int | None = None) -> int:
        """Accept only moves without loss until `patience` moves in a row brought no improvement.

        Ends early when `budget` runs out or after `limit` moves. Returns the number of moves tried.
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
        """The best network visited; `orders` evaluations elsewhere are added to the number of moves."""
        chosen = self.best.chosen.copy()
        score = self.problem.score(chosen)
        return Attempt(chosen, score, orders + self.moves, self.work, self.best.order.copy())
