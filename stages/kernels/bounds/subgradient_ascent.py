"""Subgradient ascent, which improves a Lagrangian bound by changes of its multipliers.

A step is a share of the gap between bound and target over the squared norm of the subgradient (Polyak 1969; Held,
Wolfe and Crowder 1974). Long steps pass the best multipliers on both sides, so the share falls when the bound no
longer improves. The share has no lower limit: an ascent takes only some hundred steps, and the next ascent starts
with a larger share. `lagrangian` improves the multipliers of cuts in this way, k-A* its prices for pairs of
variables. The loop is inlined, as the functions of `heap` are.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined

BOUND, SHARE, IDLE = 0, 1, 2
"""Entries of the pace of an ascent: the best bound, the share of the gap, and the steps without a better bound."""

PATIENCE, SHORTER = 20, 0.66
"""Steps without a better bound after which the share is multiplied by `SHORTER` (Barahona and Anbil 2000)."""


def new_pace(*own: float) -> np.ndarray:
    """The initial pace, float64: no bound, the whole gap, and what the caller adds."""
    return np.array([-np.inf, 1.0, 0.0, *own])


@inlined
def raise_bound(problem, pace, target, n_steps, move, evaluate, keep):
    """Take up to `n_steps` steps until the bound meets `target`; three kernels define the problem.

    ``move(problem, rise)`` changes the multipliers along a subgradient, so far that a linear bound would rise by
    `rise`; it returns False if there is nothing to change. ``evaluate(problem)`` returns the bound at the new
    multipliers. ``keep(problem)`` saves them as the best ones and may change the share.
    """
    for _ in range(n_steps):
        gap = target - pace[BOUND]
        if gap <= 0.0 or not move(problem, pace[SHARE] * gap):
            break
        bound = evaluate(problem)
        pace[IDLE] += 1
        if bound > pace[BOUND]:
            pace[BOUND], pace[IDLE] = bound, 0
            keep(problem)
        elif pace[IDLE] == PATIENCE:
            pace[SHARE], pace[IDLE] = SHORTER * pace[SHARE], 0
