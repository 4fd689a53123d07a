"""Networks with parameters assembled from the variables and tables of a file, and checked.

Readers of formats with each family as a flat list of numbers call `FamilyTables.add_table`: the numbers go row by
row, the last parent's states faster than the first one's, and the child's states fastest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NoReturn

import numpy as np

from ..data_records import Variable
from ..errors import FormatError, Inconsistent, Malformed
from ..records import NetworkRecord, Parameters
from ..textlines import Lines
from .structures import network_of

EXACT = 1e-12
"""Rows whose sum is this close to 1 stay unchanged; others are renormalised."""

TOLERANCE = 1e-3
"""A larger deviation of a row's sum from 1 is an error; the published networks deviate by up to 3e-7."""

MAX_CELLS = 100_000_000
"""Largest conditional probability table that is read."""


def failing(lines: Lines) -> Callable[..., NoReturn]:
    """A function that raises an error; it gets a message, a line and optionally the kind of error."""

    def fail(message: str, at: int, kind: type[FormatError] = Malformed) -> NoReturn:
        lines.fail(message, line=at, kind=kind)

    return fail


class FamilyTables:
    """Variables and their tables, by the identifiers of the file.

    - `fail`: raises an error; gets a message, a place in the file and optionally the kind of error.
    - `takes_weights`: whether a row may hold weights, which are divided by their sum; weights are numbers with none
      between 0 and 1.
    """

    def __init__(self, fail: Callable[..., NoReturn], takes_weights: bool = False):
        self.fail = fail
        self.takes_weights = takes_weights
        self.variables: list[Variable] = []
        self.index_of: dict[str, int] = {}
        self._found: dict[int, tuple[tuple[int, ...], np.ndarray]] = {}

    def add_variable(self, identifier: str, name: str, states: Sequence[str], at: int) -> None:
        """Add a variable, whose name may differ from its identifier."""
        if not identifier:
            self.fail("a variable without a name", at)
        if not states or len(set(states)) < len(states):
            self.fail(f"variable {identifier!r} needs distinct states", at, Inconsistent)
        if self.index_of.setdefault(identifier, len(self.variables)) != len(self.variables):
            self.fail(f"two variables are called {identifier!r}", at, Inconsistent)
        self.variables.append(Variable(name, tuple(states)))

    def family(self, names: Sequence[str], at: int) -> list[int]:
        """Indices of the parents and, last, of the child of a new table, by their identifiers."""
        for name in names:
            if name not in self.index_of:
                self.fail(f"a table of the unknown variable {name!r}", at, Inconsistent)
        family = [self.index_of[name] for name in names]
        if not family or len(set(family)) < len(family):
            self.fail("a table names no variable, or one twice", at, Inconsistent)
        if family[-1] in self._found:
            self.fail(f"two tables of {names[-1]!r}", at, Inconsistent)
        if math.prod(self.shape(family)) > MAX_CELLS:
            self.fail(f"the table of {names[-1]!r} has more than {MAX_CELLS} entries", at)
        return family

    def shape(self, family: Sequence[int]) -> tuple[int, ...]:
        """Numbers of states of the members of a family."""
        return tuple(len(self.variables[member].known_states) for member in family)

    def add_table(self, names: Sequence[str], words: Sequence[str | float], at: int) -> None:
        """Add the table of a family: identifiers of its parents and, last, of the child; and its numbers."""
        family = self.family(names, at)
        size = math.prod(self.shape(family))
        if len(words) != size:
            message = f"{names[-1]!r} has {len(words)} probabilities where {size} are needed"
            self.fail(message, at, Inconsistent)
        try:
            table = np.array([float(word) for word in words])
        except ValueError:
            self.fail(f"the data of {names[-1]!r} are no table of numbers", at)
        self.store(family, table.reshape(self.shape(family)), at)

    def store(self, family: Sequence[int], table: np.ndarray, at: int) -> None:
        """Check and renormalise the rows of a table, in place, and keep it."""
        rows = table.reshape(-1, table.shape[-1])
        with np.errstate(invalid="ignore"):
            sums = rows.sum(axis=1)
        is_sound = np.abs(sums - 1.0) <= TOLERANCE
        if self.takes_weights:
            # No entry lies between 0 and 1: these are weights, not probabilities that fail to sum to 1.
            is_sound |= ((rows == 0) | (rows >= 1)).all(axis=1) & (sums > 0) & (sums < np.inf)
        is_sound &= (rows >= 0).all(axis=1)
        if not is_sound.all():
            row = int(np.argmin(is_sound))
            is_finite = np.isfinite(rows[row]).all() and rows[row].min() >= 0
            problem = f"sum to {sums[row]:.9g}, not to 1" if is_finite else "are negative or not finite"
            name = self.variables[family[-1]].name
            message = f"variable {name!r}: the probabilities of {self.row_name(family, row)} {problem}"
            self.fail(message, at, Inconsistent)
        # Sums that deviate only by rounding stay: files of this program read back equal.
        off = np.abs(sums - 1.0) > EXACT
        rows[off] /= sums[off, None]
        self._found[family[-1]] = tuple(family[:-1]), table

    def row_name(self, family: Sequence[int], row: int) -> str:
        """The states of the parents in a row of a table."""
        if len(family) == 1:
            return "the variable"
        codes = np.unravel_index(row, self.shape(family[:-1]))
        states = (self.variables[parent].known_states[code] for parent, code in zip(family, codes))
        return f"({', '.join(states)})"

    def network(self, name: str = "unknown") -> NetworkRecord:
        """The network of the `parameters`; raises `FormatError`, too, if the arcs form a cycle."""
        return network_of(self.parameters(name))

    def parameters(self, name: str = "unknown") -> Parameters:
        """The parameters, once all families are added; identifiers replace names that are not distinct.

        Raises `FormatError`: there is no variable, or a variable has no table.
        """
        identifiers = list(self.index_of)
        if not identifiers:
            raise Inconsistent("no variables")
        for index, identifier in enumerate(identifiers):
            if index not in self._found:
                raise Inconsistent(f"no table of {identifier!r}")
        names = [variable.name for variable in self.variables]
        if len(set(names)) < len(names):
            names = identifiers
        parents, tables = zip(*(self._found[index] for index in range(len(names))))
        renamed = tuple(Variable(n, variable.states) for n, variable in zip(names, self.variables))
        return Parameters(renamed, parents, tables, name)
