"""Exact probabilities of arcs for few variables; see `stages.kernels.posterior.subset_sums` for how."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.errors import NothingFoundError, StageError

from . import MOST_EXACT, PosteriorOptions, exact_gap
from .weights import relative_scores, scaled_weights

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

SLICE_TERMS = 1 << 22
"""Terms of sums between two looks at the clock: some hundredths of a second."""

WORRYING_ERROR = 1e-6
"""Sums of probabilities that differ more from 1 are told."""


def exact_probabilities(
    table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter
) -> tuple[np.ndarray, np.ndarray]:
    """Posterior probabilities of arcs, and that a variable is an ancestor of another.

    Parameters
    ----------
    table : ParentSetTable
        From whose sets there is a network.
    options : PosteriorOptions
    budget : Budget
    reporter : Reporter

    Returns
    -------
    arcs, ancestors : ndarray of float64, shape (n_variables, n_variables)
        Entry [parent, child], [ancestor, descendant]. The second is one of networks under the prior that is uniform
        over them only.

    Raises
    ------
    StageError
        There are too many variables, what is wanted only samples tell, or time ran out.
    NothingFoundError
        The user asked to stop.
    """
    _require_feasible(table.n_variables, options)
    sums = _SubsetSums(table, options.prior == "orders", budget, reporter)
    sums.run()
    if sums.error > WORRYING_ERROR:
        reporter.warn(f"rounding: probabilities that sum up to 1 are off by {sums.error:.1e}")
    arcs = np.zeros((table.n_variables, table.n_variables))
    child_of_set = np.repeat(np.arange(table.n_variables), np.diff(table.set_offsets))
    sizes = np.diff(table.parent_offsets)
    np.add.at(arcs, (table.parents, np.repeat(child_of_set, sizes)), np.repeat(sums.probabilities, sizes))
    return np.minimum(arcs, 1.0), np.minimum(sums.descendants, 1.0)


def log_weight(table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter) -> float:
    """Logarithm of the weight of all networks of listed sets, nats; errors as of `exact_probabilities`."""
    _require_feasible(table.n_variables, options)
    return _SubsetSums(table, options.prior == "orders", budget, reporter).log_weight()


def _require_feasible(n_variables: int, options: PosteriorOptions) -> None:
    gap = exact_gap(options)
    if gap is not None:
        way = "use --sampled" if options.prior == "dags" else "those are of --prior dags"
        raise StageError(f"{gap} are told by samples only: {way}")
    most = MOST_EXACT[options.prior]
    if n_variables > most:
        advice = (
            "sample networks (--sampled)" if options.prior == "dags" else "use --prior dags, which is sampled"
        )
        raise StageError(
            f"{n_variables} variables are too many for exact sums with the prior of {options.prior} "
            f"({most} at most): {advice}"
        )


Buffers = tuple[np.ndarray, np.ndarray, np.ndarray]


class _SubsetSums:
    """The sums of one run; `error` is how far what must be 1 is off."""

    def __init__(self, table: ParentSetTable, singles: bool, budget: Budget, reporter: Reporter):
        n = table.n_variables
        self.table, self.singles, self.budget, self.reporter = table, singles, budget, reporter
        self.weights, self.powers = scaled_weights(relative_scores(table))
        self.sums = np.empty((n, 1 << (n - 1)))
        self.exponents = np.empty((n, 1 << (n - 1)), dtype=np.int32)
        self.descendants = np.zeros((n, n))
        self.probabilities = np.zeros(table.n_sets)
        self.error = 0.0
        # Terms of sums, about: those of the two passes, and those within subsets.
        self.terms = (n << n) if singles else 3**n
        self.done = 0.0

    def run(self) -> None:
        from stages.kernels.posterior.subset_sums import add_set_probabilities

        table, n = self.table, self.table.n_variables
        forward, totals, buffers = self._push()
        self._pull(forward, totals, buffers)
        for child in range(n):
            self._sum_related(child, True)
            add_set_probabilities(
                *self._sets_of(child), self.sums[child], self.exponents[child], self.probabilities
            )
            own = self.probabilities[table.set_offsets[child] : table.set_offsets[child + 1]]
            self.error = max(self.error, abs(float(own.sum()) - 1.0))

    def _sum_related(self, child: int, over_supersets: bool) -> None:
        """Sums of a child's sets within subsets, or over supersets."""
        from stages.kernels.posterior.subset_sums import sum_related

        n = self.table.n_variables - 1
        place = 0
        while place < n << n >> 1:
            begun = place
            place = sum_related(self.sums[child], self.exponents[child], over_supersets, place, SLICE_TERMS)
            self._tell((place - begun) / 4)

    def _sets_of(self, child: int) -> tuple:
        first, end = int(self.table.set_offsets[child]), int(self.table.set_offsets[child + 1])
        return (
            self.table.parent_offsets, self.table.parents, first, end, self.weights, self.powers, child,
        )  # fmt: skip

    def _push(self) -> tuple[np.ndarray, np.ndarray, Buffers]:
        """Weights of the networks on every subset: exponents and numbers, H of `subset_sums`; room to work."""
        from stages.kernels.posterior.scaled import NOTHING
        from stages.kernels.posterior.subset_sums import enter_weights, push_exponents, push_totals

        for child in range(self.table.n_variables):
            enter_weights(*self._sets_of(child), self.sums[child], self.exponents[child])
            self._sum_related(child, False)
        size = 1 << self.table.n_variables
        forward, totals = np.full(size, NOTHING, dtype=np.int64), np.zeros(size)
        forward[0], totals[0] = 0, 1.0
        place = 0
        while place < size:
            place = push_exponents(self.exponents, forward, place, SLICE_TERMS)
            self._tell(SLICE_TERMS / 4)
        buffers = np.empty(size), np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
        place = 0
        while place < size:
            place = push_totals(
                self.sums, self.exponents, forward, totals, self.singles, buffers, place, SLICE_TERMS
            )
            self._tell(min(SLICE_TERMS, self.terms))
        return forward, totals, buffers

    def _pull(self, forward: np.ndarray, totals: np.ndarray, buffers: Buffers) -> None:
        """Back from the full set: sums become shares, B of `subset_sums`."""
        from stages.kernels.posterior.scaled import NOTHING
        from stages.kernels.posterior.subset_sums import pull_exponents, pull_shares

        size = len(totals)
        backward, rests, values = np.full(size, NOTHING, dtype=np.int64), np.zeros(size), np.empty(size)
        backward[-1], rests[-1] = 0, 1.0
        place = size - 2
        while place >= 0:
            place = pull_exponents(self.exponents, backward, place, SLICE_TERMS)
            self._tell(SLICE_TERMS / 4)
        place = size - 1
        while place >= 0:
            place = pull_shares(
                self.sums, self.exponents, forward, totals, backward, rests, self.singles, buffers, values,
                self.descendants, place, SLICE_TERMS,
            )  # fmt: skip
            self._tell(min(SLICE_TERMS, self.terms))
        self.error = abs(rests[0] / totals[-1] * 2.0 ** float(backward[0] - forward[-1]) - 1.0)

    def log_weight(self) -> float:
        """Logarithm of the weight of all networks, nats; minus infinity if there is none."""
        forward, totals, _ = self._push()
        if totals[-1] <= 0.0:
            return -math.inf
        best = math.fsum(self.table.scores[self.table.set_offsets[:-1]].tolist())
        return best + math.log(float(totals[-1])) + float(forward[-1]) * math.log(2.0)

    def _tell(self, terms: float) -> None:
        """Count what was done; raise where the run is to end."""
        n = self.table.n_variables
        self.done += terms
        total = 2 * self.terms + (n * n << (n - 1)) / 4
        self.reporter.progress(int(min(99.0, 100 * self.done / total)), 100, "per cent of the sums")
        if self.budget.interrupted:
            raise NothingFoundError("stopped before the sums were done")
        if self.budget.is_spent():
            raise StageError(
                "time ran out before the sums were done: allow more with --time, or use --sampled"
            )
