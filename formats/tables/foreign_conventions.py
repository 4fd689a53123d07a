"""Conventions of other programs in text tables, recognised with a warning.

- a line of the numbers of states below the names (BLIP, Gobnilp, Benchpress), with the delimiter or with blanks;
- numbers with a decimal comma (spreadsheets in some languages);
- a first column without a name that counts or names the rows (R's write.csv, pandas);
- a first column of row names that the header line does not count (R's write.table);
- a delimiter, or several, at the end of every line;
- spaces around labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow
from pyarrow import compute

from ..errors import UnsuitableData
from ..wording import Warn, listed, plural
from .arrow_arrays import array_of, text_array, text_scalar
from .label_columns import LabelColumn
from .labels import MISSING_LABELS

INDEX_NAMES = ("", "Unnamed: 0")
"""Names of a column of row numbers: of R and pandas, and of pandas after reading it back."""

_MIN_COUNTED_COLUMNS, _MIN_COUNTED_ROWS = 3, 10
_MANY_NUMBERS, _FEW_STRAYS = 10, 3
_MOST_CROSSED = 20
_COMMA_NUMBER = r"^\s*[+-]?(?:[0-9]*|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+(?:[eE][+-]?[0-9]+)?\s*$"
_POINT_NUMBER = r"^\s*[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?\s*$"
_WHOLE_NUMBER = r"^\s*[+-]?[0-9]+\s*$"


def is_line_of_counts(columns: list[LabelColumn]) -> bool:
    """Whether the first row holds the numbers of states instead of values.

    It does if there are at least three columns and more than ten rows, each column holds whole numbers only (or
    missing cells), all below the one in the first row, and in most columns the largest is one less than that: codes
    from 0 to the number of states less 1.
    """
    if len(columns) < _MIN_COUNTED_COLUMNS or len(columns[0]) <= _MIN_COUNTED_ROWS:
        return False  # too small to be distinguished from an ordinary row
    n_tight = 0
    for column in columns:
        surplus = _surplus_of_count(column)
        if surplus is None:
            return False
        n_tight += surplus == 1
    return 2 * n_tight > len(columns)


def is_spaced_line_of_counts(line: bytes, delimiter: str, n_names: int) -> bool:
    """Whether the line below the names holds one positive whole number per name, with blanks for delimiters."""
    words = line.split()
    return (
        delimiter != " "
        and delimiter.encode() not in line
        and n_names > 1
        and len(words) == n_names
        and all(word.isdigit() and int(word) > 0 for word in words)
    )


def _surplus_of_count(column: LabelColumn) -> int | None:
    """The excess of the first cell over the largest of the others; None if not positive, or not all are codes."""
    labels, cells = column.values.to_pylist(), column.cells()
    first = int(cells[0])
    # A number of states exceeds all codes, so it is the value of no other cell.
    if np.count_nonzero(cells == first) != 1:
        return None
    others = [label.strip() for position, label in enumerate(labels) if position != first]
    codes = [label for label in others if label not in MISSING_LABELS]
    if not codes or not all(label.isascii() and label.isdigit() for label in (*codes, labels[first].strip())):
        return None
    surplus = int(labels[first]) - max(map(int, codes))
    return surplus if surplus > 0 else None


def with_decimal_points(names: Sequence[str], columns: list[LabelColumn]) -> tuple[list[str], list[LabelColumn]]:
    """The names of columns of numbers with a decimal comma (``1,5``, ``1.073,14``), and all with points instead.

    A column qualifies if each of its cells is such a number, a whole number or missing, and no column of the
    table has a number with a decimal point. Among many such numbers a few other labels (``12 kg``) are tolerated:
    they stay as they are.
    """
    found: list[str] = []
    changed: list[LabelColumn] = []
    for name, column in zip(names, columns):
        labels = column.values
        if compute.any(compute.match_substring_regex(labels, _POINT_NUMBER)).as_py():
            return [], columns
        has_comma = compute.match_substring_regex(labels, _COMMA_NUMBER)
        is_whole = compute.match_substring_regex(labels, _WHOLE_NUMBER)
        missing = text_array(MISSING_LABELS)
        is_missing = compute.is_in(compute.utf8_trim_whitespace(labels), value_set=missing)
        is_stray = compute.invert(compute.or_(compute.or_(has_comma, is_whole), is_missing))
        n_numbers, n_strays = compute.sum(has_comma).as_py() or 0, compute.sum(is_stray).as_py() or 0
        if n_numbers and n_strays <= (_FEW_STRAYS if n_numbers >= _MANY_NUMBERS else 0):
            found.append(name)
            plain = compute.replace_substring(labels, ".", "")  # between thousands
            column = column.with_values(
                compute.if_else(has_comma, compute.replace_substring(plain, ",", "."), labels)
            )
        changed.append(column)
    return found, changed


def without_row_numbers(
    names: tuple[str, ...], columns: list[LabelColumn], warn: Warn
) -> tuple[tuple[str, ...], list[LabelColumn]]:
    """Names and columns without a first one that has no name and counts the rows or names each differently."""
    if len(names) < 2 or names[0] not in INDEX_NAMES:
        return names, columns
    called = f"called {names[0]!r}" if names[0] else "without a name"
    if _is_row_numbers(columns[0]):
        kind = "counts the rows"
    elif not names[0] and len(columns[0]) > 1 and _are_distinct(columns[0]):
        kind = "names the rows"
        _refuse_cross_table(columns)
    else:
        return names, columns
    warn(f"the first column, {called}, {kind}: left out")
    return names[1:], columns[1:]


def _refuse_cross_table(columns: Sequence[LabelColumn]) -> None:
    """Raise `UnsuitableData` for a few rows of names and counts: whole numbers that hardly repeat in any column."""
    n_rows = len(columns[0])
    counted = [column for column in columns[1:] if 2 * len(column.values) > n_rows]
    names = columns[0].array()
    if n_rows > _MOST_CROSSED or len(counted) < len(columns) - 1 or _are_whole(names):
        return
    if all(_are_whole(column.values) for column in counted):
        raise UnsuitableData(
            f"this looks like a cross table of counts, with rows {listed(map(repr, names.to_pylist()))}",
            remedy="write a line for each of its cells, with both labels and the count, and give the column of "
            "counts by --weights; if the lines are rows of data, name the first column and leave it out by --drop",
        )


def _are_whole(labels: pyarrow.Array) -> bool:
    return compute.all(compute.match_substring_regex(labels, _WHOLE_NUMBER)).as_py()


def without_row_names(columns: list[LabelColumn], n_names: int, warn: Warn) -> list[LabelColumn]:
    """The columns without the first one, of row names, where the header line has one cell less than the rows.

    Raises `ValueError`: two rows have the same name: a cell is missing elsewhere; or there are more such columns.
    """
    if len(columns) > n_names + 1 or not _are_distinct(columns[0]):
        raise ValueError("the rows have one cell more than the names, and the first are no row names")
    warn(
        "the first line has one name fewer than there are columns, as R's write.table writes it: "
        "the first column is taken for row names and left out"
    )
    return columns[1:]


def without_line_ends(
    names: list[str], columns: list[LabelColumn], warn: Warn, *, is_named: bool
) -> tuple[list[str], list[LabelColumn]]:
    """Names and columns, without last columns that are blank in their names and all their cells.

    They stand behind delimiters at the end of every row, and of the header line or not; `is_named` says whether there
    is one.
    """
    n_kept = len(columns)
    while n_kept > 1 and not (is_named and n_kept <= len(names) and names[n_kept - 1]):
        if compute.any(compute.not_equal(_trimmed(columns[n_kept - 1]), text_scalar(""))).as_py():
            break
        n_kept -= 1
    n_blank = len(columns) - n_kept
    if n_blank == 1:
        warn("every line ends with a delimiter: the blank column after it is left out")
    elif n_blank:
        warn(f"every line ends with {n_blank} delimiters: the blank columns after them are left out")
    return names[:n_kept], columns[:n_kept]


def without_spaces(names: Sequence[str], columns: Sequence[LabelColumn], warn: Warn) -> list[LabelColumn]:
    """The columns without spaces around their labels, no-break spaces among them."""
    found: list[str] = []
    stripped: list[LabelColumn] = []
    for name, column in zip(names, columns):
        labels = _trimmed(column)
        if compute.any(
            compute.and_(compute.not_equal(labels, column.values), compute.not_equal(labels, text_scalar("")))
        ).as_py():
            found.append(name)
        stripped.append(column.with_values(labels))
    if found:
        warn(f"spaces around labels are left out in {plural(len(found), 'column')}: {listed(map(repr, found))}")
    return stripped


def _trimmed(column: LabelColumn) -> pyarrow.Array:
    return compute.utf8_trim_whitespace(column.values)


def _are_distinct(column: LabelColumn) -> bool:
    """Whether no label occurs twice, as among the names of rows."""
    return compute.count_distinct(column.array()).as_py() == len(column)


def _is_row_numbers(column: LabelColumn) -> bool:
    """Whether a column of labels counts the rows, from 0 or from 1."""
    labels = column.array()
    first = labels[0].as_py() if len(labels) else ""
    return first in ("0", "1") and labels.equals(array_of(int(first) + np.arange(len(labels))).cast(labels.type))
