"""A graph that climbs: gains of all its neighbours kept up to date, the best move taken step by step.

Adding or removing an arc changes the gains of one child, turning one those of two; only these are computed anew,
all possible parents of a child in one call. Everything that is compared is rounded to a grid well above the
rounding error of scores, so that equal gains are equal and the order of moves (`stages.kernels.climbing.moves`) is
total.

Constrained climbing (CHC, paper 001): a new arc of negative gain, or an arc whose removal gains, is taken for an
independence test, and the pair is not tried again until the forbidden-parent sets are cleared. All tests of a
step are made before its move is chosen. FastCHC in addition reopens pairs when a new arc links them at distance
two.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.workers import ordered_map

from ..result import Parents
from .cache import FamilyCache
from .constraints import Constraints

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter
    from stages.scoring.family_scorer import FamilyScorer

GRID_QUANTA = 1024
"""Grid of gains in quanta of the score: some 0.00003 nats for 20,000 rows."""

TABU_PATIENCE = 10
"""Steps without a new best graph, per entry of the tabu list, after which a tabu search ends."""

KNOWN_LOSS = -1.0
"""Stands for the gain of an arc that a bound shows to lower the score."""


class Climber:
    """Hill climbing from a given graph; reusable.

    Parameters
    ----------
    scorer : FamilyScorer
    cache : FamilyCache
        Shared by climbers on the same data and score.
    constraints : Constraints
    order : ndarray of int64
        Children in the order in which equal gains are resolved; sorted anew when a climb starts without arcs.
    constrained : bool
        Keep forbidden-parent sets (CHC).
    releases : bool
        Reopen pairs next to new arcs (FastCHC).
    tabu : int
        Length of the tabu list; 0 for none. At most half of all pairs.
    jobs : int
        Threads for the first scores.
    """

    def __init__(
        self,
        scorer: FamilyScorer,
        cache: FamilyCache,
        constraints: Constraints,
        order: np.ndarray,
        constrained: bool = False,
        releases: bool = False,
        tabu: int = 0,
        jobs: int = 1,
    ):
        from stages.kernels.climbing.moves import new_climb_state

        n = scorer.n_variables
        self.scorer, self.cache, self.constraints = scorer, cache, constraints
        self.constrained, self.releases, self.jobs = constrained, releases, jobs
        self.tabu = min(tabu, n * (n - 1) // 4)
        self.grid = scorer.quantum * GRID_QUANTA
        self.moves = np.zeros(3, dtype=np.int64)  # additions, removals, reversals made
        self.parents: list[tuple[int, ...]] = [()] * n
        self.scores = np.zeros(n)
        self._has_bound = scorer.definition.penalty is not None and not tabu
        self._listed = np.empty(n, dtype=np.int32)
        self.state = new_climb_state(constraints.permitted, constraints.fixed, order)

    # ------------------------------------------------------------------------------- graph and scores
    def place(self, parents: Parents) -> None:
        """Take up an acyclic graph; nothing is scored."""
        from stages.kernels.climbing.ancestors import all_ancestors

        for child, family in enumerate(parents):
            self.state.arcs[child, : len(family)] = family
            self.state.n_parents[child] = len(family)
        all_ancestors(self.state.ancestors, self.state.arcs, self.state.n_parents)
        self.parents = list(parents)

    def move(self, kind: int, child: int, parent: int) -> None:
        """Apply a move that may be made to the graph; nothing is scored."""
        self._apply(np.array((kind, child, parent), dtype=np.int64))

    def begin(self, parents: Parents, budget: Budget) -> None:
        """Take up a graph, clear the forbidden-parent sets and score all neighbours.

        When the budget ends meanwhile, the neighbours not yet scored are left out.
        """
        from stages.kernels.climbing.moves import STALE

        self.place(parents)
        state = self.state
        state.shut[:] = 0
        state.n_candidates[:] = 0
        state.best_kind[:] = STALE
        state.removal_gains[:, : int(state.n_parents.max(initial=0))] = -np.inf
        for child, family in enumerate(parents):
            self.scores[child] = self.cache.score(child, family)
        if not any(parents) and self.scorer.definition.is_equivalent:
            self._score_pairs(budget)
            self._order_ties()
        else:
            self._score_all(budget)

    def _score_all(self, budget: Budget) -> None:
        """Gains of all moves from the present graph."""
        for child in range(len(self.parents)):
            if budget.is_spent(self.cache.computed):
                return
            self._rescore(child)

    def _order_ties(self) -> None:
        """Have ties between the directions of an arc resolved in favour of the child that pairs say least about:
        variables tied to many others make better parents (found on a dozen data sets).
        """
        state = self.state
        listed = (state.gains[child, :k] for child, k in enumerate(state.n_candidates.tolist()))
        strength = [float(np.square(np.maximum(gains, 0.0)).sum()) for gains in listed]
        state.order[:] = np.argsort(strength, kind="stable")

    def _score_pairs(self, budget: Budget) -> None:
        """Gains of all single arcs from no arcs: one direction is computed, the other gains the same."""
        from stages.kernels.climbing.addable_parents import list_partners, spread_gains

        def expand(child: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            listed = np.empty(len(self.parents), dtype=np.int32)
            partners = listed[: list_partners(self.state, child, listed)]
            promising = self._promising(child, partners)
            tried = partners[promising]
            return partners, promising, self.scorer.expand(child, (), tried)[tried]

        for child, found in enumerate(ordered_map(expand, range(len(self.parents)), self.jobs)):
            partners, promising, scores = found
            self.cache.remember(child, (), partners[promising], scores)
            gains = np.full(len(partners), KNOWN_LOSS)
            gains[promising] = self._on_grid(scores - self.scores[child])
            spread_gains(self.state, child, partners, gains, self.constrained, self.tabu > 0)
            if budget.is_spent(self.cache.computed):
                break

    # ------------------------------------------------------------------------------------- scoring
    def _on_grid(self, gains: np.ndarray) -> np.ndarray:
        return np.rint(gains / self.grid) * self.grid

    def _promising(self, child: int, candidates: np.ndarray) -> np.ndarray:
        """Which candidates may gain as new parents, by a bound that costs no counting.

        A further parent Y gains at most N times the smaller of H(X|P) and H(Y) in likelihood, and costs
        ``penalty * |P| (|Y| - 1)`` (de Campos et al. 2018); bool, shape (len(candidates),).
        """
        if not self._has_bound:
            return np.ones(len(candidates), dtype=np.bool_)
        parents = self.parents[child]
        paid = self.scorer.penalty(child) * self.scorer.n_configurations(parents)
        unexplained = -(self.scores[child] + paid)
        costs = paid * (self.scorer.n_states[candidates] - 1)
        return costs < np.minimum(unexplained, self.scorer.row_entropies()[candidates]) + self.grid

    def _gains(self, child: int, candidates: np.ndarray) -> np.ndarray:
        """Gains of new parents on the grid, nats."""
        promising = self._promising(child, candidates)
        gains = np.full(len(candidates), KNOWN_LOSS)
        if promising.any():
            scores = self.cache.expand(child, self.parents[child], candidates[promising])
            gains[promising] = self._on_grid(scores - self.scores[child])
        return gains

    def _rescore(self, child: int) -> None:
        """Gains of all moves that change the parents of `child`."""
        from stages.kernels.climbing.addable_parents import replace_candidates
        from stages.kernels.climbing.forbidden_pairs import relist

        state, parents, most = self.state, self.parents[child], self.constraints.max_parents
        if parents:
            removal_gains = self.cache.reduce(child, parents) - self.scores[child]
            state.removal_gains[child, : len(parents)] = self._on_grid(removal_gains)
        if self.constrained:
            self._test(child, relist(state, child, most, self._listed))
            return
        candidates, gains = self._additions(child) if len(parents) < most else (self._listed[:0], np.empty(0))
        replace_candidates(state, child, candidates, gains, self.tabu > 0)

    def _additions(self, child: int) -> tuple[np.ndarray, np.ndarray]:
        """Possible new parents, int32, ascending, and their gains on the grid in nats; cycles are not looked at."""
        from stages.kernels.climbing.addable_parents import list_permitted

        candidates = self._listed[: list_permitted(self.state, child, self._listed)].copy()
        return candidates, self._gains(child, candidates)

    def _test(self, child: int, n: int) -> None:
        """Compute the gains of the first `n` variables listed for `child`, and shut the pairs they speak against."""
        from stages.kernels.climbing.forbidden_pairs import take_gains

        untested = self._listed[:n].copy()
        take_gains(self.state, child, untested, self._gains(child, untested), self.constraints.max_parents)

    def _test_all(self, touched: np.ndarray) -> None:
        """Test what is open and not known yet of some children (bool), one after the other."""
        from stages.kernels.climbing.forbidden_pairs import next_untested

        child = -1
        while True:
            most = self.constraints.max_parents
            child, n = next_untested(self.state, touched, child + 1, most, self._listed)
            if n == 0:
                break
            self._test(child, n)

    # ----------------------------------------------------------------------------------------- climbing
    def climb(self, budget: Budget, reporter: Reporter) -> bool:
        """Take the best move until none gains; True when that point was reached within the budget.

        With a tabu list the search goes on through worse graphs: the pairs of variables of its last moves are
        left alone unless a move leads to a new best graph. It ends when `TABU_PATIENCE` times the length of the
        list have brought no new best graph; the best one is the result.
        """
        from stages.kernels.climbing.moves import CHILD, KIND, NO_MOVE, PARENT, Limits, choose_move

        recent: deque[tuple[int, int]] = deque(maxlen=self.tabu)
        patience = TABU_PATIENCE * self.tabu
        floor = -np.inf if self.tabu else 0.0
        move = np.empty(3, dtype=np.int64)
        total = best_total = 0.0
        best = (list(self.parents), self.scores.copy())
        idle = 0
        is_done = True
        while not self.tabu or idle < patience:
            if budget.is_spent(self.cache.computed):
                is_done = False
                break
            pairs = np.array(recent, dtype=np.int64).reshape(-1, 2)
            limits = Limits(
                max_parents=self.constraints.max_parents,
                floor=floor,
                tabu=pairs,
                aspiration=best_total - total,
            )
            choose_move(self.state, limits, move)
            if move[KIND] == NO_MOVE:
                break
            # Rounded gains must not be summed up: around a circle of graphs they need not cancel.
            total += self._step(move)
            one, other = sorted((int(move[CHILD]), int(move[PARENT])))
            recent.append((one, other))
            idle += 1
            if self.tabu and total >= best_total + self.grid:
                best, best_total, idle = (list(self.parents), self.scores.copy()), total, 0
            facts = {"score": float(self.scores.sum()), "arcs": int(self.state.n_parents.sum())}
            reporter.progress(int(self.moves.sum()), None, "moves", **facts)
        if self.tabu:
            self.parents, self.scores = best
        return is_done

    def _apply(self, move: np.ndarray) -> np.ndarray:
        """Change the graph; which children have moves that a cycle had closed before, bool."""
        from stages.kernels.climbing.moves import ADD, REVERSE, apply_move

        kind, child, parent = move.tolist()
        reopened = np.zeros(len(self.parents), dtype=np.bool_)
        apply_move(self.state, move, reopened)
        if kind == ADD:
            self.parents[child] = tuple(sorted((*self.parents[child], parent)))
        else:
            self.parents[child] = tuple(p for p in self.parents[child] if p != parent)
        if kind == REVERSE:
            self.parents[parent] = tuple(sorted((*self.parents[parent], child)))
        return reopened

    def _step(self, move: np.ndarray) -> float:
        """Apply a move and score what it changes; the exact change of the graph's score in nats."""
        from stages.kernels.climbing.forbidden_pairs import release_pairs
        from stages.kernels.climbing.moves import ADD, REVERSE

        kind, child, parent = move.tolist()
        touched = self._apply(move)
        self.moves[kind] += 1
        changed = [child, parent] if kind == REVERSE else [child]
        if self.releases and kind == ADD:
            release_pairs(self.state, child, parent, touched)
        before = float(self.scores[changed].sum())
        for variable in changed:
            self.scores[variable] = self.cache.score(variable, self.parents[variable])
        for variable in changed:
            self._rescore(variable)
        if self.constrained and (kind != ADD or self.releases):
            touched[changed] = False
            self._test_all(touched)
        return float(self.scores[changed].sum()) - before
