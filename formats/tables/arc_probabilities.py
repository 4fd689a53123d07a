"""Tables of arc probabilities: an Arrow stream with a row for each pair of variables, its header in the metadata."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data_records import Variable
from ..detection import detect_lines
from ..errors import Inconsistent, Malformed, UnknownVersion
from ..graph_records import ArcProbabilities
from ..json_lines.jsonl import read_variables
from ..json_lines.jsonl_writer import encode_header
from ..lookup import find_format, load
from ..records import Header
from ..schemas import ARC_PROBABILITIES, key_problem
from ..streams import open_output
from ..textlines import Lines, as_lines
from .batches import METADATA_KEY, batch_writer, own_header
from .encoding import TextLayout

if TYPE_CHECKING:
    import pyarrow

_TOLERANCE = 1e-6
"""By how much an arc may be more probable than one in either direction, for rounding."""

_FEATURES: tuple[str, ...] = ("ancestor", "blanket")
_TEXTS = ("parent", "child")
_HEADER_FIELDS = {"format", "version", "score", "ess", "rows", "variables", "data", "by", "created"}


def is_arc_probabilities(schema: pyarrow.Schema) -> bool:
    """Whether a table says that it is one of arc probabilities."""
    return own_header(schema).get("format") == ARC_PROBABILITIES.name


def columns_of(table: ArcProbabilities) -> dict[str, Any]:
    """The columns by name: names of variables as lists, figures as arrays."""
    names = table.header.names
    columns: dict[str, Any] = {
        "parent": [names[v] for v in table.parents.tolist()],
        "child": [names[v] for v in table.children.tolist()],
        "probability": table.probability,
        "standard_error": table.standard_error,
        "either": table.either,
    }
    for name, (probability, error) in table.features.items():
        columns |= {name: probability, f"{name}_error": error}
    return columns


def write_arc_probabilities(target: str, table: ArcProbabilities, format: str = "arc-probabilities") -> None:
    """Write a table of arc probabilities.

    Parameters
    ----------
    target : str
        A path, which appears only when complete, or ``-``.
    table : ArcProbabilities
    format : str
        ``arc-probabilities`` (Arrow stream), ``feather`` (Arrow file) or ``parquet``; ``csv``, the columns alone, is
        for other programs; read back, it has the variables that occur.
    """
    columns = columns_of(table)
    if format == "csv":
        _write_csv(target, columns)
        return
    import pyarrow

    arrays = [pyarrow.array(values, type=_arrow_type(name)) for name, values in columns.items()]
    metadata = {METADATA_KEY: encode_header(ARC_PROBABILITIES.name, table.header).strip()}
    schema = pyarrow.schema([(name, _arrow_type(name)) for name in columns], metadata=metadata)
    with open_output(target) as stream, batch_writer(format, stream, schema) as writer:
        writer.write_batch(pyarrow.RecordBatch.from_arrays(arrays, schema=schema))


def _arrow_type(column: str) -> pyarrow.DataType:
    import pyarrow

    return pyarrow.string() if column in _TEXTS else pyarrow.float64()


def _write_csv(target: str, columns: dict[str, Any]) -> None:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows(
        zip(*(values.tolist() if isinstance(values, np.ndarray) else values for values in columns.values()))
    )
    with open_output(target) as stream:
        stream.write(text.getvalue().encode())


def open_arc_probabilities(source: str | Lines) -> ArcProbabilities:
    """Read a table of arc probabilities.

    Parameters
    ----------
    source : str or Lines
        A path or ``-``, or one of these that is open and of which nothing was consumed.

    Raises
    ------
    Malformed, Inconsistent, UnknownVersion
        It is none; parts that contradict each other; a later version.
    """
    lines = as_lines(source)
    found, name = detect_lines(lines), lines.source
    if found.name == ARC_PROBABILITIES.name:
        try:
            return _from_csv(lines)
        finally:
            lines.close()
    if found.name not in find_format(ARC_PROBABILITIES.name).takes:
        lines.close()
        raise Malformed(
            f"this is {found.called}, not a table of arc probabilities",
            source=name,
            remedy="make one with bnsl posterior or bnsl average --strengths",
        )
    data = lines.data()
    lines.close()
    table = load(found.reader)(data, name, TextLayout(), lambda message: None)
    header = _read_header(own_header(table.schema), lines)
    return _assembled(header, _read_columns(table, name), name)


def arc_probabilities_or_lines(source: str | Lines) -> ArcProbabilities | Lines:
    """The table of arc probabilities that a source holds; if it is something else, the source as it was.

    Raises
    ------
    Malformed, Inconsistent, UnknownVersion
        A damaged table of arc probabilities.
    """
    lines = as_lines(source)
    found, name = detect_lines(lines), lines.source
    if found.name == ARC_PROBABILITIES.name:
        return open_arc_probabilities(lines)
    if found.name not in find_format(ARC_PROBABILITIES.name).takes:
        return lines
    # A binary table, which does not tell by its beginning what it holds.
    data = lines.data()
    lines.close()
    again = Lines(io.BytesIO(data))
    again.source = name
    table = load(found.reader)(data, name, TextLayout(), lambda message: None)
    return open_arc_probabilities(again) if is_arc_probabilities(table.schema) else again


def _from_csv(lines: Lines) -> ArcProbabilities:
    """The columns of a table as CSV; its variables are those that occur, in this order."""
    try:
        names, *rows = [row for row in csv.reader(io.StringIO(lines.text()), strict=True) if row]
    except csv.Error as error:
        raise Malformed(f"not a CSV table ({error})", source=lines.source) from None
    names = [name.strip() for name in names]
    columns: dict[str, Any] = {}
    for number, row in enumerate(rows, 2):
        if len(row) != len(names):
            lines.fail(f"{len(row)} entries for {len(names)} columns", line=number)
    for name, cells in zip(names, zip(*rows) if rows else [()] * len(names)):
        if name in _TEXTS:
            columns[name] = list(cells)
            continue
        try:
            columns[name] = np.array(cells, dtype=np.float64)
        except ValueError:
            raise Malformed(f"column {name!r} has a cell that is no number", source=lines.source) from None
    lacking = [key.name for key in ARC_PROBABILITIES.record if key.required and key.name not in columns]
    if lacking:
        raise Malformed(f"there is no column {lacking[0]!r}", source=lines.source)
    _check_figures(columns, lines.source)
    seen = dict.fromkeys(name for pair in zip(columns["parent"], columns["child"]) for name in pair)
    if "" in seen:
        raise Malformed("a row names no variable", source=lines.source)
    if not seen:
        raise Malformed("the table has no rows, so its variables are unknown", source=lines.source)
    return _assembled(Header(tuple(map(Variable, seen))), columns, lines.source)


def _assembled(header: Header, columns: dict[str, Any], name: str) -> ArcProbabilities:
    index = {variable: i for i, variable in enumerate(header.names)}
    unknown = [v for v in (*columns["parent"], *columns["child"]) if v not in index]
    if unknown:
        raise Inconsistent(f"{unknown[0]!r} is none of the variables", source=name)
    _check_pairs(columns, name)
    features = {
        feature: (columns[feature], columns[f"{feature}_error"])
        for feature in _FEATURES
        if feature in columns and f"{feature}_error" in columns
    }
    return ArcProbabilities(
        header,
        np.array([index[v] for v in columns["parent"]], dtype=np.int32),
        np.array([index[v] for v in columns["child"]], dtype=np.int32),
        columns["probability"],
        columns["standard_error"],
        columns["either"],
        features,
    )


def _read_header(fields: dict[str, Any], lines: Lines) -> Header:
    source = lines.source
    if fields.get("format") != ARC_PROBABILITIES.name:
        raise Malformed(
            "a table, but not one of arc probabilities",
            source=source,
            remedy="make one with bnsl posterior or bnsl average --strengths",
        )
    version = fields.get("version")
    if version != ARC_PROBABILITIES.version or isinstance(version, bool):
        raise UnknownVersion(
            f"version {version} of {ARC_PROBABILITIES.name}; this release reads {ARC_PROBABILITIES.version}",
            source=source,
            remedy="use a newer release of bnsl",
        )
    problem = key_problem(fields, ARC_PROBABILITIES.header)
    if problem is None and (fields.get("rows") or 0) < 0:
        problem = f"{fields['rows']} rows"
    if problem is not None:
        raise Malformed(f"header: {problem}", source=source)
    variables = read_variables(lines, fields["variables"])
    return Header(
        variables,
        fields.get("score", "unknown"),
        fields.get("rows"),
        fields.get("data"),
        fields.get("ess"),
        tuple(entry for entry in fields.get("by", ()) if isinstance(entry, dict)),
        fields.get("created"),
        {key: value for key, value in fields.items() if key not in _HEADER_FIELDS},
    )


def _read_columns(table: pyarrow.Table, source: str) -> dict[str, Any]:
    import pyarrow

    columns: dict[str, Any] = {}
    try:
        for key in ARC_PROBABILITIES.record:
            if key.name not in table.column_names and not key.required:
                continue
            column = table.column(key.name).cast(_arrow_type(key.name))
            columns[key.name] = (
                column.to_pylist() if key.type == "string" else column.to_numpy().astype(np.float64)
            )
    except (KeyError, ValueError, pyarrow.ArrowException) as error:
        reason = str(error).splitlines()[0][:200]
        raise Malformed(f"not the columns of arc probabilities: {reason}", source=source) from None
    _check_figures(columns, source)
    return columns


def _check_figures(columns: dict[str, Any], source: str) -> None:
    for name, values in columns.items():
        is_probability = name in ("probability", "either", "ancestor", "blanket")
        # NaN fails every comparison
        if isinstance(values, np.ndarray) and not (
            (values >= 0).all()
            and np.isfinite(values).all()
            and not (is_probability and (values > 1 + 1e-9).any())
        ):
            raise Inconsistent(f"column {name!r} has a figure that is none", source=source, column=name)


def _check_pairs(columns: dict[str, Any], source: str) -> None:
    """Each pair of two variables once; an arc is no more probable than one in either direction."""
    pairs = set()
    for pair in zip(columns["parent"], columns["child"]):
        if pair[0] == pair[1]:
            raise Inconsistent(f"an arc from {pair[0]!r} to itself", source=source)
        if pair in pairs:
            raise Inconsistent(f"the arc from {pair[0]!r} to {pair[1]!r} comes twice", source=source)
        pairs.add(pair)
    above = columns["probability"] > columns["either"] + _TOLERANCE
    if above.any():
        parent, child = (columns[key][int(above.argmax())] for key in ("parent", "child"))
        raise Inconsistent(
            f"the arc from {parent!r} to {child!r} is more probable than one in either direction",
            source=source,
        )
