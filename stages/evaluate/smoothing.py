"""Smoothing of parameters chosen by how well they predict one variable in rows that they are not from."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from formats.data_records import Dataset
from formats.records import Network
from stages.evaluate.likelihood import coded_folds
from stages.fit import TOWARDS, count_cells, to_probabilities
from stages.runtime.errors import StageError
from stages.runtime.seeding import task_generator

GRID = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)
"""Smoothings that are tried, in rows."""

FOLDS = 5


def losses_by_smoothing(
    network: Network, dataset: Dataset, target: int, towards: Sequence[str] = TOWARDS, seed: int = 0
) -> dict[tuple[str, float], float]:
    """Log-loss of predictions of a variable in cross-validation, by what the parameters are smoothed towards
    (some of `fit.TOWARDS`), and by their smoothing.

    Every row is predicted by parameters from the other folds, with the structure fixed: the loss is the mean of minus
    the logarithm of the probability of the target's state given the other cells, in nats. Rows are dealt to `FOLDS`
    folds by `seed`. Where the data set can be recoded, cuts and merges are learnt from the other folds, too. Only
    families with the target matter, since rows are complete. Raises `StageError` if there are fewer rows than folds.
    """
    if dataset.n_rows < FOLDS:
        raise StageError(f"{FOLDS} folds of {dataset.n_rows} rows: give the smoothing itself")
    fold_of_row = task_generator(seed).permutation(dataset.n_rows) % FOLDS
    members = [np.flatnonzero(fold_of_row == fold) for fold in range(FOLDS)]
    families = [(c, p) for c, p in enumerate(network.parents) if c == target or target in p]
    choices = [(kind, value) for kind in towards for value in GRID]
    losses = {choice: np.zeros(dataset.n_rows) for choice in choices}
    for coded, judged in coded_folds(dataset, fold_of_row, FOLDS):
        totals = [count_cells(coded, child, parents) for child, parents in families]
        for fold in judged:
            rows = members[fold]
            part = coded.rows(rows)
            logs = {choice: np.zeros((int(coded.n_states[target]), len(rows))) for choice in choices}
            for (child, parents), total in zip(families, totals):
                training = total - count_cells(part, child, parents)
                cells = [part.codes[v].astype(np.int64) for v in (*parents, child)]
                place = (*parents, child).index(target)
                for kind, value in choices:
                    table = to_probabilities(training, value, kind)
                    for state, log in enumerate(logs[kind, value]):
                        cells[place] = np.full(len(rows), state)
                        log += np.log(table[tuple(cells)])
            truth = part.codes[target].astype(np.int64)
            for choice in choices:
                losses[choice][rows] = _losses(logs[choice], truth)
    return {choice: math.fsum(found.tolist()) / len(found) for choice, found in losses.items()}


def _losses(logs: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Minus the logarithm of the probability of the true state of each row; `logs` are joint ones, of every state."""
    largest = logs.max(axis=0)
    return largest + np.log(np.exp(logs - largest).sum(axis=0)) - logs[truth, np.arange(len(truth))]
