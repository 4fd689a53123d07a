"""The interface of separators: searches for cuts that a fractional choice of sets violates.

A separator looks at one `FractionalChoice` and at the cuts known so far. It returns the origins of violated cuts
(`cuts.Origin`), most violated first or in the order found, and its work in sets or variables looked at. Kinds:
`cluster_cuts.ClusterSeparator`, `zero_half_cuts.HalvedSumSeparator`, and the cycles of whole choices in
`stages.optimize.exact.fractional`. To add a kind, write a class with ``separate`` and add it to the separators of
`lagrangian` and of `stages.optimize.exact.branch_and_cut`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from stages.kernels.bounds.cluster_cuts import Support
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import keep_sets
from stages.runtime.budgets import Budget

from .cut_pool import CutPool
from .cuts import Origin


class FractionalChoice(NamedTuple):
    """A fractional choice of sets."""

    shares: np.ndarray  # float64, shape (n_sets,): share of each set; the shares of a variable's sets sum to one
    support: Support  # the sets whose share is not negligible, indexed by child and by member


class Separator(Protocol):
    """A search for violated cuts of one kind."""

    def separate(
        self, point: FractionalChoice, pool: CutPool, rng: np.random.Generator, budget: Budget
    ) -> tuple[Sequence[Origin], int]:
        """Violated cuts, and the work done; ends early when the budget runs out."""


def make_point(lists: SetLists, shares: np.ndarray, least: float) -> FractionalChoice:
    """A fractional choice in which shares up to `least` are neglected."""
    n = len(lists.set_offsets) - 1
    sets = np.flatnonzero(shares > least)
    kept = keep_sets(lists, sets)
    set_of_entry = np.repeat(np.arange(len(sets), dtype=np.int32), np.diff(kept.parent_offsets))
    by_parent = np.argsort(kept.parents, kind="stable")
    support = Support(
        lists=kept,
        shares=shares[sets],
        child=np.repeat(np.arange(n, dtype=np.int32), np.diff(kept.set_offsets)),
        member_offsets=np.searchsorted(kept.parents[by_parent], np.arange(n + 1)).astype(np.int64),
        member_sets=set_of_entry[by_parent],
    )
    return FractionalChoice(shares, support)


def add_violated(
    separators: Iterable[Separator],
    point: FractionalChoice,
    pool: CutPool,
    rng: np.random.Generator,
    budget: Budget,
    most_counted: float = np.inf,
    view: CutPool | None = None,
) -> tuple[int, int]:
    """Add what the separators find to the pool, one after the other.

    No separator runs once the sets counted by all cuts of the pool exceed `most_counted`. `view` is the pool
    restricted to the sets of `point`, if these are not all sets. Returns the number of cuts that were not in the
    pool, and the work of all separators.
    """
    added = total = 0
    # A view without cuts has length 0 and counts as false; so compare it with None.
    seen = pool if view is None else view
    for separator in separators:
        if len(pool.cuts.sets) > most_counted:
            break
        found, work = separator.separate(point, seen, rng, budget)
        added += pool.add(found)
        total += work
    return added, total
