"""S2 and S2+: uniform k-trees, their informative score, growth by A*, the best network within a k-tree."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.ktrees import draw_tree, optimize, pairs_of, total
from helpers.seeds import seeds
from naive.optimize import informative_score as naive
from naive.optimize.ktrees import best_bounded, best_inside
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import lists_of
from naive.optimize.treewidth import elimination_width, moral_edges

from formats.data_records import Dataset, Variable
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.treewidth.problem import prepare_within
from stages.published.nie_2015_2016 import s2, s2plus
from stages.published.nie_2015_2016.informative_score import index_pairs, pair_information
from stages.published.nie_2015_2016.kernels.repair import TreeDemands
from stages.published.nie_2015_2016.kernels.s2 import ACCEPTED, sample_ktrees
from stages.published.nie_2015_2016.ktree_dp import InsideSolver
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError
from stages.runtime.reporting import NullReporter
from stages.runtime.seeding import task_generator


@pytest.mark.parametrize("score", ["bic", "aic", "ll"])
def test_information_is_that_of_the_data(score):
    """Where a single parent pays, its gain and the penalty make up the mutual information."""
    from formats.records import ParentSetTable
    from stages.parentsets import ParentSetOptions
    from stages.parentsets.identification_run import ParentSetRun

    rng = np.random.default_rng(3)
    base = rng.integers(0, 2, 300)
    codes = np.array([(base + (rng.random(300) < 0.1 * (v + 1))) % 3 for v in range(4)], dtype=np.uint8)
    variables = tuple(Variable(f"V{v}", ("0", "1", "2")) for v in range(4))
    options = ParentSetOptions(method="sequential", max_parents=2, score=score)
    run = ParentSetRun(Dataset(variables, codes, "sha256:x"), options, Budget(), NullReporter())
    table = ParentSetTable.from_records(run.header, list(run.records()))
    expected = naive.pair_information(codes.T.tolist(), 4)
    found = pairs_of(pair_information(table), 4)
    assert found
    for pair, value in found.items():
        assert value == pytest.approx(expected[pair], abs=1e-9)
    for child, sets in enumerate(lists_of(table)):
        assert {frozenset((child, *p)) for _, p in sets if len(p) == 1} <= set(found)


def test_information_of_all_pairs():
    shared = np.array([[0.0, 3.0, 0.0], [3.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
    assert pairs_of(index_pairs(shared), 3) == {
        frozenset((0, 1)): 3.0,
        frozenset((1, 2)): 2.0,
        frozenset((0, 2)): 0.0,
    }


@pytest.mark.parametrize("method", ["s2", "s2plus"])
def test_header_says_which_information_was_there(method):
    table = random_table(3, 5, n_sets=8)
    assert optimize(table, 2, method, 3).header.extra["information"] == "listed sets"
    network = optimize(table, 2, method, 3, information=np.ones((5, 5)) - np.eye(5))
    assert network.header.extra["information"] == "all pairs"


@pytest.mark.parametrize("width", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("seed", seeds(12, quick=2))
def test_best_network_within_a_ktree(width, seed):
    from stages.published.nie_2015_2016.kernels.informative_score import best_within_ktree

    n = 5 + seed % 3
    table = random_table(seed, n, max_parents=4, n_sets=10 if n < 7 else 5, ties=seed % 2 == 0)
    problem = prepare_within(table, width)
    tree = draw_tree(problem, np.random.default_rng(seed))
    within = best_within_ktree(problem.lists, problem.filters, tree)
    answer = InsideSolver(problem).solve(tree, -np.inf, Budget())
    assert answer.gap == 0.0
    assert problem.score(answer.chosen) == pytest.approx(best_inside(lists_of(table), naive.edges_of(tree)), abs=1e-9)
    assert problem.lists.scores[answer.chosen].sum() == pytest.approx(answer.relative_score, abs=1e-9)
    assert answer.relative_score <= within + 1e-9
    # A floor below changes nothing, a floor at the optimum leaves nothing.
    again = InsideSolver(problem).solve(tree, answer.relative_score - 1e-6, Budget())
    assert again.relative_score == pytest.approx(answer.relative_score, abs=1e-9)
    assert InsideSolver(problem).solve(tree, answer.relative_score + 1e-6, Budget()).relative_score == -np.inf


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_gap_covers_what_was_not_searched(seed, monkeypatch):
    """With little room, one ascent, or neither: the network is one of the k-tree's, the best is within the gap."""
    problem = prepare_within(random_table(seed, 14, n_sets=200), 3)
    tree = draw_tree(problem, np.random.default_rng(seed))
    monkeypatch.setattr("stages.published.nie_2015_2016.ktree_dp.STATE_LIMITS", (30, 300, 3000))
    exact = InsideSolver(problem).solve(tree, -np.inf, Budget())
    assert exact.gap == 0.0
    for starts, rooms in ((1, ()), (1, (2,)), (3, (2,)), (1, (2, 4))):
        monkeypatch.setattr("stages.published.nie_2015_2016.ktree_dp.STARTS", starts)
        monkeypatch.setattr("stages.published.nie_2015_2016.ktree_dp.STATE_LIMITS", rooms)
        rough = InsideSolver(problem).solve(tree, -np.inf, Budget())
        assert rough.relative_score <= exact.relative_score + 1e-9
        assert rough.relative_score + rough.gap >= exact.relative_score - 1e-9
        assert problem.lists.scores[rough.chosen].sum() == pytest.approx(rough.relative_score)


@pytest.mark.slow
def test_unproved_ktrees_are_reported_with_their_gap(monkeypatch):
    monkeypatch.setattr("stages.published.nie_2015_2016.ktree_dp.STARTS", 1)
    monkeypatch.setattr("stages.published.nie_2015_2016.ktree_dp.STATE_LIMITS", ())
    extra = optimize(random_table(2, 20, n_sets=300), 3, "s2", 200).header.extra
    gap = extra["unproved_gap"]
    assert 0 < extra["unproved"] < 200 and 0.0 < gap["mean"] <= gap["largest"]


@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_s2_solves_small_problems_that_no_order_could(seed):
    """All k-trees on five variables are drawn sooner or later, so the optimum under the bound is reached."""
    table = random_table(seed, 5, max_parents=4, n_sets=14)
    assert total(optimize(table, 2, "s2", 3000)) == pytest.approx(best_bounded(lists_of(table), 2), abs=1e-9)


def test_the_largest_informative_score_carries_on_from_batch_to_batch():
    table, n_trees = random_table(3, 12, max_parents=4, n_sets=40), 200
    trees = s2.UniformTrees(table, OptimizeOptions(method="s2", treewidth=2, seed=1), Budget())
    accepted = sum(trees.evaluate(batch).figures["accepted"] for batch in trees.batches(n_trees))

    def accept(progress_of):
        """The number accepted of the same k-trees, with the progress that each batch begins with."""
        counts = 0.0
        for index, size in trees.batches(n_trees):
            progress, rng, tree = progress_of(), task_generator(1, index), trees.problem.new_tree()
            before = progress[ACCEPTED]
            demands = TreeDemands(lists=trees.growth.lists, precedences=trees.growth.precedences)
            lists, filters = trees.problem.lists, trees.problem.filters
            sample_ktrees(lists, filters, demands, trees.information, trees.base, tree, rng, progress, np.inf, size)
            counts += progress[ACCEPTED] - before
        return counts

    one = np.zeros(2)
    assert accepted == accept(lambda: one) < accept(lambda: np.zeros(2))


@pytest.mark.parametrize("method", ["s2", "s2plus"])
@pytest.mark.parametrize("bound", [1, 2, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", seeds(3, quick=1))
def test_results_keep_the_bound_and_repeat(method, bound, seed):
    table = random_table(seed, 12, max_parents=4, n_sets=40)
    count = 5 if method == "s2plus" else 20
    networks = [optimize(table, bound, method, count, seed, jobs=jobs) for jobs in (1, 2)]
    assert networks[0].parents == networks[1].parents
    extra = networks[0].header.extra
    assert extra == networks[1].header.extra
    assert extra["ktrees"] == (1 if bound == 1 else count), "they begin from the forest, the best of treewidth 1"
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


@pytest.mark.slow
def test_the_first_clique_takes_a_share_of_the_time(monkeypatch):
    """Its proof leaves time for k-trees; without a limit nothing is cut."""
    works = []

    def best_clique(lists, tops, information, most, starts, members, work):
        if len(tops) == 12:  # not the small run that compiles first
            works.append(work)
        members[:] = np.arange(len(members))
        return False

    monkeypatch.setattr(s2plus, "best_clique", best_clique)
    options = OptimizeOptions(method="s2plus", treewidth=2, seed=1, restarts=1)
    for seconds in (0.5, None):
        budget = Budget(seconds, clock=lambda: 0.0)
        run(random_table(1, 12), options, budget, NullReporter())
    assert works == [int(0.5 * s2plus.CLIQUE_PACE * s2plus.CLIQUE_SHARE), s2plus.CLIQUE_WORK]
