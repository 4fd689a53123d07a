"""Improve an order by iterated local search on packed lists: the engine of `ils` and of `pricing`.

The compiled part is `stages.kernels.orders.insertion_ils`. A search starts from any order, also one found on lists
that have grown since, so pricing and search can alternate.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .order_decoding import choose_consistent

if TYPE_CHECKING:
    from stages.kernels.orders.insertion_ils import InsertionWalk
    from stages.kernels.orders.set_lists import SetLists
    from stages.runtime.budgets import Budget

SHAKEN = 8
"""Related variables moved at random per shake at most; found by experiment."""

SLICE_WORK = 10_000_000
"""Sets tested per compiled call, well below a quarter of a second."""


class OrderShaker:
    """A search over the orders of one set of lists; it can be continued.

    Parameters
    ----------
    lists : SetLists
    order : ndarray of int32
        A permutation in which every variable has a consistent set; copied.
    rng : numpy.random.Generator

    Attributes
    ----------
    order : ndarray of int32, shape (n_variables,)
        The best order so far.
    chosen : ndarray of int64, shape (n_variables,)
        Best consistent set of every variable in it.
    work : int
        Sets tested so far.
    """

    def __init__(self, lists: SetLists, order: np.ndarray, rng: np.random.Generator):
        from stages.kernels.orders.insertion import OrderState, new_profile

        order = np.ascontiguousarray(order, dtype=np.int32).copy()
        position, chosen = choose_consistent(lists, order)
        self.lists = lists
        self.rng = rng
        self._state = OrderState(order=order, position=position, chosen=chosen)
        self._best = OrderState(order=order.copy(), position=position.copy(), chosen=chosen.copy())
        self._walk = start_walk(lists, rng)
        self._profile = new_profile(len(order))
        self.order, self.chosen = self._best.order, self._best.chosen
        self.work = 0

    @property
    def profiles(self) -> int:
        """Variables for which all places in the order were evaluated so far: the deterministic unit of work."""
        from stages.kernels.orders.insertion_ils import PROFILES

        return int(self._walk.counts[PROFILES])

    @property
    def score(self) -> float:
        """Score of the best order, in nats."""
        return math.fsum(self.lists.scores[self.chosen].tolist())

    def search(self, budget: Budget, profiles: int, work: float = math.inf) -> None:
        """Search on until `profiles` in all are computed, some `work` sets are tested or `budget` runs out.

        How a search is cut into calls does not change its course, as long as neither limit ends a call.
        """
        from stages.kernels.orders.insertion_ils import settle_order, walk_orders

        done = 0
        while self.profiles < profiles and done < work and not budget.is_spent():
            slice_work = int(min(SLICE_WORK, work - done))
            done += walk_orders(
                self.lists,
                self._walk,
                self._state,
                self._best,
                self._profile,
                self.rng,
                SHAKEN,
                slice_work,
                profiles,
            )
        self.work += done
        settle_order(self._walk, self._state, self._best)


def start_walk(lists: SetLists, rng: np.random.Generator) -> InsertionWalk:
    """A search in which every variable waits to be moved, in random order."""
    from stages.kernels.orders.insertion_ils import new_insertion_walk

    return new_insertion_walk(*related_variables(lists), rng.permutation(len(lists.set_offsets) - 1))


def related_variables(lists: SetLists) -> tuple[np.ndarray, np.ndarray]:
    """For every variable those in its lists or in whose lists it is, ascending, as offsets and indices."""
    n = len(lists.set_offsets) - 1
    parents = np.repeat(np.arange(n, dtype=np.int64), np.diff(lists.pair_offsets))
    children = lists.pair_children.astype(np.int64)
    keys = np.unique(np.concatenate((parents * n + children, children * n + parents)))
    offsets = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n)
    return offsets.astype(np.int64), (keys % n).astype(np.int32)
