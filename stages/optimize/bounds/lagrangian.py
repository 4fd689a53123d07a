"""Upper bounds on the score of every network that candidate lists allow, at any number of variables.

First dual ascent over cluster cuts (`stages.kernels.bounds.dual_ascent`): fast, and its order of placement is a good
one to start a search from. Then the multipliers of these cuts are improved, and further cuts found, by the volume
algorithm (`stages.kernels.bounds.lagrangian`), which comes close to what a linear programme over the same cuts would
give: clusters of demand one and two, and sums of cuts, halved and rounded (`zero_half_cuts`). Sets whose reduced cost
exceeds what separates the bound from the best network known cannot be part of a better one and are left out on
the way.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .cut_pool import DEMANDS, CutPool, find_clusters, keep_columns, make_support
from .residual import solve_residual
from .rounding import proof_rounding, rounded_down
from .zero_half_cuts import find_halved

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.bounds.dual_ascent import Columns
    from stages.kernels.orders.set_lists import SetLists
    from stages.runtime.budgets import Budget


SLICE_WORK = 20_000_000
"""Sets looked at per compiled call, about; some hundredths of a second."""

ASCENT_WORK = SLICE_WORK // 8
"""The same of dual ascent, whose unit of work takes longer where lists are long."""

ROUND_STEPS = 400
"""Steps of the volume algorithm between two searches for cuts."""

ROUND_WORK = 300_000
"""What a round costs besides its compiled work, in sets looked at."""

MOST_CLUSTERS = 20_000
MOST_COUNTED = 30_000_000
"""Cuts, and sets in them, beyond which no more are added: 300 MB."""

SUPPORT_SHARE = 1e-4
LEAST_VIOLATION = 0.02
SEARCH_STEPS = 80
NOISES = (0.0, 0.05)
"""Shares taken for none, violations looked for, in averages that are only near to a solution; noises by turns."""

HALVING_SHARE = 0.01
HALVING_SLACK = 0.2
HALVING_VIOLATION = 0.04
"""The same for halved sums, and the most slack of cuts that are summed."""

HALVING_WORK = 0.5
"""Work on the search for halved sums for each unit of work of the steps before, at most."""

DROPPING_ROUNDS = 3
"""Rounds after which cuts without a multiplier that the averages keep are dropped."""

FIRST_WEIGHT, LAST_WEIGHT = 0.1, 0.002
"""Most weight of a new choice in the average, at first, and where halving ends."""

STALL_GAIN = 0.02
"""Share of the gap that a round must close; else averages become longer."""


class BoundSearch:
    """A bound that gets better as long as one works on it; valid at any moment.

    Parameters
    ----------
    lists : SetLists or ParentSetTable
        Candidate sets, best first for every variable.
    rng : numpy.random.Generator
    known : BoundSearch, optional
        A search on other lists of the same variables: its cuts hold on these too and are where to go on from.

    Attributes
    ----------
    order : ndarray of int32, shape (n_variables,)
        An order to start a search from: that in which dual ascent placed the variables. Until it has placed all,
        those not placed stand last.
    kept : ndarray of int64
        Sets that may be part of a network better than the best one told to `improve`.
    found : ndarray of int64 or None
        The best network of these, where they were few enough to solve.
    work : int
        Sets looked at so far, about: the deterministic unit of work.
    """

    def __init__(
        self,
        lists: SetLists | ParentSetTable,
        rng: np.random.Generator,
        known: BoundSearch | None = None,
    ):
        from stages.kernels.bounds.dual_ascent import new_columns, new_placement, place_free
        from stages.kernels.bounds.lagrangian import new_pace

        columns = new_columns(lists)
        n = len(columns.set_offsets) - 1
        self.rng = rng
        self.work = 0
        self.kept = np.arange(len(columns.costs), dtype=np.int64)
        self.incumbent = -math.inf
        self._ideal = math.fsum(lists.scores[lists.set_offsets[:-1]].tolist())
        self._magnitude = math.fsum(abs(s) for s in lists.scores[lists.set_offsets[:-1]].tolist())
        self._relax_error = 0.0
        self._floor = 0.0
        self.found: np.ndarray | None = None
        self._pool = CutPool(columns)
        self._multipliers = np.empty(0)
        self._is_raised = False
        self._steps = 0
        self._round = 0
        self._pace = new_pace(0.0, FIRST_WEIGHT)
        self._last = 0.0
        self._shares = np.empty(0)
        self._placement = new_placement(columns)
        self._scratch = (np.empty(n, dtype=np.int32), np.zeros(n, dtype=np.bool_))
        self._top = place_free(columns, self._placement)
        self.order = self._order()
        if known is not None and known._is_raised:
            self.order = known.order
            self._pool.add(known._pool.origins)
            self._multipliers = known._multipliers.copy()
            self._begin_rounds()

    @property
    def value(self) -> float:
        """Upper bound in nats on the score of every network from the lists, or that of the best one known."""
        return max(self.incumbent, self._ideal - max(0.0, self._cost))

    @property
    def _cost(self) -> float:
        """No network costs less, in nats: by the present multipliers, or by what was left and solved."""
        from stages.kernels.bounds.lagrangian import BOUND

        return max(self._floor, float(self._pace[BOUND]) - self._relax_error)

    @property
    def rounding(self) -> float:
        """Nats by which sums over a network's sets, and so the bound, may be wrong."""
        loss = self._ideal - self.incumbent if self.incumbent > -math.inf else 0.0
        return proof_rounding(len(self.order), self._magnitude + loss)

    @property
    def gap(self) -> float:
        """Nats between the bound and the best network known."""
        return self.value - self.incumbent

    @property
    def is_closed(self) -> bool:
        """The best network known is proved to be the best there is."""
        return self.incumbent > -math.inf and self.gap <= self.rounding

    @property
    def pool(self) -> CutPool:
        """The cuts found, over the kept sets."""
        return self._pool

    @property
    def multipliers(self) -> np.ndarray:
        """The best multipliers of these cuts, in nats; float64."""
        return self._multipliers

    @property
    def ideal(self) -> float:
        """Sum of the best scores of all variables, in nats: what costs are measured from."""
        return self._ideal

    def improve(self, budget: Budget, work: float, incumbent: float) -> None:
        """Work on until `work` in all is done, the budget is spent or the bound meets the incumbent.

        Without a network to compare with, dual ascent is all that is done.

        Parameters
        ----------
        budget : Budget
        work : float
        incumbent : float
            Score of the best network known, in nats; minus infinity for none.
        """
        self.incumbent = max(self.incumbent, incumbent)
        while self.work < work and not self.is_closed and not budget.is_spent():
            if self._is_raised and self.incumbent == -math.inf:
                return
            if not self._is_raised:
                self._ascend(work)
            elif self._steps < ROUND_STEPS:
                self._step()
            else:
                self._end_round(budget)

    def _order(self) -> np.ndarray:
        rest = np.flatnonzero(~self._placement.placed).astype(np.int32)
        return np.concatenate((self._placement.trail[: self._top], rest))

    def _ascend(self, work: float) -> None:
        """A slice of dual ascent."""
        from stages.kernels.bounds.dual_ascent import ASCENT_MORE, CLUSTERS, WORK_LEFT, ascend
        from stages.kernels.bounds.lagrangian import BOUND

        columns = self._pool.columns
        n = len(columns.set_offsets) - 1
        room = max(1, min(MOST_CLUSTERS - len(self._pool), 1 + 4_000_000 // n))
        pool = np.empty(room * n, dtype=np.int32)
        offsets = np.zeros(room + 1, dtype=np.int64)
        raised = np.zeros(room)
        allowed = int(min(ASCENT_WORK, max(1, work - self.work)))
        progress = np.zeros(2, dtype=np.int64)
        progress[WORK_LEFT] = allowed
        self._top, code = ascend(
            columns, self._placement, self._top, *self._scratch, self.rng, pool, offsets, raised, progress
        )
        self.work += allowed - int(progress[WORK_LEFT])
        count = int(progress[CLUSTERS])
        self._pool.add((pool[offsets[c] : offsets[c + 1]].copy(), 1) for c in range(count))
        # Clusters that are raised were violated, so none comes twice.
        self._multipliers = np.concatenate((self._multipliers, raised[:count]))
        self._pace[BOUND] += math.fsum(raised[:count].tolist())
        self.order = self._order()
        full = len(self._pool) >= MOST_CLUSTERS or len(self._pool.cuts.sets) > MOST_COUNTED
        if full or (code != ASCENT_MORE and self._top == n):
            self._begin_rounds()

    def _begin_rounds(self) -> None:
        self._is_raised = True
        del self._placement  # large, and of use to dual ascent alone
        self._evaluate()
        self._shares = np.zeros(len(self._reduced))
        self._shares[self._chosen] = 1.0

    def _evaluate(self) -> None:
        """The bound of the present multipliers from scratch; leaves out sets that cannot be part of a better
        network.
        """
        from stages.kernels.bounds.lagrangian import BOUND, relax

        columns = self._pool.columns
        self._reduced = np.empty(len(columns.costs))
        self._chosen = np.empty(len(columns.set_offsets) - 1, dtype=np.int64)
        bound = relax(columns, self._pool.by_set, self._multipliers, self._reduced, self._chosen)
        self._pace[BOUND] = bound
        least_bound = rounded_down(columns, self._pool.by_set, self._multipliers, self._reduced)
        # Twice, for the steps until it is worked out anew.
        self._relax_error = 2.0 * max(0.0, bound - least_bound)
        least = self._reduced[self._chosen]
        excess = self._reduced - np.repeat(least, np.diff(columns.set_offsets))
        slack = 2.0 * (self.rounding + self._relax_error)
        kept = excess <= self._ideal - self.incumbent - bound + slack
        kept[self._chosen] = True
        if not self.is_closed:
            self._solve_kept(columns, kept)
        if np.count_nonzero(kept) <= 0.9 * len(kept):
            columns = keep_columns(columns, kept)
            self._pool.keep_columns(columns, kept)
            self.kept = self.kept[kept]
            self._reduced = self._reduced[kept]
            self._chosen = (np.cumsum(kept) - 1)[self._chosen]
            if len(self._shares):
                self._shares = self._shares[kept]

    def _solve_kept(self, columns: Columns, kept: np.ndarray) -> None:
        """Solve what is left when it is little: a better network is one of it."""
        solved = solve_residual(columns, kept) if self.incumbent > -math.inf else None
        if solved is not None:
            cost, chosen = solved
            self._floor = max(self._floor, min(cost, self._ideal - self.incumbent))
            self.found = self.kept[chosen]

    def _step(self) -> None:
        """A slice of steps of the volume algorithm."""
        from stages.kernels.bounds.lagrangian import improve_multipliers

        columns, cuts = self._pool.columns, self._pool.by_set
        step_work = len(cuts.cuts) + 4 * len(columns.costs) + 1
        steps = min(ROUND_STEPS - self._steps, 1 + SLICE_WORK // step_work)
        self._trial = np.empty((4, len(self._multipliers)))
        improve_multipliers(
            columns,
            cuts,
            self._multipliers,
            self._shares,
            self._trial,
            self._reduced,
            self._chosen,
            self._pace,
            self._ideal - self.incumbent,
            steps,
        )
        self._steps += steps
        self.work += steps * step_work

    def _end_round(self, budget: Budget) -> None:
        """Leave out what is not needed, find further cuts, set the pace of the next round."""
        from stages.kernels.bounds.lagrangian import STEP, VIOLATION, WEIGHT

        self._round += 1
        if self._round % DROPPING_ROUNDS == 0:
            kept = (self._multipliers > 0.0) | (self._trial[VIOLATION] > -0.05)
            self._pool.keep_cuts(kept)
            self._multipliers = self._multipliers[kept]
        self._evaluate()
        bound = self._cost
        support = make_support(self._pool.columns, self._shares, SUPPORT_SHARE)
        added, work = 0, ROUND_WORK
        for demand in DEMANDS:
            noise = NOISES[self._round % len(NOISES)]
            found, looked_at = find_clusters(
                support, demand, self.rng, budget, SEARCH_STEPS, LEAST_VIOLATION, noise
            )
            work += 2 * looked_at
            if len(self._pool.cuts.sets) <= MOST_COUNTED:
                added += self._pool.add(found)
        if len(self._pool.cuts.sets) <= MOST_COUNTED:
            most_work = HALVING_WORK * ROUND_STEPS * len(self._pool.cuts.sets)
            limits = (HALVING_SHARE, HALVING_SLACK, HALVING_VIOLATION, most_work)
            halved, looked_at = find_halved(self._pool, self._shares, self.rng, budget, *limits)
            work += 2 * looked_at
            added += self._pool.add(halved)
        self._multipliers = np.concatenate((self._multipliers, np.zeros(added)))
        self.work += work
        remaining = self._ideal - self.incumbent - bound
        if bound - self._last < STALL_GAIN * remaining:
            self._pace[WEIGHT] = max(0.5 * self._pace[WEIGHT], LAST_WEIGHT)
        if added or self._pace[STEP] < 1e-3:
            self._pace[STEP] = max(self._pace[STEP], 0.1)
        self._last = bound
        self._steps = 0
