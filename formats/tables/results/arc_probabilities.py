"""Tables of arc probabilities: an Arrow stream with a row for each pair of variables, its header in the metadata."""

# Imported where needed, since loading takes time: arrow_arrays, pyarrow
from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data_records import Variable
from ...detection import detect_lines
from ...errors import Inconsistent, Malformed
from ...graph_records import DECIDERS, ArcProbabilityTable
from ...json_lines.jsonl import decode_header
from ...json_lines.jsonl_writer import encode_header
from ...records import Header
from ...registry import find_format, load
from ...schemas import ARC_PROBABILITIES
from ...textlines import Lines, as_lines
from .result_tables import FIGURE, METADATA_KEY, TEXT, arrow_column, is_own, open_result_writer, own_header

if TYPE_CHECKING:
    import pyarrow

_TOLERANCE = 1e-6
"""Largest excess of the probability of an arc over that of one in either direction, to allow for rounding."""

_FEATURES = ("ancestor", "blanket")
_ENDS = ("parent", "child")
_TEXTS = (*_ENDS, "direction")
_REMEDY = "make one with bnsl posterior or bnsl average --strengths"


def _columns_of(table: ArcProbabilityTable) -> dict[str, list]:
    names = table.header.names
    columns: dict[str, Any] = {
        "parent": [names[v] for v in table.parents.tolist()],
        "child": [names[v] for v in table.children.tolist()],
        "probability": table.probability.tolist(),
        "standard_error": table.standard_error.tolist(),
        "either": table.either.tolist(),
    }
    if table.directions:
        columns["direction"] = list(table.directions)
    for name, (probability, error) in table.features.items():
        columns |= {name: probability.tolist(), f"{name}_error": error.tolist()}
    return columns


def write_arc_probabilities(target: str, table: ArcProbabilityTable, format: str = "arc-probabilities") -> None:
    """Write a table of arc probabilities to a path or ``-``.

    `format`: ``arc-probabilities`` (Arrow stream), ``feather`` (Arrow file), ``parquet``, or ``csv`` for other
    programs, which has no header: read back, it has the variables that occur.
    """
    columns = _columns_of(table)
    kinds = {name: _kind_of(name) for name in columns}
    metadata = {METADATA_KEY: encode_header(ARC_PROBABILITIES.name, table.header).strip()}
    with open_result_writer(target, kinds, format, metadata) as write:
        write(list(columns.values()))


def _kind_of(name: str) -> str:
    return TEXT if name in _TEXTS else FIGURE


def probability_table(table: ArcProbabilityTable) -> pyarrow.Table:
    """The probabilities as an Arrow table."""
    import pyarrow

    arrays = {name: arrow_column(cells, _kind_of(name)) for name, cells in _columns_of(table).items()}
    return pyarrow.table(arrays)


def open_arc_probabilities(source: str | Lines) -> ArcProbabilityTable:
    """Read a table of arc probabilities.

    Raises `Malformed`, `Inconsistent`, `UnknownVersion`: it is another table; parts contradict each other; a later
    version.
    """
    with as_lines(source) as lines:
        found = detect_lines(lines)
        if found.name == ARC_PROBABILITIES.name:
            return _from_csv(lines)
        if found.name not in find_format(ARC_PROBABILITIES.name).takes:
            message = f"this is {found.called}, not a table of arc probabilities"
            raise Malformed(message, remedy=_REMEDY)
        return _unpack(load(found.reader)(lines.data()), lines)


def arc_probabilities_or_lines(source: str | Lines) -> ArcProbabilityTable | Lines:
    """The table of arc probabilities of a source; of another source, its lines with nothing consumed.

    Raises `Malformed`, `Inconsistent`, `UnknownVersion`: a damaged table of arc probabilities.
    """
    lines = as_lines(source)
    found = detect_lines(lines)
    if found.name == ARC_PROBABILITIES.name:
        return open_arc_probabilities(lines)
    if found.name not in find_format(ARC_PROBABILITIES.name).takes:
        return lines
    # The schema of a binary table, not its beginning, identifies it.
    with lines:
        data = lines.data()
        table = load(found.reader)(data)
        if is_own(table, ARC_PROBABILITIES.name):
            return _unpack(table, lines)
    # The bytes may come from a pipe, which cannot be opened again.
    again = Lines(io.BytesIO(data))
    again.source = lines.source
    return again


def _from_csv(lines: Lines) -> ArcProbabilityTable:
    """A table as CSV; its variables are the names that occur, in the order of appearance."""
    try:
        names, *rows = [row for row in csv.reader(io.StringIO(lines.text()), strict=True) if row]
    except csv.Error as error:
        raise Malformed(f"not a CSV table ({error})") from None
    names = [name.strip() for name in names]
    for number, row in enumerate(rows, 2):
        if len(row) != len(names):
            lines.fail(f"{len(row)} entries for {len(names)} columns", line=number)
    columns: dict[str, Any] = {}
    for name, cells in zip(names, zip(*rows) if rows else [()] * len(names)):
        try:
            columns[name] = list(cells) if name in _TEXTS else np.array(cells, dtype=np.float64)
        except ValueError:
            raise Malformed(f"column {name!r} has a cell that is no number") from None
    lacking = [key.name for key in ARC_PROBABILITIES.record if key.required and key.name not in columns]
    if lacking:
        raise Malformed(f"there is no column {lacking[0]!r}")
    _check_figures(columns)
    seen = dict.fromkeys(name for pair in zip(columns["parent"], columns["child"]) for name in pair)
    if "" in seen:
        raise Malformed("a row names no variable")
    if not seen:
        raise Malformed("the table has no rows, so its variables are unknown")
    return _assembled(Header(tuple(map(Variable, seen)), lacks_isolated=True), columns)


def _unpack(table: pyarrow.Table, lines: Lines) -> ArcProbabilityTable:
    import pyarrow

    from ..arrow_arrays import figures_of

    if not is_own(table, ARC_PROBABILITIES.name):
        raise Malformed("a table, but not one of arc probabilities", remedy=_REMEDY)
    header = decode_header(lines, own_header(table)).header
    columns: dict[str, Any] = {}
    try:
        for key in ARC_PROBABILITIES.record:
            if key.required or key.name in table.column_names:
                is_text = key.name in _TEXTS
                column = table.column(key.name).cast("string" if is_text else "float64")
                columns[key.name] = column.to_pylist() if is_text else figures_of(column)
    except (KeyError, ValueError, pyarrow.ArrowException) as error:
        reason = str(error).splitlines()[0][:200]
        raise Malformed(f"not the columns of arc probabilities: {reason}") from None
    _check_figures(columns)
    return _assembled(header, columns)


def _assembled(header: Header, columns: dict[str, Any]) -> ArcProbabilityTable:
    index = {variable: i for i, variable in enumerate(header.names)}
    unknown = [v for v in (*columns["parent"], *columns["child"]) if v not in index]
    if unknown:
        raise Inconsistent(f"{unknown[0]!r} is none of the variables")
    _check_pairs(columns)
    directions = tuple(columns.get("direction", ()))
    if other := set(directions) - set(DECIDERS):
        message = f"{sorted(map(str, other))[0]!r} is none of {', '.join(DECIDERS)}"
        raise Inconsistent(message, column="direction")
    parents, children = (np.array([index[v] for v in columns[end]], dtype=np.int32) for end in _ENDS)
    probability, error, either = (columns[name] for name in ("probability", "standard_error", "either"))
    features = {
        feature: (columns[feature], columns[f"{feature}_error"])
        for feature in _FEATURES
        if feature in columns and f"{feature}_error" in columns
    }
    return ArcProbabilityTable(header, parents, children, probability, error, either, features, directions)


def _check_figures(columns: dict[str, Any]) -> None:
    for name, values in columns.items():
        is_probability = name in ("probability", "either", *_FEATURES)
        most = 1 + 1e-9 if is_probability else np.finfo(np.float64).max
        # NaN fails every comparison.
        if isinstance(values, np.ndarray) and not ((values >= 0) & (values <= most)).all():
            raise Inconsistent(f"column {name!r} has a figure that is negative, too large or not finite", column=name)


def _check_pairs(columns: dict[str, Any]) -> None:
    """Each pair of two variables once; an arc is no more probable than one in either direction."""
    pairs = set()
    for pair in zip(columns["parent"], columns["child"]):
        if pair[0] == pair[1]:
            raise Inconsistent(f"an arc from {pair[0]!r} to itself")
        if pair in pairs:
            raise Inconsistent(f"the arc from {pair[0]!r} to {pair[1]!r} comes twice")
        pairs.add(pair)
    above = columns["probability"] > columns["either"] + _TOLERANCE
    if above.any():
        parent, child = (columns[end][int(above.argmax())] for end in _ENDS)
        message = f"the arc from {parent!r} to {child!r} is more probable than one in either direction"
        raise Inconsistent(message)
