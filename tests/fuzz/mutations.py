"""What is done to a file: one to four changes to its bytes, lines, words, numbers, parts of its JSON or columns."""

from __future__ import annotations

import json
import re
from io import BytesIO
from random import Random
from typing import Any

import pyarrow
import pyarrow.parquet

NUMBERS = (
    "0", "-0", "1", "-1", "2", "255", "256", "257", "65536", "2147483647", "2147483648", "-2147483649", "4294967296",
    "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e308", "1e309", "-1e309", "1e-320", "0.5",
    "-0.0", "nan", "NaN", "inf", "-Infinity", "1_000", "0x10", "1e", "1.", ".5", "+1", "1e400000", "9" * 400,
    "99999999",
)  # fmt: skip
"""Numbers at the edges of types and beyond."""

TOKENS = (
    "", " ", "\t", "\n", "\r", "\r\n", "\0", "\x1b[31m", "\u202e", "\ufeff", "é", "\U0001f600", "[", "]", "{", "}",
    "(", ")", '"', "'", "\\", "|", ",", ";", ":", "->", "--", "=", "#", "%", "//", "/*", "*/", "<", ">", "&lt;",
    "&#0;", "]]>", "<!--", "null", "true", "None", "NA", "?", "\\N", "__proto__", "META", "VAR", "default", "table",
    "subgraph", "[bold]x[/]", "a" * 5000, "[" * 3000, "{" * 3000, "(" * 3000, '"' * 999,
)  # fmt: skip
"""Words and signs that mean something to one format or another."""

VALUES = (
    None, True, False, 0, 1, -1, 2, 10**6, 2**31, 2**63, 2**64, -(2**63), 0.5, -0.0, 1e308, "", "a", "bnsl.network",
    "0", "\x1b[2J", [], [[]], [0], [[0]], [0, 0], [1, 0], [None], ["a"], [[[]]], {}, {"a": 1}, {"name": "x"},
    [-1.5, None],
)  # fmt: skip
"""What may stand where JSON is expected to hold something else."""

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"\w+")
LARGEST = 1 << 18
"""Bytes beyond which no input grows."""


def mutate(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    """A changed copy; `others` are files of the same format, parts of which may be put in."""
    if data[:4] in _TABLES and rng.random() < 0.7:
        data = _change_table(rng, data, others)
        if rng.random() < 0.7:
            return data
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = rng.choice(_CHANGES)(rng, data, others)[:LARGEST]
    return data


def _span(rng: Random, data: bytes) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 1, 2, 4, 8, 20, 100, 1000)))


def _flip(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def _put_byte(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes([rng.randrange(256)]) + data[at + rng.randrange(2) :]


def _cut_out(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def _cut_off(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _repeat(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    start, end = _span(rng, data)
    times = rng.choice((2, 2, 3, 10, 1000))
    return data[:start] + data[start:end] * times + data[end:]


def _move(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    start, end = _span(rng, data)
    part, rest = data[start:end], data[:start] + data[end:]
    at = rng.randrange(len(rest) + 1)
    return rest[:at] + part + rest[at:]


def _splice(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    other = rng.choice(others)
    start, end = _span(rng, other)
    at = rng.randrange(len(data) + 1)
    return data[:at] + (other[start:end] if rng.random() < 0.7 else other[start:]) + data[at:]


def _put_token(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + rng.choice(TOKENS).encode() + data[end if rng.random() < 0.3 else start :]


def _change_number(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    found = list(_NUMBER.finditer(data[:20000]))
    if not found:
        return data
    old = rng.choice(found)
    new = rng.choice(found).group() if rng.random() < 0.3 else rng.choice(NUMBERS).encode()
    return data[: old.start()] + new + data[old.end() :]


def _change_word(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    found = list(_WORD.finditer(data[:20000]))
    if not found:
        return data
    old = rng.choice(found)
    new = rng.choice(found).group() if rng.random() < 0.6 else rng.choice(TOKENS).encode()
    return data[: old.start()] + new + data[old.end() :]


def _change_lines(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[i]
        case 1:
            lines.insert(j, lines[i])
        case 2:
            lines[i], lines[j] = lines[j], lines[i]
        case 3:
            lines[i] += lines[j]
        case 4:
            rng.shuffle(lines)
    return rng.choice((b"\n", b"\n", b"\n", b"\r\n", b"\r")).join(lines)


def _place(rng: Random, value: Any) -> tuple[Any, list, Any]:
    """A random place somewhere in nested JSON: what holds it, all keys there, and its key."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = rng.choice(keys)
        inner = value[key]
        if not (isinstance(inner, dict | list) and inner and rng.random() < 0.7):
            return value, keys, key
        value = inner


def _change_json(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    """Put something else in one place of one line of JSON, drop it, or double it."""
    lines = data.split(b"\n")
    i = rng.randrange(len(lines))
    try:
        value = json.loads(lines[i])
    except ValueError:
        return _change_word(rng, data, others)
    except RecursionError:
        return data
    if not isinstance(value, dict | list):
        return data
    if not value:
        return data
    holder, keys, key = _place(rng, value)
    what = rng.random()
    if what < 0.2:
        del holder[key]
    elif what < 0.35 and isinstance(holder, list):
        holder.insert(key, holder[rng.randrange(len(holder))])
    elif what < 0.5 and isinstance(holder, dict):
        holder[
            rng.choice(
                (
                    *keys,
                    "required",
                    "fixed",
                    "unlisted",
                    "left_out",
                    "records",
                    "shard",
                    "ended",
                    "treewidth",
                    "bound",
                )
            )
        ] = rng.choice(VALUES)
    else:
        holder[key] = rng.choice(VALUES)
    try:
        lines[i] = json.dumps(value).encode()
    except (ValueError, RecursionError):
        return data
    return b"\n".join(lines)


_TABLES = (b"\xff\xff\xff\xff", b"ARRO", b"PAR1")
"""How Arrow streams, Arrow files and Parquet begin."""

_TYPES = (
    pyarrow.string(), pyarrow.large_string(), pyarrow.binary(), pyarrow.bool_(), pyarrow.int8(), pyarrow.uint64(),
    pyarrow.float16(), pyarrow.float32(), pyarrow.float64(), pyarrow.date32(), pyarrow.timestamp("us"),
    pyarrow.null(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), pyarrow.list_(pyarrow.int8()),
    pyarrow.decimal128(9, 2),
)  # fmt: skip


def _change_table(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    """Change a column, the rows or the metadata of a sound table, and write it as any format of tables."""
    try:
        table = _open_table(data)
        for _ in range(rng.choice((1, 1, 2))):
            table = rng.choice(_TABLE_CHANGES)(rng, table)
        return _table_bytes(rng, table)
    except (pyarrow.ArrowException, ValueError, TypeError, OverflowError, OSError, NotImplementedError):
        return _flip(rng, data, others)


def _open_table(data: bytes) -> pyarrow.Table:
    if data[:4] == b"PAR1":
        return pyarrow.parquet.read_table(BytesIO(data))
    opened = pyarrow.ipc.open_stream if data[:4] == _TABLES[0] else pyarrow.ipc.open_file
    return opened(data).read_all()


def _table_bytes(rng: Random, table: pyarrow.Table) -> bytes:
    sink = BytesIO()
    if rng.random() < 0.2:
        pyarrow.parquet.write_table(table, sink)
        return sink.getvalue()
    new = pyarrow.ipc.new_file if rng.random() < 0.3 else pyarrow.ipc.new_stream
    with new(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _change_columns(rng: Random, table: pyarrow.Table) -> pyarrow.Table:
    i = rng.randrange(table.num_columns)
    match rng.randrange(4):
        case 0:
            return table.remove_column(i)
        case 1:
            return table.append_column(rng.choice(table.column_names), table.column(i))
        case 2:
            names = list(table.column_names)
            names[i] = rng.choice((*names, *TOKENS))
            return table.rename_columns(names)
    return table.select(rng.sample(range(table.num_columns), table.num_columns))


def _change_type(rng: Random, table: pyarrow.Table) -> pyarrow.Table:
    i, target = rng.randrange(table.num_columns), rng.choice(_TYPES)
    column = table.column(i)
    cast = pyarrow.nulls(len(column), target) if rng.random() < 0.2 else column.cast(target, safe=False)
    return table.set_column(i, table.column_names[i], cast)


def _change_cell(rng: Random, table: pyarrow.Table) -> pyarrow.Table:
    i = rng.randrange(table.num_columns)
    column = table.column(i)
    cells = column.to_pylist()
    at = rng.randrange(len(cells))
    is_number = pyarrow.types.is_floating(column.type) or pyarrow.types.is_integer(column.type)
    odd = (None, 0, 1, -1, 0.5, 2, 1e308, float("nan"), float("inf")) if is_number else (None, *TOKENS)
    cells[at] = rng.choice((*odd, *cells))
    return table.set_column(i, table.column_names[i], pyarrow.array(cells, type=column.type))


def _change_rows(rng: Random, table: pyarrow.Table) -> pyarrow.Table:
    rows = [rng.randrange(table.num_rows) for _ in range(rng.choice((0, 1, table.num_rows)))]
    return pyarrow.concat_tables([table, table]) if rng.random() < 0.3 else table.take(rows)


def _change_metadata(rng: Random, table: pyarrow.Table) -> pyarrow.Table:
    metadata = dict(table.schema.metadata or {b"bnsl": b'{"format":"bnsl.entropy"}'})
    key = rng.choice(list(metadata))
    change = rng.choice((_change_json, _change_json, _change_json, _change_number, _put_token))
    metadata[key] = change(rng, metadata[key], [metadata[key]])
    return table.replace_schema_metadata(metadata)


_TABLE_CHANGES = (
    _change_columns, _change_type, _change_cell, _change_cell, _change_rows, _change_metadata, _change_metadata,
)  # fmt: skip

_CHANGES = (
    _flip, _put_byte, _cut_out, _cut_off, _repeat, _move, _splice, _put_token, _put_token, _change_number,
    _change_number, _change_word, _change_word, _change_lines, _change_lines, _change_json, _change_json,
    _change_json,
)  # fmt: skip
