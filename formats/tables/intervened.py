"""A column of interventions: the names of the variables that were set in each row, several with ``;`` between.

An empty or missing cell says that nothing was set. Names must be names of columns; columns that are not read are left
out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..data_records import Interventions, Variable
from ..errors import UnsuitableData
from ..wording import listed, option_value
from .columns import Column
from .label_columns import LabelColumn
from .labels import Marks
from .selection import matching_names

SEPARATOR = ";"
"""Between the names of a cell."""


class SetColumns(NamedTuple):
    """The columns that were set in each row, by name."""

    names: list[tuple[str, ...]]
    """The different cells: the columns that each names."""
    of_row: np.ndarray
    """Index into `names` of every row."""

    def repeated(self, counts: np.ndarray) -> SetColumns:
        """Each row as often as it counts."""
        return SetColumns(self.names, np.repeat(self.of_row, counts))

    def renamed(self, new: Mapping[str, str]) -> SetColumns:
        """With other names for columns."""
        return SetColumns([tuple(new.get(name, name) for name in names) for names in self.names], self.of_row)

    def settled(self, rows: np.ndarray | None, variables: Sequence[Variable]) -> Interventions | None:
        """What was set in the rows kept (bool; None for all), by indices of variables; None if nothing was."""
        of_row = self.of_row if rows is None else self.of_row[rows]
        position = {variable.name: index for index, variable in enumerate(variables)}
        sets = [tuple(sorted({position[name] for name in names if name in position})) for names in self.names]
        targets = tuple(sorted({sets[k] for k in np.unique(of_row).tolist()}))
        place = np.array([targets.index(each) if each in targets else -1 for each in sets], dtype=np.int32)
        return Interventions(targets, place[of_row]) if any(targets) else None


def interventions_position(name: str, names: Sequence[str]) -> int:
    """The position of the column; an `UnsuitableData` if no column, or more than one, is meant."""
    found = matching_names(name, names, "--interventions")
    if len(found) > 1:
        raise UnsuitableData(
            f"--interventions {option_value(name)} names {len(found)} columns; one must say what was set in each row"
        )
    return names.index(found[0])


def read_interventions(
    name: str,
    column: LabelColumn,
    names: Sequence[str],
    marks: Marks,
    place_of: Callable[[int], tuple[int | None, str]],
) -> SetColumns:
    """What a column says was set in each row.

    - `names`: the names of all columns of the table but this one.
    - `marks`: the texts of missing cells.
    - `place_of`: the line of a row (from 0), None if unknown, and words that name the row.
    Raises `UnsuitableData`: a cell names no column.
    """
    cells = Column.of(Variable(name), column, marks)
    cells.classify(False, missing_is_hole=True)
    missing = np.zeros(len(cells.labels), dtype=np.bool_) if cells.missing is None else cells.missing
    known = set(names)
    of_label: list[tuple[str, ...]] = []
    unknown: list[str | None] = []
    for label, is_missing in zip(cells.labels.to_pylist(), missing.tolist()):
        text = "" if is_missing else label
        parts = [text] if text in known else [part.strip() for part in text.split(SEPARATOR)]
        named = tuple(part for part in parts if part)
        of_label.append(named)
        unknown.append(next((part for part in named if part not in known), None))
    of_row = cells.gather(np.arange(len(of_label)))
    if any(unknown):
        is_bad = cells.gather(np.array([part is not None for part in unknown]))
        if is_bad.any():
            row = int(np.argmax(is_bad))
            line, words = place_of(row)
            raise UnsuitableData(
                f"{words}{unknown[of_row[row]]!r} is no column of the table, so it was not set",
                line=line,
                column=name,
                remedy=f"each cell names the columns set in its row, with {SEPARATOR!r} between, or is empty: "
                f"{listed(map(repr, names))}",
            )
    return SetColumns(of_label, of_row)
