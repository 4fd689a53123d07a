"""The engine of pricing under a treewidth bound, a method of this project.

The search without a bound (`orders`) begins, whatever the bound, and goes on as long as its networks meet the bound.
The first one that is too wide is narrowed, and two searches take turns. One looks for the best network within
triangulations of the incumbent's moral graph, which suits large bounds. The other, which suits small ones, evaluates
orders as k-trees and cools down during the run (simulated annealing); then it solves groups of the best network's
cliques exactly. Sets are grown within the cliques of the present network too: such a set can be chosen at once, while
the members of a set grown among all predecessors may never share a clique.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

import numpy as np

from formats.records import ParentSetTable
from stages.graphs import largest_table, moral_graph, positions_of, random_topological_order
from stages.kernels.ktrees.ktree import KTree
from stages.kernels.orders.set_lists import GAIN_TOLERANCE
from stages.runtime.reporting import NullReporter
from stages.runtime.slices import slices
from stages.runtime.workers import ordered_map
from stages.scoring.set_grower import SetGrower

from ..result import Parents, SearchResult
from ..treewidth.annealing import OrderSearch
from ..treewidth.ils import COOLING, FIRST_ORDERS, best_regret_order
from ..treewidth.problem import prepare_both, prepare_bounded
from ..treewidth.slim import GroupSearch
from ..treewidth.table_bound import table_bound
from ..treewidth.triangulation import MOST_VARIABLES, TriangulationSearch
from .basins import OrderedNetwork
from .clique_growth import Focus, grow_in_cliques
from .orders import OrderPricing
from .run import PricingRun

EVEN_WIDTH = 8
"""Bound K at which triangulations and k-trees take turns evenly. The share K^3 / (K^3 + EVEN_WIDTH^3) of all rounds
is for triangulations: they suit large bounds better, and nothing changes abruptly as K grows.
"""

FIRST_SHARE = 0.15
"""Share of the time for the search without a bound on the width, whose lists are the first."""

GROWTH_SHARE = 0.1
"""Share of the time left that a round of growth takes at most: with many variables it would take most of it."""

FIRST_TRIANGULATIONS = 10
"""Triangulations searched around a network that has been narrowed."""

LEAST_TRIANGULATIONS, MOST_TRIANGULATIONS = 3, 30
"""Triangulations between two rounds of growth, less with more variables."""

NEAR_SPREAD = 0.1
"""Standard deviation of the shifts of positions, as a share of n, in the order near the present one that is priced in
every round.
"""

MOST_MOVES = 100_000
"""Changes of the order between two rounds of growth at most, see `phase_moves`."""

HEAT = 0.07
"""Temperature at the start, as a share of the mean that a variable gains by its best set; by experiment. It ends
at the same share of that as on lists.
"""

COOLING_TIME = 0.8
"""Share of a time limit in which the walk cools; groups of cliques are solved afterwards."""

PHASE_PATIENCE = 1
"""Disturbances per variable without improvement after which new sets are grown."""

COOLING_ROUNDS = 50
"""Rounds in which the walk cools without a time limit."""


def phase_moves(n_variables: int) -> int:
    """Changes of the order between two rounds of growth: some tenths of a second on a hundred variables."""
    return min(1000 * n_variables, 20_000 + 50 * n_variables, MOST_MOVES)


class WidthlessReporter(NullReporter):
    """Reports a search without a bound on the width: its score is not that of the run."""

    def __init__(self, run: PricingRun):
        self._reporter = run.reporter

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        score = facts.pop("score", None)
        about = {} if score is None else {"a network of any treewidth": score}
        self._reporter.progress(done, total, counted, **about, **facts)


class KTreePricing:
    """The engine of pricing that searches k-trees (`engine.PricingEngine`); `width` as from `bounded.limit_width`."""

    patience = 10

    def __init__(self, run: PricingRun, width: int):
        self.run, self.width = run, width
        self.best = OrderedNetwork(*run.start_network(), -math.inf)
        self.is_cooling = False
        self._is_triangulated = run.scorer.n_variables <= MOST_VARIABLES
        self._turns = 0  # of triangulations and k-trees
        self._next_grown = 0
        self._tree: KTree | None = None  # where the walk over orders stands
        self._focus: Focus | None = None
        self._orders: OrderPricing | None = None  # the search without a bound, while its networks meet the bound

    @property
    def bytes(self) -> int:
        """Memory of what the engine keeps beside the lists, about."""
        return 0 if self._orders is None else self._orders.bytes

    def begin(self, grows: bool) -> None:
        """Find a network without a bound on the width, whose search grows the first lists, and narrow it. A network
        to start from is the incumbent if it meets the bound.
        """
        if self.run.options.start is not None:
            self.run.grow_within(positions_of(self.best.order), self.best.parents)
        self._take_start()
        if grows:
            self._search_without_bound()

    def _search_without_bound(self) -> None:
        run, budget = self.run, self.run.budget
        with self._widthless():
            run.budget = budget.part(FIRST_SHARE)
            orders = OrderPricing(run)
            orders.begin(grows=True)
            orders.search()
            run.budget = budget
        if self._is_triangulated:
            self._orders = orders
            self._take_network(orders.best.parents)

    @contextlib.contextmanager
    def _widthless(self) -> Iterator[None]:
        """Reports within the block are about networks of any width."""
        reporter, self.run.reporter = self.run.reporter, WidthlessReporter(self.run)
        yield
        self.run.reporter = reporter

    def leave_orders(self) -> None:
        """End the search without a bound on the width."""
        self._orders = None

    def _take_network(self, parents: Parents) -> None:
        """Take in a network found without the bound. If it is too wide it is narrowed, and the bound is kept from
        then on.
        """
        search = self._triangulations()
        if not search.start(parents, self.run.budget):
            self.leave_orders()
            return
        if search.parents() != parents:
            self.leave_orders()
            search.improve(FIRST_TRIANGULATIONS, self.run.budget)
        self._note_triangulated(search)

    def _triangulations(self) -> TriangulationSearch:
        table = self.run.lists.table()
        bound = table_bound(table.header, self.run.options.max_table)
        return TriangulationSearch(self.run.lists.pack(), self.width, bound, self.run.rng)

    def _note_triangulated(self, search: TriangulationSearch) -> bool:
        parents = search.parents()
        self._focus = Focus(search.order, parents, search.bags())
        return self._note(OrderedNetwork(search.elimination[::-1].copy(), parents, search.score))

    def _take_start(self) -> None:
        """Make the network to start from the incumbent, unless it is too wide or lacks required arcs."""
        start, most = self.run.options.start, self.run.options.max_table
        if start is None or self.best.parents != start.parents:
            return
        order = start.order_within(self.width)
        if order is None:
            return
        if most is not None:
            n_states = [len(variable.known_states) for variable in self.run.scorer.dataset.variables]
            if largest_table(moral_graph(start.parents), order[::-1].tolist(), n_states) > most:
                return
        scores = [grower.score(parents) for grower, parents in zip(self.run.growers, start.parents)]
        self._note(OrderedNetwork(order, start.parents, math.fsum(scores)))

    def _note(self, found: OrderedNetwork) -> bool:
        """Make a network the incumbent if it is better; whether it is."""
        improved = found.score > self.best.score + GAIN_TOLERANCE
        if improved:
            self.best = found
        self.run.report(self.best.score, sets=self.run.lists.n_sets)
        return improved

    def search(self) -> bool:
        """Search without the bound while it is met; then walk over orders while it is warm, afterwards solve groups
        of cliques, each in turn with triangulations around the incumbent.
        """
        if self._orders is not None:
            return self._search_orders()
        table = self.run.lists.table()
        temperature = self._temperature(table)
        self.is_cooling = temperature > 0.0
        if self._takes_triangulations():
            improved = self.search_triangulations()
        # Groups of cliques know no bound on tables.
        elif self.is_cooling or self.best.score == -math.inf or self.run.options.max_table is not None:
            improved = self._walk_orders(table, temperature)
        else:
            improved = self._solve_groups(table)
        self.run.report(self.best.score, sets=table.n_sets, rounds=self.run.rounds)
        return improved

    def _takes_triangulations(self) -> bool:
        """Whether this round is for triangulations, if there is a network to begin with."""
        if not self._is_triangulated or self.best.score == -math.inf:
            return False
        share = self.width**3 / (self.width**3 + EVEN_WIDTH**3)
        self._turns += 1
        return int(self._turns * share) > int((self._turns - 1) * share)

    def _search_orders(self) -> bool:
        """Search without the bound; whether a better network meets it."""
        orders, before = self._orders, self.best.score
        assert orders is not None
        with self._widthless():
            improved = orders.search()
        if improved:
            self._take_network(orders.best.parents)
        return self.best.score > before + GAIN_TOLERANCE

    def search_triangulations(self) -> bool:
        """Search within triangulations around the incumbent; whether that improved it."""
        search = self._triangulations()
        if not search.start(self.best.parents, self.run.budget, self.best.order[::-1]):
            return False
        n = self.run.scorer.n_variables
        search.improve(max(LEAST_TRIANGULATIONS, min(MOST_TRIANGULATIONS, 3000 // n)), self.run.budget)
        return self._note_triangulated(search)

    def _temperature(self, table: ParentSetTable) -> float:
        """Temperature of this round's walk in nats; 0 once the cooling is over."""
        seconds = self.run.budget.seconds
        share = self.run.rounds / COOLING_ROUNDS
        if seconds is not None:
            share = self.run.budget.elapsed() / (COOLING_TIME * seconds) if seconds else 1.0
        if share >= 1.0:
            return 0.0
        # The last set of a list scores least: mostly the empty one.
        gains = table.scores[table.set_offsets[:-1]] - table.scores[table.set_offsets[1:] - 1]
        return HEAT * float(gains.mean()) * COOLING**share

    def _walk_orders(self, table: ParentSetTable, temperature: float) -> bool:
        """Continue the walk over orders for a phase; whether it improved the incumbent."""
        problem = prepare_bounded(table, self.width, self.run.options.max_table)
        search = OrderSearch(problem, self.run.rng)
        if self._tree is None:
            search.start(best_regret_order(problem, self.run.rng, FIRST_ORDERS))
        else:
            search.start(self._tree.order, self._tree.left_out, self._tree.hosts)
        n_moves = phase_moves(problem.n_variables)
        for _ in slices(n_moves, search.slice_moves, self.run.budget):
            search.anneal(min(n_moves, search.slice_moves), (temperature, temperature))
        tree, best = search.tree, search.best
        self._tree, self._focus = tree, Focus(tree.order, problem.parents(tree.chosen), tree.bags)
        return self._note(OrderedNetwork(best.order, problem.parents(best.chosen), problem.score(best.chosen)))

    def _solve_groups(self, table: ParentSetTable) -> bool:
        """Solve groups of the best network's cliques exactly; whether that improved it."""
        _, within = prepare_both(table, self.width)
        groups = GroupSearch(within, self.run.rng)
        groups.start(self.best.order, self.best.parents)
        groups.improve(PHASE_PATIENCE * within.n_variables, self.run.budget)
        parents = groups.parents()
        self._focus = Focus(random_topological_order(parents, self.run.rng), parents, groups.bags())
        return self._note(OrderedNetwork(groups.kept.order, parents, within.score(groups.kept.chosen)))

    def grow(self) -> None:
        """Grow sets within the predecessors in an order near the present one, and within its cliques."""
        focus, run = self._focus, self.run
        if self._orders is not None:
            with self._widthless():
                self._orders.grow()
            return
        if focus is None:
            raise ValueError("nothing has been searched yet")
        position, n = positions_of(focus.order), run.scorer.n_variables
        near = position + run.rng.normal(0.0, NEAR_SPREAD * n, n)
        # Where the time ends the round early, the next one goes on with the variable after the last.
        growers = run.growers[self._next_grown :] + run.growers[: self._next_grown]
        budget, done = run.budget.part(GROWTH_SHARE), 0

        def grow_child(grower: SetGrower) -> bool:
            if budget.is_spent(run.scorer.evaluations):
                return False
            run.grow_child(grower, near, focus.parents)
            grow_in_cliques(grower, focus, position)
            return True

        for was_grown in ordered_map(grow_child, growers, run.jobs):
            done += was_grown
            run.report_more(growing=f"{done} of {n}")
        self._next_grown = (self._next_grown + done) % n

    def adopt(self, found: SearchResult) -> None:
        self._note(OrderedNetwork(np.array([*(found.elimination or ())][::-1]), found.parents, found.score))
