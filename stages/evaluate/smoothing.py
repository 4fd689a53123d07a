"""Smoothing of parameters chosen by how well they predict one variable in rows that they are not from."""

from __future__ import annotations

import math

import numpy as np

from formats.data_records import Dataset
from formats.records import Network
from stages.fit import count_cells, to_probabilities
from stages.runtime.errors import StageError
from stages.runtime.seeding import task_generator

GRID = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)
"""Equivalent sample sizes that are tried, in rows."""

FOLDS = 5


def losses_by_smoothing(network: Network, dataset: Dataset, target: int, seed: int = 0) -> dict[float, float]:
    """Log-loss of predictions of a variable in cross-validation, by the smoothing of the parameters.

    Every row is predicted by parameters from the other folds, with the structure fixed: the loss is the mean of minus
    the logarithm of the probability of the target's state given the other cells, in nats. Rows are dealt to `FOLDS`
    folds by `seed`. Only families with the target matter, since rows are complete. Raises `StageError` if there are
    fewer rows than folds.
    """
    if dataset.n_rows < FOLDS:
        raise StageError(f"{FOLDS} folds of {dataset.n_rows} rows: give the smoothing itself")
    fold_of_row = task_generator(seed).permutation(dataset.n_rows) % FOLDS
    members = [np.flatnonzero(fold_of_row == fold) for fold in range(FOLDS)]
    n_states = int(dataset.n_states[target])
    families = [(c, p) for c, p in enumerate(network.parents) if c == target or target in p]
    logs = {value: np.zeros((n_states, dataset.n_rows)) for value in GRID}
    for child, parents in families:
        total = count_cells(dataset, child, parents)
        for rows in members:
            part = dataset.rows(rows, dataset.fingerprint)
            training = total - count_cells(part, child, parents)
            cells = [part.codes[v].astype(np.int64) for v in (*parents, child)]
            place = (*parents, child).index(target)
            for value in GRID:
                table = to_probabilities(training, value)
                for state in range(n_states):
                    cells[place] = np.full(len(rows), state)
                    logs[value][state, rows] += np.log(table[tuple(cells)])
    truth = dataset.codes[target].astype(np.int64)
    return {value: _loss(found, truth) for value, found in logs.items()}


def _loss(logs: np.ndarray, truth: np.ndarray) -> float:
    """Mean of minus the logarithm of the probability of the true states; `logs` are joint ones, of every state."""
    largest = logs.max(axis=0)
    given = logs[truth, np.arange(len(truth))] - largest - np.log(np.exp(logs - largest).sum(axis=0))
    return -math.fsum(given.tolist()) / len(truth)
