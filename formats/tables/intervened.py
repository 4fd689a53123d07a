"""A column of interventions: the names of the variables that were set in each row, several with ``;`` between.

A cell that is empty or missing names none. Names are those of columns; columns that are not read are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..data_records import Interventions, Variable
from ..errors import UnsuitableData
from ..wording import listed, option_value
from .columns import Column
from .label_columns import LabelColumn
from .selection import matching_names

SEPARATOR = ";"
"""Between the names of a cell."""


def interventions_position(name: str, names: Sequence[str]) -> int:
    """The position of the column; an `UnsuitableData` if no column, or more than one, is meant."""
    found = matching_names(name, names, "--interventions")
    if len(found) > 1:
        raise UnsuitableData(
            f"--interventions {option_value(name)} names {len(found)} columns; one says what was set in each row"
        )
    return names.index(found[0])


def read_interventions(
    name: str,
    column: LabelColumn,
    names: Sequence[str],
    na: tuple[str, ...],
    place_of: Callable[[int], tuple[int | None, str]],
) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """The variables named by each label of a column, and the index of the label of every cell.

    - `names`: the names of all columns of the table but this one.
    - `na`: spellings of missing cells besides the usual ones.
    - `place_of`: the line of a row (from 0), None if unknown, and words that name the row.
    Raises `UnsuitableData`: a cell names no column.
    """
    cells = Column.of(Variable(name), column)
    cells.classify(False, na, missing_is_hole=True)
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
    return of_label, of_row


def settle_interventions(
    of_label: Sequence[tuple[str, ...]], of_row: np.ndarray, variables: Sequence[Variable]
) -> Interventions | None:
    """What was set in the rows kept, by the indices of the variables; None if nothing was."""
    position = {variable.name: index for index, variable in enumerate(variables)}
    sets = [tuple(sorted({position[name] for name in names if name in position})) for names in of_label]
    targets = tuple(sorted({sets[k] for k in np.unique(of_row).tolist()}))
    place = np.array([targets.index(each) if each in targets else -1 for each in sets], dtype=np.int32)
    return Interventions(targets, place[of_row]) if any(targets) else None
