"""The Lagrangian bound of given multipliers, with the rounding of its terms taken into account."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stages.kernels.bounds.lagrangian import Cuts, choose_least, reduce_costs
from stages.kernels.orders.set_lists import SetLists

from .rounding import EPSILON, sum_error


class Relaxed(NamedTuple):
    """All sets under some multipliers: bound, reduced costs, cheapest choice."""

    bound: float  # lower bound on the cost of every network in nats, see `relaxed`
    total: float  # the same with all terms rounded to nearest
    reduced: np.ndarray  # float64, shape (n_sets,): reduced costs in nats
    chosen: np.ndarray  # int64, shape (n_variables,): the set of least reduced cost of each variable


def relaxed(lists: SetLists, costs: np.ndarray, cuts: Cuts, multipliers: np.ndarray) -> Relaxed:
    """The Lagrangian bound of these multipliers on the cost of every network, in nats, its terms rounded down.

    The sum of the terms is rounded to nearest, so the value alone may exceed the bound; that error is part of
    `proof_rounding`. `multipliers` (float64, shape (n_cuts,)) are non-negative; so are `costs` (float64, shape
    (n_sets,)), and the cost of an excluded set is infinite.
    """
    reduced, terms = np.empty(len(costs)), np.empty(len(costs), dtype=np.int64)
    chosen = np.empty(len(lists.set_offsets) - 1, dtype=np.int64)
    reduce_costs(costs, cuts, multipliers, reduced, terms)
    sum_of_least = choose_least(lists.set_offsets, reduced, chosen)
    is_open = np.isfinite(reduced)
    # The absolute values of the terms of a reduced cost sum to at most twice the cost plus the absolute reduced cost.
    magnitude = np.where(is_open, 2.0 * costs + np.abs(np.where(is_open, reduced, 0.0)), 0.0)
    lowest = reduced - sum_error(1, 1.0) * (terms + 1) * magnitude
    least = np.minimum.reduceat(lowest, lists.set_offsets[:-1])
    priced = multipliers * cuts.demands
    # Priced terms are non-negative: two units cover the rounding of the products, of their sum and of the factor
    # itself.
    bound = math.fsum(least.tolist()) + math.fsum(priced.tolist()) * (1.0 - 2.0 * EPSILON)
    return Relaxed(bound, sum_of_least + float(priced.sum()), reduced, chosen)
