"""Curves of arcs as SVG paths: smooth through all points, with increasing y."""

from __future__ import annotations

import numpy as np


def number(value: float) -> str:
    """A coordinate to a tenth of a pixel in the shortest form."""
    return f"{round(float(value), 1):g}" if abs(value) < 1e5 else f"{value:.1f}"


def path(line: np.ndarray) -> str:
    """The path through points, shape (n_points, 2), with increasing y: monotone cubics (Fritsch and Carlson 1980)."""
    start = f"M{_point(line[0])}"
    if len(line) == 2:
        return f"{start}L{_point(line[1])}"
    slope = _slopes(line)
    pieces = []
    for i in range(len(line) - 1):
        third = (line[i + 1, 1] - line[i, 1]) / 3
        one = line[i] + (slope[i] * third, third)
        other = line[i + 1] - (slope[i + 1] * third, third)
        pieces.append(f"C{_point(one)} {_point(other)} {_point(line[i + 1])}")
    return start + "".join(pieces)


def _point(point: np.ndarray) -> str:
    return f"{number(point[0])},{number(point[1])}"


def _slopes(line: np.ndarray) -> np.ndarray:
    """Derivative of x by y at every point, limited so that x is monotone between points."""
    steps = np.diff(line, axis=0)
    secants = steps[:, 0] / np.maximum(steps[:, 1], 1e-9)
    slope = np.concatenate((secants[:1], (secants[:-1] + secants[1:]) / 2, secants[-1:]))
    turns = secants[:-1] * secants[1:] <= 0
    slope[1:-1][turns] = 0.0
    # Fritsch and Carlson (1980): a cubic is monotone if its slopes at both ends are at most three times its secant.
    least = np.minimum(np.abs(np.append(secants, secants[-1])), np.abs(np.append(secants[0], secants)))
    return np.sign(slope) * np.minimum(np.abs(slope), 3 * least)
