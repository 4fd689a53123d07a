"""Methods under a treewidth bound: certificates, exact answers where there are some, fixed records, repetition."""

from __future__ import annotations

import itertools
from dataclasses import replace

import networkx
import numpy as np
import pytest
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize.ktrees import best_along_orders, best_bounded, best_forest, best_inside
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import lists_of
from naive.optimize.treewidth import elimination_width, moral_edges, treewidth

from stages.lists.start_network import StartNetwork
from stages.optimize import METHODS, SETS_TW, OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.restarts import DEFAULT_LOCAL_SEARCHES, Attempt, RestartReport
from stages.optimize.treewidth import bounded_search
from stages.optimize.treewidth.forest import attempt_from_forest, forest_within
from stages.optimize.treewidth.problem import prepare_both, prepare_bounded
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError
from stages.runtime.reporting import NullReporter

ORDER_METHODS = ("kg", "kmax", "kastar", "asobs", "ils")


def optimize(table, treewidth, method="kg", evaluations=300, seed=0, **options):
    options = OptimizeOptions(method=method, treewidth=treewidth, seed=seed, **options)
    return run(table, options, Budget(evaluations=evaluations), NullReporter())[0]


def total(network):
    return network.header.extra["total"]


def check_width(network, bound):
    certificate = network.header.extra["treewidth"]
    edges = moral_edges(network.parents)
    assert elimination_width(edges, certificate["elimination"]) == certificate["width"] <= bound
    if network.n_variables <= 6:
        assert treewidth(edges) <= bound


def test_hand_v_structure_needs_treewidth_two():
    """0 -> 2 <- 1 is worth 8, an arc alone 3: treewidth 1 allows the arc alone, treewidth 2 both."""
    table = make_table({0: {(): -9.0}, 1: {(): -9.0}, 2: {(): -9.0, (0, 1): -1.0, (0,): -6.0}})
    assert total(optimize(table, 0)) == -27.0
    assert total(optimize(table, 1)) == -24.0
    assert total(optimize(table, 2)) == -19.0


@pytest.mark.parametrize("method", ORDER_METHODS)
@pytest.mark.parametrize("bound", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(4, quick=1))
def test_widths_are_certified_and_small_problems_solved(method, bound, seed):
    table = random_table(seed, 5, max_parents=4, n_sets=14, ties=seed % 2 == 0)
    network = optimize(table, bound, method, 2000 if method != "kastar" else 150)
    check_width(network, bound)
    along_orders, best = best_along_orders(lists_of(table), bound), best_bounded(lists_of(table), bound)
    # The iterated local search also turns arcs against the orders along which k-trees are built.
    assert total(network) == pytest.approx(best if method == "ils" else along_orders, abs=1e-9)
    assert along_orders <= best + 1e-9


@pytest.mark.parametrize("method", ORDER_METHODS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_fewer_variables_than_the_bound_allows(method, n):
    table = random_table(n, n, n_sets=5)
    network = optimize(table, 5, method)
    assert total(network) == pytest.approx(best_bounded(lists_of(table), 5))
    check_width(network, min(5, n - 1))


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(0, 4), st.sampled_from(ORDER_METHODS))
def test_any_result_keeps_the_bound(seed, n, bound, method):
    check_width(optimize(random_table(seed, n, 4, 12), bound, method, 40, seed), bound)


@pytest.mark.parametrize("method", ORDER_METHODS)
@pytest.mark.parametrize("seed", seeds(3, quick=1))
def test_a_wider_bound_is_never_worse_on_small_tables(method, seed):
    table = random_table(seed + 50, 5, max_parents=4, n_sets=14)
    totals = [total(optimize(table, bound, method, 1500)) for bound in range(5)]
    assert all(wide >= narrow - 1e-9 for narrow, wide in itertools.pairwise(totals))


@pytest.mark.parametrize("method", ORDER_METHODS)
def test_results_repeat_for_any_number_of_threads(method):
    table = random_table(7, 14, n_sets=30)
    evaluations = 10 if method == "kastar" else 200
    networks = [optimize(table, 2, method, evaluations, 3, jobs=jobs) for jobs in (1, 2, 1)]
    assert len({n.parents for n in networks}) == 1
    assert len({str(sorted(n.header.extra.items())) for n in networks}) == 1
    assert optimize(table, 2, method, evaluations, 4).header.extra["seed"] == 4


@pytest.mark.parametrize("method", ORDER_METHODS)
def test_no_time_at_all_still_delivers(method):
    options = OptimizeOptions(method=method, treewidth=2, seed=1)
    network, _ = run(random_table(1, 12), options, Budget(seconds=0.0), NullReporter())
    check_width(network, 2)


@pytest.mark.slow
def test_long_runs_of_ils_are_divided_among_restarts(monkeypatch):
    """One restart while there is no time for two long ones, or a start network has to be kept near."""
    table = random_table(1, 12)
    problem, _ = prepare_both(table, 3)
    assert [bounded_search.restarts_within(problem, Budget(s)) for s in (0.0, 1e-3, 1e4)] == [
        1,
        1,
        DEFAULT_LOCAL_SEARCHES,
    ]
    asked = []
    monkeypatch.setattr(bounded_search, "restarts_within", lambda *_: asked.append(True) or 3)

    def restarts(**changes):
        options = OptimizeOptions(method="ils", treewidth=3, **changes)
        network, _ = run(table, options, Budget(0.05), NullReporter())
        check_width(network, 3)
        return network.header.extra["restarts"]

    assert restarts(restarts=1) == restarts(start=StartNetwork(((),) * 12)) == 1
    assert not asked
    assert restarts(jobs=1) <= 3
    assert asked


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_asobs_is_not_below_kg_on_the_orders_it_starts_from(seed):
    table = random_table(seed, 16, n_sets=40)
    climbed = optimize(table, 2, "asobs", None, seed, restarts=8)
    sampled = optimize(table, 2, "kg", None, seed, restarts=sum(1 << k for k in range(8)))
    assert total(climbed) >= total(sampled)


@pytest.mark.parametrize("init", ["random", "dfs"])
@pytest.mark.parametrize("index", [0, 3])
@pytest.mark.parametrize("n_fixed", [0, 4])
def test_orders_drawn_one_by_one_are_those_that_kg_evaluates(init, index, n_fixed):
    from stages.kernels.ktrees.orders import evaluate_order
    from stages.published.scanagatta_2016.kg import prepare_orders

    table = random_table(5, 9, n_sets=40, n_fixed=n_fixed)
    orders = prepare_orders(table, OptimizeOptions(method="kg", treewidth=2, seed=3, init=init))
    problem = orders.problem
    tree, clique = problem.new_tree(), problem.new_clique_tables()
    scores = []
    for n_orders, order in enumerate(itertools.islice(orders.drawn(index), 20), start=1):
        tree.order[:] = order
        scores.append(evaluate_order(problem.lists, problem.filters, tree, clique, -np.inf))
        assert orders.evaluate((index, n_orders)).relative_score == max(scores)
    assert len(set(scores)) > 1


@pytest.mark.parametrize("seed", seeds(5, quick=1))
@pytest.mark.parametrize("init", ["random", "entropy"])
def test_kastar_is_never_below_kg_with_the_same_seed_and_number_of_orders(seed, init):
    table = random_table(seed, 10, n_sets=40)
    for restarts in (1, 2, 7, 20):
        options = {"evaluations": None, "seed": seed, "restarts": restarts, "init": init}
        assert total(optimize(table, 2, "kastar", **options)) >= total(optimize(table, 2, "kg", **options))


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_kastar_is_not_below_kg_on_the_same_order(seed, monkeypatch):
    from stages.kernels.ktrees.orders import evaluate_order
    from stages.published.scanagatta_2016 import kastar
    from stages.published.scanagatta_2016.kg import prepare_orders

    table = random_table(seed, 9, n_sets=40)
    orders = prepare_orders(table, OptimizeOptions(method="kastar", treewidth=2, seed=seed))
    problem, order = orders.problem, next(orders.drawn(1))
    found = kastar.BestCliques(orders, Budget()).evaluate(order)
    assert found.order.tolist() == order.tolist()
    assert found.relative_score == pytest.approx(problem.lists.scores[found.chosen].sum())
    tree = problem.new_tree()
    tree.order[:] = order
    greedy = evaluate_order(problem.lists, problem.filters, tree, problem.new_clique_tables(), -np.inf)
    assert found.relative_score >= greedy
    # Cut short, the order is undecided: what is found then is at least k-G's, and the gap covers what it lacks.
    assert found.figures["gap"] == 0.0
    for name in ("CHOICES_BY_VARIABLES", "CALL_BY_VARIABLES"):
        monkeypatch.setattr(kastar, name, 1)
    for late, seconds in itertools.product((0, 1000), (None, 0.0)):
        monkeypatch.setattr(kastar, "LATE", late)
        cut = kastar.BestCliques(orders, Budget(seconds)).evaluate(order)
        assert np.isfinite(cut.figures["gap"])
        assert cut.relative_score == pytest.approx(problem.lists.scores[cut.chosen].sum())
        # The searches add up the same scores in orders of their own.
        rounding = 1e-9
        assert greedy <= cut.relative_score <= found.relative_score + rounding
        assert found.relative_score <= cut.relative_score + cut.figures["gap"] + rounding


@pytest.mark.parametrize("seed", seeds(30, quick=2))
def test_forest_is_the_best_one(seed):
    table = random_table(seed, 5, max_parents=2, n_sets=10, n_fixed=0, ties=seed % 2 == 0)
    network = optimize(table, 1, "forest")
    check_width(network, 1)
    assert total(network) == pytest.approx(best_forest(lists_of(table)), abs=1e-9)
    assert total(network) == pytest.approx(best_bounded(lists_of(table), 1), abs=1e-9)


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_forest_agrees_with_an_independent_branching(seed):
    table = random_table(seed, 40, max_parents=1, n_sets=12)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(40))
    for child, sets in enumerate(lists_of(table)):
        empty = next(score for score, family in sets if not family)
        graph.add_weighted_edges_from((*family, child, score - empty) for score, family in sets if family)
    gain = networkx.maximum_branching(graph).size("weight")
    empty = sum(next(s for s, family in sets if not family) for sets in lists_of(table))
    assert total(optimize(table, 1, "forest")) == pytest.approx(empty + gain)


def test_treewidth_one_without_a_method_is_exact():
    table = random_table(3, 12, n_sets=20)
    assert total(optimize(table, 1, None)) == total(optimize(table, 1, "forest"))


@pytest.mark.parametrize("method", ORDER_METHODS)
@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_fixed_records_are_kept(method, seed):
    table = random_table(seed, 8, max_parents=2, n_sets=10, n_fixed=4)
    network = optimize(table, 3, method, 200)
    check_width(network, 3)
    for child in np.flatnonzero(table.fixed):
        assert network.parents[child] == table.parent_set(table.set_offsets[child])


@pytest.mark.parametrize("method", ORDER_METHODS)
def test_fixed_inverted_tree(method):
    """Figure 1 of the paper: width 2 only if a child goes after one of its parents' parents; 7 is free."""
    sets = {v: {(): -9.0} for v in range(8)}
    sets[4], sets[5], sets[6] = {(0, 1): -1.0}, {(2, 3): -1.0}, {(4, 5): -1.0}
    sets[7] |= {(4, 5): -2.0, (6,): -5.0}
    sets[0] |= {(2,): -1.0, (7,): -3.0}
    table = make_table(sets, fixed=(4, 5, 6))
    network = optimize(table, 2, method, 400)
    check_width(network, 2)
    assert network.parents[4:7] == ((0, 1), (2, 3), (4, 5))
    assert network.parents[7] == (4, 5)


@pytest.mark.parametrize("method", ORDER_METHODS)
def test_fixed_records_beyond_the_bound(method):
    """Marrying the parents of 2, 3 and 4 makes 0, 1, 2, 3 a clique."""
    sets = {v: {(): -9.0} for v in range(6)} | {
        1: {(0,): -1.0},
        2: {(0, 1): -1.0},
        3: {(1, 2): -1.0},
        4: {(0, 3): -1.0},
    }
    with pytest.raises(InfeasibleError, match="alone have treewidth 3 or more: raise --tw to 3"):
        optimize(make_table(sets, fixed=(1, 2, 3, 4)), 2, method)


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("method", [*ORDER_METHODS, "exact", "s2", "s2plus"])
def test_too_many_parents_demanded(method, is_fixed):
    """By a fixed record, or by required parents: then no listed set of the child is smaller."""
    sets = {v: {(): -9.0} for v in range(5)}
    table = make_table({**sets, 4: {(0, 1, 2): -1.0}}, fixed=(4,) if is_fixed else ())
    for bound in (1, 2):
        told = rf"'V4' must have 3 parents, but treewidth {bound} allows {bound}: raise --tw to 3 or demand fewer"
        with pytest.raises(InfeasibleError, match=told):
            optimize(table, bound, method)
    assert optimize(table, 3, method).parents[4] == (0, 1, 2)


@pytest.mark.parametrize("fixed", [(), (4,)])
def test_a_forest_allows_one_parent_at_any_bound(fixed):
    sets = {v: {(): -9.0} for v in range(5)}
    table = make_table({**sets, 4: {(0, 1, 2): -1.0}}, fixed=fixed)
    told = "'V4' must have 3 parents, but treewidth 1 allows 1: choose a method that allows --tw 3 or demand fewer"
    for bound in (1, 3):
        with pytest.raises(InfeasibleError, match=told):
            optimize(table, bound, "forest")


def test_bounded_methods_say_so():
    assert {name for name, spec in METHODS.items() if SETS_TW in spec.variants} >= set(ORDER_METHODS) | {"forest"}


def test_best_inside_is_an_upper_bound_only_within_the_graph():
    """The twin used for k-trees: on a triangle all networks of three variables are inside."""
    table = random_table(5, 3, n_sets=6)
    triangle = frozenset(map(frozenset, itertools.combinations(range(3), 2)))
    assert best_inside(lists_of(table), triangle) == best_bounded(lists_of(table), 2)
    assert best_inside(lists_of(table), frozenset()) == total(optimize(table, 0))


def test_ils_begins_from_the_best_forest_where_it_is_better(monkeypatch):
    rng = np.random.default_rng(1)
    table = random_table(5, 40, n_sets=6)
    forest = optimize(table, 1, "forest")

    def random_order(problem, *_, **__):
        return rng.permutation(problem.n_variables).astype(np.int32)

    monkeypatch.setattr(bounded_search, "best_regret_order", random_order)
    tried = optimize(table, 2, "ils", evaluations=11)
    assert tried.header.extra["orders"] == 11
    assert total(tried) >= total(forest) - 1e-9 > total(optimize(table, 2, "ils", evaluations=10))


@pytest.mark.parametrize("method", ["kastar", "kg", "kmax", "s2", "s2plus"])
def test_published_searches_begin_from_the_best_forest(method):
    table = random_table(5, 40, n_sets=6)
    forest = total(optimize(table, 1, "forest"))
    for evaluations in (1, 50):
        found = optimize(table, 2, method, evaluations)
        # The published orders alone are the same ones.
        sampled = optimize(table, 2, method, evaluations, sampled_only=True)
        assert total(found) >= max(forest, total(sampled)) - 1e-9
        assert found.header.extra.get("orders") == sampled.header.extra.get("orders")
        begun = found.header.extra.get("begun_from")
        assert begun == ("the best forest" if total(found) > total(sampled) else None)
        assert "begun_from" not in sampled.header.extra


def test_asobs_within_a_width_begins_from_the_best_forest():
    table = random_table(5, 40, n_sets=6)
    found = optimize(table, 2, "asobs", evaluations=1)
    assert total(found) >= total(optimize(table, 1, "forest")) - 1e-9
    assert found.header.extra["begun_from"] == "the best forest"
    assert found.header.extra["orders"] == 1


@pytest.mark.parametrize("seed", range(10))
def test_a_network_along_the_order_of_the_best_forest_is_as_good(seed):
    table = random_table(seed, 12, n_sets=8)
    variables = tuple(replace(v, states=("0", "1")) for v in table.header.variables)
    table = replace(table, header=replace(table.header, variables=variables))
    for bound, max_table in ((1, None), (2, None), (3, 12), (11, None)):
        problem = prepare_bounded(table, bound, max_table)
        options = OptimizeOptions(treewidth=bound, max_table=max_table)
        begun = attempt_from_forest(problem, options)
        assert begun.score >= forest_within(table, options).score - 1e-9
        assert begun.score == pytest.approx(problem.score(begun.chosen))
        assert begun.score == pytest.approx(begun.merit + problem.score(problem.lists.set_offsets[:-1]))


def test_the_forest_is_replaced_by_a_restart_that_is_as_good():
    def attempt(score):
        return Attempt(np.zeros(1, dtype=np.int64), score, 1, 0.0)

    first = attempt(-2.0)
    report = RestartReport(first, first)
    report.add(attempt(-3.0))
    assert report.is_first
    report.add(equal := attempt(-2.0))
    report.add(attempt(-2.0))
    assert report.best is equal and not report.is_first
    assert report.restarts == 3 and report.columns["score"] == [-3.0, -2.0, -2.0]
