"""Queries given each row of a table with holes; rows with the same hidden component are processed together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from formats.errors import Inconsistent
from stages.kernels.inference.answers import BEST, DRAWN, LOGS, MARGINALS, answer_groups
from stages.kernels.inference.components import observed_log_probability
from stages.runtime.seeding import task_generator
from stages.runtime.workers import ordered_map

from .interruption import interruptible
from .junction_trees import Engine
from .queries import impossible, target_columns

MAX_ROWS = 4096
BATCH_CELLS = 1 << 26
"""Limits of a batch: rows, and cells of their tables; some tenths of a second between two checks for signals."""

TABLE_CELLS = 1 << 22
"""Limit of the cells of a batch's own rows."""


class RowAnswers(NamedTuple):
    """Answers for consecutive rows."""

    start: int  # index of the first
    codes: np.ndarray  # uint8, shape (n, rows): states; `fill` puts in the hidden ones
    # float64, shape (rows, columns): distributions of the targets, side by side; NaN in impossible rows.
    posterior: np.ndarray
    # float64, shape (rows,): log-probability of the observed cells, or of these together with the most probable
    # states; nats, minus infinity if impossible.
    log_probability: np.ndarray


def log_probabilities(
    engine: Engine, codes: np.ndarray, is_hidden: np.ndarray, jobs: int = 1
) -> Iterator[RowAnswers]:
    """The probability of each row's observed cells.

    Raises `StageError` if the tables of a row do not fit into memory. `codes` (uint8) and `is_hidden` (bool) have the
    shape (n, rows), without the factors of a Markov network; `jobs` are threads.
    """
    yield from _answer(engine, codes, is_hidden, LOGS, (), None, jobs)


def predict(
    engine: Engine, codes: np.ndarray, is_hidden: np.ndarray, targets: Sequence[int], jobs: int = 1
) -> Iterator[RowAnswers]:
    """The distribution of each target given the row's other cells; targets are never evidence.

    Arguments and errors as in `log_probabilities`.
    """
    is_hidden = is_hidden.copy()
    is_hidden[list(targets)] = True
    yield from _answer(engine, codes, is_hidden, MARGINALS, targets, None, jobs)


def fill(
    engine: Engine,
    codes: np.ndarray,
    is_hidden: np.ndarray,
    seed: int | None = None,
    jobs: int = 1,
    row_number: Callable[[int], int] = lambda row: row + 1,
) -> Iterator[RowAnswers]:
    """Impute hidden cells by their most probable joint state, or with a `seed` by a draw given the observed cells.

    Arguments and errors as in `log_probabilities`; `row_number` gives the number of a row in messages, from its
    index. Raises `Inconsistent` if the observed cells of a row have probability zero.
    """
    kind = BEST if seed is None else DRAWN
    for answers in _answer(engine, codes, is_hidden, kind, range(engine.n_variables), seed, jobs):
        bad = np.flatnonzero(answers.log_probability == -math.inf)
        if len(bad):
            raise impossible_row(engine, codes, is_hidden, answers.start + int(bad[0]), row_number)
        yield answers


def impossible_row(
    engine: Engine, codes: np.ndarray, is_hidden: np.ndarray, row: int, row_number: Callable[[int], int]
) -> Inconsistent:
    """Error naming a minimal impossible subset of a row's observed cells."""
    observed = np.flatnonzero(~is_hidden[:, row]).tolist()
    error = impossible(engine, {v: int(codes[v, row]) for v in observed})
    error.message = f"row {row_number(row)}: {error.message}"
    return error


def batch_rows(engine: Engine) -> int:
    """Rows per batch; a function of the network alone, so that draws do not depend on the number of threads."""
    by_cells = min(BATCH_CELLS / max(engine.whole_cells, 1.0), TABLE_CELLS / engine.n_variables)
    return max(1, min(MAX_ROWS, int(by_cells)))


def _answer(
    engine: Engine,
    codes: np.ndarray,
    is_hidden: np.ndarray,
    kind: int,
    wanted: Sequence[int],
    seed: int | None,
    jobs: int,
) -> Iterator[RowAnswers]:
    size = batch_rows(engine)
    is_wanted = np.zeros(engine.n_variables, dtype=np.bool_)
    is_wanted[list(wanted)] = True
    target_start, n_columns = target_columns(engine, wanted if kind == MARGINALS else ())

    def work(start: int) -> RowAnswers:
        own = codes[:, start : start + size].copy()  # answers are written into hidden cells
        hidden = np.ascontiguousarray(is_hidden[:, start : start + size])
        groups, n_rows = engine.group(hidden, is_wanted), own.shape[1]
        query = engine.query(own, groups, target_start=target_start)
        if kind == MARGINALS:
            query = query._replace(posterior=np.full((n_rows, n_columns), math.nan))
        if seed is not None:
            uniforms = task_generator(seed, 4, start // size).random((n_rows, engine.n_variables))
            query = query._replace(uniforms=np.ascontiguousarray(uniforms.T))
        refused = interruptible(
            query,
            engine.whole_cells,
            lambda asked: answer_groups(engine.arrays, groups, asked, kind, engine.max_cells),
        )
        engine.refuse_group(groups, query, refused)
        log_probability = np.zeros(n_rows)
        observed_log_probability(engine.arrays, own, hidden, log_probability)
        # A row may have several components: each adds its part.
        np.add.at(log_probability, groups.rows, query.logs)
        if kind == MARGINALS:
            query.posterior[log_probability == -math.inf] = math.nan
        return RowAnswers(start, own[: len(codes)], query.posterior, log_probability)

    yield from ordered_map(work, range(0, codes.shape[1], size), jobs)
