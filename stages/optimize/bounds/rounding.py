"""Bounds on rounding errors in the sums that proofs rest on: the only tolerance of a proof."""

from __future__ import annotations

import sys

import numpy as np

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
