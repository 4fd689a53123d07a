"""The upper bound of pricing: a little work on the present lists at intervals, to show a gap, and most work on the
final ones.

Under a treewidth bound only the final lists get work: in its first seconds the bound holds for any width and says
little about networks within the treewidth, and they would take most of a short run.

The amount of work depends only on the work of search and growth, never on the clock. So load on the machine does not
change the gap after a given amount of search. Under a time limit the search reserves the time of the bound's share,
at the pace of the last look, and under a treewidth bound a least share of the time; the bound on the final lists then
works until time is up.

(Tried: continuing work on earlier lists, with its cuts and multipliers, on longer ones. New sets worsen its bound so
much that a new start is better after a tenth of the time.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from formats.bounds import Bound
from stages.kernels.orders.set_lists import GAIN_TOLERANCE, SetLists
from stages.lists.set_lists import all_sets
from stages.runtime.budgets import Budget
from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import FIRST_WORK, SETTLED, WorkShare
from ..bounds.claims import claim_of_grown_lists, claim_of_scores
from ..bounds.proof_steps import TreeNode
from ..bounds.width.width_search import WidthSearch
from ..result import SearchResult, total_score
from .run import PricingEngine, PricingRun

NOMINAL_PACE, SLOWEST_PACE = 5e8, 3e8
"""Sets that the bound looks at per second: usual pace, and least pace."""

ORDER_COST, SCORING_COST = 4.0, 1.0
"""Cost, in sets that the bound looks at: of a set that the search over orders tests; of a unit of the scorer's work,
including all other work of growth; measured.
"""

WIDE_SHARE = 0.35
"""Work on the bound per unit of work of the search: a quarter of the time. On dense lists in short runs, dual ascent
takes most of it.
"""

BOUNDED_SHARE = 0.3
"""Work on the bound per unit of work of growth under a treewidth bound; work of the searches of k-trees is not
counted. Under a time limit it gets some .6 of that: time is reserved at the usual pace, and steps of this bound are
slower. (Tried: the least pace. Gaps fall by a tenth to a third in 60 s; scores of 10 s may fall, too.)
"""

BOUNDED_TIME = 0.05
"""Least share of the time so far that is reserved under a treewidth bound. On 2,000 columns of 500 rows the work of
growth alone would make it 1 to 3 %, and gaps 4,000 to 33,000 nats.
"""

LOOK_SHARE = 0.02
"""Work on the bound of lists that still grow, per unit of work of the search so far."""

GRACE_WORK = 1e8
"""Work on the bound on the final lists after an interruption: some tenths of a second."""

IDLE_SHARE = 1.0
"""Additional work on the bound per unit of work of the search once the network has settled: half of the time."""


def search_work(run: PricingRun) -> float:
    """Work of search and growth so far, as the number of sets that the bound looks at in the same nominal time."""
    return ORDER_COST * run.work.walked + SCORING_COST * run.scorer.work


class ListBound:
    """The bound on the growing lists of a run, and on the final ones.

    Better networks that it finds become the incumbent of the engine.

    Attributes
    ----------
    nodes : sequence of TreeNode
        Nodes for a proof of the last bound, if the run's options keep them.
    """

    def __init__(self, run: PricingRun, engine: PricingEngine):
        self._run, self._engine = run, engine
        # Under a treewidth bound the gap seldom closes, however long the work.
        is_wide = run.options.treewidth is None
        self._share = WorkShare(IDLE_SHARE, SETTLED, WIDE_SHARE) if is_wide else WorkShare(share=BOUNDED_SHARE)
        self._pace = NOMINAL_PACE
        self.nodes: Sequence[TreeNode] = ()
        # Work that may continue after an interruption: the lists (a change replaces their arrays) and the search.
        self._kept: tuple[SetLists, WidthSearch] | None = None

    def reserve(self) -> float:
        """Seconds for the work on the final lists, at the pace of the last look; see also `BOUNDED_TIME`."""
        # Short looks are slow: much of their time passes before the first step.
        seconds = self._final_work / max(self._pace, SLOWEST_PACE)
        if self._run.options.treewidth is None:
            return seconds
        return max(seconds, BOUNDED_TIME * self._run.budget.elapsed())

    def look(self) -> None:
        """Work a little on the present lists to show a gap; not under a treewidth bound."""
        if self._run.options.treewidth is None:
            self._improve("the best of", FIRST_WORK + LOOK_SHARE * search_work(self._run))

    def keep_up(self, least_work: float) -> None:
        """Do as much work on the present lists as on final ones, and at least `least_work`."""
        self._kept = self._begin()
        self._improve("the best of", max(least_work, self._final_work), self._kept)

    def finish(self, least_work: float = 0.0) -> Bound:
        """The bound on all networks from the final lists, before rounding, after at least `least_work`.

        If time is the only limit, work until time is up. After an interruption the work is `GRACE_WORK`, including
        earlier work on the same lists.
        """
        if self._run.budget.interrupted:
            return self._improve("the best of the final", GRACE_WORK, self._kept, Budget())
        budget, work = self._run.budget, max(least_work, self._final_work)
        if budget.seconds is not None and budget.evaluations is None:
            work = np.inf
        return self._improve("the best of the final", work)

    @property
    def _final_work(self) -> float:
        return self._share.of(search_work(self._run), self._engine.best.score)

    def _begin(self) -> tuple[SetLists, WidthSearch]:
        """The present lists, and the search for a bound on them before its first step."""
        lists = self._run.lists.latest()
        options = self._run.options
        width = None if options.keeps_proof else options.treewidth
        return lists, WidthSearch(lists, task_generator(options.seed, 0, 1), width)

    def _improve(
        self,
        relation: str,
        work: float,
        begun: tuple[SetLists, WidthSearch] | None = None,
        budget: Budget | None = None,
    ) -> Bound:
        """Work on the bound until `work` in all is done or the budget, by default the budget of the run, ends.

        Continue the search `begun` if it is on the present lists.
        """
        run, engine, started = self._run, self._engine, self._run.budget.elapsed()
        budget = budget or run.budget
        if begun is None or begun[0] is not run.lists.latest():
            begun = self._begin()
        lists, search = begun
        while search.work < work and not search.best.is_closed and not budget.is_spent():
            search.improve(budget, min(work, search.work + FIRST_WORK), engine.best.score)
            self._take_found(lists, search.wide.found)
            run.gap = {f"gap to {relation} {len(lists.scores):,} sets": search.best.gap}
            run.report(engine.best.score)
        seconds = run.budget.elapsed() - started
        if seconds > 0.0 and search.work > 0:
            self._pace = search.work / seconds
        if run.options.keeps_proof:
            self.nodes = [search.wide.root_node()]
        best = search.best
        if run.lists.is_complete:
            return Bound(best.value, claim_of_scores(run.options, run.scorer.n_variables, best.is_narrow))
        return Bound(best.value, claim_of_grown_lists(run.lists.n_sets, run.options, best.is_narrow))

    def _take_found(self, lists: SetLists, found: np.ndarray | None) -> None:
        """Adopt a network found by work on the bound; under a treewidth bound it may be too wide."""
        if found is None or self._run.options.treewidth is not None:
            return
        score = total_score(lists.scores, found)
        if score > self._engine.best.score + GAIN_TOLERANCE:
            parents = tuple(all_sets(lists).take(found))
            self._engine.adopt(SearchResult(parents, lists.scores[found], score))
