"""Small helpers for numpy arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def offsets_of(counts: ArrayLike) -> np.ndarray:
    """Where lists of these lengths begin in one array, and where the last one ends; int64, one entry more."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
