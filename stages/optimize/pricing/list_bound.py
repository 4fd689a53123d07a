"""The upper bound of pricing: a little work on the lists now and then, to show a gap, and most on the final ones.

Under a treewidth bound only the final lists get work: an upper bound for any width says little about networks within
it, and the first seconds of work on one would be most of a short run.

The work depends on that of search and growth alone, never on the clock, so that other load on the machine does not
change the gap after a given amount of search. Under a time limit the search leaves as much time as the bound's
share takes at the pace of the last look, and the bound on the final lists works until time is up.

(Work on earlier lists as the start on longer ones, with its cuts and multipliers, was tried: new sets make its bound
so much worse that a new start is better after a tenth of the time.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stages.kernels.orders.set_lists import GAIN_TOLERANCE, SetLists
from stages.lists.set_lists import all_sets
from stages.runtime.budgets import Budget
from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import FIRST_WORK, WorkShare
from ..bounds.lagrangian import BoundSearch
from ..bounds.proof_steps import TreeNode
from ..result import SearchResult, total_score
from .run import PricingEngine, PricingRun

NOMINAL_PACE, SLOWEST_PACE = 5e8, 3e8
"""Sets that the bound looks at in a second: mostly, and at least."""

ORDER_COST, SCORING_COST = 4.0, 1.0
"""Time of a set that the search over orders tests, and of a unit of the scorer's work with all that growth does
beside it, in sets that the bound looks at; measured.
"""

WIDE_SHARE = 0.35
"""Work on the bound per unit of work of the search: a quarter of the time. Where lists are dense and time is short,
dual ascent takes most of it.
"""

BOUNDED_SHARE = 0.2
"""Work on the bound per unit of work of growth under a treewidth bound; its searches are not counted."""

LOOK_SHARE = 0.02
"""Work on the bound of lists that still grow, per unit of work of the search so far."""

SETTLED = 3e-3
"""A network has settled once as much work again has gained no more than this share of its score."""

GRACE_WORK = 1e8
"""Work on the bound on the final lists after an interruption: some tenths of a second."""

IDLE_SHARE = 1.0
"""Additional work on the bound per unit of work of the search once the network has settled: half of the time."""


def search_work(run: PricingRun) -> float:
    """Work of search and growth so far, in sets that the bound would look at in the same nominal time."""
    return ORDER_COST * run.work.walked + SCORING_COST * run.scorer.work


class ListBound:
    """The bound on the growing lists of a run, and on the final ones.

    Networks that it finds become the engine's, if they are better.

    Attributes
    ----------
    nodes : sequence of TreeNode
        What a proof of the last bound needs, if the run's options keep it.
    """

    def __init__(self, run: PricingRun, engine: PricingEngine):
        self._run, self._engine = run, engine
        # Under a treewidth bound networks seldom come near to this bound, which holds for any width.
        is_wide = run.options.treewidth is None
        self._share = WorkShare(IDLE_SHARE, SETTLED, WIDE_SHARE) if is_wide else WorkShare(share=BOUNDED_SHARE)
        self._pace = NOMINAL_PACE
        self.nodes: Sequence[TreeNode] = ()
        # Work that may go on after an interruption: the lists, whose arrays a change replaces, and the search.
        self._kept: tuple[SetLists, BoundSearch] | None = None

    def reserve(self) -> float:
        """Seconds that the work on the final lists will take, at the pace of the last look."""
        # Short looks are slow: much of their time is spent before the first step.
        return self._final_work / max(self._pace, SLOWEST_PACE)

    def look(self) -> None:
        """Work a little on the present lists, to show a gap; not under a treewidth bound."""
        if self._run.options.treewidth is None:
            self._improve("the best of", FIRST_WORK + LOOK_SHARE * search_work(self._run))

    def keep_up(self, least_work: float) -> None:
        """Work on the present lists as much as on final ones, and at least `least_work`."""
        self._kept = self._begin()
        self._improve("the best of", max(least_work, self._final_work), self._kept)

    def finish(self, least_work: float = 0.0) -> float:
        """The bound on all networks from the final lists in nats, after at least `least_work`.

        If time is the only limit, the work goes on until time is up, except under a treewidth bound. After an
        interruption it is `GRACE_WORK`, with that on the same lists before.
        """
        if self._run.budget.interrupted:
            return self._improve("the best of the final", GRACE_WORK, self._kept, Budget())
        budget, work = self._run.budget, max(least_work, self._final_work)
        if budget.seconds is not None and budget.evaluations is None and self._run.options.treewidth is None:
            work = np.inf
        return self._improve("the best of the final", work)

    @property
    def _final_work(self) -> float:
        return self._share.of(search_work(self._run), self._engine.best.score)

    def _begin(self) -> tuple[SetLists, BoundSearch]:
        """The present lists, and the search for a bound on them before its first step."""
        lists = self._run.lists.pack()
        return lists, BoundSearch(lists, task_generator(self._run.options.seed, 0, 1))

    def _improve(
        self,
        relation: str,
        work: float,
        begun: tuple[SetLists, BoundSearch] | None = None,
        budget: Budget | None = None,
    ) -> float:
        """Work on the bound until `work` in all is done or the budget, by default that of the run, is spent.

        It goes on with what was `begun`, if that was on the present lists.
        """
        run, engine, started = self._run, self._engine, self._run.budget.elapsed()
        budget = budget or run.budget
        if begun is None or begun[0].scores is not run.lists.scores:
            begun = self._begin()
        lists, search = begun
        while search.work < work and not search.is_closed and not budget.is_spent():
            search.improve(budget, min(work, search.work + FIRST_WORK), engine.best.score)
            self._take_found(lists, search.found)
            run.gap = {f"gap to {relation} {len(lists.scores):,} sets": search.gap}
            run.report(engine.best.score)
        seconds = run.budget.elapsed() - started
        if seconds > 0.0 and search.work > 0:
            self._pace = search.work / seconds
        if run.options.keeps_proof:
            self.nodes = [search.root_node()]
        return search.value

    def _take_found(self, lists: SetLists, found: np.ndarray | None) -> None:
        """Adopt the network that work on the bound has found; under a treewidth bound it may be too wide."""
        if found is None or self._run.options.treewidth is not None:
            return
        score = total_score(lists.scores, found)
        if score > self._engine.best.score + GAIN_TOLERANCE:
            parents = tuple(all_sets(lists).take(found))
            self._engine.adopt(SearchResult(parents, lists.scores[found], score))
