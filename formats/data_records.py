"""Tables of data as records: variables, complete tables, tables with missing cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .tables.packed_cells import Cells, PackedCells

MAX_STATES = 256
"""Codes are single bytes, so a variable has at most this many states."""


@dataclass(frozen=True)
class Variable:
    """A discrete variable: its name and its state labels in code order (None where unknown, as from jkl)."""

    name: str
    states: tuple[str, ...] | None = None

    @property
    def known_states(self) -> tuple[str, ...]:
        """The states; a `ValueError` if they are unknown."""
        if self.states is None:
            raise ValueError(f"the states of variable {self.name!r} are unknown")
        return self.states


@dataclass(frozen=True, eq=False)
class Dataset:
    """A complete discrete table."""

    variables: tuple[Variable, ...]
    """With known states."""
    codes: Cells
    """uint8, shape (n_variables, n_rows), C-contiguous, or PackedCells: every cell as an index into the states of its
    variable; packed if there are many rows.
    """
    fingerprint: str
    """``sha256:...`` of names, states and codes; equal for equal tables, independent of their files."""

    def __post_init__(self):
        is_apart = isinstance(self.codes, np.ndarray) and not self.codes.flags.c_contiguous
        if self.codes.dtype != np.uint8 or self.codes.ndim != 2 or is_apart:
            raise TypeError("codes must be a C-contiguous two-dimensional array of uint8")
        if len(self.variables) != self.codes.shape[0]:
            raise ValueError("one row of codes per variable")

    def __reduce__(self) -> tuple[Callable[..., Dataset], tuple[Any, ...]]:
        """Pickle the codes packed, to send fewer bytes to workers."""
        codes = self.codes if isinstance(self.codes, PackedCells) else PackedCells.of(self.codes)
        return _unpacked, (self.variables, codes, self.fingerprint)

    @property
    def plain_codes(self) -> np.ndarray:
        """The codes as an array, a byte a cell."""
        return np.asarray(self.codes)

    @property
    def n_variables(self) -> int:
        return self.codes.shape[0]

    @property
    def n_rows(self) -> int:
        return self.codes.shape[1]

    @property
    def n_states(self) -> np.ndarray:
        """Numbers of states, int32, shape (n_variables,)."""
        return np.array([len(v.known_states) for v in self.variables], dtype=np.int32)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.variables)


def _unpacked(variables: tuple[Variable, ...], codes: PackedCells, fingerprint: str) -> Dataset:
    return Dataset(variables, np.asarray(codes), fingerprint)


@dataclass(frozen=True, eq=False)
class IncompleteDataset:
    """A discrete table with missing cells."""

    dataset: Dataset
    """The table with the first state in every missing cell; its fingerprint depends on which cells are missing."""
    is_hidden: np.ndarray
    """bool, shape (n_variables, n_rows): which cells are missing."""

    def __post_init__(self):
        if self.is_hidden.dtype != np.bool_ or self.is_hidden.shape != self.dataset.codes.shape:
            raise TypeError("holes must be bool, one for each cell")

    @property
    def n_holes(self) -> int:
        return int(self.is_hidden.sum())

    def rows(self, chosen: np.ndarray) -> IncompleteDataset:
        """The rows of these indices, without a fingerprint."""
        codes = np.ascontiguousarray(self.dataset.codes[:, chosen])
        return IncompleteDataset(Dataset(self.dataset.variables, codes, ""), self.is_hidden[:, chosen])

    def complete(self, codes: np.ndarray) -> Dataset:
        """The table with other codes, without a fingerprint because it is in no file."""
        return Dataset(self.dataset.variables, codes, "")
