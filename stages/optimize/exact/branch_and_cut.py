"""Branch and cut over cluster cuts and zero-half cuts (after Bartlett and Cussens 2017): closes the gap of a bound.

A branch is a partial order. It branches on two variables that are parents of each other in a fractional choice: the
first precedes the second in one branch and follows it in the other. Both exclude sets, as does the transitive
closure. In every branch the linear programme is solved, violated cuts are added, and sets are excluded by reduced
cost. The branch with the best bound is next; a local search improves the incumbent, one phase per solution.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from stages.kernels.bounds.dual_ascent import Columns
from stages.kernels.bounds.lagrangian import cuts_by_set, relax
from stages.runtime.budgets import Budget

from ..bounds.cluster_cuts import DEMANDS, ClusterSeparator
from ..bounds.cut_pool import CutPool, keep_columns
from ..bounds.lagrangian import BoundSearch
from ..bounds.proof_steps import TreeNode
from ..bounds.proofs import root_node
from ..bounds.residual import solve_residual
from ..bounds.rounding import rounded_down
from ..bounds.separators import Separator, add_violated, make_point
from ..bounds.zero_half_cuts import HalvedSumSeparator
from .branching import OrderGains, worth_of
from .fractional import NO_PARENTS_LOST, CycleSeparator, SharedArcs, add_precedence, order_by_shares, with_empty_sets
from .incumbent import Incumbent, is_time_to_search
from .linear_programme import BASIC, Basis, CutProgramme, Solution, first_sets, some_cuts
from .tree import Branch, BranchTree

ROOT_ROUNDS, BRANCH_ROUNDS = 200, 4
"""Largest number of rounds of cuts."""

ROUND_GAIN = 5e-3
PATIENCE = 3
"""Share of the gap that a round of cuts must close, and the number of rounds in a row that may close less."""

SHARE_TOLERANCE = 1e-6
"""Shares up to this are rounding of the linear solver."""

SEPARATORS: tuple[Separator, ...] = (
    *(ClusterSeparator(demand, steps=60, violation=0.02, noise=noise) for demand in DEMANDS for noise in (0.0, 0.1)),
    HalvedSumSeparator(SHARE_TOLERANCE, most_slack=0.2, violation=0.02, work=2_000_000),
)
"""Separators of a round of cuts; the work on sums is about a hundredth of a second."""

MOST_JOINING = 2000
USEFUL = 1e-7
"""Most sets that join the programme at once; least reduced cost (nats, negated) of a set that joins."""

MOST_TRIALS, LOOK_AHEAD = 12, 4
TRIAL_ITERATIONS = 60
"""Pairs tried in a branch, pairs in a row without a better one after which no more are, and iterations per trial."""

KNOWN_VIOLATION = 0.01
MOST_KNOWN, ENOUGH_KNOWN = 100, 20
"""Known cuts that are violated by this share join a programme, the most violated ones first; where fewer than
`ENOUGH_KNOWN` are, new ones are separated.
"""

UNUSED = 500
MORE_CUTS = 1000
"""Cuts unused in `UNUSED` solutions are dropped once there are `MORE_CUTS` more cuts than after the root."""


class BranchAndCut:
    """The search for a proof; its bound is valid at any time.

    Parameters
    ----------
    search : BoundSearch
        Warm start: its cuts and kept sets. It must not be improved any further.
    incumbent : Incumbent
        The best network known; it is improved.
    report : callable
        Called after every branch.

    Attributes
    ----------
    n_branches, n_programmes : int
    tree : BranchTree
    """

    def __init__(
        self,
        search: BoundSearch,
        incumbent: Incumbent,
        budget: Budget,
        report: Callable[[], None],
        keeps_nodes: bool = False,
    ):
        self.incumbent = incumbent
        self.budget = budget
        self.rng = search.rng
        self.n_branches = self.n_programmes = 0
        self._report = report
        self._ideal = search.ideal
        self._rounding = search.rounding
        self.tree = BranchTree(root_node(search), self._ideal - search.value, keeps_nodes)
        kept = search.multipliers > 0.0
        search.pool.keep_cuts(kept)
        columns, self._source = with_empty_sets(search.pool.columns, search.kept, self._cost() + 1.0)
        self._pool = CutPool(columns)
        self._pool.add(search.pool.origins)
        self._numbers, self._n_numbers = np.arange(len(self._pool)), len(self._pool)
        self._last_use = np.zeros(len(self._pool), dtype=np.int64)
        self._most_cuts = len(self._pool) + MORE_CUTS
        self._gains = OrderGains(len(columns.set_offsets) - 1)
        self._set_columns(columns)
        nothing = np.zeros(len(columns.costs), dtype=np.bool_)
        _, excess = self._evaluate(nothing, search.multipliers[kept])
        self._programme = CutProgramme(columns, first_sets(columns.set_offsets, excess, self._is_empty), nothing)
        self._programme.add_cuts(self._pool.cuts, np.arange(len(self._pool)))

    def _set_columns(self, columns: Columns) -> None:
        self._columns = columns
        self._arcs = SharedArcs(columns)
        self._is_empty = np.diff(columns.parent_offsets) == 0

    @property
    def value(self) -> float:
        """Upper bound in nats on the score of every network; at least the incumbent's score."""
        return max(self.incumbent.score, self._ideal - max(0.0, self.tree.cost))

    @property
    def is_closed(self) -> bool:
        """Whether the incumbent is proved optimal."""
        return self.value - self.incumbent.score <= self._rounding

    def run(self) -> None:
        """Branch until optimality is proved or the budget is spent."""
        n = len(self._columns.set_offsets) - 1
        nothing = np.zeros(len(self._columns.costs), dtype=np.bool_)
        self.tree.push(Branch(self.tree.present, nothing, (0,) * n, self.tree.nodes[0]))
        while self.tree and not self.is_closed and not self._is_spent():
            self._work_on(self.tree.pop())
            # A branch that the budget interrupts stays open: its bound still counts.
            self.tree.present = self.tree.present if self._is_spent() else math.inf
            self._report()

    def _is_spent(self) -> bool:
        return self.budget.is_spent(self.incumbent.orders + self.n_programmes)

    def _cost(self) -> float:
        """Cost of the incumbent."""
        return self._ideal - self.incumbent.score

    def _limit(self) -> float:
        """Cost at which a branch is pruned."""
        return self._cost() - self._rounding

    def _work_on(self, branch: Branch) -> None:
        self.n_branches += 1
        is_root = branch.basis is None
        excluded = branch.excluded
        if not is_root:
            self.incumbent.search(self.budget)
        cost, solution = self._cut(branch, excluded, ROOT_ROUNDS if is_root else BRANCH_ROUNDS)
        self.tree.present = cost
        if self._is_spent():
            return
        if cost < self._limit() and is_time_to_search(self.n_branches):
            support = make_point(self._columns, solution.shares, SHARE_TOLERANCE).support
            self.incumbent.improve(self.budget, order_by_shares(support, self.rng))
        if cost >= self._limit():
            self.tree.close(cost)
            return
        shares, basis = solution.shares, self._basis(self._programme)
        if is_root:
            shares, basis = shares[~excluded], self._leave_out(excluded, basis)
            excluded = np.zeros(len(shares), dtype=np.bool_)
        self._drop_cuts()
        self._split(branch._replace(cost=cost, excluded=excluded, basis=basis), shares)

    def _programme_of(self, basis: Basis, excluded: np.ndarray) -> CutProgramme:
        """A programme that starts from the basis of the branch above.

        It has the sets that are not excluded or that are basic there, and only those cuts that are tight there: all
        others are checked by `_add_cuts` as if they were new.
        """
        sets = basis.sets[~excluded[basis.sets] | (basis.of_sets == BASIC)]
        places = np.minimum(np.searchsorted(self._numbers, basis.cuts), len(self._numbers) - 1)
        present = self._numbers[places] == basis.cuts
        basis = basis._replace(cuts=places[present], of_cuts=basis.of_cuts[present])
        programme = CutProgramme(self._columns, sets, excluded)
        programme.add_cuts(self._pool.cuts, basis.cuts)
        programme.start(basis)
        return programme

    def _basis(self, programme: CutProgramme) -> Basis:
        """The basis of its last solution, with numbers of cuts that hold when others are dropped."""
        basis = programme.basis()
        return basis._replace(cuts=self._numbers[basis.cuts])

    def _solve(self, excluded: np.ndarray) -> tuple[Solution, float, np.ndarray]:
        """The solution over all sets that are not excluded, with its bound and reduced costs (`_evaluate`).

        Column generation: sets join the programme until none has a negative reduced cost.
        """
        starts = self._columns.set_offsets
        while True:
            solution = self._programme.solve(self.budget, len(self._pool))
            self.n_programmes += 1
            found, excess = self._evaluate(excluded, solution.multipliers)
            present = np.full(len(excess), np.inf)
            present[self._programme.sets] = excess[self._programme.sets]
            least = np.minimum.reduceat(present, starts[:-1])
            # The least reduced cost among a variable's present sets is the dual price of its shares' sum.
            useful = excess < np.repeat(least, np.diff(starts)) - USEFUL
            useful[self._programme.sets] = False
            if not useful.any() or self._is_spent() or found >= self._limit():
                return solution, found, excess
            sets = np.flatnonzero(useful)
            best = np.argsort(excess[sets], kind="stable")[:MOST_JOINING]
            self._programme.add_sets(sets[best], self._pool.cuts)

    def _evaluate(self, excluded: np.ndarray, multipliers: np.ndarray) -> tuple[float, np.ndarray]:
        """Lower bound of these multipliers, and the excess of each set over the best one of its child."""
        columns = self._columns
        allowed = columns._replace(costs=np.where(excluded, np.inf, columns.costs))
        reduced = np.empty(len(excluded))
        chosen = np.empty(len(columns.set_offsets) - 1, dtype=np.int64)
        used = np.flatnonzero(multipliers)
        cuts = cuts_by_set(some_cuts(self._pool.cuts, used), len(reduced))
        relax(allowed, cuts, multipliers[used], reduced, chosen)
        cost = rounded_down(columns, cuts, multipliers[used], reduced)
        return cost, reduced - np.repeat(reduced[chosen], np.diff(columns.set_offsets))

    def _cut(self, branch: Branch, excluded: np.ndarray, rounds: int) -> tuple[float, Solution]:
        """Solve and add cuts until they gain little; sets excluded by reduced cost are added to `excluded`."""
        idle, cost = 0, branch.cost
        if branch.basis is not None:
            self._programme = self._programme_of(branch.basis, excluded)
        while True:
            solution, found, excess = self._solve(excluded)
            self._last_use[solution.multipliers > 0.0] = self.n_programmes
            remaining = self._cost() - cost
            idle = 0 if found - cost >= ROUND_GAIN * remaining else idle + 1
            if found > cost:
                cost = found
                self.tree.keep_best(branch.node, self._pool.origins, solution.multipliers)
            self._note_network(solution)
            if branch.basis is None:
                self.incumbent.search(self.budget)
            rounds -= 1
            if cost >= self._limit() or self._is_spent():
                break
            # A network with this set costs at least `found` and its excess, more than the incumbent.
            before = np.count_nonzero(excluded)
            excluded |= excess > self._cost() - found + 2.0 * self._rounding
            if np.count_nonzero(excluded) > before:
                self.tree.keep_exclusions(branch.node, self._pool.origins, solution.multipliers)
            rest = self._solve_rest(excluded)
            if rest > cost:
                cost, branch.node.is_solved = rest, True
            if cost >= self._limit():
                break
            # Empty sets stay, so that every programme has a solution.
            excluded &= ~self._is_empty
            self._programme.exclude(excluded)
            if rounds == 0 or idle >= PATIENCE or not self._add_cuts(solution.shares):
                break
        return cost, solution

    def _solve_rest(self, excluded: np.ndarray) -> float:
        """Cost of the residual problem, whose network is offered to the incumbent; 0 if it is too large."""
        starts = self._columns.set_offsets
        if not np.logical_or.reduceat(~excluded, starts[:-1]).all():
            return 0.0
        solved = solve_residual(self._columns, ~excluded)
        if solved is None:
            return 0.0
        cost, chosen = solved
        if self._source[chosen].min() != NO_PARENTS_LOST:
            self.incumbent.offer(self._source[chosen])
        return cost

    def _note_network(self, solution: Solution) -> None:
        """Offer the best network of the sets with a share, if their arcs close no cycle."""
        taken = solution.shares > SHARE_TOLERANCE
        if not self._arcs.on_cycles(taken):
            # The cheapest sets with a share cost no more than the mean of all: no more than the solution.
            costs = np.where(taken, self._columns.costs, np.inf)
            starts = self._columns.set_offsets
            chosen = np.array([a + int(np.argmin(costs[a:b])) for a, b in itertools.pairwise(starts)])
            if self._source[chosen].min() != NO_PARENTS_LOST:
                self.incumbent.offer(self._source[chosen])

    def _add_cuts(self, shares: np.ndarray) -> int:
        """Add violated cuts to the programme: known ones and, where these are few, new ones; returns their number."""
        added = self._known_violated(shares)
        if len(added) < ENOUGH_KNOWN:
            first = len(self._pool)
            point = make_point(self._columns, shares, SHARE_TOLERANCE)
            separators = (*SEPARATORS, CycleSeparator(self._arcs, 1.0 - SHARE_TOLERANCE))
            add_violated(separators, point, self._pool, self.rng, self.budget)
            new = np.arange(first, len(self._pool))
            self._numbers = np.append(self._numbers, new - first + self._n_numbers)
            self._n_numbers += len(new)
            self._last_use = np.append(self._last_use, np.full(len(new), self.n_programmes))
            added = np.concatenate((added, new))
        self._programme.add_cuts(self._pool.cuts, added)
        return len(added)

    def _known_violated(self, shares: np.ndarray) -> np.ndarray:
        """The cuts of the pool that these shares violate most and that the programme lacks."""
        cuts = self._pool.cuts
        if not len(self._pool):
            return np.empty(0, dtype=np.int64)
        counted = np.concatenate(([0.0], np.cumsum(shares[cuts.sets] * cuts.weights)))
        lacks = cuts.demands - np.diff(counted[cuts.offsets])
        lacks[self._programme.cuts] = 0.0
        most = np.argsort(-lacks, kind="stable")[:MOST_KNOWN]
        return np.sort(most[lacks[most] > KNOWN_VIOLATION])

    def _drop_cuts(self) -> None:
        """Drop cuts unused in the last solutions when there are many."""
        if len(self._pool) > self._most_cuts:
            kept = self._last_use > self.n_programmes - UNUSED
            self._pool.keep_cuts(kept)
            self._last_use, self._numbers = self._last_use[kept], self._numbers[kept]

    def _leave_out(self, excluded: np.ndarray, basis: Basis) -> Basis:
        """Continue with the sets that the root has not excluded; returns its basis over these."""
        kept = ~excluded
        self._source = self._source[kept]
        columns = keep_columns(self._columns, kept)
        self._pool.keep_columns(columns, kept)
        self._set_columns(columns)
        stays = kept[basis.sets]
        index = np.cumsum(kept) - 1
        self._most_cuts = len(self._pool) + MORE_CUTS
        return basis._replace(sets=index[basis.sets[stays]], of_sets=basis.of_sets[stays])

    def _split(self, branch: Branch, shares: np.ndarray) -> None:
        """Open the two branches of the pair of variables that promises the largest product of gains."""
        pairs = self._arcs.undecided_pairs(shares, SHARE_TOLERANCE, branch.after)
        if not pairs:
            # The sets with a share close no cycle: their best network, offered before, is the best of this branch.
            self.tree.close(branch.cost)
            return
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
            if self._is_spent() or (tried and max(side.cost for side in tried) >= self._limit()):
                break
        for side in sides or self._try(branch, chosen, pairs[chosen]):
            self.tree.add(side, self._limit())

    def _try(self, branch: Branch, pair: tuple[int, int], shares: tuple[float, float]) -> tuple[Branch, Branch]:
        """The branches of both orders of a pair, whose gains are remembered; `shares` are those of its arcs."""
        there, back = pair, pair[::-1]
        sides = self._side(branch, *there), self._side(branch, *back)
        # An order forbids the arc against it.
        for order, side, forbidden in zip((there, back), sides, shares[::-1]):
            self._gains.note(order, forbidden, min(side.cost, self._limit()) - branch.cost)
        return sides

    def _side(self, branch: Branch, first: int, second: int) -> Branch:
        """The branch in which `first` precedes `second`, with a bound from a few simplex iterations."""
        after, new_pairs = add_precedence(branch.after, first, second)
        excluded = branch.excluded.copy()
        for earlier, later in new_pairs:
            excluded[self._arcs.sets_with(later, earlier)] = True
        assert branch.basis is not None
        programme = self._programme_of(branch.basis, excluded)
        solution = programme.solve(self.budget, len(self._pool), TRIAL_ITERATIONS)
        self.n_programmes += 1
        cost, _ = self._evaluate(excluded, solution.multipliers)
        node = TreeNode(branch.node, (first, second))
        if cost > branch.cost:
            self.tree.keep_best(node, self._pool.origins, solution.multipliers)
        return Branch(max(branch.cost, cost), excluded, after, node, self._basis(programme))
