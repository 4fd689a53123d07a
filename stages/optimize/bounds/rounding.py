"""What rounding can amount to in the sums that proofs rest on: the only tolerance of a proof."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stages.kernels.bounds.dual_ascent import Columns
    from stages.kernels.bounds.lagrangian import SetCuts

EPSILON = sys.float_info.epsilon


def sum_error(n_terms: int, magnitude: float) -> float:
    """At most how far a sum of floats is from the true one, in whatever order it was added up.

    Parameters
    ----------
    n_terms : int
    magnitude : float
        Sum of the absolute terms (Higham 2002, equation 4.4).
    """
    return n_terms * EPSILON * magnitude


PRICED = 8
"""Sums over variables that a proof rests on, one in the other: scores, costs, cuts that price them; generous."""


def proof_rounding(n_variables: int, magnitude: float) -> float:
    """Nats by which sums over a network's sets, and so a bound, may be wrong; parameters as in `sum_error`."""
    return sum_error(PRICED * n_variables, magnitude)


def optimality_tolerance(scores: np.ndarray) -> float:
    """Nats between a written bound and a network of these local scores that are rounding: it is proved optimal.

    A bound that meets the network to its rounding, and is then rounded outward.
    """
    return 3.0 * proof_rounding(len(scores), float(np.abs(scores).sum()))


def rounded_down(columns: Columns, cuts: SetCuts, multipliers: np.ndarray, reduced: np.ndarray) -> float:
    """The bound of these multipliers on the cost of every network, in nats, less what rounding can amount to.

    Parameters
    ----------
    columns : Columns
    cuts : SetCuts
    multipliers : ndarray of float64, shape (n_cuts,)
        Not negative.
    reduced : ndarray of float64, shape (n_sets,)
        Reduced costs as `stages.kernels.bounds.lagrangian.relax` computes them, each in one sum over the cuts that
        count the set; infinite where a set is left out.
    """
    is_open = np.isfinite(reduced)
    # Cost and multipliers of a set: twice the cost less the reduced cost.
    magnitude = np.where(is_open, 2.0 * columns.costs + np.abs(np.where(is_open, reduced, 0.0)), 0.0)
    lowest = reduced - sum_error(1, 1.0) * (np.diff(cuts.offsets) + 1) * magnitude
    least = np.minimum.reduceat(lowest, columns.set_offsets[:-1])
    priced = multipliers * cuts.demands
    return math.fsum(least.tolist()) + math.fsum(priced.tolist()) * (1.0 - 2.0 * EPSILON)
