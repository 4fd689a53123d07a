"""Hill climbing from one graph: the gains of all moves kept up to date, the best move taken step by step.

Adding or removing an arc changes the gains of one child, reversing one the gains of two. Only these are computed
again, all possible parents of a child in one call. Gains are rounded to a grid well above the rounding error of
scores, so that equal gains compare equal and the order of moves (`stages.kernels.climbing.moves`) is total.
"""

from __future__ import annotations

import errno
import resource
from collections import deque
from collections.abc import Iterable

import numpy as np

from stages.kernels.bits import has_bit
from stages.kernels.climbing.addable_parents import list_partners, list_permitted, replace_candidates, spread_gains
from stages.kernels.climbing.ancestors import all_ancestors
from stages.kernels.climbing.moves import (
    ADD,
    CHILD,
    KIND,
    NO_MOVE,
    PARENT,
    REVERSE,
    STALE,
    Limits,
    apply_move,
    can_reverse,
    choose_move,
    new_climb_state,
    with_wider_rows,
)
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.memory import format_bytes
from stages.runtime.reporting import Reporter
from stages.runtime.workers import ordered_map
from stages.scoring.family_scorer import FamilyScorer

from ..result import Parents, SearchResult, unscored
from .cache import FamilyCache
from .constraints import Constraints
from .literal_count import LiteralCount, column_of, row_of
from .ties import order_weakest_first, turn_to_larger_next_gain

GRID_QUANTA = 1024
"""Grid of gains in quanta of the score; 0.00003 nats for 20,000 rows."""

TABU_PATIENCE = 10
"""Steps in a row, per entry of the tabu list, without a new best graph after which a tabu search ends."""

FIRST_PARENTS = 8
"""Initial capacity of the lists of parents, per child."""

BYTES_PER_PAIR = 12
"""Bytes for a listed parent and its gain."""

KNOWN_LOSS = -1.0
"""Placeholder for the gain of an arc that is known to lower the score, and is not computed."""


class Climber:
    """Hill climbing from a given graph; reusable.

    Parameters
    ----------
    cache : FamilyCache
        Shared by climbers on the same data and score.
    order : ndarray of int64, shape (n_variables,)
        Among equal moves the one of the earlier child is taken. Climbers of one run share this order; it is sorted
        when a climb starts without arcs.
    tabu : int
        Length of the tabu list, 0 for none; at most half of all pairs are kept.
    jobs : int
        Threads for the first scores.
    most_listed : int, optional
        Initial capacity of the lists of possible new parents, per child; by default the number of variables, since
        gains of all pairs are listed together.
    ties : Generator, optional
        The order is drawn anew for every move and never sorted: equal moves of different children are equally likely.
    """

    def __init__(
        self,
        scorer: FamilyScorer,
        cache: FamilyCache,
        constraints: Constraints,
        order: np.ndarray,
        tabu: int = 0,
        jobs: int = 1,
        most_listed: int | None = None,
        ties: np.random.Generator | None = None,
    ):
        n = scorer.n_variables
        self.ties = ties
        self.scorer, self.cache, self.constraints, self.jobs = scorer, cache, constraints, jobs
        self.tabu = min(tabu, n * (n - 1) // 4)
        self.grid = scorer.quantum * GRID_QUANTA
        self.moves = np.zeros(3, dtype=np.int64)  # additions, removals, reversals made
        self.literal: LiteralCount | None = None  # counts what the definition asks for
        self.looks_ahead = False  # whether a tied arc points into the child with the larger next gain
        self.parents: list[tuple[int, ...]] = [()] * n
        self.scores = np.zeros(n)
        self._listed = np.empty(n, dtype=np.int32)
        self._fewest_states = min((r for r in scorer.n_states.tolist() if r > 1), default=2)
        self._has_bound = scorer.definition.penalty is not None and scorer.gains is None and not tabu
        permitted, fixed = constraints.permitted, constraints.fixed
        state = None
        try:
            state = new_climb_state(permitted, fixed, order, most_listed, FIRST_PARENTS)
        except OSError as error:
            # Without a limit on address space the memory map failed; with one, perhaps a library could not be loaded.
            if error.errno != errno.ENOMEM or resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
                raise
        if state is None:
            needed = format_bytes(BYTES_PER_PAIR * n * min(n, most_listed or n))
            raise StageError(
                f"the gains of all pairs of {n:,} variables take up to {needed}, which this machine does not have\n"
                "  leave out columns, or search among lists: bnsl parentsets, then bnsl optimize"
            )
        self.state = state

    # ------------------------------------------------------------------------------- graph and scores
    def place(self, parents: Parents) -> None:
        """Make an acyclic graph the present one; nothing is scored."""
        self.state = with_wider_rows(self.state, 0, max(map(len, parents), default=0))
        for child, family in enumerate(parents):
            self.state.arcs[child, : len(family)] = family
            self.state.n_parents[child] = len(family)
        all_ancestors(self.state.ancestors, self.state.arcs, self.state.n_parents)
        self.parents = list(parents)

    def move(self, kind: int, child: int, parent: int) -> None:
        """Apply a permitted move to the graph; nothing is scored."""
        self._apply(np.array((kind, child, parent), dtype=np.int64))

    def begin(self, parents: Parents, budget: Budget) -> None:
        """Make a graph the present one and compute the gains of all moves.

        Moves without a score when the budget ends are not considered.
        """
        self.place(parents)
        state = self.state
        state.n_candidates[:] = 0
        state.best_kind[:] = STALE
        state.removal_gains[:, : int(state.n_parents.max(initial=0))] = -np.inf
        for child, family in enumerate(parents):
            self.scores[child] = self.cache.score(child, family)
        if not any(parents) and self.scorer.is_equivalent:
            self._score_pairs(budget)
            if self.ties is None:
                order_weakest_first(self.state, self.grid)
        else:
            self._score_all(budget)

    def _score_all(self, budget: Budget) -> None:
        for child in range(len(self.parents)):
            if budget.is_spent(self.cache.computed):
                return
            self._rescore(child)

    def _score_pairs(self, budget: Budget) -> None:
        """Gains of all single arcs; only one direction is computed, since the other gains the same (score
        equivalence).
        """

        def expand(child: int) -> tuple[np.ndarray, np.ndarray | None]:
            listed = np.empty(len(self.parents), dtype=np.int32)
            partners = listed[: list_partners(self.state, child, listed)]
            return partners, None if is_known[child] else self.scorer.expand(child, (), partners)[partners]

        is_known = [self.cache.is_expanded(child, ()) for child in range(len(self.parents))]  # by an earlier climb
        for child, (partners, scores) in enumerate(ordered_map(expand, range(len(self.parents)), self.jobs)):
            if scores is None:
                scores = self.cache.expand(child, (), partners)
            else:
                self.cache.remember(child, (), partners, scores)
            self._list_pairs(child, partners, self._on_grid(scores - self.scores[child]))
            if budget.is_spent(self.cache.computed):
                break

    def _list_pairs(self, child: int, partners: np.ndarray, gains: np.ndarray) -> None:
        """List the gains of single arcs between `child` and its partners, in both directions."""
        spread_gains(self.state, child, partners, gains, self.tabu > 0)

    # ------------------------------------------------------------------------------------- scoring
    def _on_grid(self, gains: np.ndarray) -> np.ndarray:
        return np.rint(gains / self.grid) * self.grid

    def _gains_beside(self, child: int, parents: tuple[int, ...], score: float, candidates: np.ndarray) -> np.ndarray:
        """Gains in nats, on the grid, of one more parent beside `parents`, a set of the given score."""
        if self._all_lose(child, parents, score):
            return np.full(len(candidates), KNOWN_LOSS)
        return self._on_grid(self.cache.expand(child, parents, candidates) - score)

    def _all_lose(self, child: int, parents: tuple[int, ...], score: float) -> bool:
        """Whether a bound shows, without counting, that every further parent lowers the score.

        No log-likelihood exceeds 0, and a parent with r states multiplies the penalty by r (de Campos and Ji 2011).
        On 1,556 columns with rare states (ad) this saves half of the scores and a quarter of the time, on nine other
        tables nothing.
        """
        penalty = self.scorer.penalty(child) * self.scorer.n_configurations(parents)
        return self._has_bound and score - self.grid > -self._fewest_states * penalty

    def _gains(self, child: int, candidates: np.ndarray) -> np.ndarray:
        """Gains of new parents of the present graph."""
        return self._gains_beside(child, self.parents[child], float(self.scores[child]), candidates)

    def _rescore(self, child: int) -> None:
        """Gains of all moves that change the parents of `child`."""
        parents = self.parents[child]
        if parents:
            removal_gains = self.cache.reduce(child, parents) - self.scores[child]
            self.state.removal_gains[child, : len(parents)] = self._on_grid(removal_gains)
        self._list_additions(child)

    def _list_additions(self, child: int) -> None:
        """List the new parents that `child` may still take, with their gains."""
        has_room = len(self.parents[child]) < self.constraints.max_parents
        candidates, gains = self._additions(child) if has_room else (self._listed[:0], np.empty(0))
        self.state = with_wider_rows(self.state, len(candidates), 0)
        replace_candidates(self.state, child, candidates, gains, self.tabu > 0)

    def _additions(self, child: int) -> tuple[np.ndarray, np.ndarray]:
        """Permitted new parents (int32, ascending), cycles ignored, and their gains in nats, on the grid."""
        candidates = self._listed[: list_permitted(self.state, child, self._listed)].copy()
        return candidates, self._gains(child, candidates)

    # ------------------------------------------------------------------------------------- counting
    def compared(self, child: int) -> tuple[np.ndarray, np.ndarray]:
        """New parents that the definition compares in this step, those of additions and those of reversals.

        A reversal makes a child the parent. int64, ascending.
        """
        state = self.state
        if len(self.parents[child]) >= self.constraints.max_parents:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        below = column_of(state.ancestors, child)
        permitted = row_of(state.permitted, child)
        permitted[list(self.parents[child])] = False
        is_child = ((state.arcs == child) & (np.arange(state.arcs.shape[1]) < state.n_parents[:, None])).any(axis=1)
        children = np.flatnonzero(permitted & is_child).tolist()
        turned = [y for y in children if can_reverse(state, y, child, self.constraints.max_parents)]
        return np.flatnonzero(permitted & ~below), np.array(turned, dtype=np.int64)

    def removable(self, child: int) -> np.ndarray:
        """Parents that may be removed; int64, ascending."""
        fixed = self.state.fixed[child]
        return np.array([parent for parent in self.parents[child] if not has_bit(fixed, parent)], dtype=np.int64)

    def _reached(self, move: np.ndarray) -> set[int]:
        """The children whose moves to new parents depend on an arc that was changed."""
        _, child, parent = move.tolist()
        above = np.flatnonzero(row_of(self.state.ancestors, parent))
        return {child, parent, *self.parents[child], *above.tolist()}

    # ----------------------------------------------------------------------------------------- climbing
    def climb(self, budget: Budget, reporter: Reporter) -> bool:
        """Take the best move until none gains; True when that point was reached within the budget.

        With a tabu list the search continues through worse graphs: the pairs of its last moves are not changed unless
        this leads to a new best graph. The variables of a step without gain come last among equal moves from then on,
        so that the search visits different graphs of an equivalence class. It ends after `TABU_PATIENCE` steps per
        entry of the list without a new best graph, and the best one becomes the present one.
        """
        recent: deque[tuple[int, int]] = deque(maxlen=self.tabu)
        patience = TABU_PATIENCE * self.tabu
        floor = -np.inf if self.tabu else 0.0
        move = np.empty(3, dtype=np.int64)
        total = best_total = 0.0
        best = (list(self.parents), self.scores.copy())
        idle = 0
        is_done = True
        reached: Iterable[int] = range(len(self.parents))
        while not self.tabu or idle < patience:
            if budget.is_spent(self.cache.computed):
                is_done = False
                break
            if self.literal is not None:
                self.literal.add_step(self, reached)
            pairs = np.array(recent, dtype=np.int64).reshape(-1, 2)
            limits = Limits(
                max_parents=self.constraints.max_parents, floor=floor, tabu=pairs, aspiration=best_total - total
            )
            if not self._choose(limits, move):
                break
            # A sum of rounded gains would drift: the gains need not cancel when the search returns to a graph.
            gain = self._step(move)
            total += gain
            if self.tabu and gain < self.grid:
                self._put_last(move)
            if self.literal is not None:
                reached = self._reached(move)
            one, other = sorted((int(move[CHILD]), int(move[PARENT])))
            recent.append((one, other))
            idle += 1
            if self.tabu and total >= best_total + self.grid:
                best, best_total, idle = (list(self.parents), self.scores.copy()), total, 0
            facts = {"score": float(self.scores.sum()), "arcs": int(self.state.n_parents.sum())}
            reporter.progress(int(self.moves.sum()), None, "moves", self._network, **facts)
        if self.tabu:
            self.parents, self.scores = best
        return is_done

    def _choose(self, limits: Limits, move: np.ndarray) -> bool:
        """Write the next move to `move`; False if there is none."""
        if self.ties is not None:
            self.ties.shuffle(self.state.order)
        choose_move(self.state, limits, move)
        if self.looks_ahead:
            turn_to_larger_next_gain(self.state, limits.max_parents, move, self._next_gain)
        return bool(move[KIND] != NO_MOVE)

    def _next_gain(self, child: int, parent: int) -> float:
        """Largest gain of a further parent of `child` once it has `parent`, in nats; 0 if none gains."""
        family = tuple(sorted((*self.parents[child], parent)))
        if len(family) >= self.constraints.max_parents:
            return 0.0
        possible = row_of(self.state.permitted, child) & ~column_of(self.state.ancestors, child)
        possible[list(family)] = False
        others = np.flatnonzero(possible).astype(np.int32)
        if self.literal is not None:
            self.literal.add_gains(child, family, others)
        return float(self._gains_beside(child, family, self.cache.score(child, family), others).max(initial=0.0))

    def _put_last(self, move: np.ndarray) -> None:
        """Let the variables whose parents a move has changed lose ties with all others."""
        order, changed = self.state.order, move[[CHILD, PARENT]] if move[KIND] == REVERSE else move[[CHILD]]
        is_changed = np.isin(order, changed)
        order[:] = np.concatenate((order[~is_changed], order[is_changed]))

    def _network(self) -> SearchResult:
        """The present graph."""
        return unscored(tuple(self.parents))

    def _apply(self, move: np.ndarray) -> None:
        """Change the graph."""
        kind, child, parent = move.tolist()
        self.state = with_wider_rows(self.state, 0, 1 + len(self.parents[parent if kind == REVERSE else child]))
        apply_move(self.state, move)
        if kind == ADD:
            self.parents[child] = tuple(sorted((*self.parents[child], parent)))
        else:
            self.parents[child] = tuple(p for p in self.parents[child] if p != parent)
        if kind == REVERSE:
            self.parents[parent] = tuple(sorted((*self.parents[parent], child)))

    def _step(self, move: np.ndarray) -> float:
        """Apply a move and update scores and gains; returns the exact change of the graph's score in nats."""
        kind, child, parent = move.tolist()
        self._apply(move)
        self.moves[kind] += 1
        changed = [child, parent] if kind == REVERSE else [child]
        before = float(self.scores[changed].sum())
        for variable in changed:
            self.scores[variable] = self.cache.score(variable, self.parents[variable])
        for variable in changed:
            self._rescore(variable)
        return float(self.scores[changed].sum()) - before
