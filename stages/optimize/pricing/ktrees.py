"""Pricing under a treewidth bound: k-tree search and growth of candidate sets in turn (a method of this project).

As in `orders`, but orders are evaluated as k-trees, and sets are grown within the cliques of the present k-tree too:
such a set can be chosen at once, while the members of a set grown among all predecessors may never share a clique.
The walk over orders cools down during the run (simulated annealing); then groups of the best network's cliques are
solved exactly instead, again and again with new sets. At treewidth 1 the result is exact.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from formats.records import ParentSetTable
from stages.graphs import largest_table, moral_graph, positions_of, random_topological_order
from stages.kernels.ktrees.ktree import KTree
from stages.kernels.orders.set_lists import GAIN_TOLERANCE
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.slices import slices
from stages.runtime.workers import ordered_map
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.set_grower import SetGrower

from .. import OptimizeOptions
from ..bounds.claims import claim_of_scores
from ..result import Parents, SearchResult
from ..treewidth import forest
from ..treewidth.annealing import OrderSearch
from ..treewidth.ils import COOLING, FIRST_ORDERS, best_regret_order
from ..treewidth.problem import prepare_both, prepare_bounded
from ..treewidth.slim import GroupSearch
from .basins import OrderedNetwork
from .list_bound import ListBound
from .loop import alternate, learn
from .run import PricingRun, start_run

ORDERS_GROWN = 10
"""Random orders grown within before the first search."""

NEAR_SPREAD = 0.1
"""Standard deviation of the shifts of positions, as a share of n, in the order near the present one that is priced in
every round.
"""

RELATED = 4
"""Variables before and after a child, those with the best scores as its only parent, in whose bags it grows."""

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


def search_data(
    scorer: FamilyScorer,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    table: ParentSetTable | None = None,
) -> SearchResult:
    """Learn a network of bounded treewidth from data; parameters as in `orders.search_data`.

    Raises
    ------
    InfeasibleError
        When the required arcs close a cycle or exceed the bound.
    """
    run = start_run(scorer, options, budget, reporter, table)
    width = limit_width(run)
    if options.width <= 1:
        return solve_forest(run)
    engine = KTreePricing(run, width)
    result = learn(run, engine, grows=table is None)
    return replace(result, elimination=engine.best.order[::-1].tolist())


def warm_up(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile all that `search_data` may need: what grows lists, and what searches among complete ones."""
    if options.width > 1:
        run = start_run(scorer, options, budget, reporter)
        engine = KTreePricing(run, limit_width(run))
        engine.begin(grows=True)
        bound = ListBound(run, engine)
        alternate(run, engine, bound)
        bound.finish()
    search_data(FamilyScorer(scorer.dataset, scorer.score, scorer.ess), options, budget, reporter)


def limit_width(run: PricingRun) -> int:
    """The bound on the treewidth, below the number of variables; sets grow no larger.

    Raises
    ------
    InfeasibleError
        No network within the bound has all required arcs; found out before any work is done.
    """
    width = min(run.options.width, run.scorer.n_variables - 1)
    for grower in run.growers:
        grower.max_parents = min(grower.max_parents, width)
    prepare_bounded(run.lists.table(), width, run.options.max_table)
    return width


def solve_forest(run: PricingRun) -> SearchResult:
    """The best network with at most one parent each, from the scores of all pairs."""
    for grower in run.growers:
        if grower.max_parents > len(grower.required):
            variables, scores = grower.improving(grower.required)
            grower.scores |= {(v,): s for v, s in zip(variables.tolist(), scores.tolist())}
    found = forest.search(run.lists.table(), run.options, run.budget, run.reporter)
    result = run.result(found.parents, -math.inf, claim_of_scores(run.options))
    return replace(result, elimination=found.elimination)


def phase_moves(n_variables: int) -> int:
    """Changes of the order between two rounds of growth: some tenths of a second on a hundred variables."""
    return min(1000 * n_variables, 20_000 + 50 * n_variables, MOST_MOVES)


class _Focus(NamedTuple):
    """The network around which sets are grown, with an order and the bags of its k-tree."""

    order: np.ndarray
    parents: Parents
    bags: np.ndarray


class KTreePricing:
    """The engine of pricing that searches k-trees (`engine.PricingEngine`); `width` as from `limit_width`."""

    patience = 10
    bytes = 0

    def __init__(self, run: PricingRun, width: int):
        self.run, self.width = run, width
        self.best = OrderedNetwork(*run.start_network(), -math.inf)
        self.is_cooling = False
        self._tree: KTree | None = None  # where the walk over orders stands
        self._focus: _Focus | None = None

    def begin(self, grows: bool) -> None:
        """Grow first lists within random orders: climbing knows no bound on the width. A network to start from is
        the incumbent if it meets the bound.
        """
        if self.run.options.start is not None:
            self.run.grow_within(positions_of(self.best.order), self.best.parents)
        if grows:
            self._grow_random_orders()
        self._take_start()

    def _grow_random_orders(self) -> None:
        n = self.run.scorer.n_variables
        about: dict[str, object] = {}
        for k in range(1, ORDERS_GROWN + 1):
            self.run.report(None, **{"first lists": f"order {k} of {ORDERS_GROWN}"}, **about)
            reached = self.run.grow_within(self.run.rng.permutation(n).astype(np.float64))
            known = zip(self.run.growers, reached)
            scores = [grower.scores[p] for grower, p in known if p is not None and p in grower.scores]
            about = {"a network of any treewidth": math.fsum(scores)} if len(scores) == n else {}

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
        """Walk over orders while it is warm, afterwards solve groups of cliques."""
        table = self.run.lists.table()
        temperature = self._temperature(table)
        self.is_cooling = temperature > 0.0
        # Groups of cliques know no bound on tables.
        is_walking = self.is_cooling or self.best.score == -math.inf or self.run.options.max_table is not None
        improved = self._walk_orders(table, temperature) if is_walking else self._solve_groups(table)
        self.run.report(self.best.score, sets=table.n_sets, rounds=self.run.rounds)
        return improved

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
        self._tree, self._focus = tree, _Focus(tree.order, problem.parents(tree.chosen), tree.bags)
        return self._note(OrderedNetwork(best.order, problem.parents(best.chosen), problem.score(best.chosen)))

    def _solve_groups(self, table: ParentSetTable) -> bool:
        """Solve groups of the best network's cliques exactly; whether that improved it."""
        _, within = prepare_both(table, self.width)
        groups = GroupSearch(within, self.run.rng)
        groups.start(self.best.order, self.best.parents)
        groups.improve(PHASE_PATIENCE * within.n_variables, self.run.budget)
        parents = groups.parents()
        self._focus = _Focus(random_topological_order(parents, self.run.rng), parents, groups.bags())
        return self._note(OrderedNetwork(groups.kept.order, parents, within.score(groups.kept.chosen)))

    def grow(self) -> None:
        """Grow sets within the predecessors in an order near the present one, and within its cliques."""
        focus, run = self._focus, self.run
        if focus is None:
            raise ValueError("nothing has been searched yet")
        position, n = positions_of(focus.order), run.scorer.n_variables
        run.grow_within(position + run.rng.normal(0.0, NEAR_SPREAD * n, n), focus.parents)

        def grow_child(grower: SetGrower) -> None:
            if not run.budget.is_spent():
                _grow_in_cliques(grower, focus, position)

        for _ in ordered_map(grow_child, run.growers, run.jobs):
            pass

    def adopt(self, found: SearchResult) -> None:
        self._note(OrderedNetwork(np.array([*(found.elimination or ())][::-1]), found.parents, found.score))


def _grow_in_cliques(grower: SetGrower, focus: _Focus, position: np.ndarray) -> None:
    """Grow a child's sets within its own bag and those of the variables most related to it."""
    child = grower.child
    related, _ = grower.improving(grower.required)
    earlier = position[related] < position[child]
    hosts = [child, *related[earlier][:RELATED].tolist(), *related[~earlier][:RELATED].tolist()]
    allowed = np.zeros(len(position), dtype=np.bool_)
    for host in hosts:
        members = [*focus.bags[host].tolist(), *grower.required]
        allowed[members] = True
        allowed[child] = False
        # The present parents in this bag, if any beside the required ones, are a second start.
        kept = tuple(p for p in focus.parents[child] if allowed[p])
        if len(kept) > len(grower.required):
            grower.grow_and_shrink(allowed, kept)
        grower.grow_and_shrink(allowed)
        allowed[members] = False
