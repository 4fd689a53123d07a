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

    Parameters
    ----------
    quantum : float
        Scores are rounded to multiples of it.

    Attributes
    ----------
    grid : float
        Entries are multiples of it.
    """

    def __init__(self, definition: Score, ess: float, n_rows: int, n_states: np.ndarray, quantum: float):
        self.definition, self.ess, self.n_rows, self.n_states, self.quantum = (
            definition,
            ess,
            n_rows,
            n_states,
            quantum,
        )
        self.grid = quantum / GRID_PER_QUANTUM
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
                per_row = [prior(r, n_configurations * s, self.ess) for s in self._sizes]
            else:
                per_row = [prior(r, n_configurations, self.ess)]
            row = np.stack([self._log_gamma_table(alpha) for alpha in per_row])
            cell = np.stack([self._log_gamma_table(alpha / r) for alpha in per_row])
        else:
            # Known under offset 0, which no Dirichlet parameter has.
            cell = row = self._log_gamma.setdefault(0.0, self._on_grid(entropy_table(self.n_rows)))[None]
        penalty = self.definition.penalty_on(self.n_rows) * (r - 1)
        return ScoreTables(
            cell=cell, row=row, kind=kind, penalty=penalty, quantum=self.quantum, drops_pure=prior is None
        )

    def of_family(self, child: int, n_configurations: float) -> tuple[np.ndarray, np.ndarray]:
        """Contributions of a cell and of a configuration, each of shape (n_rows + 1,); for so many configurations."""
        if self.definition.prior is None:
            tables = self.of_expansion(child, 1.0)
            return tables.cell[0], tables.row[0]
        r = int(self.n_states[child])
        alpha = self.definition.prior(r, n_configurations, self.ess)
        return self._log_gamma_table(alpha / r), self._log_gamma_table(alpha)

    def of_terms(self, terms: np.ndarray) -> ScoreTables:
        """Tables that sum ``terms[m]`` over the cells, m the rows of a cell, and nothing else.

        Parameters
        ----------
        terms : ndarray of float64, shape (n_rows + 1,)
            0 at 0.
        """
        return ScoreTables(
            cell=terms[None],
            row=np.zeros((1, self.n_rows + 1)),
            kind=np.zeros_like(self._size_of),
            penalty=0.0,
            quantum=self.quantum,
            drops_pure=False,
        )

    def _log_gamma_table(self, offset: float) -> np.ndarray:
        if offset not in self._log_gamma:
            self._log_gamma[offset] = self._on_grid(log_gamma_table(offset, self.n_rows))
        return self._log_gamma[offset]

    def _on_grid(self, table: np.ndarray) -> np.ndarray:
        return np.rint(table / self.grid) * self.grid
