"""Tables of answers: columns of text and figures, and a closing line."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..results import Deliverable

if TYPE_CHECKING:
    from ..native_tables import NativeTable
    from ..tables import Table

Values = Sequence[Sequence[Any]]
"""The values of each column."""


@dataclass
class Answers(Deliverable["Table"]):
    """Answers to a question, batch by batch.

    - `columns`: ``figure``, ``text`` or ``number`` for each column, by its name (`formats.tables.results`).
    - `batches`: values of the columns; may be read once.
    - `closing`: the closing line, complete once all batches are read.
    - `figures`: figures of the run.
    - `about`, `rows`: the table in memory of the question, and which of its rows are answered (bool; None for all).
    - `native`: columns, of all values, that take the place of columns of texts in Python.
    - `titles`: short titles of columns in a table to read, whose figures then have four decimals.
    - `spare`: columns that a table to read leaves out where it would be too wide.
    - `header`: facts for the metadata of Arrow and Parquet files; empty for none.
    """

    columns: Mapping[str, str]
    batches: Iterable[Values]
    closing: str = ""
    figures: dict[str, Any] = field(default_factory=dict)
    about: NativeTable | None = None
    rows: Any = None
    native: Mapping[str, Callable[[Sequence[Any]], Any]] = field(default_factory=dict)
    titles: Mapping[str, str] | None = None
    spare: Collection[str] = ()
    header: dict[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> list[list[Any]]:
        """The values of all batches, column by column."""
        parts = list(self.batches)
        return [list(itertools.chain.from_iterable(column)) for column in zip(*parts)] or [[] for _ in self.columns]

    def for_python(self) -> Table:
        """The answers as a table."""
        from formats.tables.results.result_tables import METADATA_KEY, arrow_column

        from ..native_tables import table_of
        from .recording import json_text

        columns = {
            name: self.native[name](values) if name in self.native else arrow_column(values, kind)
            for (name, kind), values in zip(self.columns.items(), self.values)
        }
        metadata = {METADATA_KEY: json_text(self.header).encode()} if self.header else None
        return table_of(columns, metadata=metadata) if self.about is None else self.about.answers(columns, self.rows)
