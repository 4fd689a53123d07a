"""One column of a data table on its way to states: its labels, its cells, and the choice of its states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .discretization import Discretization
from .errors import UnsuitableData
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
from .records import MAX_STATES, Variable

if TYPE_CHECKING:
    import pyarrow

MAX_NUMERIC_STATES = 20
"""A numeric column with more distinct numbers than this is taken as continuous."""

_N_LISTED = 5


@dataclass(frozen=True)
class EncodingOptions:
    """How labels become states; the fields are the options of ``open_dataset``."""

    missing: str = "error"
    discretize: Discretization | None = None
    variables: tuple[Variable, ...] | None = None
    unseen: str = "error"
    max_states: int | None = None

    def __post_init__(self):
        if self.missing not in ("error", "drop", "state"):
            raise ValueError(f"missing must be error, drop or state, not {self.missing!r}")
        if self.unseen not in ("error", "drop"):
            raise ValueError(f"unseen must be error or drop, not {self.unseen!r}")
        if self.max_states is not None and not 1 <= self.max_states <= MAX_STATES:
            raise ValueError(f"max_states must be from 1 to {MAX_STATES}, not {self.max_states}")

    @property
    def n_kept(self) -> int:
        """Numeric columns with at most this many distinct numbers are never discretized."""
        return self.discretize.n_kept if self.discretize else MAX_STATES

    @property
    def numeric_limit(self) -> int:
        """Most distinct numbers that a column may have without being continuous."""
        limit = self.max_states or MAX_NUMERIC_STATES
        return max(limit, self.discretize.n_kept) if self.discretize else limit

    @property
    def text_limit(self) -> int:
        """Most states of any other column."""
        return self.max_states or MAX_STATES


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
        indices = [chunk.indices.cast("int32").fill_null(n_labels).to_numpy() for chunk in chunks]
        return cls(variable.name, labels, indices, variable.states)

    def classify(self, missing_is_state: bool) -> None:
        """Find the labels of missing cells, and those that the states of a header do not contain."""
        missing = find_missing(self.labels)
        if self.states is not None:
            self.known = code_known_states(self.labels, self.states)
            missing &= (self.known == UNKNOWN) & (not missing_is_state)
            unseen = (self.known == UNKNOWN) & ~missing
            self.unseen = unseen if unseen.any() else None
        self.missing = missing if missing.any() else None

    def gather(self, table: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """Look every cell's label up in `table`; only those of `rows` (bool) if given."""
        parts = [table[indices] for indices in self.indices]
        cells = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return cells if rows is None else cells[rows]

    def count_labels(self, rows: np.ndarray | None = None) -> np.ndarray:
        """How many cells have each label, int64, shape (n_labels,)."""
        cells = self.gather(np.arange(len(self.labels)), rows)
        return np.bincount(cells, minlength=len(self.labels))


class StateChooser:
    """Chooses the states of columns one by one, remembers equal cases, gathers what must be refused.

    Parameters
    ----------
    options : EncodingOptions
    rows : ndarray of bool or None
        The rows kept; None for all.
    is_tight : bool
        Whether every label occurs in these rows.
    """

    def __init__(self, options: EncodingOptions, rows: np.ndarray | None, is_tight: bool):
        self._options = options
        self._rows = rows
        self._is_tight = is_tight
        self._remembered: dict[tuple[str, ...], LabelCoding] = {}
        self._continuous: list[tuple[str, int]] = []
        self._numerous: list[tuple[str, int, str]] = []

    def choose(self, column: Column) -> LabelCoding:
        """States of a column and the code of each label that occurs."""
        if column.known is not None:
            return LabelCoding(column.states or (), column.known)
        options = self._options
        if not self._is_tight or len(column.labels) > min(options.n_kept, options.numeric_limit):
            return self._choose_anew(column)
        # The same few labels in thousands of columns are the usual case.
        key = tuple(column.labels.to_pylist())
        if key not in self._remembered:
            self._remembered[key] = self._choose_anew(column)
        return self._remembered[key]

    def _choose_anew(self, column: Column) -> LabelCoding:
        import pyarrow

        missing = np.zeros(len(column.labels), dtype=bool) if column.missing is None else column.missing
        occurs = np.ones_like(missing) if self._is_tight else column.count_labels(self._rows) > 0
        regular = occurs & ~missing
        states: tuple[str, ...] = ()
        codes = np.zeros(len(missing), dtype=np.int64)
        if regular.any():
            states, codes[regular] = self._code(column, column.labels.filter(pyarrow.array(regular)), regular)
        if (occurs & missing).any():
            codes[missing] = len(states)
            states = (*states, MISSING_STATE)
        if len(states) > MAX_STATES:
            self._numerous.append((column.name, len(states), ""))
        return LabelCoding(states, codes)

    def _code(self, column: Column, labels: pyarrow.StringArray, selected: np.ndarray) -> LabelCoding:
        options = self._options
        values = parse_numbers(labels)
        is_number = ~np.isnan(values)
        n_distinct = count_distinct(labels, values)
        if is_number.all() and options.discretize and n_distinct > options.n_kept:
            return code_discretized(values, column.count_labels(self._rows)[selected], options.discretize)
        if n_distinct <= (options.numeric_limit if is_number.all() else options.text_limit):
            return code_new_states(labels.to_pylist(), values)
        if is_number.all():
            self._continuous.append((column.name, n_distinct))
        else:
            # Among many numbers a word is likely a slip, or a mark for missing cells that we do not know.
            stray = labels[int(np.argmin(is_number))].as_py() if is_number.mean() > 0.5 else ""
            self._numerous.append((column.name, n_distinct, stray))
        return LabelCoding((), np.zeros(len(labels), dtype=np.int64))

    def raise_problems(self, source: str) -> None:
        """Refuse the columns that have no usable states, all in one error.

        Raises
        ------
        UnsuitableData
        """
        messages, remedies = [], []
        if self._continuous:
            listing = listed(f"{name!r} ({count})" for name, count in self._continuous)
            messages.append(
                f"{plural(len(self._continuous), 'continuous column')} (distinct numbers): {listing}"
            )
            remedies.append(
                "use --discretize median|quantile:K|width:K (or bnsl discretize), "
                f"or --max-states N to take up to N numbers as states (N at most {MAX_STATES})"
            )
        if self._numerous:
            listing = listed(
                f"{name!r} ({count}{f', some not numbers, as {stray!r}' if stray else ''})"
                for name, count, stray in self._numerous
            )
            messages.append(f"too many states in {plural(len(self._numerous), 'column')}: {listing}")
            remedies.append(f"{self._limit_hint()}: remove the column or group its labels")
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


def plural(count: int, noun: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
