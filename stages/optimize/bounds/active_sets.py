"""One round of the volume algorithm on active sets: for each child the sets of least reduced cost, and the sets in
use.

On dense lists a tenth of all sets or less is active, and steps are faster by the same factor. A round's bound holds
for networks of active sets only; so `lagrangian.BoundSearch` evaluates all sets after it.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.bounds.lagrangian import VIOLATION, cuts_by_set, improve_multipliers, mark_least, new_volume
from stages.kernels.bounds.subgradient_ascent import BOUND

from .cut_pool import CutPool
from .width.edge_prices import EdgePrices

ACTIVE_SHARE = 1e-3
"""Sets with a greater share are in use."""

LEAST_ACTIVE = 25
"""Sets of least reduced cost of each child that become active."""

ROUNDS_ACTIVE = 3
"""Rounds for which they stay active: multipliers oscillate, so the same sets return again and again."""

FIRST_STEPS = 10
"""Steps in the first call with prices of edges."""

SLICE_WORK = 20_000_000
"""Approximate number of sets looked at per compiled call; some hundredths of a second."""


class ActiveRound:
    """Steps on the active sets of a pool.

    Parameters
    ----------
    pool : CutPool
        The cuts, over all sets; not changed.
    reduced : ndarray of float64, shape (n_sets,)
        Reduced costs of all sets by `multipliers`, nats.
    shares : ndarray of float64, shape (n_sets,)
        Averaged choices so far. Inactive sets lose their shares; the other shares are scaled to sum to one.
    last_least : ndarray of int64, shape (n_sets,)
        Last round in which a set was among the sets of least reduced cost; updated.
    number : int
        Of the round.
    multipliers : ndarray of float64, shape (n_cuts,)
        Moved in place by `step`.
    arcs : EdgePrices
        Its moving multipliers are moved in place by `step`.
    pace : ndarray of float64
        As in `stages.kernels.bounds.lagrangian.Volume`, kept from round to round.
    """

    def __init__(
        self,
        pool: CutPool,
        reduced: np.ndarray,
        shares: np.ndarray,
        last_least: np.ndarray,
        number: int,
        multipliers: np.ndarray,
        arcs: EdgePrices,
        pace: np.ndarray,
    ):
        is_least = np.zeros(len(shares), dtype=np.bool_)
        mark_least(pool.lists.set_offsets, reduced, LEAST_ACTIVE, is_least)
        last_least[is_least] = number
        self._sets = np.flatnonzero((shares > ACTIVE_SHARE) | (last_least > number - ROUNDS_ACTIVE))
        self._n_sets = len(shares)
        self.view = pool.restricted(self._sets)  # the cuts over the active sets
        lists = self.view.lists
        active = shares[self._sets]
        totals = np.add.reduceat(active, lists.set_offsets[:-1])
        # float64: averaged choices among the active sets.
        self.active_shares = active / np.repeat(totals, np.diff(lists.set_offsets))
        self.n_steps = 0  # steps done
        self._multipliers, self._arcs = multipliers, arcs
        # The set of least reduced cost of each child is active: so far this is the bound over all sets.
        self._volume = new_volume(
            lists,
            self.view.costs,
            arcs.joined(cuts_by_set(self.view.cuts, len(self._sets)), lists),
            arcs.edges,
            np.concatenate((multipliers, arcs.moving)),
            self.active_shares,
            pace,
        )

    @property
    def bound(self) -> float:
        """Lower bound on the cost in nats of networks of active sets, by the multipliers."""
        return float(self._volume.pace[BOUND])

    @property
    def violations(self) -> np.ndarray:
        """Shortfall of every cut's demand under the averaged choices, after a step."""
        return self._volume.trial[VIOLATION, : len(self._multipliers)]

    def all_shares(self) -> np.ndarray:
        """The averaged choices among all sets of the pool."""
        shares = np.zeros(self._n_sets)
        shares[self._sets] = self.active_shares
        return shares

    def step(self, most_steps: int, target: float) -> int:
        """Some steps towards `target`, the cost of the incumbent in nats; returns the sets looked at."""
        volume = self._volume
        work = len(volume.cuts.cuts) + 4 * (len(volume.shares) + len(volume.multipliers)) + 1
        work += self._arcs.work
        # The work of the choice of edges is known after some steps only.
        most_steps = min(most_steps, FIRST_STEPS) if self._arcs.is_new else most_steps - self.n_steps
        steps, looked = min(most_steps, 1 + SLICE_WORK // work), int(volume.edges.looked[0])
        improve_multipliers(volume, target, steps)
        self._arcs.count(int(volume.edges.looked[0]) - looked, steps)
        self.n_steps += steps
        n_cuts = len(self._multipliers)
        self._multipliers[:], self._arcs.moving[:] = volume.multipliers[:n_cuts], volume.multipliers[n_cuts:]
        return steps * work
