"""Branch and cut over cluster cuts and zero-half cuts (after Bartlett and Cussens 2017): closes the gap of a bound.

A branch is a partial order. Branching is on two variables that are parents of each other in a fractional choice: the
first precedes the second in one branch and follows it in the other. Both branches exclude sets, and so does the
transitive closure. In every branch the linear programme is solved, violated cuts are added, and sets are excluded by
reduced cost (`node`). The branches with the best bounds are next, two at a time; a local search improves the
incumbent.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stages.runtime.budgets import Budget
from stages.runtime.workers import ordered_map

from ..bounds.cut_pool import CutPool
from ..bounds.lagrangian import BoundSearch
from ..bounds.separators import make_point
from .branch_tree import Branch, BranchTree
from .branching import OrderGains
from .fractional import SharedArcs, order_by_shares, with_empty_sets
from .incumbent import Incumbent, is_time_to_search
from .node import SHARE_TOLERANCE, BranchWork, Outcome

ROOT_ROUNDS, BRANCH_ROUNDS = 200, 4
"""Largest number of rounds of cuts."""

TOGETHER, LEAST_OPEN = 2, 6
"""Number of branches worked on at once, when at least `LEAST_OPEN` are open, whatever the number of jobs. Branches of
one batch do not see each other's new cuts; larger batches took longer.
"""

UNUSED = 100
MORE_CUTS = 1000
"""Cuts that were tight in none of the last `UNUSED` branches are dropped once there are `MORE_CUTS` more cuts than
after the root.
"""


class BranchAndCut:
    """The search for a proof; its bound is valid at any time.

    The cuts and kept sets of `search` are the warm start; it must not be improved any further. `incumbent`, the best
    network known, is improved. `report` is called after every branch. `jobs` threads work on branches at once; their
    number changes no result.
    """

    def __init__(
        self,
        search: BoundSearch,
        incumbent: Incumbent,
        budget: Budget,
        report: Callable[[], None],
        keeps_nodes: bool = False,
        jobs: int = 1,
    ):
        self.incumbent, self.budget, self.rng, self.jobs = incumbent, budget, search.rng, jobs
        self.n_branches = self.n_programmes = 0
        self._report = report
        self._ideal, self._rounding = search.ideal, search.rounding
        self.tree = BranchTree(search.root_node(), keeps_nodes)
        kept = search.multipliers > 0.0
        search.pool.keep_cuts(kept)
        self._multipliers = search.multipliers[kept]
        lists, costs, self._source = with_empty_sets(
            search.pool.lists, search.pool.costs, search.kept, self._cost() + 1.0
        )
        self.pool = CutPool(lists, costs)
        self.pool.add(search.pool.origins)
        self._last_use = np.zeros(len(self.pool), dtype=np.int64)
        self._gains = OrderGains(len(lists.set_offsets) - 1)
        self._arcs = SharedArcs(lists)
        nothing, free = np.zeros(len(costs), dtype=np.bool_), (0,) * (len(lists.set_offsets) - 1)
        self.tree.push(Branch(self._ideal - search.value, nothing, free, self.tree.nodes[0]))

    @property
    def value(self) -> float:
        """Upper bound in nats on the score of every network; at least the incumbent's score."""
        return max(self.incumbent.score, self._ideal - max(0.0, self.tree.cost))

    @property
    def is_closed(self) -> bool:
        """Whether the incumbent is proved optimal."""
        return self.value - self.incumbent.score <= self._rounding

    def run(self) -> None:
        """Branch until optimality is proved or the budget ends."""
        self._work_on_root()
        self._report()
        self._most_cuts = len(self.pool) + MORE_CUTS
        while self.tree and not self.is_closed and not self._is_spent():
            count = TOGETHER if len(self.tree) >= LEAST_OPEN else 1
            works = [(self._work(), self.tree.pop()) for _ in range(count)]
            outcomes = list(ordered_map(_work_off, works, min(self.jobs, count)))
            for (work, branch), outcome in zip(works, outcomes):
                self._merge(branch, work, outcome)
            self._drop_cuts()
            self._report()

    def _is_spent(self) -> bool:
        return self.budget.is_spent(self._evaluations)

    @property
    def _evaluations(self) -> int:
        return self.incumbent.orders + self.n_programmes

    def _cost(self) -> float:
        """Cost of the incumbent."""
        return self._ideal - self.incumbent.score

    def _work(self) -> BranchWork:
        """Prepare the work on a branch from the present cuts and sets."""
        return BranchWork(
            self._arcs,
            self.pool.copied(),
            self._gains,
            self.tree,
            self.budget,
            self.rng.spawn(1)[0],
            cost=self._cost(),
            rounding=self._rounding,
            n_before=self._evaluations,
        )

    def _work_on_root(self) -> None:
        """Work on the root: many rounds of cuts with local search; afterwards drop the sets that it has excluded."""

        def search() -> float:
            self.incumbent.search(self.budget)
            return self._cost()

        root, work = self.tree.pop(), self._work()
        work.begin(self._multipliers)
        outcome = work.run(root, ROOT_ROUNDS, search)
        kept = ~root.excluded
        sides = tuple(side.over(kept) for side in outcome.sides)
        self._merge(root, work, outcome._replace(sides=sides))
        if sides:
            self.pool.keep_sets(kept)
            self._source = self._source[kept]
            self._arcs = SharedArcs(self.pool.lists)

    def _merge(self, branch: Branch, work: BranchWork, outcome: Outcome) -> None:
        """Merge the results of a branch: its cuts and gains into the common ones, its sides into the tree."""
        self.n_branches += 1
        self.n_programmes += work.n_programmes
        for gain in work.noted:
            self._gains.note(gain)
        if work.found is not None:
            self.incumbent.offer(self._source[work.found])
        self._keep_cuts_of(work, outcome)
        if outcome.is_cut_short:
            self.tree.push(branch._replace(cost=outcome.cost))
        elif not outcome.sides:
            self.tree.close(outcome.cost)
        for side in outcome.sides:
            self.tree.add(side, self._cost() - self._rounding)
        if self._is_spent():
            return
        if outcome.sides and is_time_to_search(self.n_branches):
            support = make_point(self.pool.lists, outcome.shares, SHARE_TOLERANCE).support
            self.incumbent.improve(self.budget, order_by_shares(support, self.rng))

    def _keep_cuts_of(self, work: BranchWork, outcome: Outcome) -> None:
        """Take over the cuts found in a branch, and record which cuts it used."""
        first = len(self.pool)
        self.pool.add(work.pool.origins[work.n_known :])
        self._last_use = np.append(self._last_use, np.full(len(self.pool) - first, self.n_branches))
        places = self.pool.places(outcome.tight)
        self._last_use[places] = self.n_branches

    def _drop_cuts(self) -> None:
        """Drop cuts unused in the last branches when there are many."""
        if len(self.pool) > self._most_cuts:
            kept = self._last_use > self.n_branches - UNUSED
            self.pool.keep_cuts(kept)
            self._last_use = self._last_use[kept]


def _work_off(task: tuple[BranchWork, Branch]) -> Outcome:
    work, branch = task
    return work.run(branch, BRANCH_ROUNDS)
