"""k-trees built along orders: choices and bags against explicit clique lists; moves against building anew."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.ktrees import NaiveKTree, best_on
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import lists_of

from stages.optimize.treewidth.annealing import OrderSearch
from stages.optimize.treewidth.problem import prepare_bounded


def evaluate(problem, order, floor=-np.inf):
    """k-G's tree along an order and its relative score."""
    from stages.kernels.ktrees.orders import evaluate_order

    tree = problem.new_tree()
    tree.order[:] = order
    return tree, evaluate_order(problem.lists, problem.filters, tree, problem.new_clique_tables(), floor)


def families(table, problem, chosen):
    return [frozenset(table.parent_set(int(s))) for s in problem.source[chosen]]


def bags_of(tree):
    return {v: tree.bags[v].tolist() for v in range(len(tree.order))}


def test_hand_tree_of_width_one():
    """Order 0, 1, 2, 3 with K = 1: 2 may not take {0, 1}, which is no clique of a forest's bag it can join."""
    sets = {0: {(): -9.0}, 1: {(): -9.0, (0,): -5.0}, 2: {(): -9.0, (0, 1): -1.0, (1,): -4.0}, 3: {(): -9.0}}
    table = make_table(sets)
    problem = prepare_bounded(table, 1)
    tree, _ = evaluate(problem, [0, 1, 2, 3])
    assert families(table, problem, tree.chosen) == [set(), {0}, {1}, set()]
    assert problem.score(tree.chosen) == -27.0


def test_hand_the_longest_serving_member_is_left_out():
    """K = 2: 3 takes {1} and joins {1, 2} of the start clique; so 4 can have {2, 3} but not {0, 3}."""
    sets = {v: {(): -9.0} for v in range(5)}
    sets[3][(1,)] = -1.0
    sets[4] |= {(0, 3): -1.0, (2, 3): -2.0}
    table = make_table(sets)
    problem = prepare_bounded(table, 2)
    tree, _ = evaluate(problem, [0, 1, 2, 3, 4])
    assert tree.bags[3].tolist() == [1, 2, 3]
    assert families(table, problem, tree.chosen)[4] == {2, 3}


def test_hand_preferences_choose_bag_and_member():
    sets = {v: {(): -9.0} for v in range(6)}
    sets[5][(1,)] = -1.0
    problem = prepare_bounded(make_table(sets), 2)
    search = OrderSearch(problem, np.random.default_rng(0))
    hosts, left_out = np.full(6, -1), np.full(6, -1)
    left_out[3] = 1
    search.start(np.arange(6), left_out)
    assert search.tree.bags[3].tolist() == [0, 2, 3]
    hosts[5] = 4
    search.start(np.arange(6), left_out, hosts)
    # 4 has no parents, joins the start clique and leaves out 0; 5 joins its bag and leaves out 2, not 1.
    assert search.tree.bags[4].tolist() == [1, 2, 4]
    assert search.tree.bags[5].tolist() == [1, 4, 5]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_start_clique_is_exact(size, seed):
    table = random_table(seed, size + 2, n_sets=14, ties=seed % 2 == 0)
    problem = prepare_bounded(table, size - 1)
    order = np.random.default_rng(seed).permutation(size + 2)
    tree, _ = evaluate(problem, order)
    members = order[:size].tolist()
    expected = best_on(lists_of(table), members)
    found = families(table, problem, tree.chosen)
    scores = problem.scores[tree.chosen]
    assert sum(scores[members]) == pytest.approx(sum(s for s, _ in expected.values()), abs=1e-9)
    assert all(found[v] <= set(members) for v in members)


def test_start_clique_beyond_the_exact_part_follows_the_order():
    from stages.kernels.ktrees.start_clique import EXACT_CLIQUE

    n = EXACT_CLIQUE + 3
    table = random_table(1, n, n_sets=20)
    problem = prepare_bounded(table, n - 1)
    tree, relative_score = evaluate(problem, np.arange(n))
    found = families(table, problem, tree.chosen)
    lists = lists_of(table)
    for v in range(EXACT_CLIQUE, n):
        assert found[v] == next(p for _, p in lists[v] if p <= set(range(v)))
    assert all(found[v] <= set(range(EXACT_CLIQUE)) for v in range(EXACT_CLIQUE))
    assert relative_score == pytest.approx(sum(problem.lists.scores[tree.chosen]))


@pytest.mark.parametrize("bound", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("seed", seeds(12, quick=2))
def test_evaluation_matches_clique_lists(bound, seed):
    n = 9
    table = random_table(seed, n, max_parents=4, n_sets=40, ties=seed % 3 == 0)
    problem = prepare_bounded(table, bound)
    order = np.random.default_rng(seed).permutation(n)
    tree, relative_score = evaluate(problem, order)
    naive = NaiveKTree(lists_of(table), order.tolist(), bound)
    assert problem.score(tree.chosen) == pytest.approx(naive.score(), abs=1e-9)
    assert relative_score == pytest.approx(problem.lists.scores[tree.chosen].sum(), abs=1e-9)
    later = order[naive.bound + 1 :]
    found = families(table, problem, tree.chosen)
    assert [found[v] for v in later] == [naive.network[v][1] for v in later]
    assert bags_of(tree) == naive.bags


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_floor_gives_up_exactly_when_the_loss_is_below(seed):
    problem = prepare_bounded(random_table(seed, 8, n_sets=30), 2)
    order = np.random.default_rng(seed).permutation(8)
    _, relative_score = evaluate(problem, order)
    assert evaluate(problem, order, relative_score)[1] == relative_score
    above = np.nextafter(relative_score, 0.0)
    assert evaluate(problem, order, above)[1] < above


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_sampling_keeps_the_best_order(seed):
    from stages.kernels.ktrees.orders import sample_orders

    problem = prepare_bounded(random_table(seed, 7, n_sets=30), 2)
    tree = problem.new_tree()
    order, chosen = tree.order.copy(), tree.chosen.copy()
    sample = (problem.lists, problem.filters, tree, problem.new_clique_tables(), problem.precedences)
    best = sample_orders(*sample, np.random.default_rng(seed), 50, order, chosen)
    again = [
        sample_orders(*sample, rng, 1, tree.order.copy(), tree.chosen.copy()) for rng in [np.random.default_rng(seed)]
    ]
    assert best >= again[0]
    found, relative_score = evaluate(problem, order)
    assert relative_score == best
    assert (found.chosen == chosen).all()


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_shuffled_orders_are_uniform(seed):
    from stages.kernels.ktrees.orders import shuffle_order

    rng = np.random.default_rng(seed)
    order = np.arange(3, dtype=np.int32)
    counts = dict.fromkeys(itertools.permutations(range(3)), 0)
    for _ in range(3000):
        shuffle_order(rng, order)
        counts[tuple(order.tolist())] += 1
    # Six cells of 500: a deviation of 100 is beyond four standard deviations.
    assert all(abs(count - 500) < 100 for count in counts.values())


@pytest.mark.parametrize("bound", [0, 1, 2, 4])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_building_without_preferences_is_kg(bound, seed):
    problem = prepare_bounded(random_table(seed, 10, max_parents=4, n_sets=40), bound)
    order = np.random.default_rng(seed).permutation(10)
    tree, relative_score = evaluate(problem, order)
    search = OrderSearch(problem, np.random.default_rng(0))
    assert search.start(order) == pytest.approx(relative_score, abs=1e-9)
    assert (search.tree.chosen == tree.chosen).all()
    assert bags_of(search.tree) == bags_of(tree)


@pytest.mark.parametrize("bound", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_preferences_match_clique_lists(bound, seed):
    n = 9
    rng = np.random.default_rng(seed)
    table = random_table(seed, n, max_parents=3, n_sets=30)
    problem = prepare_bounded(table, bound)
    order, left_out, hosts = rng.permutation(n), rng.integers(-1, n, n), rng.integers(-1, n, n)
    search = OrderSearch(problem, rng)
    search.start(order, left_out, hosts)
    naive = NaiveKTree(lists_of(table), order.tolist(), bound, dict(enumerate(left_out)), dict(enumerate(hosts)))
    assert problem.score(search.tree.chosen) == pytest.approx(naive.score(), abs=1e-9)
    assert bags_of(search.tree) == naive.bags


def snapshot(search):
    tree = search.tree
    n = len(tree.order)
    return [
        tree.order.tolist(), tree.position.tolist(), tree.bags[:n].tolist(), tree.edges.tolist(),
        tree.chosen.tolist(), tree.left_out.tolist(), tree.hosts.tolist(),
        search.log.marks.tolist(), search.log.pending.tolist(), search.log.dependents.tolist(),
    ]  # fmt: skip


@pytest.mark.parametrize(("n", "bound"), [*((12, bound) for bound in (0, 1, 2, 3, 5)), (65, 2), (130, 4)])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_moves_keep_what_building_anew_would_give(n, bound, seed):
    """At a high temperature nearly everything is accepted; after each slice the state is that of its order."""
    table = random_table(seed, n, max_parents=4, n_sets=60, ties=seed % 2 == 0)
    problem = prepare_bounded(table, bound)
    search = OrderSearch(problem, np.random.default_rng(seed), {"left_out": 0.25, "host": 0.25, "wanted": 0.2})
    search.start(np.random.default_rng(seed).permutation(n))
    other = OrderSearch(problem, np.random.default_rng(0))
    for temperature in (1e9, 1e9, 5.0, 5.0):
        for _ in range(10):
            relative_score = search.anneal(7, (temperature, temperature))
            assert other.start(search.tree.order, search.tree.left_out, search.tree.hosts) == pytest.approx(
                relative_score, abs=1e-6
            )
            assert snapshot(search) == snapshot(other)
    best = search.best
    assert other.start(best.order, best.left_out, best.hosts) == pytest.approx(best.relative_score[0], abs=1e-6)
    assert (other.tree.chosen == best.chosen).all()


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_refused_moves_leave_no_trace(seed):
    from stages.kernels.ktrees.move_log import mark_move
    from stages.kernels.ktrees.order_moves import move_variable, refresh, take_back

    n, bound = 11, 1 + seed % 3
    problem = prepare_bounded(random_table(seed, n, n_sets=40), bound)
    rng = np.random.default_rng(seed)
    search = OrderSearch(problem, rng)
    search.start(rng.permutation(n), rng.integers(-1, n, n), rng.integers(-1, n, n))
    before = snapshot(search)
    tree, log = search.tree, search.log
    for start, end in itertools.permutations(range(n), 2):
        variable = int(tree.order[start])
        low, high = min(start, end), max(start, end)
        if high <= bound:
            continue
        move_variable(tree.order, tree.position, start, end)
        mark_move(problem.lists, tree, log, variable, low)
        logged, gain = refresh(
            problem.lists,
            problem.index,
            problem.filters,
            problem.pairs,
            tree,
            log,
            search.clique,
            low,
            high,
            variable,
        )
        after = OrderSearch(problem, rng)
        after.start(tree.order, tree.left_out, tree.hosts)
        assert snapshot(search) == snapshot(after)
        former = sum(problem.scores[s] for s in before[4])
        assert gain == pytest.approx(problem.score(tree.chosen) - former, abs=1e-9)
        take_back(problem.lists, tree, log, logged)
        move_variable(tree.order, tree.position, end, start)
        assert snapshot(search) == before


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_bags_and_edges_bit_by_bit(seed):
    """Joining a bag, with and without a member that is not wanted, against lists."""
    from stages.kernels.bits import has_bit
    from stages.kernels.ktrees.ktree import form_bag, is_clique, join_bag, remove_edges
    from stages.kernels.ktrees.set_filters import pair_bit

    rng, n, width = np.random.default_rng(seed), 9, 3
    problem = prepare_bounded(random_table(seed, n, n_sets=20), width)
    tree, _ = evaluate(problem, rng.permutation(n))
    lists, edges, bags = problem.lists, tree.edges, tree.bags
    adjacent = {frozenset(e) for bag in bags[:n].tolist() for e in itertools.combinations(bag, 2)}
    for a, b in itertools.combinations(range(n), 2):
        assert has_bit(edges, pair_bit(a, b)) == (frozenset((a, b)) in adjacent)
    for s in range(len(problem.scores)):
        members = lists.parents[lists.parent_offsets[s] : lists.parent_offsets[s + 1]].tolist()
        expected = all(frozenset(e) in adjacent for e in itertools.combinations(members, 2))
        found = has_bit(edges, problem.filters.keys[s]) and is_clique(lists.parent_offsets, lists.parents, edges, s)
        assert found == expected
    last, host = int(tree.order[-1]), int(tree.order[-2])
    remove_edges(edges, bags, last)
    kept = rng.permutation(bags[host])[:2].astype(np.int32)
    spare = [v for v in bags[host].tolist() if v not in kept]
    form_bag(bags, host, n, last, spare[-1], kept, 0, 2, tree.n_states, tree.most_cells)
    assert bags[n].tolist() == [*(v for v in bags[host].tolist() if v != spare[-1]), last]
    join_bag(bags, edges, host, last, kept, 0, 2)
    assert bags[last].tolist() == [*(v for v in bags[host].tolist() if v != spare[0]), last]
    for other in range(n):
        assert has_bit(edges, pair_bit(last, other)) == (other in bags[last].tolist())


def test_pulled_orders_keep_precedences_and_else_the_order():
    from stages.kernels.ktrees.orders import new_precedences

    problem = prepare_bounded(random_table(3, 6), 2)
    object.__setattr__(problem, "precedences", new_precedences([(4, 1), (1, 0), (5, 0)], 6))
    assert problem.respect(np.array([0, 2, 1, 3, 5, 4], dtype=np.int32)).tolist() == [4, 1, 5, 0, 2, 3]
    assert problem.respect(np.array([5, 4, 1, 3, 0, 2], dtype=np.int32)).tolist() == [5, 4, 1, 3, 0, 2]


def test_joining_a_host_but_one_member():
    """As forming the bag and adding its edges, whichever member is left out."""
    from stages.kernels.ktrees.ktree import join_host
    from stages.kernels.ktrees.set_filters import pair_bit

    for left_out in (1, 4, 6):
        bags = np.zeros((9, 3), dtype=np.int32)
        bags[4] = 1, 4, 6
        edges = np.zeros(1, dtype=np.uint64)
        join_host(bags, edges, 4, left_out, 8)
        kept = [v for v in (1, 4, 6) if v != left_out]
        assert bags[8].tolist() == [*kept, 8]
        assert edges[0] == sum(1 << int(pair_bit(v, 8)) for v in (*kept, 8))
