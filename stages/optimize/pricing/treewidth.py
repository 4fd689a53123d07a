"""Pricing under a treewidth bound: order search and growth of candidate sets in turn (a method of this project).

As in `unbounded`, but orders are evaluated as k-trees, and sets are grown within the cliques of the present k-tree
too: such a set can be taken at once, while the members of a set grown among all predecessors may never come
together in one clique. The walk over orders cools down during the run; then groups of the best network's cliques
are solved exactly instead, again and again with new sets. At treewidth 1 the result is exact.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stages.graphs import largest_table, moral_graph, positions_of, random_topological_order
from stages.runtime.workers import ordered_map
from stages.scoring.family_scorer import FamilyScorer

from ..bounds.anytime_bound import FIRST_WORK
from ..bounds.claims import claim_of_scores
from ..bounds.lagrangian import BoundSearch
from ..result import Parents, SearchResult
from ..treewidth import forest
from ..treewidth.annealing import OrderSearch
from ..treewidth.ils import COOLING, FIRST_ORDERS, best_regret_order
from ..treewidth.problem import prepare_both, prepare_bounded
from ..treewidth.slim import GroupSearch
from .unbounded import BOUND_TIME, Pricing
from .visits import TOLERANCE

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.orders.set_lists import SetLists
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter
    from stages.scoring.set_grower import SetGrower

    from .. import OptimizeOptions

ORDERS_GROWN = 10
"""Random orders grown within before the first search."""

NEAR_SPREAD = 0.1
"""Standard deviation of the shifts of positions, as a share of n, in the order near the present one that is
priced in every round.
"""

RELATED = 4
"""Variables before and after a child, those with the best scores as its only parent, in whose bags it grows."""

MOST_MOVES = 100_000
"""Changes of the order between two rounds of pricing at most, see `phase_moves`."""

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


def search_data(
    scorer: FamilyScorer,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    table: ParentSetTable | None = None,
) -> SearchResult:
    """Learn a network of bounded treewidth from data; parameters as in `unbounded.search_data`.

    Raises
    ------
    InfeasibleError
        When the required arcs close a cycle or exceed the bound.
    """
    run = BoundedPricing(scorer, options, budget.part(1.0 - BOUND_TIME), reporter, table)
    if options.width <= 1:
        run.solve_forest()
        return run.result(-math.inf, claim_of_scores(options))
    run.prepare(grows=table is None)
    if run.completes():
        return run.solve(budget)
    run.alternate()
    return run.result(run.bound(budget))


def warm_up(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile all that `search_data` may need: what grows lists, and what searches among complete ones."""
    if options.width > 1:
        run = BoundedPricing(scorer, options, budget, reporter, None)
        run.prepare(grows=True)
        run.alternate()
        run.bound(budget)
    search_data(FamilyScorer(scorer.dataset, scorer.score, scorer.ess), options, budget, reporter)


def phase_moves(n_variables: int) -> int:
    """Changes of the order between two rounds of pricing: some tenths of a second on a hundred variables."""
    return min(1000 * n_variables, 20_000 + 50 * n_variables, MOST_MOVES)


class _Walk(NamedTuple):
    """An order with the preferences that make it a k-tree, as in `stages.kernels.ktrees.ktree.KTree`."""

    order: np.ndarray
    left_out: np.ndarray
    hosts: np.ndarray

    @classmethod
    def copy_of(cls, state) -> _Walk:
        return cls(state.order.copy(), state.left_out.copy(), state.hosts.copy())


class BoundedPricing(Pricing):
    """One run under a treewidth bound.

    Attributes
    ----------
    order, parents, bags
        Of the k-tree around which sets are grown; `best` has order and parents of the best network.
    """

    patience = 10
    proof_work = 0.0  # the bound is one for any width, which those within the bound seldom meet

    def __init__(self, scorer, options, budget, reporter, table):
        super().__init__(scorer, options, budget, reporter, table)
        self.width = min(options.width, scorer.n_variables - 1)
        for grower in self.lists.growers:
            grower.max_parents = min(grower.max_parents, self.width)
        self.walk: _Walk | None = None
        self.best: tuple[np.ndarray, Parents] | None = None
        # Required arcs that no network within the bound can have are found out before any work is done.
        prepare_bounded(self.lists.table(), self.width, options.max_table)

    @property
    def network(self) -> tuple[np.ndarray, Parents]:
        """Order and parents of the best network, of which there is one after the first search."""
        if self.best is None:
            raise ValueError("nothing has been searched yet")
        return self.best

    def prepare(self, grows: bool) -> None:
        """First lists and first order; a network to start from is kept if it meets the bound."""
        super().prepare(grows)
        start = self.options.start
        # Required arcs that it lacks may make it wider.
        if start is None or self.parents != start.parents:
            return
        order = start.order_within(self.width)
        if order is not None and self.options.max_table is not None:
            n_states = [len(variable.known_states) for variable in self.scorer.dataset.variables]
            graph = moral_graph(start.parents)
            if largest_table(graph, order[::-1].tolist(), n_states) > self.options.max_table:
                order = None
        if order is not None:
            scores = [grower.score(parents) for grower, parents in zip(self.lists.growers, start.parents)]
            self.note_best(order, start.parents, math.fsum(scores))

    def grow_first(self) -> None:
        """Grow lists within the order of a given network and random orders: climbing knows no bound on the width."""
        n = self.scorer.n_variables
        if self.options.start is not None:
            self.price_within(positions_of(self.order), self.parents)
        self.told = {"first lists": f"order 1 of {ORDERS_GROWN}"}
        for done in range(1, ORDERS_GROWN + 1):
            reached = self.price_within(self.rng.permutation(n).astype(np.float64), None)
            self.tell(**{"first lists": f"order {done} of {ORDERS_GROWN}"}, **self.about_first(reached))

    def about_first(self, reached: list[tuple[int, ...] | None]) -> dict[str, float]:
        """The score of the network that sets grown within one order make up, to be shown before any search."""
        known = zip(self.lists.growers, reached)
        scores = [grower.scores[p] for grower, p in known if p is not None and p in grower.scores]
        return {"a network of any treewidth": math.fsum(scores)} if len(scores) == len(reached) else {}

    def scores_left(self) -> float:
        # The scores of all pairs are what a forest takes, whatever the budget.
        return math.inf if self.options.width <= 1 else super().scores_left()

    def solve_forest(self) -> None:
        """The best network with at most one parent each, from the scores of all pairs."""
        for grower in self.lists.growers:
            if grower.max_parents > len(grower.required):
                variables, scores = grower.improving(grower.required)
                grower.scores |= {(v,): s for v, s in zip(variables.tolist(), scores.tolist())}
        table = self.lists.table()
        result = forest.search(table, self.options, self.budget, self.reporter)
        self.best = np.array([*(result.elimination or ())][::-1]), result.parents

    def temperature(self, table: ParentSetTable) -> float:
        """Temperature of this round's walk in nats; 0 once the cooling is over."""
        seconds = self.budget.seconds
        if seconds is None:
            share = self.rounds / COOLING_ROUNDS
        else:
            share = self.budget.elapsed() / (COOLING_TIME * seconds) if seconds else 1.0
        if share >= 1.0:
            return 0.0
        gains = table.scores[table.set_offsets[:-1]] - table.scores[table.set_offsets[1:] - 1]
        return HEAT * float(gains.mean()) * COOLING**share

    def search(self) -> bool:
        """One phase of search on the lists at hand; False once cooled down without a better network."""
        table = self.lists.table()
        temperature = self.temperature(table)
        if temperature > 0.0 or self.best is None:
            self.walk_orders(table, temperature)
            goes_on = True
        elif self.options.max_table is not None:  # groups of cliques know no bound on tables
            goes_on = self.walk_orders(table, 0.0)
        else:
            goes_on = self.solve_groups(table)
        self.tell(score=self.best_score, **self.shown, sets=table.n_sets, rounds=self.rounds)
        return goes_on

    def walk_orders(self, table: ParentSetTable, temperature: float) -> bool:
        """Let the walk over orders go on for a phase; whether a better network was met."""
        problem = prepare_bounded(table, self.width, self.options.max_table)
        search = OrderSearch(problem, self.rng)
        n_moves = phase_moves(problem.n_variables)
        if self.walk is None:
            search.start(best_regret_order(problem, self.rng, FIRST_ORDERS))
        else:
            search.start(*self.walk)
        for _ in range(0, n_moves, search.slice_moves):
            if self.budget.is_spent():
                break
            search.anneal(min(n_moves, search.slice_moves), (temperature, temperature))
        self.walk = _Walk.copy_of(search.tree)
        self.order, self.bags = self.walk.order, search.tree.bags.copy()
        self.parents = problem.parents(search.tree.chosen)
        chosen = search.best.chosen
        return self.note_best(search.best.order.copy(), problem.parents(chosen), problem.score(chosen))

    def solve_groups(self, table: ParentSetTable) -> bool:
        """Improve the best network by exact solution of groups of its cliques; whether that was of use."""
        _, within = prepare_both(table, self.width)
        groups = GroupSearch(within, self.rng)
        groups.start(*self.network)
        groups.improve(PHASE_PATIENCE * within.n_variables, self.budget)
        self.parents, self.bags = groups.parents(), groups.bags()
        self.order = random_topological_order(self.parents, self.rng)
        score = within.score(groups.kept.chosen)
        return self.note_best(groups.kept.order.copy(), self.parents, score)

    def note_best(self, order: np.ndarray, parents: Parents, score: float) -> bool:
        """Keep a network, with an order whose reverse eliminates it, if it is the best of the run; whether it is."""
        improved = score > self.best_score + TOLERANCE
        if improved or self.best is None:
            self.best_score = score
            self.best = order, parents
        self.tell(score=self.best_score, sets=self.lists.n_sets)
        return improved

    def price(self) -> None:
        """Grow sets within the predecessors in an order near the present one, and within its cliques."""
        n = self.scorer.n_variables
        position = positions_of(self.order)
        self.price_within(position + self.rng.normal(0.0, NEAR_SPREAD * n, n), self.parents)

        def price_child(grower: SetGrower) -> None:
            if not self.budget.is_spent():
                self.price_cliques(grower, position)

        for _ in ordered_map(price_child, self.lists.growers, self.jobs):
            pass

    def price_cliques(self, grower: SetGrower, position: np.ndarray) -> None:
        """Grow the child's sets within its own clique and those of the variables most related to it."""
        child = grower.child
        related, _ = grower.improving(grower.required)
        earlier = position[related] < position[child]
        hosts = [child, *related[earlier][:RELATED].tolist(), *related[~earlier][:RELATED].tolist()]
        allowed = np.zeros(len(position), dtype=np.bool_)
        for host in hosts:
            members = [*self.bags[host].tolist(), *grower.required]
            allowed[members] = True
            allowed[child] = False
            kept = tuple(p for p in self.parents[child] if allowed[p])
            if len(kept) > len(grower.required):
                grower.grow_and_shrink(allowed, kept)
            grower.grow_and_shrink(allowed)
            allowed[members] = False

    def look_work(self) -> float:
        """Work on the bound at one look."""
        return FIRST_WORK

    def take_over(self, found: SearchResult) -> None:
        """Keep the result of a search among listed sets if it is the best of the run."""
        self.note_best(np.array([*(found.elimination or ())][::-1]), found.parents, found.score)

    def take_found(self, lists: SetLists, search: BoundSearch) -> None:
        """Nothing: what a bound's last step finds may be wider than allowed."""

    def result(self, bound: float, claim: str | None = None, rounding: float | None = None) -> SearchResult:
        """The best network with the order that certifies its width."""
        order, self.parents = self.network
        return replace(super().result(bound, claim, rounding), elimination=order[::-1].tolist())
