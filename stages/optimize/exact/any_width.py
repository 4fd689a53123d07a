"""The best network from given lists with the proof: dynamic programming, or bounds and branch and cut.

Up to some twenty variables dynamic programming over subsets is fastest. For more variables, iterated local search and
the upper bound alternate as in `ils`; then branch and cut closes the gap over the sets that the bound has not
excluded. A search that ends early returns the incumbent and the bound.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from formats.bounds import Bound
from formats.records import ParentSetTable
from stages.evaluate.proof_checking import MOST_TOGETHER
from stages.lists.set_lists import lists_in
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator
from stages.runtime.workers import resolve_jobs

from .. import OptimizeOptions
from ..bounds.anytime_bound import FIRST_WORK, GAP_OF_LISTS
from ..bounds.claims import claim_of_lists
from ..bounds.lagrangian import BoundSearch
from ..bounds.proof_steps import TreeNode
from ..bounds.subset_dp import solve_by_subsets, subsets_fit
from ..orders.initial_orders import make_sampler
from ..result import SearchResult, listed_result
from .branch_and_cut import BranchAndCut
from .incumbent import Incumbent

CHUNK = 20_000_000
"""Work on the bound, in sets looked at, between two looks at the gap before branch and cut."""

PROOF_WORK = 100_000_000
"""Work on the bound, in sets looked at, to prove a network found by dynamic programming: below half a second."""

SETTLED = 0.01
"""Share of the gap that this work on the bound must close; else branch and cut takes over."""


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best network, or the incumbent when the budget ends, with an upper bound."""
    by_subsets = subsets_fit(table.n_variables)
    if options.keeps_proof and table.n_variables > MOST_TOGETHER:
        by_subsets = False  # A checker of the proof would have to repeat the dynamic programming.
    return prove(table, options, budget, reporter, by_subsets)


def warm_up(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile everything that `search` may need."""
    prove(table, options, budget, reporter, by_subsets=True)
    prove(table, options, budget, reporter, by_subsets=False)


def prove(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter, by_subsets: bool
) -> SearchResult:
    """As `search`, with or without dynamic programming."""
    lists = lists_in(table)
    rng = task_generator(options.seed, 0)
    sampler = make_sampler(table, options)
    firsts = itertools.chain([True], itertools.repeat(False))
    incumbent = Incumbent(lists, sampler.prescribed, lambda: sampler.draw(rng, next(firsts)), rng)
    bound = BoundSearch(lists, task_generator(options.seed, 0, 1))
    figures: dict[str, int] = {}
    about = claim_of_lists(table, options)

    def network(value: float) -> SearchResult:
        """The incumbent with an upper bound in nats."""
        found = listed_result(table, incumbent.chosen, incumbent.score)
        return replace(found, bound=Bound.of(value, incumbent.score, bound.rounding, about))

    if by_subsets:
        incumbent.search(budget)
        value = _prove_by_subsets(incumbent, bound, budget, reporter)
        is_solved = value == incumbent.score
        if is_solved and options.keeps_proof:
            # If multipliers suffice, checking them is much faster than repeating the dynamic programming.
            bound.improve(budget, PROOF_WORK, incumbent.score)
            is_solved = not bound.is_closed
        nodes = [TreeNode(is_solved=True) if is_solved else bound.root_node()]
    else:
        value, nodes, figures = _prove_by_cuts(incumbent, network, bound, budget, reporter, options)
    facts = {"init": options.init, **figures, "orders": incumbent.orders}
    return replace(network(value), facts=facts, nodes=nodes)


def _prove_by_subsets(incumbent: Incumbent, bound: BoundSearch, budget: Budget, reporter: Reporter) -> float:
    """Find the best network; returns the upper bound."""
    bound.incumbent = incumbent.score
    solved = solve_by_subsets(incumbent.lists, budget, reporter)
    if solved is None:
        bound.improve(budget, 1, incumbent.score)
        return bound.value
    incumbent.offer(solved[1])
    return incumbent.score


def _prove_by_cuts(
    incumbent: Incumbent,
    network: Callable[[float], SearchResult],
    bound: BoundSearch,
    budget: Budget,
    reporter: Reporter,
    options: OptimizeOptions,
) -> tuple[float, list[TreeNode], dict[str, int]]:
    """Improve incumbent and bound until they meet or the budget ends.

    `network` makes a network of the incumbent and an upper bound, for reports. Returns the upper bound, the nodes
    for its proof, and figures of branch and cut for the header.
    """

    def report(value: float, **more: int) -> None:
        facts = {"score": incumbent.score, GAP_OF_LISTS: value - incumbent.score, **more}
        reporter.progress(incumbent.orders, budget.evaluations, "orders", partial(network, value), **facts)

    def is_over() -> bool:
        return bound.is_closed or budget.is_spent(incumbent.orders)

    bound.improve(budget, FIRST_WORK, incumbent.score)
    while not incumbent.is_stuck and not is_over():
        incumbent.search(budget)
        bound.improve(budget, FIRST_WORK + incumbent.work, incumbent.score)
        report(bound.value)

    before = math.inf
    while bound.gap < (1.0 - SETTLED) * before and not is_over():
        before = bound.gap
        if bound.found is not None:
            incumbent.offer(bound.found)
        bound.improve(budget, bound.work + CHUNK, incumbent.score)
        report(bound.value)
    if is_over():
        return bound.value, [bound.root_node()], {}

    value = bound.value
    cutting = BranchAndCut(
        bound,
        incumbent,
        budget,
        lambda: report(cutting.value, branches=cutting.n_branches),
        options.keeps_proof,
        resolve_jobs(options.jobs),
    )
    cutting.run()
    figures = {"branches": cutting.n_branches, "programmes": cutting.n_programmes}
    return min(value, cutting.value), cutting.tree.nodes, figures
