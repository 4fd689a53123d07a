"""Columns of labels as readers deliver them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from .intervened import SetColumns
from .label_columns import LabelColumn


class RawTable(NamedTuple):
    """Columns as readers deliver them."""

    names: tuple[str, ...]
    columns: Sequence[LabelColumn]
    """Their values are texts (`arrow` makes texts of other types)."""
    is_tight: bool = True
    """Whether every label of the dictionaries occurs in the column."""
    is_named: bool = True
    """Whether the names come from the input (else they are V0, V1, ...)."""
    is_coded: bool = False
    """Whether the input gives the number of states of every column, so that numbers are codes of states."""
    first_line: int | None = None
    """Line of the first row, counted from 1; None unless each row is one line of text."""
    source: str = ""
    """Name of the input."""
    levels: Mapping[str, Sequence[str]] = {}
    """The levels of categorical columns in their order."""
    row_labels: Collection[str] = ()
    """The columns with the row labels of pandas, which are no variables."""
    set_there: SetColumns | None = None
    """What was set in each row, if a column says so."""

    def chosen(self, positions: Sequence[int]) -> RawTable:
        """The columns at these positions."""
        names, columns = tuple(self.names[p] for p in positions), [self.columns[p] for p in positions]
        return self._replace(names=names, columns=columns)

    def place_of(self, row: int) -> tuple[int | None, str]:
        """Line of a row (from 0), None if unknown, and words that name the row if its line is unknown."""
        return (None, f"row {row + 1}: ") if self.first_line is None else (self.first_line + row, "")
