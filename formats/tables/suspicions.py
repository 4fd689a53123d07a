"""Columns of text that are probably not meant as states: identifiers, dates, numbers with commas or among words."""

from __future__ import annotations

import shlex
from typing import NamedTuple

import numpy as np
import pyarrow
from pyarrow import compute

from ..wording import plural
from .selection import drop_option

MIN_NUMBERS = 10
"""Fewer distinct numbers beside words may well be categories: 0, 1, 2, 3+."""

_MIN_STATES = 20
_ROWS_PER_STATE = 5
_FEW = 3
_NEARLY_NUMBER = r"^[+-]?[0-9]+(?:[.,][0-9]+)*(?: ?[^0-9.,;: ]{1,4})?$"
_DATE = (
    r"^(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2}(?:[0-9]{2})?)(?:[T ].*)?$"
    r"|^[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?$"
)
_WITH_COMMA = r"^[+-]?[0-9.]*,[0-9.,]*$"
_DASHES = ("-", ".")


class LabelKind(NamedTuple):
    """What most labels of a column are, with an example, and what to do about them."""

    finding: str
    remedy: str


class Suspicion(NamedTuple):
    """A suspicious column, the reason, and what to do."""

    column: str
    finding: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.column!r}: {self.finding}; {self.remedy}"


def kind_of_labels(labels: pyarrow.StringArray, is_number: np.ndarray) -> LabelKind | None:
    """Whether more than half of the labels are dates or times, numbers with commas, or ordinary numbers.

    A word among many numbers is probably an error, or an unknown mark of missing cells.
    """
    for pattern, called, remedy in (
        (_DATE, "dates or times", "replace dates by periods, such as the month or the weekday"),
        (_WITH_COMMA, "numbers with commas", "write numbers as 1073.14: a point, and nothing between thousands"),
    ):
        found = compute.match_substring_regex(labels, pattern).to_numpy(zero_copy_only=False).astype(bool)
        if 2 * found.sum() > len(labels):
            return LabelKind(f"{called}, as {labels[int(np.argmax(found))].as_py()!r}", remedy)
    if 2 * is_number.sum() > len(labels):
        stray = labels[int(np.argmin(is_number))].as_py()
        return LabelKind(f"some not numbers, as {stray!r}", "correct these cells, or give --na if they are missing")
    return None


def suspect_dashes(name: str, labels: pyarrow.StringArray, missing: np.ndarray | None) -> Suspicion | None:
    """The suspicion that ``-`` or ``.``, a state of a column of words, stands for missing cells.

    Beside ``+`` it is a sign. `missing` says which labels are missing already, None if there are none.
    """
    if compute.index(labels, "+").as_py() >= 0:
        return None
    for mark in _DASHES:
        position = compute.index(labels, mark).as_py()
        if position >= 0 and (missing is None or not missing[position]):
            remedy = f"if such cells are missing, give --na {mark} and --missing drop or state"
            return Suspicion(name, f"{mark!r} is one of {plural(len(labels), 'state')}", remedy)
    return None


def suspect(name: str, labels: pyarrow.StringArray, is_number: np.ndarray, n_rows: int) -> Suspicion | None:
    """The suspicion about a column that is not numeric, if there is one.

    Dates, numbers with commas, or labels that begin like a number (``12 kg``) are at least ten and the majority; or
    more than 20 labels have fewer than five rows each on average.

    - `labels`: its distinct labels, without those of missing cells.
    - `is_number` (bool): which of them are numbers.
    """
    kind = kind_of_labels(labels, is_number)
    if kind is not None and not is_number.any() and len(labels) >= MIN_NUMBERS:
        return Suspicion(name, kind.finding, f"{kind.remedy}, or {drop_option([name])}")
    resembling = compute.match_substring_regex(labels, _NEARLY_NUMBER).to_numpy(zero_copy_only=False)
    resembling = resembling.astype(bool) | is_number
    if resembling.sum() >= MIN_NUMBERS and 2 * resembling.sum() > len(labels):
        stray = labels[int(np.argmin(is_number))].as_py()
        n_strays = int((~is_number).sum())
        others = f"is no number: {stray!r}" if n_strays == 1 else f"are no numbers, as {stray!r}"
        missing = f", or --na {shlex.quote(stray)} if missing" if n_strays <= _FEW else ""
        finding = f"text, for {n_strays} of {len(labels)} values {others}"
        return Suspicion(name, finding, f"correct these cells{missing}")
    if len(labels) > _MIN_STATES and len(labels) * _ROWS_PER_STATE > n_rows:
        finding = f"{len(labels)} states in {n_rows} rows, as an identifier has"
        return Suspicion(name, finding, f"{drop_option([name])} leaves it out")
    return None
