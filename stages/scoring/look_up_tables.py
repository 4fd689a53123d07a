"""The look-up tables of a score: contributions in nats of cells and of parent configurations by their counts."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from stages.kernels.counting.add_one import ScoreTables
from stages.kernels.counting.score_tables import (
    MOST_ENTROPIES,
    MOST_LOG_GAMMAS,
    cut_line,
    entropy_table,
    log_gamma_table,
)

from .definitions import Score

GRID_PER_QUANTUM = 256
"""Entries are multiples of this share of a score's quantum. Sums up to 3 N ln N, with N rows, then have at most 53
binary digits: they are exact, so a score does not depend on the order in which its cells are summed.
"""


KEPT_BYTES = 256 << 20
"""Memory for tables; at the limit the oldest are dropped, and made again when needed."""

Key = TypeVar("Key")
Made = TypeVar("Made")


class LookUpTables:
    """Tables for one score and one data set, made on first use; with many rows their lines are cut (`score_tables`).

    Scores are rounded to multiples of `quantum`.
    """

    def __init__(self, definition: Score, ess: float, n_rows: int, n_states: np.ndarray, quantum: float):
        self.definition, self.ess, self.quantum = definition, ess, quantum
        self.n_rows, self.n_states = n_rows, n_states
        self.grid = quantum / GRID_PER_QUANTUM  # entries are multiples of it
        self._known: dict[tuple[int, float], ScoreTables] = {}
        self._lines: dict[float, np.ndarray] = {}
        # Numbers of states that occur, and each variable's index among them.
        self._sizes = sorted({int(s) for s in n_states})
        self._size_of = np.searchsorted(self._sizes, n_states).astype(np.int32)

    def of_expansion(self, child: int, n_configurations: float) -> ScoreTables:
        """Tables for adding one parent to a set with this many configurations (states multiplied)."""
        r = int(self.n_states[child])
        key = (r, n_configurations if self.definition.takes_ess else 0.0)
        known = self._known.get(key)
        if known is None:
            known = self._make(r, n_configurations)
            _keep(self._known, key, known, KEPT_BYTES // (known.cell.nbytes + known.row.nbytes))
        return known

    def _make(self, r: int, n_configurations: float) -> ScoreTables:
        kind = np.zeros_like(self._size_of)
        prior = self.definition.prior
        if prior is not None:
            if self.definition.takes_ess:
                kind = self._size_of
                offsets = [self._offsets(r, n_configurations * s) for s in self._sizes]
            else:
                offsets = [self._offsets(r, n_configurations)]
            cell, row = (np.stack([self._line(offset) for offset in some]) for some in zip(*offsets))
        else:
            cell = row = self._line(0.0)[None]
        penalty = self.definition.penalty_on(self.n_rows) * (r - 1)
        return ScoreTables(
            cell=cell, row=row, kind=kind, penalty=penalty, quantum=self.quantum, drops_pure=prior is None
        )

    def of_family(self, child: int, n_configurations: float) -> tuple[np.ndarray, np.ndarray]:
        """Contributions of a cell and of a configuration, one line of each, for this number of configurations."""
        if self.definition.prior is None:
            tables = self.of_expansion(child, 1.0)
            return tables.cell[0], tables.row[0]
        cell, row = self._offsets(int(self.n_states[child]), n_configurations)
        return self._line(cell), self._line(row)

    def of_cells(self, n_cells: float, is_whole: bool = False) -> np.ndarray:
        """The line of the cells of a set with `n_cells` cells; with `is_whole` it is never cut. Not kept."""
        offset = 0.0 if self.definition.prior is None else self._offsets(1, n_cells)[0]
        return self._make_line(offset, is_whole)

    def of_configurations(self, r: int, is_whole: bool = False) -> np.ndarray:
        """The line of configurations for children with r states, for scores without a sample size; `is_whole` as in
        `of_cells`.
        """
        return self._make_line(self._offsets(r, 1.0)[1], is_whole)

    def of_terms(self, terms: np.ndarray) -> ScoreTables:
        """Tables that only sum ``terms[m]`` over the cells, where m is the number of rows of a cell.

        `terms` is float64, shape (n_rows + 1,), 0 at 0.
        """
        return ScoreTables(
            cell=terms[None],
            row=np.zeros((1, self.n_rows + 1)),
            kind=np.zeros_like(self._size_of),
            penalty=0.0,
            quantum=self.quantum,
            drops_pure=False,
        )

    def _offsets(self, r: int, n_configurations: float) -> tuple[float, float]:
        """Dirichlet parameters of a cell and of a configuration of a child with r states.

        Under an equivalent sample size both depend, to the last bit, on the number of cells alone.
        """
        prior = self.definition.prior
        assert prior is not None
        row = prior(r, n_configurations, self.ess)
        return prior(1, n_configurations * r, self.ess) if self.definition.takes_ess else row / r, row

    def _line(self, offset: float) -> np.ndarray:
        """The line of a Dirichlet parameter, 0 for ``m ln m``."""
        line = self._lines.get(offset)
        if line is None:
            line = self._make_line(offset)
            _keep(self._lines, offset, line, KEPT_BYTES // line.nbytes)
        return line

    def _make_line(self, offset: float, is_whole: bool = False) -> np.ndarray:
        most = MOST_LOG_GAMMAS if offset else MOST_ENTROPIES
        is_cut = self.n_rows >= most and not is_whole
        largest = most - 1 if is_cut else self.n_rows
        line = log_gamma_table(offset, largest) if offset else entropy_table(largest)
        # In place: a hundred million rows take 0.8 GB.
        line /= self.grid
        np.rint(line, out=line)
        line *= self.grid
        return cut_line(line, offset, self.grid) if is_cut else line


def _keep(known: dict[Key, Made], key: Key, made: Made, most: int) -> None:
    """Keep a new value, and the latest of the others, so that there are `most`; safe for several threads."""
    for oldest in list(known)[: max(0, len(known) + 1 - most)]:
        known.pop(oldest, None)
    known[key] = made
