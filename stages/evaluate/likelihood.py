"""Log-likelihoods of rows: held-out, cross-validated, under given parameters.

The probability of a row is that of the variables that were not set in it, given the others (truncated factorisation).

Estimated parameters are posterior means under BDeu's prior with equivalent sample size `smoothing`. So no row is
impossible, and Markov-equivalent networks give every row the same probability.
"""

# Imported where needed, since loading takes time: junction_trees, row_queries
from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from formats.data_records import Dataset
from formats.records import Parameters
from stages.inference.intervened_networks import detached
from stages.runtime.budgets import slices
from stages.runtime.errors import StageError
from stages.runtime.seeding import task_generator
from stages.scoring.independent import encode_rows

ROWS_AT_ONCE = 1 << 16
"""Rows processed per numpy call; signals are handled between calls."""


def held_out_log_likelihoods(
    parents: Sequence[Sequence[int]], training: Dataset, test: Dataset, smoothing: float = 1.0
) -> np.ndarray:
    """Log-probability of every test row under parameters estimated from the training rows.

    Both tables have the same codes of states; `smoothing` is positive. Returns float64, shape (n_test_rows,), in
    nats.
    """
    codes = np.empty((training.n_variables, training.n_rows + test.n_rows), dtype=np.uint8)
    for column, parts in zip(codes, zip(training.codes, test.codes)):
        np.concatenate(parts, out=column)
    both = Dataset(training.variables, codes, "")
    # Both tables as one, in two folds: the test rows (fold 0) are judged by counts of the rows of the other fold.
    folds = np.zeros(both.n_rows, dtype=np.int64)
    folds[: training.n_rows] = 1
    n_states = training.n_states.tolist()
    total = np.zeros(test.n_rows)
    for child, parent_set in enumerate(parents):
        free = _all_free(training, child), _all_free(test, child)
        logs = _log_probabilities(both, n_states, child, parent_set, folds, (0,), smoothing, np.concatenate(free))
        total += logs[training.n_rows :]
    return total


def cross_validated_log_likelihoods(
    parents: Sequence[Sequence[int]], dataset: Dataset, folds: int = 10, smoothing: float = 1.0, seed: int = 0
) -> np.ndarray:
    """Log-probability of every row under parameters estimated from the other folds (CVLL).

    The structure is fixed. Rows are assigned to folds at random; fold sizes differ by at most one row. Where the data
    set can be recoded, cuts and merges are learnt from the other folds, too. Returns float64, shape (n_rows,), in
    nats. Raises `StageError` if there are fewer than two folds, or more folds than rows.
    """
    if not 2 <= folds <= dataset.n_rows:
        raise StageError(f"{folds} folds of {dataset.n_rows} rows: choose between 2 and the number of rows")
    # In another thread, because the waiting main thread handles signals: millions of rows take half a second.
    deal = ThreadPoolExecutor(1).submit(task_generator(seed).permutation, dataset.n_rows).result()
    # Remainders of a permutation: sizes of folds differ by one at most.
    fold_of_row = deal % folds
    total = np.zeros(dataset.n_rows)
    for coded, judged in coded_folds(dataset, fold_of_row, folds):
        n_states = coded.n_states.tolist()
        for child, parent_set in enumerate(parents):
            free = _all_free(coded, child)
            total += _log_probabilities(coded, n_states, child, parent_set, fold_of_row, judged, smoothing, free)
    return total


def coded_folds(dataset: Dataset, fold_of_row: np.ndarray, folds: int) -> Iterator[tuple[Dataset, Sequence[int]]]:
    """The table by the states that hold for some folds, and these folds.

    For each fold the table by the cuts and merges of the rows of the others; once for all folds if no states depend
    on rows.
    """
    if dataset.recoding is None or not dataset.recoding.learnt:
        yield dataset, range(folds)
        return
    for fold in range(folds):
        yield dataset.recoded(fold_of_row != fold), (fold,)


def _all_free(dataset: Dataset, child: int) -> np.ndarray:
    """The rows in which the child was not set, bool: others say nothing about its family."""
    free = dataset.is_free(child)
    return np.ones(dataset.n_rows, dtype=np.bool_) if free is None else free


def _log_probabilities(
    dataset: Dataset,
    n_states: Sequence[int],
    child: int,
    parents: Sequence[int],
    fold_of_row: np.ndarray,
    folds: Sequence[int],
    smoothing: float,
    free: np.ndarray,
) -> np.ndarray:
    """ln P(child | parents) for the rows of `folds` among the rows `free` (bool), each fold estimated from all others
    of these; 0 for other rows.
    """
    if not smoothing > 0.0:
        raise ValueError(f"smoothing must be above 0, got {smoothing}")
    family, n_cells = encode_rows(dataset, n_states, (*parents, child))
    configuration, n_configurations = encode_rows(dataset, n_states, parents)
    joint = np.bincount(family[free], minlength=n_cells)
    marginal = np.bincount(configuration[free], minlength=n_configurations)
    # BDeu's prior: the sample size is divided evenly among parent configurations, and each part evenly among states.
    marginal_prior = smoothing / math.prod(float(n_states[p]) for p in parents)
    joint_prior = marginal_prior / n_states[child]
    result = np.zeros(dataset.n_rows)
    for fold in folds:
        rows = np.flatnonzero((fold_of_row == fold) & free)
        seen = joint - np.bincount(family[rows], minlength=n_cells)
        total = marginal - np.bincount(configuration[rows], minlength=n_configurations)
        for start, end in slices(len(rows), ROWS_AT_ONCE):
            part = rows[start:end]
            cells, contexts = family[part], configuration[part]
            result[part] = np.log((seen[cells] + joint_prior) / (total[contexts] + marginal_prior))
    return result


def parameter_log_likelihoods(network: Parameters, dataset: Dataset) -> np.ndarray:
    """Log-probability of every row under the network's own parameters.

    The data set has the network's variables and states, in its order. Returns float64, shape (n_rows,), in nats;
    minus infinity for impossible rows.
    """
    total = np.zeros(dataset.n_rows)
    for child, (parent_set, table) in enumerate(zip(network.parents, network.tables)):
        with np.errstate(divide="ignore"):
            logs = np.log(table)
        free = dataset.is_free(child)
        for start, end in slices(dataset.n_rows, ROWS_AT_ONCE):
            rows = slice(start, end)
            found = logs[tuple(dataset.codes[v, rows] for v in (*parent_set, child))]
            total[rows] += found if free is None else np.where(free[rows], found, 0.0)
    return total


def observed_log_likelihoods(
    network: Parameters, rows: Dataset, jobs: int = 1, memory: int | None = None
) -> np.ndarray:
    """Log-probability of the observed cells of every row, exact, by junction trees.

    Returns float64, shape (n_rows,), in nats; minus infinity for impossible rows. Raises `StageError` if the tables
    of a junction tree do not fit into memory. The rows have the network's variables and states, in its order. `jobs`
    are threads; `memory` limits a junction tree's tables in bytes, by default to the free memory.
    """
    from stages.inference.junction_trees import Engine
    from stages.inference.row_queries import log_probabilities

    found, codes, holes = np.empty(rows.n_rows), rows.plain_codes, rows.holes
    for target, chosen in rows.by_target():
        engine = Engine(detached(network, target), memory=memory)
        hidden = np.ascontiguousarray(holes[:, chosen])
        answers = log_probabilities(engine, np.ascontiguousarray(codes[:, chosen]), hidden, jobs)
        # The uniform factors of the states that were set are no part of the likelihood.
        factors = np.log(rows.n_states[list(target)]) @ ~hidden[list(target)]
        found[chosen] = np.concatenate([part.log_probability for part in answers]) + factors
    return found


def mean(log_likelihoods: np.ndarray) -> float:
    """The mean, from an exactly rounded sum."""
    ends = slices(len(log_likelihoods), ROWS_AT_ONCE)
    parts = (log_likelihoods[start:end].tolist() for start, end in ends)
    return math.fsum(itertools.chain.from_iterable(parts)) / len(log_likelihoods)
