"""Networks with parameters put together from what a file says of each variable, and checked on the way.

Readers of formats that give each family as a flat list of numbers fill `Families`: the numbers go row by row, the
last parent's states faster than the first one's and the child's fastest. BIF, whose rows are labelled, has checks of
its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NoReturn

import numpy as np

from ..data_records import Variable
from ..errors import Inconsistent
from ..graph_records import BayesianNetwork
from .structures import require_acyclic

EXACT = 1e-12
"""Rows whose sum is this close to 1 stay digit for digit as they are; others are renormalised."""

TOLERANCE = 1e-3
"""Rows whose sum is off by more are an error; the published networks are off by up to 3e-7."""

MAX_CELLS = 100_000_000
"""Largest conditional probability table that is read."""


class Families:
    """Variables and their tables, by the identifiers of the file.

    Parameters
    ----------
    fail : callable
        Takes a message, a place in the file and optionally the kind of error, and raises it.
    """

    def __init__(self, fail: Callable[..., NoReturn]):
        self.fail = fail
        self.variables: list[Variable] = []
        self.index_of: dict[str, int] = {}
        self._found: dict[int, tuple[tuple[int, ...], np.ndarray]] = {}

    def add_variable(self, identifier: str, name: str, states: Sequence[str], at: int) -> None:
        """A variable, with the name it is to have besides its identifier."""
        if not identifier:
            self.fail("a variable without a name", at)
        if not states or len(set(states)) < len(states):
            self.fail(f"variable {identifier!r} needs distinct states", at, Inconsistent)
        if self.index_of.setdefault(identifier, len(self.variables)) != len(self.variables):
            self.fail(f"two variables are called {identifier!r}", at, Inconsistent)
        self.variables.append(Variable(name, tuple(states)))

    def add_table(self, names: Sequence[str], words: Sequence[str], at: int) -> None:
        """The table of a family: identifiers of its parents and, last, of the child; and its numbers."""
        family = []
        for name in names:
            if name not in self.index_of:
                self.fail(f"a table of the unknown variable {name!r}", at, Inconsistent)
            family.append(self.index_of[name])
        if not family or len(set(family)) < len(family):
            self.fail("a table names no variable, or one twice", at, Inconsistent)
        *parents, child = family
        if child in self._found:
            self.fail(f"two tables of {names[-1]!r}", at, Inconsistent)
        shape = [len(self.variables[member].known_states) for member in family]
        self._found[child] = tuple(parents), self._read_table(names[-1], shape, words, at)

    def _read_table(self, name: str, shape: list[int], words: Sequence[str], at: int) -> np.ndarray:
        if math.prod(shape) > MAX_CELLS:
            self.fail(f"the table of {name!r} has more than {MAX_CELLS} entries", at)
        if len(words) != math.prod(shape):
            self.fail(
                f"{name!r} has {len(words)} probabilities where {math.prod(shape)} are needed",
                at,
                Inconsistent,
            )
        try:
            table = np.array([float(word) for word in words]).reshape(shape)
        except ValueError:
            self.fail(f"the data of {name!r} are no table of numbers", at)
        with np.errstate(invalid="ignore"):
            sums = table.sum(axis=-1, keepdims=True)
        if not ((np.abs(sums - 1.0) <= TOLERANCE).all() and (table >= 0).all()):
            self.fail(f"the probabilities of {name!r} are negative or do not sum to 1", at, Inconsistent)
        return np.where(np.abs(sums - 1.0) > EXACT, table / sums, table)

    def network(self, source: str, name: str = "unknown") -> BayesianNetwork:
        """The network, when all has come; identifiers serve as names where those are alike.

        Raises
        ------
        FormatError
            There is no variable, one has no table, or the arcs form a cycle.
        """
        identifiers = list(self.index_of)
        if not identifiers:
            raise Inconsistent("no variables", source=source)
        for index, identifier in enumerate(identifiers):
            if index not in self._found:
                raise Inconsistent(f"no table of {identifier!r}", source=source)
        names = [variable.name for variable in self.variables]
        if len(set(names)) < len(names):
            names = identifiers
        order = range(len(names))
        parents = tuple(self._found[index][0] for index in order)
        require_acyclic(names, parents, source)
        renamed = tuple(Variable(n, variable.states) for n, variable in zip(names, self.variables))
        return BayesianNetwork(renamed, parents, tuple(self._found[index][1] for index in order), name)
