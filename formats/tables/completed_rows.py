"""A table of evidence with its missing cells filled in; all other cells and columns as they were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..data_records import Variable
from .columns import Column
from .cuts.discretization import cuts_of_labels
from .evidence import EvidenceTable
from .labels import MISSING_STATE

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
