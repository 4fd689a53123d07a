"""Quality of the predictions of one variable from the other cells of each row, by exact inference."""

# Imported where needed, since loading takes time: junction_trees, row_queries
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from formats.data_records import Dataset
from formats.records import Parameters, Variable
from stages.runtime.errors import StageError

from .arc_strengths import counts_from_the_top, roc_area
from .likelihood import mean

N_BINS = 10
"""Bins of equal width of the probability of the predicted state, for the calibration error."""


DIGITS = 12
"""Decimal places by which probabilities are ranked: inference rounds, and equal ones shall tie."""


def judge_predictions(
    network: Parameters, rows: Dataset, target: int, jobs: int = 1, memory: int | None = None, has_curve: bool = False
) -> dict[str, Any]:
    """Compare the predicted distributions of a variable with its states in the rows.

    Each row's prediction is the distribution of the target given the row's other observed cells. Rows without the
    target's state, and rows whose other cells have probability zero, are not judged; the latter are counted.

    Returns ``target_rows``: rows judged. ``accuracy``: share of these rows whose most probable state (the first among
    equals) is the observed one. ``log_loss``: mean of minus the logarithm of the probability of the observed state,
    nats; None if a probability is zero (``surprising_rows`` counts these rows). ``brier_sum``: mean over rows of the
    sum over states of the squared difference between probability and 0 or 1, from 0 to 2 (Brier 1950).
    ``target_calibration_error``: expected calibration error. Rows are binned by the probability of the most probable
    state (`N_BINS` bins of equal width); the error is the mean absolute difference between that probability and
    accuracy, weighted by rows (Naeini, Cooper and Hauskrecht 2015); ``target_calibration`` has the rows, that mean
    probability and the accuracy of each bin with rows. With `has_curve`, ``target_curve`` is that of `roc_curves`.
    ``unpredicted_rows``: rows whose other cells have
    probability zero. The rest is that of `judge_states`. Raises `StageError` if no row can be judged or the tables of
    a junction tree do not fit into memory.

    The rows have the network's variables and states, in its order. `jobs` are threads; `memory` limits a junction
    tree's tables in bytes, by default to the free memory.
    """
    from stages.inference.junction_trees import Engine
    from stages.inference.row_queries import predict

    answers = predict(Engine(network, memory=memory), rows.plain_codes, rows.holes, [target], jobs)
    distributions = np.concatenate([part.posterior for part in answers])
    return judge_distributions(
        distributions, rows.codes[target], rows.shows((target,)), network.variables[target], has_curve
    )


def judge_distributions(
    distributions: np.ndarray, codes: np.ndarray, is_observed: np.ndarray, variable: Variable, has_curve: bool
) -> dict[str, Any]:
    """`judge_predictions` by the predicted distributions, float64, shape (rows, states), nan where the other cells
    have probability zero. `codes` and `is_observed`, shape (rows,), are the states and where they are known.
    """
    is_possible = ~np.isnan(distributions[:, 0])
    judged = np.flatnonzero(is_observed & is_possible)
    if not len(judged):
        raise StageError(f"no row shows a state of the target {variable.name!r} beside other cells that are possible")
    found, truth = distributions[judged], codes[judged].astype(np.int64)
    at_truth = found[np.arange(len(judged)), truth]
    differences = found.copy()
    differences[np.arange(len(judged)), truth] -= 1.0
    n_surprising = int((at_truth <= 0.0).sum())
    is_right = (found.argmax(axis=1) == truth).astype(np.float64)
    states = variable.known_states
    return {
        "target_rows": len(judged),
        "accuracy": mean(is_right),
        "log_loss": None if n_surprising else -mean(np.log(np.minimum(at_truth, 1.0))),
        "surprising_rows": n_surprising,
        "brier_sum": mean(np.square(differences).sum(axis=1)),
        "target_calibration_error": calibration_error(found.max(axis=1), is_right),
        "unpredicted_rows": int((is_observed & ~is_possible).sum()),
        **judge_states(found, truth, states),
        "target_calibration": calibration_bins(found.max(axis=1), is_right),
        **({"target_curve": roc_curves(found, truth, states)} if has_curve else {}),
    }


def judge_states(found: np.ndarray, truth: np.ndarray, states: Sequence[str]) -> dict[str, Any]:
    """How well each state is told from the others.

    `found` is float64, shape (n_rows, n_states): the predicted distributions; `truth`, int64, shape (n_rows,), the
    observed states. ``confusion`` counts the rows of each observed and predicted state (the most probable one, the
    first among equals); pairs without rows are left out. ``target_states`` has for each state its rows, its recall
    (share of them predicted so), its precision (share of the rows predicted so that show it) and the area under its
    ROC curve: how often a row that shows the state gives it a larger probability than one that does not, ties half
    (Hanley and McNeil 1982). Each is None where it is a share of no rows. ``target_recall``, ``target_precision`` and
    ``target_roc_area`` are the means over the states in which they are known.
    """
    n_states = len(states)
    counts = np.bincount(truth * n_states + found.argmax(axis=1), minlength=n_states**2).reshape(n_states, n_states)
    ranked, ones = np.round(found, DIGITS), np.ones(len(truth))
    of_state: list[dict[str, Any]] = [
        {
            "state": state,
            "rows": int(counts[code].sum()),
            "recall": _share(counts[code, code], counts[code].sum()),
            "precision": _share(counts[code, code], counts[:, code].sum()),
            "roc_area": roc_area(ranked[:, code], truth == code, ones),
        }
        for code, state in enumerate(states)
    ]
    known = {
        name: [each[name] for each in of_state if each[name] is not None]
        for name in ("recall", "precision", "roc_area")
    }
    return {
        **{f"target_{name}": math.fsum(shares) / len(shares) if shares else None for name, shares in known.items()},
        "target_states": of_state,
        "confusion": [
            {"observed": states[i], "predicted": states[j], "rows": int(counts[i, j])} for i, j in np.argwhere(counts)
        ],
    }


def roc_curves(found: np.ndarray, truth: np.ndarray, states: Sequence[str]) -> list[dict[str, Any]]:
    """The points of each state's ROC curve, one state against the others, from its largest probability down.

    Arguments as in `judge_states`. A point counts the rows that give the state a probability of at least
    ``threshold``: ``true_positives`` show it, ``false_positives`` do not. ``recall`` and ``false_positive_rate`` are
    their shares of the rows that do and do not, None of no rows; ``precision`` is the share of true positives in the
    rows counted.
    """
    points: list[dict[str, Any]] = []
    for code, state in enumerate(states):
        shown, ranked = truth == code, np.round(found[:, code], DIGITS)
        _, hits, misses = counts_from_the_top(ranked, shown, np.ones(len(truth)))
        _, tied = np.unique(-ranked, return_inverse=True)
        thresholds = np.full(len(hits), np.inf)
        np.minimum.at(thresholds, tied, found[:, code])
        n_shown, n_others = int(shown.sum()), int((~shown).sum())
        for threshold, true, false in zip(
            thresholds.tolist(), hits.astype(int).tolist(), misses.astype(int).tolist()
        ):
            points.append(
                {
                    "state": state,
                    "threshold": threshold,
                    "true_positives": true,
                    "false_positives": false,
                    "recall": _share(true, n_shown),
                    "false_positive_rate": _share(false, n_others),
                    "precision": true / (true + false),
                }
            )
    return points


def _share(part: int, whole: int) -> float | None:
    return float(part / whole) if whole else None


def calibration_bins(confidence: np.ndarray, is_right: np.ndarray) -> list[dict[str, Any]]:
    """Rows, mean probability and accuracy of each bin with rows, by its limits; arguments as in `calibration_error`.

    A bin holds probabilities from its lower limit on, below its upper one; the last one holds 1, too.
    """
    bins = np.minimum((confidence * N_BINS).astype(np.int64), N_BINS - 1)
    return [
        {
            "from": step / N_BINS,
            "below": (step + 1) / N_BINS,
            "rows": int((bins == step).sum()),
            "probability": mean(confidence[bins == step]),
            "accuracy": mean(is_right[bins == step]),
        }
        for step in np.unique(bins).tolist()
    ]


def calibration_error(confidence: np.ndarray, is_right: np.ndarray) -> float:
    """The expected calibration error (Naeini, Cooper and Hauskrecht 2015).

    `confidence` is the probability of the predicted state, `is_right` 1 where that is the observed one, else 0; both
    have the shape (n_rows,).
    """
    bins = np.minimum((confidence * N_BINS).astype(np.int64), N_BINS - 1)
    differences = np.bincount(bins, is_right - confidence, minlength=N_BINS)
    return math.fsum(np.abs(differences).tolist()) / len(confidence)
