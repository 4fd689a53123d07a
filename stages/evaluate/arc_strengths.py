"""Ranking quality and calibration of arc strengths or probabilities, against a reference network.

Every ordered pair of variables counts; a pair that the table does not list has strength 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from formats.graph_records import ArcProbabilityTable
from formats.records import NetworkRecord

from .alignment import align_parents

DECILES = 10

Counted = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Strengths, whether each is of a true arc, and its multiplicity; arrays of one length."""


def evaluate_strengths(table: ArcProbabilityTable, reference: NetworkRecord) -> dict[str, Any]:
    """Measures of arc strengths against a network.

    The reference is over the same variables, matched by name. Returns ``variables``, `record_keys.STRENGTH_KEYS`
    (areas are None if the reference has no arc or all arcs), and ``calibration``: for each decile of strength with
    arcs its limits ``above`` and ``to``, the number of ``arcs``, their mean ``strength``, and the ``share`` of true
    arcs; strength 0 is in the first decile. Raises `Inconsistent` if the variables differ.
    """
    names = table.header.names
    if table.header.lacks_isolated:  # of a format that names ends of arcs alone
        names = (*names, *(name for name in reference.header.names if name not in names))
    n = len(names)
    expected = align_parents(names, reference)
    # Arc (p, c) is the number p n + c; pairs have the smaller index first.
    true = np.array([p * n + c for c, family in enumerate(expected) for p in family], dtype=np.int64)
    joined = np.unique(np.minimum(true // n, true % n) * n + np.maximum(true // n, true % n))
    parents, children = table.parents.astype(np.int64), table.children.astype(np.int64)
    # Both directions of a pair have the same `either`, so its first row is taken.
    pairs, first = np.unique(np.minimum(parents, children) * n + np.maximum(parents, children), return_index=True)
    arcs = _with_the_rest(table.probability, np.isin(parents * n + children, true), len(true), n * (n - 1))
    either = _with_the_rest(table.either[first], np.isin(pairs, joined), len(joined), n * (n - 1) // 2)
    deciles = calibration(*arcs)
    apart = sum(decile["arcs"] * abs(decile["strength"] - decile["share"]) for decile in deciles)
    return {
        "variables": n,
        "roc_area": roc_area(*arcs),
        "pr_area": precision_recall_area(*arcs),
        "pair_roc_area": roc_area(*either),
        "pair_pr_area": precision_recall_area(*either),
        "calibration_error": apart / max(1, n * (n - 1)),
        "calibration": deciles,
    }


def _with_the_rest(strength: np.ndarray, is_true: np.ndarray, n_true: int, n_all: int) -> Counted:
    """Listed arcs or pairs, plus two entries of strength 0 for all others: the true ones and the false ones."""
    n_missed = n_true - int(is_true.sum())
    return (
        np.append(strength, [0.0, 0.0]),
        np.append(is_true, [True, False]),
        np.append(np.ones(len(strength)), [n_missed, n_all - len(strength) - n_missed]),
    )


def counts_from_the_top(
    strength: np.ndarray, is_true: np.ndarray, number: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each distinct strength, descending; the numbers of true and of false entries at or above it."""
    negative, group = np.unique(-strength, return_inverse=True)
    hits, misses = (np.bincount(group, number * side) for side in (is_true, ~is_true))
    return -negative, np.cumsum(hits), np.cumsum(misses)


def roc_area(strength: np.ndarray, is_true: np.ndarray, number: np.ndarray) -> float | None:
    """Area under the ROC curve; ties count half (Hanley and McNeil 1982). None if all are true or all false."""
    hits, misses = (np.concatenate(([0.0], counts)) for counts in counts_from_the_top(strength, is_true, number)[1:])
    if hits[-1] == 0 or misses[-1] == 0:
        return None
    # Trapezia: half of the true entries in a tied group count as above a false entry of that group.
    below = np.diff(misses) * (hits[1:] + hits[:-1]) / 2
    return float(below.sum() / (hits[-1] * misses[-1]))


def precision_recall_area(strength: np.ndarray, is_true: np.ndarray, number: np.ndarray) -> float | None:
    """Average precision: the precision at each strength, weighted by the recall it adds. None if none is true."""
    _, hits, misses = counts_from_the_top(strength, is_true, number)
    if not len(hits) or hits[-1] == 0:
        return None
    added = np.diff(hits, prepend=0.0)
    return float((added * hits / (hits + misses)).sum() / hits[-1])


def calibration(strength: np.ndarray, is_true: np.ndarray, number: np.ndarray) -> list[dict[str, Any]]:
    """Number, mean strength and share of true arcs of each decile of strength."""
    # Decile k is above k / 10 up to (k + 1) / 10; the small term is for tenths that rounding raises slightly.
    decile = np.clip(np.ceil(strength * DECILES - 1e-9).astype(np.int64) - 1, 0, DECILES - 1)
    found = []
    for step in range(DECILES):
        counted = number * (decile == step)
        if n_arcs := counted.sum():
            figures = {"strength": (counted @ strength) / n_arcs, "share": (counted @ is_true) / n_arcs}
            limits = {"above": step / DECILES, "to": (step + 1) / DECILES}
            found.append({**limits, "arcs": int(n_arcs), **{k: float(v) for k, v in figures.items()}})
    return found
