"""Opening a data table of any format, told by its content."""

from __future__ import annotations

from collections.abc import Callable

from .columns import EncodingOptions
from .detection import EMPTY, HEAD_SIZE, detect
from .discretization import parse_discretization
from .encoding import RawTable, TextLayout, Warn, encode_table
from .errors import Malformed
from .records import Dataset, EntropyTable, Variable
from .registry import Kind, load
from .streams import read_bytes, source_name


def open_dataset(
    source: str,
    *,
    delimiter: str | None = None,
    header: bool = True,
    missing: str = "error",
    discretize: str | None = None,
    variables: tuple[Variable, ...] | None = None,
    unseen: str = "error",
    max_states: int | None = None,
    warn: Callable[[str], None] | None = None,
) -> Dataset:
    """Read a data table: CSV, TSV and the like, Parquet, Arrow stream or file; plain or gzip.

    Parameters
    ----------
    source : str
        A path (file, FIFO) or ``-`` for standard input.
    delimiter : str, optional
        Of text tables; guessed if not given.
    header : bool
        Whether the first line of a text table holds the column names; else they are V0, V1, ...
    missing : str
        ``error`` refuses missing cells, ``drop`` leaves their rows out, ``state`` makes them a state ``NA``.
    discretize : str, optional
        ``median``, ``quantile:K`` or ``width:K`` for numeric columns with more than max(2, K) distinct numbers.
    variables : tuple of Variable, optional
        Variables of a file header: columns are matched by name (by position if `header` is false and the names do
        not match), put in this order and coded by these states; further columns are ignored. Numbers are put into
        states that are intervals; `discretize` and `max_states` do not matter for variables with states.
    unseen : str
        ``error`` refuses labels that `variables` does not list, ``drop`` leaves their rows out.
    max_states : int, optional
        Most states of a column, up to 256; replaces the limits of 20 distinct numbers and 256 labels.
    warn : callable, optional
        Takes messages about what is allowed but may surprise.

    Returns
    -------
    Dataset

    Raises
    ------
    FormatError
        Unreadable or unsuitable input (its kinds: Malformed, Truncated, UnsuitableData, Inconsistent).
    ValueError
        An option with an impossible value.

    Notes
    -----
    The rules by which labels become states are listed in `formats.encoding`.
    """
    rules = _encoding_options(missing, discretize, variables, unseen, max_states)
    opened = _open(source, delimiter, header, rules, warn or _ignore)
    if isinstance(opened, EntropyTable):
        raise Malformed(
            "this is an entropy table, not a data table",
            source=source_name(source),
            remedy="give the data that it was made from",
        )
    return opened


def open_dataset_or_entropies(
    source: str,
    *,
    delimiter: str | None = None,
    header: bool = True,
    missing: str = "error",
    discretize: str | None = None,
    max_states: int | None = None,
    warn: Callable[[str], None] | None = None,
) -> Dataset | EntropyTable:
    """Read what may be a data table or an entropy table, told by content; options as in `open_dataset`."""
    rules = _encoding_options(missing, discretize, None, "error", max_states)
    return _open(source, delimiter, header, rules, warn or _ignore)


def _ignore(message: str) -> None:
    """Say nothing."""


def _encoding_options(
    missing: str,
    discretize: str | None,
    variables: tuple[Variable, ...] | None,
    unseen: str,
    max_states: int | None,
) -> EncodingOptions:
    rule = None if discretize is None else parse_discretization(discretize)
    return EncodingOptions(missing, rule, variables, unseen, max_states)


def _open(
    source: str, delimiter: str | None, header: bool, rules: EncodingOptions, warn: Warn
) -> Dataset | EntropyTable:
    data, name = read_bytes(source), source_name(source)
    found = detect(data[:HEAD_SIZE])
    if found is EMPTY:
        raise Malformed("the input is empty", source=name, remedy="expected a table with a header line")
    if found.kind is not Kind.DATA:
        raise Malformed(
            f"this is {found.called}, not a data table",
            source=name,
            remedy="data may be CSV or TSV (UTF-8, also gzip), Parquet, Arrow or Feather",
        )
    table = load(found.reader)(data, name, TextLayout(delimiter, header), warn)
    del data
    if not isinstance(table, RawTable):
        from .arrow import label_columns
        from .entropies import is_entropy_table, unpack_entropies

        if is_entropy_table(table):
            return unpack_entropies(table, name)
        table = label_columns(table, name, warn)
    return encode_table(table, rules, warn)
