"""The count of local scores by definition, against climbs that look at every neighbour of every graph."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.climbing import FAMILY, as_sets, naive_result, random_graph, search, without_constants
from helpers.seeds import seeds
from helpers.tables import dependent_dataset, make_dataset
from naive.optimize import climbing as naive

from stages.knowledge import Knowledge
from stages.optimize.climbing import literal_count
from stages.optimize.climbing.climber import GRID_QUANTA
from stages.scoring.family_scorer import FamilyScorer


class CountedScore:
    """A score that lists the families it is asked for."""

    def __init__(self, scorer):
        self.scorer, self.requested, self.known = scorer, 0, {}

    def __call__(self, child, parents):
        self.requested += 1
        if (child, parents) not in self.known:
            self.known[child, parents] = self.scorer.local_score(child, parents)
        return self.known[child, parents]

    @property
    def counts(self):
        return len(self.known), self.requested


def counts_of(result):
    return result.stats["literal_statistics"], result.stats["literal_requested"]


def as_tuples(graph):
    return tuple(tuple(sorted(p)) for p in graph)


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("method", FAMILY)
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_as_many_as_the_definition_asks_for(method, score, seed, monkeypatch):
    """From no arcs, and from graphs whose arcs are removed and reversed."""
    monkeypatch.setattr(literal_count, "FEW", 5)
    n = 4 + seed % 4
    dataset, _ = dependent_dataset(seed, n, 60 + 80 * (seed % 3), most_states=3, noise=0.3)
    scorer = FamilyScorer(without_constants(dataset), score, 4.0)
    for density in (0.0, 0.4, 0.9):
        start = random_graph(seed, n, density)
        asked = CountedScore(scorer)
        ranks = None
        if not any(start) and score != "k2":
            ranks = naive.ranks_of(scorer.local_score, n, scorer.quantum * GRID_QUANTA)
        expected = naive_result(scorer, method, start, asked, ranks=ranks)
        found = search(scorer, method, as_tuples(start))
        assert as_sets(found.parents) == expected
        assert counts_of(found) == asked.counts


@pytest.mark.parametrize("method", FAMILY)
@pytest.mark.parametrize("seed", seeds(10, quick=3))
def test_as_many_under_constraints(method, seed):
    n = 6
    dataset, _ = dependent_dataset(100 + seed, n, 80, most_states=3)
    scorer = FamilyScorer(without_constants(dataset), "bdeu", 1.0)
    rng = np.random.default_rng(seed)
    start = [set(sorted(p)[:2]) for p in random_graph(seed, n, 0.6)]
    arcs = sorted((p, child) for child in range(n) for p in start[child])
    required = {arc for arc in arcs if rng.random() < 0.3}
    free = [(int(p), int(c)) for p in range(n) for c in range(n) if p != c and (p, c) not in arcs]
    forbidden = {arc for arc in free if rng.random() < 0.2}
    asked = CountedScore(scorer)
    naive_result(scorer, method, start, asked, required=required, forbidden=forbidden, max_parents=2)
    knowledge = Knowledge.of_arcs(dataset.names, required, forbidden)
    found = search(scorer, method, as_tuples(start), knowledge=knowledge, max_parents=2)
    assert counts_of(found) == asked.counts


def test_both_directions_count_though_one_is_computed():
    """Twelve independent variables: 132 families of one parent, and 12 of none, compared in either climb of HC;
    CHC tests one direction."""
    codes = np.array([[row >> v & 1 for row in range(4096)] for v in range(12)])
    scorer = FamilyScorer(make_dataset(codes, [2] * 12), "bic")
    found = search(scorer)
    assert found.stats["arcs"] == 0 and found.stats["computed"] == 66 + 12
    assert counts_of(found) == (144, 2 * 264)
    # Into the later variable of a pair only, so the first one is never a child.
    assert counts_of(search(scorer, "chc")) == (66 + 11, 132)


@pytest.mark.parametrize("length", [1, 4])
def test_as_many_families_as_a_tabu_search_compares(length):
    dataset, _ = dependent_dataset(200 + length, 6, 60, most_states=3)
    scorer = FamilyScorer(without_constants(dataset), "bic")
    grid = scorer.quantum * GRID_QUANTA
    asked = CountedScore(scorer)
    ranks = naive.ranks_of(scorer.local_score, 6, grid)
    naive.climb_both_ways(naive.climb_tabu, asked, scorer.local_score, [set()] * 6, length, grid=grid, ranks=ranks)
    assert counts_of(search(scorer, tabu=length))[0] == len(asked.known)
