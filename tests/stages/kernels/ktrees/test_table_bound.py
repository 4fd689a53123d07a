"""Cliques under a bound on their tables: against explicit cliques, anew after moves, and among all networks.

`form_bag` and `join_small_bag` are tested through the bags that evaluation, moves and least regret build.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math

import numpy as np
import pytest
from helpers.cases.ktrees import optimize, total
from helpers.seeds import seeds
from naive.optimize.ktrees import NaiveKTree, best_network
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of
from naive.optimize.treewidth import moral_edges

from formats.data_records import Variable
from formats.errors import Inconsistent, VerificationError
from formats.graphs.algorithms import largest_table, moral_graph
from stages.kernels.ktrees.kmax import place_by_regret
from stages.kernels.ktrees.ktree import start_size
from stages.kernels.ktrees.orders import evaluate_order
from stages.optimize.treewidth.annealing import OrderSearch
from stages.optimize.treewidth.problem import prepare_bounded
from stages.optimize.verify import verify_network
from stages.runtime.errors import InfeasibleError


def table_with_states(seed, n, **given):
    """Random lists of variables with 2 to 5 states."""
    table = random_table(seed, n, **given)
    sizes = np.random.default_rng(seed).integers(2, 6, n).tolist()
    variables = tuple(
        Variable(v.name, tuple(map(str, range(size)))) for v, size in zip(table.header.variables, sizes)
    )
    return dataclasses.replace(table, header=dataclasses.replace(table.header, variables=variables)), sizes


def distinct_bags(tree):
    """The members of each variable's bag, once each, in order."""
    return {v: list(dict.fromkeys(bag)) for v, bag in enumerate(tree.bags[: len(tree.order)].tolist())}


def eliminated_table(parents, order, sizes):
    """By `stages.graphs`; `eliminated_cells` does the same from the definition."""
    return largest_table(moral_graph(parents), order, sizes)


def eliminated_cells(edges, order, sizes):
    """The largest table of the cliques that elimination along an order meets."""
    return max(math.prod(sizes[u] for u in clique) for clique in eliminated_cliques(edges, tuple(order)))


@functools.cache
def eliminated_cliques(edges, order):
    """Every variable with its neighbours at its turn, when edges are filled in as an order eliminates."""
    neighbours = {v: {u for e in edges for u in e if v in e and u != v} for v in order}
    cliques = set()
    for v in order:
        cliques.add(frozenset({v, *neighbours[v]}))
        for u in neighbours[v]:
            neighbours[u] = (neighbours[u] | neighbours[v]) - {u, v}
    return cliques


def test_start_cliques_fit_whichever_they_are():
    sizes = np.array([2.0, 5.0, 3.0, 4.0])
    assert [start_size(sizes, 3, cells) for cells in (5, 19, 20, 59, 60, 120, math.inf)] == [1, 1, 2, 2, 3, 4, 4]
    assert start_size(sizes, 1, 1000.0) == 2


@pytest.mark.parametrize("cells", [5, 12, 30, 100, 10**9])
@pytest.mark.parametrize("bound", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_evaluation_matches_clique_lists(bound, cells, seed):
    table, sizes = table_with_states(seed, 9, max_parents=3, n_sets=30)
    problem = prepare_bounded(table, bound, cells)
    rng = np.random.default_rng(seed)
    order, left_out, hosts = rng.permutation(9), rng.integers(-1, 9, 9), rng.integers(-1, 9, 9)
    tree, clique = problem.new_tree(), problem.new_clique_tables()
    tree.order[:] = order
    evaluate_order(problem.lists, problem.filters, tree, clique, -np.inf)
    naive = NaiveKTree(lists_of(table), order.tolist(), bound, None, None, sizes, cells)
    assert problem.score(tree.chosen) == pytest.approx(naive.score(), abs=1e-9)
    assert distinct_bags(tree) == naive.bags
    search = OrderSearch(problem, rng)
    search.start(order, left_out, hosts)
    preferences = dict(enumerate(left_out)), dict(enumerate(hosts))
    naive = NaiveKTree(lists_of(table), order.tolist(), bound, *preferences, sizes, cells)
    assert problem.score(search.tree.chosen) == pytest.approx(naive.score(), abs=1e-9)
    assert distinct_bags(search.tree) == naive.bags
    assert all(math.prod(sizes[v] for v in bag) <= cells for bag in naive.bags.values())
    if cells == 10**9:  # as without a bound
        free = OrderSearch(prepare_bounded(table, bound), rng)
        free.start(order, left_out, hosts)
        assert (free.tree.chosen == search.tree.chosen).all()


def snapshot(search):
    tree, log = search.tree, search.log
    n = len(tree.order)
    parts = tree.order, tree.position, tree.bags[:n], tree.edges, tree.chosen, tree.left_out, tree.hosts
    return [part.tolist() for part in (*parts, log.marks, log.pending, log.dependents)]


@pytest.mark.parametrize("cells", [5, 20, 60])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_moves_keep_what_building_anew_would_give(cells, seed):
    table, _ = table_with_states(seed, 12, max_parents=4, n_sets=60)
    problem = prepare_bounded(table, 3, cells)
    shares = {"left_out": 0.25, "host": 0.25, "wanted": 0.2}
    search = OrderSearch(problem, np.random.default_rng(seed), shares)
    search.start(np.random.default_rng(seed).permutation(12))
    other = OrderSearch(problem, np.random.default_rng(0))
    for temperature in (1e9, 5.0):
        for _ in range(10):
            score = search.anneal(7, (temperature, temperature))
            again = other.start(search.tree.order, search.tree.left_out, search.tree.hosts)
            assert again == pytest.approx(score, abs=1e-6)
            assert snapshot(search) == snapshot(other)


@pytest.mark.parametrize("cells", [5, 20, 60])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_orders_of_least_regret_give_the_same_ktree(cells, seed):
    table, sizes = table_with_states(seed, 10, max_parents=3, n_sets=30)
    problem = prepare_bounded(table, 3, cells)
    tree, clique, rng = problem.new_tree(), problem.new_clique_tables(), np.random.default_rng(seed)
    for _ in range(4):
        score = place_by_regret(problem.lists, problem.index, problem.filters, tree, clique, problem.precedences, rng)
        chosen, bags = tree.chosen.tolist(), tree.bags[:10].tolist()
        assert evaluate_order(problem.lists, problem.filters, tree, clique, -np.inf) == pytest.approx(score)
        assert (tree.chosen.tolist(), tree.bags[:10].tolist()) == (chosen, bags)
        parents = problem.parents(tree.chosen)
        assert eliminated_table(parents, tree.order[::-1].tolist(), sizes) <= cells


@pytest.mark.slow
@pytest.mark.parametrize("cells", [5, 12, 30, 80])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_searches_against_all_networks(cells, seed):
    """No search beats the best of all networks within both bounds; the walk of ils finds it here."""
    table, sizes = table_with_states(seed, 5, max_parents=3, n_sets=12)
    cliques = itertools.chain.from_iterable(itertools.combinations(range(5), size) for size in (1, 2, 3))
    good = {frozenset(clique) for clique in cliques if math.prod(sizes[v] for v in clique) <= cells}

    @functools.cache
    def good_orders(edges):
        """Orders of elimination within both bounds."""
        return [order for order in itertools.permutations(range(5)) if eliminated_cliques(edges, order) <= good]

    best = best_network(lists_of(table), lambda families: bool(good_orders(moral_edges(families))))
    for method in ("kg", "kmax", "asobs", "ils"):
        network = optimize(table, 2, method, max_table=cells)
        claim = network.header.extra["treewidth"]
        edges = moral_edges([set(p) for p in network.parents])
        assert eliminated_cells(edges, claim["elimination"], sizes) == claim["table"] <= cells
        assert total(network) <= best + 1e-9
    along = best_network(
        lists_of(table),
        lambda families: any(
            all(order.index(p) > order.index(v) for v, family in enumerate(families) for p in family)
            for order in good_orders(moral_edges(families))
        ),
    )
    assert total(network) == pytest.approx(along, abs=1e-9)


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_forests(seed):
    table, sizes = table_with_states(seed, 5, max_parents=2, n_sets=12)
    for cells in (5, 9, 15, 25):
        network = optimize(table, 1, "forest", max_table=cells)

        def is_good(families, most=cells):
            return all(
                len(p) <= 1 and sizes[v] * math.prod(sizes[u] for u in p) <= most for v, p in enumerate(families)
            )

        assert total(network) == pytest.approx(best_network(lists_of(table), is_good), abs=1e-9)


def test_infeasible_bounds_are_refused():
    table, sizes = table_with_states(0, 5)
    with pytest.raises(InfeasibleError, match="has more than 2 cells: raise --max-table"):
        optimize(table, 2, "kg", max_table=min(2, max(sizes) - 1))
    with pytest.raises(Inconsistent, match="needs the states of all variables"):
        optimize(random_table(0, 5), 2, "kg", max_table=8)


def test_verification_counts_cells_itself():
    table, _ = table_with_states(1, 6, n_sets=20)
    network = optimize(table, 2, "kg", max_table=30)
    verify_network(network, table, treewidth=2, max_table=30)
    claim = network.header.extra["treewidth"]
    for wrong, most in (({"table": claim["table"] + 1}, 30), ({}, claim["table"] - 1), ({"max_table": 31}, 30)):
        header = dataclasses.replace(network.header, extra={**network.header.extra, "treewidth": claim | wrong})
        with pytest.raises(VerificationError, match="a table of"):
            verify_network(dataclasses.replace(network, header=header), table, treewidth=2, max_table=most)
