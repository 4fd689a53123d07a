"""Room for the states of a best-first search along an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stages.kernels.ktrees.kastar import PathStates


def new_path_states(capacity: int, depth: int, loss: float, estimate: float) -> PathStates:
    """Room for `capacity` states, the first one being the start clique of `depth` variables alone."""
    from stages.kernels.ktrees.kastar import PathStates, push_state

    kinds = [np.int32, np.int32, np.int32, np.int32, np.int64, np.float64, np.float64, np.int32]
    states = PathStates(*(np.empty(capacity, dtype=kind) for kind in kinds), np.array([1, 0]))
    states.parents[0], states.depths[0] = -1, depth
    states.losses[0], states.estimates[0] = loss, estimate
    push_state(states, np.int32(0))
    return states
