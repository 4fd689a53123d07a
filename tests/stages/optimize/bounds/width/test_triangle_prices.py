"""Prices of triangles: the bound from its definition, and never below the best network within the treewidth."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.edge_prices import best_within_width
from naive.optimize.lagrangian import costs_of
from naive.optimize.networks_search import best_by_subsets, random_table
from naive.optimize.orders import lists_of
from naive.optimize.triangle_prices import priced_cost
from naive.optimize.within_ktrees import best_within_all_ktrees

from stages.kernels.bounds.lagrangian import no_cuts
from stages.lists import set_lists
from stages.lists.set_lists import keep_in_table, lists_in
from stages.optimize.bounds import lagrangian
from stages.optimize.bounds.relaxation import relaxed
from stages.optimize.bounds.width import triangle_prices
from stages.optimize.bounds.width.edge_prices import EdgePrices, first_of_fours, members_of_fours
from stages.optimize.bounds.width.triangle_prices import SCALE, TrianglePrices, can_price_triangles
from stages.optimize.bounds.width.width_search import WidthSearch
from stages.runtime.budgets import Budget


def table_within(seed, n, width, n_sets=14):
    """Random lists of sets with at most `width` parents; some with ties, some with fixed records."""
    table = random_table(seed, n, min(3, width), n_sets, ties=seed % 2 == 0, n_fixed=int(seed % 5 == 4))
    return keep_in_table(table, np.flatnonzero(np.diff(table.parent_offsets) <= width))


def price_early(monkeypatch):
    """Price edges from the first separation on, and triangles from the next one on."""
    monkeypatch.setattr(lagrangian, "KNEE", 10.0)
    monkeypatch.setattr(lagrangian, "STALLS", 1)
    for name in ("ANY_WIDTH", "EDGES"):
        stage = getattr(lagrangian, name)
        at_its_end = stage._replace(first_weight=stage.last_weight, stall_gain=10.0)
        monkeypatch.setattr(lagrangian, name, at_its_end)


def priced_edges(table, width, rng):
    """Prices of edges at random."""
    lists = lists_in(table)
    prices = EdgePrices(lists, width)
    assert prices.add_violated(lists, np.ones(len(lists.scores))) > 0
    for name in ("best", "moving"):
        size = len(prices.moving)
        setattr(prices, name, -rng.exponential(3.0, size) * (rng.random(size) < 0.5))
    return lists, prices


def bound_at(lists, prices):
    """Lower bound on the cost at the moving multipliers."""
    priced, worth = prices.priced(lists, set_lists.costs_of(lists))
    return relaxed(lists, priced, no_cuts(), np.empty(0)).bound - worth


def needs_of(prices, n):
    """The prices of the sets that need each clique."""
    needs = {}
    for code, multiplier in zip(prices.codes.tolist(), prices.moving[prices.n_before :].tolist()):
        if code >= first_of_fours(n):
            fours, left_out = members_of_fours(n, np.array([code]))
            needs[frozenset(fours[0].tolist()), int(fours[0, left_out[0]])] = -multiplier
        else:
            pair, third = divmod(code, n + 1)
            needs[frozenset(divmod(pair, n)) | ({third - 1} if third else set())] = -multiplier
    return needs


def rows_of(prices):
    """The rows about cliques: (multiplier, {clique: coefficient}, demand)."""
    cliques = [frozenset(c) for c in (*prices._cliques.pairs.tolist(), *prices._cliques.triples.tolist())]
    for row, multiplier in zip(prices._before, prices.moving.tolist()):
        scale = SCALE / (SCALE + len(row.columns))
        coefficients = {cliques[c]: int(v) for c, v in zip(row.columns, row.values)}
        yield multiplier * scale, coefficients, row.demand


def within_of(prices):
    cliques = prices._cliques
    return {
        frozenset(t): frozenset(cliques.pairs[e].tolist()) for t, e in zip(cliques.triples.tolist(), prices._within)
    }


@pytest.fixture(params=[True, False], ids=["all", "met"])
def is_complete(request, monkeypatch):
    """True: all triples are columns from the start. False: triples become columns when they are met."""
    if not request.param:
        monkeypatch.setattr(triangle_prices, "MOST_COMPLETE", 0)
    return request.param


@pytest.mark.parametrize("width", [2, 3, 4])
@pytest.mark.parametrize("seed", seeds(20, quick=3))
def test_triangles_begin_at_the_bound_of_edges(seed, width, is_complete):
    table = table_within(seed, 6, width)
    lists, edges = priced_edges(table, width, np.random.default_rng(seed))
    assert can_price_triangles(edges)
    prices = TrianglePrices(edges, lists, np.ones(len(lists.scores)))
    assert not can_price_triangles(prices)
    assert bound_at(lists, prices) == pytest.approx(bound_at(lists, edges), abs=1e-9)
    edges.go_back()
    prices.go_back()
    assert bound_at(lists, prices) == pytest.approx(bound_at(lists, edges), abs=1e-9)


@pytest.mark.parametrize("width", [2, 3, 4])
@pytest.mark.parametrize("seed", seeds(40, quick=3))
def test_the_bound_at_any_multipliers_is_as_defined_and_holds(seed, width, is_complete):
    rng, n = np.random.default_rng(seed), 6
    table = table_within(seed, n, width)
    lists, edges = priced_edges(table, width, rng)
    prices = TrianglePrices(edges, lists, np.ones(len(lists.scores)))
    ideal = sum(float(table.scores[s]) for s in table.set_offsets[:-1])
    best = best_within_width(table, width)
    for _ in range(3):
        # Rows that a random point violates, of all kinds.
        prices._index_columns(np.zeros(n**2 + len(prices._cliques.triples)))
        prices.edges.shares[:] = rng.random(len(prices.edges.shares)) ** 2
        prices.add_violated(lists, rng.random(len(lists.scores)))
        before = prices.n_before
        size = len(prices.moving)
        prices.moving = rng.exponential(1.0, size) * (rng.random(size) < 0.4)
        prices.moving[before:] *= -3.0
        prices.keep()
        arguments = (needs_of(prices, n), list(rows_of(prices)), within_of(prices))
        expected = priced_cost(costs_of(table), *arguments, prices.edges.most, width, prices.edges.lack)
        assert bound_at(lists, prices) == pytest.approx(expected, abs=1e-9)
        assert ideal - expected >= best - 1e-8
        prices.moving[: before // 2] = 0.0
        prices.best[: before // 2] = 0.0
        at = bound_at(lists, prices)
        prices.drop()
        assert len(prices.moving) < size
        assert bound_at(lists, prices) == pytest.approx(at, abs=1e-9)


def test_all_kinds_of_rows_are_found():
    rng, kinds = np.random.default_rng(1), set()
    table = table_within(1, 6, 2)
    lists, edges = priced_edges(table, 2, rng)
    prices = TrianglePrices(edges, lists, np.ones(len(lists.scores)))
    for _ in range(20):
        prices.edges.shares[:] = rng.random(len(prices.edges.shares)) ** 2
        prices.add_violated(lists, np.ones(len(lists.scores)))
        kinds |= {row.key[0] for row in prices._before}
    assert kinds == {"edge", "least degree", "most degree", "triangles", "link", "chord"}


def test_triples_become_columns_as_they_are_met(monkeypatch):
    monkeypatch.setattr(triangle_prices, "MOST_COMPLETE", 0)
    table = table_within(3, 8, 3)
    lists = lists_in(table)
    edges = EdgePrices(lists, 3)
    # One set, of one parent: no triple is met.
    alone = np.zeros(len(lists.scores))
    alone[np.flatnonzero(np.diff(lists.parent_offsets) == 1)[0]] = 1.0
    edges.add_violated(lists, alone)
    prices = TrianglePrices(edges, lists, alone)
    assert len(prices._cliques.triples) == 0
    prices.add_violated(lists, np.full(len(lists.scores), 0.2))
    triples = [tuple(t) for t in prices._cliques.triples.tolist()]
    assert len(triples) == len(set(triples))
    needed = {
        tuple(sorted((child, *pair)))
        for child, parents in all_sets_of(table)
        for pair in itertools.combinations(parents, 2)
    }
    assert needed <= set(triples)
    # Three neighbours of one another are a column though no set needs them.
    prices.edges.shares[: len(prices._ends)] = 0.5
    prices.add_violated(lists, np.full(len(lists.scores), 0.2))
    assert len(prices._cliques.triples) == math.comb(8, 3)
    # A set of three parents has rows about four variables.
    fours = {key[0] for key in needs_of(prices, 8) if isinstance(key, tuple)}
    assert fours == {frozenset((child, *p)) for child, p in all_sets_of(table) if len(p) == 3} != set()


def all_sets_of(table):
    for child, sets in enumerate(lists_of(table)):
        yield from ((child, parents) for _, parents in sets)


@pytest.mark.parametrize("block", seeds(40, quick=2))
def test_no_bound_of_random_lists_is_below_the_optimum(block, monkeypatch, is_complete):
    """Prices begin at once, so that they matter; ten tables a block."""
    price_early(monkeypatch)
    n_narrow = 0
    for seed in range(10 * block, 10 * block + 10):
        width, n = 2 + seed % 3, (5, 6, 6, 7)[seed % 4]
        width = min(width, n - 2)
        table = table_within(seed, n, width, n_sets=10 + seed % 20)
        best = best_within_all_ktrees(lists_of(table), width)
        if best == -math.inf:
            continue
        search = WidthSearch(lists_in(table), np.random.default_rng(seed), width)
        before = math.inf
        for incumbent in (best - 20.0, best - 3.0, best):
            search.improve(Budget(), search.work + 3e6, incumbent)
            assert best - 1e-7 <= search.best.value <= before + 1e-9, (seed, incumbent)
            before = search.best.value
        n_narrow += search._narrow is not None and isinstance(search._narrow._arcs, TrianglePrices)
    assert n_narrow >= 1


def test_triangles_narrow_the_bound(monkeypatch):
    """Bounds after equal work, with triangles and without."""
    found = {True: 0.0, False: 0.0}
    for seed in range(3):
        table = random_table(seed, 10, 2, 40)
        first = WidthSearch(lists_in(table), np.random.default_rng(0), 2)
        first.improve(Budget(), 1e8, -1000.0)
        for is_priced in (True, False):
            monkeypatch.setattr(
                lagrangian, "can_price_triangles", lambda p, use=is_priced: use and can_price_triangles(p)
            )
            search = WidthSearch(lists_in(table), np.random.default_rng(seed), 2)
            search.improve(Budget(), 2e8, first.best.value - 12.0)
            found[is_priced] += search.best.value
    assert found[True] < found[False] - 1.0


def test_triangles_follow_where_no_set_violates_a_row_of_edges():
    """The rows about cliques may be violated all the same: cycles without chords."""
    table = random_table(4, 6, max_parents=1, n_sets=6)
    lists = lists_in(table)
    edges, best = EdgePrices(lists, 2), best_by_subsets(table)
    assert can_price_triangles(edges)
    prices = TrianglePrices(edges, lists, np.full(len(lists.scores), 0.1))
    prices.add_violated(lists, np.full(len(lists.scores), 0.1))
    prices.moving[: prices.n_before] = 0.1
    assert not prices.are_zero
    ideal = sum(float(table.scores[s]) for s in table.set_offsets[:-1])
    assert ideal - bound_at(lists, prices) >= best - 1e-8


def test_trees_have_no_triangles():
    _, edges = priced_edges(table_within(3, 7, 1), 1, np.random.default_rng(0))
    assert not can_price_triangles(edges)
