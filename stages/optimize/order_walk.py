"""Search around an order by simulated annealing over insertions; the workhorse of the unbounded searches.

The state is an order and the sets chosen for it, apart from the lists: lists may grow between two calls,
and the order stays a valid start.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .evaluation import choose_consistent
from .restarts import total_score

if TYPE_CHECKING:
    from collections.abc import Callable

    from stages.kernels.orders import SetLists

HOT = 30.0
"""Starting temperature in nats: high enough to leave local optima of BIC lists of 16 to 1556 variables;
results vary little between 10 and 100."""

COLD = 0.25
"""Final temperature in nats: differences far below one nat decide nothing."""

SLICE_MOVES = 2000
"""Moves per kernel call; some milliseconds to hundredths of a second."""


class OrderWalk:
    """An order under search.

    Parameters
    ----------
    lists : SetLists
    order : ndarray of int32
        A permutation that agrees with the fixed records; copied.
    """

    def __init__(self, lists: SetLists, order: np.ndarray):
        from stages.kernels.insertion import OrderState, new_profile

        self.lists = lists
        order = order.astype(np.int32)
        position, chosen = choose_consistent(lists, order)
        self.state = OrderState(order, position, chosen)
        self._profile = new_profile(len(order))

    @property
    def score(self) -> float:
        """Score of the best network consistent with the order, in nats."""
        return total_score(self.lists.scores, self.state.chosen)

    def walk(self, rng: np.random.Generator, temperature: float, moves: int) -> float:
        """Insertion moves at a constant temperature; returns the change of the score in nats."""
        from stages.kernels.annealing import walk_slice

        change, _ = walk_slice(self.lists, self.state, self._profile, rng, temperature, moves)
        return change

    def settle(self, rng: np.random.Generator) -> int:
        """Climb until four sweeps in a row bring nothing; returns the moves made."""
        sweep = len(self.state.order)
        moves = idle = 0
        while idle < 4:
            idle = 0 if self.walk(rng, 0.0, sweep) > 1e-6 else idle + 1
            moves += sweep
        return moves

    def anneal(
        self,
        rng: np.random.Generator,
        moves: int,
        hot: float = HOT,
        cold: float = COLD,
        clock: Callable[[], float] | None = None,
    ) -> int:
        """Cool geometrically from `hot` to `cold` over `moves` moves, then settle.

        Parameters
        ----------
        rng : numpy.random.Generator
        moves : int
            At least one slice is made.
        hot, cold : float
            Temperatures in nats.
        clock : callable, optional
            Share of the time for this call that is gone; cooling follows it where it is ahead of the moves,
            and at 1 cooling ends. Infinite means to return at once, without settling.

        Returns
        -------
        int
            Moves made.
        """
        done = 0
        while True:
            share = max(done / moves, clock() if clock else 0.0)
            if share >= 1.0:
                break
            self.walk(rng, hot * (cold / hot) ** share, SLICE_MOVES)
            done += SLICE_MOVES
        return done if math.isinf(share) else done + self.settle(rng)


def improve_order(
    lists: SetLists,
    order: np.ndarray,
    rng: np.random.Generator,
    moves: int,
    hot: float = HOT,
    cold: float = COLD,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Search from `order`; the result never scores less than `order` itself.

    Parameters
    ----------
    lists : SetLists
        Packed candidate lists (`packing.pack_arrays`).
    order : ndarray of int32
        Start; left as it is.
    rng : numpy.random.Generator
    moves : int
        Insertion moves, each an evaluation of all places of one variable; some 100,000 to a million take a
        second.
    hot, cold : float
        Temperatures in nats; with ``hot=0`` the search only climbs.

    Returns
    -------
    tuple of (ndarray of int32, ndarray of int64, float)
        Order, chosen set of every variable, score in nats.
    """
    walk = OrderWalk(lists, order)
    start = walk.state.order.copy(), walk.state.chosen.copy(), walk.score
    if hot > 0.0:
        walk.anneal(rng, moves, hot, cold)
    else:
        walk.settle(rng)
    score = walk.score
    return (walk.state.order, walk.state.chosen, score) if score >= start[2] else start
