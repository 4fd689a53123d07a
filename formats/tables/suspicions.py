"""Columns of text that are probably not meant as states: identifiers, and numbers mixed with words."""

from __future__ import annotations

import shlex
from typing import NamedTuple

import numpy as np
import pyarrow
from pyarrow import compute

MIN_NUMBERS = 10
"""Fewer distinct numbers beside words may well be categories: 0, 1, 2, 3+."""

_MIN_STATES = 20
_ROWS_PER_STATE = 5
_FEW = 3
_NEARLY_NUMBER = r"^[+-]?[0-9]+(?:[.,][0-9]+)*(?: ?[^0-9.,;: ]{1,4})?$"


class Suspicion(NamedTuple):
    """A suspicious column, the reason, and what to do."""

    column: str
    finding: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.column!r}: {self.finding}; {self.remedy}"


def suspect(name: str, labels: pyarrow.StringArray, is_number: np.ndarray, n_rows: int) -> Suspicion | None:
    """The suspicion about a column that is not numeric, if there is one.

    Numbers, or labels that begin like one (``12 kg``, ``1,5``), are at least ten and the majority; or more than 20
    labels have fewer than five rows each on average.

    Parameters
    ----------
    labels : pyarrow.StringArray
        Its distinct labels, without those of missing cells.
    is_number : ndarray of bool
        Which of them are numbers.
    """
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
        return Suspicion(name, finding, f"--drop {shlex.quote(name)} leaves it out")
    return None
