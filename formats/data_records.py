"""Tables of data as records: variables, complete tables, tables with missing cells."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import UnsuitableData
from .tables.packed_cells import Cells, PackedCells
from .wording import option_value

if TYPE_CHECKING:
    from .arc_priors import ArcPrior

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
class Interventions:
    """Which variables were set from outside in which rows.

    A variable's family is counted in the rows in which it was not set (Cooper and Yoo 1999).
    """

    targets: tuple[tuple[int, ...], ...]
    """The different sets of variables that were set together: ascending indices, the sets in ascending order."""
    of_row: np.ndarray
    """int32, shape (n_rows,): index into `targets` of every row."""

    @property
    def variables(self) -> list[int]:
        """The variables that were set in some row, ascending."""
        return sorted({variable for target in self.targets for variable in target})

    def is_free(self, variable: int) -> np.ndarray:
        """The rows in which a variable was not set, bool."""
        return np.array([variable not in target for target in self.targets])[self.of_row]

    def require_rows(self, names: Sequence[str]) -> None:
        """Raise `UnsuitableData` if a variable was set in every row; `names` are of all variables."""
        for variable in self.variables:
            if not self.is_free(variable).any():
                raise UnsuitableData(
                    f"{names[variable]!r} was set in every row: no row tells what it depends on",
                    remedy="leave its name out of the column of --interventions; where a structure is learnt, also "
                    f"forbid arcs into it: --forbid {option_value(f'*->{names[variable]}')}",
                )

    def only(self, variables: Collection[int]) -> np.ndarray:
        """The rows in which none but these variables were set, bool."""
        return np.array([set(target) <= set(variables) for target in self.targets])[self.of_row]

    def rows(self, chosen: np.ndarray) -> Interventions:
        """In these rows, indices or a mask; sets of no row stay in `targets`."""
        return Interventions(self.targets, self.of_row[chosen])

    def among(self, variables: Sequence[int]) -> Interventions:
        """With `variables` numbered by their places in this sequence; the others are left out."""
        place = {variable: k for k, variable in enumerate(variables)}
        renumbered = [tuple(sorted(place[v] for v in target if v in place)) for target in self.targets]
        targets = tuple(sorted(set(renumbered)))
        new = np.array([targets.index(target) for target in renumbered], dtype=np.int32)
        return Interventions(targets, new[self.of_row])

    def recorded(self) -> dict[str, Any]:
        """The entry of headers: the sets that occur."""
        return {"interventions": [list(self.targets[k]) for k in np.unique(self.of_row).tolist()]}


@dataclass(frozen=True, eq=False)
class Recoding:
    """The states that a table has if some of its rows alone decide its cuts."""

    learnt: tuple[str, ...]
    """The variables whose states are learnt from these rows; the others keep theirs."""
    kept: tuple[str, ...]
    """The variables whose cuts a file lists, and which keep them."""
    states_by: Callable[[np.ndarray], tuple[tuple[Variable, ...], np.ndarray]]
    """Variables and codes of all rows, uint8, shape (n_variables, n_rows), by marked ones (bool)."""


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
    """``sha256:...`` of names, states, codes and interventions; equal for equal tables, whatever their files."""
    interventions: Interventions | None = None
    """Which variables were set in which rows; None if none was."""
    prior: ArcPrior | None = None
    """Probabilities of arcs that local scores of these data contain; None for none."""
    recoding: Recoding | None = None
    """How some of the rows decide the states; None unless it was asked for."""

    def __post_init__(self):
        is_apart = isinstance(self.codes, np.ndarray) and not self.codes.flags.c_contiguous
        if self.codes.dtype != np.uint8 or self.codes.ndim != 2 or is_apart:
            raise TypeError("codes must be a C-contiguous two-dimensional array of uint8")
        if len(self.variables) != self.codes.shape[0]:
            raise ValueError("one row of codes per variable")

    def __reduce__(self) -> tuple[Callable[..., Dataset], tuple[Any, ...]]:
        """Pickle the codes packed, to send fewer bytes to workers."""
        codes = self.codes if isinstance(self.codes, PackedCells) else PackedCells.of(self.codes)
        return _unpacked, (self.variables, codes, self.fingerprint, self.interventions, self.prior)

    def rows(self, chosen: np.ndarray, fingerprint: str = "") -> Dataset:
        """The rows of these indices, or of a mask, by default without a fingerprint."""
        set_there = None if self.interventions is None else self.interventions.rows(chosen)
        return Dataset(
            self.variables, np.ascontiguousarray(self.codes[:, chosen]), fingerprint, set_there, self.prior
        )

    def of_variables(self, order: Sequence[int], fingerprint: str) -> Dataset:
        """The table whose column k is column ``order[k]`` of this one; arcs of other variables in its prior do not
        count.
        """
        codes = self.codes
        cells = np.ascontiguousarray(codes[order]) if isinstance(codes, np.ndarray) else codes.taken(order)
        set_there = None if self.interventions is None else self.interventions.among(order)
        return Dataset(
            tuple(self.variables[v] for v in order), cells, fingerprint, set_there, self.prior, self.recoding
        )

    def recoded(self, is_marked: np.ndarray) -> Dataset:
        """All rows by the states that the marked ones (bool) give; the table itself if no states depend on rows.

        It has no fingerprint.
        """
        if self.recoding is None or not self.recoding.learnt:
            return self
        variables, codes = self.recoding.states_by(is_marked)
        place = {variable.name: k for k, variable in enumerate(variables)}
        order = [place[name] for name in self.names]
        cells = np.ascontiguousarray(codes[order])
        return Dataset(tuple(variables[k] for k in order), cells, "", self.interventions, self.prior)

    def is_free(self, variable: int) -> np.ndarray | None:
        """The rows that count for a variable's family, bool: it was not set in them; None for all rows."""
        given = self.interventions
        return given.is_free(variable) if given is not None and variable in given.variables else None

    def family_columns(self, child: int, parents: Sequence[int]) -> list[np.ndarray]:
        """The columns of the parents in their order, then of the child, in the rows that count for this family."""
        free = self.is_free(child)
        columns = [self.codes[v] for v in (*parents, child)]
        return columns if free is None else [column[free] for column in columns]

    def configurations(self, variables: Sequence[int]) -> np.ndarray:
        """The configuration of some variables in each row, int64; configurations that occur are numbered from 0."""
        found = np.zeros(self.n_rows, dtype=np.int64)
        for variable in variables:
            _, found = np.unique(
                found * len(self.variables[variable].known_states) + self.codes[variable], return_inverse=True
            )
        return found

    @property
    def score_entries(self) -> dict[str, Any]:
        """The entries of headers about what local scores count and contain: interventions, a prior of arcs."""
        counted = {} if self.interventions is None else self.interventions.recorded()
        return counted if self.prior is None else counted | self.prior.recorded()

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


def _unpacked(
    variables: tuple[Variable, ...],
    codes: PackedCells,
    fingerprint: str,
    interventions: Interventions | None,
    prior: ArcPrior | None,
) -> Dataset:
    return Dataset(variables, np.asarray(codes), fingerprint, interventions, prior)


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
        return IncompleteDataset(self.dataset.rows(chosen), self.is_hidden[:, chosen])

    def by_target(self) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
        """Each set of variables that were set together, and its rows, ascending."""
        given = self.dataset.interventions
        if given is None:
            yield (), np.arange(self.dataset.n_rows)
            return
        for target in np.unique(given.of_row).tolist():
            yield given.targets[target], np.flatnonzero(given.of_row == target)

    def complete(self, codes: np.ndarray) -> Dataset:
        """The table with other codes, without a fingerprint because it is in no file."""
        given = self.dataset
        return Dataset(given.variables, codes, "", given.interventions, prior=given.prior)
