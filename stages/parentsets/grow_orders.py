"""The orders within which method ``grow`` searches: the same for every child, so that the lists fit together."""

from __future__ import annotations

from graphlib import TopologicalSorter

import numpy as np

from stages.graphs import positions_of
from stages.knowledge import Knowledge
from stages.runtime.seeding import task_generator

NEAR_SPREAD = 0.15
"""Standard deviation of the shift of positions, as a share of n, in orders near a given one."""

REMEMBERED_BYTES = 64 << 20
"""Orders are cached up to this size; later ones are drawn again for every child."""


class Orders:
    """Positions of all variables in random orders, or in orders near those of a network.

    Order k depends on the seed and k alone. Tiers are kept: a variable stands among the variables of its tier; one
    without a tier stands anywhere. `near` has the parents of every variable in a network; order 0 is an order of this
    network, further orders are near it. Random orders keep the tiers of `knowledge`.
    """

    def __init__(self, n_variables: int, seed: int, near=None, knowledge: Knowledge | None = None):
        self.n_variables = n_variables
        self.seed = seed
        self._near = None
        if near is not None:
            order = TopologicalSorter(dict(enumerate(near))).static_order()
            self._near = positions_of(np.fromiter(order, dtype=np.int64))
        self._tiers = None if knowledge is None else knowledge.tiers
        self._known: dict[int, np.ndarray] = {}

    def positions(self, index: int) -> np.ndarray:
        """Positions in the order with this index, float64, shape (n_variables,); parents stand before."""
        known = self._known.get(index)
        if known is None:
            known = self._draw(index)
            if (len(self._known) + 1) * known.nbytes <= REMEMBERED_BYTES:
                self._known[index] = known
        return known

    def _draw(self, index: int) -> np.ndarray:
        rng = task_generator(self.seed, index)
        if self._near is not None:
            position = self._near.astype(np.float64)
            if index:
                position += rng.normal(0.0, NEAR_SPREAD * self.n_variables, self.n_variables)
            return position
        position = rng.permutation(self.n_variables).astype(np.float64)
        return position if self._tiers is None else self._move_into_tiers(position, self._tiers)

    def _move_into_tiers(self, position: np.ndarray, tiers: np.ndarray) -> np.ndarray:
        """Give every tier an interval of positions as long as its share of the tiered variables."""
        tiered = tiers >= 0
        sizes = np.bincount(tiers[tiered], minlength=1) / max(1, int(tiered.sum()))
        starts = np.cumsum(sizes) - sizes
        moved = position / self.n_variables
        moved[tiered] = starts[tiers[tiered]] + sizes[tiers[tiered]] * moved[tiered]
        ranks = np.empty(self.n_variables)
        ranks[np.argsort(moved, kind="stable")] = np.arange(self.n_variables)
        return ranks
