"""Phase 1 under --tw: search as if unbounded, until the network becomes too wide.

Until then the run equals a run without a bound: the same calls with the same budgets and the same random stream.
Checks of the width use a separate random stream. They use greedy elimination, so a network may count as too wide
although its treewidth is within the bound. It pays where networks are narrow (hailfinder, win95pts within 20): the
gap is a third of what it is without; on andes within 20 the later start costs 70 to 170 nats.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from formats.sets.listed_sets import ListedSets
from stages.graphs import topological_order
from stages.runtime.reporting import Offer, Reporter
from stages.runtime.seeding import task_generator

from ..bounds.subset_dp import subsets_fit
from ..result import Parents, SearchResult, unscored
from ..treewidth.narrowing import elimination_within
from ..treewidth.table_bound import TableBound, table_bound
from ..treewidth.triangulation import narrowed_network
from .basins import OrderedNetwork
from .greedy_start import FirstForest
from .order_pricing import OrderPricing
from .run import PricingRun

FIRST_SHARE = 0.15
"""Share of the time or local scores in which networks may exceed the bound by the factor `SLACK`: later ones may be
narrower.
"""

SLACK = 1.25
"""Largest width of a network within that share, as a multiple of the bound. Before a search among complete lists,
whose networks may become wider, the bound must be at least this multiple of the width.
"""

LOOKS = 1.25
"""The width of a longer climb is checked whenever its share has grown by this factor."""


class WidthlessReporter:
    """Reports a search without a bound on the width to the run's `reporter`.

    Its score is reported only while its best network is known to keep the bound (`is_within`); messages about wider
    networks are dropped.
    """

    def __init__(self, reporter: Reporter):
        self._reporter = reporter
        self.is_within = False
        self.network: Offer | None = None  # makes the network that keeps the bound

    def detail(self, message: str) -> None:
        if self.is_within:
            self._reporter.detail(message)

    def warn(self, message: str) -> None:
        self._reporter.warn(message)

    def summary(self, message: str) -> None:
        if self.is_within:
            self._reporter.summary(message)

    def progress(
        self, done: int, total: int | None, counted: str, network: Offer | None = None, **facts: object
    ) -> None:
        if not self.is_within and "score" in facts:
            facts = {"a network of any treewidth": facts.pop("score")} | facts
        self._reporter.progress(done, total, counted, self.network, **facts)


class TooWide(Exception):
    """The network of the search without a bound on the width exceeds the bound."""


class OrdersWithinWidth:
    """The engine `OrderPricing`; it raises `TooWide` once its best network exceeds the bounds.

    Attributes
    ----------
    run : PricingRun
        The phase of the run for the search without a bound.
    orders : OrderPricing
        The engine.
    kept : OrderedNetwork, optional
        Its last network within the bounds, or a better one from the first climb: the forest at which it begins, or
        its network narrowed.
    forest : FirstForest, optional
        This forest. Its sets may join the lists once a network is too wide: a run within the bounds lists the sets
        of a run without a bound.
    """

    patience, is_cooling = OrderPricing.patience, OrderPricing.is_cooling

    def __init__(self, run: PricingRun, treewidth: int):
        self._reporter, self._widthless = run.reporter, WidthlessReporter(run.reporter)
        self.run = run.phase(self._widthless, replace(run.options, treewidth=None, max_table=None))
        self.orders = OrderPricing(self.run)
        self.orders.watch, self.orders.watch_forest = self._watch_climb, self._watch_forest
        self.kept: OrderedNetwork | None = None
        self.forest: FirstForest | None = None
        self._widthless.network = self._kept_network
        self._treewidth = treewidth
        self._tables = table_bound(run.lists.table().header, run.options.max_table)
        self._rng = task_generator(run.options.seed, 0, 2)
        self._next_look = FIRST_SHARE  # at a climb

    @property
    def best(self) -> OrderedNetwork:
        return self.orders.best

    @property
    def bytes(self) -> int:
        return self.orders.bytes

    @property
    def is_within(self) -> bool:
        """Whether the best network is known to keep the bounds."""
        return self.kept is not None and self.kept.parents == self.best.parents

    @contextlib.contextmanager
    def _unchecked(self) -> Iterator[None]:
        """Within the block, and after it if the best network is too wide, reports are about networks of any width."""
        self._widthless.is_within = False
        yield
        self._widthless.is_within = self.is_within

    def begin(self, grows: bool) -> None:
        with self._unchecked():
            self.orders.begin(grows)

    def search(self) -> bool:
        with self._unchecked():
            improved = self.orders.search()
            if improved or not self.is_within:
                self._check()
        self.run.report_more()
        return improved

    def _watch_forest(self, forest: FirstForest) -> None:
        self.forest = forest
        self._keep_better(forest_within(forest, self._tables))

    def _watch_climb(self, parents: Parents, has_ended: bool) -> None:
        share = self._spent()
        if share is not None and share >= self._next_look:
            self._next_look = LOOKS * share
            if self._order_within(parents) is None:
                self.orders.move_home(parents)
                raise TooWide
        elif has_ended and self._order_within(parents) is None:
            self._narrow(parents)

    def _check(self) -> None:
        """Keep the best network, unless it is too wide.

        Raises `TooWide` if it exceeds the bounds. A search among complete lists takes all remaining time, and its
        network is checked at its end. So a network that is nearly too wide raises `TooWide` before such a search.
        Dynamic programming is exempt, as it leaves time for another search.
        """
        order, share = self._order_within(self.best.parents), self._spent()
        if order is not None:
            self.kept = self.best._replace(order=order)
        elif share is None or share >= FIRST_SHARE or self._order_within(self.best.parents, SLACK) is None:
            raise TooWide
        n = self.run.scorer.n_variables
        needs_room = self.run.lists_all and not subsets_fit(n) and self._treewidth < n - 1
        if needs_room and self._order_within(self.best.parents, 1.0 / SLACK) is None:
            raise TooWide

    def _narrow(self, parents: Parents) -> None:
        """Narrow a network to the bounds and keep it, so that one exists early."""
        found = narrowed_network(
            self.run.lists.latest(), self._treewidth, self._tables, self._rng, parents, self.run.budget
        )
        if found is not None:
            self._keep_better(OrderedNetwork(found.elimination[::-1].copy(), found.parents, found.score))

    def _keep_better(self, found: OrderedNetwork | None) -> None:
        """Keep a network of the first climb within the bounds if it is better, and report it."""
        if found is not None and (self.kept is None or found.score > self.kept.score):
            self.kept = found
            done = self.run.scorer.evaluations
            self._reporter.progress(done, None, "local scores", self._kept_network, score=found.score)

    def _kept_network(self) -> SearchResult | None:
        return None if self.kept is None else unscored(self.kept.parents, self.kept.order[::-1].tolist())

    def _order_within(self, parents: Parents, slack: float = 1.0) -> np.ndarray | None:
        """The reverse of an elimination order within the bounds, if one is found."""
        elimination = elimination_within(parents, int(slack * self._treewidth), self._tables, self._rng)
        return None if elimination is None else elimination[::-1].copy()

    def _spent(self) -> float | None:
        """Share of the time or local scores spent; None without a limit."""
        budget = self.run.budget
        if budget.is_unlimited:
            return None
        time = 0.0 if budget.seconds is None else budget.elapsed() / max(budget.seconds, 1e-9)
        scores = 0.0 if budget.evaluations is None else self.run.scorer.evaluations / max(budget.evaluations, 1)
        return max(time, scores)

    def grow(self) -> None:
        with self._unchecked():
            self.orders.grow()

    def adopt(self, found: SearchResult) -> None:
        """As `OrderPricing.adopt`; but while lists grow, a network that is too wide is not adopted."""
        if found.score > self.best.score:
            order = self._order_within(found.parents)
            if order is not None:
                self.kept = OrderedNetwork(order, found.parents, found.score)
            elif self.run.lists.is_complete:
                self.orders.move_home(found.parents)
                raise TooWide
            else:
                return
        self.orders.adopt(found)


def forest_within(forest: FirstForest, tables: TableBound) -> OrderedNetwork | None:
    """The forest with an order; None if one of its tables exceeds the bound."""
    families = ListedSets.of(forest.parents)
    if not tables.fits(np.arange(len(families)), families.offsets, families.members).all():
        return None
    return OrderedNetwork(np.array(topological_order(forest.parents), dtype=np.int32), forest.parents, forest.score)
