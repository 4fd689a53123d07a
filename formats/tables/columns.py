"""One column of a data table on its way to states: its labels, its cells, and the choice of its states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..data_records import MAX_STATES, Variable
from ..errors import UnsuitableData
from ..wording import plural
from .discretization import ColumnRule, Cuts, Discretization
from .hartemink import Goal
from .label_parts import N_NARROW
from .labels import (
    MISSING_STATE,
    UNKNOWN,
    LabelCoding,
    code_discretized,
    code_known_states,
    code_new_states,
    count_distinct,
    find_missing,
    parse_numbers,
)
from .selection import matching_names
from .suspicions import MIN_NUMBERS, Suspicion, suspect

if TYPE_CHECKING:
    import pyarrow

MAX_NUMERIC_STATES = 20
"""A numeric column with more distinct numbers than this is taken as continuous."""

_N_LISTED = 5
_AT_ONCE = 1 << 20
"""Cells counted at once: counting takes eight bytes for each."""


@dataclass(frozen=True)
class EncodingOptions:
    """How labels become states.

    Attributes
    ----------
    missing : str
        ``error`` refuses missing cells, ``drop`` leaves their rows out, ``state`` makes them a state ``NA``, ``keep``
        makes an `IncompleteDataset`.
    na : tuple of str
        Spellings of missing cells besides those of `labels`.
    discretize : tuple of ColumnRule
        How numeric columns with many values are cut.
    categories : tuple of str
        Columns whose numbers are states, up to 256, whatever `discretize` says of all columns.
    columns, drop : tuple of str
        Columns that alone are read (all if empty), and columns that are not; see `selection`.
    variables : tuple of Variable, optional
        Variables of a file header: columns are matched by name (by position if the table has no names and the
        names do not match), put in this order and coded by these states; further columns are ignored. Numbers are
        put into states that are intervals; how columns are cut does not matter for variables with states.
    listed_in : str
        What messages call the file with these variables.
    unseen : str
        ``error`` refuses labels that `variables` does not list, ``drop`` leaves their rows out.
    max_states : int, optional
        Most states of a column, up to 256; replaces the limits of 20 distinct numbers and 256 labels.
    """

    missing: str = "error"
    na: tuple[str, ...] = ()
    discretize: tuple[ColumnRule, ...] = ()
    categories: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    variables: tuple[Variable, ...] | None = None
    listed_in: str = "the header"
    unseen: str = "error"
    max_states: int | None = None

    def __post_init__(self):
        if self.missing not in ("error", "drop", "state", "keep"):
            raise ValueError(f"missing must be error, drop, state or keep, not {self.missing!r}")
        if self.unseen not in ("error", "drop"):
            raise ValueError(f"unseen must be error or drop, not {self.unseen!r}")
        if self.max_states is not None and not 1 <= self.max_states <= MAX_STATES:
            raise ValueError(f"max_states must be from 1 to {MAX_STATES}, not {self.max_states}")

    @property
    def text_limit(self) -> int:
        """Most states of a column that is not numeric."""
        return self.max_states or MAX_STATES

    def treatments(self, names: Sequence[str], source: str) -> dict[str, Treatment]:
        """What to do with each column if it is numeric; of several rules for one column the last holds.

        Raises
        ------
        UnsuitableData
            A rule for a column that is not there.
        """
        limit = self.max_states or MAX_NUMERIC_STATES
        general = [given.rule for given in self.discretize if given.columns is None]
        treatment = {name: Treatment.of(general[-1] if general else None, limit) for name in names}
        for given in self.discretize:
            if given.columns is not None:
                for name in matching_names(given.columns, names, source, "--discretize"):
                    treatment[name] = Treatment.of(given.rule, limit)
        for pattern in self.categories:
            for name in matching_names(pattern, names, source, "--categories"):
                treatment[name] = Treatment(None, MAX_STATES, self.text_limit)
        return treatment


class Problem(NamedTuple):
    """Why a table is refused, and what to do about it."""

    message: str
    remedy: str


class Treatment(NamedTuple):
    """What to do with a column if it is numeric.

    Attributes
    ----------
    rule : Discretization or Cuts or None
    n_kept : int
        With at most this many distinct numbers it is never cut.
    limit : int
        Most distinct numbers that it may have uncut without being refused as continuous.
    """

    rule: Discretization | Cuts | None
    n_kept: int
    limit: int

    @classmethod
    def of(cls, rule: Discretization | Cuts | None, limit: int) -> Treatment:
        """The treatment by a rule for columns of up to `limit` numbers."""
        return cls(rule, rule.n_kept, max(limit, rule.n_kept)) if rule else cls(None, MAX_STATES, limit)


@dataclass
class Column:
    """The distinct labels of a column and the label index of every cell.

    Attributes
    ----------
    name : str
    labels : pyarrow.StringArray
        Without surrounding spaces, hence not always distinct; empty text where the cell is null.
    indices : list of ndarray of integers
        Label index of every cell, in consecutive parts.
    states : tuple of str or None
        States listed by a file header.
    known : ndarray of int64 or None, shape (n_labels,)
        Codes of the labels in `states`, `UNKNOWN` where there is none.
    missing, unseen : ndarray of bool or None, shape (n_labels,)
        Labels of missing cells, and labels that `states` does not contain; None where there are none.
    """

    name: str
    labels: pyarrow.StringArray
    indices: list[np.ndarray]
    states: tuple[str, ...] | None = None
    known: np.ndarray | None = None
    missing: np.ndarray | None = None
    unseen: np.ndarray | None = None

    @classmethod
    def unpack(cls, variable: Variable, column: pyarrow.ChunkedArray) -> Column:
        """Take a column of type dictionary<string> apart."""
        import pyarrow
        from pyarrow import compute

        chunks = (column.unify_dictionaries() if column.num_chunks > 1 else column).chunks
        labels = compute.utf8_trim_whitespace(chunks[0].dictionary)
        if labels.null_count:
            labels = labels.fill_null("")
        if column.null_count == 0:
            return cls(variable.name, labels, [chunk.indices.to_numpy() for chunk in chunks], variable.states)
        n_labels = len(labels)
        labels = pyarrow.concat_arrays([labels, pyarrow.array([""], labels.type)])
        width = "uint8" if n_labels < N_NARROW else "int32"
        indices = [chunk.indices.cast(width).fill_null(n_labels).to_numpy() for chunk in chunks]
        return cls(variable.name, labels, indices, variable.states)

    def classify(
        self, missing_is_state: bool, na: Sequence[str] = (), *, missing_is_hole: bool = False
    ) -> None:
        """Find the labels of missing cells, and those that the states of a header do not contain.

        A header's state ``NA`` is what missing cells are by default; with `missing_is_hole` only its own text is.
        """
        missing = find_missing(self.labels, na)
        if self.states is not None:
            is_state = missing & (not missing_is_hole)
            self.known = code_known_states(self.labels, self.states, is_state)
            missing &= (self.known == UNKNOWN) & (not missing_is_state)
            unseen = (self.known == UNKNOWN) & ~missing
            self.unseen = unseen if unseen.any() else None
        self.missing = missing if missing.any() else None

    def gather(self, table: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """Look every cell's label up in `table`; only those of `rows` (bool) if given."""
        parts = [table[indices] for indices in self.indices]
        cells = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return cells if rows is None else cells[rows]

    def n_rows(self, rows: np.ndarray | None = None) -> int:
        """Number of cells, or of those of `rows`."""
        return sum(map(len, self.indices)) if rows is None else int(rows.sum())

    def count_labels(self, rows: np.ndarray | None = None) -> np.ndarray:
        """How many cells have each label, int64, shape (n_labels,)."""
        n_labels = len(self.labels)
        if rows is not None:
            return np.bincount(self.gather(np.arange(n_labels), rows), minlength=n_labels)
        parts = (part[k : k + _AT_ONCE] for part in self.indices for k in range(0, len(part), _AT_ONCE))
        return sum((np.bincount(part, minlength=n_labels) for part in parts), np.zeros(n_labels, np.int64))


class StateChooser:
    """Chooses the states of columns one by one, remembers equal cases, gathers what must be refused.

    Parameters
    ----------
    options : EncodingOptions
    treatments : dict
        Treatment of each column, by name.
    rows : ndarray of bool or None
        The rows kept; None for all.
    is_tight : bool
        Whether every label occurs in these rows.
    """

    def __init__(
        self,
        options: EncodingOptions,
        treatments: dict[str, Treatment],
        rows: np.ndarray | None,
        is_tight: bool,
    ):
        self._options = options
        self._treatments = treatments
        self._rows = rows
        self._is_tight = is_tight
        self._remembered: dict[tuple[Treatment, tuple[str, ...]], LabelCoding] = {}
        self._continuous: list[tuple[str, int]] = []
        self._numerous: list[tuple[str, int, str]] = []
        self._cut: set[str] = set()
        self.suspicions: list[Suspicion] = []

    def choose(self, column: Column) -> LabelCoding:
        """States of a column and the code of each label that occurs."""
        if column.known is not None:
            return LabelCoding(column.states or (), column.known)
        treatment = self._treatments[column.name]
        is_short = len(column.labels) <= min(treatment.n_kept, treatment.limit, MIN_NUMBERS)
        if not is_short or not (self._is_tight or column.count_labels(self._rows).all()):
            return self._choose_anew(column)
        # The same few labels in thousands of columns are the usual case.
        key = (treatment, tuple(column.labels.to_pylist()))
        if key not in self._remembered:
            self._remembered[key] = self._choose_anew(column)
        return self._remembered[key]

    def goal_of(self, variable: Variable) -> Goal | None:
        """How many intervals of a variable, cut here, are to be joined with an eye to the others; None if none."""
        treatment = self._treatments.get(variable.name)
        if treatment is None or not isinstance(treatment.rule, Discretization) or not treatment.rule.n_first:
            return None
        states = variable.known_states
        n_levels = len(states) - (states[-1:] == (MISSING_STATE,))
        if variable.name not in self._cut or n_levels <= treatment.rule.n_intervals:
            return None
        return Goal(n_levels, treatment.rule.n_intervals)

    def _choose_anew(self, column: Column) -> LabelCoding:
        import pyarrow

        missing = np.zeros(len(column.labels), dtype=bool) if column.missing is None else column.missing
        occurs = np.ones_like(missing) if self._is_tight else column.count_labels(self._rows) > 0
        regular = occurs & ~missing
        states: tuple[str, ...] = ()
        codes = np.zeros(len(missing), dtype=np.int64)
        if regular.any():
            states, codes[regular] = self._code(column, column.labels.filter(pyarrow.array(regular)), regular)
        if self._options.missing == "state" and (occurs & missing).any():
            codes[missing] = len(states)
            states = (*states, MISSING_STATE)
        if len(states) > MAX_STATES:
            self._numerous.append((column.name, len(states), ""))
        return LabelCoding(states, codes)

    def _code(self, column: Column, labels: pyarrow.StringArray, selected: np.ndarray) -> LabelCoding:
        rule, n_kept, limit = self._treatments[column.name]
        values = parse_numbers(labels)
        is_number = ~np.isnan(values)
        n_distinct = count_distinct(labels, values)
        if is_number.all() and rule and n_distinct > n_kept:
            self._cut.add(column.name)
            return code_discretized(values, column.count_labels(self._rows)[selected], rule)
        if n_distinct <= (limit if is_number.all() else self._options.text_limit):
            if not is_number.all() and len(labels) >= MIN_NUMBERS:
                suspicion = suspect(column.name, labels, is_number, column.n_rows(self._rows))
                self.suspicions += [suspicion] if suspicion else []
            return code_new_states(labels.to_pylist(), values)
        if is_number.all():
            self._continuous.append((column.name, n_distinct))
        else:
            # Among many numbers a word is likely a slip, or a mark for missing cells that we do not know.
            stray = labels[int(np.argmin(is_number))].as_py() if is_number.mean() > 0.5 else ""
            self._numerous.append((column.name, n_distinct, stray))
        return LabelCoding((), np.zeros(len(labels), dtype=np.int64))

    def raise_problems(self, source: str, others: Sequence[Problem] = ()) -> None:
        """Refuse the columns that have no usable states, all in one error.

        Parameters
        ----------
        source : str
        others : sequence of Problem
            What else is to be refused, said first.

        Raises
        ------
        UnsuitableData
        """
        messages = [problem.message for problem in others]
        remedies = [problem.remedy for problem in others]
        if self._continuous:
            listing = listed(f"{name!r} ({count})" for name, count in self._continuous)
            messages.append(
                f"{plural(len(self._continuous), 'continuous column')} (distinct numbers): {listing}"
            )
            remedies.append(
                "use --discretize median|quantile:K|width:K|hartemink:K (or bnsl discretize), leave columns out by "
                "--drop, or take up to N numbers as states by --max-states N or --categories NAME "
                f"(at most {MAX_STATES})"
            )
        if self._numerous:
            listing = listed(
                f"{name!r} ({count}{f', some not numbers, as {stray!r}' if stray else ''})"
                for name, count, stray in self._numerous
            )
            messages.append(f"too many states in {plural(len(self._numerous), 'column')}: {listing}")
            remedies.append(f"{self._limit_hint()}: leave the column out by --drop or group its labels")
        if messages:
            raise UnsuitableData("; ".join(messages), source=source, remedy="; ".join(remedies))

    def _limit_hint(self) -> str:
        limit = self._options.text_limit
        return f"the limit is {limit} states" if limit == MAX_STATES else f"--max-states is {limit}"


def listed(items: Iterable[str]) -> str:
    """The first few items, and how many more there are."""
    items = list(items)
    more = f" and {len(items) - _N_LISTED} more" if len(items) > _N_LISTED else ""
    return ", ".join(items[:_N_LISTED]) + more
