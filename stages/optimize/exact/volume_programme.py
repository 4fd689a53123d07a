"""The linear programme over candidate sets and cluster cuts, solved roughly by the volume algorithm.

It takes the place of `linear_programme.CutProgramme` where the linear solver is not installed. Shares are averages of
choices and approximate a solution (Barahona and Anbil 2000); multipliers are the best ones found. Both are where the
next ascent starts. Bounds are computed from the multipliers as everywhere, so they hold however rough a solution is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.bounds.dual_ascent import Columns
from stages.kernels.bounds.edges import new_edges
from stages.kernels.bounds.lagrangian import Cuts, cuts_by_set, improve_multipliers, new_volume, no_cuts
from stages.kernels.bounds.subgradient_ascent import SHARE, new_pace
from stages.runtime.budgets import Budget

from ..bounds.active_sets import SLICE_WORK
from ..bounds.cut_pool import columns_of, cuts_of_sets
from .linear_programme import Solution, some_cuts

STEPS, TRIAL_STEPS = 150, 30
"""Steps of an ascent, and of an ascent that tries a branch."""

WEIGHT = 0.02
"""Largest weight of a new choice in the moving average."""

FIRST_SHARE = 0.1
"""Share of the gap that the first step of an ascent aims at."""

LEAST_SHARE = 0.02
"""Smaller shares of a solution are neglected: averages keep for long what was chosen once."""


class VolumeStart(NamedTuple):
    """What an ascent begins with."""

    sets: np.ndarray  # int64: the sets of the programme
    shares: np.ndarray  # float64: their shares
    cuts: np.ndarray  # int64: the cuts with a multiplier
    multipliers: np.ndarray  # float64: their multipliers in nats

    def over(self, kept: np.ndarray) -> VolumeStart:
        """The same start over the sets where `kept` is true."""
        stays, index = kept[self.sets], np.cumsum(kept) - 1
        return self._replace(sets=index[self.sets[stays]], shares=self.shares[stays])

    def sets_without(self, excluded: np.ndarray) -> np.ndarray:
        """The sets of a programme in which these sets are excluded."""
        return self.sets[~excluded[self.sets]]

    def at(self, places: np.ndarray) -> VolumeStart:
        """The same start where its cuts have these indices, -1 for cuts that were dropped."""
        return self._replace(cuts=places[places >= 0], multipliers=self.multipliers[places >= 0])


class VolumeProgramme:
    """The programme over some sets and cuts, with the methods of `linear_programme.CutProgramme`.

    `target` is the cost of the incumbent in nats, towards which multipliers move.
    """

    is_rough = True
    trial_steps = TRIAL_STEPS

    def __init__(self, columns: Columns, sets: np.ndarray, excluded: np.ndarray, target: float):
        self._columns, self._target = columns, target
        self._excluded = excluded.copy()
        self.sets = np.sort(sets)
        self.cuts = np.empty(0, dtype=np.int64)
        self._pool = no_cuts()
        self._shares = np.zeros(len(columns.costs))
        self._multipliers = np.empty(0)  # of the programme's cuts, nats
        self._pace = new_pace(WEIGHT)

    def add_sets(self, sets: np.ndarray, pool: Cuts) -> None:
        """Add these sets; `pool` has the cuts of the programme."""
        self._pool = pool
        self.sets = np.union1d(self.sets, sets)

    def add_cuts(self, pool: Cuts, added: np.ndarray) -> None:
        """Add the cuts with these indices into `pool`."""
        self._pool = pool
        self.cuts = np.concatenate((self.cuts, added))
        self._multipliers = np.concatenate((self._multipliers, np.zeros(len(added))))

    def exclude(self, excluded: np.ndarray) -> None:
        """Fix the share of exactly the sets where `excluded` is true at zero."""
        self._excluded = excluded.copy()

    def basis(self) -> VolumeStart:
        """What the next programme starts from."""
        used = self._multipliers > 0.0
        return VolumeStart(self.sets, self._shares[self.sets], self.cuts[used], self._multipliers[used])

    def start(self, start: VolumeStart) -> None:
        """Begin the next solution with this, which has exactly the cuts of the programme."""
        self._shares[start.sets] = start.shares
        self._multipliers = start.multipliers.copy()

    def solve(self, budget: Budget, n_cuts: int, most_steps: int = STEPS) -> Solution:
        """Some steps from the last solution; `n_cuts` is the size of the pool."""
        sets = self.sets[~self._excluded[self.sets]]
        columns = columns_of(self._columns, sets)
        cuts = cuts_of_sets(some_cuts(self._pool, self.cuts), sets, len(self._shares))
        self._pace[SHARE] = max(self._pace[SHARE], FIRST_SHARE)
        by_set, no_edges = cuts_by_set(cuts, len(sets)), new_edges(0, 0, False)
        volume = new_volume(columns, by_set, no_edges, self._multipliers, self._shares[sets], self._pace)
        shares, starts = volume.shares, columns.set_offsets
        lost = np.add.reduceat(shares, starts[:-1]) <= 0.0
        shares[volume.chosen[lost]] = 1.0
        shares /= np.repeat(np.add.reduceat(shares, starts[:-1]), np.diff(starts))
        done, work = 0, len(volume.cuts.cuts) + 4 * (len(shares) + len(self._multipliers)) + 1
        while done < most_steps and (done == 0 or not budget.is_spent()):
            some = min(most_steps - done, 1 + SLICE_WORK // work)
            improve_multipliers(volume, self._target, some)
            done += some
        self._shares[:] = 0.0
        self._shares[sets] = shares
        multipliers = np.zeros(n_cuts)
        multipliers[self.cuts] = self._multipliers
        return Solution(np.where(self._shares > LEAST_SHARE, self._shares, 0.0), multipliers)
