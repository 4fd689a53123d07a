"""Work on one branch of branch and cut: bound it, and split it if the bound does not close it.

It changes nothing that branches share, so several branches may be worked on at once. Its results are merged
afterwards, in the order of the branches (`branch_and_cut`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from stages.runtime.budgets import Budget

from ..bounds.cluster_cuts import DEMANDS, ClusterSeparator
from ..bounds.cut_pool import CutPool
from ..bounds.cuts import Origin
from ..bounds.proof_steps import TreeNode
from ..bounds.relaxation import relaxed
from ..bounds.residual import solve_residual
from ..bounds.separators import Separator, add_violated, make_point
from ..bounds.zero_half_cuts import HalvedSumSeparator
from .branch_tree import Branch, BranchTree
from .branching import Gain, OrderGains, worth_of
from .fractional import CycleSeparator, SharedArcs, add_precedence
from .linear_programme import TRIAL_ITERATIONS, Basis, Programme, Ranges, Solution, first_sets, most_violated

ROUND_GAIN = 5e-3
PATIENCE = 3
"""Share of the gap that a round of cuts must close, and the number of rounds in a row that may close less."""

SHARE_TOLERANCE = 1e-6
"""Shares up to this may be rounding errors of the linear solver."""

SEPARATORS: tuple[Separator, ...] = (
    *(ClusterSeparator(demand, steps=60, violation=0.02, noise=noise) for demand in DEMANDS for noise in (0.0, 0.1)),
    HalvedSumSeparator(SHARE_TOLERANCE, most_slack=0.2, violation=0.02, work=2_000_000),
)
"""Separators of a round of cuts; the work on sums is about a hundredth of a second."""

KNOWN_VIOLATION = 0.01
MOST_KNOWN, ENOUGH_KNOWN = 100, 20
"""Known cuts that are violated by this share join a programme, the most violated ones first; if fewer than
`ENOUGH_KNOWN` join, new cuts are separated.
"""

MOST_JOINING = 2000
USEFUL = 1e-7
"""Most sets that join the programme at once; least reduced cost (nats, negated) of a set that joins."""

MOST_TRIALS, LOOK_AHEAD = 12, 4
"""Most pairs tried in a branch, and pairs in a row without a better one that end the trials."""


class Outcome(NamedTuple):
    """The result of the work on a branch."""

    cost: float  # lower bound on the cost of its networks in nats
    sides: tuple[Branch, ...]  # its two branches; none if the branch is closed
    is_cut_short: bool  # the budget ended before it was closed or split
    shares: np.ndarray  # float64, shape (n_sets,): shares of the last solution
    tight: Sequence[Origin]  # cuts that are tight there


class BranchWork:
    """The work on one branch.

    Parameters
    ----------
    arcs : SharedArcs
        Arcs of the pool's sets.
    pool : CutPool
        Known cuts; a private copy, to which new cuts are added.
    gains : OrderGains
        Gains known so far; not changed.
    keep : BranchTree
        Keeps the multipliers of the branch for a proof.
    cost : float
        Cost of the best known network, in nats.
    rounding : float
        Rounding error of sums, in nats.
    n_before : int
        Evaluations of the budget done earlier.
    """

    def __init__(
        self,
        arcs: SharedArcs,
        pool: CutPool,
        gains: OrderGains,
        keep: BranchTree,
        budget: Budget,
        rng: np.random.Generator,
        *,
        cost: float,
        rounding: float,
        n_before: int,
    ):
        self.pool, self.n_known, self.cost = pool, len(pool), cost  # the first `n_known` cuts were known before
        # int64: the sets of a better network, whose cost is then `cost`; None if none was found.
        self.found: np.ndarray | None = None
        self.n_programmes = 0  # programmes solved
        self.noted: list[Gain] = []  # gains of the orders tried
        self.programme: Programme  # the programme of the branch
        self._arcs, self._gains, self._keep, self._budget, self._rng = arcs, gains, keep, budget, rng
        self._rounding, self._n_before = rounding, n_before
        self._is_empty = np.diff(pool.lists.parent_offsets) == 0

    def _limit(self) -> float:
        """Cost at which a branch is pruned."""
        return self.cost - self._rounding

    def is_spent(self) -> bool:
        """Whether the budget has ended."""
        return self._budget.is_spent(self._n_before + self.n_programmes)

    def begin(self, multipliers: np.ndarray) -> None:
        """Set up the first programme: all cuts, and the sets of least reduced cost by these multipliers."""
        nothing = np.zeros(len(self.pool.costs), dtype=np.bool_)
        _, excess = self.evaluate(nothing, multipliers)
        first = first_sets(self.pool.lists, excess, self._is_empty)
        self.programme = self._programme_of(first, nothing, np.arange(len(self.pool)))

    def run(self, branch: Branch, rounds: int, search: Callable[[], float] | None = None) -> Outcome:
        """Bound the branch, with at most `rounds` rounds of cuts, and split it if the bound does not close it.

        `search`, if given, is called after each round; it returns the cost of the best network known by then.
        """
        if branch.basis is not None:
            # A cut may have been dropped in the meantime.
            basis = branch.basis.at(self.pool.places(branch.tight))
            self.programme = self._started(basis, branch.excluded)
        cost, solution = self._cut(branch, branch.excluded, rounds, search)
        basis, tight = self._start(self.programme)
        branch = branch._replace(cost=cost, basis=basis, tight=tight)
        is_cut_short = self.is_spent() and cost < self._limit()
        sides = () if is_cut_short or cost >= self._limit() else self.split(branch, solution.shares)
        return Outcome(cost, sides, is_cut_short, solution.shares, tight)

    def _start(self, programme: Programme) -> tuple[Basis, list[Origin]]:
        """The basis of the programme's last solution, and the cuts that are tight in it."""
        basis = programme.basis()
        return basis, [self.pool.origins[c] for c in basis.rows.tolist()]

    def _programme_of(self, sets: np.ndarray, excluded: np.ndarray, cuts: np.ndarray) -> Programme:
        """A programme of some sets and cuts (int64)."""
        pool = self.pool
        programme = Programme(pool.costs, pool.child, Ranges.without(excluded), sets, self._budget)
        programme.add_rows(cuts, pool.cuts)
        return programme

    def _started(self, basis: Basis, excluded: np.ndarray) -> Programme:
        """A programme that starts from a basis, whose cuts are numbered as in the pool.

        It has the sets that are not excluded or are basic, and only the tight cuts; `add_cuts` treats all other cuts
        as new ones.
        """
        programme = self._programme_of(basis.without(excluded), excluded, basis.rows)
        programme.start(basis)
        return programme

    def solve(self, excluded: np.ndarray) -> tuple[Solution, float, np.ndarray]:
        """The solution over all sets that are not excluded, with its bound and reduced costs (`evaluate`).

        Column generation: sets join the programme until none has a negative reduced cost.
        """
        starts = self.pool.lists.set_offsets
        while True:
            solution = self.programme.solve(len(self.pool))
            self.n_programmes += 1
            found, excess = self.evaluate(excluded, solution.multipliers)
            present = np.full(len(excess), np.inf)
            present[self.programme.columns] = excess[self.programme.columns]
            least = np.minimum.reduceat(present, starts[:-1])
            # The least reduced cost among a variable's present sets is the dual price of its row.
            useful = excess < np.repeat(least, np.diff(starts)) - USEFUL
            useful[self.programme.columns] = False
            if not useful.any() or self.is_spent() or found >= self._limit():
                return solution, found, excess
            sets = np.flatnonzero(useful)
            best = np.argsort(excess[sets], kind="stable")[:MOST_JOINING]
            self.programme.add_columns(sets[best], self.pool.cuts)

    def evaluate(self, excluded: np.ndarray, multipliers: np.ndarray) -> tuple[float, np.ndarray]:
        """Lower bound on the cost by these multipliers, and each set's excess over the best of its child; nats."""
        lists, allowed = self.pool.lists, np.where(excluded, np.inf, self.pool.costs)
        # Negative multipliers are within the solver's tolerance. Few are positive, and only their cuts are read.
        cost, _, reduced, chosen = relaxed(lists, allowed, self.pool.cuts, np.maximum(multipliers, 0.0))
        return cost, reduced - np.repeat(reduced[chosen], np.diff(lists.set_offsets))

    def _cut(
        self, branch: Branch, excluded: np.ndarray, rounds: int, search: Callable[[], float] | None
    ) -> tuple[float, Solution]:
        """Solve and add cuts until they gain little; sets excluded by reduced cost are added to `excluded`."""
        idle, cost = 0, branch.cost
        while True:
            solution, found, excess = self.solve(excluded)
            remaining = self.cost - cost
            idle = 0 if found - cost >= ROUND_GAIN * remaining else idle + 1
            if found > cost:
                cost = found
                self._keep.keep_best(branch.node, self.pool.origins, solution.multipliers)
            self._note_network(solution)
            if search is not None:
                self.cost = min(self.cost, search())
            rounds -= 1
            if cost >= self._limit() or self.is_spent():
                break
            # A network with such a set costs at least `found` plus the excess of the set, more than the incumbent.
            before = np.count_nonzero(excluded)
            excluded |= excess > self.cost - found + 2.0 * self._rounding
            if np.count_nonzero(excluded) > before:
                self._keep.keep_exclusions(branch.node, self.pool.origins, solution.multipliers)
            rest = self._solve_rest(excluded)
            if rest > cost:
                cost, branch.node.is_solved = rest, True
            if cost >= self._limit():
                break
            # Empty sets stay, so that every programme has a solution.
            excluded &= ~self._is_empty
            self.programme.limit(Ranges.without(excluded))
            if rounds == 0 or idle >= PATIENCE or not self.add_cuts(solution.shares):
                break
        return cost, solution

    def _solve_rest(self, excluded: np.ndarray) -> float:
        """Cost of the residual problem, whose network is offered to the incumbent; 0 if it is too large."""
        starts = self.pool.lists.set_offsets
        if not np.logical_or.reduceat(~excluded, starts[:-1]).all():
            return 0.0
        solved = solve_residual(self.pool.lists, self.pool.costs, ~excluded)
        if solved is None:
            return 0.0
        cost, chosen = solved
        self._offer(chosen)
        return cost

    def _note_network(self, solution: Solution) -> None:
        """Offer the best network of the sets with a share, if their arcs close no cycle."""
        taken = solution.shares > SHARE_TOLERANCE
        if not self._arcs.on_cycles(taken):
            # The cheapest sets with a share cost no more than the mean over the shares, so no more than the solution.
            costs = np.where(taken, self.pool.costs, np.inf)
            starts = self.pool.lists.set_offsets
            self._offer(np.array([a + int(np.argmin(costs[a:b])) for a, b in itertools.pairwise(starts)]))

    def _offer(self, chosen: np.ndarray) -> None:
        """Keep a network if it is better."""
        # Added empty sets cost too much for any better network.
        cost = math.fsum(self.pool.costs[chosen].tolist())
        if cost < self.cost:
            self.cost, self.found = cost, chosen

    def add_cuts(self, shares: np.ndarray) -> int:
        """Add violated cuts to the programme: known ones and, if these are few, new ones; returns their number."""
        added = most_violated(self.pool.cuts, self.programme.rows, shares, KNOWN_VIOLATION)[:MOST_KNOWN]
        if len(added) < ENOUGH_KNOWN:
            first = len(self.pool)
            point = make_point(self.pool.lists, shares, SHARE_TOLERANCE)
            separators = (*SEPARATORS, CycleSeparator(self._arcs, 1.0 - SHARE_TOLERANCE))
            add_violated(separators, point, self.pool, self._rng, self._budget)
            added = np.concatenate((added, np.arange(first, len(self.pool))))
        self.programme.add_rows(added, self.pool.cuts)
        return len(added)

    def split(self, branch: Branch, shares: np.ndarray) -> tuple[Branch, ...]:
        """The two branches of the pair of variables that promises the largest product of gains.

        Trials pay where a proof ends (alarm, ternary: in two thirds of the time); on win95pts, where none does, a run
        without them leaves a smaller gap.
        """
        pairs = self._arcs.undecided_pairs(shares, SHARE_TOLERANCE, branch.after)
        if not pairs:
            # The sets with a share close no cycle: their best network, offered before, is the best of this branch.
            return ()
        sides: tuple[Branch, Branch] | None = None
        best_worth, chosen, idle, trials = -1.0, (0, 0), 0, 0
        for worth, pair in self._gains.ranked(pairs):
            if idle == LOOK_AHEAD or trials == MOST_TRIALS:
                break
            tried = None
            if not self._gains.is_reliable(pair):
                tried = self._try(branch, pair, pairs[pair])
                trials += 1
                worth = worth_of(*(min(side.cost, self._limit()) - branch.cost for side in tried))
            idle += 1
            if worth > best_worth:
                best_worth, chosen, sides, idle = worth, pair, tried, 0
            if self.is_spent() or (tried and max(side.cost for side in tried) >= self._limit()):
                break
        return sides or self._try(branch, chosen, pairs[chosen])

    def _try(self, branch: Branch, pair: tuple[int, int], shares: tuple[float, float]) -> tuple[Branch, Branch]:
        """The branches of both orders of a pair, whose gains are recorded; `shares` are of its two arcs."""
        there, back = pair, pair[::-1]
        sides = self._side(branch, *there), self._side(branch, *back)
        # An order forbids the arc against its direction.
        for order, side, forbidden in zip((there, back), sides, shares[::-1]):
            self.noted.append(Gain(order, forbidden, min(side.cost, self._limit()) - branch.cost))
        return sides

    def _side(self, branch: Branch, first: int, second: int) -> Branch:
        """The branch in which `first` precedes `second`, with a bound from a few simplex iterations."""
        after, new_pairs = add_precedence(branch.after, first, second)
        excluded = branch.excluded.copy()
        for earlier, later in new_pairs:
            excluded[self._arcs.sets_with(later, earlier)] = True
        assert branch.basis is not None
        programme = self._started(branch.basis, excluded)
        solution = programme.solve(len(self.pool), TRIAL_ITERATIONS)
        self.n_programmes += 1
        cost, _ = self.evaluate(excluded, solution.multipliers)
        node = TreeNode(branch.node, (first, second))
        if cost > branch.cost:
            self._keep.keep_best(node, self.pool.origins, solution.multipliers)
        return Branch(max(branch.cost, cost), excluded, after, node, *self._start(programme))
