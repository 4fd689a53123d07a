"""Improve an order by iterated local search on packed lists; the engine under pricing.

The compiled part is `stages.kernels.shaking`. A search continues from an order on lists that may have grown
since, so pricing and search can alternate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .evaluation import choose_consistent

if TYPE_CHECKING:
    from stages.budgets import Budget
    from stages.kernels.orders import SetLists
    from stages.kernels.shaking import Walk

SHAKEN = 8
"""Related variables moved at random per shake at most; found by experiment."""

SLICE_WORK = 10_000_000
"""Sets tested per compiled call, well below a quarter of a second."""


def shake_order(
    lists: SetLists, order: np.ndarray, rng: np.random.Generator, work: int, budget: Budget
) -> tuple[np.ndarray, np.ndarray, dict[str, int]]:
    """Search better orders from `order` on.

    Parameters
    ----------
    lists : SetLists
    order : ndarray of int32
        A permutation in which every variable has a consistent set.
    rng : numpy.random.Generator
    work : int
        Sets to test; deterministic, so equal calls give equal orders unless `budget` runs out first.
    budget : Budget
        Asked between compiled calls.

    Returns
    -------
    (order, chosen, counts) : the best order, its chosen set per variable (int64), and the numbers of profiles,
        shakes and improvements.
    """
    from stages.kernels.insertion import OrderState, new_profile
    from stages.kernels.shaking import settle, walk_orders

    order = np.ascontiguousarray(order, dtype=np.int32).copy()
    position, chosen = choose_consistent(lists, order)
    state = OrderState(order, position, chosen)
    best = OrderState(order.copy(), position.copy(), chosen.copy())
    walk = start_walk(lists, rng)
    profile = new_profile(len(order))
    done = 0
    while done < work and not budget.is_spent():
        slice_work = min(SLICE_WORK, work - done)
        done += walk_orders(lists, walk, state, best, profile, rng, SHAKEN, slice_work)
    settle(walk, state, best)
    names = ("profiles", "shakes", "improvements")
    return best.order, best.chosen, dict(zip(names, walk.counts.tolist()))


def start_walk(lists: SetLists, rng: np.random.Generator) -> Walk:
    """A search in which every variable waits to be moved, in random order."""
    from stages.kernels.shaking import Walk

    n = len(lists.set_offsets) - 1
    offsets, neighbours = related_variables(lists)
    queue = np.zeros(n + 1, dtype=np.int32)
    queue[:n] = rng.permutation(n)
    return Walk(
        offsets,
        neighbours,
        queue,
        np.array([0, n], dtype=np.int64),
        np.ones(n, dtype=np.bool_),
        np.zeros(1),
        np.zeros(3, dtype=np.int64),
    )


def related_variables(lists: SetLists) -> tuple[np.ndarray, np.ndarray]:
    """For every variable those in its lists or in whose lists it is, ascending, as offsets and indices."""
    n = len(lists.set_offsets) - 1
    parents = np.repeat(np.arange(n, dtype=np.int64), np.diff(lists.pair_offsets))
    children = lists.pair_children.astype(np.int64)
    keys = np.unique(np.concatenate((parents * n + children, children * n + parents)))
    offsets = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n)
    return offsets.astype(np.int64), (keys % n).astype(np.int32)
