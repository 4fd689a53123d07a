"""Exact probabilities of arcs for few variables; see `stages.kernels.posterior.subset_sums` for how."""

from __future__ import annotations

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
        from stages.kernels.posterior.subset_sums import add_set_probabilities, enter_weights

        table, n = self.table, self.table.n_variables
        for child in range(n):
            enter_weights(*self._sets_of(child), self.sums[child], self.exponents[child])
            self._sum_related(child, False)
        self._sum_networks()
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

    def _sum_networks(self) -> None:
        """From empty to full, and back."""
        from stages.kernels.posterior.scaled import NOTHING
        from stages.kernels.posterior.subset_sums import (
            pull_exponents,
            pull_shares,
            push_exponents,
            push_totals,
        )

        n = self.table.n_variables
        size = 1 << n
        forward, backward = np.full(size, NOTHING, dtype=np.int64), np.full(size, NOTHING, dtype=np.int64)
        forward[0] = backward[-1] = 0
        place = 0
        while place < size:
            place = push_exponents(self.exponents, forward, place, SLICE_TERMS)
            self._tell(SLICE_TERMS / 4)
        place = size - 2
        while place >= 0:
            place = pull_exponents(self.exponents, backward, place, SLICE_TERMS)
            self._tell(SLICE_TERMS / 4)
        totals, rests, values = np.zeros(size), np.zeros(size), np.empty(size)
        totals[0] = rests[-1] = 1.0
        buffers = np.empty(size), np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
        place = 0
        while place < size:
            place = push_totals(
                self.sums, self.exponents, forward, totals, self.singles, buffers, place, SLICE_TERMS
            )
            self._tell(min(SLICE_TERMS, self.terms))
        place = size - 1
        while place >= 0:
            place = pull_shares(
                self.sums, self.exponents, forward, totals, backward, rests, self.singles, buffers, values,
                self.descendants, place, SLICE_TERMS,
            )  # fmt: skip
            self._tell(min(SLICE_TERMS, self.terms))
        self.error = abs(rests[0] / totals[-1] * 2.0 ** float(backward[0] - forward[-1]) - 1.0)

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
