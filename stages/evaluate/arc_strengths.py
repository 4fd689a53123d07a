"""Arc strengths or probabilities against a reference network: how well they rank arcs and are calibrated.

Every ordered pair of variables counts, those too that a table leaves out: their strength is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from formats.graph_records import ArcProbabilities
from formats.records import Network

from .alignment import align_parents

STRENGTH_MEASURES: dict[str, str] = {
    "roc_area": "area under the ROC curve of arc strengths: how often a true arc has more than a false one",
    "pr_area": "area under the precision-recall curve of arc strengths (average precision)",
    "pair_roc_area": "the same as roc_area of pairs joined in either direction",
    "pair_pr_area": "the same as pr_area of pairs joined in either direction",
    "calibration_error": "mean difference between strength and share of true arcs, by deciles of strength",
}
"""Measures of strengths with their meaning; ``calibration`` has the deciles."""

DECILES = 10


def evaluate_strengths(table: ArcProbabilities, reference: Network) -> dict[str, Any]:
    """Measure strengths of arcs against a network.

    Parameters
    ----------
    table : ArcProbabilities
    reference : Network
        Over the same variables, matched by name.

    Returns
    -------
    dict
        ``variables``, `STRENGTH_MEASURES` (areas are None where the reference has no arc, or all), and
        ``calibration``: for each decile of strength that has arcs its limits ``above`` and ``to``, the number of
        ``arcs``, their mean ``strength``, and the ``share`` that is in the reference; 0 is in the first decile.

    Raises
    ------
    Inconsistent
        The variables differ.
    """
    n = table.header.n_variables
    expected = align_parents(Network(table.header, ((),) * n, np.zeros(n)), reference)
    strength, either = np.zeros((n, n)), np.zeros((n, n))
    strength[table.parents, table.children] = table.probability
    either[table.parents, table.children] = either[table.children, table.parents] = table.either
    is_arc = np.zeros((n, n), dtype=np.bool_)
    for child, family in enumerate(expected):
        is_arc[list(family), child] = True
    arcs, pairs = ~np.eye(n, dtype=np.bool_), np.triu_indices(n, 1)
    joined = (is_arc | is_arc.T)[pairs]
    deciles = calibration(strength[arcs], is_arc[arcs])
    apart = sum(decile["arcs"] * abs(decile["strength"] - decile["share"]) for decile in deciles)
    return {
        "variables": n,
        "roc_area": roc_area(strength[arcs], is_arc[arcs]),
        "pr_area": precision_recall_area(strength[arcs], is_arc[arcs]),
        "pair_roc_area": roc_area(either[pairs], joined),
        "pair_pr_area": precision_recall_area(either[pairs], joined),
        "calibration_error": apart / max(1, n * (n - 1)),
        "calibration": deciles,
    }


def _counts_from_the_top(strength: np.ndarray, is_true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many true and false ones are at or above each strength there is, from the largest down."""
    _, group = np.unique(-strength, return_inverse=True)
    return np.cumsum(np.bincount(group, is_true)), np.cumsum(np.bincount(group, ~is_true))


def roc_area(strength: np.ndarray, is_true: np.ndarray) -> float | None:
    """Area under the ROC curve; ties count half (Hanley and McNeil 1982). None without true or false ones."""
    hits, misses = (np.concatenate(([0.0], counts)) for counts in _counts_from_the_top(strength, is_true))
    if hits[-1] == 0 or misses[-1] == 0:
        return None
    below = np.diff(misses) * (hits[1:] + hits[:-1]) / 2
    return float(below.sum() / (hits[-1] * misses[-1]))


def precision_recall_area(strength: np.ndarray, is_true: np.ndarray) -> float | None:
    """Average precision: the precision at each strength, weighted by the recall it adds. None without true ones."""
    hits, misses = _counts_from_the_top(strength, is_true)
    if not len(hits) or hits[-1] == 0:
        return None
    added = np.diff(hits, prepend=0.0)
    return float((added * hits / (hits + misses)).sum() / hits[-1])


def calibration(strength: np.ndarray, is_true: np.ndarray) -> list[dict[str, Any]]:
    """By deciles of strength: how many, their mean strength, and the share of them that is true."""
    decile = np.clip(np.ceil(strength * DECILES - 1e-9).astype(np.int64) - 1, 0, DECILES - 1)
    found = []
    for number in range(DECILES):
        inside = decile == number
        if inside.any():
            figures = {"strength": float(strength[inside].mean()), "share": float(is_true[inside].mean())}
            limits = {"above": number / DECILES, "to": (number + 1) / DECILES}
            found.append({**limits, "arcs": int(inside.sum()), **figures})
    return found
