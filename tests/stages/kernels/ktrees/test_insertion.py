"""Insertion of sets within regions: what fits a region fits the whole network, by its exact treewidth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.treewidth import elimination_width, moral_edges, treewidth

from stages.graphs import behind_cycles
from stages.kernels.ktrees.clique_forest import eliminate_network, new_clique_forest
from stages.kernels.ktrees.clique_regions import (
    REGION_SIZE,
    REGION_WORK,
    enclose,
    grow_region,
    is_inside,
    leave_region,
    new_region,
)
from stages.kernels.ktrees.elimination import new_sparse_graph
from stages.kernels.ktrees.insertion import closes_cycle_in_region, fits_region, insert_set, search_regions
from stages.lists.set_lists import index_table

N = 10


class Problem:
    """Lists, a random acyclic network of them within the width, its cliques, and a region."""

    def __init__(self, seed, width, nodes=4):
        self.rng, self.width = np.random.default_rng(seed), width
        self.lists = index_table(random_table(seed, N, n_sets=12))
        self.whole, self.forest = new_sparse_graph(N, width, 8 * N * N), new_clique_forest(N, width)
        self.local = new_sparse_graph(nodes + width, width, 8 * N * N)
        self.region, self.cells = new_region(N, nodes + width, width), np.ones(N)
        self.chosen = self.lists.set_offsets[1:] - 1  # all lists end with the empty set
        for child in self.rng.permutation(N).tolist():
            before = self.chosen[child]
            self.chosen[child] = self.rng.integers(*self.lists.set_offsets[child : child + 2])
            if closes_cycle_in_region(self.lists, self.region, self.chosen, child) or not self.eliminate():
                self.chosen[child] = before
        assert self.eliminate()

    def eliminate(self):
        return eliminate_network(self.lists, self.whole, self.forest, self.rng, self.chosen, math.inf)

    def families(self):
        offsets = self.lists.parent_offsets
        return [tuple(self.lists.parents[offsets[s] : offsets[s + 1]].tolist()) for s in self.chosen]

    def score(self):
        return self.lists.scores[self.chosen].sum()

    def check(self):
        assert not behind_cycles(self.families())
        assert treewidth(moral_edges(self.families())) <= self.width

    def random_region(self):
        """A region around a random variable and a set that it lacks; returns both, None if there is none."""
        child = int(self.rng.integers(N))
        first = self.lists.set_offsets[child]
        if self.chosen[child] == first:
            return None
        wanted = int(self.rng.integers(first, self.chosen[child]))
        if not grow_region(self.lists, self.forest, self.region, self.rng, np.int32(child), wanted):
            assert self.region.counts[REGION_SIZE] == 0
            return None
        enclose(self.lists, self.forest, self.region, self.local, self.chosen, self.cells)
        return child, wanted


@pytest.mark.parametrize("seed", seeds(20, quick=3))
@pytest.mark.parametrize("width", [2, 3])
def test_what_fits_a_region_fits_the_network(seed, width):
    problem = Problem(seed, width)
    lists, region, chosen = problem.lists, problem.region, problem.chosen
    for _ in range(30):
        if problem.random_region() is None:
            assert (region.places < 0).all()
            continue
        members = region.members[: region.counts[REGION_SIZE]].tolist()
        assert len(set(members)) == len(members)
        assert all(region.places[v] == k for k, v in enumerate(members))
        assert fits_region(lists, region, problem.local, problem.rng, chosen, math.inf)
        before = chosen.copy()
        for k, v in enumerate(members):
            assert region.is_free[k] == set(problem.families()[v]).issubset(members)
            s = int(problem.rng.integers(*lists.set_offsets[v : v + 2]))
            if region.is_free[k] and is_inside(lists, region, s):
                chosen[v] = s
        if fits_region(lists, region, problem.local, problem.rng, chosen, math.inf):
            assert treewidth(moral_edges(problem.families())) <= width
        chosen[:] = before
        leave_region(region)


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_cycles(seed):
    problem = Problem(seed, 3)
    for _ in range(20):
        child = int(problem.rng.integers(N))
        before = problem.chosen[child]
        problem.chosen[child] = problem.rng.integers(*problem.lists.set_offsets[child : child + 2])
        is_cyclic = bool(behind_cycles(problem.families()))
        assert closes_cycle_in_region(problem.lists, problem.region, problem.chosen, child) == is_cyclic
        problem.chosen[child] = before


@pytest.mark.parametrize("seed", seeds(20, quick=3))
@pytest.mark.parametrize("least", [-1e-12, -50.0])
def test_a_step_keeps_the_bound_and_counts_its_change(seed, least):
    problem = Problem(seed, 2)
    n_changed = 0
    for _ in range(40):
        found = problem.random_region()
        if found is None:
            continue
        child, wanted = found
        if problem.region.is_free[problem.region.places[child]]:
            before, families = problem.score(), problem.families()
            change = insert_set(
                problem.lists,
                problem.region,
                problem.local,
                problem.rng,
                problem.chosen,
                child,
                wanted,
                least,
                math.inf,
            )
            assert problem.score() == pytest.approx(before + change)
            assert change > least or problem.families() == families
            n_changed += problem.families() != families
            problem.check()
        leave_region(problem.region)
        while not problem.eliminate():
            pass
    assert n_changed or least > -1.0


@pytest.mark.parametrize("seed", seeds(20, quick=3))
@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("heat", [0.0, 3.0])
def test_regions_do_not_make_a_network_worse(seed, width, heat):
    problem = Problem(seed, width)
    for _ in range(3):
        before = problem.score()
        gain = search_regions(
            problem.lists, problem.whole, problem.local, problem.forest, problem.region, problem.rng, problem.chosen,
            problem.cells, heat, 20, problem.region.counts[REGION_WORK] + 20_000, math.inf,
        )  # fmt: skip
        assert problem.score() == pytest.approx(before + gain)
        assert gain > -1e-3
        problem.check()
        assert elimination_width(moral_edges(problem.families()), problem.forest.order.tolist()) <= width
        assert (problem.region.places < 0).all()
