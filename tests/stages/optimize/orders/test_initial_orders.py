"""Orders: best consistent sets, gains of adjacent swaps, initial orders, precedences of fixed records."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import best_by_orders, best_by_subsets, make_table, random_table
from naive.optimize.orders import lists_of, network_of_order, order_score

from formats.data_records import Variable
from formats.records import Header
from stages.graphs import positions_of, random_topological_order
from stages.lists.order_decoding import choose_consistent
from stages.lists.set_lists import fixed_first_order, fixed_parents, lists_in, respect_fixed
from stages.optimize import INITS
from stages.optimize.orders.initial_orders import OrderSampler, best_parent_density, entropy_weights
from stages.optimize.result import total_score
from stages.runtime.errors import InfeasibleError

TWO_WAY = {0: {(): -10.0, (1,): -4.0}, 1: {(): -9.0, (0,): -5.0}, 2: {(): -8.0, (0,): -3.0, (0, 1): -1.0}}


def families(table, chosen):
    return {child: frozenset(table.parent_set(int(s))) for child, s in enumerate(chosen)}


# Worked by hand


def test_hand_order_takes_best_sets_among_predecessors():
    table = make_table(TWO_WAY)
    _, chosen = choose_consistent(lists_in(table), np.array([1, 2, 0], dtype=np.int32))
    assert families(table, chosen) == {0: {1}, 1: set(), 2: set()}
    assert total_score(table.scores, chosen) == -21.0
    _, chosen = choose_consistent(lists_in(table), np.array([1, 0, 2], dtype=np.int32))
    assert total_score(table.scores, chosen) == -14.0


def test_hand_feedback_arcs_cheapest_arc_of_a_cycle_goes():
    """0 <-> 1: losing 1 as a parent costs 0 six nats, losing 0 costs 1 four; so 1 comes first."""
    sampler = OrderSampler(make_table(TWO_WAY), "fas")
    assert sampler.weights.tolist() == [6.0, 4.0, 7.0, 2.0]
    for seed in range(5):
        assert sampler.draw(np.random.default_rng(seed)).tolist() == [1, 0, 2]


def test_hand_density_counts_arcs_per_variable():
    assert best_parent_density(make_table(TWO_WAY)) == 4 / 3


def test_hand_fixed_cycle_names_its_variables():
    table = make_table({0: {(2,): -1.0}, 1: {(0,): -1.0}, 2: {(1,): -1.0}, 3: {(): -1.0}}, fixed=(0, 1, 2))
    with pytest.raises(InfeasibleError, match="V0 <- V2 <- V1 <- V0"):
        fixed_first_order(table)


def test_hand_entropy_weights_undo_the_penalty():
    """Two binary variables with entropies ln 2 and 0.5 ln 2 over 100 rows, and one constant variable."""
    likelihoods = [-100 * math.log(2), -50 * math.log(2), 0.0]
    variables = (Variable("a", ("0", "1")), Variable("b", ("0", "1")), Variable("c", ("0",)))
    scores = [likelihoods[0] - math.log(100) / 2, likelihoods[1] - math.log(100) / 2, 0.0]
    header = Header(variables, score="bic", rows=100)
    table = make_table({i: {(): s} for i, s in enumerate(scores)}, header=header)
    weights = entropy_weights(table)
    assert weights[:2] == pytest.approx([100 * math.log(2), 50 * math.log(2)])
    assert 0 < weights[2] < 1e-6


# Exhaustive and random against the naive twins


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_brute_forces_agree(seed):
    table = random_table(seed, 5, n_fixed=seed % 3)
    assert best_by_orders(table) == pytest.approx(best_by_subsets(table), abs=1e-9)


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_evaluation_matches_definition(seed):
    table = random_table(seed, 9, n_sets=20, n_fixed=seed % 4, ties=seed % 2 == 0)
    lists = lists_in(table)
    rng = np.random.default_rng(seed)
    order = respect_fixed(rng.permutation(9).astype(np.int32), fixed_parents(table))
    position, chosen = choose_consistent(lists, order)
    expected = network_of_order(lists_of(table), order.tolist())
    assert np.array_equal(order[position], np.arange(9))
    assert [table.scores[chosen[c]] for c in range(9)] == [expected[c][0] for c in range(9)]


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_initial_orders_are_permutations_that_keep_fixed_arcs(init, seed):
    table = random_table(seed, 12, n_fixed=4)
    sampler = OrderSampler(table, init)
    order = sampler.draw(np.random.default_rng(seed))
    assert order.dtype == np.int32
    assert sorted(order.tolist()) == list(range(12))
    position = positions_of(order)
    for child, parents in fixed_parents(table).items():
        assert all(position[p] < position[child] for p in parents)


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_feedback_order_puts_parents_first_where_they_close_no_cycle(seed):
    """On an acyclic best-parent graph every variable gets its best set."""
    rng = np.random.default_rng(seed)
    hidden = rng.permutation(10).tolist()
    sets = {}
    for i, child in enumerate(hidden):
        family = tuple(rng.permutation(hidden[:i])[:2].tolist())
        sets[child] = {(): -5.0, **({family: -1.0} if family else {})}
    table = make_table(sets)
    order = OrderSampler(table, "fas").draw(rng)
    assert order_score(lists_of(table), order.tolist()) == sum(max(s.values()) for s in sets.values())


def test_depth_first_orders_are_those_of_the_published_example():
    """A -> B, C, D and B, C -> D among best parent sets: the fourteen orders of Perez Urcia and Mauá (2015)."""
    best = {0: (), 1: (0,), 2: (0,), 3: (0, 1, 2)}
    sampler = OrderSampler(make_table({c: {(): -5.0, **({p: -1.0} if p else {})} for c, p in best.items()}), "dfs")
    drawn = {"".join("ABCD"[v] for v in sampler.draw(np.random.default_rng(seed))) for seed in range(400)}
    published = "ABDC ACDB ADBC ADCB BDAC BDCA CDAB CDBA DABC DACB DBAC DBCA DCAB DCBA"
    assert drawn == set(published.split())


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_topological_order_puts_parents_first(seed):
    table = random_table(seed, 9)
    lists = lists_in(table)
    rng = np.random.default_rng(seed)
    _, chosen = choose_consistent(lists, rng.permutation(9).astype(np.int32))
    network = families(table, chosen)
    position = positions_of(random_topological_order([sorted(network[c]) for c in range(9)], rng))
    for child, parents in network.items():
        assert all(position[p] < position[child] for p in parents)


def test_entropy_init_prefers_uncertain_variables():
    table = make_table({0: {(): -1.0}, 1: {(): -50.0}})
    sampler = OrderSampler(table, "entropy")
    first = [sampler.draw(np.random.default_rng(seed))[0] for seed in range(200)]
    assert 180 < sum(v == 1 for v in first) < 200
