"""A bound on the table of a clique (product of its variables' states), which determines the cost of exact inference.

Peruvemba Ramaswamy and Szeider (2021) bound it instead of the number of variables. Here it is added to the bound on
the treewidth. Sets whose table with the child exceeds it are dropped. A variable that joins a k-tree leaves out as
many members of its host's bag as the bound requires (`stages.kernels.ktrees.ktree.form_bag`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from formats.errors import Inconsistent
from formats.records import Header, ParentSetTable
from formats.wording import whole
from stages.runtime.errors import InfeasibleError


class TableBound(NamedTuple):
    """The number of states of each variable, float64, and the maximum cells of a table; infinite for no bound."""

    n_states: np.ndarray
    most_cells: float

    @property
    def is_given(self) -> bool:
        """Whether there is a bound."""
        return self.most_cells < np.inf

    @property
    def widest(self) -> int:
        """Largest treewidth that it allows: by a clique of the variables with the fewest states.

        Constant variables do not count, as no arc to or from them improves a score.
        """
        varying = np.sort(self.n_states[self.n_states > 1.0])
        with np.errstate(over="ignore"):  # infinite with many variables
            return max(0, int((np.cumprod(varying) <= self.most_cells).sum()) - 1)

    def is_implied(self, treewidth: int) -> bool:
        """Whether every clique within the treewidth keeps the bound, even a clique of the variables with the most
        states.
        """
        with np.errstate(over="ignore"):
            return bool(np.prod(np.sort(self.n_states)[-treewidth - 1 :]) <= self.most_cells)

    def fits(self, children: np.ndarray, offsets: np.ndarray, parents: np.ndarray) -> np.ndarray:
        """Whether the table of each set and its child is within the bound; bool."""
        cells = self.n_states[children]
        # `reduceat` would give an empty set the first entry of the next one.
        filled = np.diff(offsets) > 0
        if filled.any():
            cells[filled] *= np.multiply.reduceat(self.n_states[parents], offsets[:-1][filled])
        return cells <= self.most_cells


def table_bound(header: Header, max_table: int | None) -> TableBound:
    """The bound for the variables of a header.

    Raises `Inconsistent` if there is a bound and the header lacks the states of a variable.
    """
    if max_table is None:
        return TableBound(np.ones(header.n_variables), np.inf)
    for variable in header.variables:
        if variable.states is None:
            raise Inconsistent(
                f"--max-table needs the states of all variables; the states of {variable.name!r} are unknown",
                remedy="lists of 'bnsl parentsets' have them; bnsl convert --names DATA adds them to others",
            )
    return TableBound(np.array([float(len(v.known_states)) for v in header.variables]), float(max_table))


def require_sets(table: ParentSetTable, children: np.ndarray, bound: TableBound) -> None:
    """Raise `InfeasibleError` if a child has no set left under the bound; `children` has the child of each remaining
    set.
    """
    without = np.flatnonzero(np.bincount(children, minlength=table.n_variables) == 0)
    if len(without):
        name = table.header.names[without[0]]
        raise InfeasibleError(
            f"the table of {name!r}, alone or with the variables that fixed records require, has more than "
            f"{whole(bound.most_cells)} cells: raise --max-table"
        )
