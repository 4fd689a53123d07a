"""Entropy tables: an Arrow stream with a row per variable, its header as JSON in the schema's metadata.

The header lists names and states of the variables, as parent-set files do, so that a reader can detect missing
rows, and the results of screening can be coded like the data.
"""

# Imported where needed, since loading takes time: arrow_arrays, pyarrow
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data_records import Variable
from ...detection import HEAD_SIZE, detect
from ...errors import FormatError, Inconsistent, Malformed, Truncated, UnknownVersion, located
from ...kinds import Kind
from ...records import EntropyTable
from ...registry import find_format, load
from ...streams import open_output, read_bytes, source_name
from .result_tables import FIGURE, METADATA_KEY, NUMBER, TEXT, batch_writer, open_result_writer, own_header

if TYPE_CHECKING:
    import pyarrow

ENTROPY_FORMAT = "bnsl.entropy"
_VERSION = 1
_REMEDY = "make one with bnsl entropy"
_BATCH_BYTES = 1 << 22
_TOLERANCE = 1e-9


def open_entropies(source: str) -> EntropyTable:
    """Read an entropy table.

    Raises `Truncated`: fewer rows than the header announces; `Malformed`, `Inconsistent`, `UnknownVersion`: not an
    entropy table, parts that contradict each other, a later version.
    """
    data = read_bytes(source)
    found = detect(data[:HEAD_SIZE])
    with located(source_name(source)):
        if found.name not in find_format(ENTROPY_FORMAT).takes:
            wanted = "one as Arrow or Parquet" if found.kind is Kind.ENTROPIES else "an entropy table"
            raise Malformed(f"this is {found.called}, not {wanted}", remedy=_REMEDY)
        return unpack_entropies(load(found.reader)(data))


def unpack_entropies(table: pyarrow.Table) -> EntropyTable:
    """Check and unpack a decoded entropy table; errors as in `open_entropies`."""
    header = _checked_header(own_header(table))
    n_variables = len(header["variables"])
    if table.num_rows != n_variables:
        kind = Truncated if table.num_rows < n_variables else Inconsistent
        raise kind(f"{table.num_rows} of {n_variables} variables arrived")
    names, states, entropy, conditional = _entropy_columns(table, n_variables)
    variables = tuple(
        Variable(item["name"], None if item["states"] is None else tuple(item["states"]))
        for item in header["variables"]
    )
    result = EntropyTable(variables, states, entropy, conditional, header["rows"], header["data"], _counted(header))
    _check_entropies(result, names)
    return result


def _checked_header(header: dict[str, Any]) -> dict[str, Any]:
    if header.get("format") != ENTROPY_FORMAT:
        raise Malformed("an Arrow table, but not an entropy table", remedy=_REMEDY)
    if header.get("version") != _VERSION or isinstance(header["version"], bool):
        message = f"version {header.get('version')} of {ENTROPY_FORMAT}; this release reads {_VERSION}"
        raise UnknownVersion(message, remedy="use a newer release of bnsl")
    variables, rows = header.get("variables"), header.get("rows")
    is_sound = isinstance(variables, list) and all(map(_is_variable, variables))
    if not is_sound or type(rows) is not int or rows < 0 or not isinstance(header.get("data"), str):
        raise Malformed("the header of the entropy table is incomplete")
    return header


def _counted(header: dict[str, Any]) -> np.ndarray | None:
    """The rows that each variable is counted in, where the header lists them."""
    counted = header.get("counted")
    if counted is None:
        return None
    is_list = isinstance(counted, list) and len(counted) == len(header["variables"])
    if not is_list or not all(type(rows) is int and 0 < rows <= header["rows"] for rows in counted):
        raise Malformed("the header of the entropy table lists other rows than the data have", remedy=_REMEDY)
    return np.array(counted, dtype=np.int64)


def _is_variable(item: Any) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("name"), str) or "states" not in item:
        return False
    states = item["states"]
    return states is None or (isinstance(states, list) and all(isinstance(state, str) for state in states))


def _entropy_columns(table: pyarrow.Table, n_variables: int) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    import pyarrow

    from ..arrow_arrays import figures_of

    try:
        names = table.column("variable").to_pylist()
        states = figures_of(table.column("states").cast("int32"))
        entropy = figures_of(table.column("entropy").cast("float64"))
        lists = table.column("conditional").cast(pyarrow.list_(pyarrow.float64(), n_variables))
        conditional = figures_of(lists.combine_chunks().flatten()).reshape(n_variables, n_variables)
    except (KeyError, ValueError, pyarrow.ArrowException) as error:
        reason = str(error).splitlines()[0][:200]
        raise Malformed(f"not the columns of an entropy table: {reason}") from None
    return names, states, entropy, conditional


def _check_entropies(table: EntropyTable, names: list[str]) -> None:
    def fail(what: str, row: int):
        raise Inconsistent(what, column=table.variables[row].name)

    for row, (variable, name, count) in enumerate(zip(table.variables, names, table.n_states)):
        if variable.name != name:
            fail(f"row {row} is of variable {name!r}", row)
        # A null in the column is NaN here, which fails every comparison.
        if not count >= 1 or (variable.states is not None and len(variable.states) != count):
            fail(f"{count} states, but the header lists {len(variable.states or ())}", row)
    if len(set(names)) < len(names):
        raise Inconsistent("duplicate variable names")
    # Over the rows that show both variables H(X|Y) may be above H(X), but not above the logarithm of the states.
    limit = np.maximum(table.entropy, np.log(table.n_states)) * (1 + _TOLERANCE) + _TOLERANCE
    is_bad = ~(np.isfinite(table.entropy) & (table.entropy >= -_TOLERANCE))
    # NaN fails every comparison, so it is detected here as well.
    is_bad |= ~((table.conditional >= -_TOLERANCE) & (table.conditional <= limit[:, None])).all(axis=1)
    is_bad |= np.diagonal(table.conditional) != 0
    if is_bad.any():
        fail("entropies must be finite, 0 <= H(X|Y) <= ln(states of X) and H(X|X) = 0", int(is_bad.argmax()))


def write_entropies(target: str, table: EntropyTable, format: str = "entropy") -> None:
    """Write an entropy table, a batch of rows at a time, to a path or ``-``.

    `format`: ``entropy`` (Arrow stream), ``feather`` (Arrow file) or ``parquet``; ``csv``, a matrix for other
    programs, is not read back.
    Raises `FormatError`: an entropy that is not finite.
    """
    if not (np.isfinite(table.entropy).all() and np.isfinite(table.conditional).all()):
        raise FormatError("entropies that are not finite cannot be written", source=source_name(target))
    names = [variable.name for variable in table.variables]
    step = max(1, _BATCH_BYTES // (8 * len(names)))
    parts = [slice(start, start + step) for start in range(0, len(names), step)]
    if format == "csv":
        kinds = {"variable": TEXT, "states": NUMBER, "entropy": FIGURE}
        kinds |= dict.fromkeys((f"H(.|{name})" for name in names), FIGURE)
        with open_result_writer(target, kinds, format) as write:
            for part in parts:
                own = [names[part], table.n_states[part].tolist(), table.entropy[part].tolist()]
                write([*own, *table.conditional[part].T.tolist()])
        return
    schema = _entropy_schema(table)
    with open_output(target) as stream, batch_writer(format, stream, schema) as writer:
        for part in parts:
            writer.write_batch(_batch(table, part, schema))


def entropy_table(table: EntropyTable) -> pyarrow.Table:
    """The entropies as an Arrow table, as it is written."""
    import pyarrow

    schema = _entropy_schema(table)
    return pyarrow.Table.from_batches([_batch(table, slice(None), schema)], schema)


def _batch(table: EntropyTable, part: slice, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """Some rows of the table."""
    import pyarrow

    from ..arrow_arrays import array_of, text_array

    names = [variable.name for variable in table.variables]
    lists = array_of(table.conditional[part].ravel())
    columns = [
        text_array(names[part]),
        array_of(table.n_states[part].astype(np.int32)),
        array_of(table.entropy[part]),
        pyarrow.FixedSizeListArray.from_arrays(lists, len(names)),
    ]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def _entropy_schema(table: EntropyTable) -> pyarrow.Schema:
    import pyarrow

    header = {
        "format": ENTROPY_FORMAT,
        "version": _VERSION,
        "rows": table.rows,
        "data": table.fingerprint,
        "variables": [{"name": v.name, "states": v.states} for v in table.variables],
    }
    if table.counted is not None:
        header["counted"] = table.counted.tolist()
    fields = [
        ("variable", pyarrow.string()),
        ("states", pyarrow.int32()),
        ("entropy", pyarrow.float64()),
        ("conditional", pyarrow.list_(pyarrow.float64(), len(table.variables))),
    ]
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"))
    return pyarrow.schema(fields, metadata={METADATA_KEY: text.encode()})
