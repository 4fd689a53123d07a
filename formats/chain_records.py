"""The record of Markov chains that a later run continues."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class SavedChains(NamedTuple):
    """The state of the chains of a run.

    - `facts`: what JSON holds: settings, generators, numbers of moves.
    - `arrays`: networks and samples by name.
    """

    facts: dict[str, Any]
    arrays: dict[str, np.ndarray]
