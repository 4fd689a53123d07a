"""The best network within a k-tree: dynamic programming over its cliques with more and more room for states."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stages.runtime.errors import InfeasibleError

if TYPE_CHECKING:
    from stages.kernels.ktrees.ktree import KTree
    from stages.kernels.ktrees.ktree_dp_states import PartialChoices
    from stages.runtime.budgets import Budget

    from .problem import BoundedProblem

ROOMS = (30, 300, 2000)
"""States per clique; the network of each pass is a floor that makes the next one shorter. The last pass is left
out where the one before lacked room more often than there are cliques: it would hardly prove anything.
"""

MOST_WIDTH = 62
"""Members of a clique are bits of one word."""


class InsideAnswer(NamedTuple):
    """Loss of the best network within a k-tree (in nats; minus infinity if none is above the floor), its
    choices, and how often there was no room for all states.
    """

    relative_score: float
    chosen: np.ndarray
    dropped: int

    @property
    def proved(self) -> bool:
        """There is certainly no better network."""
        return self.dropped == 0


class InsideSolver:
    """Solves one k-tree after the other.

    Parameters
    ----------
    problem : BoundedProblem
        Of `prepare_within`.

    Raises
    ------
    InfeasibleError
        The cliques are too large.
    """

    def __init__(self, problem: BoundedProblem):
        from stages.kernels.ktrees.ktree_dp import new_clique_messages, new_families

        if problem.treewidth > MOST_WIDTH:
            raise InfeasibleError(f"this method knows cliques of width {MOST_WIDTH} at most: lower --tw")
        n, n_sets = problem.n_variables, len(problem.scores)
        self.problem = problem
        self.families = new_families(n, n_sets)
        self.cliques = new_clique_messages(n)
        self.states = self._new_states(ROOMS[0] * n)

    def _new_states(self, capacity: int) -> PartialChoices:
        from stages.kernels.ktrees.ktree_dp_states import new_partial_choices

        return new_partial_choices(capacity, self.problem.treewidth + 1)

    def solve(self, tree: KTree, within: float, floor: float, budget: Budget) -> InsideAnswer | None:
        """The best network within `tree` above `floor`.

        Parameters
        ----------
        tree : KTree
        within : float
            `best_within_ktree` of it.
        floor : float
            Loss in nats.
        budget : Budget

        Returns
        -------
        InsideAnswer or None
            None when the budget ran out before there was any.
        """
        from stages.kernels.ktrees.ktree_dp import collect_families

        collect_families(self.problem.lists, tree, self.families)
        best = InsideAnswer(-np.inf, tree.chosen, 1)
        for limit in ROOMS:
            answer = self._solve_with(tree, limit, within - max(floor, best.relative_score), budget)
            if answer is None:
                return best if best.relative_score > -np.inf else None
            if answer.relative_score > best.relative_score:
                best = answer
            best = best._replace(dropped=answer.dropped)
            if answer.proved or (limit > ROOMS[0] and answer.dropped > self.problem.n_variables):
                break
        return best

    def _solve_with(self, tree: KTree, limit: int, slack: float, budget: Budget) -> InsideAnswer | None:
        from stages.kernels.ktrees.ktree_dp import link_cliques, solve_cliques, trace_choices
        from stages.kernels.ktrees.ktree_dp_states import DROPPED, with_more_room

        lists, width = self.problem.lists, self.problem.treewidth
        link_cliques(tree, self.cliques)
        self.states.counts[:] = 0
        found, kept = self._new_states(8 * limit), self._new_states(8 * limit)
        t = self.problem.n_variables - 1
        while t >= width:
            if budget.is_spent():
                return None
            before = t
            t = solve_cliques(
                lists, tree, self.families, self.cliques, self.states, found, kept, slack, limit, t
            )
            if t == before:
                self.states = with_more_room(self.states, 2 * len(self.states.costs))
        dropped = int(found.counts[DROPPED])
        if t == -2:
            return InsideAnswer(-np.inf, tree.chosen, dropped)
        last = int(self.cliques.starts[tree.order[width]])
        relative_score = trace_choices(lists, tree, self.states, last)
        return InsideAnswer(relative_score, tree.chosen.copy(), dropped)
