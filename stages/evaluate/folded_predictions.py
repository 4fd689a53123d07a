"""Predictions of one variable in cross-validation: each row by parameters from the rows of the other folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from formats.data_records import Dataset
from formats.records import Network
from stages.fit import UNIFORM, count_cells, to_probabilities
from stages.runtime.errors import StageError
from stages.runtime.seeding import task_generator

from .likelihood import coded_folds

Choice = tuple[str, float]
"""What parameters are smoothed towards (one of `stages.fit.TOWARDS`), and their smoothing in rows."""


def fold_logs(
    network: Network, dataset: Dataset, target: int, folds: int, choices: Sequence[Choice], seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray, dict[Choice, np.ndarray]]]:
    """For each fold the indices of its rows, the target's states in them, and logarithms by choice.

    The logarithms, float64, shape (states, rows), are of the probability of each row with each state of the target,
    less what is the same for all states. The structure is fixed, and rows are dealt to the folds by `seed`. Where the
    data set can be recoded, cuts and merges are learnt from the other folds, too. Only families with the target
    matter, since rows are complete.
    """
    fold_of_row = task_generator(seed).permutation(dataset.n_rows) % folds
    members = [np.flatnonzero(fold_of_row == fold) for fold in range(folds)]
    families = [(c, p) for c, p in enumerate(network.parents) if c == target or target in p]
    for coded, judged in coded_folds(dataset, fold_of_row, folds):
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
            yield rows, part.codes[target].astype(np.int64), logs


def folded_distributions(
    network: Network, dataset: Dataset, target: int, folds: int, smoothing: float, seed: int
) -> np.ndarray:
    """The target's distribution in every row given the row's other cells: float64, shape (rows, states).

    As in `fold_logs`. Raises `StageError` if the target's own states depend on the rows of the other folds.
    """
    name = dataset.names[target]
    if dataset.recoding is not None and name in dataset.recoding.learnt:
        raise StageError(
            f"the states of the target {name!r} would differ between folds\n"
            f"  give its cut points (--discretize {name}=cuts:...), or leave out --folds"
        )
    found = np.empty((dataset.n_rows, int(dataset.n_states[target])))
    choice = (UNIFORM, smoothing)
    for rows, _, logs in fold_logs(network, dataset, target, folds, [choice], seed):
        weights = np.exp(logs[choice] - logs[choice].max(axis=0))
        found[rows] = (weights / weights.sum(axis=0)).T
    return found
