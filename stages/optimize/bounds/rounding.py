"""Bounds on rounding errors in the sums that proofs rest on: the only tolerance of a proof."""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np

from stages.kernels.bounds.dual_ascent import Columns
from stages.kernels.bounds.lagrangian import Cuts, choose_least, reduce_costs

EPSILON = sys.float_info.epsilon


def sum_error(n_terms: int, magnitude: float) -> float:
    """Largest rounding error of a sum of floats, in any order of summation (Higham 2002, equation 4.4).

    `magnitude` is the sum of the absolute values of the terms.
    """
    return n_terms * EPSILON * magnitude


PRICED = 8
"""Number of nested sums over variables in a proof (scores, costs, priced cuts), rounded up."""


def proof_rounding(n_variables: int, magnitude: float) -> float:
    """Largest rounding error in nats of sums over a network's sets; parameters as in `sum_error`."""
    return sum_error(PRICED * n_variables, magnitude)


def optimality_tolerance(scores: np.ndarray) -> float:
    """Gap in nats that rounding alone explains; at or below it a network of these local scores is optimal.

    The bound may fall short of the network by its own rounding error, and is rounded outward when it is written.
    """
    return 3.0 * proof_rounding(len(scores), float(np.abs(scores).sum()))


class Relaxed(NamedTuple):
    """All sets under some multipliers: bound, reduced costs, cheapest choice."""

    bound: float  # lower bound on the cost of every network in nats, see `relaxed`
    total: float  # the same with all terms rounded to nearest
    reduced: np.ndarray  # float64, shape (n_sets,): reduced costs in nats
    chosen: np.ndarray  # int64, shape (n_variables,): the set of least reduced cost of each variable


def relaxed(columns: Columns, cuts: Cuts, multipliers: np.ndarray) -> Relaxed:
    """The Lagrangian bound of these multipliers on the cost of every network, in nats, its terms rounded down.

    The sum of the terms is rounded to nearest, so the value alone may exceed the bound; that error is part of
    `proof_rounding`. `multipliers` (float64, shape (n_cuts,)) are non-negative; the cost of an excluded set is
    infinite.
    """
    reduced, terms = np.empty(len(columns.costs)), np.empty(len(columns.costs), dtype=np.int64)
    chosen = np.empty(len(columns.set_offsets) - 1, dtype=np.int64)
    reduce_costs(columns.costs, cuts, multipliers, reduced, terms)
    sum_of_least = choose_least(columns.set_offsets, reduced, chosen)
    is_open = np.isfinite(reduced)
    # The absolute values of the terms of a reduced cost sum to at most twice the cost plus the absolute reduced cost.
    magnitude = np.where(is_open, 2.0 * columns.costs + np.abs(np.where(is_open, reduced, 0.0)), 0.0)
    lowest = reduced - sum_error(1, 1.0) * (terms + 1) * magnitude
    least = np.minimum.reduceat(lowest, columns.set_offsets[:-1])
    priced = multipliers * cuts.demands
    # Priced terms are non-negative: two units cover the rounding of the products, of their sum and of the factor
    # itself.
    bound = math.fsum(least.tolist()) + math.fsum(priced.tolist()) * (1.0 - 2.0 * EPSILON)
    return Relaxed(bound, sum_of_least + float(priced.sum()), reduced, chosen)
