"""Reading a data table of any format, detected by its content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data_records import Dataset, IncompleteDataset
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
from .encoding import RawTable, TextLayout, encode_table
from .encoding_options import EncodingOptions
from .label_columns import release_memory
from .results.entropy_tables import ENTROPY_FORMAT, unpack_entropies
from .results.result_tables import is_own


def open_dataset(source: Source, **rules: Any) -> Dataset:
    """Read a data table; options and errors as in `open_dataset_or_entropies`."""
    opened = _open_rows(source, **rules)
    if isinstance(opened, IncompleteDataset):
        raise ValueError("missing cells are kept by open_incomplete")
    return opened


def open_incomplete(source: Source, **rules: Any) -> IncompleteDataset:
    """Read a data table as `open_dataset` does, but keep missing cells missing."""
    opened = _open_rows(source, **{**rules, "missing": "keep"})
    assert isinstance(opened, IncompleteDataset)
    return opened


def _open_rows(source: Source, **rules: Any) -> Dataset | IncompleteDataset:
    opened = open_dataset_or_entropies(source, **rules)
    if isinstance(opened, EntropyTable):
        raise Malformed(
            "this is an entropy table, not a data table",
            source=source_name(source),
            remedy="give the data that it was made from",
        )
    return opened


def open_dataset_or_entropies(
    source: Source,
    *,
    delimiter: str | None = None,
    header: bool = True,
    warn: Warn | None = None,
    note: Warn | None = None,
    discretize: str | Sequence[str] | None = None,
    **rules: Any,
) -> Dataset | IncompleteDataset | EntropyTable:
    """Read a data table (CSV, TSV and the like, Parquet, Arrow; plain, gzip or Zstandard) or an entropy table.

    - `source`: a path (file, FIFO) or ``-`` for standard input.
    - `delimiter`: of text tables; guessed if not given.
    - `header`: whether the first line of a text table holds the column names; else they are V0, V1, ...
    - `warn`: called about input that is accepted but may surprise.
    - `note`: called about the columns that `discretize` cuts.
    - `discretize`: one or several texts of `parse_column_rule`.
    - `**rules`: how labels become states (see `formats.tables.encoding`): further fields of
      `formats.tables.encoding_options.EncodingOptions`.
    Raises `FormatError`: unreadable or unsuitable input (its kinds: Malformed, Truncated, UnsuitableData,
    Inconsistent); `ValueError`: an option with an impossible value.
    """
    texts = [discretize] if isinstance(discretize, str) else discretize or ()
    options = EncodingOptions(discretize=tuple(map(parse_column_rule, texts)), **rules)
    name = source_name(source)
    with located(name):
        table = read_labels(source, delimiter, header, about(name, warn))
        if isinstance(table, EntropyTable):
            if options.weights is not None:
                raise UnsuitableData(
                    "this is an entropy table, whose rows are counted already",
                    remedy="give --weights to bnsl entropy, which made it",
                )
            return table
        dataset = encode_table(table, options, about(name, warn), about(name, note))
    del table
    release_memory()
    return dataset


def read_labels(source: Source, delimiter: str | None, header: bool, warn: Warn) -> RawTable | EntropyTable:
    """Read a data table of any format as columns of labels, or an entropy table.

    Raises `FormatError`: it is unreadable, or of another kind. Errors and warnings name no file.
    """
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
