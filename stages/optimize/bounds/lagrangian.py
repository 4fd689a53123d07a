"""Upper bounds on the score of every network that candidate lists allow, at any number of variables.

First dual ascent over cluster cuts (`stages.kernels.bounds.dual_ascent`): it is fast, and its order of placement is a
good start for a search. Then the volume algorithm (`stages.kernels.bounds.lagrangian`) improves the multipliers and
separates further cuts: clusters of demand one and two, and zero-half cuts. It comes close to the linear programme
over the same cuts. A set whose reduced cost exceeds the gap cannot be part of a better network than the incumbent and
is excluded (reduced-cost fixing). Under a treewidth bound a copy of the search goes on with prices of edges
(`width.edge_prices`, `width.triangle_prices`); `width.width_search` divides the work between both.

The volume algorithm works in rounds on `active_sets`; all sets, evaluated after each, give a bound and the next ones.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stages.kernels.bounds.dual_ascent import ASCENT_MORE, CLUSTERS, WORK_LEFT, ascend, new_placement, place_free
from stages.kernels.bounds.lagrangian import WEIGHT
from stages.kernels.bounds.subgradient_ascent import SHARE, new_pace
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import costs_of
from stages.runtime.budgets import Budget

from .active_sets import ROUNDS_ACTIVE, SLICE_WORK, ActiveRound
from .cluster_cuts import DEMANDS, ClusterSeparator
from .cut_pool import CutPool
from .proof_steps import Prices, TreeNode, positive_prices
from .relaxation import relaxed
from .residual import solve_residual
from .rounding import proof_rounding
from .separators import Separator, add_violated, make_point
from .width.edge_prices import EdgePrices, pricing_work
from .width.triangle_prices import TrianglePrices, can_price_triangles
from .zero_half_cuts import HalvedSumSeparator

ASCENT_COST = 8
"""Cost of a unit of work of dual ascent, in sets that the volume algorithm looks at, on long lists."""

ASCENT_WORK = SLICE_WORK // ASCENT_COST
"""Work per compiled call of dual ascent."""

SHORT_ROUND, ROUND_STEPS = 100, 250
"""Steps of the volume algorithm in a round: at first, and at most; also the least number between two separations."""

ROUND_WORK = 300_000
"""Cost of a round besides its compiled work, in sets looked at."""

MOST_CLUSTERS = 20_000
MOST_COUNTED = 30_000_000
"""Limit on cuts and the sets that they count, beyond which no cuts are added: 300 MB."""

SUPPORT_SHARE = 1e-3
"""Shares up to this are neglected: averages only approximate a solution."""

SEPARATORS: tuple[Sequence[Separator], ...] = tuple(
    (
        *(ClusterSeparator(demand, steps=80, violation=0.02, noise=noise) for demand in DEMANDS),
        # Work nearly equal to the steps of a round on the same cuts. Sums of few, nearly tight cuts close most of the
        # remaining gap. After 14 s on accidents .66 to .70 % were left, and 1.04 to 1.25 % with slacks up to .2 in
        # sums of up to eight; on pumsb_star 1.52 to 1.58 and 1.83 to 1.95 %; plants and tmovie differed little.
        HalvedSumSeparator(
            0.01,
            most_slack=0.01,
            violation=0.04,
            most_seeds=800,
            most_found=200,
            most_summed=5,
            work_per_counted=0.8 * ROUND_STEPS,
        ),
    )
    for noise in (0.0, 0.05)
)
"""Separators of a round; rounds with and without noise alternate and so find different clusters."""

DROPPING_ROUNDS = 3
"""Rounds between two deletions of slack cuts without a multiplier."""


class Stage(NamedTuple):
    """How the volume algorithm goes on with some kinds of rows."""

    first_weight: float  # largest weight of a new choice in the averages
    last_weight: float  # the same, where its halving ends
    stall_gain: float  # averages become longer if less than this share of the gap is closed in `HORIZON` of them
    overshoot: float  # by this share of the gap the bound of active sets may exceed that of all sets in long rounds


ANY_WIDTH = Stage(0.05, 0.004, 0.01, 0.03)
EDGES = Stage(0.03, 0.002, 0.01, 0.03)
TRIANGLES, MET_TRIANGLES = Stage(0.002, 0.0003, 0.01, 0.03), Stage(0.03, 0.0003, 0.004, 0.01)
"""Many small multipliers need longer averages in the end; short ones first where triples become columns later."""

HORIZON = 0.5
"""Steps after which averages may become longer, times the largest weight of a new choice."""

NEW_SHARE, OLD_SHARE = 0.1, 0.02
"""Least initial share of the gap that a step aims at (`subgradient_ascent`), after new cuts and without."""

KNEE, STALLS = 0.003, 6
"""A search stalls after `STALLS` separations in a row with long averages, each of a gain below `KNEE` of the gap."""


class BoundSearch:
    """An upper bound that improves with work and is valid at any time.

    `lists` hold the candidate sets of every variable, best first. The cuts of `known`, a search on other lists of the
    same variables, hold on these lists too and are the warm start.
    """

    def __init__(self, lists: SetLists, rng: np.random.Generator, known: BoundSearch | None = None):
        n, costs = len(lists.set_offsets) - 1, costs_of(lists)
        self.rng = rng
        self.work = 0  # approximate number of sets looked at so far: the deterministic unit of work
        # int64: sets that may be part of a network better than the incumbent.
        self.kept = np.arange(len(costs), dtype=np.int64)
        self.incumbent = -math.inf
        # Sum of the best scores of all variables in nats: the zero of costs.
        self.ideal = math.fsum(lists.scores[lists.set_offsets[:-1]].tolist())
        self._magnitude = math.fsum(abs(s) for s in lists.scores[lists.set_offsets[:-1]].tolist())
        self._best = 0.0
        self._floor = 0.0
        # int64: the best network of the sets `kept`; None unless the residual problem was small enough to solve.
        self.found: np.ndarray | None = None
        self.exclusions: list[Prices] = []  # for a proof: the multipliers that excluded sets, oldest first
        # For a proof: the multipliers after which the residual problem was solved for the bound; None if it was not.
        self.residual: Prices | None = None
        self.pool = CutPool(lists, costs)  # the cuts found, over the kept sets
        self.multipliers = np.empty(0)  # the best multipliers of these cuts, in nats; float64
        self._arcs = EdgePrices(lists, None)
        self._stage, self._stalls = ANY_WIDTH, 0
        # Whether the bound is about networks within the treewidth only; otherwise it holds for networks of any width.
        self.is_narrow = False
        self._keeps_narrow = False  # the same of the sets `kept`
        self._is_raised = False
        # Steps since the last separation, and since the averages were looked at.
        self._unseparated = self._averaged = 0
        self._round_steps = SHORT_ROUND
        self._round = 0
        self._pace = new_pace(self._stage.first_weight)
        self._last = 0.0
        self._shares = np.empty(0)
        self._placement = new_placement(lists, costs)
        self._scratch = (np.empty(n, dtype=np.int32), np.zeros(n, dtype=np.bool_))
        self._top = place_free(lists, self._placement)
        # int32, shape (n_variables,): the order in which dual ascent placed the variables, a start for searches.
        # Unplaced variables stand last.
        self.order = self._order()
        if known is not None and known._is_raised:
            self.order = known.order
            self.pool.add(known.pool.origins)
            self.multipliers = known.multipliers.copy()
            self._begin_rounds()

    @property
    def value(self) -> float:
        """Upper bound in nats on the score of every network from the lists; at least the incumbent's score."""
        return max(self.incumbent, self.ideal - max(0.0, self._cost))

    @property
    def _cost(self) -> float:
        """Lower bound on the cost of a network in nats, by the multipliers or by the residual problem."""
        return max(self._floor, self._best)

    @property
    def rounding(self) -> float:
        """Largest rounding error in nats of sums over a network's sets, and so of the bound."""
        loss = self.ideal - self.incumbent if self.incumbent > -math.inf else 0.0
        return proof_rounding(len(self.order), self._magnitude + loss)

    @property
    def gap(self) -> float:
        """Gap between the bound and the incumbent in nats."""
        return self.value - self.incumbent

    @property
    def is_closed(self) -> bool:
        """Whether the incumbent is proved optimal."""
        return self.incumbent > -math.inf and self.gap <= self.rounding

    @property
    def is_stalled(self) -> bool:
        """Whether the bound has risen little for long."""
        return self._stalls >= STALLS

    @property
    def is_at_its_end(self) -> bool:
        """Whether it has the longest averages and all kinds of rows."""
        return self._pace[WEIGHT] <= self._stage.last_weight and not can_price_triangles(self._arcs)

    def narrowed(self, treewidth: int) -> BoundSearch:
        """A search that goes on from here with prices of edges: its bound is about networks within the treewidth.

        Until its prices raise the bound it holds for networks of any width; see `is_narrow`.
        """
        search = copy.copy(self)
        search.rng = self.rng.spawn(1)[0]
        search.pool, search.exclusions = self.pool.copied(), list(self.exclusions)
        search._moving, search._shares = self._moving.copy(), self._active.all_shares()
        search._last_least, search._pace = self._last_least.copy(), self._pace.copy()
        search._arcs, search._stage = EdgePrices(self.pool.lists, treewidth), EDGES
        search._arcs.add_violated(self._active.view.lists, self._active.active_shares)
        search._pace[WEIGHT], search._pace[SHARE] = EDGES.first_weight, max(self._pace[SHARE], NEW_SHARE)
        search._begin_round()
        return search

    def root_node(self) -> TreeNode:
        """The node of all networks, for a proof; without a treewidth, since these proofs hold no prices of edges."""
        exclusions = self.exclusions + ([] if self.residual is None else [self.residual])
        best = positive_prices(self.pool.origins, self.multipliers)
        return TreeNode(exclusions=exclusions, best=best, is_solved=self.residual is not None)

    def improve(self, budget: Budget, work: float, incumbent: float) -> None:
        """Work until `work` in all is done, the budget ends or the bound meets the incumbent.

        `incumbent` is the score of the best known network in nats; minus infinity for none: then only dual ascent
        runs.
        """
        self.incumbent = max(self.incumbent, incumbent)
        while self.work < work and not self.is_closed and not budget.is_spent():
            if self._is_raised and self.incumbent == -math.inf:
                return
            if not self._is_raised:
                self._ascend(work)
            elif self._active.n_steps < self._round_steps:
                self.work += self._active.step(self._round_steps, self.ideal - self.incumbent)
            else:
                self._end_round(budget)

    def _order(self) -> np.ndarray:
        rest = np.flatnonzero(~self._placement.placed).astype(np.int32)
        return np.concatenate((self._placement.trail[: self._top], rest))

    def _ascend(self, work: float) -> None:
        """A slice of dual ascent."""
        lists = self.pool.lists
        n = len(lists.set_offsets) - 1
        # Room for a slice: about 4,000,000 members in all, since a cluster may hold every variable.
        room = max(1, min(MOST_CLUSTERS - len(self.pool), 1 + 4_000_000 // n))
        pool = np.empty(room * n, dtype=np.int32)
        offsets = np.zeros(room + 1, dtype=np.int64)
        raised = np.zeros(room)
        allowed = int(min(ASCENT_WORK, max(1, (work - self.work) / ASCENT_COST)))
        progress = np.zeros(2, dtype=np.int64)
        progress[WORK_LEFT] = allowed
        self._top, code = ascend(
            lists, self._placement, self._top, *self._scratch, self.rng, pool, offsets, raised, progress
        )
        self.work += ASCENT_COST * (allowed - int(progress[WORK_LEFT]))
        count = int(progress[CLUSTERS])
        self.pool.add((pool[offsets[c] : offsets[c + 1]].copy(), 1) for c in range(count))
        # Raised clusters were violated, so none is in the pool already.
        self.multipliers = np.concatenate((self.multipliers, raised[:count]))
        self._best += math.fsum(raised[:count].tolist())
        self.order = self._order()
        full = len(self.pool) >= MOST_CLUSTERS or len(self.pool.cuts.sets) > MOST_COUNTED
        if full or (code != ASCENT_MORE and self._top == n):
            self._begin_rounds()

    def _begin_rounds(self) -> None:
        self._is_raised = True
        del self._placement  # large, and used by dual ascent only
        self._moving = self.multipliers.copy()
        self._evaluate()
        self._shares = np.zeros(len(self._reduced))
        self._shares[self._chosen] = 1.0
        self._last_least = np.full(len(self._reduced), -ROUNDS_ACTIVE)
        self._begin_round()

    def _evaluate(self) -> float:
        """Compute the bound by the moving multipliers; exclude sets that cannot be part of a better network."""
        lists, costs, cuts = self.pool.lists, self.pool.costs, self.pool.cuts
        priced, worth = self._arcs.priced(lists, costs)
        bound, total, self._reduced, self._chosen = relaxed(lists, priced, cuts, self._moving)
        bound, total = bound - worth, total - worth
        self.work += len(cuts.sets) + 4 * len(costs) + (0 if self._arcs.are_zero else pricing_work(lists))
        is_narrow = self._keeps_narrow or not self._arcs.are_zero
        if bound > self._cost:
            self.is_narrow = is_narrow
        if bound > self._best:
            self._best, self.multipliers = bound, self._moving.copy()
            self._arcs.keep()
        least = self._reduced[self._chosen]
        excess = self._reduced - np.repeat(least, np.diff(lists.set_offsets))
        slack = 2.0 * (self.rounding + max(0.0, total - bound))
        # A network with a set costs at least the bound plus the excess of the set over the best set of its child.
        kept = excess <= self.ideal - self.incumbent - bound + slack
        # Their excess is 0. Without them a variable would have no set once the bound exceeds the incumbent's cost.
        kept[self._chosen] = True
        if not self.is_closed:
            self._solve_kept(kept, is_narrow)
        if np.count_nonzero(kept) <= 0.9 * len(kept):
            self.exclusions.append(positive_prices(self.pool.origins, self._moving))
            self._keeps_narrow = is_narrow
            self.pool.keep_sets(kept)
            self.kept = self.kept[kept]
            self._reduced = self._reduced[kept]
            self._chosen = (np.cumsum(kept) - 1)[self._chosen]
            if len(self._shares):
                self._shares, self._last_least = self._shares[kept], self._last_least[kept]
        return bound

    def _solve_kept(self, kept: np.ndarray, is_narrow: bool) -> None:
        """Solve the residual problem if it is small: a better network consists of the kept sets.

        `is_narrow` says whether this holds for networks within the treewidth only.
        """
        solved = solve_residual(self.pool.lists, self.pool.costs, kept) if self.incumbent > -math.inf else None
        if solved is not None:
            cost, chosen = solved
            # A network with an excluded set is no better than the incumbent, so the lesser cost bounds all networks.
            floor = min(cost, self.ideal - self.incumbent)
            if floor > self._floor:
                if floor > self._cost:
                    self.is_narrow = is_narrow
                self._floor, self.residual = floor, positive_prices(self.pool.origins, self._moving)
            self.found = self.kept[chosen]

    def _begin_round(self) -> None:
        own = (self._round, self._moving, self._arcs, self._pace)
        self._active = ActiveRound(self.pool, self._reduced, self._shares, self._last_least, *own)

    def _end_round(self, budget: Budget) -> None:
        """Evaluate all sets; separate further cuts at intervals; begin the next round."""
        self._round += 1
        self._unseparated += self._active.n_steps
        self._averaged += self._active.n_steps
        self._shares = self._active.all_shares()
        before = self._best
        bound = self._evaluate()
        is_trusted = self._adapt_round(bound, before)
        self.work += ROUND_WORK
        added = 0
        if is_trusted and self._unseparated >= ROUND_STEPS:
            self._unseparated = 0
            self._lengthen_averages()
            added = self._change_cuts(budget)
        # New cuts change the direction, and steps may have become tiny: start again with longer ones.
        self._pace[SHARE] = max(self._pace[SHARE], NEW_SHARE if added or self._arcs.are_untried else OLD_SHARE)
        self._begin_round()

    def _lengthen_averages(self) -> None:
        """Longer averages if the bound has risen little; in the end prices of triangles."""
        if self._averaged * self._pace[WEIGHT] < HORIZON:
            return
        gain, self._last, self._averaged = self._best - self._last, self._best, 0
        if gain < self._stage.stall_gain * self._missing and not self._arcs.are_untried:
            if self._pace[WEIGHT] <= self._stage.last_weight and can_price_triangles(self._arcs):
                self._arcs = TrianglePrices(self._arcs, self._active.view.lists, self._active.active_shares)
                self._stage = TRIANGLES if self._arcs.is_complete else MET_TRIANGLES
                self._pace[WEIGHT] = self._stage.first_weight
            else:
                self._pace[WEIGHT] = max(0.5 * self._pace[WEIGHT], self._stage.last_weight)
        is_stalled = self._pace[WEIGHT] <= ANY_WIDTH.last_weight and gain < KNEE * self._missing
        self._stalls = self._stalls + 1 if is_stalled else 0

    @property
    def _missing(self) -> float:
        """Cost of the incumbent less the best bound."""
        return self.ideal - self.incumbent - self._best

    def _adapt_round(self, bound: float, before: float) -> bool:
        """Adapt the number of steps of the next round to the bounds of this one; returns whether both bounds agree.

        `bound` is the bound of all sets by the moving multipliers, `before` the best bound before this round; both
        are costs in nats.
        """
        if self._active.bound - bound <= self._stage.overshoot * self._missing:
            self._round_steps = min(ROUND_STEPS, int(1.5 * self._round_steps))
            return True
        # Inactive sets became the cheapest ones.
        self._round_steps = SHORT_ROUND
        if bound < before:
            self._moving = self.multipliers.copy()
            self._arcs.go_back()
        return False

    def _change_cuts(self, budget: Budget) -> int:
        """Drop slack cuts at intervals and separate further cuts; returns the number of the latter."""
        point = make_point(self._active.view.lists, self._active.active_shares, SUPPORT_SHARE)
        if self._round % DROPPING_ROUNDS == 0:
            # Nearly tight cuts stay: the next choices may violate them.
            kept = (self._moving > 0.0) | (self.multipliers > 0.0) | (self._active.violations > -0.05)
            self.pool.keep_cuts(kept)
            self._moving, self.multipliers = self._moving[kept], self.multipliers[kept]
        separators = SEPARATORS[self._round % len(SEPARATORS)]
        added, work = add_violated(separators, point, self.pool, self.rng, budget, MOST_COUNTED, self._active.view)
        self._moving = np.concatenate((self._moving, np.zeros(added)))
        self.multipliers = np.concatenate((self.multipliers, np.zeros(added)))
        self.work += 2 * work
        if self._round % DROPPING_ROUNDS == 0:
            self._arcs.drop()
        return added + self._arcs.add_violated(self._active.view.lists, self._active.active_shares)
