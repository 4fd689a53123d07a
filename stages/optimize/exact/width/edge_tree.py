"""Branch and bound: programmes with rows and columns that join, parts of least cost first.

A branch has two parts: with an edge and without it, or with an arc and without it.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from stages.runtime.budgets import Budget

from ..linear_programme import Basis, Programme, Ranges, Solution
from ..node import SHARE_TOLERANCE
from .best_within_width import BestWithinWidth
from .family_cliques import FamilyCliques
from .row_pool import Costs, RowPool, safe_bound
from .violated_rows import VIOLATION, AcyclicRows, FamilyPoint, first_rows, separate

ROOT_ROUNDS, BRANCH_ROUNDS = 400, 8
ROUND_GAIN, PATIENCE = 2e-3, 6
"""Rounds at the root and in a branch; the share of the gap that a round must gain, and the rounds in a row that may
gain less at the root (in a branch: one).
"""

FIRST_GAIN = 0.05
"""Share of the gap that rows of the first kinds must gain in a round; else rows of all kinds are separated."""

MOST_AT_ONCE = 20_000
"""Sets up to which all are in the first programme: nothing joins later, so every value of a programme is a bound."""

FIRST_SETS, MOST_JOINING = 30, 400
"""Of more sets, those per variable in the first programme, and most that join in a round."""

USEFUL = 1e-10
"""Reduced cost in nats, negated, of a set that joins."""

IDLE, LEAST_DROPPED = 8, 50
"""Rounds after which a row without a multiplier is dropped, and the fewest that are dropped at once."""

TRIAL_ITERATIONS, LOOK_AHEAD = 40, 4
"""Iterations per trial of a part; pairs in a row without a better one that end the trials."""

ROUNDINGS_EVERY = 8
"""Programmes between two searches from a fractional solution."""

WHOLE = 1e-6
"""Shares this near to 0 or 1 count as whole."""

MOST_CANDIDATES = 10
"""Pairs that are tried."""


class WidthBranch(NamedTuple):
    """A part of the networks."""

    cost: float  # lower bound on the cost of its networks in nats
    limits: Ranges
    basis: Basis | None


class EdgeTree:
    """The search; `cost` is a lower bound on the cost of every network at any time.

    Parameters
    ----------
    cliques : FamilyCliques
        The columns.
    costs : Costs
        Of the sets.
    source : ndarray of int64
        Index of each set in the table of the incumbent, -1 for sets that were added.
    incumbent : BestWithinWidth
        Improved by the search.
    ideal : float
        What the costs are relative to: the score of every child's best set, in nats.
    rounding : float
        Rounding error of sums over a network's sets, in nats.
    report : callable
        Called after every programme.
    """

    def __init__(
        self,
        cliques: FamilyCliques,
        costs: Costs,
        source: np.ndarray,
        incumbent: BestWithinWidth,
        ideal: float,
        rounding: float,
        budget: Budget,
        report: Callable[[], None],
    ):
        self.cliques, self.costs, self.incumbent, self.budget = cliques, costs, incumbent, budget
        self.n_branches = self.n_programmes = 0
        self.pool = RowPool()
        self._acyclic = AcyclicRows(cliques.lists, incumbent.rng, budget)
        self._source, self._ideal, self._rounding, self._report = source, ideal, rounding, report
        self._numbers = itertools.count()
        self._open: list[tuple[float, int, WidthBranch]] = []
        self._closed = math.inf
        self._now = math.inf  # cost of the branch at work
        limits = Ranges.without(np.zeros(cliques.n_columns, dtype=np.bool_))
        is_first = np.arange(cliques.n_columns) >= (0 if cliques.n_sets <= MOST_AT_ONCE else cliques.n_sets)
        for start, end in itertools.pairwise(cliques.lists.set_offsets.tolist()):
            is_first[start + np.argsort(costs.in_nats[start:end], kind="stable")[:FIRST_SETS]] = True
        is_first[: cliques.n_sets] |= np.isin(source, [-1, *incumbent.chosen.tolist()]) | (cliques.sizes == 0)
        self.programme = Programme(costs.in_nats, cliques.child, limits, np.flatnonzero(is_first), budget)
        self.programme.add_rows(self.pool.add(first_rows(cliques)), self.pool.cuts, self.pool.are_equations)
        self._idle = np.zeros(0, dtype=np.int64)
        self._push(WidthBranch(0.0, limits, None))

    @property
    def cost(self) -> float:
        """Lower bound on the cost of every network in nats."""
        return min(self._closed, self._now, self._open[0][0] if self._open else math.inf)

    @property
    def _limit(self) -> float:
        """Cost from which on a branch is closed."""
        return self._ideal - self.incumbent.score - self._rounding

    @property
    def is_closed(self) -> bool:
        """Whether the incumbent is proved optimal."""
        return self.cost >= self._limit

    def run(self) -> None:
        """Branch until optimality is proved or the budget ends."""
        while self._open and not self.is_closed and not self._is_spent():
            _, _, branch = heapq.heappop(self._open)
            self._now = branch.cost
            self._work(branch)
            self._now = math.inf
            self._report()

    def _is_spent(self) -> bool:
        return self.budget.is_spent(self.incumbent.moves + self.n_programmes)

    def _push(self, branch: WidthBranch) -> None:
        if branch.cost >= self._limit:
            self._closed = min(self._closed, branch.cost)
        else:
            heapq.heappush(self._open, (branch.cost, next(self._numbers), branch))

    def _work(self, branch: WidthBranch) -> None:
        """Bound a branch, and split it or close it."""
        limits = branch.limits.copied()
        self.n_branches += 1
        self.programme.limit(limits)
        if branch.basis is not None:
            self.programme.start(branch.basis)
        point = self._bound_in_rounds(limits, branch.basis is None)
        if point is None:
            self._closed = min(self._closed, self._now)
        elif self._is_spent():
            self._push(WidthBranch(self._now, limits, self.programme.basis()))
        else:
            self._split(point, limits)

    def _bound_in_rounds(self, limits: Ranges, is_root: bool) -> FamilyPoint | None:
        """Rounds of columns and rows; the last solution, or None if the branch can be closed."""
        idle_rounds, before, only_first = 0, -math.inf, is_root
        for _ in range(ROOT_ROUNDS if is_root else BRANCH_ROUNDS):
            solution = self._solve()
            joined = self._bound(solution, limits)
            if self._now >= self._limit:
                return None
            point = FamilyPoint(self.cliques, solution.shares)
            if solution.is_infeasible or self._is_spent():
                break  # A branch whose lack of solutions is not proved is split.
            n_added = self._separate(point, only_first)
            gain = (self._now - before) / (self._limit - self._now)
            if not joined and (not n_added or gain < FIRST_GAIN) and only_first:
                only_first = False
            elif not joined and not n_added:
                break
            idle_rounds = idle_rounds + 1 if gain < ROUND_GAIN and not joined else 0
            before = max(before, self._now)
            if idle_rounds >= (PATIENCE if is_root else 1):
                break
            if is_root:
                self._drop_idle(solution)
                self._report()
        return point

    def _solve(self) -> Solution:
        self.n_programmes += 1
        return self.programme.solve(len(self.pool))

    def _bound(self, solution: Solution, limits: Ranges) -> bool:
        """Raise the cost of the branch, exclude columns by reduced cost, add sets; returns whether some joined."""
        if solution.is_infeasible:
            self._bound_by_ray(solution, limits)
            return False
        bound = safe_bound(self.pool, solution.multipliers, self.costs, limits)
        if bound is None:
            return False
        cost = self.costs.nats(bound.units)
        self._now = max(self._now, cost)
        if self._now >= self._limit:
            return False
        n_sets = self.cliques.n_sets
        # What costs this much more has no place in a better network. Excesses are exact up to one unit.
        slack = math.ldexp(self._limit - cost, self.costs.exponent) + 2.0
        limits.upper[:n_sets][bound.excess[:n_sets] > slack] = 0
        cliques = bound.excess[n_sets:]
        is_free = limits.lower[n_sets:] < limits.upper[n_sets:]
        limits.upper[n_sets:][is_free & (cliques > slack)] = 0
        limits.lower[n_sets:][is_free & (cliques < -slack)] = 1
        joining = self._joining(bound.excess, limits)
        self.programme.limit(limits)
        if len(joining):
            self.programme.add_columns(joining, self.pool.cuts)
        return len(joining) > 0

    def _joining(self, excess: np.ndarray, limits: Ranges) -> np.ndarray:
        """Sets outside the programme that are cheaper than the sets in it; the cheapest of them."""
        n_sets, starts = self.cliques.n_sets, self.cliques.lists.set_offsets
        is_in = self.programme.is_in[:n_sets] & (limits.upper[:n_sets] > 0)
        least = np.minimum.reduceat(np.where(is_in, excess[:n_sets], np.iinfo(np.int64).max), starts[:-1])
        gains = np.repeat(least, np.diff(starts)) - excess[:n_sets].astype(np.float64)
        useful = math.ldexp(USEFUL, self.costs.exponent)
        joining = np.flatnonzero(~self.programme.is_in[:n_sets] & (limits.upper[:n_sets] > 0) & (gains > useful))
        return joining[np.argsort(-gains[joining], kind="stable")[:MOST_JOINING]]

    def _bound_by_ray(self, solution: Solution, limits: Ranges) -> None:
        """Close a branch without a solution if the ray proves that it has none."""
        largest = np.abs(solution.multipliers).max(initial=0.0)
        if largest > 0.0:
            ray = solution.multipliers / largest
            found = safe_bound(self.pool, ray, self.costs, limits, is_ray=True)
            if found is not None and found.units > 0:
                self._now = math.inf

    def _offer(self, point: FamilyPoint) -> bool:
        """Offer networks: the solution itself if it is whole, now and then one from its order; returns whether the
        solution is a network.
        """
        if self.n_programmes % ROUNDINGS_EVERY == 1:
            self.incumbent.round(point.y, self.budget)
        sets = np.flatnonzero(point.shares > 1.0 - WHOLE)
        if len(sets) < self.cliques.n_variables or np.any(self._source[sets] < 0):
            return False
        return self.incumbent.offer(self._source[sets])

    def _separate(self, point: FamilyPoint, only_first: bool) -> int:
        """Add violated rows to the programme; returns how many joined it.

        If the solution is a network, only rounding and sets that are missing keep the branch open.
        """
        if self._offer(point):
            return 0
        known = np.flatnonzero(self.pool.lacks(point.values) > VIOLATION)
        found = self.pool.add(self._acyclic.violated(point.shares) + separate(point, only_first))
        rows = np.setdiff1d(np.append(known, found), self.programme.rows)
        if len(rows):
            self.programme.add_rows(rows, self.pool.cuts, self.pool.are_equations)
        return len(rows)

    def _drop_idle(self, solution: Solution) -> None:
        """Drop rows without a multiplier in the last `IDLE` rounds."""
        self._idle = np.append(self._idle, np.zeros(len(self.pool) - len(self._idle), dtype=np.int64))
        n_solved = len(solution.multipliers)
        self._idle[:n_solved][solution.multipliers == 0.0] += 1
        self._idle[:n_solved][solution.multipliers != 0.0] = 0
        idle = self.programme.rows[self._idle[self.programme.rows] >= IDLE]
        if len(idle) > LEAST_DROPPED:
            self.programme.drop_rows(idle)
            self._idle[idle] = 0

    def _split(self, point: FamilyPoint, limits: Ranges) -> None:
        """Push the two parts of a branch for which trials promise the highest bounds."""
        programme, basis, cost = self.programme, self.programme.basis(), self._now
        best, worth, idle = None, -math.inf, 0
        for number, parts in enumerate(candidates(point, limits)):
            if number >= MOST_CANDIDATES or idle >= LOOK_AHEAD or self._is_spent():
                break
            if number == 0:
                best = parts
            gains = []
            for part in parts:
                programme.limit(part)
                programme.start(basis)
                trial = programme.solve(len(self.pool), TRIAL_ITERATIONS)
                rise = self._limit - cost if trial.is_infeasible else trial.value - cost
                gains.append(min(max(rise, 1e-6), self._limit - cost))
            product = gains[0] * gains[1]
            idle = 0 if product > worth else idle + 1
            if product > worth:
                best, worth = parts, product
        if best is None:
            self._closed = min(self._closed, cost)
            return
        for part in best:
            self._push(WidthBranch(cost, part, basis))


def candidates(point: FamilyPoint, limits: Ranges) -> Iterator[tuple[Ranges, Ranges]]:
    """The limits of pairs of parts, the most promising first.

    Fractional edges come first, near one half and with much of the arcs' and marriages' share on them; only if there
    are none, fractional arcs, then edges that are not decided.
    """
    cliques = point.cliques
    y = point.values[cliques.first_pair : cliques.first_triple]
    is_open = (
        limits.lower[cliques.first_pair : cliques.first_triple]
        < limits.upper[cliques.first_pair : cliques.first_triple]
    )
    fractional = np.flatnonzero(is_open & (np.minimum(y, 1.0 - y) > WHOLE))
    if len(fractional):
        used = cliques.needs.weights(point.shares)[fractional]
        worth = np.minimum(y, 1.0 - y)[fractional] * (0.1 + np.minimum(used, 1.0))
        for pair in fractional[np.argsort(-worth, kind="stable")].tolist():
            yield edge_parts(cliques, limits, pair)
        return
    if (arc := _fractional_arc(point)) is not None:
        yield arc_parts(cliques, limits, *arc)
        return
    for pair in np.flatnonzero(is_open).tolist():
        yield edge_parts(cliques, limits, pair)


def _fractional_arc(point: FamilyPoint) -> tuple[int, int] | None:
    """Parent and child of the arc whose share is nearest to one half; None if all are whole."""
    cliques = point.cliques
    shares = np.zeros((cliques.n_variables, cliques.n_variables))
    for s in np.flatnonzero(point.shares > SHARE_TOLERANCE).tolist():
        shares[cliques.members[s], cliques.child[s]] += point.shares[s]
    distance = np.abs(shares - 0.5)
    parent, child = divmod(int(np.argmin(distance)), cliques.n_variables)
    return (parent, child) if distance[parent, child] < 0.5 - WHOLE else None


def edge_parts(cliques: FamilyCliques, limits: Ranges, pair: int) -> tuple[Ranges, Ranges]:
    """The parts without an edge, so that no set needs it and no triangle has it, and with it."""
    without, within = limits.copied(), limits.copied()
    a, b = cliques.pairs[pair].tolist()
    columns = [cliques.first_pair + pair, *cliques.needs.of(pair).tolist()]
    columns += cliques.triple_column[a, b][cliques.triple_column[a, b] >= 0].tolist()
    without.upper[columns] = 0
    within.lower[cliques.first_pair + pair] = 1
    return without, within


def arc_parts(cliques: FamilyCliques, limits: Ranges, parent: int, child: int) -> tuple[Ranges, Ranges]:
    """The parts without and with an arc."""
    without, within = limits.copied(), limits.copied()
    has = (cliques.child == child) & cliques.members[:, parent]
    without.upper[: cliques.n_sets][has] = 0
    within.upper[: cliques.n_sets][(cliques.child == child) & ~has] = 0
    return without, within
