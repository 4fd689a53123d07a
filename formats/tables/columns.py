"""The columns of a data table: their labels and cells, and the choice of their states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow
from pyarrow import compute

from ..data_records import MAX_STATES, Variable
from ..errors import UnsuitableData
from . import problems
from .arrow_arrays import array_of, numpy_of, text_scalar
from .cuts.discretization import Discretization
from .cuts.hartemink import Goal
from .encoding_options import MAX_NUMERIC_STATES, EncodingOptions, Treatment
from .label_columns import LabelColumn, Typed
from .labels import (
    MISSING_STATE,
    NO_MARKS,
    UNKNOWN,
    LabelCoding,
    Marks,
    are_numbers,
    code_discretized,
    code_known_states,
    code_new_states,
    count_distinct,
    find_missing,
    is_spelled,
    parse_numbers,
    refuse_lost_digits,
)

_AT_ONCE = 1 << 20
"""Cells counted per call: counting takes eight bytes for each."""


@dataclass
class Column:
    """The distinct labels of a column and the label index of every cell."""

    name: str
    labels: pyarrow.StringArray
    """Not always distinct in a text file, whose spaces are left out; empty text where the cell is null."""
    cells: LabelColumn
    """Label index of every cell."""
    states: tuple[str, ...] | None = None
    """States listed by a file header."""
    is_null: np.ndarray | None = None
    """bool, shape (n_labels,): where the cell is null; None if nowhere."""
    marks: Marks = NO_MARKS
    """The texts of missing cells."""
    known: np.ndarray | None = None
    """int64, shape (n_labels,): codes of the labels in `states`, `UNKNOWN` where there is none."""
    missing: np.ndarray | None = None
    unseen: np.ndarray | None = None
    """`missing`, `unseen`: bool, shape (n_labels,): labels of missing cells, and labels that `states` does not
    contain; None where there are none."""

    @classmethod
    def of(cls, variable: Variable, column: LabelColumn, marks: Marks = NO_MARKS) -> Column:
        """The column of a variable, whose values are texts."""
        values = column.values
        is_null = numpy_of(values.is_null()) if values.null_count else None
        return cls(variable.name, values.fill_null(text_scalar("")), column, variable.states, is_null, marks)

    @property
    def typed(self) -> Typed:
        """What the type of the column says of its labels."""
        return self.cells.typed

    @property
    def texts(self) -> pyarrow.StringArray:
        """The labels; null where the cell is empty."""
        is_empty = np.zeros(len(self.labels), dtype=np.bool_) if self.is_null is None else self.is_null
        if self.typed is Typed.NO and "" not in self.marks.not_na:
            is_empty = is_empty | numpy_of(compute.equal(self.labels, text_scalar("")))
        return compute.if_else(array_of(is_empty), text_scalar(None), self.labels)

    def classify(self, missing_is_state: bool, *, missing_is_hole: bool = False) -> None:
        """Find the labels of missing cells, and the labels that the states of a header do not contain.

        Missing cells belong to a header's state ``NA``; with `missing_is_hole`, and where ``NA`` is a label, only
        cells with this text do. What `marks` adds to the texts of missing cells is missing even if a header lists it
        as a state.

        Raises `UnsuitableData`: missing cells are to be a state, and ``NA`` is a label.
        """
        missing = find_missing(self.labels, self.marks, self.typed)
        is_null = np.zeros_like(missing) if self.is_null is None else self.is_null
        missing |= is_null
        if missing_is_state and MISSING_STATE in self.marks.not_na:
            self._refuse_two_meanings(missing)
        if self.states is not None:
            takes_holes = not missing_is_hole and MISSING_STATE not in self.marks.not_na
            self.known = code_known_states(self.name, self.labels, self.states, missing & takes_holes, self.typed)
            is_na = takes_holes and MISSING_STATE in self.states
            is_hole = is_null | is_spelled(self.labels, self.marks.na, self.typed)
            self.known[is_hole] = self.states.index(MISSING_STATE) if is_na else UNKNOWN
            missing &= (self.known == UNKNOWN) & (not missing_is_state)
            unseen = (self.known == UNKNOWN) & ~missing
            self.unseen = unseen if unseen.any() else None
        self.missing = missing if missing.any() else None

    def missing_texts(self) -> list[str]:
        """The texts of missing cells that are not empty."""
        if self.missing is None:
            return []
        held = self.missing & (self.count_labels() > 0)
        return [text for text in self.labels.filter(array_of(held)).to_pylist() if text]

    def _refuse_two_meanings(self, missing: np.ndarray) -> None:
        """Refuse missing cells that become a state of the name of a label."""
        has_label = MISSING_STATE in self.labels.filter(array_of(~missing)).to_pylist()
        n_missing = int(self.count_labels()[missing].sum())
        if n_missing and (has_label or MISSING_STATE in (self.states or ())):
            raise UnsuitableData(
                f"{MISSING_STATE!r} is a label, and {n_missing} missing cells cannot be a state of this name",
                column=self.name,
                remedy="give --missing drop, or another name to the label",
            )

    def hide_unseen(self, missing_is_state: bool) -> int:
        """Take cells with labels that `states` does not contain as missing; the number of these cells.

        With `missing_is_state` they get the state ``NA``; without this state they stay as they are.
        """
        assert self.known is not None
        if self.unseen is None or (missing_is_state and MISSING_STATE not in (self.states or ())):
            return 0
        n_cells = int(self.count_labels()[self.unseen].sum())
        if missing_is_state:
            self.known[self.unseen] = (self.states or ()).index(MISSING_STATE)
        else:
            self.missing = self.unseen if self.missing is None else self.missing | self.unseen
        self.unseen = None
        return n_cells

    def keep_states(self, keeps: np.ndarray) -> None:
        """Leave out states that no kept row has; `keeps` is bool, one for each state."""
        assert self.known is not None and self.states is not None
        places = np.append(np.where(keeps, np.cumsum(keeps) - 1, UNKNOWN), UNKNOWN)  # the last one for `UNKNOWN`
        self.known = places[self.known]
        self.states = tuple(state for state, is_kept in zip(self.states, keeps) if is_kept)

    def gather(self, table: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """The entry of `table` for the label of every cell; only for cells of `rows` (bool) if given."""
        parts = [table[indices] for indices in self.cells.indices()]
        cells = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return cells if rows is None else cells[rows]

    def count_labels(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Number of cells with each label, int64, shape (n_labels,)."""
        n_labels = len(self.labels)
        if rows is not None:
            return np.bincount(self.gather(np.arange(n_labels), rows), minlength=n_labels)
        parts = (part[k : k + _AT_ONCE] for part in self.cells.indices() for k in range(0, len(part), _AT_ONCE))
        return sum((np.bincount(part, minlength=n_labels) for part in parts), np.zeros(n_labels, np.int64))


class StateChooser:
    """Chooses the states of columns one by one, caches equal cases, collects the problems of all columns.

    `cut` has the names of the columns that a rule cut, `scales` the columns left whole and their numbers of states,
    `doubts` the columns of each doubt about their labels.

    - `treatments`: treatment of each column, by name.
    - `rows` (bool): the rows kept; None for all.
    - `is_tight`: whether every label occurs in these rows.
    - `place_of`: words for the place of a row (from 0).
    """

    def __init__(
        self,
        options: EncodingOptions,
        treatments: dict[str, Treatment],
        rows: np.ndarray | None,
        is_tight: bool,
        place_of: Callable[[int], str],
    ):
        self._options = options
        self._treatments = treatments
        self._rows = rows
        self._is_tight = is_tight
        self._place_of = place_of
        self._remembered: dict[tuple[Any, ...], tuple[LabelCoding, list[problems.Doubt]]] = {}
        self._continuous: list[tuple[str, int]] = []
        self._names_rule = False  # whether a rule cuts some of these only if it is for all numbers or names them
        self._numerous: list[tuple[str, int, problems.LabelKind | None]] = []
        self._of_text: dict[str, str] = {}
        self.cut: set[str] = set()
        self.scales: list[tuple[str, int]] = []
        self.suspicions: list[str] = []
        self.doubts: dict[problems.Doubt, list[str]] = {}

    def bare(self, column: Column) -> Column:
        """The column without its listed states if an option says how it becomes states; else the column itself."""
        options = self._options
        plain = Treatment.of(None, options.number_limit(is_coded=False))
        if column.known is None or self._treatments[column.name] == plain:
            return column
        found = Column(column.name, column.labels, column.cells, None, column.is_null, column.marks)
        found.classify(options.missing == "state", missing_is_hole=options.missing == "keep")
        return found

    def choose(self, column: Column) -> LabelCoding:
        """States of a column and the code of each label that occurs."""
        if column.known is not None:
            states = column.states or ()
            if len(states) > MAX_STATES:
                n_shown = len(np.unique(column.known[(column.known >= 0) & (column.count_labels(self._rows) > 0)]))
                kind = problems.kind_of_declared(n_shown, self._options.listed_in if self._options.levels else None)
                self._numerous.append((column.name, len(states), kind))
            return LabelCoding(states, column.known)
        coding, doubts = self._choose(column)
        for doubt in doubts:
            self.doubts.setdefault(doubt, []).append(column.name)
        return coding

    def _choose(self, column: Column) -> tuple[LabelCoding, list[problems.Doubt]]:
        treatment = self._treatments[column.name]
        # So few labels are neither cut nor suspected: if all of them occur, the choice depends on them alone.
        is_short = len(column.labels) <= min(treatment.n_kept, treatment.limit, problems.MIN_NUMBERS)
        is_usual = is_short and not treatment.is_named
        if not is_usual or not (self._is_tight or column.count_labels(self._rows).all()):
            return self._choose_anew(column)
        # The same few labels in thousands of columns are the usual case.
        missing = () if column.missing is None else tuple(column.missing.tolist())
        key = (treatment, column.typed, missing, tuple(column.labels.to_pylist()))
        if key not in self._remembered:
            self._remembered[key] = self._choose_anew(column)
        return self._remembered[key]

    def goal_of(self, variable: Variable) -> Goal | None:
        """The goal of a variable whose intervals are to be joined by `hartemink`; None for all others."""
        treatment = self._treatments.get(variable.name)
        if treatment is None or not isinstance(treatment.rule, Discretization) or not treatment.rule.n_first:
            return None
        states = variable.known_states
        n_levels = len(states) - (states[-1:] == (MISSING_STATE,))
        if variable.name not in self.cut or n_levels <= treatment.rule.n_intervals:
            return None
        return Goal(n_levels, treatment.rule.n_intervals)

    def _choose_anew(self, column: Column) -> tuple[LabelCoding, list[problems.Doubt]]:
        missing = np.zeros(len(column.labels), dtype=bool) if column.missing is None else column.missing
        occurs = np.ones_like(missing) if self._is_tight else column.count_labels(self._rows) > 0
        regular = occurs & ~missing
        states: tuple[str, ...] = ()
        codes = np.zeros(len(missing), dtype=np.int64)
        doubts: list[problems.Doubt] = []
        if regular.any():
            labels = column.labels.filter(array_of(regular))
            values = parse_numbers(labels)
            states, codes[regular] = self._code(column, labels, values, regular)
            doubts = [
                doubt for doubt in problems.doubts_about(labels, values) if doubt.labels[0] not in column.marks.not_na
            ]
        if self._options.missing == "state" and (occurs & missing).any():
            codes[missing] = len(states)
            states = (*states, MISSING_STATE)
        if len(states) > MAX_STATES:
            self._numerous.append((column.name, len(states), None))
        return LabelCoding(states, codes), doubts

    def _code(
        self, column: Column, labels: pyarrow.StringArray, values: np.ndarray, selected: np.ndarray
    ) -> LabelCoding:
        rule, n_kept, limit, n_scale, is_named, is_of_all = self._treatments[column.name]
        # A rule for all columns applies to columns of numbers alone; with text among them all labels are states.
        is_number = ~np.isnan(values)
        if is_named and not is_number.all():
            self._of_text[column.name] = self._first_text(column, selected, is_number)
            return LabelCoding((), np.zeros(len(labels), dtype=np.int64))
        is_numeric = are_numbers(labels, values, column.typed)
        is_cut_by_value = is_number.all() and (is_named or (is_of_all and column.typed is not Typed.TEXT))
        n_distinct = count_distinct(labels, values, is_numeric or is_cut_by_value)
        is_scale = is_numeric and n_kept < n_distinct <= n_scale and bool((values == np.floor(values)).all())
        if is_scale:
            self.scales.append((column.name, n_distinct))
        elif (is_numeric or is_cut_by_value) and rule and n_distinct > n_kept:
            refuse_lost_digits(column.name, labels, values)
            self.cut.add(column.name)
            return code_discretized(values, column.count_labels(self._rows)[selected], rule)
        if is_cut_by_value and not is_numeric:
            n_distinct = count_distinct(labels, values, is_numeric)
        # Labels with points are continuous as often as numbers are; codes such as 01234 are not.
        is_decimal = (
            column.typed is Typed.NO
            and is_number.all()
            and bool(compute.any(compute.match_substring(labels, ".")).as_py())
        )
        if n_distinct <= (limit if is_numeric or is_decimal else self._options.text_limit):
            if not is_numeric:
                self._suspect(column, labels, is_number)
            return code_new_states(labels.to_pylist(), values, is_numeric)
        if is_numeric or is_decimal:
            self._continuous.append((column.name, n_distinct))
            self._names_rule |= not is_numeric
        else:
            kind = problems.kind_of_labels(labels, is_number, column.typed)
            self._numerous.append((column.name, n_distinct, kind))
        return LabelCoding((), np.zeros(len(labels), dtype=np.int64))

    def _suspect(self, column: Column, labels: pyarrow.StringArray, is_number: np.ndarray) -> None:
        """Note what may not be meant as states; numbers that are labels where a column of numbers would be cut."""
        treatment, n_rows = self._treatments[column.name], len(column.cells)
        least = problems.MIN_NUMBERS
        if is_number.all() and not treatment.is_named:
            least = MAX_NUMERIC_STATES + 1 if column.typed is Typed.TEXT else least
            least = min(least, treatment.n_kept + 1) if treatment.rule else least
        if len(labels) >= least:
            n_rows = n_rows if self._rows is None else int(self._rows.sum())
            suspicion = problems.suspect(column.name, labels, is_number, n_rows, column.typed)
            self.suspicions += [suspicion] if suspicion else []

    def _first_text(self, column: Column, selected: np.ndarray, is_number: np.ndarray) -> str:
        """The first cell of the kept rows that is no number, with its place."""
        is_text = np.zeros(len(column.labels), dtype=np.bool_)
        is_text[np.flatnonzero(selected)[~is_number]] = True
        is_stray = column.gather(is_text)
        row = int(np.argmax(is_stray if self._rows is None else is_stray & self._rows))
        label = column.labels[int(column.gather(np.arange(len(is_text)))[row])].as_py()
        return f"{self._place_of(row)}{label!r}"

    @property
    def problems(self) -> list[problems.Problem]:
        """The problems of the columns without usable states."""
        found = [problems.continuous_problem(self._continuous, self._names_rule)] if self._continuous else []
        if self._of_text:
            found.append(problems.text_problem(self._of_text))
        if self._numerous:
            found.append(problems.numerous_problem(self._numerous, self._options.text_limit))
        return found
