"""Look-up tables for searches that visit sets with many numbers of configurations, in any order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stages.kernels.counting.add_one import ScoreTables
from stages.runtime.errors import StageError

from .family_scorer import FamilyScorer

MakeLine = Callable[[float], tuple[np.ndarray, np.ndarray]]


class TableLines:
    """Tables with one line for each added key; the caller chooses the line of each candidate.

    Penalty, rounding and the dropping of pure configurations are as in `like`, whose lines are not used. `make` turns
    a key into contributions of cells and of configurations by count, in the form of the lines of `like`.
    """

    def __init__(self, like: ScoreTables, make: MakeLine):
        self._make = make
        self._n_entries = like.cell.shape[1]
        self.keys = np.empty(0)  # float64: key of each line in use
        empty = np.empty((0, self._n_entries))
        # The caller writes ``kind``.
        self.tables = like._replace(cell=empty, row=empty.copy(), kind=np.zeros_like(like.kind))

    def add(self, key: float) -> None:
        """Make the line of a new key."""
        n = len(self.keys)
        cell, row = self.tables.cell, self.tables.row
        if n == len(cell):
            cell, row = np.zeros((max(1, 2 * n), self._n_entries)), np.zeros((max(1, 2 * n), self._n_entries))
            cell[:n], row[:n] = self.tables.cell, self.tables.row
            self.tables = self.tables._replace(cell=cell, row=row)
        cell[n], row[n] = self._make(key)
        self.keys = np.append(self.keys, key)


def score_lines(scorer: FamilyScorer, child: int) -> TableLines:
    """Tables of a score; keys are the numbers of configurations of the sets scored.

    If the score does not depend on these, one line with key 0 serves all sets.
    Raises `StageError` for a score that depends on the configurations that have rows.
    """
    if scorer.definition.by_occurrence:
        raise StageError(
            f"{scorer.definition.name} counts the configurations that have rows, which this selection does not know "
            "beforehand\n  take --method sequential or grow, or another --score"
        )
    lines = TableLines(scorer.tables.of_expansion(child, 1.0), lambda q: scorer.tables.of_family(child, max(q, 1.0)))
    if not scorer.definition.by_configurations:
        lines.add(0.0)
    return lines


def term_lines(scorer: FamilyScorer, make: Callable[[float], np.ndarray]) -> TableLines:
    """Tables that only sum terms over cells; keys are the arguments of `make`."""
    zeros = np.zeros(scorer.n_rows + 1)
    return TableLines(scorer.tables.of_terms(zeros), lambda key: (make(key), zeros))
