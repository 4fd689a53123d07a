"""Labels that may be no states of their own: likely marks of missing cells, and labels that differ only in case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow
from pyarrow import compute

from ..wording import Warn, listed, option_value
from .arrow_arrays import array_of, numpy_of, text_array, text_scalar

_WORDS = "na n.a. n/a #n/a nan -nan nat null (null) <null> #null! #value! #div/0! missing <missing>"
_SIGNS = ("*", ".", "-", "--", "..", "...", "??", "\\N")
_SPELLED = {spelling for word in _WORDS.split() for spelling in (word, word.upper(), word.capitalize())}
MARKS = (*_SIGNS, *sorted(_SPELLED - {"Na"}))  # Na is sodium
"""Labels that stand for missing cells in many tables; beside ``+`` the labels of `_SIGNS` are signs."""

_CODES_BELOW = (-9, -99, -999, -9999)
_CODES_ABOVE = (99, 999, 9999)
"""Numbers that stand for missing cells: below numbers that are never negative, above a scale of whole numbers."""
_FURTHER_CODES = (-7, -8, -77, -88, 77, 88, 97, 98, 777, 888, 997, 998)
"""Numbers that stand beside these in the same column, for answers that were refused and the like."""
_LARGEST_OF_SCALE, _LEAST_OTHERS = 20, 2

_MOST_SUSPICIONS = 20
_SHORTEST_WORD = 3
"""Shorter labels may well differ in case alone: alleles and genotypes such as A, a, Aa."""


class Doubt(NamedTuple):
    """One mark of missing cells, or the spellings of one word."""

    labels: tuple[str, ...]
    is_mark: bool


def doubts_about(labels: pyarrow.StringArray, values: np.ndarray) -> list[Doubt]:
    """What is doubtful about the labels of a column that become states.

    - `values` (float64): their numbers, as from `parse_numbers`.
    """
    if np.isnan(values).any():
        return [Doubt((mark,), True) for mark in _marks_among(labels)] + _spelled_alike(labels)
    is_code = _are_codes(values)
    return [Doubt((label,), True) for label in labels.filter(array_of(is_code)).to_pylist()]


def doubt_text(doubt: Doubt, columns: Sequence[str]) -> str:
    """The warning about a doubt of some columns, with what to do."""
    names, labels = listed(map(repr, columns)), listed(map(repr, doubt.labels))
    if not doubt.is_mark:
        return f"{names}: {labels} differ only in case; write them alike if they are one state"
    option = f"--na {option_value(doubt.labels[0])}"
    return f"{names}: {labels} may mark missing cells; if it does, give {option} and --missing drop or state"


def _marks_among(labels: pyarrow.StringArray) -> list[str]:
    found = compute.is_in(labels, value_set=text_array(MARKS))
    if not compute.any(found).as_py():
        return []
    marks = compute.unique(labels.filter(found)).to_pylist()
    has_signs = compute.index(labels, text_scalar("+")).as_py() >= 0
    return [mark for mark in marks if not (has_signs and mark in _SIGNS)]


def _spelled_alike(labels: pyarrow.StringArray) -> list[Doubt]:
    words = labels.filter(array_of(numpy_of(compute.utf8_length(labels)) >= _SHORTEST_WORD)).unique()
    lowered = compute.utf8_lower(words)
    if compute.count_distinct(lowered).as_py() == len(words):
        return []
    spellings = defaultdict(list)
    for word, key in zip(words.to_pylist(), lowered.to_pylist()):
        spellings[key].append(word)
    return [Doubt(tuple(sorted(words)), False) for words in spellings.values() if len(words) > 1]


def _are_codes(values: np.ndarray) -> np.ndarray:
    """Which numbers are probably codes of missing cells, bool."""
    is_code = np.isin(values, _CODES_BELOW + _CODES_ABOVE + _FURTHER_CODES)
    others = values[~is_code]
    is_above, is_below = np.isin(values, _CODES_ABOVE), np.isin(values, _CODES_BELOW)
    if not (is_above | is_below).any() or len(np.unique(others)) < _LEAST_OTHERS or others.min() < 0:
        return np.zeros_like(is_code)
    is_scale = others.max() <= _LARGEST_OF_SCALE and bool((others == np.floor(others)).all())
    # Above numbers that are no scale a code is an ordinary number.
    return is_code if is_scale else is_code & (values < 0) & is_below.any()


def warn_of_suspicions(suspicions: Sequence[str], warn: Warn) -> None:
    """Warn once of columns that may not be what the caller means."""
    if not suspicions:
        return
    lines = [f"\n  {suspicion}" for suspicion in suspicions[:_MOST_SUSPICIONS]]
    if len(suspicions) > _MOST_SUSPICIONS:
        lines.append(f"\n  and {len(suspicions) - _MOST_SUSPICIONS} more")
    warn(f"some columns may not be what you mean:{''.join(lines)}")
