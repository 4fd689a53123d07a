"""Reading a data table of any format, detected by its content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data_records import Dataset
from ..detection import EMPTY, HEAD_SIZE, detect
from ..errors import Malformed, UnsuitableData, located
from ..kinds import Kind
from ..records import EntropyTable
from ..registry import load
from ..schemas import ARC_PROBABILITIES
from ..streams import Source, TableInMemory, read_bytes, source_name
from ..wording import Warn, about
from .arrow import label_columns, read_memory
from .cuts.discretization import parse_column_rule
from .encoding import encode_table
from .encoding_options import EncodingOptions
from .label_columns import RawTable, TextLayout, release_memory
from .results.entropy_tables import ENTROPY_FORMAT, unpack_entropies
from .results.result_tables import is_own


def open_dataset(
    source: Source | RawTable,
    *,
    delimiter: str | None = None,
    header: bool = True,
    warn: Warn | None = None,
    note: Warn | None = None,
    discretize: str | Sequence[str] | None = None,
    **rules: Any,
) -> Dataset:
    """Read a data table: CSV, TSV and the like, Parquet, Arrow; plain, gzip or Zstandard.

    - `source`: a path (file, FIFO), ``-`` for standard input, a table in memory, or what `labels_or_entropies` read.
    - `delimiter`: of text tables; guessed if not given.
    - `header`: whether the first line of a text table holds the column names; else they are V0, V1, ...
    - `warn`: called about input that is accepted but may surprise.
    - `note`: called about the columns that `discretize` cuts.
    - `discretize`: one or several texts of `parse_column_rule`.
    - `**rules`: how labels become states (see `formats.tables.encoding`): further fields of
      `formats.tables.encoding_options.EncodingOptions`. With ``missing="keep"`` cells may be missing.
    Raises `FormatError`: unreadable or unsuitable input (its kinds: Malformed, Truncated, UnsuitableData,
    Inconsistent); `ValueError`: an option with an impossible value.
    """
    texts = [discretize] if isinstance(discretize, str) else discretize or ()
    options = EncodingOptions(discretize=tuple(map(parse_column_rule, texts)), **rules)
    name = source.source if isinstance(source, RawTable) else source_name(source)
    with located(name):
        table = source if isinstance(source, RawTable) else read_labels(source, delimiter, header, about(name, warn))
        dataset = encode_table(table, options, about(name, warn), about(name, note))
    del table
    release_memory()
    return dataset


def read_labels(source: Source, delimiter: str | None, header: bool, warn: Warn) -> RawTable:
    """Read a data table of any format as columns of labels.

    Raises `FormatError`: it is unreadable, or of another kind. Warnings name no file.
    """
    table = labels_or_entropies(source, delimiter, header, warn)
    if isinstance(table, RawTable):
        return table
    raise Malformed(
        "this is an entropy table, not a data table",
        source=source_name(source),
        remedy="give the data that it was made from",
    )


def labels_or_entropies(source: Source, delimiter: str | None, header: bool, warn: Warn) -> RawTable | EntropyTable:
    """As `read_labels`; or an entropy table."""
    with located(source_name(source)):
        table = _read(source, delimiter, header, warn)
    return table._replace(source=source_name(source)) if isinstance(table, RawTable) else table


def _labelled(table: Any, warn: Warn) -> RawTable | EntropyTable:
    """A decoded table as columns of labels, or the entropy table that it is."""
    if is_own(table, ENTROPY_FORMAT):
        return unpack_entropies(table)
    if is_own(table, ARC_PROBABILITIES.name):
        raise Malformed(
            "this is a table of arc probabilities, not a data table",
            remedy="bnsl convert draws it (-o NAME.svg); what made it writes .csv and .parquet, too",
        )
    return label_columns(table, warn)


def _read(source: Source, delimiter: str | None, header: bool, warn: Warn) -> RawTable | EntropyTable:
    if isinstance(source, TableInMemory):
        return _labelled(read_memory(source), warn)
    data = read_bytes(source)
    found = detect(data[:HEAD_SIZE])
    if found is EMPTY:
        raise Malformed("the input is empty", remedy="expected a table with a header line")
    if found.kind is Kind.ENTROPIES:
        raise Malformed(
            "this is a matrix of entropies, which other programs read",
            remedy="give the data, or to bnsl screen entropies as Arrow: bnsl entropy DATA -o NAME.arrows",
        )
    if found.kind is not Kind.DATA:
        raise Malformed(
            f"this is {found.called}, not a data table",
            remedy=found.remedy or "data may be CSV or TSV (UTF-8, also gzip or zstd), Parquet, Arrow or Feather",
        )
    if found.magic and (delimiter is not None or not header):
        raise UnsuitableData(
            f"this is {found.called}: --delimiter and --no-header apply to text", remedy="leave them out"
        )
    table = load(found.reader)(data, TextLayout(delimiter, header), warn)
    return _labelled(table, warn) if found.magic else table
