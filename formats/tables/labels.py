"""The meaning of the distinct labels of one column: missing or not, number or text, and the state of each.

One rule says whether labels are numbers (`are_numbers`): in a column of numbers they are, in a column of text they
are not, and in a text file they are if each cell is spelled as Python spells numbers. Numbers of equal value are one
state; other labels are one state only if they are the same text.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow
from pyarrow import compute

from ..errors import UnsuitableData
from .arrow_arrays import array_of, numpy_of, text_array
from .cuts import discretization
from .label_columns import Typed
from .selection import drop_option

MISSING_LABELS = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL")
"""Labels of missing cells in R, pandas, spreadsheets, databases and WEKA."""

MISSING_AMONG_NUMBERS = ("None", "none", ".", "-")
"""Labels of missing cells where all others of the column are numbers; elsewhere they may well be states."""

_TRUTH_VALUES = {text: word == "true" for word in ("true", "false") for text in (word, word.title(), word.upper())}

MISSING_STATE = "NA"
"""State of missing cells where they are kept as a state of their own; always the last one."""

_PYTHON_SPELLS = (
    r"^(?:0|-?[1-9][0-9]*|-?(?:0|[1-9][0-9]*)\.(?:0|[0-9]*[1-9])"
    r"|-?[1-9](?:\.[0-9]*[1-9])?e(?:-(?:0[5-9]|[1-9][0-9]+)|\+(?:1[6-9]|[2-9][0-9]|[1-9][0-9]{2,})))$"
)
"""A whole number, or the text of a float: ``1.0``, ``0.25``, ``1e-05``; not ``01``, ``+1``, ``1.10`` or ``1e5``."""

UNKNOWN = -1
"""Code of a label that a given list of states does not contain."""


class LabelCoding(NamedTuple):
    """States of a column and the code of each of its labels (int64, shape (n_labels,))."""

    states: tuple[str, ...]
    codes: np.ndarray


class Marks(NamedTuple):
    """The texts of missing cells, besides the usual ones."""

    na: tuple[str, ...] = ()
    """Further ones (`is_spelled`)."""
    not_na: tuple[str, ...] = ()
    """Usual ones that are labels; `na` outranks them."""


NO_MARKS = Marks()


def find_missing(labels: pyarrow.StringArray, marks: Marks, typed: Typed) -> np.ndarray:
    """Which labels of a column stand for missing cells, bool, shape (n_labels,)."""
    is_label = _is_among(labels, marks.not_na)
    missing = (_is_among(labels, MISSING_LABELS) & ~is_label) | is_spelled(labels, marks.na, typed)
    doubtful = _is_among(labels, MISSING_AMONG_NUMBERS) & ~missing & ~is_label
    others = ~(missing | doubtful)
    if doubtful.any() and others.any():
        # Among words a dot or `none` may be a state.
        is_numeric = not np.isnan(parse_numbers(labels.filter(array_of(others)))).any()
        missing |= doubtful & is_numeric
    return missing


def is_spelled(labels: pyarrow.StringArray, texts: Sequence[str], typed: Typed) -> np.ndarray:
    """Which labels are among these texts, bool; a text that is a number stands for all numbers of its value."""
    found = _is_among(labels, tuple(texts))
    if not texts:
        return found
    numbers = parse_numbers(text_array(texts))
    if typed is not Typed.TEXT and not np.isnan(numbers).all():
        exact = {_exact(texts[position]) for position in np.flatnonzero(~np.isnan(numbers)).tolist()}
        is_equal = np.isin(parse_numbers(labels), numbers[~np.isnan(numbers)])
        for position in np.flatnonzero(is_equal & spells_numbers(labels, typed)):
            found[position] |= _exact(labels[position].as_py()) in exact
    return found


def _is_among(labels: pyarrow.StringArray, texts: tuple[str, ...]) -> np.ndarray:
    if not texts:
        return np.zeros(len(labels), dtype=np.bool_)
    return numpy_of(compute.is_in(labels, options=_among(texts)))


@lru_cache(maxsize=16)
def _among(texts: tuple[str, ...]) -> compute.SetLookupOptions:
    # Made once, not for each of thousands of columns.
    return compute.SetLookupOptions(text_array(texts))


def parse_numbers(labels: pyarrow.StringArray) -> np.ndarray:
    """Values of labels that are finite decimal numbers, NaN for all others, float64, shape (n_labels,)."""
    is_number = numpy_of(compute.match_substring_regex(labels, discretization.NUMBER_PATTERN))
    values = np.full(len(labels), np.nan)
    if is_number.any():
        values[is_number] = numpy_of(labels.filter(array_of(is_number)).cast(pyarrow.float64()))
        values[np.isinf(values)] = np.nan
    return values


def spells_numbers(labels: pyarrow.StringArray, typed: Typed) -> np.ndarray:
    """Which labels are numbers by their type or as Python spells them, bool; none of a column of text."""
    if typed is Typed.NUMBERS:
        return ~np.isnan(parse_numbers(labels))
    if typed is Typed.TEXT:
        return np.zeros(len(labels), dtype=np.bool_)
    return numpy_of(compute.match_substring_regex(labels, _PYTHON_SPELLS))


def are_numbers(labels: pyarrow.StringArray, values: np.ndarray, typed: Typed) -> bool:
    """Whether the labels of a column are numbers, by the rule above.

    In a text file only ``1`` and ``1.0`` are two spellings of one number: with an exponent beside its digits, as in
    ``1e-05`` and ``0.00001``, the column is text.

    - `values`: as from `parse_numbers`.
    """
    if np.isnan(values).any() or not spells_numbers(labels, typed).all():
        return False
    if typed is Typed.NUMBERS or not compute.any(compute.match_substring(labels, "e")).as_py():
        return True
    plain = {label.removesuffix(".0") for label in labels.to_pylist()}
    return len(plain) == len({_exact(label) for label in plain})


def count_distinct(labels: pyarrow.StringArray, values: np.ndarray, is_numeric: bool) -> int:
    """Number of states that labels would make: distinct numbers, or distinct texts."""
    if not is_numeric:
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


def code_new_states(labels: Sequence[str], values: np.ndarray, is_numeric: bool) -> LabelCoding:
    """States of a column from its labels and their numbers by `parse_numbers`.

    Numbers are sorted by value, intervals by their ends, other labels as text. In a numeric column labels of equal
    value are one state, named by the shortest spelling (ties: first as text).
    """
    keys = _sort_keys(labels, values)
    if not is_numeric:
        keys = list(zip(keys, labels))
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
    values: np.ndarray, counts: np.ndarray, rule: discretization.Discretization | discretization.GivenCuts
) -> LabelCoding:
    """Intervals for a numeric column.

    - `values` (float64, shape (n_labels,)): numbers of its labels, at least two different ones.
    - `counts` (int64, shape (n_labels,)): rows with each label.
    """
    if isinstance(rule, discretization.GivenCuts):
        return LabelCoding(*rule.code(values))
    distinct, positions = np.unique(values, return_inverse=True)
    rows = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(rows, positions, counts)
    cuts = discretization.cut_points(distinct, rows, rule)
    return LabelCoding(discretization.interval_labels(cuts), discretization.interval_codes(values, cuts))


def code_known_states(
    name: str, labels: pyarrow.StringArray, states: tuple[str, ...], missing: np.ndarray, typed: Typed
) -> np.ndarray:
    """Codes of labels of a column in a given list of states, int64; `UNKNOWN` where a label matches none.

    A label matches a state of the same text; outside a column of text also one of the same number or truth value,
    numbers spelled as `spells_numbers` has it. Numbers match the interval that contains them if the states are
    intervals. The `missing` labels match the state ``NA``. Raises `UnsuitableData` as `refuse_lost_digits`.
    """
    found = compute.index_in(labels, value_set=text_array(states))
    codes = np.where(numpy_of(found.is_null()), UNKNOWN, numpy_of(found).astype(np.int64))
    if MISSING_STATE in states:
        codes[missing & (codes == UNKNOWN)] = states.index(MISSING_STATE)
    unknown = np.flatnonzero(codes == UNKNOWN)
    if len(unknown):
        rest = labels.take(array_of(unknown))
        codes[unknown] = _code_numbers(name, rest, tuple(s for s in states if s != MISSING_STATE), states, typed)
    return codes


def code_of_text(name: str, text: str, states: tuple[str, ...]) -> int:
    """The code of one text as `code_known_states` has it."""
    return int(code_known_states(name, text_array([text]), states, np.zeros(1, dtype=bool), Typed.NO)[0])


def _code_numbers(
    name: str, labels: pyarrow.StringArray, regular: tuple[str, ...], states: tuple[str, ...], typed: Typed
) -> np.ndarray:
    values = parse_numbers(labels)
    is_number = ~np.isnan(values)
    codes = np.full(len(labels), UNKNOWN, dtype=np.int64)
    cuts = discretization.cuts_of_labels(regular)
    if cuts is not None:  # the state of missing cells, if any, comes after all intervals
        refuse_lost_digits(name, labels, values)
        codes[is_number] = discretization.interval_codes(values[is_number], cuts)
        return codes
    if typed is Typed.TEXT:
        return codes
    truths = {_TRUTH_VALUES[state]: code for code, state in enumerate(states) if state in _TRUTH_VALUES}
    for position, label in enumerate(labels.to_pylist() if len(truths) == 2 else ()):
        if label in _TRUTH_VALUES:
            codes[position] = truths[_TRUTH_VALUES[label]]
    is_numeric_state = spells_numbers(text_array(states), Typed.NO)
    code_of = {_exact(states[code]): code for code in np.flatnonzero(is_numeric_state)}
    if code_of:
        for position in np.flatnonzero(is_number & spells_numbers(labels, typed)).tolist():
            codes[position] = code_of.get(_exact(labels[position].as_py()), UNKNOWN)
    return codes


def _exact(label: str) -> Decimal | float:
    try:
        return Decimal(label)
    except InvalidOperation:
        return float(label)
