"""The look-up tables of a score: contributions in nats of cells and of parent configurations by their counts."""

from __future__ import annotations

import numpy as np

from stages.kernels.counting.add_one import ScoreTables
from stages.kernels.counting.score_tables import entropy_table, log_gamma_table

from .scores import Score

GRID_PER_QUANTUM = 256
"""Entries are multiples of this share of a score's quantum. Sums up to 3 N ln N, of N rows, then have 53 binary
digits at most: they are exact, so that a score does not depend on the order in which its cells are summed.
"""


class LookUpTables:
    """Tables for one score and one data set, made when first needed.

    Scores are rounded to multiples of `quantum`.
    """

    def __init__(self, definition: Score, ess: float, n_rows: int, n_states: np.ndarray, quantum: float):
        self.definition, self.ess, self.quantum = definition, ess, quantum
        self.n_rows, self.n_states = n_rows, n_states
        self.grid = quantum / GRID_PER_QUANTUM  # entries are multiples of it
        self._known: dict[tuple[int, float], ScoreTables] = {}
        self._log_gamma: dict[float, np.ndarray] = {}
        # Numbers of states that occur, and for each variable the place of its own.
        self._sizes = sorted({int(s) for s in n_states})
        self._size_of = np.searchsorted(self._sizes, n_states).astype(np.int32)

    def of_expansion(self, child: int, n_configurations: float) -> ScoreTables:
        """Tables for adding one parent to a set with this many configurations (states multiplied)."""
        r = int(self.n_states[child])
        key = (r, n_configurations if self.definition.takes_ess else 0.0)
        if key not in self._known:
            self._known[key] = self._make(r, n_configurations)
        return self._known[key]

    def _make(self, r: int, n_configurations: float) -> ScoreTables:
        kind = np.zeros_like(self._size_of)
        prior = self.definition.prior
        if prior is not None:
            if self.definition.takes_ess:
                kind = self._size_of
                offsets = [self._offsets(r, n_configurations * s) for s in self._sizes]
            else:
                offsets = [self._offsets(r, n_configurations)]
            cell, row = (np.stack([self._log_gamma_table(offset) for offset in some]) for some in zip(*offsets))
        else:
            # Known under offset 0, which no Dirichlet parameter has.
            if 0.0 not in self._log_gamma:
                self._log_gamma[0.0] = self._on_grid(entropy_table(self.n_rows))
            cell = row = self._log_gamma[0.0][None]
        penalty = self.definition.penalty_on(self.n_rows) * (r - 1)
        return ScoreTables(
            cell=cell, row=row, kind=kind, penalty=penalty, quantum=self.quantum, drops_pure=prior is None
        )

    def of_family(self, child: int, n_configurations: float) -> tuple[np.ndarray, np.ndarray]:
        """Contributions of a cell and of a configuration, each of shape (n_rows + 1,); for so many configurations."""
        if self.definition.prior is None:
            tables = self.of_expansion(child, 1.0)
            return tables.cell[0], tables.row[0]
        cell, row = self._offsets(int(self.n_states[child]), n_configurations)
        return self._log_gamma_table(cell), self._log_gamma_table(row)

    def of_cells(self, n_cells: float) -> np.ndarray:
        """Contribution of a cell of a set with so many cells, shape (n_rows + 1,); not kept."""
        if self.definition.prior is None:
            return self._on_grid(entropy_table(self.n_rows))
        return self._on_grid(log_gamma_table(self._offsets(1, n_cells)[0], self.n_rows))

    def of_configurations(self, r: int) -> np.ndarray:
        """Contribution of a configuration for children with r states, where no sample size is given; not kept."""
        return self._on_grid(log_gamma_table(self._offsets(r, 1.0)[1], self.n_rows))

    def of_terms(self, terms: np.ndarray) -> ScoreTables:
        """Tables that sum ``terms[m]`` over the cells, m the rows of a cell, and nothing else.

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

        Under an equivalent sample size both depend on the number of cells alone, to the last bit.
        """
        prior = self.definition.prior
        assert prior is not None
        row = prior(r, n_configurations, self.ess)
        return prior(1, n_configurations * r, self.ess) if self.definition.takes_ess else row / r, row

    def _log_gamma_table(self, offset: float) -> np.ndarray:
        if offset not in self._log_gamma:
            self._log_gamma[offset] = self._on_grid(log_gamma_table(offset, self.n_rows))
        return self._log_gamma[offset]

    def _on_grid(self, table: np.ndarray) -> np.ndarray:
        """Round the entries, in place: a hundred million rows take 0.8 GB."""
        table /= self.grid
        np.rint(table, out=table)
        table *= self.grid
        return table
