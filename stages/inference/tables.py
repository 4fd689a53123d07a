"""Questions to the rows of a table with holes; rows whose holes form the same component are worked on together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stages.runtime.seeding import task_generator
from stages.runtime.workers import ordered_map

from .engine import CELL_BYTES, Cost, Engine
from .questions import impossible, target_columns

if TYPE_CHECKING:
    from formats.errors import Inconsistent
    from stages.kernels.inference.answers import Asked, Groups

MOST_ROWS = 4096
BATCH_CELLS = 1 << 26
"""Rows of a batch, and cells of their tables, at most: some tenths of a second between two looks at signals."""

TABLE_CELLS = 1 << 22
"""Cells of the rows themselves in a batch, at most."""


class RowAnswers(NamedTuple):
    """Answers for consecutive rows.

    Attributes
    ----------
    start : int
        The first of them.
    codes : ndarray of uint8, shape (n, rows)
        States; those that were hidden are filled in where that was asked for.
    posterior : ndarray of float64, shape (rows, columns)
        Distributions of the targets, side by side; NaN in impossible rows.
    log_probability : ndarray of float64, shape (rows,)
        Of what is observed, or of the most probable states together with it, nats; minus infinity where impossible.
    """

    start: int
    codes: np.ndarray
    posterior: np.ndarray
    log_probability: np.ndarray


def log_probabilities(
    engine: Engine, codes: np.ndarray, is_hidden: np.ndarray, jobs: int = 1
) -> Iterator[RowAnswers]:
    """The probability of what is observed in each row.

    Parameters
    ----------
    engine : Engine
    codes : ndarray of uint8, shape (n, rows)
    is_hidden : ndarray of bool, shape (n, rows)
    jobs : int
        Threads.

    Raises
    ------
    StageError
        The tables of a row do not fit into memory.
    """
    from stages.kernels.inference.answers import LOGS

    yield from _answer(engine, codes, is_hidden, LOGS, (), None, jobs)


def predict(
    engine: Engine, codes: np.ndarray, is_hidden: np.ndarray, targets: Sequence[int], jobs: int = 1
) -> Iterator[RowAnswers]:
    """The distribution of each target given the other cells of its row; targets themselves are never evidence.

    Raises
    ------
    StageError
        The tables of a row do not fit into memory.
    """
    from stages.kernels.inference.answers import MARGINALS

    is_hidden = is_hidden.copy()
    is_hidden[list(targets)] = True
    yield from _answer(engine, codes, is_hidden, MARGINALS, targets, None, jobs)


def fill(
    engine: Engine, codes: np.ndarray, is_hidden: np.ndarray, seed: int | None = None, jobs: int = 1
) -> Iterator[RowAnswers]:
    """States for hidden cells: the most probable ones together, or with a `seed` drawn given the observed ones.

    Raises
    ------
    Inconsistent
        What is observed in a row has probability zero.
    StageError
        The tables of a row do not fit into memory.
    """
    from stages.kernels.inference.answers import BEST, DRAWN

    kind = BEST if seed is None else DRAWN
    for answers in _answer(engine, codes, is_hidden, kind, range(engine.n_variables), seed, jobs):
        bad = np.flatnonzero(answers.log_probability == -math.inf)
        if len(bad):
            raise impossible_row(engine, codes, is_hidden, answers.start + int(bad[0]))
        yield answers


def impossible_row(engine: Engine, codes: np.ndarray, is_hidden: np.ndarray, row: int) -> Inconsistent:
    """The error that names a part of a row which contradicts itself; rows are counted from 1."""
    observed = np.flatnonzero(~is_hidden[:, row]).tolist()
    error = impossible(engine, {v: int(codes[v, row]) for v in observed})
    error.message = f"row {row + 1}: {error.message}"
    return error


def batch_rows(engine: Engine) -> int:
    """Rows of a batch; they depend on the network alone."""
    by_cells = min(BATCH_CELLS / max(engine.whole_cells, 1.0), TABLE_CELLS / engine.n_variables)
    return max(1, min(MOST_ROWS, int(by_cells)))


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
    target_start, n_columns = target_columns(engine, wanted if seed is None else ())

    def work(start: int) -> RowAnswers:
        rows = slice(start, start + size)
        own, hidden = np.ascontiguousarray(codes[:, rows]), np.ascontiguousarray(is_hidden[:, rows])
        uniforms = _uniforms(seed, start // size, own.shape)
        return _answer_batch(engine, start, own, hidden, kind, is_wanted, (target_start, n_columns), uniforms)

    yield from ordered_map(work, range(0, codes.shape[1], size), jobs)


def _uniforms(seed: int | None, batch: int, shape: tuple[int, ...]) -> np.ndarray:
    if seed is None:
        return np.zeros((0, 0))
    return np.ascontiguousarray(task_generator(seed, 4, batch).random(shape[::-1]).T)


def _answer_batch(
    engine: Engine,
    start: int,
    codes: np.ndarray,
    is_hidden: np.ndarray,
    kind: int,
    is_wanted: np.ndarray,
    columns: tuple[np.ndarray, int],
    uniforms: np.ndarray,
) -> RowAnswers:
    from stages.kernels.inference.answers import MARGINALS, Asked, answer_groups
    from stages.kernels.inference.components import observed_log_probability

    groups = engine.group(is_hidden, is_wanted)
    n_rows = codes.shape[1]
    log_probability = np.zeros(n_rows)
    observed_log_probability(engine.arrays, codes, is_hidden, log_probability)
    asked = Asked(
        ranks=engine.ranks,
        is_joined=np.zeros(engine.n_variables, dtype=np.bool_),
        target_start=columns[0],
        uniforms=uniforms,
        codes=codes,
        posterior=np.full((n_rows, columns[1]) if kind == MARGINALS else (0, 0), math.nan),
        logs=np.empty(len(groups.rows)),
    )
    failed = answer_groups(
        engine.arrays, groups, asked, kind, 0, len(groups.row_start) - 1, engine.most_cells
    )
    if failed >= 0:
        engine.refuse_too_large(cost_of_group(engine, groups, asked, failed))
    np.add.at(log_probability, groups.rows, asked.logs)
    asked.posterior[log_probability == -math.inf if kind == MARGINALS else slice(0)] = math.nan
    return RowAnswers(start, codes, asked.posterior, log_probability)


def cost_of_group(engine: Engine, groups: Groups, asked: Asked, group: int) -> Cost:
    """What it takes to answer for a row of one group."""
    from stages.kernels.inference.answers import group_costs

    cells, message_cells, width, _ = group_costs(engine.arrays, groups, asked)[group]
    hidden = int(groups.member_start[group + 1] - groups.member_start[group])
    return Cost(hidden, int(width), float(cells), float(CELL_BYTES * (cells + message_cells)))
