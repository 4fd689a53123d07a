"""A table with its missing cells filled in; in Python its columns keep their types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow

from formats.tables.arrow_arrays import text_array
from formats.tables.cuts.discretization import cuts_of_labels, interval_bounds
from formats.tables.evidence import CompletedRows
from formats.tables.labels import MISSING_STATE, NO_MARKS, find_missing

from ..native_columns import MISSING, Column, text_column, with_label, with_value
from ..native_tables import NativeTable, StateValues, table_of
from ..results import Deliverable

if TYPE_CHECKING:
    from formats.data_records import Variable
    from formats.tables.evidence import EvidenceTable

    from ..tables import Table


@dataclass
class FilledRows(Deliverable["Table"]):
    """A table and the states of all its cells.

    - `evidence`: the table as it was read.
    - `network`: the variables of the network.
    - `filled`: the first row of each batch, and the states of the variables in its rows; may be read once.
    - `given`: the table in memory, or None for a file of text.
    - `learnt`: the values that states have in the table learnt from.
    - `seed`: seed of the numbers drawn for intervals; None for the median.
    - `closing`, `figures`: as in `Rows`.
    """

    evidence: EvidenceTable
    network: Sequence[Variable]
    filled: Iterable[tuple[int, np.ndarray]]
    given: NativeTable | None
    learnt: Mapping[str, StateValues]
    seed: int | None
    closing: str
    figures: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        self._completed = CompletedRows(self.evidence, self.network)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Names and labels of the columns."""
        return self._completed.variables

    @property
    def batches(self) -> Iterator[np.ndarray]:
        """Indices into the labels of the columns, int32, shape (n_columns, n_rows)."""
        return (self._completed.codes(start, states) for start, states in self.filled)

    def for_python(self) -> Table:
        """The completed table. Observed cells stay as they were given; filled cells have values of their column.

        - A state is the value that the column has most often for it, else the one that reads like it; where the type
          has none, as a number has none for a text, the column becomes one of texts.
        - An interval is the median of the observed numbers in it (of two middle ones the lower in a column of whole
          numbers), or a random one of them if cells are drawn; its middle if none is observed.
        - A column without an observed cell has the type learnt from; one of a file of text is of numbers if all its
          labels are.
        """
        parts = list(self.filled)
        states = np.concatenate([np.empty((len(self.network), 0), np.uint8), *(codes for _, codes in parts)], axis=1)
        index_of = {variable.name: index for index, variable in enumerate(self.network)}
        rng = None if self.seed is None else np.random.default_rng(self.seed)
        codes = self._completed.codes(0, states)
        columns: dict[str, Any] = {}
        for variable, cells in zip(self.variables, codes):
            own = None if self.given is None else self.given.column(variable.name, self.evidence.rows)
            index = index_of.get(variable.name)
            is_bare = index is not None and bool(self.evidence.is_hidden[index].all())
            if (own is None or is_bare) and variable.name in self.learnt:
                columns[variable.name] = self.learnt[variable.name].of_codes(states[index_of[variable.name]])
            elif own is None:
                columns[variable.name] = text_column(variable.known_states, cells, self.evidence.marks)
            else:
                columns[variable.name] = own if index is None else self._filled(own, index, states[index], cells, rng)
        if self.given is None:
            return table_of(columns)
        return self.given.completed(columns, self.evidence.rows)

    def _filled(
        self, column: Column, index: int, states: np.ndarray, cells: np.ndarray, rng: np.random.Generator | None
    ) -> Any:
        """The observed cells; in place of missing ones other cells of the same state, or new ones.

        `cells`: the label of each cell, where filled cells have the most frequent one of their state.
        """
        variable = self.network[index]
        is_hidden = self.evidence.is_hidden[index]
        places = np.arange(len(cells))
        names = variable.known_states
        is_cut = cuts_of_labels(tuple(name for name in names if name != MISSING_STATE)) is not None
        whole = column
        for state in np.unique(states[is_hidden]).tolist():
            where = np.flatnonzero(is_hidden & (states == state))
            inside = np.flatnonzero(~is_hidden & (states == state))
            if names[state] == MISSING_STATE:
                places[where] = MISSING
            elif is_cut and rng is not None and len(inside):
                places[where] = rng.choice(inside, len(where))
            elif is_cut:
                whole, places[where] = _median(whole, names[state], inside)
            elif len(inside):
                places[where] = inside[cells[inside] == cells[where[0]]][0]
            else:
                learnt = self.learnt.get(variable.name)
                like = [] if learnt is None else learnt.of_codes(np.array([state])).values()
                places[where] = len(whole)
                try:
                    whole = with_label(whole, names[state], like)
                except ValueError:
                    return _as_texts(column, variable, is_hidden, states)
        return whole.take(places)


def _median(column: Column, label: str, inside: np.ndarray) -> tuple[Column, int]:
    """The column, perhaps with a further cell, and the place of a cell for an interval.

    `inside`: the places of the observed numbers in it.
    """
    if not len(inside):
        ends = [end for end in interval_bounds(label) or () if np.isfinite(end)]
        middle = sum(ends) / len(ends)
        options = [middle] if column.is_float else [middle, round(middle)]
        return with_value(column, options), len(column)
    ordered = inside[np.argsort(column.take(inside).numbers(), kind="stable")]
    lower, upper = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    if lower == upper or not column.is_float:
        return column, int(lower)
    mean = float(column.take(np.array([lower, upper])).numbers().mean())
    return with_value(column, [mean]), len(column)


def _as_texts(column: Column, variable: Variable, is_hidden: np.ndarray, states: np.ndarray) -> pyarrow.Array:
    """The column as texts, where its type cannot have the filled cells."""
    texts = np.array(column.labels(), dtype=object)
    texts[is_hidden] = [variable.known_states[state] for state in states[is_hidden].tolist()]
    texts[find_missing(text_array(texts.tolist()), NO_MARKS, column.typed)] = None
    return text_array(texts.tolist())
