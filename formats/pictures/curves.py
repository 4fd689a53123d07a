"""Curves of arcs: cubics through points whose y rises or falls, monotone in x (Fritsch and Butland 1984)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def curves(line: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The cubics of a path from point to point: two control points and the end of each."""
    slope = _slopes(line)
    for i in range(len(line) - 1):
        third = (line[i + 1, 1] - line[i, 1]) / 3
        yield line[i] + (slope[i] * third, third), line[i + 1] - (slope[i + 1] * third, third), line[i + 1]


def curve_at(line: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Where the path through points, whose y rises, is at some heights."""
    slope, step = _slopes(line), np.diff(line, axis=0)
    i = np.clip(np.searchsorted(line[:, 1], y, side="right") - 1, 0, len(step) - 1)
    down = step[i, 1]
    # The control points of a cubic have equal vertical steps, so the share of the height is its parameter.
    share = (y - line[i, 1]) / down
    rest = 1 - share
    bent = share * rest * (rest * (slope[i] * down - step[i, 0]) - share * (slope[i + 1] * down - step[i, 0]))
    return line[i, 0] + share * step[i, 0] + bent


def _slopes(line: np.ndarray) -> np.ndarray:
    """Derivative of x by y at every point, the harmonic mean of the secants, so that x is monotone between points and
    near the straight lines.
    """
    steps = np.diff(line, axis=0)
    secants = steps[:, 0] / np.where(np.abs(steps[:, 1]) < 1e-9, 1e-9, steps[:, 1])
    before, after = secants[:-1], secants[1:]
    turns = before * after <= 0
    means = 2 * before * after / np.where(turns, 1.0, before + after)
    return np.concatenate((secants[:1], np.where(turns, 0.0, means), secants[-1:]))
