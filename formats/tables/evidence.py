"""Evidence: states of some variables, from a table with missing cells; and that table with these cells filled in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

import numpy as np

from ..data_records import Variable
from ..errors import Inconsistent, UnsuitableData, located
from ..streams import Source, source_name
from ..wording import Warn, about, listed, plural
from .columns import Column
from .cuts.discretization import cuts_of_labels
from .datasets import read_labels
from .encoding import marked_cells
from .label_columns import RawTable
from .labels import MISSING_STATE, NO_MARKS, Marks
from .selection import drop_option, matching_names, selected_positions


class EvidenceTable(NamedTuple):
    """Rows of evidence on the variables of a network."""

    codes: np.ndarray
    """uint8, shape (n_variables, n_rows): states; 0 where hidden."""
    is_hidden: np.ndarray
    """bool, shape (n_variables, n_rows): missing cells, and all cells of absent columns."""
    copies: tuple[Column, ...] = ()
    """The columns to be copied as they are, in the order of the table."""
    rows: np.ndarray | None = None
    """bool, shape (n_read,): which rows of the table these are; None for all."""
    marks: Marks = NO_MARKS
    """The texts of missing cells."""

    def row_number(self, row: int) -> int:
        """The number in the table, from 1, of a row, from 0."""
        return row + 1 if self.rows is None else int(np.flatnonzero(self.rows)[row]) + 1


def open_evidence(
    source: Source,
    variables: Sequence[Variable],
    *,
    delimiter: str | None = None,
    header: bool = True,
    na: tuple[str, ...] = (),
    not_na: tuple[str, ...] = (),
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    unseen: str = "error",
    targets: Sequence[int] = (),
    copies: Sequence[str] | None = (),
    warn: Warn,
) -> EvidenceTable:
    """Read a table with missing cells, coded by the states of a network's variables.

    Columns are matched by name, by position if the table has no names and as many columns. Further columns are no
    evidence; absent ones are hidden in all rows. Source and layout are as in `datasets.open_dataset`.

    - `na`, `not_na`: further spellings of missing cells, and usual ones that are labels.
    - `columns`, `drop`: columns to read (all if empty), and columns to leave out; items as in
      `selection.matching_names`.
    - `unseen`: rows with a label that is none of its variable's states: ``error`` refuses, ``drop`` leaves them out,
      ``missing`` takes the cell as missing.
    - `targets`: variables that are no evidence: any label will do.
    - `copies`: columns to be copied, read or not, as in `selection.matching_names`; None for all columns read. Raises
    `FormatError`: unreadable input; no column is a variable; a label that is none of its variable's states.
    """
    name = source_name(source)
    warn = about(name, warn)
    with located(name):
        table = read_labels(source, delimiter, header, warn)
        if not table.columns:
            raise UnsuitableData("no columns of data")
        raw = table.chosen(selected_positions(table.names, columns, drop))
        matched = _matched(raw, variables)
        marks = Marks(na, not_na)
        observed = {v: Column.of(variables[v], raw.columns[position], marks) for v, position in matched.items()}
        for v, column in observed.items():
            column.classify(False, missing_is_hole=True)
            if v in targets or unseen == "missing":
                _hide_unknown(column, ", which is predicted," if v in targets else "", warn)
        copied = _copied(raw, observed, matched, marks) if copies is None else _selected(table, copies, marks)
        _warn_unmatched(raw, variables, matched, [column.name for column in copied], warn)
        rows = _known_rows(list(observed.values()), raw, unseen, warn)
        n_rows = len(raw.columns[0]) if rows is None else int(rows.sum())
        return EvidenceTable(*_coded(observed, (len(variables), n_rows), rows), tuple(copied), rows, marks)


def _coded(
    observed: dict[int, Column], shape: tuple[int, int], rows: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """States of the cells and whether they are hidden, as in `EvidenceTable`."""
    codes = np.zeros(shape, dtype=np.uint8)
    is_hidden = np.ones(shape, dtype=np.bool_)
    for v, column in observed.items():
        assert column.known is not None
        is_missing = np.zeros(len(column.labels), dtype=bool) if column.missing is None else column.missing
        codes[v] = column.gather(np.where(is_missing, 0, column.known).astype(np.uint8), rows)
        is_hidden[v] = column.gather(is_missing, rows)
    return codes, is_hidden


def _copied(raw: RawTable, observed: dict[int, Column], matched: dict[int, int], marks: Marks) -> list[Column]:
    """All columns that are read, in the order of the table."""
    own = {position: observed[v] for v, position in matched.items()}
    return [own.get(p) or Column.of(Variable(name), raw.columns[p], marks) for p, name in enumerate(raw.names)]


def _selected(table: RawTable, items: Sequence[str], marks: Marks) -> list[Column]:
    """The columns that the items select, in the order of the table."""
    chosen = {name for item in items for name in matching_names(item, table.names, "--keep")}
    return [Column.of(Variable(name), c, marks) for name, c in zip(table.names, table.columns) if name in chosen]


def _matched(raw: RawTable, variables: Sequence[Variable]) -> dict[int, int]:
    """The column of each variable that the table has."""
    index_of = {variable.name: index for index, variable in enumerate(variables)}
    found = {index_of[name]: position for position, name in enumerate(raw.names) if name in index_of}
    if not found and not raw.is_named and len(raw.names) == len(variables):
        return {index: index for index in range(len(variables))}
    if not found:
        raise Inconsistent(
            "none of the columns is a variable of the network",
            remedy=f"the variables are {listed(repr(v.name) for v in variables)}",
        )
    return found


def _warn_unmatched(
    raw: RawTable, variables: Sequence[Variable], matched: dict[int, int], copied: Sequence[str], warn: Warn
) -> None:
    """Warn of columns that are no variables, unless they are copied, and of variables without a column."""
    positions = set(matched.values())
    others = [name for p, name in enumerate(raw.names) if p not in positions and name not in copied]
    if others:
        warn(f"columns that are no variables are ignored: {listed(map(repr, others))}")
    absent = [v.name for i, v in enumerate(variables) if i not in matched]
    if absent:
        warn(f"variables without a column are hidden in all rows: {listed(map(repr, absent))}")


def _hide_unknown(column: Column, why: str, warn: Warn) -> None:
    """Make labels of a column missing that are none of its states, with a warning."""
    if column.unseen is None:
        return
    counts = column.count_labels() * column.unseen
    if counts.any():
        label = column.labels[int(counts.argmax())].as_py()
        warn(
            f"column {column.name!r}{why} has labels in {plural(int(counts.sum()), 'row')} "
            f"that the network does not list, as {label!r}"
        )
    column.missing = column.unseen if column.missing is None else column.missing | column.unseen
    column.unseen = None


def _known_rows(columns: Sequence[Column], raw: RawTable, unseen: str, warn: Warn) -> np.ndarray | None:
    """The rows without an unknown label, bool, None if these are all; refuses others if `unseen` says so."""
    n_rows = len(raw.columns[0])
    is_unknown, found = marked_cells(columns, n_rows, lambda column: column.unseen)
    if not found:
        return None
    n_unknown, first = int(is_unknown.sum()), int(is_unknown.argmax())
    if unseen == "error":
        whose = next(c for c, _ in found if c.unseen is not None and c.gather(c.unseen)[first])
        _refuse_unknown(first, whose, n_unknown, raw)
    if n_unknown == n_rows:
        raise UnsuitableData(
            f"none of {plural(n_rows, 'row')} is left: each has a label that the network does not list",
            remedy="leave columns out by --drop, or make such cells missing by --na LABEL",
        )
    warn(f"{n_unknown:,} of {n_rows:,} rows left out: labels that the network does not list")
    return ~is_unknown


def _refuse_unknown(row: int, column: Column, n_unknown: int, raw: RawTable) -> NoReturn:
    label = column.labels[int(column.gather(np.arange(len(column.labels)))[row])].as_py()
    line, place = raw.place_of(row)
    more = f"; {n_unknown:,} rows have such labels" if n_unknown > 1 else ""
    raise Inconsistent(
        f"{place}label {label!r} is none of the states {listed(map(repr, column.states or ()))}{more}",
        line=line,
        column=column.name,
        remedy=f"leave such rows out by --unseen drop, take such cells as missing by --unseen missing, "
        f"or leave the column out by {drop_option([column.name])}",
    )


EMPTY = -1
"""Code of an empty cell."""


class _Output(NamedTuple):
    """A column of the completed table."""

    variable: Variable
    """Its name and labels."""
    cells: np.ndarray | None
    """integers, shape (n_rows,): label of every cell as it was read, or `EMPTY`; None for an absent column."""
    variable_index: int | None
    """The network's variable; None if the network has none of this name."""
    label_of: np.ndarray
    """int32: label of each state of that variable."""


class CompletedRows:
    """The columns of a completed table: first the table's own, then the variables without a column in it.

    A filled cell gets the spelling that is most frequent for its state in its column, else the network's own label.
    """

    def __init__(self, evidence: EvidenceTable, variables: Sequence[Variable]):
        self._evidence = evidence
        index_of = {variable.name: index for index, variable in enumerate(variables)}
        copied = {column.name for column in evidence.copies}
        self._columns = [_output(column, index_of.get(column.name), evidence.rows) for column in evidence.copies]
        self._columns += [
            _Output(variable, None, index, np.arange(len(variable.known_states), dtype=np.int32))
            for index, variable in enumerate(variables)
            if variable.name not in copied
        ]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Names and labels of the columns."""
        return tuple(column.variable for column in self._columns)

    def codes(self, start: int, states: np.ndarray) -> np.ndarray:
        """Labels of the rows from `start` on, whose variables have these states.

        `states`: uint8, shape (n_variables, n_rows).

        Returns
        -------
        ndarray of int32, shape (n_columns, n_rows)
            Indices into the labels of `variables`, or `EMPTY`.
        """
        rows = slice(start, start + states.shape[1])
        found = np.empty((len(self._columns), states.shape[1]), dtype=np.int32)
        for own, column in zip(found, self._columns):
            index = column.variable_index
            if column.cells is not None:
                own[:] = column.cells[rows]
            if index is not None:
                is_filled = self._evidence.is_hidden[index, rows]
                own[is_filled] = column.label_of[states[index, is_filled]]
        return found


def _output(column: Column, index: int | None, rows: np.ndarray | None) -> _Output:
    """A column of the table, with the labels that its filled cells may get."""
    texts = column.texts.to_pylist()
    states = _spellings(column) if index is not None else ()
    shown = dict.fromkeys(text for text in (*texts, *states) if text is not None)
    place = {text: position for position, text in enumerate(shown)}
    places = [EMPTY if text is None else place[text] for text in texts]
    cells = column.gather(np.array(places, dtype=np.min_scalar_type(-1 - len(place))), rows)
    label_of = np.array([place[state] for state in states], dtype=np.int32)
    return _Output(Variable(column.name, tuple(place)), cells, index, label_of)


def _spellings(column: Column) -> list[str]:
    """The label of each state: its most frequent spelling in the column, its own if it does not occur or is cut."""
    assert column.known is not None and column.states is not None
    spelled: list[Counter[str]] = [Counter() for _ in column.states]
    for text, code, count in zip(column.labels.to_pylist(), column.known.tolist(), column.count_labels().tolist()):
        if code >= 0:
            spelled[code][text] += count
    is_cut = cuts_of_labels(tuple(s for s in column.states if s != MISSING_STATE)) is not None
    return [
        state if is_cut or not found.total() else found.most_common(1)[0][0]
        for state, found in zip(column.states, spelled)
    ]
