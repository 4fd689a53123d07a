"""Rows of the relaxation with integer coefficients, and the bound of their multipliers in integers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stages.kernels.bounds.lagrangian import Cuts
from stages.kernels.orders.set_lists import SetLists

from ...bounds.width.clique_rows import Row
from ..linear_programme import Ranges, some_cuts

COST_BITS, FINE_BITS, MOST_BITS = 46, 24, 62
"""Binary digits of the largest cost in coarse units, of a coarse unit in fine ones, and of the largest sum."""


class RowPool:
    """Rows found so far, one after the other."""

    def __init__(self) -> None:
        self.keys: dict[tuple[object, ...], int] = {}
        nothing = np.empty(0, dtype=np.int64)
        self.cuts = Cuts(offsets=np.zeros(1, dtype=np.int64), sets=nothing, weights=nothing, demands=nothing)
        self.are_equations = np.empty(0, dtype=np.bool_)
        self.magnitudes = np.empty(0)  # largest absolute coefficient or demand of each row

    def __len__(self) -> int:
        return len(self.keys)

    def add(self, rows: list[Row]) -> np.ndarray:
        """Add the new rows among these; returns the indices of all of them, known or new."""
        new = [row for row in {row.key: row for row in rows}.values() if row.key not in self.keys]
        for row in new:
            self.keys[row.key] = len(self.keys)
        if new:
            before = self.cuts
            self.cuts = Cuts(
                offsets=np.append(before.offsets, before.offsets[-1] + np.cumsum([len(row.columns) for row in new])),
                sets=np.concatenate([before.sets, *(row.columns for row in new)]),
                weights=np.concatenate([before.weights, *(row.values for row in new)]),
                demands=np.append(before.demands, [row.demand for row in new]),
            )
            self.are_equations = np.append(self.are_equations, [row.is_equation for row in new])
            largest = [max(abs(row.demand), np.abs(row.values).max(initial=1)) for row in new]
            self.magnitudes = np.append(self.magnitudes, largest)
        return np.array([self.keys[row.key] for row in rows], dtype=np.int64)

    def lacks(self, point: np.ndarray) -> np.ndarray:
        """By how much each row is violated at a point (float64, shape (n_columns,)); float64, shape (n_rows,)."""
        counted = np.append(0.0, np.cumsum(self.cuts.weights * point[self.cuts.sets]))
        lacks = self.cuts.demands - np.diff(counted[self.cuts.offsets])
        return np.where(self.are_equations, np.abs(lacks), lacks)


class Costs:
    """Costs of sets in fine units, rounded down: whole numbers, so bounds have no rounding errors.

    Numbers are pairs of int64: `coarse` units, and `fine` ones, 2 ** `FINE_BITS` to a coarse unit.

    Parameters
    ----------
    lists : SetLists
        Every child has a set.
    costs : ndarray of float64, shape (n_sets,)
        Of these sets, nats, non-negative. Those above `most` are cut to it.
    most : float
        What no set of a better network costs.
    """

    def __init__(self, lists: SetLists, costs: np.ndarray, most: float):
        self.exponent = COST_BITS - math.frexp(max(most, 1e-3))[1]  # coarse units in a nat: 2 ** exponent
        self.in_nats = np.minimum(costs, most)
        self.coarse, self.fine = self.in_units(self.in_nats)
        self.lists = lists

    def nats(self, units: int) -> float:
        """Fine units in nats, rounded down."""
        return math.nextafter(math.ldexp(float(units), -self.exponent - FINE_BITS), -math.inf)

    def in_units(self, nats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Whole units, coarse and fine ones, rounded down."""
        scaled = np.ldexp(nats, self.exponent)
        coarse = np.floor(scaled)
        # The difference is exact.
        return coarse.astype(np.int64), np.floor(np.ldexp(scaled - coarse, FINE_BITS)).astype(np.int64)


class SafeBound(NamedTuple):
    """The bound of some multipliers."""

    units: int  # lower bound on the cost of every network of the branch, in fine units
    # int64, shape (n_columns,): what a column costs beyond the bound if it is in the solution, in coarse units, up to
    # one unit; of pairs and larger cliques the reduced cost, negative if leaving it out costs that much.
    excess: np.ndarray


def safe_bound(
    pool: RowPool, multipliers: np.ndarray, costs: Costs, limits: Ranges, is_ray: bool = False
) -> SafeBound | None:
    """The Lagrangian bound of multipliers in nats (float64, shape (n_rows,)), computed in whole numbers; None if they
    are too large.

    Multipliers of inequalities below zero count as zero. The subproblem chooses the least set of every child and each
    pair and triple for itself. With `is_ray` sets cost nothing: a positive bound shows that the branch has no
    network.
    """
    multipliers = np.where(pool.are_equations, multipliers, np.maximum(multipliers, 0.0))
    # Every sum of products for a column, and every product with a demand, is below this.
    if not np.ldexp(np.abs(multipliers), costs.exponent) @ pool.magnitudes + len(pool) < 2.0 ** (MOST_BITS - 2):
        return None
    n_sets, priced = len(costs.coarse), np.flatnonzero(multipliers)
    coarse, fine = np.zeros(len(limits.upper), dtype=np.int64), np.zeros(len(limits.upper), dtype=np.int64)
    if not is_ray:
        coarse[:n_sets], fine[:n_sets] = costs.coarse, costs.fine
    total, rows, of_rows = 0, some_cuts(pool.cuts, priced), costs.in_units(multipliers[priced])
    for units, sums, weight in ((of_rows[0], coarse, 1 << FINE_BITS), (of_rows[1], fine, 1)):
        np.subtract.at(sums, rows.sets, rows.weights * np.repeat(units, np.diff(rows.offsets)))
        # Python's integers cannot overflow.
        total += weight * sum((units * rows.demands).tolist())
    carried = fine >> FINE_BITS
    coarse, fine = coarse + carried, fine - (carried << FINE_BITS)
    starts, sizes = costs.lists.set_offsets[:-1], np.diff(costs.lists.set_offsets)
    of_sets = np.where(limits.upper[:n_sets] > 0, coarse[:n_sets], np.int64(1) << MOST_BITS)
    least = np.minimum.reduceat(of_sets, starts)
    is_least = of_sets == np.repeat(least, sizes)
    finest = np.minimum.reduceat(np.where(is_least, fine[:n_sets], np.int64(1) << FINE_BITS), starts)
    lower, upper = limits.lower[n_sets:] > 0, limits.upper[n_sets:] > 0
    # Fine parts are not negative: the coarse part has the sign.
    taken = np.flatnonzero(lower | (upper & (coarse[n_sets:] < 0))) + n_sets
    total += sum(least.tolist() + coarse[taken].tolist()) << FINE_BITS
    total += sum(finest.tolist() + fine[taken].tolist())
    return SafeBound(total, np.concatenate([of_sets - np.repeat(least, sizes), coarse[n_sets:]]))
