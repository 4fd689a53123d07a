"""Predictions of one variable in cross-validation: each row by parameters from the rows of the other folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from formats.data_records import Dataset
from formats.records import NetworkRecord
from stages.fit import MARGINAL, UNIFORM, count_cells, mean_marginals, shares_of, summed
from stages.runtime.errors import StageError
from stages.runtime.seeding import task_generator

from .likelihood import coded_folds

Choice = tuple[str, float]
"""What parameters are smoothed towards (one of `stages.fit.TOWARDS`), and their smoothing in rows."""


def fold_logs(
    network: NetworkRecord, dataset: Dataset, target: int, folds: int, choices: Sequence[Choice], seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray, dict[Choice, np.ndarray]]]:
    """For each fold the indices of its rows that show the target, the target's states in them, and logarithms by
    choice.

    The logarithms, float64, shape (states, rows), are of the probability of each row with each state of the target,
    less what is the same for all states. The structure is fixed, and rows are dealt to the folds by `seed`. Where the
    data set can be recoded, cuts and merges are learnt from the other folds, too. Only families with the target
    matter. A row with holes counts, and is judged, by the families that it shows whole, without a sum over the holes.
    """
    fold_of_row = task_generator(seed).permutation(dataset.n_rows) % folds
    shows_target = dataset.shows((target,))
    members = [np.flatnonzero((fold_of_row == fold) & shows_target) for fold in range(folds)]
    families = [(c, p) for c, p in enumerate(network.parents) if c == target or target in p]
    showing = [dataset.shows((*parents, child)) for child, parents in families]
    for coded, judged in coded_folds(dataset, fold_of_row, folds):
        for fold in judged:
            rows = members[fold]
            part = coded.rows(rows)
            states = np.arange(int(coded.n_states[target]))[:, None]
            logs = {choice: np.zeros((len(states), len(rows))) for choice in choices}
            for (child, parents), shown in zip(families, showing):
                training = count_cells(coded, child, parents, shown & (fold_of_row != fold))
                whole = shown[rows]
                cells = tuple(
                    states if v == target else part.codes[v][whole].astype(np.int64) for v in (*parents, child)
                )
                for choice, found in _probabilities(training, cells, choices):
                    logs[choice][:, whole] += np.log(found)
            yield rows, part.codes[target].astype(np.int64), logs


def _probabilities(
    counts: np.ndarray, cells: tuple[np.ndarray, ...], choices: Sequence[Choice]
) -> Iterator[tuple[Choice, np.ndarray]]:
    """For each choice (smoothing above 0) the probabilities in some cells of the table that it makes of the counts.

    No table is made: with many parents it has many more cells than there are rows.
    """
    own, totals = counts[cells], counts.sum(axis=-1)[cells[:-1]]
    counted = {}
    if any(kind == MARGINAL for kind, _ in choices):
        for left_out, parts in summed(counts).items():
            held = [np.zeros_like(index) if axis in left_out else index for axis, index in enumerate(cells)]
            counted[left_out] = parts[0][tuple(held)], parts[1][..., 0][tuple(held[:-1])]
    alone = shares_of(counts)[cells[-1]]
    for kind, value in choices:
        added = value * mean_marginals(alone, counted, value) if kind == MARGINAL else value / counts.size
        total = value if kind == MARGINAL else value / counts.size * counts.shape[-1]
        yield (kind, value), (own + added) / (totals + total)


def folded_distributions(
    network: NetworkRecord, dataset: Dataset, target: int, folds: int, smoothing: float, seed: int
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
