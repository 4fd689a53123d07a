"""Step lengths of subgradient methods, which improve a Lagrangian bound by changes of its multipliers.

A step is a share of the gap between bound and target over the squared norm of the subgradient (Polyak 1969; Held,
Wolfe and Crowder 1974). The share falls where bounds no longer improve, as long steps then pass the best multipliers
on both sides. `lagrangian` improves the multipliers of cuts so, and k-A* its prices for pairs of variables.
"""

from __future__ import annotations

from ..jit import inlined

PATIENCE, SHORTER = 20, 0.66
"""Steps without a better bound after which the share is multiplied by `SHORTER` (Barahona and Anbil 2000)."""


@inlined
def step_length(share, gap, squared_norm):
    """Length of a step along the subgradient: `gap` is that between bound and target, in nats."""
    return share * gap / squared_norm


@inlined
def next_share(share, n_idle, is_better):
    """The share for the next step, and the number of steps without a better bound: now, or zero where it fell."""
    if is_better:
        return share, 0
    if n_idle + 1 < PATIENCE:
        return share, n_idle + 1
    return SHORTER * share, 0
