"""Triangles of k-trees and rows about cliques, against their definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.triangle_prices import dearest_base, dearest_base_by_enumeration, with_triangles, worths_of

from stages.kernels.bounds.edges import choose_dearest, choose_edges, count_columns, n_priced, new_edges, with_edges
from stages.kernels.bounds.triangles import (
    choose_triangles,
    grow_links,
    new_triangles,
    pass_to_edges,
    price_columns,
    shortest_detour,
    subtract_given,
)
from stages.optimize.bounds.width.cliques import subsets_of


class Case:
    """Random rows over the pairs and triples of some variables, with random multipliers."""

    def __init__(self, seed, n=5, width=2):
        rng = np.random.default_rng(seed)
        pairs, triples = subsets_of(n, 2).tolist(), subsets_of(n, 3).tolist()
        self.cliques = [frozenset(c) for c in pairs + triples]
        within = np.array([pairs.index(t[:2] if rng.random() < 0.5 else t[1:]) for t in triples])
        self.within = {frozenset(t): self.cliques[e] for t, e in zip(triples, within.tolist())}
        sizes = rng.integers(1, 6, 8)
        columns = np.concatenate([rng.permutation(len(self.cliques))[:size] for size in sizes])
        values = rng.integers(-2, 3, len(columns)).astype(np.float64)
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        # Whole numbers: sums are exact, and ties occur.
        self.multipliers = rng.integers(0, 4, len(sizes)).astype(np.float64)
        self.demands = rng.integers(-2, 3, len(sizes))
        self.rows = [
            (m, {self.cliques[c]: v for c, v in zip(columns[a:b].tolist(), values[a:b].tolist())}, d)
            for m, a, b, d in zip(self.multipliers.tolist(), offsets[:-1], offsets[1:], self.demands.tolist())
        ]
        self.triangles = new_triangles(len(pairs), within, offsets, columns, values)
        self.needed = rng.permutation(len(self.cliques))[:7]
        self.of_sets = -rng.integers(0, 5, 7).astype(np.float64)
        self.needs = {self.cliques[c]: -m for c, m in zip(self.needed.tolist(), self.of_sets.tolist())}
        ends = np.array([u * n + v for u, v in pairs])
        shares = rng.random(len(self.cliques))
        self.edges = with_edges(new_edges(n, width, True), ends, self.needed, shares, self.triangles)
        self.pairs = self.cliques[: len(pairs)]

    def by_column(self, values):
        return np.array([values.get(clique, 0.0) for clique in self.cliques])


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("seed", seeds(20, quick=3))
def test_the_choice_of_edges_and_triangles_is_the_dearest_one(seed, width):
    case = Case(seed, width=width)
    edges = case.edges
    worths = worths_of(case.needs, case.rows)
    of_pairs = with_triangles(worths, case.within, case.pairs)
    total = choose_edges(edges, np.concatenate((case.multipliers, case.of_sets)))
    chosen = [pair for pair, is_chosen in zip(case.pairs, edges.chosen) if is_chosen]
    assert len(chosen) == edges.most
    assert total == sum(of_pairs[pair] for pair in chosen)
    assert total == sum(of_pairs[pair] for pair in dearest_base(of_pairs, edges.most, width, edges.lack))
    assert total == dearest_base_by_enumeration(of_pairs, edges.most, width, edges.lack)
    for triple, is_chosen in zip(case.cliques[len(case.pairs) :], edges.chosen[len(case.pairs) :].tolist()):
        assert is_chosen == (worths.get(triple, 0.0) > 0.0 and case.within[triple] in chosen)
    # The same from the worths.
    edges.worths[:] = -case.by_column(worths)
    assert choose_dearest(edges) == total


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_worths_flow_from_rows_to_columns_and_from_triangles_to_edges(seed):
    case = Case(seed)
    found = np.zeros(len(case.cliques))
    price_columns(case.triangles, case.multipliers, found)
    worths = worths_of({}, case.rows)
    assert np.array_equal(-found, case.by_column(worths))
    pass_to_edges(case.triangles, found)
    of_pairs = with_triangles(worths, case.within, case.pairs)
    assert np.array_equal(-found, case.by_column({**worths, **of_pairs}))
    chosen = np.zeros(len(case.cliques), dtype=np.bool_)
    chosen[:3] = True
    choose_triangles(case.triangles, found, chosen)
    some = case.pairs[:3]
    expected = [
        c in some or (c in case.within and case.within[c] in some and worths.get(c, 0) > 0) for c in case.cliques
    ]
    assert chosen.tolist() == expected


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_rows_lack_what_columns_do_not_give(seed):
    case = Case(seed)
    lacks = case.demands.astype(np.float64)
    subtract_given(case.triangles, case.edges.shares, lacks)
    shares = dict(zip(case.cliques, case.edges.shares.tolist()))
    expected = [d - sum(v * shares[c] for c, v in row.items()) for _, row, d in case.rows]
    assert lacks == pytest.approx(expected)
    assert n_priced(case.edges) == len(case.rows) + len(case.needed)
    every = np.concatenate(([5.0], case.demands, np.zeros(len(case.needed))))
    count_columns(case.edges, case.edges.shares, every)
    of_sets = [shares[case.cliques[c]] for c in case.needed]
    assert every == pytest.approx([5.0, *expected, *of_sets])
    chosen = case.edges.shares > 0.5
    every = np.zeros(len(every))
    count_columns(case.edges, chosen, every)
    assert every[-len(case.needed) :].tolist() == chosen[case.needed].tolist()


def test_rows_by_column_have_every_entry_once():
    case = Case(3)
    triangles = case.triangles
    by_row = [
        (r, triangles.columns[k], triangles.values[k])
        for r, (a, b) in enumerate(itertools.pairwise(triangles.offsets))
        for k in range(a, b)
    ]
    by_column = [
        (triangles.rows[k], c, triangles.column_values[k])
        for c, (a, b) in enumerate(itertools.pairwise(triangles.column_offsets))
        for k in range(a, b)
    ]
    assert sorted(by_row) == sorted(by_column)


@pytest.mark.parametrize("seed", seeds(60, quick=10))
def test_a_shortest_detour_is_the_shortest_of_all(seed):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 5
    # Whole numbers: sums are exact, and ties occur.
    lengths = rng.integers(0, 6, (n, n)).astype(np.float64)
    lengths = np.minimum(lengths, lengths.T)
    lengths[rng.random((n, n)) < 0.2] = np.inf
    through = rng.integers(0, 4, n).astype(np.float64)
    most = float(rng.integers(2, 12))

    def length_of(path):
        return sum(lengths[a, b] for a, b in itertools.pairwise(path)) + sum(through[v] for v in path[1:-1])

    paths = [
        (0, *inner, n - 1) for size in range(1, n - 1) for inner in itertools.permutations(range(1, n - 1), size)
    ]
    shortest = min((length_of(path) for path in paths), default=np.inf)
    found = np.empty(n, dtype=np.int64)
    length, size = shortest_detour(lengths, through, 0, n - 1, most, found)
    if shortest > most:
        assert (length, size) == (np.inf, 0)
    else:
        assert length == shortest == length_of(found[:size].tolist())
        assert tuple(found[:size].tolist()) in paths


def too_many(triangles, edges, width, some):
    """How many triangles a set of neighbours has beyond its limit, from the definition."""
    ranked = sorted((edges[u] for u in some), reverse=True)
    limit = (width - 1) * sum(ranked) - sum(w * y for w, y in zip(range(width - 1, 0, -1), ranked))
    return sum(triangles[a, b] for a, b in itertools.combinations(some, 2)) - limit


@pytest.mark.parametrize("width", [2, 3, 4, 7])
@pytest.mark.parametrize("seed", seeds(30, quick=5))
def test_links_grow_by_the_best_neighbour(seed, width):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 9
    triangles = np.triu(rng.random((n, n)) ** 3, 1)
    triangles += triangles.T
    edges = rng.random(n)
    starts = np.array(list(itertools.combinations(range(n), 2)))
    orders, lacks = np.empty((len(starts), n), dtype=np.int64), np.empty(len(starts))
    sizes = grow_links(triangles, edges, width, starts, orders, lacks)
    for start, order, lack, size in zip(starts.tolist(), orders.tolist(), lacks, sizes):
        assert order[:2] == start
        assert sorted(order) == list(range(n))
        for k in range(2, n):
            gains = {u: sum(triangles[u, a] for a in order[:k]) - (width - 1) * edges[u] for u in order[k:]}
            assert gains[order[k]] == pytest.approx(max(gains.values()))
        values = {k: too_many(triangles, edges, width, order[:k]) for k in range(max(3, width), n + 1)}
        if not values:
            assert (lack, size) == (-np.inf, 0)
        else:
            assert lack == pytest.approx(max(values.values())) == pytest.approx(values[size])
