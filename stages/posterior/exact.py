"""Exact probabilities of arcs and Markov blankets for few variables, by sums over subsets.

Kernels: `stages.kernels.posterior.subset_sums`. Under the prior of orders, networks can be drawn from the sums.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.posterior.scaled_numbers import NOTHING
from stages.kernels.posterior.subset_sums import (
    add_set_probabilities,
    enter_weights,
    pull_exponents,
    pull_shares,
    push_exponents,
    push_totals,
    sum_related,
)
from stages.lists.set_lists import child_of_entries, child_of_sets, keep_in_table, relative_scores
from stages.runtime.budgets import Budget
from stages.runtime.errors import NothingFoundError, StageError
from stages.runtime.reporting import NullReporter, Reporter
from stages.runtime.seeding import task_generator

from . import MOST_EXACT, PosteriorOptions, exact_gap
from .weights import scaled_weights

SLICE_TERMS = 1 << 22
"""Terms of sums per kernel call: some hundredths of a second."""

WORRYING_ERROR = 1e-6
"""Deviation from 1 of a sum of probabilities above which a warning is given."""


Buffers = tuple[np.ndarray, np.ndarray, np.ndarray]

N_DRAWS = 1000
"""Networks that are drawn; a share of one half has a standard error of 0.016."""

Scaled = tuple[np.ndarray, np.ndarray]


class ExactSums(NamedTuple):
    """Posterior probabilities, and networks drawn."""

    # `arcs`, `ancestors`: float64, shape (n_variables, n_variables): entry [parent, child], [ancestor, descendant].
    # The second is valid only for the prior ``dags``.
    arcs: np.ndarray
    ancestors: np.ndarray
    # int32, shape (n_draws, n_variables): the set of each variable, as an index into the table, in independent draws
    # from the posterior. None are drawn for the prior ``dags``, whose sums have terms of both signs.
    networks: np.ndarray


def exact_probabilities(
    table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter
) -> ExactSums:
    """Posterior probabilities of arcs and of ancestors.

    The lists must allow at least one network. Raises `StageError` if there are too many variables, a requested
    feature needs samples, or time ran out; `NothingFoundError` if the user asked to stop.
    """
    _require_feasible(table.n_variables, options)
    sums = _SubsetSums(table, options.prior == "orders", budget, reporter)
    sums.run()
    if sums.error > WORRYING_ERROR:
        reporter.warn(f"rounding errors: probabilities that should sum up to 1 are off by {sums.error:.1e}")
    arcs = np.zeros((table.n_variables, table.n_variables))
    by_entry = np.repeat(sums.probabilities, np.diff(table.parent_offsets))
    np.add.at(arcs, (table.parents, child_of_entries(table)), by_entry)
    return ExactSums(np.minimum(arcs, 1.0), np.minimum(sums.descendants, 1.0), sums.networks)


def family_relations(
    table: ParentSetTable, children: Sequence[int], budget: Budget, reporter: Reporter
) -> Iterator[np.ndarray]:
    """For each of some children, the posterior probabilities of its sets together with its descendants.

    The prior is uniform over networks. Yields float64, shape (n_sets of the child, n_variables): entry [s, v] is the
    probability that the child has set s and v descends from it; in the child's own column, that it has set s. Raises
    errors as `exact_probabilities` does.
    """
    _require_feasible(table.n_variables, PosteriorOptions())
    sums = _SubsetSums(table, False, budget, reporter)
    sums.terms += len(children) * table.n_variables**2 * 2 ** (table.n_variables - 4)
    sums.solve()
    return map(sums.relations, children)


def log_weight(table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter) -> float:
    """Logarithm of the total weight of all networks of listed sets, nats; raises errors as `exact_probabilities`
    does.
    """
    _require_feasible(table.n_variables, options)
    return _SubsetSums(table, options.prior == "orders", budget, reporter).log_weight()


def _require_feasible(n_variables: int, options: PosteriorOptions) -> None:
    remedy = "use --sampled" if options.prior == "dags" else "use --prior dags, which is sampled"
    gap = exact_gap(options)
    if gap is not None:
        raise StageError(f"{gap} need sampled networks: {remedy}")
    most = MOST_EXACT[options.prior]
    if n_variables > most:
        raise StageError(
            f"{n_variables} variables are too many for exact sums with the prior of {options.prior} "
            f"({most} at most): {remedy}"
        )


class _SubsetSums:
    """The sums of one run; `error` is the largest deviation from 1 of a sum of probabilities."""

    def __init__(self, table: ParentSetTable, singles: bool, budget: Budget, reporter: Reporter):
        n = table.n_variables
        self.table, self.singles, self.budget, self.reporter = table, singles, budget, reporter
        self.weights, self.powers = scaled_weights(relative_scores(table))
        self.sums = np.empty((n, 1 << (n - 1)))
        self.exponents = np.empty((n, 1 << (n - 1)), dtype=np.int32)
        self.descendants = np.zeros((n, n))
        self.probabilities = np.zeros(table.n_sets)
        self.networks = np.empty((0, n), dtype=np.int32)
        self.error = 0.0
        # Approximate number of terms of each pass.
        # 3^n pairs of disjoint sets U and T: each variable is in one of them or in neither.
        self.terms = (n << n) if singles else 3**n
        self.done = 0.0

    def solve(self) -> None:
        """Both passes: afterwards `sums` are the shares of `pull_shares`."""
        forward, totals, buffers = self._push()
        if self.singles:
            self.networks = draw_networks(self.table, (totals, forward), (self.sums, self.exponents), self.budget)
        self._pull(forward, totals, buffers)

    def relations(self, child: int) -> np.ndarray:
        """As `family_relations` for one child, after `solve`.

        With set U of all variables that do not descend from the child, v descends if U lacks it. So the sums over
        supersets are taken over the sets U that lack v.
        """
        table, (_, _, first, end, *_) = self.table, self._sets_of(child)
        shares, exponents = self.sums[child].copy(), self.exponents[child].copy()
        masks = np.arange(len(shares))
        found = np.zeros((end - first, table.n_variables))
        for v in range(table.n_variables):
            has_v = (masks >> (v - (v > child)) & 1).astype(np.bool_) if v != child else np.False_
            self.sums[child] = np.where(has_v, 0.0, shares)
            self.exponents[child] = np.where(has_v, NOTHING, exponents)
            self._sum_related(child, True)
            add_set_probabilities(*self._sets_of(child), self.sums[child], self.exponents[child], self.probabilities)
            found[:, v] = self.probabilities[first:end]
        self.sums[child], self.exponents[child] = shares, exponents
        return found

    def run(self) -> None:
        table, n = self.table, self.table.n_variables
        self.solve()
        for child in range(n):
            self._sum_related(child, True)
            add_set_probabilities(*self._sets_of(child), self.sums[child], self.exponents[child], self.probabilities)
            own = self.probabilities[table.set_offsets[child] : table.set_offsets[child + 1]]
            self.error = max(self.error, abs(float(own.sum()) - 1.0))

    def _sum_related(self, child: int, over_supersets: bool) -> None:
        """Sums of a child's sets over subsets, or over supersets."""
        n = self.table.n_variables - 1
        end = n << n >> 1
        numbers = self.sums[child], self.exponents[child]
        self._in_slices(
            lambda start: sum_related(*numbers, over_supersets, start, SLICE_TERMS), 0, end, min(SLICE_TERMS, end) / 4
        )

    def _sets_of(self, child: int) -> tuple:
        first, end = int(self.table.set_offsets[child]), int(self.table.set_offsets[child + 1])
        return (
            self.table.parent_offsets, self.table.parents, first, end, self.weights, self.powers, child,
        )  # fmt: skip

    def _push(self) -> tuple[np.ndarray, np.ndarray, Buffers]:
        """Weights of the networks on every subset, H of `subset_sums`: exponents, mantissas; and scratch arrays."""
        for child in range(self.table.n_variables):
            enter_weights(*self._sets_of(child), self.sums[child], self.exponents[child])
            self._sum_related(child, False)
        size = 1 << self.table.n_variables
        forward, totals = np.full(size, NOTHING, dtype=np.int64), np.zeros(size)
        forward[0], totals[0] = 0, 1.0
        self._in_slices(
            lambda start: push_exponents(self.exponents, forward, start, SLICE_TERMS), 0, size, SLICE_TERMS / 4
        )
        buffers = np.empty(size), np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
        fixed = self.sums, self.exponents, forward, totals, self.singles, buffers
        self._in_slices(lambda start: push_totals(*fixed, start, SLICE_TERMS), 0, size, min(SLICE_TERMS, self.terms))
        return forward, totals, buffers

    def _pull(self, forward: np.ndarray, totals: np.ndarray, buffers: Buffers) -> None:
        """The pass back from the full set, which computes B of `subset_sums` and replaces `sums` (`pull_shares`)."""
        size = len(totals)
        backward, rests, values = np.full(size, NOTHING, dtype=np.int64), np.zeros(size), np.empty(size)
        backward[-1], rests[-1] = 0, 1.0
        self._in_slices(
            lambda start: pull_exponents(self.exponents, backward, start, SLICE_TERMS), size - 2, -1, SLICE_TERMS / 4
        )
        fixed = self.sums, self.exponents, forward, totals, backward, rests
        work = self.singles, buffers, values, self.descendants
        self._in_slices(
            lambda start: pull_shares(*fixed, *work, start, SLICE_TERMS), size - 1, -1, min(SLICE_TERMS, self.terms)
        )
        # B of the empty set and H of the full one are both the sum over all networks.
        self.error = abs(rests[0] / totals[-1] * 2.0 ** float(backward[0] - forward[-1]) - 1.0)

    def log_weight(self) -> float:
        """Logarithm of the total weight of all networks, nats; minus infinity if there is none."""
        forward, totals, _ = self._push()
        if totals[-1] <= 0.0:
            return -math.inf
        best = math.fsum(self.table.scores[self.table.set_offsets[:-1]].tolist())
        return best + math.log(float(totals[-1])) + float(forward[-1]) * math.log(2.0)

    def _in_slices(self, advance: Callable[[int], int], start: int, end: int, terms: float) -> None:
        """Call `advance` with the position that it returned, from `start` until `end`; each call counts as `terms`
        terms.
        """
        n = self.table.n_variables
        total = 2 * self.terms + (n * n << (n - 1)) / 4
        while start != end:
            start = advance(start)
            self.done += terms
            self.reporter.progress(int(min(99.0, 100 * self.done / total)), 100, "parts of the sums")
            if self.budget.interrupted:
                raise NothingFoundError("stopped before the sums were done")
            if self.budget.is_spent():
                raise StageError("time ran out before the sums were done: allow more with --time, or use --sampled")


def draw_networks(table: ParentSetTable, totals: Scaled, sums: Scaled, budget: Budget) -> np.ndarray:
    """Independent draws of an order and a network that agrees with it; the same ones each time.

    Let H(S) be the weight of the orders of S with their networks, and A_j(U) the weight of the sets of j within U.
    Then H(S) = sum over j in S of H(S - j) A_j(S - j). The last variable of an order of S is j with probability
    proportional to its term; then j has a set within S - j with probability weight / A_j(S - j).

    `totals`, shape (2^n_variables,), are mantissas and exponents of H; `sums`, shape (n_variables, 2^(n_variables -
    1)), are those of A_j; masks of the latter omit position j. Returns int32, shape (n_draws, n_variables): the set
    of each variable, as an index into the table. There are `N_DRAWS` draws, or fewer if the budget ends.
    """
    n, rng = table.n_variables, task_generator(0, 0)
    weights = relative_scores(table)
    masks = np.array([sum(1 << p for p in table.parent_set(s)) for s in range(table.n_sets)], dtype=np.int64)
    drawn = np.empty((N_DRAWS, n), dtype=np.int32)
    for number, sets in enumerate(drawn):
        if number and budget.is_spent():
            return drawn[:number]
        left = np.arange(n)
        while len(left):
            rest = (1 << left).sum() - (1 << left)
            low = rest & (1 << left) - 1
            places = left, low + (rest - low >> 1)
            with np.errstate(divide="ignore"):
                logs = np.log2(totals[0][rest]) + totals[1][rest] + np.log2(sums[0][places]) + sums[1][places]
            at = _draw(logs * np.log(2.0), rng)
            child, above = left[at], rest[at]
            first, end = table.set_offsets[child], table.set_offsets[child + 1]
            within = np.flatnonzero(masks[first:end] & ~above == 0)
            sets[child] = first + within[_draw(weights[first + within], rng)]
            left = np.delete(left, at)
    return drawn


def _draw(log_weights: np.ndarray, rng: np.random.Generator) -> int:
    """Draw a place with probability proportional to its weight; `log_weights` are natural logarithms."""
    shares = np.exp(log_weights - log_weights.max()).cumsum()
    return int(np.searchsorted(shares, rng.random() * shares[-1], side="right"))


def exact_blankets(
    table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter
) -> np.ndarray:
    """Posterior probabilities of pairs, float64, shape (n_variables, n_variables); 0 on the diagonal.

    Two variables are in each other's blankets if a family has both: one is the parent of the other, or both are of a
    third one. All other networks consist of sets without such a family: one sum over these is their weight. Raises
    errors as `exact_probabilities` does.
    """
    n = table.n_variables
    families = np.zeros((n, table.n_sets), dtype=np.bool_)
    families[child_of_sets(table), np.arange(table.n_sets)] = True
    families[table.parents, np.repeat(np.arange(table.n_sets), np.diff(table.parent_offsets))] = True
    whole = log_weight(table, options, budget, reporter)
    found, pairs = np.zeros((n, n)), list(itertools.combinations(range(n), 2))
    for number, (a, b) in enumerate(pairs):
        kept = keep_in_table(table, np.flatnonzero(~(families[a] & families[b])))
        apart = 0.0
        if np.diff(kept.set_offsets).all():
            apart = math.exp(log_weight(kept, options, budget, NullReporter()) - whole)
        found[a, b] = found[b, a] = max(0.0, 1.0 - apart)
        reporter.progress(number + 1, len(pairs), "pairs")
    return found
