"""A bound on the table of a clique, the product of its variables' states: what exact inference pays for.

Peruvemba Ramaswamy and Szeider (2021) bound it in place of the number of variables. Here it joins the bound on the
treewidth: a set whose table with the child exceeds it is not listed, and a variable that joins a k-tree leaves as
many members of its host's clique out as it must (`stages.kernels.ktrees.ktree.form_small_bag`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from formats.errors import Inconsistent
from stages.runtime.errors import InfeasibleError

if TYPE_CHECKING:
    from formats.records import Header, ParentSetTable


class TableBound(NamedTuple):
    """The states of every variable, float64, and the most cells of a table: infinite for no bound."""

    n_states: np.ndarray
    most_cells: float

    @property
    def is_given(self) -> bool:
        """Whether there is a bound."""
        return self.most_cells < np.inf

    def fits(self, child: int, offsets: np.ndarray, parents: np.ndarray) -> np.ndarray:
        """Whether each of the child's sets makes a table with it that is not too large."""
        cells = np.full(len(offsets) - 1, self.n_states[child])
        filled = np.diff(offsets) > 0
        if filled.any():
            cells[filled] *= np.multiply.reduceat(self.n_states[parents], offsets[:-1][filled])
        return cells <= self.most_cells


def table_bound(header: Header, max_table: int | None) -> TableBound:
    """The bound for the variables of a header.

    Raises
    ------
    Inconsistent
        There is a bound, and the header does not tell the states.
    """
    if max_table is None:
        return TableBound(np.ones(header.n_variables), np.inf)
    for variable in header.variables:
        if variable.states is None:
            raise Inconsistent(
                f"--max-table needs the states of all variables, and those of {variable.name!r} are not told",
                remedy="lists of 'bnsl parentsets' tell them; bnsl convert --names DATA adds them to others",
            )
    return TableBound(np.array([float(len(v.known_states)) for v in header.variables]), float(max_table))


def require_sets(table: ParentSetTable, child: int, n_left: int, bound: TableBound) -> None:
    """Raise `InfeasibleError` if no set of a child is left under the bound."""
    if n_left == 0:
        raise InfeasibleError(
            f"{table.header.names[child]!r} alone or with what fixed records demand makes a table of more than "
            f"{bound.most_cells:,.0f} cells: raise --max-table"
        )
