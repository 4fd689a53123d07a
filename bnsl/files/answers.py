"""Tables of answers: columns of text and figures, and a closing line."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..tables import Table

Values = Sequence[Sequence[Any]]
"""The values of each column."""


@dataclass
class Answers:
    """Answers to a question, batch by batch.

    - `columns`: ``figure``, ``text`` or ``number`` for each column, by its name (`formats.tables.results`).
    - `batches`: values of the columns; may be read once.
    - `closing`: the closing line, complete once all batches are read.
    - `figures`: figures of the run.
    - `source`, `rows`: the table of the question, and which of its rows are answered (bool; None for all).
    - `titles`: short titles of columns in a table to read, whose figures then have four decimals.
    - `spare`: columns that a table to read leaves out where it would be too wide.
    - `header`: facts for the metadata of Arrow and Parquet files; empty for none.
    """

    columns: Mapping[str, str]
    batches: Iterable[Values]
    closing: str = ""
    figures: dict[str, Any] = field(default_factory=dict)
    source: Any = None
    rows: Any = None
    titles: Mapping[str, str] | None = None
    spare: Collection[str] = ()
    header: dict[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> list[list[Any]]:
        """The values of all batches, column by column."""
        parts = list(self.batches)
        return [list(itertools.chain.from_iterable(column)) for column in zip(*parts)] or [[] for _ in self.columns]

    def to_table(self) -> Table:
        """The answers as a table."""
        import pyarrow

        from formats.tables.results.result_tables import FIGURE, TEXT

        kinds = {FIGURE: pyarrow.float64(), TEXT: pyarrow.string()}
        types = [kinds.get(kind, pyarrow.int64()) for kind in self.columns.values()]
        columns = [pyarrow.array(v, kind, from_pandas=True) for v, kind in zip(self.values, types)]
        return Table(pyarrow.table(columns, names=list(self.columns)), self.source, self.rows)
