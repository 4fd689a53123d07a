"""Zero-half cuts: half of a sum of other cuts, rounded. They close part of the gap that cluster cuts leave.

Let the summed cuts count set s altogether c(s) times and demand D. Every variable takes one set. So for any set L of
variables: round c(s) / 2 down for sets of variables in L, and up for all others. The cut with these counts demands (D
- |L|) / 2, and as counts are whole numbers, this demand may be rounded up (Caprara and Fischetti 1996 on such cuts in
general). Summed cuts may be zero-half cuts themselves. They pay on dense data of some 100 columns (accidents,
pumsb_star) and in exact search. Kernel: `stages.kernels.bounds.zero_half_cuts`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.kernels.bounds.zero_half_cuts import OddSets, SumRules, new_cut_sum, search_sums
from stages.runtime.budgets import Budget, slices

from .cut_pool import CutPool, cuts_of_sets, slacks_of
from .cuts import Cut, HalvedSum, add_up, round_half
from .separators import FractionalChoice

MOST_DEPTH = 9
"""Nesting of sums."""

SEARCH_STEPS = 20
"""Cuts that enter or leave a sum per search."""

SEEDS = 8
"""Searches per compiled call."""


def choose_lowered(total: Cut, child: np.ndarray, shares: np.ndarray, n_variables: int) -> np.ndarray:
    """The variables to round down for, so that these shares violate the halved sum most; int32, ascending."""
    is_odd = total.weights % 2 == 1
    odd = np.bincount(child[is_odd], weights=shares[total.sets[is_odd]], minlength=n_variables)
    is_lowered = odd > 0.5
    # Rounding the demand gains one half only if it is odd. If it is even, the variable for which this costs least is
    # rounded the other way.
    if (total.demand - np.count_nonzero(is_lowered)) % 2 == 0:
        other = int(np.argmin(np.abs(1.0 - 2.0 * odd)))
        is_lowered[other] = not is_lowered[other]
    return np.flatnonzero(is_lowered).astype(np.int32)


class HalvedSumSeparator(NamedTuple):
    """Searches for sums of cuts that, halved and rounded, a fractional choice violates."""

    least_share: float  # sets with shares up to this are neglected
    most_slack: float  # largest slack of a cut that may be summed
    violation: float  # least violation (missing share) of a half that is returned
    most_seeds: int = 200  # searches per call
    most_found: int = 40  # cuts returned per call
    most_summed: int = 8  # cuts in one sum
    # No further search begins after this number of sets looked at: `work`, plus `work_per_counted` for each set
    # counted by the cuts of the pool.
    work: float = 0.0
    work_per_counted: float = 0.0

    def separate(
        self, point: FractionalChoice, pool: CutPool, rng: np.random.Generator, budget: Budget
    ) -> tuple[list[HalvedSum], int]:
        """Violated halves that are not in the pool, most violated first; and the number of sets looked at."""
        shares, most_work = point.shares, self.work + self.work_per_counted * len(pool.cuts.sets)
        usable, odd = _odd_sets(pool, shares, self.least_share, self.most_slack)
        n = len(pool.lists.set_offsets) - 1
        total = new_cut_sum(len(usable), shares[shares > self.least_share], n)
        kept = np.empty(len(usable), dtype=np.bool_)
        rules = SumRules(n_steps=SEARCH_STEPS, most_summed=self.most_summed, least_violation=self.violation)
        sums, work = np.empty(SEEDS * self.most_summed, dtype=np.int32), 0
        seeds = rng.permutation(len(usable))[: self.most_seeds].astype(np.int32)
        present = {_content(pool.row(int(c))) for c in np.flatnonzero(pool.depths > 0)}
        found = []
        for start, end in slices(len(seeds), SEEDS, budget):
            if work > most_work:
                break
            ends = np.zeros(SEEDS + 1, dtype=np.int64)
            count, looked_at = search_sums(odd, total, seeds[start:end], rules, rng, kept, sums, ends)
            work += looked_at
            for a, b in pairwise(ends[: count + 1].tolist()):
                summed = usable[sums[a:b]].tolist()
                whole = add_up([pool.row(c) for c in summed])
                child = pool.children(whole.sets)
                lowered = choose_lowered(whole, child, shares, n)
                half = round_half(whole, child, lowered)
                lack = half.demand - float(half.weights @ shares[half.sets])
                # The search takes slacks as exact; here the violation by these shares decides.
                if lack >= self.violation and _content(half) not in present:
                    present.add(_content(half))
                    found.append((-lack, HalvedSum([pool.origins[c] for c in summed], lowered)))
        found.sort(key=lambda entry: entry[0])
        return [origin for _, origin in found[: self.most_found]], work


def _content(row: Cut) -> tuple[int, bytes, bytes]:
    return row.demand, row.sets.tobytes(), row.weights.tobytes()


def _odd_sets(pool: CutPool, shares: np.ndarray, least_share: float, most_slack: float) -> tuple[np.ndarray, OddSets]:
    """Cuts that may be summed, and the sets with a share that each counts an odd number of times."""
    slacks = np.maximum(0.0, slacks_of(pool.cuts, shares))
    is_usable = (slacks < most_slack) & (pool.depths < MOST_DEPTH)
    with_share = np.flatnonzero(shares > least_share)
    cuts = cuts_of_sets(pool.cuts, with_share, len(shares))
    wanted = (cuts.weights % 2 == 1) & np.repeat(is_usable, np.diff(cuts.offsets))
    offsets = offsets_of(wanted)[cuts.offsets]
    usable = np.flatnonzero(is_usable)
    offsets = np.concatenate(([0], offsets[usable + 1]))
    sets = cuts.sets[wanted]
    by_set = np.argsort(sets, kind="stable")
    cut = np.repeat(np.arange(len(usable), dtype=np.int32), np.diff(offsets))
    every = np.arange(len(with_share) + 1)
    return usable, OddSets(
        offsets=offsets,
        sets=sets,
        children=pool.children(with_share).astype(np.int32)[sets],
        slacks=slacks[usable],
        demands=cuts.demands[usable].astype(np.int64),
        cut_offsets=np.searchsorted(sets[by_set], every).astype(np.int64),
        cuts=cut[by_set],
    )
