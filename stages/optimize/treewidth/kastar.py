"""k-A*: for one order after the other, the best choice of cliques.

Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3.1. The orders are k-G's of the same seed. k-G's
choices along an order prune the search, and so no order ends below k-G; so do completions that the search meets. An
order is decided when its best choice is found and proved; of the others it is told how much better their best choice
may be.

Up to 256 variables the search is depth-first with a Lagrangian bound, which decides orders within some thousands of
choices where the paper's best-first search meets tens of millions of states; where it does not end soon, a large
neighbourhood search looks for better choices to prune it by. From 65 variables on it has its turn after some hundred
states of best-first search with the paper's estimate, which are soon made and enough for many an order. Beyond 256,
places for the prices of all triples of variables would take too much room: there best-first search goes on, and an
order that outgrows the room for states ends with the best completion met or that of a search from its first variable.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import AnytimeBound
from ..bounds.rounding import proof_rounding
from ..result import SearchResult
from .batches import BatchStream, OrderBatch, best_of_batches
from .kg import GreedyOrders, prepare_orders

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.ktrees.fill_branches import FillBranches
    from stages.kernels.ktrees.fill_prices import PricedPicks
    from stages.kernels.ktrees.fills import RankedSets
    from stages.kernels.ktrees.ktree import KTree
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions

FEW = 64
"""Variables up to which bounding a choice costs so little that nothing is tried before."""

MAX_PRICED = 256
"""Variables up to which the bound is Lagrangian: 60 MB of room for prices."""

CHOICES_BY_VARIABLES = 3_000_000
"""Choices bounded for one order times variables; of wdbc, 31 variables, about half a minute."""

CALL_BY_VARIABLES = 1500
"""Choices bounded per kernel call times variables: some hundredths of a second."""

LATE = 1000
"""Choices after which an order has not been decided soon."""

TRIALS_BY_VARIABLES = 600_000
"""Trials of the neighbourhood search times variables; of wdbc an eighth of a second."""

TRIED_STATES = 500
"""States of best-first search tried before choices are bounded, beyond `FEW` variables."""

FIRST_STATES = 4096
"""Room for states to begin with."""

STATES_BY_VARIABLES = 8_000_000
"""States kept for one order times variables; some 10 MB at a hundred variables."""

FRONT_STATES = 200_000
"""States kept for the search from the first variable on that undecided orders end with."""

SLICE_WORK = 1_000_000
"""Sets tried per kernel call at most: some hundredths of a second."""


class PathOrders(BatchStream):
    """k-G's orders one by one, each with its best cliques.

    Parameters
    ----------
    orders : GreedyOrders
    budget : Budget
        Stops the search along an order when it runs out.

    Attributes
    ----------
    by_branches : bool
        Search depth-first with a Lagrangian bound, as there are few enough variables.
    late : int
        Choices bounded before better ones are looked for by the other way.
    """

    work_per_variable = 20_000

    def __init__(self, orders: GreedyOrders, budget: Budget):
        super().__init__(orders.problem, orders.seed)
        self.orders = orders
        self.budget = budget
        self.by_branches = self.problem.n_variables <= MAX_PRICED
        self.late = LATE
        self._rooms: list[tuple[FillBranches, PricedPicks]] = []

    def batches(self, limit: int | None) -> Iterator[np.ndarray]:
        """The orders themselves."""
        for index, n_orders in self.orders.batches(limit):
            yield from itertools.islice(self.orders.drawn(index), n_orders)

    def facts(self, columns: dict[str, list[float]]) -> dict[str, Any]:
        gaps = [gap for gap in columns["gap"] if gap > 0.0]
        facts: dict[str, Any] = {"decided": len(columns["gap"]) - len(gaps)}
        if gaps:
            facts |= {"undecided": len(gaps), "undecided_gap": {"largest": max(gaps), "mean": fmean(gaps)}}
        return facts

    def stats(self, columns: dict[str, list[float]]) -> dict[str, Any]:
        return {**self.facts(columns), "per_order": columns}

    def evaluate(self, batch: np.ndarray) -> OrderBatch:
        from stages.kernels.ktrees.orders import evaluate_order

        lists, tree = self.problem.lists, self.problem.new_tree()
        tree.order[:] = batch
        greedy = evaluate_order(lists, tree, self.problem.new_clique_tables(), -np.inf)
        chosen = tree.chosen.copy()
        found, bound, n_states = self._search(tree, greedy)
        if found <= greedy:
            found, tree.chosen[:] = greedy, chosen
        figures = {"gap": max(0.0, bound - found), "states": n_states}
        return OrderBatch(found, tree.order, tree.chosen, 1, figures)

    def _search(self, tree: KTree, greedy: float) -> tuple[float, float, int]:
        """Look for better than `greedy` along the order of `tree`, which takes the choices found.

        Returns
        -------
        tuple of (float, float, int)
            Relative score of the choices; what the best ones have at most; partial choices looked at.
        """
        from stages.kernels.ktrees.fills import rank_sets

        lists, width = self.problem.lists, self.problem.treewidth
        start = float(lists.relative_scores[tree.chosen[tree.order[: width + 1]]].sum())
        ranked = rank_sets(lists, tree.order, width)
        n = self.problem.n_variables
        if self.by_branches and n <= FEW:
            return self._branch(tree, ranked, start, greedy)
        room = TRIED_STATES if self.by_branches else STATES_BY_VARIABLES // n
        found, bound, n_states = self._expand(tree, ranked, start, greedy, room)
        if bound <= found or self.budget.is_spent():
            return found, bound, n_states
        if self.by_branches:
            better, lower, n_choices = self._branch(tree, ranked, start, found)
            return better, max(better, min(bound, lower)), n_states + n_choices
        kept = tree.chosen.copy()
        in_front = self._from_the_front(tree, start, found)
        if in_front <= found:
            # The search had the tree for its own trials.
            tree.chosen[:] = kept
        found = max(found, in_front)
        return found, max(bound, found), n_states

    def _branch(
        self, tree: KTree, ranked: RankedSets, start: float, greedy: float
    ) -> tuple[float, float, int]:
        """Search depth-first; `start` is the relative score of the start clique. Returns what `_search` does."""
        from stages.kernels.ktrees.fill_branches import CHOICES, begin_order, most_open, search_branches
        from stages.kernels.ktrees.fill_neighbours import search_neighbourhoods

        n, width = self.problem.n_variables, self.problem.treewidth
        room = self._free_room()
        branches, picks = room
        begin_order(ranked, branches, picks, start)
        taken = np.full(len(ranked.offsets) - 1, -1, dtype=np.int64)
        rounding, per_call = proof_rounding(n, abs(greedy)), max(1, CALL_BY_VARIABLES // n)
        found, is_over, is_late = greedy, False, False
        while (
            not is_over and branches.counts[CHOICES] * n < CHOICES_BY_VARIABLES and not self.budget.is_spent()
        ):
            if branches.counts[CHOICES] >= self.late and not is_late:
                is_late, rng = True, task_generator(self.seed, *tree.order.tolist())
                found = search_neighbourhoods(
                    ranked, branches.fills[0], start, width, rng, taken, found, TRIALS_BY_VARIABLES // n
                )
            is_over, found = search_branches(ranked, branches, width, picks, taken, found, rounding, per_call)
        if found > greedy:
            _take(tree, ranked, taken)
        # Without a choice bounded the paper's estimate holds: the best sets among all predecessors.
        estimate = start + float(ranked.relative_scores[ranked.offsets[:-1]].sum())
        bound = found if is_over else min(estimate, float(most_open(branches)))
        n_choices = int(branches.counts[CHOICES])
        self._rooms.append(room)
        return found, bound, n_choices

    def _free_room(self) -> tuple[FillBranches, PricedPicks]:
        """Room for a depth-first search, that of one that has ended if there is any."""
        from stages.kernels.ktrees.fill_branches import new_branches
        from stages.kernels.ktrees.fill_prices import new_picks

        with suppress(IndexError):
            return self._rooms.pop()
        n, width = self.problem.n_variables, self.problem.treewidth
        longest = int(np.diff(self.problem.lists.set_offsets).max())
        return new_branches(n, width, longest), new_picks(n, width)

    def _expand(
        self, tree: KTree, ranked: RankedSets, start: float, greedy: float, room: int
    ) -> tuple[float, float, int]:
        """Search best-first until there are more than `room` states; otherwise as `_branch`."""
        from stages.kernels.ktrees.best_first import STATES
        from stages.kernels.ktrees.fills import new_scratch
        from stages.kernels.ktrees.kastar import (
            DECIDED,
            NO_ROOM,
            UNFINISHED,
            enlarge,
            new_fill_states,
            search_fills,
        )

        width = self.problem.treewidth
        n_ranks, longest = len(ranked.offsets) - 1, int(np.diff(ranked.offsets).max(initial=0))
        per_call = max(1, SLICE_WORK // (1 + n_ranks * longest * ranked.masks.shape[1]))
        rounding = proof_rounding(self.problem.n_variables, abs(greedy))
        # The paper's estimate: the best sets among all predecessors.
        most = start + float(ranked.relative_scores[ranked.offsets[:-1]].sum())
        first = min(FIRST_STATES, room) + longest
        states, scratch = new_fill_states(first, start, most), new_scratch(ranked)
        taken = np.full(n_ranks, -1, dtype=np.int64)
        found, status = greedy, UNFINISHED
        room = max(room, first)
        while status == UNFINISHED and not self.budget.is_spent():
            status, found = search_fills(ranked, states, scratch, width, taken, found, rounding, per_call)
            if status == NO_ROOM and len(states.parents) < room:
                states, status = enlarge(states, min(room, 4 * len(states.parents))), UNFINISHED
        if found > greedy:
            _take(tree, ranked, taken)
        bound = found if status == DECIDED else float(states.estimates[states.heap[0]])
        return found, max(bound, found), int(states.counts[STATES])

    def _from_the_front(self, tree: KTree, start: float, found: float) -> float:
        """The same from the first variable to the last, cliques chosen as the paper has it, and the most promising
        state completed greedily. With many variables that often beats what the other search met in its room.
        """
        from stages.kernels.ktrees.clique_paths import estimate_rest, new_path_states, rebuild
        from stages.kernels.ktrees.informative_score import Information
        from stages.kernels.ktrees.s2plus import search_informative

        lists, n, size = self.problem.lists, self.problem.n_variables, self.problem.treewidth + 1
        nothing = Information(
            offsets=np.zeros(n + 1, dtype=np.int64),
            neighbours=np.empty(0, dtype=np.int32),
            values=np.empty(0),
        )
        rest = np.empty(n + 1)
        tree.position[tree.order] = np.arange(n, dtype=np.int32)
        estimate_rest(lists, tree, rest)
        states = new_path_states(FRONT_STATES + n, size, start, start + rest[size])
        per_call = max(1, SLICE_WORK // (n * size**2))
        state = -1
        while state < 0:
            if self.budget.is_spent():
                return found
            _, state = search_informative(lists, nothing, tree, states, rest, 1.0, FRONT_STATES, per_call)
        if states.values[state] <= found:
            return found
        rebuild(tree, states, state)
        return float(states.values[state])


def _take(tree: KTree, ranked: RankedSets, taken: np.ndarray) -> None:
    """Let `tree` choose the sets `taken` by rank."""
    tree.chosen[tree.order[::-1][: len(taken)]] = ranked.sources[taken]


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """The best of k-A*'s orders."""
    orders = PathOrders(prepare_orders(table, options), budget)
    anytime_bound = AnytimeBound(table, options.seed, budget, options.treewidth)
    result = best_of_batches(orders, options, budget, reporter, anytime_bound)
    result.facts["init"] = options.init
    return result


def warm_up(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile all that `search` may need, for few variables and for many."""
    search(table, options, budget, reporter)
    orders = PathOrders(prepare_orders(table, options), budget)
    orders.late = 0
    orders.evaluate(next(orders.batches(1)))
    orders.by_branches = False
    found = orders.evaluate(next(orders.batches(1)))
    tree = orders.problem.new_tree()
    tree.order[:] = found.order
    orders._from_the_front(tree, 0.0, -np.inf)
