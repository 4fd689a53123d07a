"""Delimited text (CSV, TSV and the like) as columns of labels.

The delimiter is guessed or given; cells may be quoted; bytes must be UTF-8. pyarrow parses the cells directly
into dictionaries, without a Python object per cell. Errors are located by line.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pyarrow
from pyarrow import csv as arrow_csv

from ..errors import Malformed, UnsuitableData
from ..textlines import encoding_remedy
from ..wording import Warn, listed, plural
from . import foreign_conventions
from .arrow_arrays import text_array
from .label_columns import ColumnParts, LabelColumn, RawTable, TextLayout, check_names, release_memory
from .labels import parse_numbers

DELIMITERS = ",\t;| "
"""The delimiters that can be guessed, in the order of preference."""

_NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}
_N_SAMPLE_LINES = 20
_WITH_DECIMAL_COMMAS = ";\t"
_MIN_BLOCK, _MAX_BLOCK = 1 << 20, 1 << 26
_BLOCK_PER_COLUMN = 4096
_BLOCKS_AT_ONCE, _MIN_PART = 4, 1 << 24
"""Blocks, and bytes, parsed per call, some tenths of a second on several cores; between calls signals are handled."""
_AT_ONCE = 1 << 25
"""Bytes inspected per call; between calls Python handles signals."""
_MANY_COLUMNS = 10_000
_ADDRESSES, _ADDRESSES_PER_COLUMN = 1400 << 20, 13 << 10
"""Address space that libraries take, and each column while it is parsed; measured with 30,000 to 300,000 columns."""
_SEPARATOR_LINE = re.compile(rb'"?(?i:sep)=([,;\t|])"?\n')
_QUOTED = re.compile(rb'"[^"]*"')


def read_delimited(data: bytes, layout: TextLayout, warn: Warn) -> RawTable:
    """Read delimited text.

    The delimiter is one character, or ``tab``, ``space``; guessed if None. Several spaces count as one. Without a
    header line the names are V0, V1, ...

    A first line ``sep=;``, which spreadsheets write, names the delimiter.

    Raises `Malformed`: not UTF-8, no lines, lines with different numbers of cells, bad column names, an open quote.
    """
    text, first_line = _clean_text(data)
    text, first_line, named = _without_separator_line(text, first_line, warn)
    given = layout.delimiter or named
    delimiter = parse_delimiter(given) if given else guess_delimiter(text)
    if delimiter == " ":
        text, first_line = _collapse_spaces(text, first_line)
    names, start, n_nameless, has_counts = _read_head(text, delimiter, layout.header, warn)
    if not text[start : start + 1]:
        remedy = "if the only line is data, use --no-header"
        raise UnsuitableData("a header line but no rows of data", remedy=remedy)
    try:
        columns = _parse(text, start, len(names) + n_nameless, delimiter)
        names, columns = foreign_conventions.without_line_ends(names, columns, warn, is_named=layout.header)
        if len(columns) > len(names):
            columns = foreign_conventions.without_row_names(columns, len(names), warn)
    except ValueError as error:  # pyarrow's ArrowInvalid
        _locate_ragged(text, len(names), delimiter, first_line)
        raise Malformed(str(error).splitlines()[0][:200]) from None
    _refuse_open_quote(text, columns[-1], first_line)
    has_line_per_row = text.count(b"\n", start) == len(columns[-1])
    first_is_counts = not has_counts and layout.header and foreign_conventions.is_line_of_counts(columns)
    if first_is_counts:
        columns = [column.with_cells(column.cells()[1:]) for column in columns]
    is_coded = has_counts or first_is_counts
    if is_coded:
        warn("the line below the names holds the numbers of states, as in BLIP's files; it is no row")
    if delimiter in _WITH_DECIMAL_COMMAS and b"," in text:
        commas, columns = foreign_conventions.with_decimal_points(names, columns)
        if commas:
            found = f"{plural(len(commas), 'column')}: {listed(map(repr, commas))}"
            warn(f"decimal commas taken as points in {found}")
    kept, columns = foreign_conventions.without_row_numbers(tuple(names), columns, warn)
    if layout.header and not (kept[0] and kept[-1]):
        check_names(kept)
    columns = foreign_conventions.without_spaces(kept, columns, warn)
    row_line = first_line + text.count(b"\n", 0, start) + first_is_counts if has_line_per_row else None
    return RawTable(kept, columns, not first_is_counts, layout.header, is_coded, row_line)


def _clean_text(data: bytes) -> tuple[bytes, int]:
    """Text with ``\\n`` line ends only and no blank lines around it, and the number of its first line."""
    _check_utf8(data)
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = data.lstrip(b"\n")
    if not text or text.isspace():
        raise Malformed("the input is empty", remedy="expected a table with a header line")
    first_line = len(data) - len(text) + 1
    if text.endswith(b"\n\n") or not text.endswith(b"\n"):
        text = text.rstrip(b"\n") + b"\n"
    return text, first_line


def _without_separator_line(text: bytes, first_line: int, warn: Warn) -> tuple[bytes, int, str | None]:
    """The text behind a line that names the delimiter, the number of its first line, and the delimiter."""
    found = _SEPARATOR_LINE.match(text)
    if not found or found.end() == len(text):
        return text, first_line, None
    warn(f"the first line, {found[0].decode().strip()!r}, names the delimiter; it is no row")
    return text[found.end() :], first_line + 1, found[1].decode()


def _check_utf8(data: bytes) -> None:
    """Refuse NUL bytes and bytes that are not UTF-8."""
    nul = data.find(b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise Malformed("a NUL byte: this is not text", line=line)
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _AT_ONCE):
        part = data[start : start + _AT_ONCE]
        try:
            # Incremental: a character may be divided between two parts.
            decoder.decode(part, final=start + _AT_ONCE >= len(data))
        except UnicodeDecodeError as error:
            begun = len(decoder.getstate()[0])  # bytes of a character that began in the part before
            raise Malformed(
                "not UTF-8 text",
                line=data.count(b"\n", 0, start - begun + error.start) + 1,
                remedy=encoding_remedy(data),
            ) from None


def _read_head(text: bytes, delimiter: str, header: bool, warn: Warn) -> tuple[list[str], int, int, bool]:
    """Returns (names, offset of the first row, number of its cells beyond the names, has_state_counts)."""
    first, start = _first_record(text, delimiter)
    if not header:
        return [f"V{i}" for i in range(len(first))], 0, 0, False
    names = [name.strip() for name in first]
    # A first or last column without a name is checked when its cells are known: the first may count the rows, the
    # last ones stand behind delimiters at the end of every line.
    n_named = len(names)
    while n_named > 1 and not names[n_named - 1]:
        n_named -= 1
    between = names[not names[0] : n_named]
    _check_header(between if between and all(between) else names, warn)
    second = text[start : text.find(b"\n", start)]
    has_counts = foreign_conventions.is_spaced_line_of_counts(second, delimiter, len(names))
    start += (len(second) + 1) * has_counts
    head = text[start : start + _MIN_BLOCK]
    n_cells = len(_first_record(head, delimiter)[0]) if head else 0
    return names, start, max(0, n_cells - len(names)), has_counts


def parse_delimiter(text: str) -> str:
    """A delimiter by its character or a name such as ``tab``; a `ValueError` if labels or quoting need it."""
    delimiter = _NAMED_DELIMITERS.get(text, text)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter.isalnum() or delimiter in "\"'.+-\r\n\0":
        raise ValueError(f"{text!r} cannot be a delimiter: use one of , ; | tab space")
    return delimiter


def guess_delimiter(text: bytes) -> str:
    """The delimiter that splits most of the first lines into as many cells as the very first one.

    Ties go to the one that makes more cells, then to the earlier in `DELIMITERS`. The space, common inside cells,
    is chosen only if no other splits the first line and at least half of the next ones have as many words, or all
    of them one more (row names). The comma is the default.
    """
    stripped = (line.rstrip(b"\n") for line in io.BytesIO(text))
    lines = [_QUOTED.sub(b"x", line) for line in islice(filter(None, stripped), _N_SAMPLE_LINES)]
    best, best_key = ",", (0, 1)
    for delimiter in DELIMITERS[:-1]:
        counts = [line.count(delimiter.encode()) + 1 for line in lines]
        key = (counts.count(counts[0]), counts[0])
        if counts[0] > 1 and key > best_key:
            best, best_key = delimiter, key
    first, *others = (len(line.split()) for line in lines)
    is_regular = 2 * others.count(first) >= len(others) or others.count(first + 1) == len(others)
    is_spaced = first > 1 and len(others) > 0 and is_regular
    return " " if best_key[0] == 0 and is_spaced else best


def _collapse_spaces(text: bytes, first_line: int) -> tuple[bytes, int]:
    """One space between cells, none around lines."""
    spans = _parts(text, 0, _MIN_BLOCK)
    text = b"".join(re.sub(rb"(?m)^ +| +$", b"", re.sub(rb" {2,}", b" ", span)) for span in spans)
    stripped = text.lstrip(b"\n")
    return stripped, first_line + len(text) - len(stripped)


def _first_record(text: bytes, delimiter: str) -> tuple[list[str], int]:
    """Cells of the first record and the start of the next one; a quoted cell may span lines."""
    first_end = end = text.find(b"\n")
    n_quotes = text.count(b'"', 0, end)
    # An odd number of quotes before a line end: the line end is inside a cell.
    while n_quotes % 2 and end >= 0:
        start, end = end, text.find(b"\n", end + 1)
        n_quotes += text.count(b'"', start, end)
    for stop in (end, first_end):  # the latter if a quote inside a cell is an ordinary character
        line = text[: max(stop, 0)].decode("utf-8")
        try:
            return next(csv.reader(io.StringIO(line, newline="\n"), delimiter=delimiter)), stop + 1
        except (csv.Error, StopIteration):
            continue
    return line.split(delimiter), first_end + 1  # a cell of more than 128 KiB


def _check_header(names: list[str], warn: Warn) -> None:
    values = parse_numbers(text_array(names))
    if (values != values).any():
        check_names(names)
        return
    check_names(names, remedy="if the first line is data, use --no-header")
    warn("all column names are numbers; if the first line is data, use --no-header")


def check_address_space(n_columns: int) -> None:
    """Raise `MemoryError` if the limit on address space is too low for so wide a table: pyarrow would abort."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    needed = _ADDRESSES + n_columns * _ADDRESSES_PER_COLUMN
    if n_columns >= _MANY_COLUMNS and limit != resource.RLIM_INFINITY and limit < needed:
        raise MemoryError(
            f"Reading {n_columns:,} columns needs about {needed >> 20:,} MiB: ulimit -v {needed >> 10}."
        )


def _parse(text: bytes, start: int, n_columns: int, delimiter: str) -> list[LabelColumn]:
    check_address_space(n_columns)
    # Wide lines need large blocks: a column of a block becomes an array of its own.
    block = min(max(n_columns * _BLOCK_PER_COLUMN, _MIN_BLOCK), _MAX_BLOCK)
    has_quotes = b'"' in text
    size = len(text) if has_quotes else max(_BLOCKS_AT_ONCE * block, _MIN_PART)
    # Text with quotes is one part. It is parsed in another thread, because the waiting main thread handles signals.
    aside = ThreadPoolExecutor(1)
    columns = [ColumnParts() for _ in range(n_columns)]
    for part in _parts(text, start, size):
        table = aside.submit(_parse_part, part, n_columns, delimiter, block, has_quotes).result()
        for own, column in zip(columns, table.columns):
            for chunk in column.chunks:
                own.add(chunk)
    joined = [columns.pop(0).join(pyarrow.string()) for _ in range(n_columns)]
    release_memory()
    return joined


def _parts(text: bytes, start: int, size: int) -> Iterator[memoryview]:
    """Whole lines of about `size` bytes at a time."""
    view = memoryview(text)
    while start < len(text):
        end = text.find(b"\n", start + size) + 1 or len(text)
        yield view[start:end]
        start = end


def _parse_part(text: memoryview, n_columns: int, delimiter: str, block: int, has_quotes: bool) -> pyarrow.Table:
    names = [str(position) for position in range(n_columns)]
    label_type = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = dict.fromkeys(names, label_type)

    def parse(block_size: int) -> pyarrow.Table:
        return arrow_csv.read_csv(
            pyarrow.BufferReader(pyarrow.py_buffer(text)),
            read_options=arrow_csv.ReadOptions(column_names=names, block_size=block_size),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=has_quotes, ignore_empty_lines=n_columns > 1
            ),
            convert_options=arrow_csv.ConvertOptions(column_types=types, strings_can_be_null=False),
        )

    try:
        return parse(block)
    except pyarrow.ArrowInvalid as error:
        if "straddling" not in str(error):
            raise
        return parse(min(len(text) + 1, (1 << 31) - 1))  # a line is longer than a block


def _locate_ragged(text: bytes, n_columns: int, delimiter: str, first_line: int) -> None:
    """Raise the error of the first record with a wrong number of cells, if there is one."""
    if b'"' in text:
        counts = _count_quoted(text, delimiter)
    else:
        separator = delimiter.encode()
        lines = enumerate(io.BytesIO(text))
        counts = ((n, line.count(separator) + 1) for n, line in lines if line != b"\n")
    for offset, count in counts:
        if count != n_columns:
            raise Malformed(
                f"{count} {'cell' if count == 1 else 'cells'} where {n_columns} are expected",
                line=first_line + offset,
                remedy="complete the line, quote cells that contain the delimiter, "
                f"or give another --delimiter (now {delimiter!r})",
            )


def _count_quoted(text: bytes, delimiter: str):
    """Line offset and number of cells of each record."""
    lines = io.TextIOWrapper(io.BytesIO(text), "utf-8", newline="\n")
    reader = csv.reader(lines, delimiter=delimiter)
    start = 0
    try:
        for record in reader:
            if record:
                yield start, len(record)
            start = reader.line_num
    except csv.Error:  # a cell of more than 128 KiB, most likely a quote that is never closed
        return


def _refuse_open_quote(text: bytes, last: LabelColumn, first_line: int) -> None:
    """Refuse a quote that is never closed: everything behind it is one cell, the last one."""
    if b'"' not in text:
        return
    end = len(text)
    while text.endswith(b"\n", 0, end):
        end -= 1
    if text.endswith(b'"', 0, end) or len(last) == 0:
        return
    cell = last.values[int(last.cells()[-1])].as_py().encode().rstrip(b"\n")
    if b"\n" in cell or text.endswith(b'"' + cell, 0, end):
        line = first_line + text.count(b"\n", 0, end) - cell.count(b"\n")
        raise Malformed("a quote is never closed", line=line, remedy="close or remove it")
