"""Cells that are Python objects: an array of values if they are of one kind, of texts that differ if of several."""

from __future__ import annotations

import contextlib
import datetime
import math
import numbers
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

_AS_TEXTS = {"text", "number", "truth value", "Interval", "Period"}


def is_of_several_kinds(cells: Any) -> bool:
    """Whether cells are Python objects of more than one kind, as 1 and "1"; types alone would make them one."""
    if getattr(cells, "dtype", "object") != "object":
        return False
    kinds = {_kind_of(kind) for kind in {type(cell) for cell in cells}} - {None}
    if len(kinds) > 1 and "number" in kinds:  # NaN is a missing cell, whatever the others are
        kinds = {_kind_of(type(cell)) for cell in cells if not _is_nan(cell)} - {None}
    return len(kinds) > 1


def array_of_cells(cells: Sequence[Any]) -> pyarrow.Array:
    """What ``pyarrow.array(cells, from_pandas=True)`` makes of cells, null for None and NaN; raises as that does.

    Texts, numbers and truth values of Python go without it, as it imports pandas where that is installed.
    """
    import numpy as np
    import pyarrow

    from formats.tables.arrow_arrays import array_of, text_array

    kinds = {type(cell) for cell in cells} - {type(None)}
    kind = kinds.pop() if len(kinds) == 1 else None
    with contextlib.suppress(OverflowError, ValueError):  # too large, or no text: pyarrow says so
        if kind is str:
            return text_array(cells)
        if kind in (int, float, bool):
            is_null = np.array([cell is None or cell != cell for cell in cells])
            values = [0 if cell is None else cell for cell in cells]
            if not is_null.all():
                return array_of(np.array(values, dtype=np.int64 if kind is int else kind), is_null)
    return pyarrow.array(cells, from_pandas=True)


def texts_of(cells: Iterable[Any], name: Any) -> pyarrow.Array:
    """The texts of cells that are texts, numbers, truth values, intervals, periods or missing; null where
    they are missing.

    - `name`: the name of the column, None if it has none.
    Raises `ValueError`: cells of other kinds, or different ones of the same text.
    """
    from formats.tables.arrow_arrays import text_array

    column = "a column" if name is None else f"column {name!r}"
    texts: list[str | None] = []
    first: dict[str, tuple[str, Any]] = {}
    for cell in cells:
        kind = _kind_of(type(cell))
        if kind is None or _is_nan(cell):
            texts.append(None)
            continue
        if kind not in _AS_TEXTS:
            raise ValueError(f"{column} has cells of type {type(cell).__name__}: make them texts or numbers")
        text = _number_text(cell) if kind == "number" else str(cell)
        known = first.setdefault(text, (kind, cell))
        if known[0] != kind or (kind != "number" and known[1] != cell):
            raise ValueError(f"{column} has the cells {known[1]!r} and {cell!r}, of the same text: make them differ")
        texts.append(text)
    return text_array(texts)


def refuse_equal_texts(labels: Sequence[str], name: Any) -> None:
    """Raise `ValueError` if two categories have the same text, such as 1 and "1"."""
    twice = [label for label, count in Counter(labels).items() if count > 1]
    if twice:
        raise ValueError(f"column {name!r} has two categories of the text {twice[0]!r}: rename one")


def _is_nan(cell: Any) -> bool:
    return isinstance(cell, numbers.Number) and cell != cell


def _kind_of(kind: type) -> str | None:
    """The kind of values of a type; None if they only say that a cell is missing."""
    if kind.__name__ in ("NoneType", "NAType", "NaTType"):
        return None
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, bool) or kind.__name__ in ("bool", "bool_"):
        return "truth value"
    if issubclass(kind, numbers.Number):
        return "number"
    return "time" if issubclass(kind, datetime.datetime) else kind.__name__


def _number_text(cell: Any) -> str:
    """A number as columns of numbers have it: without a point if it is whole."""
    if isinstance(cell, Decimal):
        return format(cell.normalize(), "f")
    if isinstance(cell, numbers.Integral):
        return str(int(cell))
    return str(int(cell)) if math.isfinite(cell) and cell == int(cell) else repr(float(cell))
