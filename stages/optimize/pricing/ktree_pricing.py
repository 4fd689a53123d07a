"""The engine of pricing under a treewidth bound, a method of this project.

The search without a bound runs as long as its networks keep the bound (`widthless`). Its first network that is too
wide is narrowed. Then a walk evaluates orders as k-trees and cools down (simulated annealing). The smaller the bound,
the longer it walks, since it suits small bounds. No walk is made where families that close no cycle (`family_forest`)
score more than the narrowed network: then dependences are spread so far that k-trees along orders hold few of them,
and new sets join these families as long as that gains. For the rest of the run three searches take turns, the one
with the largest recent gain first. One searches within triangulations of the incumbent's moral graph, up to 4,096
variables. One solves groups of the incumbent's cliques exactly. One is the search without a bound, whose networks are
narrowed; if one of its networks keeps the bound and is the best, this search continues alone. It makes the gap
smaller on accidents within 5, and loses on win95pts. Sets are also made within the cliques of the present network
(`clique_growth`): such a set can be chosen at once, while the members of a set grown among all predecessors may never
share a clique.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from formats.graphs.algorithms import largest_table, moral_graph
from stages.graphs import positions_of, random_topological_order
from stages.kernels.ktrees.ktree import KTree
from stages.kernels.orders.set_lists import GAIN_TOLERANCE
from stages.lists.set_lists import all_sets
from stages.runtime.budgets import slices
from stages.runtime.workers import ordered_map
from stages.scoring.set_grower import SetGrower

from ..result import Parents, SearchResult, total_score, unscored
from ..treewidth.annealing import OrderSearch
from ..treewidth.bounded_search import best_regret_order, mean_gain
from ..treewidth.family_forest import join_families
from ..treewidth.narrowing import EliminatedNetwork
from ..treewidth.problem import prepare_both, prepare_bounded
from ..treewidth.slim import GroupSearch
from ..treewidth.table_bound import table_bound
from ..treewidth.triangulation import MOST_VARIABLES, TriangulationSearch, narrowed_network
from .basins import OrderedNetwork
from .clique_growth import CliquePricing, Focus, grow_in_cliques
from .greedy_start import FEW
from .run import PricingRun
from .walk_schedule import WalkSchedule
from .widthless import OrdersWithinWidth, WidthlessReporter

GROWTH_SHARE = 0.1
"""Largest share of the remaining time for a round of growth: with many variables it would else take most of it."""

LEAST_TRIANGULATIONS, MOST_TRIANGULATIONS = 3, 60
"""Triangulations between two rounds of growth; fewer with more variables."""

NEAR_SPREAD = 0.1
"""For the order near the present one that is priced in every round: standard deviation of the shifts of positions, as
a share of n.
"""

MOST_MOVES = 2_000_000
"""Largest number of changes of the order between two rounds of growth, times the treewidth; see `phase_moves`."""

HEAT = 0.07
"""Initial temperature of the walk, as a share of the mean gain of a variable by its best set; by experiment."""

PHASE_PATIENCE = 1
"""Disturbances per variable without improvement after which new sets are grown."""

GROUP_WORK = 6e7
"""Largest work on groups of cliques in a turn (`GroupSearch.work`): some tenths of a second."""

LITTLE_GAIN = 1e-4
"""Share of the score that families which close no cycle must gain to be joined anew after the next growth."""

LONGEST_WAIT = 8
"""Turns of other searches after which a search gets one although its recent gain was small."""


def phase_moves(n_variables: int, width: int) -> int:
    """Changes of the order between two rounds of growth: some tenths of a second on a hundred variables."""
    return max(1, min(5000 * n_variables, 100_000 + 250 * n_variables, MOST_MOVES) // width)


@dataclass(eq=False)
class Arm:
    """A search that takes turns with others."""

    search: Callable[[], None]
    gain: float = math.inf  # gain of the incumbent in its last turn, in nats
    waited: int = 0  # turns of others since its last one


class KTreePricing:
    """The engine of pricing that searches k-trees (`run.PricingEngine`).

    `treewidth` is from `bounded.feasible_treewidth`.
    """

    patience = 10

    def __init__(self, run: PricingRun, treewidth: int, first: OrdersWithinWidth):
        self.run, self.treewidth = run, treewidth
        reached = -math.inf if first.kept is None else first.kept.score
        self.best = OrderedNetwork(*run.start_network(reached), -math.inf)
        run.found = self._found
        self.is_cooling = False
        self._next_grown = 0
        header, most = run.lists.table().header, run.options.max_table
        self._max_table = None if table_bound(header, most).is_implied(treewidth) else most
        self._tables = table_bound(header, self._max_table)
        self._tree: KTree | None = None  # the present k-tree of the walk over orders
        self._focus: Focus | None = None
        self._cliques: CliquePricing | None = None
        # The search without a bound.
        self._orders = first.orders
        self._orders.run = run.phase(WidthlessReporter(run.reporter))
        # The best network within the bound at the end of the first phase, and the forest at which it began.
        self._kept, self._forest = first.kept, first.forest
        self.is_too_wide = True  # its network exceeds the bound, or is not the best
        self._is_joining = True  # families that close no cycle are joined while the incumbent gains by them
        self._walks = True  # none of them became the incumbent
        self.arms = self._make_arms()

    def _found(self) -> SearchResult | None:
        """The incumbent, once there is one."""
        best = self.best
        return None if best.score == -math.inf else unscored(best.parents, best.order[::-1].tolist())

    @cached_property
    def schedule(self) -> WalkSchedule:
        """The schedule of the walk, from its first round on."""
        return WalkSchedule(self.run, self.treewidth)

    @property
    def bytes(self) -> int:
        """Approximate memory that the engine uses besides the lists."""
        return self._orders.bytes

    def begin(self, grows: bool) -> None:
        """Narrow the network of the search without a bound on the width. A given start network is the incumbent if it
        meets the bound.
        """
        run, start = self.run, self.run.options.start
        if start is not None:
            run.grow_within(positions_of(self.best.order), self.best.parents)
        self._take_start()
        if self._kept is not None:
            self._note(self._kept)
        self._take_network(self._orders.best.parents)
        if self.is_too_wide and self._forest is not None:
            self._forest.join_lists()

    def _take_network(self, parents: Parents) -> None:
        """Take in a network found without the bound. If it is too wide, it is narrowed and other searches begin."""
        run = self.run
        found = narrowed_network(run.lists.latest(), self.treewidth, self._tables, run.rng, parents, run.budget)
        if found is not None:
            self._note_eliminated(found)
        self.is_too_wide = found is None or found.parents != parents or self.best.parents != parents

    def _note_eliminated(self, found: EliminatedNetwork) -> None:
        self._focus = Focus(found.order, found.parents, found.bags)
        self._note(OrderedNetwork(found.elimination[::-1].copy(), found.parents, found.score))

    def _take_start(self) -> None:
        """Make the given start network the incumbent, unless it is too wide or lacks required arcs."""
        start, most = self.run.options.start, self._max_table
        if start is None or self.best.parents != start.parents:
            return
        order = start.order_within(self.treewidth)
        if order is None:
            return
        if most is not None:
            n_states = [len(variable.known_states) for variable in self.run.scorer.dataset.variables]
            if largest_table(moral_graph(start.parents), order[::-1].tolist(), n_states) > most:
                return
        scores = [grower.score(parents) for grower, parents in zip(self.run.growers, start.parents)]
        self._note(OrderedNetwork(order, start.parents, math.fsum(scores)))

    def _note(self, found: OrderedNetwork) -> None:
        """Make a network the incumbent if it is better."""
        if found.score > self.best.score + GAIN_TOLERANCE:
            self.best = found
        self.run.report(self.best.score, sets=self.run.lists.n_sets)

    def _make_arms(self) -> list[Arm]:
        """The searches that take turns after the walk; the search without a bound has to wait for its first turn."""
        # Searches of groups of cliques do not support a bound on tables.
        is_grouped = self._max_table is None
        arms = [Arm(self._solve_groups if is_grouped else self._walk_orders)]
        if self.run.scorer.n_variables <= MOST_VARIABLES:
            arms.append(Arm(self._search_triangulations))
        arms.append(Arm(self._search_orders, gain=0.0))
        return arms

    def search(self) -> bool:
        """Search without the bound while networks meet it; then walk over orders while it is warm; then let the other
        searches take turns.
        """
        before = self.best.score
        self.is_cooling = False
        if not self.is_too_wide:
            self._search_orders()
        elif self._is_joining and self._join_families():
            self._walks = False
        elif self._walks and (self._tree is None or self.schedule.cooled() < 1.0):
            self.is_cooling = self.schedule.cooled() < 1.0
            self._walk_orders()
        else:
            self._take_turn()
        self.run.report(self.best.score, sets=self.run.lists.n_sets, rounds=self.run.work.rounds)
        return self.best.score > before + GAIN_TOLERANCE

    def _take_turn(self) -> None:
        """Run the search with the largest gain in its last turn, or one that has waited too long."""
        arm = max(self.arms, key=lambda arm: (arm.waited >= LONGEST_WAIT, arm.gain, arm.waited))
        before = self.best.score
        arm.search()
        for other in self.arms:
            other.waited += 1
        arm.gain, arm.waited = self.best.score - before, 0

    def _join_families(self) -> bool:
        """Make families that close no cycle the incumbent if they are better; returns whether they are.

        They are not tried again once they gain little.
        """
        run, before = self.run, self.best.score
        lists = run.lists.latest()
        chosen = join_families(lists)
        found = None
        if before > -math.inf and total_score(lists.scores, chosen) > before + GAIN_TOLERANCE:
            parents = tuple(all_sets(lists).take(chosen))
            found = narrowed_network(lists, self.treewidth, self._tables, run.rng, parents, run.budget)
        if found is not None and found.score > before:
            self._note_eliminated(found)
        self._is_joining = self.best.score > before + LITTLE_GAIN * abs(before)
        return self.best.score > before

    def _search_orders(self) -> None:
        """Search without the bound."""
        if self._orders.search():
            self._take_network(self._orders.best.parents)

    def _search_triangulations(self) -> None:
        """Search within triangulations around the incumbent."""
        run = self.run
        search = TriangulationSearch(run.lists.latest(), self.treewidth, self._tables, run.rng)
        if search.start(self.best.parents, run.budget, self.best.order[::-1]):
            n = run.scorer.n_variables
            search.improve(max(LEAST_TRIANGULATIONS, min(MOST_TRIANGULATIONS, 6000 // n)), run.budget)
            self._note_eliminated(search.found)

    def _walk_orders(self) -> None:
        """Continue the walk over orders for a phase; after cooling, accept no losses."""
        problem = prepare_bounded(self.run.lists.table(), self.treewidth, self._max_table)
        search = OrderSearch(problem, self.run.rng)
        if self._tree is None:
            # Along the order of the first network each variable of a forest has at least its parent.
            orders = [best_regret_order(problem, self.run.rng, n_orders=1)]
            if self._kept is not None:
                orders.append(problem.respect(self._kept.order))
            scores = [search.start(order) for order in orders]
            if scores[0] > scores[-1]:
                search.start(orders[0])
        else:
            search.start(self._tree.order, self._tree.left_out, self._tree.hosts)
        n_moves, heat = phase_moves(problem.n_variables, self.treewidth), HEAT * mean_gain(problem)
        for _ in slices(n_moves, search.slice_moves, self.run.budget):
            share = self.schedule.temperature()
            if share == 0.0 and self.is_cooling:
                break
            search.anneal(min(n_moves, search.slice_moves), (share * heat, share * heat))
        tree, best = search.tree, search.best
        self._tree, self._focus = tree, Focus(tree.order, problem.parents(tree.chosen), tree.bags)
        self._note(OrderedNetwork(best.order, problem.parents(best.chosen), problem.score(best.chosen)))

    def _solve_groups(self) -> None:
        """Solve groups of the best network's cliques exactly; gains on dense data of 100 to 500 columns."""
        _, within = prepare_both(self.run.lists.table(), self.treewidth)
        groups = GroupSearch(within, self.run.rng)
        groups.start(self.best.order, self.best.parents)
        groups.improve(PHASE_PATIENCE * within.n_variables, self.run.budget, watch=lambda: groups.work > GROUP_WORK)
        parents = groups.parents()
        self._focus = Focus(random_topological_order(parents, self.run.rng), parents, groups.bags())
        self._note(OrderedNetwork(groups.kept.order, parents, within.score(groups.kept.chosen)))

    def grow(self) -> None:
        """Grow sets within the predecessors in an order near the present one, and within the cliques of the present
        network. The former gains on dense data of many columns (pumsb_star) and on 2,000 columns of 500 rows.
        """
        focus, run = self._focus, self.run
        if not self.is_too_wide:
            self._orders.grow()
            return
        if focus is None:
            raise ValueError("nothing has been searched yet")
        position, n = positions_of(focus.order), run.scorer.n_variables
        near = position + run.rng.normal(0.0, NEAR_SPREAD * n, n)
        # If time ends the round early, the next round continues with the variable after the last one.
        growers = run.growers[self._next_grown :] + run.growers[: self._next_grown]
        budget, done, tries_all = run.budget.part(GROWTH_SHARE), 0, run.tries_all
        if self._cliques is None:
            self._cliques = CliquePricing(run)
        is_priced = self._cliques.price(focus, budget)

        def grow_child(grower: SetGrower) -> bool:
            if budget.is_spent(run.scorer.evaluations):
                return False
            if tries_all and grower.reach is not None and grower.reach < FEW:
                # With a limited reach, parents that improve the score only together would never be tried.
                grower.reach = None
            run.grow_child(grower, near, focus.parents)
            if not is_priced[grower.child]:
                grow_in_cliques(grower, focus, position)
            return True

        for was_grown in ordered_map(grow_child, growers, run.jobs):
            done += was_grown
            run.report_more(growing=f"{done} of {n}")
        self._next_grown = (self._next_grown + done) % n

    def adopt(self, found: SearchResult) -> None:
        self._note(OrderedNetwork(np.array([*(found.elimination or ())][::-1]), found.parents, found.score))
