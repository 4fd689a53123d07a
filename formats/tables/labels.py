"""The meaning of the distinct labels of one column: missing or not, number or text, and the state of each."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow
from pyarrow import compute

from ..errors import UnsuitableData
from .cuts import discretization
from .selection import drop_option

MISSING_LABELS = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL")
"""Labels of missing cells in R, pandas, spreadsheets, databases and WEKA."""

MISSING_AMONG_NUMBERS = ("None", "none", ".", "-")
"""Labels of missing cells where all others of the column are numbers; elsewhere they may well be states."""

_TRUTH_VALUES = {text: word == "true" for word in ("true", "false") for text in (word, word.title(), word.upper())}

MISSING_STATE = "NA"
"""State of missing cells where they are kept as a state of their own; always the last one."""

UNKNOWN = -1
"""Code of a label that a given list of states does not contain."""


class LabelCoding(NamedTuple):
    """States of a column and the code of each of its labels (int64, shape (n_labels,))."""

    states: tuple[str, ...]
    codes: np.ndarray


def find_missing(labels: pyarrow.StringArray, further: Sequence[str] = ()) -> np.ndarray:
    """Which labels of a column stand for missing cells, bool, shape (n_labels,).

    `further` spellings (`is_spelled`) add to `MISSING_LABELS`.
    """
    missing = _is_among(labels, MISSING_LABELS) | is_spelled(labels, further)
    doubtful = _is_among(labels, MISSING_AMONG_NUMBERS) & ~missing
    others = ~(missing | doubtful)
    if doubtful.any() and others.any():
        # Among words a dot or `none` may be a state.
        is_numeric = not np.isnan(parse_numbers(labels.filter(pyarrow.array(others)))).any()
        missing |= doubtful & is_numeric
    return missing


def is_spelled(labels: pyarrow.StringArray, texts: Sequence[str]) -> np.ndarray:
    """Which labels are among these texts, bool; a text that is a number stands for all labels of its value."""
    if not texts:
        return np.zeros(len(labels), dtype=bool)
    found = _is_among(labels, tuple(texts))
    numbers = parse_numbers(pyarrow.array(texts, pyarrow.string()))
    if not np.isnan(numbers).all():
        exact = {_exact(texts[position]) for position in np.flatnonzero(~np.isnan(numbers)).tolist()}
        for position in np.flatnonzero(np.isin(parse_numbers(labels), numbers[~np.isnan(numbers)])):
            found[position] |= _exact(labels[position].as_py()) in exact
    return found


def _is_among(labels: pyarrow.StringArray, texts: tuple[str, ...]) -> np.ndarray:
    return _as_numpy(compute.is_in(labels, options=_among(texts, labels.type)))


@lru_cache(maxsize=16)
def _among(texts: tuple[str, ...], kind: pyarrow.DataType) -> compute.SetLookupOptions:
    # Made once, not for each of thousands of columns.
    return compute.SetLookupOptions(pyarrow.array(texts, kind))


def _as_numpy(flags: pyarrow.BooleanArray) -> np.ndarray:
    return flags.to_numpy(zero_copy_only=False).astype(bool)


def parse_numbers(labels: pyarrow.StringArray) -> np.ndarray:
    """Values of labels that are finite decimal numbers, NaN for all others, float64, shape (n_labels,)."""
    is_number = _as_numpy(compute.match_substring_regex(labels, discretization.NUMBER_PATTERN))
    values = np.full(len(labels), np.nan)
    if is_number.any():
        numbers = compute.cast(labels.filter(pyarrow.array(is_number)), pyarrow.float64())
        values[is_number] = numbers.to_numpy()
        values[np.isinf(values)] = np.nan
    return values


def count_distinct(labels: pyarrow.StringArray, values: np.ndarray) -> int:
    """Number of states that labels would make: distinct numbers if all are numbers, else distinct texts."""
    if np.isnan(values).any():
        return compute.count_distinct(labels).as_py()
    is_large = np.abs(values) >= discretization.FIRST_DOUBTFUL
    return len(np.unique(values[~is_large])) + len({_exact(labels[p].as_py()) for p in np.flatnonzero(is_large)})


def refuse_lost_digits(name: str, labels: pyarrow.StringArray, values: np.ndarray) -> None:
    """Raise `UnsuitableData` if float64 does not hold a number of a column to be cut (`discretization.is_held`)."""
    large = np.flatnonzero(np.abs(values) >= discretization.FIRST_DOUBTFUL)
    texts = (labels[position].as_py() for position in large)
    lost = next((text for text in texts if not discretization.is_held(text)), None)
    if lost is not None:
        raise UnsuitableData(
            f"{lost} would be cut as {int(float(lost))}: whole numbers from 2^53 on are not cut exactly",
            column=name,
            remedy=f"subtract a constant from the column, or divide it; or {drop_option([name])}",
        )


def code_new_states(labels: Sequence[str], values: np.ndarray) -> LabelCoding:
    """States of a column from its labels and their numbers by `parse_numbers`.

    Numbers are sorted by value, intervals by their ends, other labels as text. Labels of equal value are one
    state, named by the shortest spelling (ties: first as text).
    """
    keys = _sort_keys(labels, values)
    spellings: dict = {}
    for key, label in zip(keys, labels):
        known = spellings.get(key)
        if known is None or (len(label), label) < (len(known), known):
            spellings[key] = label
    ordered = sorted(spellings)
    code_of = {key: code for code, key in enumerate(ordered)}
    states = tuple(spellings[key] for key in ordered)
    return LabelCoding(states, np.array([code_of[key] for key in keys], dtype=np.int64))


def _sort_keys(labels: Sequence[str], values: np.ndarray) -> Sequence:
    if not np.isnan(values).any():
        try:
            return [Decimal(label) for label in labels]  # exact, so that long whole numbers stay distinct
        except InvalidOperation:  # an exponent of a million digits
            return values.tolist()
    bounds = [discretization.interval_bounds(label) for label in labels]
    return list(labels) if None in bounds else bounds


def code_discretized(
    values: np.ndarray, counts: np.ndarray, rule: discretization.Discretization | discretization.Cuts
) -> LabelCoding:
    """Intervals for a numeric column.

    - `values` (float64, shape (n_labels,)): numbers of its labels, at least two different ones.
    - `counts` (int64, shape (n_labels,)): rows with each label.
    """
    if isinstance(rule, discretization.Cuts):
        return LabelCoding(*rule.code(values))
    distinct, positions = np.unique(values, return_inverse=True)
    rows = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(rows, positions, counts)
    cuts = discretization.cut_points(distinct, rows, rule)
    return LabelCoding(discretization.interval_labels(cuts), discretization.interval_codes(values, cuts))


def code_known_states(
    name: str, labels: pyarrow.StringArray, states: tuple[str, ...], missing: np.ndarray
) -> np.ndarray:
    """Codes of labels of a column in a given list of states, int64; `UNKNOWN` where a label matches none.

    A label matches a state of the same text, else of the same number or truth value; numbers also match the
    interval that contains them if the states are intervals. The `missing` labels match the state ``NA``. Raises
    `UnsuitableData` as `refuse_lost_digits`.
    """
    found = compute.index_in(labels, value_set=pyarrow.array(states, labels.type))
    codes = found.fill_null(UNKNOWN).to_numpy(zero_copy_only=False).astype(np.int64)
    if MISSING_STATE in states:
        codes[missing & (codes == UNKNOWN)] = states.index(MISSING_STATE)
    unknown = np.flatnonzero(codes == UNKNOWN)
    if len(unknown):
        rest = labels.take(pyarrow.array(unknown))
        codes[unknown] = _code_numbers(name, rest, tuple(s for s in states if s != MISSING_STATE), states)
    return codes


def code_of_text(name: str, text: str, states: tuple[str, ...]) -> int:
    """The code of one text as `code_known_states` has it."""
    return int(code_known_states(name, pyarrow.array([text], pyarrow.string()), states, np.zeros(1, dtype=bool))[0])


def _code_numbers(
    name: str, labels: pyarrow.StringArray, regular: tuple[str, ...], states: tuple[str, ...]
) -> np.ndarray:
    values = parse_numbers(labels)
    is_number = ~np.isnan(values)
    codes = np.full(len(labels), UNKNOWN, dtype=np.int64)
    cuts = discretization.cuts_of_labels(regular)
    if cuts is not None:  # the state of missing cells, if any, comes after all intervals
        refuse_lost_digits(name, labels, values)
        codes[is_number] = discretization.interval_codes(values[is_number], cuts)
        return codes
    truths = {_TRUTH_VALUES[state]: code for code, state in enumerate(states) if state in _TRUTH_VALUES}
    for position, label in enumerate(labels.to_pylist() if len(truths) == 2 else ()):
        if label in _TRUTH_VALUES:
            codes[position] = truths[_TRUTH_VALUES[label]]
    is_numeric_state = ~np.isnan(parse_numbers(pyarrow.array(states, labels.type)))
    code_of = {_exact(states[code]): code for code in np.flatnonzero(is_numeric_state)}
    if code_of:
        for position in np.flatnonzero(is_number).tolist():
            codes[position] = code_of.get(_exact(labels[position].as_py()), UNKNOWN)
    return codes


def _exact(label: str) -> Decimal | float:
    try:
        return Decimal(label)
    except InvalidOperation:
        return float(label)
