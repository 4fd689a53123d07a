"""Rules that cut columns of numbers for a classifier: as many intervals as tell most about the class."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow

from formats.tables.arrow_arrays import figures_of
from formats.tables.columns import MAX_NUMERIC_STATES
from formats.tables.cuts.discretization import Discretization, cut_points, interval_codes
from formats.tables.selection import expanded_names

MOST_INTERVALS = 20


def rules_for_class(
    table: pyarrow.Table, classes: np.ndarray, n_classes: int, counts: np.ndarray, options: dict[str, Any]
) -> list[str]:
    """A rule ``COLUMN=quantile:K`` for each column of more than 20 distinct numbers; no others are cut.

    K, from 2 to 20, is the number of intervals of equally many rows by which the column alone predicts the class best
    (`left_out_log_likelihood`); ties go to fewer intervals.

    - `classes` (int64) and `counts` (int64): the class of each row, and the number of rows that it stands for.
    - `options`: of `learn`. Columns are left alone that it does not read, that it does not read as variables, or
      takes as `categories`; so are cells of its spellings `na`.
    """
    rules = []
    for name, cells in _numbers(table, options):
        shown = np.isfinite(cells) & (counts > 0)
        distinct, positions = np.unique(cells[shown], return_inverse=True)
        if np.isinf(cells).any() or len(distinct) <= (options["max_states"] or MAX_NUMERIC_STATES):
            continue
        places = positions * n_classes + classes[shown]
        by_number = np.bincount(places, counts[shown], len(distinct) * n_classes).reshape(-1, n_classes)
        rows = by_number.sum(axis=1).astype(np.int64)
        likelihoods = []
        for k in range(2, MOST_INTERVALS + 1):
            codes = interval_codes(distinct, cut_points(distinct, rows, Discretization("quantile", k)))
            by_interval = np.zeros((int(codes.max()) + 1, n_classes))
            np.add.at(by_interval, codes, by_number)
            likelihoods.append(left_out_log_likelihood(by_interval))
        rules.append(f"{name}=quantile:{2 + int(np.argmax(likelihoods))}")
    return rules


def left_out_log_likelihood(counts: np.ndarray) -> float:
    """Log-likelihood of the class of each row given its interval, nats, by the shares of all other rows of it.

    To each interval one row is added, distributed as the classes are in all rows and one more of each. `counts`:
    rows by interval and class, float64.
    """
    shares = counts.sum(axis=0) + 1.0
    shares /= shares.sum()
    occurs = counts > 0
    others = np.where(occurs, counts - 1.0, 0.0) + shares
    totals = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return float((counts * np.log(others / totals))[occurs].sum())


def _numbers(table: pyarrow.Table, options: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """The columns of numbers that become variables, float64; NaN where a cell is missing."""
    names = table.column_names
    read = set(expanded_names(_listed(options["columns"]), names) or names)
    read -= {*expanded_names(_listed(options["drop"]), names), options["weights"], options["interventions"]}
    read -= set(expanded_names(_listed(options["categories"]), names))
    kinds = pyarrow.types
    for name in names:
        kind = table.schema.field(name).type
        if name in read and (kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind)):
            cells = figures_of(table[name].cast(pyarrow.float64(), safe=False))
            yield name, np.where(np.isin(cells, list(_spelled(options["na"]))), np.nan, cells)


def _listed(given: str | Sequence[str]) -> list[str]:
    """Names, as options of `learn` take them."""
    return given.split(",") if isinstance(given, str) else list(given)


def _spelled(given: str | Sequence[str]) -> Iterator[float]:
    """The numbers among spellings of missing cells."""
    for text in [given] if isinstance(given, str) else given:
        with contextlib.suppress(ValueError):
            yield float(text)
