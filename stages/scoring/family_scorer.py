"""The family scorer: one data set, one score. Parent-set search, pricing and hill climbing share it.

It owns the packed data, the look-up tables of the score and one workspace per thread, and counts the exact
local scores it computes. Scores are in nats, higher is better.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from formats.data_records import Dataset
from stages.runtime.budgets import StopSignal

from .dataset_layout import make_workspace, pack_dataset
from .scores import SCORES

if TYPE_CHECKING:
    from stages.kernels.counting.add_one import ScoreTables
    from stages.kernels.counting.row_groups import Workspace

REDUCTION_SHARE = 2.0
"""A set less each of its members is scored from one table of all its cells up to this many cells per row."""


SLICE_WORK = 3e7
"""Rows counted between two looks at the stop signal, in the unit of the kernel's cost model: well below 0.1 s."""


class FamilyScorer:
    """Exact local scores of families (child, parents) on one data set.

    Parameters
    ----------
    dataset : Dataset
    score : str
        Key of `stages.scoring.scores.SCORES`.
    ess : float
        Equivalent sample size, for scores that have one.
    stop : StopSignal, optional
        Once it is set, an expansion under way ends early.

    Raises
    ------
    NothingFoundError
        `stop` was set while the data were laid out.
    """

    def __init__(
        self, dataset: Dataset, score: str = "bic", ess: float = 1.0, stop: StopSignal | None = None
    ):
        if score not in SCORES:
            raise ValueError(f"unknown score {score!r}; known: {', '.join(SCORES)}")
        self.dataset = dataset
        self.score = score
        self.definition = SCORES[score]
        self.ess = ess
        self.stop = stop
        self.n_states = dataset.n_states
        self.n_rows = dataset.n_rows
        self.data = pack_dataset(dataset.codes, self.n_states, stop)
        self.quantum = 2.0 ** math.ceil(math.log2(self.n_rows * math.log(self.n_rows + 1) * 1e-13))
        self.evaluations = 0
        self._count_lock = threading.Lock()
        self._thread = threading.local()
        self._tables: dict[tuple[int, float], ScoreTables] = {}
        self._log_gamma: dict[float, np.ndarray] = {}
        sizes = sorted({int(s) for s in self.n_states})
        self._state_kinds = sizes
        self._kind = np.searchsorted(sizes, self.n_states).astype(np.int32)
        self._row_entropies: np.ndarray | None = None
        self._state_counts: np.ndarray | None = None
        self._remembered: dict[tuple[int, tuple[int, ...]], tuple[np.ndarray, np.ndarray]] = {}
        self._everything = np.arange(dataset.n_variables, dtype=np.int32)
        self._no_scores = np.full(dataset.n_variables, -np.inf)
        self._states = dataset.n_states.tolist()

    @property
    def n_variables(self) -> int:
        return self.dataset.n_variables

    def workspace(self) -> Workspace:
        """Scratch arrays of the calling thread."""
        if not hasattr(self._thread, "workspace"):
            self._thread.workspace = make_workspace(self.data, self.n_states, self.state_counts())
        return self._thread.workspace

    def penalty(self, child: int) -> float:
        """Penalty in nats per parent configuration: c(X) of BIC, |X| - 1 of AIC, 0 where there is none."""
        return self.definition.penalty_on(self.n_rows) * float(self.n_states[child] - 1)

    def tables(self, child: int, n_configurations: float) -> ScoreTables:
        """Look-up tables for expanding a parent set with this many configurations (states multiplied)."""
        r = int(self.n_states[child])
        key = (r, n_configurations if self.definition.takes_ess else 0.0)
        if key not in self._tables:
            self._tables[key] = self._make_tables(r, n_configurations)
        return self._tables[key]

    def _make_tables(self, r: int, n_configurations: float) -> ScoreTables:
        from stages.kernels.counting.add_one import ScoreTables
        from stages.kernels.counting.score_tables import entropy_table

        kind = np.zeros_like(self._kind)
        prior = self.definition.prior
        if prior is not None:
            if self.definition.takes_ess:
                kind = self._kind
                per_row = [prior(r, n_configurations * s, self.ess) for s in self._state_kinds]
            else:
                per_row = [prior(r, n_configurations, self.ess)]
            row = np.stack([self._log_gamma_table(alpha) for alpha in per_row])
            cell = np.stack([self._log_gamma_table(alpha / r) for alpha in per_row])
        else:
            cell = row = self._log_gamma.setdefault(0.0, entropy_table(self.n_rows))[None]
        penalty = self.definition.penalty_on(self.n_rows) * (r - 1)
        drops_pure = prior is None
        return ScoreTables(
            cell=cell,
            row=row,
            kind=kind,
            penalty=penalty,
            quantum=self.quantum,
            drops_pure=drops_pure,
        )

    def _log_gamma_table(self, offset: float) -> np.ndarray:
        from stages.kernels.counting.score_tables import log_gamma_table

        if offset not in self._log_gamma:
            self._log_gamma[offset] = log_gamma_table(offset, self.n_rows)
        return self._log_gamma[offset]

    def dirichlet_tables(self, child: int, n_configurations: float) -> tuple[np.ndarray, np.ndarray]:
        """Contributions in nats of a cell and of a configuration by its count, each of shape (n_rows + 1,).

        For scores with a prior, and parents with so many configurations (states multiplied).
        """
        assert self.definition.prior is not None
        r = int(self.n_states[child])
        alpha = self.definition.prior(r, n_configurations, self.ess)
        return self._log_gamma_table(alpha / r), self._log_gamma_table(alpha)

    def count_evaluations(self, n: int) -> None:
        """Note that local scores were computed; kernels called past this class need it."""
        with self._count_lock:
            self.evaluations += n

    def n_configurations(self, parents: tuple[int, ...]) -> float:
        """Product of the parents' numbers of states, in floating point so that it never wraps."""
        product = 1.0
        for parent in parents:
            product *= self._states[parent]
        return product

    def without(self, variables: np.ndarray, left_out: Sequence[int]) -> np.ndarray:
        """Variables but some few, in the same order."""
        stays = np.ones(self.n_variables, dtype=np.bool_)
        for i in left_out:
            stays[i] = False
        return variables[stays[variables]]

    def expand(
        self, child: int, parents: tuple[int, ...], candidates: np.ndarray | None = None
    ) -> np.ndarray:
        """Scores of ``parents + {Y}`` for all Y at once.

        Parameters
        ----------
        child : int
        parents : tuple of int
        candidates : ndarray of int32, optional
            Variables to try; all others by default.

        Returns
        -------
        ndarray of float64, shape (n_variables,)
            Local scores in nats; -inf for Y in `parents`, for the child and for those not tried: after a stop all
            that were left. The first is always scored.
        """
        if candidates is None:
            candidates = self.without(self._everything, (child, *parents))
        if self._remembered:
            known = self._remembered.get((child, parents))
            if known is not None and np.array_equal(known[0], candidates):
                return known[1].copy()
        out = self._no_scores.copy()
        tables = self.tables(child, self.n_configurations(parents))
        self.count_evaluations(self._score(tables, child, parents, candidates, out))
        return out

    def remember(self, child: int, parents: tuple[int, ...], candidates: np.ndarray) -> None:
        """Compute an expansion now that will be asked for later; one that a stop cuts short is forgotten."""
        scores = self.expand(child, parents, candidates)
        if self.stop is None or not self.stop.is_set():
            self.take_expansion(child, parents, candidates, scores)

    def take_expansion(
        self, child: int, parents: tuple[int, ...], candidates: np.ndarray, scores: np.ndarray
    ) -> None:
        """Know an expansion from now on; arguments and `scores` as of `expand`, computed and counted elsewhere."""
        self._remembered[child, parents] = candidates, scores

    def _score(
        self,
        tables: ScoreTables,
        child: int,
        parents: Sequence[int],
        candidates: np.ndarray,
        out: np.ndarray,
    ) -> int:
        """Score ``parents + {Y}`` slice by slice; how many candidates were scored when it ended or was stopped."""
        from stages.kernels.counting.add_one import score_expansions

        members, work = np.array(parents, dtype=np.int32), self.workspace()
        place = 0
        while place < len(candidates) and not (place and self.stop is not None and self.stop.is_set()):
            place, _ = score_expansions(
                self.data, tables, child, members, candidates, place, SLICE_WORK, out, work
            )
        return place

    def local_score(self, child: int, parents: tuple[int, ...]) -> float:
        """Score of one family in nats."""
        if not parents:
            return self._empty_set_score(child)
        *rest, last = parents
        return float(self.expand(child, tuple(rest), np.array([last], dtype=np.int32))[last])

    def sum_over_cells(self, child: int, parents: tuple[int, ...], terms: np.ndarray) -> float:
        """Sum of ``terms[m]`` over the cells of a family, m the rows of a cell; no local score is computed.

        Parameters
        ----------
        child : int
        parents : tuple of int
        terms : ndarray of float64, shape (n_rows + 1,)
            0 at 0.
        """
        from stages.kernels.counting.add_one import ScoreTables

        if not parents:
            counts = np.bincount(self.dataset.codes[child])
            return math.fsum(terms[counts].tolist())
        *rest, last = parents
        zeros = np.zeros((1, self.n_rows + 1))
        tables = ScoreTables(
            cell=terms[None],
            row=zeros,
            kind=np.zeros_like(self._kind),
            penalty=0.0,
            quantum=self.quantum,
            drops_pure=False,
        )
        out = np.empty(self.n_variables)
        self._score(tables, child, rest, np.array([last], dtype=np.int32), out)
        return float(out[last])

    def reduce(self, child: int, parents: tuple[int, ...], which: Sequence[int] | None = None) -> np.ndarray:
        """Scores of ``parents - {Y}`` for members Y.

        Parameters
        ----------
        child : int
        parents : tuple of int
        which : sequence of int, optional
            Positions in `parents` of the members to leave out; all by default.

        Returns
        -------
        ndarray of float64, shape (len(which),)
            Local scores in nats.
        """
        which = range(len(parents)) if which is None else which
        is_large = self.n_configurations((child, *parents)) > REDUCTION_SHARE * len(self.data.weights)
        if is_large or len(which) < 2:
            return np.array([self.local_score(child, parents[:i] + parents[i + 1 :]) for i in which])
        return self._reduce_by_table(child, parents, which)

    def _reduce_by_table(self, child: int, parents: tuple[int, ...], which: Sequence[int]) -> np.ndarray:
        from stages.kernels.counting.drop_one import count_table, score_without

        work = self.workspace()
        r = int(self.n_states[child])
        states = [int(self.n_states[p]) for p in parents]
        counts = np.empty(r * math.prod(states), dtype=np.int64)
        count_table(self.data, child, np.array(parents, dtype=np.int32), work.cell_of_row, counts)
        out = np.empty(len(which))
        for place, i in enumerate(which):
            rest = parents[:i] + parents[i + 1 :]
            # The tables of a set are those for expanding it less its last member by that member.
            tables = self.tables(child, self.n_configurations(rest[:-1]))
            kind = tables.kind[rest[-1]]
            before, after = math.prod(states[:i]), math.prod(states[i + 1 :])
            value = score_without(counts, r, before, states[i], after, tables.cell[kind], tables.row[kind])
            value -= tables.penalty * before * after
            out[place] = round(value / self.quantum) * self.quantum
        self.count_evaluations(len(which))
        return out

    def _empty_set_score(self, child: int) -> float:
        first, end = self.data.state_offsets[child : child + 2].tolist()
        counts, r = self.state_counts()[first:end].tolist(), end - first
        self.count_evaluations(1)
        if self.definition.prior is not None:
            row = self.definition.prior(r, 1.0, self.ess)
            cell = row / r
            value = math.fsum(math.lgamma(cell + m) - math.lgamma(cell) for m in counts)
            value -= math.lgamma(row + self.n_rows) - math.lgamma(row)
        else:
            value = math.fsum(m * math.log(m / self.n_rows) for m in counts if m) - self.penalty(child)
        return round(value / self.quantum) * self.quantum

    def state_counts(self) -> np.ndarray:
        """Rows in every state of every variable, int64, in the order of the bitmaps."""
        if self._state_counts is None:
            from stages.kernels.counting.overlaps import count_rows

            counts = [count_rows(bitmap, self.data.word_shifts) for bitmap in self.data.bits]
            self._state_counts = np.array(counts, dtype=np.int64)
        return self._state_counts

    def row_entropies(self) -> np.ndarray:
        """N H(X) of every variable in nats, float64, shape (n_variables,)."""
        if self._row_entropies is None:
            n = self.n_rows
            counts = [np.bincount(codes) for codes in self.dataset.codes]
            self._row_entropies = np.array([-np.sum(c[c > 0] * np.log(c[c > 0] / n)) for c in counts])
        return self._row_entropies
