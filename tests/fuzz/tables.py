"""Random tables for the checks of answers: each is known by a seed and its number.

Sizes lie where programs break: one variable, one row, constant columns, 64 rows or states and one more or less,
256 states, 2^16 rows. Columns depend on one another, states are rare, rows repeat.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow
import pyarrow.feather
import pyarrow.parquet

MOST_NUMBERS = 20
"""Distinct numbers beyond which a column counts as continuous; such columns get text labels."""

ODD_SIZES = (17, 20, 21, 63, 64, 65, 90, 127, 128, 129, 200, 255, 256)
"""Numbers of states around the limits of machine words and bytes."""

ODD_ROWS = (63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 511, 512, 513)

MANY_VARIABLES = (63, 64, 65, 66, 127, 128, 129, 255, 256, 257)


class Table(NamedTuple):
    """A complete table.

    Attributes
    ----------
    codes : ndarray of int64, shape (n_variables, n_rows)
        Every state occurs.
    states : tuple of tuple of str
        Labels in code order, sorted as the program sorts them.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    codes: np.ndarray

    @property
    def n_variables(self) -> int:
        return len(self.names)

    @property
    def n_rows(self) -> int:
        return self.codes.shape[1]

    @property
    def n_states(self) -> list[int]:
        return [len(labels) for labels in self.states]

    def columns(self) -> list[np.ndarray]:
        """The labels of every column."""
        return [np.array(labels)[codes] for labels, codes in zip(self.states, self.codes)]

    def few_states(self, most: int) -> Table | None:
        """The columns of at most `most` states, or None if there are none."""
        kept = [v for v, n in enumerate(self.n_states) if n <= most]
        return self.select(kept) if kept else None

    def select(self, kept: Sequence[int]) -> Table:
        """The same rows of some columns."""
        return Table(tuple(self.names[v] for v in kept), tuple(self.states[v] for v in kept), self.codes[list(kept)])


def make_table(seed: int, number: int) -> Table:
    """The table of a number."""
    rng = np.random.default_rng([seed, number, 0])
    n_variables = _n_variables(rng)
    sizes = _sizes(rng, n_variables)
    n_rows = _n_rows(rng, n_variables, max(sizes))
    n_drawn = int(rng.integers(1, n_rows + 1)) if rng.random() < 0.3 else n_rows
    columns: list[np.ndarray] = []
    for size in sizes:
        columns.append(_column(rng, size, n_drawn, columns))
    codes = np.array(columns)
    if n_drawn < n_rows:  # equal rows, in blocks or scattered
        which = rng.integers(n_drawn, size=n_rows)
        codes = codes[:, np.sort(which) if rng.random() < 0.5 else which]
    codes = np.array([np.unique(column, return_inverse=True)[1].reshape(-1) for column in codes])
    states = tuple(_labels(rng, int(column.max()) + 1) for column in codes)
    names = [f"V{v}" for v in range(n_variables)]
    if rng.random() < 0.3:
        rng.shuffle(names)
    return Table(tuple(names), states, codes)


def _n_variables(rng: np.random.Generator) -> int:
    if rng.random() < 0.01:
        return int(rng.choice(MANY_VARIABLES))
    return int(rng.choice(8, p=(0.05, 0.12, 0.23, 0.28, 0.18, 0.07, 0.04, 0.03))) + 1


def _sizes(rng: np.random.Generator, n_variables: int) -> list[int]:
    """How many states each column is drawn from."""
    kind = rng.choice(5, p=(0.3, 0.3, 0.15, 0.15, 0.1))
    if n_variables > 8 or kind <= 1:
        most = 2 if kind == 0 else 4
        return rng.integers(1 if rng.random() < 0.3 else min(2, most), most + 1, n_variables).tolist()
    if kind == 2:
        return rng.integers(2, 21, n_variables).tolist()
    sizes = rng.integers(2, 5, n_variables)
    n_odd = 1 if kind == 3 else int(rng.integers(1, n_variables + 1))
    sizes[rng.permutation(n_variables)[:n_odd]] = rng.choice(ODD_SIZES, n_odd)
    return sizes.tolist()


def _n_rows(rng: np.random.Generator, n_variables: int, largest: int) -> int:
    if n_variables > 8:
        return int(rng.integers(1, 131))
    kind = rng.random()
    if kind < 0.003:
        return int(rng.choice((65535, 65536, 65537, 70000, 131073)))
    if kind < 0.03:
        return int(rng.integers(1000, 6000))
    if kind < 0.4 and largest > 20:  # so that most of the states occur
        return int(largest * rng.integers(1, 8))
    if kind < 0.55:
        return int(rng.choice(ODD_ROWS))
    if kind < 0.65:
        return int(rng.integers(100, 1000))
    return int(rng.integers(1, 9)) if kind < 0.7 else int(rng.integers(1, 66))


def _column(rng: np.random.Generator, size: int, n_rows: int, earlier: list[np.ndarray]) -> np.ndarray:
    """A column drawn by itself, or a noisy function of one or two earlier ones."""
    if earlier and rng.random() < 0.55:
        sources = rng.choice(len(earlier), size=min(len(earlier), int(rng.integers(1, 3))), replace=False)
        column = rng.permutation(size)[sum(earlier[s] for s in sources) % size]
        noise = rng.random(n_rows) < rng.choice((0.0, 0.02, 0.2, 0.6))
        return np.where(noise, rng.integers(size, size=n_rows), column)
    kind = rng.integers(4)
    if kind == 0:
        weights = rng.dirichlet(np.full(size, 0.3))
    elif kind == 1:  # all states but one are rare
        weights = np.full(size, 0.03 / size)
        weights[rng.integers(size)] += 0.97
    elif kind == 2:
        weights = 1.0 / np.arange(1, size + 1)
    else:
        weights = np.ones(size)
    column = rng.choice(size, size=n_rows, p=weights / weights.sum())
    if n_rows >= size and rng.random() < 0.7:
        column[:size] = np.arange(size)
    return column


def _labels(rng: np.random.Generator, size: int) -> tuple[str, ...]:
    """Sorted labels: numbers ascending, texts by characters."""
    kind = rng.integers(4)
    if size > MOST_NUMBERS or kind == 0:
        return tuple(f"s{state:03}" for state in range(size))
    if kind == 1:
        return tuple(str(state - 2) for state in range(size))
    if kind == 2:
        return tuple(f"{state}.5" for state in range(size))
    return tuple(map(str, range(size)))


def write_table(table: Table, folder: Path, kind: str = "csv", name: str = "table") -> Path:
    """Write a table as ``csv``, ``parquet`` or ``feather``; the path."""
    path = folder / f"{name}.{kind}"
    if kind == "csv":
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table.names)
            writer.writerows(zip(*(column.tolist() for column in table.columns())))
        return path
    arrow = pyarrow.table({n: pyarrow.array(c.tolist()) for n, c in zip(table.names, table.columns())})
    if kind == "parquet":
        pyarrow.parquet.write_table(arrow, path)
    else:
        pyarrow.feather.write_feather(arrow, path)
    return path
