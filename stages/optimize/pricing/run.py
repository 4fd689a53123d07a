"""One run of pricing: data, options, budget, candidate lists and progress, which the loop and its engine share.

An engine searches on the lists and grows them; `PricingEngine` is its protocol.

A run under a treewidth bound has phases. Each is a `PricingRun` with its own options, budget and reports; all phases
share the lists, the random numbers and the count of work done (`PricingRun.phase`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from formats.bounds import Bound
from formats.records import ParentSetTable
from stages.graphs import random_topological_order
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Offer, Reporter
from stages.runtime.seeding import task_generator
from stages.runtime.workers import ordered_map
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.set_grower import SetGrower

from .. import OptimizeOptions
from ..bounds.rounding import proof_rounding
from ..climbing.constraints import Constraints, make_constraints, start_graph
from ..orders.insertion_ils import OrderShaker
from ..result import Parents, SearchResult
from .basins import OrderedNetwork
from .growing_lists import GrowingLists, make_growers

MANY_VARIABLES = 1 << 14
"""With more variables a run without limits tries ranked candidates only: trying all takes hours with tens of
thousands.
"""


@dataclass(eq=False)
class WorkDone:
    """Work of all phases of a run so far, besides the local scores that the scorer counts."""

    rounds: int = 0  # of growth
    visits: int = 0  # to other basins
    _walk: OrderShaker | None = None
    _walked: float = 0.0

    @property
    def walked(self) -> float:
        """Sets tested by searches over orders."""
        return self._walked + (0.0 if self._walk is None else self._walk.work)

    def begin_walk(self, walk: OrderShaker) -> None:
        """Count the sets that this search tests while it runs."""
        self._walk = walk

    def end_walk(self) -> None:
        """End the count of a search; its lists are released."""
        self._walked, self._walk = self.walked, None


@dataclass(eq=False)
class PricingRun:
    """What the loop and its engine share in a phase of a run."""

    scorer: FamilyScorer
    options: OptimizeOptions
    budget: Budget  # for search, growth and bound; its evaluations are local scores
    reporter: Reporter
    lists: GrowingLists
    constraints: Constraints
    rng: np.random.Generator
    jobs: int  # threads that grow sets
    work: WorkDone
    lists_all: bool = field(default=False, init=False)  # all lists are complete, or about to be completed
    # The last gap, keyed by a name that says which lists it refers to; shown with all later progress.
    gap: dict[str, float] = field(default_factory=dict, init=False)
    # Of the last report.
    _facts: dict[str, object] = field(default_factory=dict, init=False)
    _network: Offer | None = field(default=None, init=False)
    # Makes the best network of the engine; reported with all progress that has no other.
    found: Offer | None = field(default=None, init=False)

    def phase(
        self, reporter: Reporter, options: OptimizeOptions | None = None, budget: Budget | None = None
    ) -> PricingRun:
        """A phase with its own reports, and its own options and budget if given; all else is shared."""
        return replace(self, reporter=reporter, options=options or self.options, budget=budget or self.budget)

    @property
    def growers(self) -> list[SetGrower]:
        """One per variable, in variable order."""
        return self.lists.growers

    def is_spent(self) -> bool:
        """The budget has ended."""
        return self.budget.is_spent(self.scorer.evaluations)

    def report(self, score: float | None = None, network: Offer | None = None, **facts: object) -> None:
        """Report the local scores computed, the best score (nats) and further facts.

        `network` makes the best network, by default that of the engine.
        """
        self._facts, self._network = ({} if score is None else {"score": score}) | self.gap | facts, network
        self.report_more()

    def report_more(self, **facts: object) -> None:
        """Repeat the last report with further facts."""
        done, total = self.scorer.evaluations, self.budget.evaluations
        self.reporter.progress(done, total, "local scores", self._network or self.found, **self._facts | facts)

    def start_network(self, reached: float = -math.inf) -> tuple[np.ndarray, Parents]:
        """The network to start from, by default only the required arcs, with a random topological order.

        `reached` is the best score in nats of the run so far. Raises `InfeasibleError` as `start_graph` does.
        """
        start = self.options.start
        parents = start_graph(None if start is None else start.parents, self.constraints, self.scorer.dataset.names)
        order = random_topological_order(parents, self.rng)
        self.report(max(reached, math.fsum(grower.score(p) for grower, p in zip(self.growers, parents))))
        return order, parents

    @property
    def tries_all(self) -> bool:
        """Whether all candidates, not only ranked ones, come within reach once the first network is found."""
        return not self.budget.is_unlimited or self.scorer.n_variables <= MANY_VARIABLES

    def grow_within(self, position: np.ndarray, present: Parents | None = None) -> list[tuple[int, ...] | None]:
        """Grow and shrink every variable's set within its predecessors, from nothing and from its present set.

        Predecessors of a variable are the variables with a smaller `position` (shape (n_variables,)); `present` sets
        are reduced to predecessors. Returns the sets grown from nothing; None for variables not reached before the
        budget ended.
        """

        def grow(grower: SetGrower) -> tuple[int, ...] | None:
            return None if self.is_spent() else self.grow_child(grower, position, present)

        reached: list[tuple[int, ...] | None] = []
        for parents in ordered_map(grow, self.growers, self.jobs):
            reached.append(parents)
            self.report_more(growing=f"{len(reached)} of {len(position)}")
        return reached

    def grow_child(self, grower: SetGrower, position: np.ndarray, present: Parents | None = None) -> tuple[int, ...]:
        """`grow_within` for one variable."""
        allowed = position < position[grower.child]
        allowed[list(grower.required)] = True
        if present is not None:
            grower.grow_and_shrink(allowed, tuple(p for p in present[grower.child] if allowed[p]))
        return grower.grow_and_shrink(allowed)

    def result(self, parents: Parents, bound: Bound, rounding: float | None = None) -> SearchResult:
        """The result of the run.

        The `bound` does not yet include a rounding error of `rounding` nats, by default the error of the network's
        sum.
        """
        scores = np.array([self.lists.score(grower.child, p) for grower, p in zip(self.growers, parents)])
        score = math.fsum(scores.tolist())
        if rounding is None:
            rounding = proof_rounding(len(scores), float(np.abs(scores).sum()))
        facts = {"scores_computed": self.scorer.evaluations}
        figures = {
            "arcs": sum(map(len, parents)),
            "rounds": self.work.rounds,
            "visits": self.work.visits,
            "sets": self.lists.n_sets,
            "scores_computed": self.scorer.evaluations,
            "seconds": self.budget.elapsed(),
        }
        outward = Bound.of(bound.value, score, rounding, bound.about)
        return SearchResult(parents, scores, score, facts, figures, outward, lists=self.lists.records())


def start_run(
    scorer: FamilyScorer,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    table: ParentSetTable | None = None,
) -> PricingRun:
    """A run whose lists hold the sets of `table`, if given."""
    # A forest needs the scores of all pairs, whatever the budget.
    is_forest = options.treewidth is not None and options.treewidth <= 1

    def scores_left() -> float:
        return math.inf if is_forest else budget.evaluations_left(scorer.evaluations)

    constraints = make_constraints(scorer, options)
    return PricingRun(
        scorer=scorer,
        options=options,
        # A copy, so that time can be reserved from it.
        budget=budget.part(1.0),
        reporter=reporter,
        lists=GrowingLists(make_growers(scorer, constraints, table, scores_left)),
        constraints=constraints,
        rng=task_generator(options.seed),
        # Threads that share a limit on evaluations would end at different places.
        jobs=options.jobs if budget.evaluations is None else 1,
        work=WorkDone(),
    )


class PricingEngine(Protocol):
    """Searches on the lists of a `PricingRun` and grows them."""

    # A run without a time limit ends after this number of rounds in a row without a better network.
    patience: int
    # Whether the last search accepted worse networks on purpose; then a lack of better ones is no reason to stop.
    is_cooling: bool

    @property
    def best(self) -> OrderedNetwork: ...  # the incumbent; its score is -inf before the first search

    @property
    def bytes(self) -> int: ...  # approximate memory that the engine uses besides the lists

    def begin(self, grows: bool) -> None:
        """Find a first network; with `grows` also first lists, otherwise lists are given."""

    def search(self) -> bool:
        """One phase of search on the present lists; returns whether it improved the incumbent."""

    def grow(self) -> None:
        """One round of growth near the networks that searches have found."""

    def adopt(self, found: SearchResult) -> None:
        """Make a network found elsewhere the incumbent if it is better."""
