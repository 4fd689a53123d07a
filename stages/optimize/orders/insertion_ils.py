"""Iterated local search over orders, used by `ils` and `pricing` (kernel: `stages.kernels.orders.insertion_ils`).

A search can start from any order, also from one found on smaller lists, so pricing and search can alternate.
"""

from __future__ import annotations

import math

import numpy as np

from stages.kernels.orders.insertion import OrderState, new_profile
from stages.kernels.orders.insertion_ils import PROFILES, InsertionWalk, new_insertion_walk, settle_order, walk_orders
from stages.kernels.orders.set_lists import MemberIndex, SetLists
from stages.lists.order_decoding import choose_consistent
from stages.runtime.budgets import Budget

from ..result import total_score

SHAKEN = 8
"""Maximum number of related variables moved to random positions per shake; found by experiment."""

SLICE_WORK = 10_000_000
"""Sets tested per compiled call, well below a quarter of a second."""


class OrderShaker:
    """A resumable search over orders for given lists and their index.

    `order` (int32) is a permutation with a consistent set for every variable; it is copied.
    """

    def __init__(self, lists: SetLists, index: MemberIndex, order: np.ndarray, rng: np.random.Generator):
        order = np.ascontiguousarray(order, dtype=np.int32).copy()
        position, chosen = choose_consistent(lists, order)
        self.lists, self.index = lists, index
        self.rng = rng
        self._state = OrderState(order=order, position=position, chosen=chosen)
        self._best = OrderState(order=order.copy(), position=position.copy(), chosen=chosen.copy())
        self._walk = start_walk(index, rng)
        self._profile = new_profile(len(order))
        # The best order so far (int32), and the best consistent set of every variable in it (int64).
        self.order, self.chosen = self._best.order, self._best.chosen
        self.work = 0  # sets tested so far

    @property
    def profiles(self) -> int:
        """Number of profiles (scores of all positions of one variable) computed: the deterministic unit of work."""
        return int(self._walk.counts[PROFILES])

    @property
    def score(self) -> float:
        """Score of the best order, in nats."""
        return total_score(self.lists.scores, self.chosen)

    def search(self, budget: Budget, profiles: int, work: float = math.inf) -> None:
        """Continue until `profiles` in all are computed, about `work` sets are tested, or `budget` ends.

        Dividing the work into slices does not change the course of the search. A call that reaches a limit does
        change it, because it ends with `settle_order`.
        """
        done = 0
        while self.profiles < profiles and done < work and not budget.is_spent():
            slice_work = int(min(SLICE_WORK, work - done))
            done += walk_orders(
                self.lists,
                self.index,
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


def start_walk(index: MemberIndex, rng: np.random.Generator) -> InsertionWalk:
    """The initial state of a search: all variables are queued, in random order."""
    return new_insertion_walk(*related_variables(index), rng.permutation(len(index.pair_offsets) - 1))


def related_variables(index: MemberIndex) -> tuple[np.ndarray, np.ndarray]:
    """For each variable the variables in its lists, and the variables in whose lists it is, ascending: offsets and
    indices.
    """
    n = len(index.pair_offsets) - 1
    parents = np.repeat(np.arange(n, dtype=np.int64), np.diff(index.pair_offsets))
    children = index.pair_children.astype(np.int64)
    keys = np.unique(np.concatenate((parents * n + children, children * n + parents)))
    offsets = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n)
    return offsets.astype(np.int64), (keys % n).astype(np.int32)
