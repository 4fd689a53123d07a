"""Pricing: order search and growth of candidate lists in turn, sets scored on demand (a method of this project).

Lists made in advance cap what any search on them can reach. Here hill climbing finds a first network, and a search
improves its order on the lists at hand; then every variable's set is grown and shrunk within its predecessors in the
best order and in a few orders near it, and all sets met on the way join the lists; then the search goes on. It is
column generation by sampling: columns are asked for where the present solution lies, and no family is scored twice
as long as memory lasts. When rounds around the best order bring nothing, some follow around another (`visits`) that
best moves of single variables lead to (`best_moves`); with few variables these also make the first order.

At the end an upper bound says how far from the best network of the final lists the result may be. Where all sets can
be listed in seconds they are, after the first search, and the rest is a search among complete lists
(`complete_lists`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stages.graphs import positions_of, random_topological_order, topological_order
from stages.runtime.reporting import NullReporter
from stages.runtime.seeding import task_generator
from stages.runtime.warm_up import tiny_table
from stages.scoring.family_scorer import FamilyScorer

from ..bounds.anytime_bound import FIRST_WORK, SHARE, bound_facts
from ..bounds.claims import claim_of_grown_lists, claim_of_scores
from ..bounds.lagrangian import BoundSearch
from ..bounds.rounding import optimality_tolerance, proof_rounding
from ..climbing.constraints import make_constraints, start_graph
from ..orders import ils
from ..orders.insertion_ils import OrderShaker
from ..result import Parents, SearchResult, total_score
from .best_moves import KeptTrees, climb_order
from .complete_lists import can_enumerate, enumerate_all, search_complete
from .greedy_start import climb, find_start
from .growers import grow_within, make_growers
from .growing_lists import GrowingLists
from .row_samples import search_samples
from .visits import HOME_PATIENCE, TOLERANCE, Visit

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.orders.set_lists import SetLists
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions

NEAR_ORDERS = 4
NEAR_SPREAD = 0.1
"""Orders near the best one priced per round, and the standard deviation of their shifts as a share of n."""

PHASE_WORK = 50_000_000
PHASE_PROFILES = 60
"""Sets tested, and variables moved per variable, in a search phase at most: half a second at most, and mostly less
than growing sets takes. New sets are worth more than a longer search among old ones; by experiment.
"""

LONGER = 8
"""A phase may be so many times as long elsewhere, and when the one before brought nothing; by experiment."""

MOST_BYTES = 1 << 30
"""Memory for scores beyond which all but the sets in the lists are forgotten."""

BOUND_TIME = 0.05
"""Share of a time limit that the upper bound gets; without one its work is a share of the search's."""

LOOKS = 4
"""The bound is looked at after the first round and whenever there are so many times as many."""

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

    Parameters
    ----------
    scorer : FamilyScorer
    options : OptimizeOptions
        ``max_parents``, ``required``, ``forbidden``, ``tiers``, ``seed``, ``jobs``; ``start`` is a network whose
        order is the first.
    budget : Budget
        Without a time limit the run ends when it no longer improves. Its evaluations are local scores; no more are
        computed, besides those of no parents and of networks and lists to begin with.
    reporter : Reporter
    table : ParentSetTable, optional
        Candidate lists to begin with.
    """
    if table is None:
        options = search_samples(scorer, options, budget, find_parents, reporter)
    run = Pricing(scorer, options, budget.part(1.0 - BOUND_TIME), reporter, table)
    run.prepare(grows=table is None)
    if run.completes():
        return run.solve(budget)
    run.alternate()
    return run.result(run.bound(budget))


def find_parents(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget) -> Parents:
    """The network that pricing finds on a sample of the rows, until it no longer improves."""
    run = Pricing(scorer, options, budget, NullReporter(), None)
    run.prepare(grows=True)
    run.alternate(SAMPLE_PATIENCE)
    return run.parents


def warm_up(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile all that `search_data` may need: what grows lists, and what searches among complete ones."""
    run = Pricing(scorer, options, budget, reporter, None)
    run.prepare(grows=True)
    run.alternate()
    run.bound(budget)
    ils.search(tiny_table(), options, budget, reporter)
    search_data(FamilyScorer(scorer.dataset, scorer.score, scorer.ess), options, budget, reporter)


class Pricing:
    """One run; `treewidth` searches and prices in its own way.

    Attributes
    ----------
    order, parents
        Of the best network.
    visit : Visit or None
        Where rounds take place if not around the best network.
    proof_work : float
        Work on the bound, in sets looked at, for a proof on complete lists that the search among them left open.
    patience : int
        Rounds without a better network after which a run without a time limit ends.
    """

    proof_work = 2e9
    patience = 30

    def __init__(self, scorer, options, budget, reporter, table):
        self.scorer: FamilyScorer = scorer
        self.options: OptimizeOptions = options
        self.budget: Budget = budget
        self.reporter: Reporter = reporter
        self.lists = GrowingLists(make_growers(scorer, options, table, self.scores_left))
        self.constraints = make_constraints(scorer, options)
        # Threads that share a number of evaluations would end at different places.
        self.jobs = options.jobs if budget.evaluations is None else 1
        self.rng = task_generator(options.seed)
        self.best_score = -np.inf
        self.rounds = 0
        self.idle = 0
        self.visit: Visit | None = None
        self.visits = 0
        self.trees: KeptTrees | None = None
        self.next_look = 1
        self.shown: dict[str, float] = {}
        self.told: dict[str, object] = {}
        self.work = 0

    def prepare(self, grows: bool) -> None:
        """First network, first order and, with `grows`, first lists."""
        start = self.options.start
        given = None if start is None else start.parents
        self.parents = start_graph(given, self.constraints, self.scorer.dataset.names)
        self.order = random_topological_order(self.parents, self.rng)
        scores = [grower.score(p) for grower, p in zip(self.lists.growers, self.parents)]
        self.tell(score=math.fsum(scores))
        if grows:
            self.grow_first()
        elif start is not None:
            self.price_within(positions_of(self.order), self.parents)

    def grow_first(self) -> None:
        """Climb to a network, where that is cheap improve its order by best moves, and grow lists within it."""
        growers = self.lists.growers
        self.parents = find_start(
            self.scorer, growers, self.constraints, self.parents, self.budget, self.jobs, self.tell
        )
        self.order = random_topological_order(self.parents, self.rng)
        if self.options.start is None and all(grower.reach is None for grower in growers):
            self.order = self.move_best(self.order)
        self.price_within(positions_of(self.order), self.parents)

    def climb_on(self) -> None:
        """Hill climbing from the best network, until all candidates are within the reach of the growers."""
        growers, wider = self.lists.growers, [None] * self.scorer.n_variables
        self.parents = climb(
            self.scorer, growers, self.constraints, self.parents, self.budget, self.tell, wider
        )
        self.order = random_topological_order(self.parents, self.rng)

    def move_best(self, order: np.ndarray) -> np.ndarray:
        """The order that best moves of single variables lead to from another one; the lists know the sets met."""
        if self.trees is None or self.trees.is_outdated:
            self.trees = KeptTrees(self.lists.growers)

        def tell(score: float) -> None:
            self.tell(score=max(score, self.best_score), **self.shown)

        return climb_order(self.trees, order, self.rng, self.is_spent, tell)

    def completes(self) -> bool:
        """Have all sets listed where that takes seconds; whether it was done.

        One search comes first, so that there is a good network when time or user end it.
        """
        growers = self.lists.growers
        if self.is_spent() or not can_enumerate(self.scorer, growers, self.budget):
            return False
        self.search()

        def tell(done: int) -> None:
            self.tell(score=self.best_score, complete=f"{done} of {len(growers)} lists")

        is_complete = enumerate_all(self.scorer, growers, self.budget, self.jobs, tell)
        self.lists.is_complete = is_complete
        return is_complete

    def solve(self, budget: Budget) -> SearchResult:
        """Search on among complete lists: the best network, and a bound on all within the options' limits."""
        found = search_complete(self.lists.table(), self.options, budget, self.reporter)
        self.take_over(found)
        bound = found.facts["bound"]
        if bound - self.best_score > optimality_tolerance(found.scores):
            rounding = proof_rounding(len(found.scores), float(np.abs(found.scores).sum()))
            bound = min(bound, self.bound(budget, self.proof_work) + rounding)
        return self.result(bound, claim_of_scores(self.options), rounding=0.0)

    def take_over(self, found: SearchResult) -> None:
        """Go on with a network of the lists if it is the best of the run."""
        if found.score > self.best_score:
            self.parents, self.best_score = found.parents, found.score
            self.order = np.array(topological_order(found.parents), dtype=np.int32)
        self.tell(score=self.best_score, sets=self.lists.n_sets)

    def take_found(self, lists: SetLists, search: BoundSearch) -> None:
        """Go on with the network that a bound's last step found, if it is the best of the run."""
        if search.found is None:
            return
        score = total_score(lists.scores, search.found)
        if score > self.best_score + TOLERANCE:
            parents = self.lists.sets(lists, search.found)
            self.take_over(SearchResult(parents, lists.scores[search.found], score))

    def alternate(self, patience: int | None = None) -> None:
        """Search and price until the budget is spent, or so many rounds in turn did not improve: by default
        `self.patience` without a time limit, and as many as it takes with one.
        """
        idle = 0
        if patience is None and self.budget.seconds is None:
            patience = self.patience
        while True:
            improved = self.search()
            idle = 0 if improved else idle + 1
            if self.is_spent() or (patience is not None and idle >= patience):
                return
            growers = self.lists.growers
            if self.visit is None and any(grower.reach is not None for grower in growers):
                self.climb_on()
            self.price()
            self.rounds += 1
            if self.rounds == self.next_look:
                self.next_look *= LOOKS
                self.look_at_bound()
            self.lists.forget_over(MOST_BYTES - (0 if self.trees is None else self.trees.bytes))

    def scores_left(self) -> float:
        return self.budget.evaluations_left(self.scorer.evaluations)

    def is_spent(self) -> bool:
        return self.budget.is_spent(self.scorer.evaluations)

    def search(self) -> bool:
        """One phase of order search on the lists at hand, around the best order or elsewhere; whether it found a
        better network.
        """
        packed = self.lists.pack()
        shaker = OrderShaker(packed, self.order if self.visit is None else self.visit.order, self.rng)
        length = 1 if self.visit is None and self.idle == 0 else LONGER
        shaker.search(self.budget, length * PHASE_PROFILES * self.scorer.n_variables, length * PHASE_WORK)
        self.work += shaker.work
        order, score = shaker.order, shaker.score
        parents = self.lists.sets(packed, shaker.chosen)
        improved = score > self.best_score + TOLERANCE
        if improved or self.visit is None:
            self.idle = 0 if improved else self.idle + 1
            self.visit = None
            self.order, self.parents, self.best_score = order, parents, max(score, self.best_score)
        else:
            self.visit.note(order, parents, score)
        facts = {} if self.visit is None else {"basin": self.visits + 1, "its score": self.visit.score}
        self.tell(score=self.best_score, **self.shown, sets=len(packed.scores), rounds=self.rounds, **facts)
        return improved

    def tell(self, **facts: object) -> None:
        """Tell how many local scores were computed so far, and what came of it."""
        self.told = facts
        self.reporter.progress(self.scorer.evaluations, self.budget.evaluations, "local scores", **facts)

    def price(self) -> None:
        """Grow sets within the predecessors of an order and of orders near it: the best order, or another one when
        rounds around the best one brought nothing.
        """
        if self.visit is not None and self.visit.is_over:
            self.visit, self.idle = None, 0
        elif self.visit is None and self.idle >= HOME_PATIENCE:
            self.leave()
            return
        here = self if self.visit is None else self.visit
        n = self.scorer.n_variables
        position = positions_of(here.order)
        self.price_within(position, here.parents)
        for _ in range(NEAR_ORDERS):
            self.price_within(position + self.rng.normal(0.0, NEAR_SPREAD * n, n), here.parents)

    def leave(self) -> None:
        """Go on around an order that best moves lead to from a random one."""
        required = self.lists.required
        self.visit = Visit(self.move_best(random_topological_order(required, self.rng)), required)
        self.visits += 1

    def price_within(self, position: np.ndarray, present: Parents | None) -> list[tuple[int, ...] | None]:
        """Grow and shrink every variable's set within its predecessors, from nothing and from its present set.

        Returns the set that was reached from nothing; None for variables whose turn did not come.
        """

        reached: list[tuple[int, ...] | None] = []
        facts = self.told
        for parents in grow_within(self.lists.growers, position, present, self.is_spent, self.jobs):
            reached.append(parents)
            self.tell(**facts, growing=f"{len(reached)} of {len(position)}")
        self.told = facts
        return reached

    def look_at_bound(self) -> None:
        """Work a little on a bound on the lists at hand, so that a gap is shown long before the end."""
        lists = self.lists.pack()
        search = BoundSearch(lists, task_generator(self.options.seed, 0, 1))
        search.improve(self.budget, self.look_work(), self.best_score)
        self.take_found(lists, search)
        # Lists grow, and the gap with them: it is one to the best network of these.
        self.shown = {f"gap to the best of {len(lists.scores):,} sets": search.gap}

    def look_work(self) -> float:
        """Work on the bound at one look: a share of the search's, so that early looks take no time from it."""
        return min(FIRST_WORK, SHARE * self.work)

    def bound(self, budget: Budget, least_work: float = 0.0) -> float:
        """An upper bound in nats on all networks from the lists at hand.

        Worked on until `budget` ends it; where the search was not ended by time, only until it has had its share of
        the search's work, and `least_work`.
        """
        lists = self.lists.pack()
        search = BoundSearch(lists, task_generator(self.options.seed, 0, 1))
        gap_name = f"gap to the best of the final {len(lists.scores):,} sets"
        is_out = budget.evaluations is not None and self.scorer.evaluations >= budget.evaluations
        goes_by_time = budget.seconds is not None and not is_out
        most = np.inf if goes_by_time else max(least_work, FIRST_WORK + SHARE * self.work)
        while search.work < most and not search.is_closed and not budget.is_spent():
            search.improve(budget, min(most, search.work + FIRST_WORK), self.best_score)
            self.take_found(lists, search)
            self.tell(score=self.best_score, **{gap_name: search.gap})
        return search.value

    def result(self, bound: float, claim: str | None = None, rounding: float | None = None) -> SearchResult:
        """The best network, with an upper bound in nats and what that holds for: by default for the final lists.

        Its `rounding` may be left out of the bound; it is that of the network's sum if not given.
        """
        scores = np.array([g.score(p) for g, p in zip(self.lists.growers, self.parents)])
        n_sets = self.lists.n_sets
        arcs = sum(map(len, self.parents))
        figures = {
            "arcs": arcs,
            "rounds": self.rounds,
            "visits": self.visits,
            "sets": n_sets,
            "scores_computed": self.scorer.evaluations,
            "seconds": self.budget.elapsed(),
        }
        score = math.fsum(scores.tolist())
        if rounding is None:
            rounding = proof_rounding(len(scores), float(np.abs(scores).sum()))
        facts = {
            "scores_computed": self.scorer.evaluations,
            **bound_facts(bound, score, rounding),
            "bound_relative_to": claim or claim_of_grown_lists(n_sets, self.options),
        }
        return SearchResult(self.parents, scores, score, facts, figures, lists=self.lists.records())
