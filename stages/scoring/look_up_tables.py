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
from .normalised_likelihood import entropy_terms

GRID_PER_QUANTUM = 256
"""Entries are multiples of this share of a score's quantum. Sums up to 3 N ln N, with N rows, then have at most 53
binary digits: they are exact, so a score does not depend on the order in which its cells are summed.
"""


KEPT_BYTES = 256 << 20
"""Memory for tables; at the limit the oldest are dropped, and made again when needed."""

LineKey = float | tuple[int, float]
"""Of a line: a Dirichlet parameter, 0 for ``m ln m``; under a score with a regret the states of the child and the
number of configurations (0 where the regret does not depend on it), and `CELL`.
"""

CELL = (0, 0.0)
"""The line of a cell under a score with a regret."""

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
        self._lines: dict[LineKey, np.ndarray] = {}
        # Numbers of states that occur, and for each variable the place of its own.
        self._sizes = sorted({int(s) for s in n_states})
        self._size_of = np.searchsorted(self._sizes, n_states).astype(np.int32)

    def of_expansion(self, child: int, n_configurations: float) -> ScoreTables:
        """Tables for adding one parent to a set with this many configurations (states multiplied)."""
        r = int(self.n_states[child])
        key = (r, n_configurations if self.definition.by_configurations else 0.0)
        known = self._known.get(key)
        if known is None:
            known = self._make(r, n_configurations)
            _keep(self._known, key, known, KEPT_BYTES // (known.cell.nbytes + known.row.nbytes))
        return known

    def _make(self, r: int, n_configurations: float) -> ScoreTables:
        if self.definition.by_configurations:
            kind = self._size_of
            keys = [self.keys(r, n_configurations * s) for s in self._sizes]
            cell, row = (np.stack([self._line(key) for key in some]) for some in zip(*keys))
        else:
            kind = np.zeros_like(self._size_of)
            cell, row = (self._line(key)[None] for key in self.keys(r, n_configurations))
        penalty = self.definition.penalty_on(self.n_rows) * (r - 1)
        drops_pure = self.definition.is_likelihood
        return ScoreTables(
            cell=cell, row=row, kind=kind, penalty=penalty, quantum=self.quantum, drops_pure=drops_pure
        )

    def of_occurrence(self) -> ScoreTables:
        """Tables that count the configurations with rows."""
        counted = np.full((1, self.n_rows + 1), -1.0)
        counted[0, 0] = 0.0
        return self.of_terms(np.zeros(self.n_rows + 1))._replace(row=counted)

    def of_numbers(self, child: int, n_configurations: np.ndarray) -> ScoreTables:
        """Tables for one number of configurations for each variable as the new parent; float64, at least 1."""
        numbers, kind = np.unique(n_configurations, return_inverse=True)
        cell, row = (np.stack(some) for some in zip(*(self.of_family(child, q) for q in numbers.tolist())))
        return self.of_terms(np.zeros(1))._replace(cell=cell, row=row, kind=kind.astype(np.int32))

    def of_family(self, child: int, n_configurations: float) -> tuple[np.ndarray, np.ndarray]:
        """The lines of contributions of a cell and of a configuration, for a family with `n_configurations`."""
        cell, row = self.keys(int(self.n_states[child]), n_configurations)
        return self._line(cell), self._line(row)

    def of_cells(self, n_cells: float, is_whole: bool = False) -> np.ndarray:
        """The line of the cells of a set with `n_cells` cells; with `is_whole` it is never cut. Not kept."""
        return self._make_line(self.keys(1, n_cells)[0], is_whole)

    def of_configurations(self, r: int, is_whole: bool = False) -> np.ndarray:
        """The line of configurations for children with r states if no sample size is given; as in `of_cells`."""
        return self._make_line(self.keys(r, 1.0)[1], is_whole)

    def of_terms(self, terms: np.ndarray) -> ScoreTables:
        """Tables that only sum ``terms[m]`` over the cells, where m is the number of rows of a cell.

        `terms` is float64, shape (n_rows + 1,), 0 at 0.
        """
        return ScoreTables(
            cell=terms[None],
            row=np.zeros((1, len(terms))),
            kind=np.zeros_like(self._size_of),
            penalty=0.0,
            quantum=self.quantum,
            drops_pure=False,
        )

    def keys(self, r: int, n_configurations: float) -> tuple[LineKey, LineKey]:
        """The lines of a cell and of a configuration of a child with r states.

        Under a prior by an equivalent sample size both depend on the number of cells alone, to the last bit.
        """
        prior = self.definition.prior
        if self.definition.regret is not None:
            return CELL, (r, n_configurations if self.definition.regret_by_configurations else 0.0)
        if prior is None:
            return 0.0, 0.0
        row = prior(r, n_configurations, self.ess)
        return prior(1, n_configurations * r, self.ess) if self.definition.takes_ess else row / r, row

    def _line(self, key: LineKey) -> np.ndarray:
        line = self._lines.get(key)
        if line is None:
            line = self._make_line(key)
            _keep(self._lines, key, line, KEPT_BYTES // line.nbytes)
        return line

    def _make_line(self, key: LineKey, is_whole: bool = False) -> np.ndarray:
        if isinstance(key, tuple):
            return self._on_grid(self._regretted(key))
        offset = key
        most = MOST_LOG_GAMMAS if offset else MOST_ENTROPIES
        is_cut = self.n_rows >= most and not is_whole
        largest = most - 1 if is_cut else self.n_rows
        line = log_gamma_table(offset, largest) if offset else entropy_table(largest)
        line = self._on_grid(line)
        return cut_line(line, offset, self.grid) if is_cut else line

    def _regretted(self, key: tuple[int, float]) -> np.ndarray:
        """A line under a score with a regret. It is never cut: compiled code has no regrets of counts beyond it."""
        counts = np.arange(self.n_rows + 1, dtype=np.float64)
        line = entropy_terms(counts)
        if key != CELL and self.definition.regret is not None:
            line += self.definition.regret(counts, *key, self.n_rows)
        return line

    def _on_grid(self, line: np.ndarray) -> np.ndarray:
        # In place: a hundred million rows take 0.8 GB.
        line /= self.grid
        np.rint(line, out=line)
        line *= self.grid
        return line


def _keep(known: dict[Key, Made], key: Key, made: Made, most: int) -> None:
    """Keep a new value, and the latest of the others, so that there are `most`; safe for several threads."""
    for oldest in list(known)[: max(0, len(known) + 1 - most)]:
        known.pop(oldest, None)
    known[key] = made
