"""The best network within a k-tree: dynamic programming over its cliques with more and more room for states."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stages.runtime.errors import InfeasibleError

if TYPE_CHECKING:
    from stages.kernels.ktrees.ktree import KTree
    from stages.kernels.ktrees.ktree_dp_states import InsideStates
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

    loss: float
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
        from stages.kernels.ktrees.ktree_dp import CliqueTree, Families

        if problem.treewidth > MOST_WIDTH:
            raise InfeasibleError(f"this method knows cliques of width {MOST_WIDTH} at most: lower --tw")
        n, n_sets = problem.n_variables, len(problem.scores)
        self.problem = problem
        self.families = Families(
            np.zeros(n + 1, dtype=np.int64),
            np.zeros(2 * n_sets, dtype=np.int64),
            np.zeros(2 * n_sets, dtype=np.int32),
            np.zeros(n),
            np.zeros(n),
        )
        self.cliques = CliqueTree(
            np.zeros(n, dtype=np.int32),
            np.zeros(n, dtype=np.int32),
            np.zeros(n, dtype=np.int64),
            np.zeros(n, dtype=np.int64),
            np.zeros(1),
        )
        self.states = self._new_states(ROOMS[0] * n)

    def _new_states(self, capacity: int) -> InsideStates:
        from stages.kernels.ktrees.ktree_dp_states import InsideStates

        return InsideStates(
            np.zeros(capacity),
            np.zeros(capacity, dtype=np.int64),
            np.zeros((capacity, self.problem.treewidth + 1), dtype=np.int64),
            np.zeros(capacity, dtype=np.int64),
            np.zeros(capacity, dtype=np.int64),
            np.zeros(capacity, dtype=np.int64),
            np.zeros(2, dtype=np.int64),
        )

    def solve(self, tree: KTree, within: float, floor: float, budget: Budget) -> InsideAnswer | None:
        """The best network within `tree` above `floor`.

        Parameters
        ----------
        tree : KTree
        within : float
            `best_within` of it.
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
            answer = self._solve_with(tree, limit, within - max(floor, best.loss), budget)
            if answer is None:
                return best if best.loss > -np.inf else None
            if answer.loss > best.loss:
                best = answer
            best = best._replace(dropped=answer.dropped)
            if answer.proved or (limit > ROOMS[0] and answer.dropped > self.problem.n_variables):
                break
        return best

    def _solve_with(self, tree: KTree, limit: int, slack: float, budget: Budget) -> InsideAnswer | None:
        from stages.kernels.ktrees.ktree_dp import link_cliques, solve_cliques, trace_choices

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
                self._make_room()
        dropped = int(found.counts[1])
        if t == -2:
            return InsideAnswer(-np.inf, tree.chosen, dropped)
        last = int(self.cliques.starts[tree.order[width]])
        loss = trace_choices(lists, tree, self.states, last)
        return InsideAnswer(loss, tree.chosen.copy(), dropped)

    def _make_room(self) -> None:
        larger = self._new_states(2 * len(self.states.costs))
        for array, former in zip(larger, self.states, strict=True):
            array[: len(former)] = former
        self.states = larger
