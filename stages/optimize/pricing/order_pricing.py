"""Pricing with orders: order search alternates with growth of candidate lists (a method of this project).

Lists made in advance limit the score that any search on them can reach. Here hill climbing finds a first network, and
a search improves its order on the present lists. Then every variable's set is grown and shrunk within its
predecessors, in the best order and in a few orders near it. All sets met join the lists, and the search continues
(`loop`). When rounds around the best order improve nothing, some rounds follow around another order (`basins`), which
best moves of single variables reach (`best_moves`). With few variables best moves also improve the first order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from formats.records import ParentSetTable
from stages.graphs import positions_of, random_topological_order, topological_order
from stages.kernels.orders.set_lists import GAIN_TOLERANCE
from stages.lists.set_lists import all_sets, index_members
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter, Reporter
from stages.runtime.warm_up import tiny_table
from stages.scoring.family_scorer import FamilyScorer

from .. import OptimizeOptions
from ..orders import ils
from ..orders.insertion_ils import OrderShaker
from ..result import Parents, SearchResult, unscored
from .basins import HOME_PATIENCE, Basin, OrderedNetwork
from .boss import KeptTrees, climb_order
from .greedy_start import FirstForest, WatchNetwork, climb, find_start
from .list_bound import ListBound
from .loop import alternate, learn
from .row_samples import search_samples
from .run import PricingRun, start_run

NEAR_ORDERS = 4
NEAR_SPREAD = 0.1
"""Orders near the best one priced per round, and standard deviation of their shifts as a share of n. They gain
on many columns (ad, 1,556)."""

PHASE_WORK = 50_000_000
PHASE_PROFILES = 60
"""Limits of a search phase: sets tested, and moves per variable; at most half a second, mostly less than growing sets
takes. New sets improve more than a longer search among old ones; by experiment.
"""

LONGER = 8
"""Factor on the length of a phase in another basin, and of a phase after one without improvement. It gains on andes
within 5 (72 nats in 10 s, 118 in 60 s); without a bound on the width the gap on plants is 951 nats smaller in 10 s,
and no score differs beyond the spread of seeds.
"""

SAMPLE_PATIENCE = 3
"""Rounds without a better network after which the search on a sample of the rows ends."""


def search_data(
    scorer: FamilyScorer,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    table: ParentSetTable | None = None,
) -> SearchResult:
    """Learn a network from data by pricing.

    It reads from `options`: ``max_parents``, ``knowledge``, ``seed``, ``jobs`` and ``start``, a network whose order
    is the first one. Without a time limit the run ends when it no longer improves. Evaluations of the budget are
    local scores. No more are computed, except for the scores of no parents and of given networks and lists. `table`
    holds given candidate lists.
    """
    if table is None:
        options = search_samples(scorer, options, budget, find_parents, reporter)
    run = start_run(scorer, options, budget, reporter, table)
    return learn(run, OrderPricing(run), grows=table is None)


def find_parents(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget) -> Parents:
    """The network that pricing finds on a sample of the rows once it no longer improves."""
    run = start_run(scorer, options, budget, NullReporter())
    engine = OrderPricing(run)
    engine.begin(grows=True)
    alternate(run, engine, patience=SAMPLE_PATIENCE)
    return engine.best.parents


def warm_up(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile everything that `search_data` may need: growth of lists, and search among complete lists."""
    run = start_run(scorer, options, budget, reporter)
    engine = OrderPricing(run)
    engine.begin(grows=True)
    bound = ListBound(run, engine)
    alternate(run, engine, bound)
    bound.finish()
    ils.search(tiny_table(), options, budget, reporter)
    search_data(FamilyScorer(scorer.dataset, scorer.score, scorer.ess), options, budget, reporter)


class OrderPricing:
    """The engine of pricing that searches orders (`run.PricingEngine`)."""

    patience = 30
    is_cooling = False

    def __init__(self, run: PricingRun):
        self.run = run
        self.home = Basin(*run.start_network())  # the basin of the incumbent
        run.found = lambda: unscored(self.best.parents)
        self.away: Basin | None = None  # the basin of the present rounds, if it is another one
        self.trees: KeptTrees | None = None
        self.watch: WatchNetwork | None = None  # watches the first climb
        self.watch_forest: Callable[[FirstForest], None] | None = None  # receives the forest before it

    @property
    def best(self) -> OrderedNetwork:
        return self.home.best

    @property
    def bytes(self) -> int:
        return 0 if self.trees is None else self.trees.bytes

    def begin(self, grows: bool) -> None:
        if grows:
            self._climb_first()
        if grows or self.run.options.start is not None:
            self.run.grow_within(positions_of(self.best.order), self.best.parents)

    def _climb_first(self) -> None:
        """Climb to a first network; if all candidates are within reach, improve its order by best moves.

        The latter gains on dense data of some 100 columns (accidents, by 42 nats).
        """
        self.move_home(find_start(self.run, self.best.parents, self.watch, self.watch_forest))
        if self.run.options.start is None and all(grower.reach is None for grower in self.run.growers):
            self.home.best = self.best._replace(order=self._best_moves(self.best.order))

    def move_home(self, parents: Parents) -> None:
        """Continue from a network that is no worse than the incumbent; the next search computes its score."""
        order = random_topological_order(parents, self.run.rng)
        self.home.best = OrderedNetwork(order, parents, self.best.score)

    def _best_moves(self, order: np.ndarray) -> np.ndarray:
        """The order that best moves of single variables reach from `order`; the sets met join the lists.

        They gain on most tables (in 10 s 664 nats on 60 ternary columns, 60 on win95pts, 16 on andes); on dense ones
        the gap is larger with them.
        """
        if self.trees is None or self.trees.is_outdated:
            self.trees = KeptTrees(self.run.growers)

        def report(score: float) -> None:
            self.run.report(max(score, self.best.score))

        return climb_order(self.trees, order, self.run.rng, self.run.is_spent, report)

    def search(self) -> bool:
        """Search around the best order, or in another basin; a better network found there ends the visit."""
        run, here = self.run, self.away or self.home
        packed = run.lists.latest()
        shaker = OrderShaker(packed, index_members(packed), here.best.order, run.rng)
        length = 1 if self.away is None and self.home.idle == 0 else LONGER
        run.work.begin_walk(shaker)
        shaker.search(run.budget, length * PHASE_PROFILES * run.scorer.n_variables, length * PHASE_WORK)
        run.work.end_walk()
        found = OrderedNetwork(shaker.order, tuple(all_sets(packed).take(shaker.chosen)), shaker.score)
        improved = found.score > self.best.score + GAIN_TOLERANCE
        if improved:
            self.away = None
        (self.away or self.home).note(found)
        facts = {} if self.away is None else {"basin": run.work.visits + 1, "its score": self.away.best.score}
        run.report(self.best.score, run.found, sets=len(packed.scores), rounds=run.work.rounds, **facts)
        return improved

    def grow(self) -> None:
        """Grow sets within the predecessors in the basin's order and in orders near it, or move to another basin."""
        run = self.run
        if self.away is None and run.tries_all and any(grower.reach is not None for grower in run.growers):
            # All candidates come within reach.
            self.move_home(climb(run, self.best.parents, [None] * len(run.growers)))
        if self.away is not None and self.away.is_over:
            self.away, self.home.idle = None, 0
        elif self.away is None and self.home.idle >= HOME_PATIENCE:
            self.leave()
            return
        here = (self.away or self.home).best
        n = run.scorer.n_variables
        position = positions_of(here.order)
        run.grow_within(position, here.parents)
        for _ in range(NEAR_ORDERS):
            run.grow_within(position + run.rng.normal(0.0, NEAR_SPREAD * n, n), here.parents)

    def leave(self) -> None:
        """Move to the basin of the order that best moves reach from a random one."""
        required = self.run.lists.required
        self.away = Basin(self._best_moves(random_topological_order(required, self.run.rng)), required)
        self.run.work.visits += 1

    def adopt(self, found: SearchResult) -> None:
        if found.score > self.best.score:
            order = np.array(topological_order(found.parents), dtype=np.int32)
            self.home.best = OrderedNetwork(order, found.parents, found.score)
        self.run.report(self.best.score, sets=self.run.lists.n_sets)
