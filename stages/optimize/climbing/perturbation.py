"""Random moves that lead a graph out of a local optimum."""

from __future__ import annotations

import numpy as np

from stages.kernels.bits import has_bit
from stages.kernels.climbing.moves import ADD, REVERSE, can_add, can_reverse, is_parent
from stages.runtime.budgets import Budget

from ..result import Parents
from .climber import Climber

TRIES_PER_MOVE = 50
"""Draws per wanted move before giving up: most draws are permitted moves."""


def perturb(
    climber: Climber, parents: Parents, n_moves: int | None, rng: np.random.Generator, budget: Budget
) -> Parents:
    """A graph after random additions, removals and reversals, drawn equally often, within the constraints.

    The climber's graph is overwritten. The number of moves is by default a tenth of the number of variables, at least
    one; the budget's time, or the user, may end them early.
    """
    climber.place(parents)
    wanted = max(1, len(parents) // 10) if n_moves is None else n_moves
    for _ in range(wanted * TRIES_PER_MOVE):
        if wanted == 0 or budget.time_left() <= 0.0:
            break
        wanted -= _try_random_move(climber, rng)
    return tuple(climber.parents)


def _try_random_move(climber: Climber, rng: np.random.Generator) -> bool:
    """Draw one move and apply it if it is permitted; returns whether it was."""
    state, most = climber.state, climber.constraints.max_parents
    kind = int(rng.integers(3))
    if kind == ADD:
        child, parent = rng.integers(len(climber.parents), size=2).tolist()
        fits = (
            has_bit(state.permitted[child], parent)
            and not is_parent(state, child, parent)
            and can_add(state, child, parent, most)
        )
    else:
        arcs = [(child, parent) for child, family in enumerate(climber.parents) for parent in family]
        if not arcs:
            return False
        child, parent = arcs[int(rng.integers(len(arcs)))]
        fits = not has_bit(state.fixed[child], parent)
        if kind == REVERSE:
            fits = fits and has_bit(state.permitted[parent], child) and can_reverse(state, child, parent, most)
    if fits:
        climber.move(kind, child, parent)
    return bool(fits)
