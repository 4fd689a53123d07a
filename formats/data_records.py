"""Tables of data as records: variables, and tables whose cells may be missing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import UnsuitableData
from .tables.cell_storage import Cells, as_packed, taken_columns
from .wording import option_value, plural

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
    """A discrete table; some of its cells may be missing."""

    variables: tuple[Variable, ...]
    """With known states."""
    codes: Cells
    """uint8, shape (n_variables, n_rows), C-contiguous: every cell as an index into the states of its variable; of
    missing cells the first state. With many rows it is no array, but is read like one (`tables.cell_storage`).
    """
    fingerprint: str
    """``sha256:...`` of names, states, codes, missing cells and interventions; equal for equal tables, whatever their
    files.
    """
    interventions: Interventions | None = None
    """Which variables were set in which rows; None if none was."""
    prior: ArcPrior | None = None
    """Probabilities of arcs that local scores of these data contain; None for none."""
    recoding: Recoding | None = None
    """How some of the rows decide the states; None unless it was asked for."""
    is_hidden: np.ndarray | None = None
    """bool, shape (n_variables, n_rows): which cells are missing; None if none is. What counts complete rows asks
    `require_complete`.
    """

    def __post_init__(self):
        is_apart = isinstance(self.codes, np.ndarray) and not self.codes.flags.c_contiguous
        if self.codes.dtype != np.uint8 or self.codes.ndim != 2 or is_apart:
            raise TypeError("codes must be a C-contiguous two-dimensional array of uint8")
        if len(self.variables) != self.codes.shape[0]:
            raise ValueError("one row of codes per variable")
        holes = self.is_hidden
        if holes is not None and (holes.dtype != np.bool_ or holes.shape != self.codes.shape):
            raise TypeError("holes must be bool, one for each cell")

    def __reduce__(self) -> tuple[Callable[..., Dataset], tuple[Any, ...]]:
        """Pickle few bytes, for workers."""
        return _unpickled, (replace(self, codes=as_packed(self.codes), recoding=None).__dict__,)

    def rows(self, chosen: np.ndarray, fingerprint: str = "") -> Dataset:
        """The rows of these indices, or of a mask, by default without a fingerprint."""
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[:, chosen]),
            fingerprint=fingerprint,
            interventions=None if self.interventions is None else self.interventions.rows(chosen),
            is_hidden=None if self.is_hidden is None else self.is_hidden[:, chosen],
            recoding=None,
        )

    def of_variables(self, order: Sequence[int], fingerprint: str) -> Dataset:
        """The table whose column k is column ``order[k]`` of this one; arcs of other variables in its prior do not
        count.
        """
        return replace(
            self,
            variables=tuple(self.variables[v] for v in order),
            codes=taken_columns(self.codes, order),
            fingerprint=fingerprint,
            interventions=None if self.interventions is None else self.interventions.among(order),
            is_hidden=None if self.is_hidden is None else self.is_hidden[list(order)],
        )

    def filled(self, codes: np.ndarray) -> Dataset:
        """The table with other codes and no missing cell, without a fingerprint because it is in no file."""
        return replace(self, codes=codes, fingerprint="", is_hidden=None, recoding=None)

    def require_complete(self) -> Dataset:
        """The table itself; raises `UnsuitableData` if cells are missing."""
        if self.n_holes:
            raise UnsuitableData(
                f"{plural(self.n_holes, 'missing cell')}: scores and counts need complete rows",
                remedy="fit parameters by bnsl fit --missing em, and give these rows as --test of the result",
            )
        return self

    def require_free_rows(self) -> None:
        """Raise `UnsuitableData` if a variable was set in every row."""
        given = self.interventions
        if given is None:
            return
        for variable in given.variables:
            if not given.is_free(variable).any():
                name = self.names[variable]
                raise UnsuitableData(
                    f"{name!r} was set in every row: no row tells what it depends on",
                    remedy="leave its name out of the column of --interventions; where a structure is learnt, also "
                    f"forbid arcs into it: --forbid {option_value(f'*->{name}')}",
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
        own = tuple(variables[k] for k in order)
        return replace(self, variables=own, codes=np.ascontiguousarray(codes[order]), fingerprint="", recoding=None)

    def is_free(self, variable: int) -> np.ndarray | None:
        """The rows that count for a variable's family, bool: it was not set in them; None for all rows."""
        given = self.interventions
        return given.is_free(variable) if given is not None and variable in given.variables else None

    def by_target(self) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
        """Each set of variables that were set together, and its rows, ascending."""
        given = self.interventions
        if given is None:
            yield (), np.arange(self.n_rows)
            return
        for target in np.unique(given.of_row).tolist():
            yield given.targets[target], np.flatnonzero(given.of_row == target)

    def shows(self, variables: Sequence[int]) -> np.ndarray:
        """The rows in which none of these cells is missing, bool."""
        if self.is_hidden is None:
            return np.ones(self.n_rows, dtype=np.bool_)
        return np.logical_not(self.is_hidden[list(variables)].any(axis=0))

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
    def holes(self) -> np.ndarray:
        """Which cells are missing, bool, shape (n_variables, n_rows), also if none is."""
        return np.zeros(self.codes.shape, dtype=np.bool_) if self.is_hidden is None else self.is_hidden

    @property
    def n_holes(self) -> int:
        """Number of missing cells."""
        return 0 if self.is_hidden is None else int(self.is_hidden.sum())

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


def _unpickled(fields: dict[str, Any]) -> Dataset:
    return Dataset(**fields | {"codes": np.asarray(fields["codes"])})
