"""Horizontal positions: links as straight as the order within layers allows."""

from __future__ import annotations

import numpy as np

SWEEPS = 40
"""Total number of sweeps down and up; each moves every layer to its best position, given the others."""


def place_vertices(
    rows: list[np.ndarray], links: np.ndarray, weight: np.ndarray, width: np.ndarray, gap: float
) -> np.ndarray:
    """Horizontal positions that keep order and distances and make the weighted sum of squared offsets of links small.

    Returns the centres of the vertices: float64, shape (n_vertices,).

    Block coordinate descent: for one layer, with all others fixed, the optimum is the weighted isotonic regression of
    the mean positions of the neighbours, after the widths of the boxes are subtracted. `rows` are the vertices of
    every layer, from left to right; `links`, shape (n_links, 2), join vertices of different layers and have a
    `weight` in the sum; `gap` is the space between neighbours of a layer.
    """
    offsets = []
    x = np.zeros(len(width))
    for row in rows:
        steps = (width[row][1:] + width[row][:-1]) / 2 + gap
        offset = np.concatenate(([0.0], np.cumsum(steps)))
        offsets.append(offset)
        x[row] = offset - offset[-1] / 2
    reach = _Neighbours(links, weight, len(width))
    for sweep in range(SWEEPS):
        downward = sweep % 2 == 0
        numbers = range(len(rows)) if downward else range(len(rows) - 1, -1, -1)
        for number in numbers:
            row = rows[number]
            wanted, strength = reach.means(row, x)
            # After subtracting the offsets, positions that keep their distances are exactly the non-decreasing ones.
            x[row] = isotonic(wanted - offsets[number], strength) + offsets[number]
    return x


class _Neighbours:
    """Neighbours of all vertices with the weights of the links, as lists with offsets."""

    def __init__(self, links: np.ndarray, weight: np.ndarray, n_vertices: int):
        ends = np.concatenate((links[:, 0], links[:, 1]))
        others = np.concatenate((links[:, 1], links[:, 0]))
        order = np.argsort(ends, kind="stable")
        self.others = others[order]
        self.weight = np.concatenate((weight, weight))[order]
        self.first = np.searchsorted(ends[order], np.arange(n_vertices + 1))

    def means(self, row: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weighted mean position of the neighbours of each vertex of a layer, and the sum of the weights."""
        lengths = self.first[row + 1] - self.first[row]
        owner = np.repeat(np.arange(len(row)), lengths)
        inside = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        at = np.repeat(self.first[row], lengths) + inside
        strength = np.bincount(owner, weights=self.weight[at], minlength=len(row))
        sums = np.bincount(owner, weights=self.weight[at] * x[self.others[at]], minlength=len(row))
        # A vertex without neighbours is drawn weakly to its present place, so that the others move it freely.
        lonely = strength == 0
        strength[lonely], sums[lonely] = 1e-3, 1e-3 * x[row[lonely]]
        return sums / strength, strength


def isotonic(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The non-decreasing sequence nearest to `values` in weighted least squares (pool adjacent violators)."""
    means: list[float] = []
    sums: list[float] = []
    counts: list[int] = []
    for value, weight in zip(values.tolist(), weights.tolist()):
        count = 1
        # Invariant: the means of the blocks do not decrease. A smaller value is pooled with the blocks before it.
        while means and means[-1] > value:
            other = sums.pop()
            value = (value * weight + means.pop() * other) / (weight + other)
            weight += other
            count += counts.pop()
        means.append(value)
        sums.append(weight)
        counts.append(count)
    return np.repeat(means, counts)
