"""The best network within a k-tree: a bound, then dynamic programming over its cliques with limited room."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stages.runtime.errors import InfeasibleError

from ..bounds.rounding import proof_rounding

if TYPE_CHECKING:
    from stages.kernels.ktrees.ktree import KTree
    from stages.kernels.ktrees.ktree_dp_states import PartialChoices
    from stages.runtime.budgets import Budget

    from .problem import BoundedProblem

STARTS = 8
"""Ascents of the bound, each of which gives a network, too: where one leaves a gap, another often closes it."""

ROOMS = (30, 200, 2000)
"""States per clique; the network of each pass is a floor that makes the next one shorter."""

MOST_STATES = 50_000
"""States of a pass but the first one at most, so that a k-tree is left unproved rather than takes seconds."""

MOST_WIDTH = 62
"""Members of a clique are bits of one word."""


class InsideAnswer(NamedTuple):
    """What is known of the networks within a k-tree.

    Attributes
    ----------
    relative_score : float
        Of the best one found, in nats; minus infinity if none is above the floor.
    chosen : ndarray of int64, shape (n_variables,)
        Its sets.
    gap : float
        How much better than that, or than the floor, one may be at most, in nats; 0 where it is proved that none is.
    """

    relative_score: float
    chosen: np.ndarray
    gap: float


class InsideSolver:
    """Solves one k-tree after the other: a bound first, then dynamic programming with the sets that it leaves.

    Parameters
    ----------
    problem : BoundedProblem
        Of `prepare_within`.

    Attributes
    ----------
    families, scratch : Families, AscentScratch
        Of the k-tree at hand.

    Raises
    ------
    InfeasibleError
        The cliques are too large.
    """

    def __init__(self, problem: BoundedProblem):
        from stages.kernels.ktrees.clique_families import new_clique_families
        from stages.kernels.ktrees.ktree_dp import new_clique_messages
        from stages.kernels.ktrees.ktree_families import new_ascent_scratch, new_families

        if problem.treewidth > MOST_WIDTH:
            raise InfeasibleError(f"this method knows cliques of width {MOST_WIDTH} at most: lower --tw")
        n, n_sets = problem.n_variables, len(problem.scores)
        self.problem = problem
        self.families = new_families(n, n_sets, len(problem.lists.parents))
        self.scratch = new_ascent_scratch(n, n_sets)
        self.sorted_families = new_clique_families(n, n_sets)
        self.cliques = new_clique_messages(n)
        self.states = self._new_states(n)

    def _new_states(self, capacity: int) -> PartialChoices:
        from stages.kernels.ktrees.ktree_dp_states import new_partial_choices

        return new_partial_choices(capacity, self.problem.treewidth + 1)

    def solve(self, tree: KTree, floor: float, budget: Budget) -> InsideAnswer | None:
        """The best network within `tree` above `floor`, a relative score in nats.

        Returns
        -------
        InsideAnswer or None
            None when the budget ran out before there was any.
        """
        from stages.kernels.ktrees.ktree_families import bound_networks, collect_families

        within = collect_families(self.problem.lists, tree, self.families)
        least = bound_networks(self.families, self.scratch, within - floor, 0)
        if least >= within - floor:
            return InsideAnswer(-np.inf, tree.chosen, 0.0)
        return self.finish(tree, within, least, floor, budget)

    def finish(
        self, tree: KTree, within: float, least: float, floor: float, budget: Budget
    ) -> InsideAnswer | None:
        """The same once `bound_networks` found no more than that networks cost at least `least`.

        Parameters
        ----------
        tree : KTree
        within : float
            Relative score of the best sets within it, cycles allowed.
        least : float
            In nats.
        floor : float
        budget : Budget
        """
        from stages.kernels.ktrees.clique_families import sort_families

        lists, n = self.problem.lists, self.problem.n_variables
        rounding = proof_rounding(n, abs(within) + least)
        best, least, reduced = self._ascend_again(tree, within, least, floor, rounding, budget)
        limit = within - max(floor, best.relative_score)
        proved = least
        for room in ROOMS:
            if limit - proved <= rounding or (room > ROOMS[0] and room * n > MOST_STATES):
                break
            most = limit - least + rounding
            lack = sort_families(lists, self.families, reduced, most, self.sorted_families)
            found = self._search(tree, room, limit - lack, budget)
            if found is None:
                return best._replace(gap=limit - proved) if best.relative_score > -np.inf else None
            relative_score, lost = found
            if relative_score > best.relative_score:
                best = best._replace(relative_score=relative_score, chosen=tree.chosen.copy())
                limit = min(limit, within - relative_score)
            proved = max(proved, min(lack + lost, limit))
        gap = limit - proved
        return best._replace(gap=gap if gap > rounding else 0.0)

    def _ascend_again(
        self, tree: KTree, within: float, least: float, floor: float, rounding: float, budget: Budget
    ) -> tuple[InsideAnswer, float, np.ndarray]:
        """The best network that ascents come upon, the best bound on the cost, and its reduced costs; arguments as
        of `finish`.
        """
        from stages.kernels.ktrees.ktree_families import bound_networks, follow_trail

        n, families, placement = self.problem.n_variables, self.families, self.scratch.placement
        best = InsideAnswer(-np.inf, tree.chosen, np.inf)
        limit, proved, reduced = within - floor, -np.inf, placement.reduced
        for k in range(STARTS):
            if k:
                least = bound_networks(families, self.scratch, limit, k * n // STARTS)
            if least < limit:
                cost = follow_trail(families, placement, tree.chosen)
                if cost < limit:
                    best, limit = InsideAnswer(within - cost, tree.chosen.copy(), np.inf), cost
            if least > proved:
                proved, reduced = least, placement.reduced[: families.set_offsets[-1]].copy()
            if limit - proved <= rounding or budget.is_spent():
                break
        return best, proved, reduced

    def _search(self, tree: KTree, room: int, slack: float, budget: Budget) -> tuple[float, float] | None:
        """Relative score of the best network that costs less than `slack`, its choices in `tree`, and what those
        lost for want of room cost at least; None when the budget ran out.
        """
        from stages.kernels.ktrees.ktree_dp import LOST, link_cliques, solve_cliques, trace_choices
        from stages.kernels.ktrees.ktree_dp_states import with_more_room

        lists, width = self.problem.lists, self.problem.treewidth
        link_cliques(tree, self.cliques)
        self.states.stored[:] = 0
        found, kept = self._new_states(8 * room), self._new_states(8 * room)
        t = self.problem.n_variables - 1
        while t >= width:
            if budget.is_spent():
                return None
            before = t
            t = solve_cliques(
                lists, tree, self.sorted_families, self.cliques, self.states, found, kept, slack, room, t
            )
            if t == before:
                self.states = with_more_room(self.states, 2 * len(self.states.costs))
        lost = float(self.cliques.costs[LOST])
        if t == -2:
            return -np.inf, lost
        last = int(self.cliques.starts[tree.order[width]])
        return trace_choices(lists, tree, self.states, last), lost
