"""Orders, and the state that the kernels of order search keep, for tests."""

from __future__ import annotations

import math

import numpy as np
from naive.optimize.orders import inserted, order_score

from stages.lists.order_decoding import choose_consistent
from stages.lists.set_lists import fixed_parents, index_members, lists_in, respect_fixed


def feasible_order(table, rng):
    """A random order that agrees with the table's fixed records."""
    return respect_fixed(rng.permutation(table.n_variables).astype(np.int32), fixed_parents(table))


def order_state(lists, order):
    """The state of an order as the kernels want it."""
    from stages.kernels.orders.insertion import OrderState

    order = np.array(order, dtype=np.int32)
    position, chosen = choose_consistent(lists, order)
    return OrderState(order=order, position=position, chosen=chosen)


def start(table, order):
    """Lists, their index and the state of an order."""
    lists = lists_in(table)
    return lists, index_members(lists), order_state(lists, order)


def assert_state_is_fresh(lists, state):
    """The choices are those of the order."""
    position, chosen = choose_consistent(lists, state.order)
    assert np.array_equal(state.position, position)
    assert np.array_equal(state.chosen, chosen)


def reachable(naive, order, i, width):
    """Places of a block to which it comes without passing an order that fixed records forbid."""
    places = [i]
    for step in (1, -1):
        j = i + step
        while 0 <= j <= len(order) - width and order_score(naive, inserted(order, i, j, width)) > -math.inf:
            places.append(j)
            j += step
    return places
