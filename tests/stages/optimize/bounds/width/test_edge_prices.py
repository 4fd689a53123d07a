"""Prices of edges: the bound from its definition, and never below the best network within the treewidth."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.edge_prices import best_within_width, priced_cost
from naive.optimize.lagrangian import costs_of
from naive.optimize.networks_search import best_by_subsets, random_table
from naive.optimize.orders import lists_of
from naive.optimize.within_ktrees import best_within_all_ktrees

from stages.kernels.bounds.lagrangian import no_cuts
from stages.lists import set_lists
from stages.lists.set_lists import keep_in_table, lists_in
from stages.optimize.bounds import lagrangian
from stages.optimize.bounds.relaxation import relaxed
from stages.optimize.bounds.width.edge_prices import MOST_WIDTH, EdgePrices, can_price
from stages.optimize.bounds.width.width_search import WidthSearch
from stages.runtime.budgets import Budget


def table_within(seed, n, width):
    """Random lists of sets with at most `width` parents; some with ties, some with fixed records."""
    table = random_table(
        seed, n, max_parents=min(3, width), n_sets=14, ties=seed % 2 == 0, n_fixed=int(seed % 5 == 4)
    )
    return keep_in_table(table, np.flatnonzero(np.diff(table.parent_offsets) <= width))


def price_early(monkeypatch):
    """Price edges from the first separation on."""
    monkeypatch.setattr(lagrangian, "KNEE", 10.0)
    monkeypatch.setattr(lagrangian, "STALLS", 1)
    any_width = lagrangian.ANY_WIDTH
    monkeypatch.setattr(lagrangian, "ANY_WIDTH", any_width._replace(first_weight=any_width.last_weight))


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_the_bound_at_any_prices_is_as_defined_and_holds(seed, width):
    rng, n = np.random.default_rng(seed), 6
    table = table_within(seed, n, width)
    lists = lists_in(table)
    arcs = EdgePrices(lists, width)
    assert arcs.add_violated(lists, np.ones(len(lists.scores))) > 0
    arcs.moving = -rng.exponential(3.0, len(arcs.moving)) * (rng.random(len(arcs.moving)) < 0.5)
    priced, worth = arcs.priced(lists, set_lists.costs_of(lists))
    bound = relaxed(lists, priced, no_cuts(), np.empty(0)).bound - worth
    prices = {}
    for code, multiplier in zip(arcs.codes.tolist(), arcs.moving.tolist()):
        pair, third = divmod(code, n + 1)
        prices[frozenset(divmod(pair, n)), None if third == 0 else third - 1] = -multiplier
    expected = priced_cost(costs_of(table), prices, arcs.edges.most, width, arcs.edges.lack)
    assert bound == pytest.approx(expected, abs=1e-9)
    ideal = sum(float(table.scores[s]) for s in table.set_offsets[:-1])
    assert ideal - bound >= best_within_width(table, width) - 1e-8


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_the_bound_is_never_below_the_best_network_within_the_treewidth(seed, width, monkeypatch):
    """Prices of edges begin early or late; the bound is about the treewidth from then on."""
    table = table_within(seed, 6, width)
    best, widest = best_within_width(table, width), best_by_subsets(table)
    assert best > -math.inf
    for is_early in (False, True):
        if is_early:
            price_early(monkeypatch)
        for incumbent in (best, best - 5.0):
            search = WidthSearch(lists_in(table), np.random.default_rng(seed), width)
            before = math.inf
            for work in (1e4, 1e5, 1e6, 1e7):
                search.improve(Budget(), work, incumbent)
                assert best - 1e-7 <= search.best.value <= before + 1e-9
                before = search.best.value
            if not search.best.is_narrow:
                assert search.best.value >= widest - 1e-7


def lists_at_random(seed):
    """A table and a treewidth: few or many sets, some with ties, fixed records, or without empty sets."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([4, 5, 6, 6, 7]))
    width = int(rng.integers(3 if n == 7 else 1, n - 1))
    n_sets, most, n_fixed = (
        int(rng.integers(3, 30)),
        int(rng.integers(1, width + 1)),
        int(rng.integers(0, 3)) * (width > 1),
    )
    table = random_table(seed, n, most, n_sets, n_fixed, ties=bool(rng.integers(2)))
    sizes = np.diff(table.parent_offsets)
    kept = (sizes <= width) & ((sizes > 0) | (rng.random(len(sizes)) < 0.7))
    for start, end in itertools.pairwise(table.set_offsets.tolist()):
        kept[end - 1] |= not kept[start:end].any()
    return keep_in_table(table, np.flatnonzero(kept)), width


@pytest.mark.parametrize("block", seeds(30, quick=2))
def test_no_bound_of_random_lists_is_below_the_optimum(block, monkeypatch):
    """Prices begin at once, so that they matter; ten tables a block."""
    price_early(monkeypatch)
    for seed in range(1000 + 10 * block, 1010 + 10 * block):
        table, width = lists_at_random(seed)
        best = best_within_all_ktrees(lists_of(table), width)
        if best == -math.inf:
            continue
        search = WidthSearch(lists_in(table), np.random.default_rng(seed), width)
        for incumbent in (best - 20.0, best - 3.0, best):
            search.improve(Budget(), search.work + 2e6, incumbent)
            assert search.best.value >= best - 1e-7, (seed, incumbent)


def test_prices_narrow_the_bound_and_never_widen_it(monkeypatch):
    price_early(monkeypatch)
    gaps = []
    for seed in range(6):
        table = table_within(seed, 6, 2)
        best = best_within_width(table, 2)
        wide, narrow = (WidthSearch(lists_in(table), np.random.default_rng(seed), width) for width in (None, 2))
        for search in (wide, narrow):
            search.improve(Budget(), 3e7, best)
        assert narrow.best.gap <= wide.best.gap + 1e-6
        assert not wide.best.is_narrow
        gaps.append((wide.best.gap, narrow.best.gap))
    assert sum(narrow for _, narrow in gaps) < 0.9 * sum(wide for wide, _ in gaps)


def test_edges_are_priced_up_to_the_width_where_they_gain():
    table = random_table(3, 12, max_parents=3, n_sets=12)
    assert [can_price(lists_in(table), width) for width in (1, MOST_WIDTH, MOST_WIDTH + 1)] == [True, True, False]


@pytest.mark.parametrize("width", [None, 5, 6])
def test_no_edges_are_priced_where_any_network_keeps_the_treewidth(width):
    table = random_table(3, 6, max_parents=3, n_sets=12)
    assert not can_price(lists_in(table), width)
    search = WidthSearch(lists_in(table), np.random.default_rng(0), width)
    search.improve(Budget(), 1e7, best_by_subsets(table) - 1.0)
    assert not search.best.is_narrow
