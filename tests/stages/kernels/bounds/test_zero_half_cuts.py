"""The search for sums of cuts to halve: its sums and the violation of what it finds, against the definition."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.zero_half_cuts import halved, lack, largest_lack

from stages.kernels.bounds.zero_half_cuts import (
    SumRules,
    change_by,
    flip_cut,
    new_cut_sum,
    rounding_cost,
    search_sums,
)
from stages.lists import set_lists
from stages.lists.set_lists import lists_in
from stages.optimize.bounds.cut_pool import CutPool
from stages.optimize.bounds.zero_half_cuts import _odd_sets


def case(seed):
    """Random cuts that a fractional choice keeps: (odd sets, sum of none, cuts by the definition, child, shares)."""
    rng, table = np.random.default_rng(seed), random_table(seed, 5, n_sets=6)
    lists = lists_in(table)
    shares = np.zeros(len(lists.scores))
    for a, b in pairwise(lists.set_offsets):
        sets = rng.permutation(np.arange(a, b))[: rng.integers(1, 3)]
        shares[sets] = 1.0 / len(sets)
    pool = CutPool(lists, set_lists.costs_of(lists))
    for _ in range(6):
        demand = int(rng.integers(1, 3))
        size = int(rng.integers(demand + 1, 6))
        pool.add([(np.sort(rng.permutation(5)[:size]).astype(np.int32), demand)])

    def as_cut(row):
        return dict(zip(row.sets.tolist(), row.weights.tolist(), strict=True)), row.demand

    pool.keep_cuts(np.array([lack(as_cut(pool.row(c)), shares) <= 0.0 for c in range(len(pool))]))
    usable, odd = _odd_sets(pool, shares, 0.0, 2.0)
    child = np.repeat(np.arange(5), np.diff(lists.set_offsets)).tolist()
    cuts = [as_cut(pool.row(int(c))) for c in usable]
    return odd, new_cut_sum(len(usable), shares[shares > 0.0], 5), cuts, child, shares


def least_lowered(parts, child, shares):
    """The most that half of a sum of cuts lacks, whatever is rounded down."""
    return max(lack(halved(parts, child, {v for v in range(5) if bits >> v & 1}), shares) for bits in range(32))


@pytest.mark.parametrize("seed", seeds(12, quick=2))
def test_slack_and_rounding_give_the_violation(seed):
    """Where it is violated a sum lacks half of 1 - slack - what rounding costs; `change_by` distinguishes flips."""
    odd, total, cuts, child, shares = case(seed)
    rng, inside, demand, slack = np.random.default_rng(seed), set(), 0, 0.0
    for _ in range(12 if cuts else 0):
        cut = int(rng.integers(len(cuts)))
        before = slack + np.minimum(total.odd_shares, 1.0 - total.odd_shares).sum()
        reported = change_by(odd, total, cut)
        more, wider = flip_cut(odd, total, cut)
        demand, slack, inside = demand + more, slack + wider, inside ^ {cut}
        after = slack + np.minimum(total.odd_shares, 1.0 - total.odd_shares).sum()
        assert after - before == pytest.approx(reported, abs=1e-9)
        assert demand == sum(cuts[c][1] for c in inside)
        assert set(np.flatnonzero(total.inside)) == inside
        if inside:
            found = least_lowered([cuts[c] for c in inside], child, shares)
            promised = 0.5 * (1.0 - slack - rounding_cost(total.odd_shares, demand))
            if promised > 1e-9:
                # Counting no set more often than the demand may violate it further.
                assert found >= promised - 1e-9


@pytest.mark.parametrize("seed", seeds(12, quick=2))
def test_search_finds_violated_sums_and_leaves_no_trace(seed):
    odd, total, cuts, child, shares = case(seed)
    if len(cuts) < 2:
        return
    n = len(cuts)
    kept, pool = np.empty(n, dtype=np.bool_), np.empty(n * n, dtype=np.int32)
    offsets = np.zeros(n + 1, dtype=np.int64)
    rules = SumRules(n_steps=40, most_summed=n, least_violation=0.01)
    rng = np.random.default_rng(seed)
    count, _ = search_sums(odd, total, np.arange(n, dtype=np.int32), rules, rng, kept, pool, offsets)
    assert not total.inside.any() and not total.until.any() and not total.is_near.any()
    assert (total.shares >= 0.0).all() and not total.odd_shares.any()
    for a, b in pairwise(offsets[: count + 1].tolist()):
        assert b - a > 1
        parts = [cuts[c] for c in pool[a:b].tolist()]
        assert least_lowered(parts, child, shares) >= 0.01 - 1e-9
    assert bool(count) == (largest_lack(cuts, child, shares, n) > 0.01 + 1e-9)
