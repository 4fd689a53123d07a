"""Smoothing of parameters chosen by how well they predict one variable in rows that they are not from."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from formats.data_records import Dataset
from formats.records import NetworkRecord
from stages.fit import TOWARDS
from stages.runtime.errors import StageError

from .folded_predictions import Choice, fold_logs

GRID = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)
"""Smoothings that are tried, in rows."""

FOLDS = 5


def losses_by_smoothing(
    network: NetworkRecord, rows: Dataset, target: int, towards: Sequence[str] = TOWARDS, seed: int = 0
) -> dict[Choice, float]:
    """Log-loss of predictions of a variable in cross-validation, by what the parameters are smoothed towards
    (some of `fit.TOWARDS`), and by their smoothing.

    The loss is the mean of minus the logarithm of the probability of the target's state given the other cells, in
    nats, over the rows that show it, in `FOLDS` folds as in `fold_logs`. Raises `StageError` if these are fewer than
    the folds.
    """
    choices = [(kind, value) for kind in towards for value in GRID]
    n_rows = int(rows.shows((target,)).sum())
    if n_rows < FOLDS:
        raise StageError(f"{FOLDS} folds of {n_rows} rows: give the smoothing itself")
    losses: dict[Choice, list[float]] = {choice: [] for choice in choices}
    for _, truth, logs in fold_logs(network, rows, target, FOLDS, choices, seed):
        for choice in choices:
            losses[choice] += _losses(logs[choice], truth).tolist()
    return {choice: math.fsum(found) / n_rows for choice, found in losses.items()}


def _losses(logs: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Minus the logarithm of the probability of the true state of each row; `logs` are joint ones, of every state."""
    largest = logs.max(axis=0)
    return largest + np.log(np.exp(logs - largest).sum(axis=0)) - logs[truth, np.arange(len(truth))]
