"""The best network within a k-tree: a bound, then dynamic programming over its cliques with a limit of states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.ktrees.ktree import KTree
from stages.optimize.bounds.rounding import proof_rounding
from stages.optimize.treewidth.problem import BoundedProblem
from stages.published.nie_2015_2016.kernels.families_by_clique import new_clique_families, sort_families
from stages.published.nie_2015_2016.kernels.ktree_dp import (
    LOST,
    link_cliques,
    new_clique_messages,
    solve_cliques,
    trace_choices,
)
from stages.published.nie_2015_2016.kernels.ktree_dp_states import PartialChoices, new_partial_choices, with_more_room
from stages.published.nie_2015_2016.kernels.ktree_families import (
    bound_networks,
    collect_families,
    follow_trail,
    new_ascent_scratch,
    new_families,
)
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError

STARTS = 8
"""Number of dual ascents; each gives a bound and a network, and where one leaves a gap, another often closes it."""

STATE_LIMITS = (30, 200, 2000)
"""States per clique, by pass; the network of a pass is the incumbent of the next pass, which it shortens."""

MOST_STATES = 50_000
"""Limit of states times variables for every pass after the first; beyond it the k-tree stays unproved."""

MOST_WIDTH = 62
"""Members of a clique are bits of one word."""


class InsideAnswer(NamedTuple):
    """The best network found within a k-tree."""

    relative_score: float  # in nats; minus infinity if none above the floor was found
    chosen: np.ndarray  # int64, shape (n_variables,): its sets
    gap: float  # upper bound on the gain of another network over this one (or the floor), nats
    is_solved: bool = True  # whether more than a first bound was computed


class InsideSolver:
    """Solves one k-tree after the other: first a bound, then dynamic programming on the sets that the bound does not
    prune.

    The problem is from `prepare_within`. Raises `InfeasibleError` if the cliques are too large.
    """

    def __init__(self, problem: BoundedProblem):
        if problem.treewidth > MOST_WIDTH:
            raise InfeasibleError(f"this method supports cliques of width {MOST_WIDTH} at most: lower --tw")
        n, n_sets = problem.n_variables, len(problem.scores)
        self.problem = problem
        # Both hold the present k-tree.
        self.families = new_families(n, n_sets, len(problem.lists.parents))
        self.scratch = new_ascent_scratch(n, n_sets)
        self.sorted_families = new_clique_families(n, n_sets)
        self.cliques = new_clique_messages(n)
        self.states = self._new_states(n)

    def _new_states(self, capacity: int) -> PartialChoices:
        return new_partial_choices(capacity, self.problem.treewidth + 1)

    def solve(self, tree: KTree, floor: float, budget: Budget) -> InsideAnswer | None:
        """The best network within `tree` above `floor`, a relative score in nats.

        None if the budget ended before any network was found.
        """
        within = collect_families(self.problem.lists, self.problem.filters, tree, self.families)
        least = bound_networks(self.families.lists, self.scratch, within - floor, 0)
        if least >= within - floor:
            return InsideAnswer(-np.inf, tree.chosen, 0.0, False)
        n = self.problem.n_variables
        rounding = proof_rounding(n, abs(within) + least)
        # From here on networks are compared by cost, `within` less their relative score. `least` is a lower bound on
        # it; a better network must cost less than `limit`.
        best, least, reduced = self._ascend_again(tree, within, least, floor, rounding, budget)
        limit = within - max(floor, best.relative_score)
        proved = least
        for most_states in STATE_LIMITS:
            is_first = most_states == STATE_LIMITS[0]
            if limit - proved <= rounding or not (is_first or most_states * n <= MOST_STATES):
                break
            # Reduced-cost pruning: with a set the bound rises by its reduced cost, so if the sum exceeds the limit,
            # no network with the set is better.
            most = limit - least + rounding
            lack = sort_families(self.families, reduced, most, self.sorted_families)
            found = self._search(tree, most_states, limit - lack, budget)
            if found is None:
                return best._replace(gap=limit - proved) if best.relative_score > -np.inf else None
            relative_score, lost = found
            if relative_score > best.relative_score:
                best = best._replace(relative_score=relative_score, chosen=tree.chosen.copy())
                limit = min(limit, within - relative_score)
            # A network that was not found was either pruned, and costs at least `limit`, or lost to the limit of
            # states.
            proved = max(proved, min(lack + lost, limit))
        gap = limit - proved
        return best._replace(gap=gap if gap > rounding else 0.0)

    def _ascend_again(
        self, tree: KTree, within: float, least: float, floor: float, rounding: float, budget: Budget
    ) -> tuple[InsideAnswer, float, np.ndarray]:
        """The best network found by ascents, the best lower bound on the cost, and its reduced costs.

        `within` is the relative score of the best sets within the k-tree, cycles allowed; `least` is the lower bound
        of the first ascent.
        """
        n, families, placement = self.problem.n_variables, self.families, self.scratch.placement
        best = InsideAnswer(-np.inf, tree.chosen, np.inf)
        limit, proved, reduced = within - floor, -np.inf, placement.reduced
        for k in range(STARTS):
            if k:
                least = bound_networks(families.lists, self.scratch, limit, k * n // STARTS)
            # Otherwise the ascent stopped early and its trail is not a complete order.
            if least < limit:
                cost = follow_trail(families, placement, tree.chosen)
                if cost < limit:
                    best, limit = InsideAnswer(within - cost, tree.chosen.copy(), np.inf), cost
            if least > proved:
                proved, reduced = least, placement.reduced[: families.lists.set_offsets[-1]].copy()
            if limit - proved <= rounding or budget.is_spent():
                break
        return best, proved, reduced

    def _search(self, tree: KTree, most_states: int, slack: float, budget: Budget) -> tuple[float, float] | None:
        """Find the best network that costs less than `slack`; `tree` receives its choices. Returns its relative score
        and a lower bound on the cost of networks lost to the limit of states; None if the budget ended.
        """
        lists, width = self.problem.lists, self.problem.treewidth
        link_cliques(tree, self.cliques)
        self.states.stored[:] = 0
        found, kept = self._new_states(8 * most_states), self._new_states(8 * most_states)
        t = self.problem.n_variables - 1
        while t >= width:
            if budget.is_spent():
                return None
            before = t
            t = solve_cliques(
                lists, tree, self.sorted_families, self.cliques, self.states, found, kept, slack, most_states, t
            )
            # Even a single clique does not fit the arrays.
            if t == before:
                self.states = with_more_room(self.states, 2 * len(self.states.costs))
        lost = float(self.cliques.costs[LOST])
        if t == -2:
            return -np.inf, lost
        last = int(self.cliques.starts[tree.order[width]])
        return trace_choices(lists, tree, self.states, last), lost
