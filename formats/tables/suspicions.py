"""Columns of text that are likely not meant as states: identifiers, and numbers among which stands a word."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pyarrow

MIN_NUMBERS = 10
"""Fewer distinct numbers beside words may well be categories: 0, 1, 2, 3+."""

_MIN_STATES = 20
_ROWS_PER_STATE = 5
_FEW = 3
_NEARLY_NUMBER = r"^[+-]?[0-9]+(?:[.,][0-9]+)*(?: ?[^0-9.,;: ]{1,4})?$"


class Suspicion(NamedTuple):
    """A column, what is odd about it, and what to do."""

    column: str
    finding: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.column!r}: {self.finding}; {self.remedy}"


def suspect(name: str, labels: pyarrow.StringArray, is_number: np.ndarray, n_rows: int) -> Suspicion | None:
    """What is odd about a column that is not numeric.

    Parameters
    ----------
    name : str
    labels : pyarrow.StringArray
        Its distinct labels, without those of missing cells.
    is_number : ndarray of bool
        Which of them are numbers.
    n_rows : int

    Returns
    -------
    Suspicion or None
        Numbers, or what begins like one (``12 kg``, ``1,5``), are at least ten and the majority; or more than 20
        labels have fewer than five rows each on average.
    """
    from pyarrow import compute

    quoted = shlex.quote(name)
    resembling = compute.match_substring_regex(labels, _NEARLY_NUMBER).to_numpy(zero_copy_only=False)
    resembling = resembling.astype(bool) | is_number
    if resembling.sum() >= MIN_NUMBERS and 2 * resembling.sum() > len(labels):
        stray = labels[int(np.argmin(is_number))].as_py()
        n_strays = int((~is_number).sum())
        others = f"is no number: {stray!r}" if n_strays == 1 else f"are no numbers, as {stray!r}"
        return Suspicion(
            name,
            f"text, for {n_strays} of {len(labels)} values {others}",
            "correct these cells"
            + (f", or --na {shlex.quote(stray)} if missing" if n_strays <= _FEW else ""),
        )
    if len(labels) > _MIN_STATES and len(labels) * _ROWS_PER_STATE > n_rows:
        return Suspicion(
            name,
            f"{len(labels)} states in {n_rows} rows, as an identifier has",
            f"--drop {quoted} leaves it out",
        )
    return None
