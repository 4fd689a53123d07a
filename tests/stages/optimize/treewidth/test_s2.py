"""S2 and S2+: uniform k-trees, their informative score, growth by A*, the best network within a k-tree."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from helpers.ktree_cases import demanding_table, draw_tree, optimize, total
from helpers.seeds import seeds
from naive import informative_score as naive
from naive.ktrees import all_ktrees, best_bounded, best_inside, small_lists
from naive.networks_search import make_table, random_table
from naive.orders import lists_of
from naive.treewidth import elimination_width, moral_edges

from formats.records import Dataset, Variable
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.treewidth.informative_score import pair_information
from stages.optimize.treewidth.ktree_dp import InsideSolver
from stages.optimize.treewidth.problem import prepare_within
from stages.optimize.treewidth.s2plus import GuidedTrees
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError
from stages.runtime.reporting import NullReporter


def as_dict(information, n):
    pairs = {}
    for v in range(n):
        for i in range(information.offsets[v], information.offsets[v + 1]):
            pairs.setdefault(frozenset((v, int(information.neighbours[i]))), []).append(information.values[i])
    assert all(one == other for one, other in pairs.values())
    return {pair: values[0] for pair, values in pairs.items()}


@pytest.mark.parametrize(("n", "width"), [(2, 1), (4, 1), (5, 1), (4, 2), (5, 2), (5, 3), (4, 3)])
def test_codes_give_every_ktree_equally_often(n, width):
    """One code per k-tree and root clique; every k-tree has 1 + K (n - K) K-cliques."""
    from stages.kernels.ktrees.dandelion import decode_ktree

    problem = prepare_within(random_table(0, n), width)
    tree, found = problem.new_tree(), Counter()
    n_symbols = 1 + width * (n - width)
    for root in itertools.combinations(range(n), width):
        for code in itertools.product(range(n_symbols), repeat=n - width - 1):
            tree.order[:] = [*root, *sorted(set(range(n)) - set(root))]
            decode_ktree(tree, np.array(code, dtype=np.int64))
            found[naive.edges_of(tree)] += 1
    assert set(found) == all_ktrees(n, width)
    assert set(found.values()) == {n_symbols}


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_decoded_trees_are_built_along_their_order(width, seed):
    from stages.kernels.ktrees.ktree import has_bit, pair_bit

    n = 9
    tree = draw_tree(prepare_within(random_table(seed, n), width), np.random.default_rng(seed))
    order, edges = tree.order.tolist(), naive.edges_of(tree)
    assert sorted(order) == list(range(n))
    assert tree.position[tree.order].tolist() == list(range(n))
    assert len(edges) == width * (width + 1) // 2 + width * (n - width - 1)
    for t in range(width + 1, n):
        bag = tree.bags[order[t]].tolist()
        assert bag[-1] == order[t]
        assert set(bag) <= set(order[: t + 1])
        assert naive.is_clique(bag, edges)
    for a, b in itertools.combinations(range(n), 2):
        assert has_bit(tree.edges, pair_bit(a, b)) == (frozenset((a, b)) in edges)


def test_root_cliques_and_symbols_are_drawn_uniformly():
    from stages.kernels.ktrees.dandelion import draw_code

    rng = np.random.default_rng(1)
    order, symbols = np.empty(5, dtype=np.int32), np.empty(2, dtype=np.int64)
    roots, drawn = Counter(), Counter()
    for _ in range(7000):
        draw_code(rng, order, 2, symbols)
        roots[tuple(order[:2].tolist())] += 1
        drawn[int(symbols[1])] += 1
        assert order[2:].tolist() == sorted(set(range(5)) - set(order[:2].tolist()))
    assert len(roots) == 10 and all(abs(count - 700) < 110 for count in roots.values())
    assert len(drawn) == 7 and all(abs(count - 1000) < 130 for count in drawn.values())


def test_information_is_that_of_the_data():
    """Where a single parent pays, its gain and BIC's penalty make up the mutual information."""
    from formats.records import ParentSetTable
    from stages.parentsets import ParentSetOptions
    from stages.parentsets.driver import identify as list_sets

    rng = np.random.default_rng(3)
    base = rng.integers(0, 2, 300)
    codes = np.array([(base + (rng.random(300) < 0.1 * (v + 1))) % 3 for v in range(4)], dtype=np.uint8)
    variables = tuple(Variable(f"V{v}", ("0", "1", "2")) for v in range(4))
    options = ParentSetOptions(method="sequential", max_parents=2)
    header, records = list_sets(Dataset(variables, codes, "sha256:x"), options, Budget(), NullReporter())
    table = ParentSetTable.from_records(header, list(records))
    expected = naive.pair_information(codes.T.tolist(), 4)
    found = as_dict(pair_information(table), 4)
    assert found
    for pair, value in found.items():
        assert value == pytest.approx(expected[pair], abs=1e-9)
    for child, sets in enumerate(lists_of(table)):
        assert {frozenset((child, *p)) for _, p in sets if len(p) == 1} <= set(found)


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_informative_score_by_the_definition(width, seed):
    from stages.kernels.ktrees.informative_score import best_within, informative_score

    n = 8
    table = random_table(seed, n, n_sets=30)
    problem, information = prepare_within(table, width), pair_information(table)
    tree = draw_tree(problem, np.random.default_rng(seed))
    base = problem.score(problem.lists.set_offsets[:-1])
    found = informative_score(information, base, tree, best_within(problem.lists, tree))
    edges = naive.edges_of(tree)
    lists = small_lists(lists_of(table), width)
    assert found == pytest.approx(naive.informative_score(lists, as_dict(information, n), edges))


@pytest.mark.parametrize("width", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("seed", seeds(12, quick=4))
def test_best_network_within_a_ktree(width, seed):
    from stages.kernels.ktrees.informative_score import best_within

    n = 5 + seed % 3
    table = random_table(seed, n, max_parents=4, n_sets=10 if n < 7 else 5, ties=seed % 2 == 0)
    problem = prepare_within(table, width)
    tree = draw_tree(problem, np.random.default_rng(seed))
    within = best_within(problem.lists, tree)
    answer = InsideSolver(problem).solve(tree, within, -np.inf, Budget())
    assert answer.proved
    assert problem.score(answer.chosen) == pytest.approx(
        best_inside(lists_of(table), naive.edges_of(tree)), abs=1e-9
    )
    assert problem.lists.losses[answer.chosen].sum() == pytest.approx(answer.loss, abs=1e-9)
    assert answer.loss <= within + 1e-9
    # A floor below changes nothing, a floor at the optimum leaves nothing.
    again = InsideSolver(problem).solve(tree, within, answer.loss - 1e-6, Budget())
    assert again.loss == pytest.approx(answer.loss, abs=1e-9)
    assert InsideSolver(problem).solve(tree, within, answer.loss + 1e-6, Budget()).loss == -np.inf


@pytest.mark.parametrize("seed", range(4))
def test_room_for_few_states_still_gives_networks(seed, monkeypatch):
    from stages.kernels.ktrees.informative_score import best_within

    problem = prepare_within(random_table(seed, 14, n_sets=200), 3)
    tree = draw_tree(problem, np.random.default_rng(seed))
    within = best_within(problem.lists, tree)
    exact = InsideSolver(problem).solve(tree, within, -np.inf, Budget())
    monkeypatch.setattr("stages.optimize.treewidth.ktree_dp.ROOMS", (2,))
    rough = InsideSolver(problem).solve(tree, within, -np.inf, Budget())
    assert exact.proved and not rough.proved
    assert rough.loss <= exact.loss + 1e-9
    assert problem.lists.losses[rough.chosen].sum() == pytest.approx(rough.loss)


def joined_sets(lists):
    """(loss, members) of each variable's sets."""
    return [
        [
            (lists.losses[s], frozenset(lists.parents[slice(*lists.parent_offsets[s : s + 2])].tolist()))
            for s in range(*lists.set_offsets[v : v + 2])
        ]
        for v in range(len(lists.set_offsets) - 1)
    ]


@pytest.mark.parametrize("demanding", [False, True])
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_guided_growth_is_the_best_along_its_order(width, seed, demanding):
    from stages.kernels.ktrees.s2plus import grow_order
    from stages.optimize.treewidth.s2plus import ROOM

    n = 6
    table = demanding_table(seed, n, n_fixed=width - 1) if demanding else random_table(seed, n, n_sets=30)
    trees = GuidedTrees(table, OptimizeOptions(treewidth=width), Budget())
    problem, lists = trees.problem, trees.growth.lists
    information = as_dict(trees.information, n)
    tree, most = problem.new_tree(), np.empty(n + 1)
    tree.order[:] = problem.respect(np.random.default_rng(seed).permutation(n).astype(np.int32))
    grow_order(trees.information, problem.precedences, tree.order, width + 1, most)
    order = tree.order.tolist()
    assert problem.respect(tree.order).tolist() == order
    joins = joined_sets(lists)
    for t in range(width + 1, n):
        shared = {
            v: sum(sorted(information.get(frozenset((v, u)), 0.0) for u in order[:t])[-width:])
            for v in order[t:]
            if joins[v][-1][1] <= set(order[:t])
        }
        assert shared[order[t]] == pytest.approx(max(shared.values()))
    tree.position[tree.order] = np.arange(n)
    for weight in (0.0, 0.7):
        assert trees._grow(tree, most, weight, ROOM)
        worth = sum(
            information.get(frozenset((v, u)), 0.0)
            for v in order[width + 1 :]
            for u in tree.bags[v].tolist()
            if u != v
        )
        worth += weight * lists.losses[tree.chosen[order[width + 1 :]]].sum()
        expected = naive.best_growth(joins, information, order, width, weight)
        assert worth == pytest.approx(expected, abs=1e-9)
        edges = naive.edges_of(tree)
        assert all(naive.is_clique(tree.bags[v].tolist(), edges) for v in range(n))


def test_first_clique_holds_the_most_informative_pair():
    from stages.kernels.ktrees.s2plus import grow_start_clique

    table = make_table(
        {0: {(): -9.0}, 1: {(): -9.0, (3,): -8.0}, 2: {(): -9.0, (3,): -4.0}, 3: {(): -9.0}, 4: {(): -9.0}}
    )
    order = np.arange(5, dtype=np.int32)
    grow_start_clique(pair_information(table), order, 3)
    assert set(order[:2].tolist()) == {2, 3}
    assert order[2] == 1


@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_s2_solves_small_problems_that_no_order_could(seed):
    """All k-trees on five variables are drawn sooner or later, so the optimum under the bound is reached."""
    table = random_table(seed, 5, max_parents=4, n_sets=14)
    assert total(optimize(table, 2, "s2", 3000)) == pytest.approx(best_bounded(lists_of(table), 2), abs=1e-9)


@pytest.mark.parametrize("method", ["s2", "s2plus"])
@pytest.mark.parametrize("bound", [1, 2, 4])
@pytest.mark.parametrize("seed", seeds(3, quick=1))
def test_results_keep_the_bound_and_repeat(method, bound, seed):
    table = random_table(seed, 12, max_parents=4, n_sets=40)
    count = 5 if method == "s2plus" else 20
    networks = [optimize(table, bound, method, count, seed, jobs=jobs) for jobs in (1, 2)]
    assert networks[0].parents == networks[1].parents
    extra = networks[0].header.extra
    assert extra == networks[1].header.extra
    assert extra["ktrees"] == count
    assert elimination_width(moral_edges(networks[0].parents), extra["treewidth"]["elimination"]) <= bound


@pytest.mark.parametrize("method", ["s2", "s2plus"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_fewer_variables_than_the_bound_allows(method, n):
    table = random_table(n, n, n_sets=5)
    assert total(optimize(table, 5, method)) == pytest.approx(best_bounded(lists_of(table), 5))


@pytest.mark.parametrize("method", ["s2", "s2plus"])
def test_no_time_at_all_still_delivers(method):
    options = OptimizeOptions(method=method, treewidth=2, seed=1)
    network, _ = run(random_table(1, 12), options, Budget(seconds=0.0), NullReporter())
    assert network.n_variables == 12


@pytest.mark.parametrize("method", ["s2", "s2plus"])
def test_fixed_roots_are_kept(method):
    sets = {v: {(): -9.0} for v in range(4)}
    table = make_table({**sets, 1: {(0,): -5.0, (): -9.0}, 2: {(1,): -3.0, (): -9.0}}, fixed=(0, 3))
    assert optimize(table, 2, method).parents == ((), (0,), (1,), ())


def test_too_wide_cliques_are_refused():
    with pytest.raises(InfeasibleError, match="width 62 at most"):
        optimize(random_table(0, 70, n_sets=1), 65, "s2", 1)
