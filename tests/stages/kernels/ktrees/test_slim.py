"""Exact improvement of groups of cliques: against all choices, and what any such search must keep."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.cases.ktrees import demanding_table
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.networks import is_acyclic
from naive.optimize.informative_score import is_clique
from naive.optimize.ktrees import best_bounded
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of
from naive.optimize.slim import best_in_group, cliques_along
from naive.optimize.treewidth import elimination_width, moral_edges

from stages.optimize.treewidth import slim
from stages.optimize.treewidth.annealing import OrderSearch
from stages.optimize.treewidth.problem import prepare_both
from stages.optimize.treewidth.slim import GroupSearch
from stages.runtime.errors import InfeasibleError


def start_search(table, width, seed):
    """A search among groups, from the network along a random order."""
    rng = np.random.default_rng(seed)
    problem, within = prepare_both(table, width)
    search = OrderSearch(problem, rng)
    search.start(problem.respect(rng.permutation(table.n_variables).astype(np.int32)))
    groups = GroupSearch(within, rng)
    chosen = problem.source[search.best.chosen]
    groups.start(search.best.order, [table.parent_set(s) for s in chosen.tolist()])
    assert within.score(groups.kept.chosen) == pytest.approx(problem.score(search.best.chosen))
    return groups


def check_network(groups, table):
    """The present network is acyclic and within the bound, its relative score and its cliques are right."""
    from stages.kernels.ktrees.slim_search import PRESENT

    lists, cliques = groups.problem.lists, groups.cliques
    offsets = lists.parent_offsets
    families = [lists.parents[offsets[s] : offsets[s + 1]].tolist() for s in cliques.chosen]
    order = cliques.order.tolist()
    assert is_acyclic(list(map(frozenset, families)))
    assert elimination_width(moral_edges(families), order[::-1]) <= groups.problem.treewidth
    assert lists.scores[cliques.chosen].sum() == pytest.approx(groups.kept.relative_scores[PRESENT], abs=1e-9)
    expected = cliques_along(families, order)
    for v in order:
        assert set(cliques.earlier[v, : cliques.sizes[v]].tolist()) == expected[v]
    for v in order[1:]:
        above = int(cliques.above[v])
        assert order.index(above) < order.index(v)
        assert expected[v] <= {above, *expected[above]}
    for child, sets in enumerate(lists_of(table)):
        assert frozenset(families[child]) in {p for _, p in sets}
    assert (groups.group.places == -1).all()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(12, quick=1))
def test_groups_are_solved_exactly(width, seed):
    from stages.kernels.ktrees.slim import NODES, SIZE, collect_choices, grow_group, mark_interfaces
    from stages.kernels.ktrees.slim_dp import GAIN, solve_group
    from stages.kernels.ktrees.slim_search import PRESENT, apply_choice, leave_group

    n = 8
    table = random_table(seed, n, max_parents=3, n_sets=16 if width < 3 else 12, ties=seed % 3 == 0)
    groups = start_search(table, width, seed)
    lists, cliques, group = groups.problem.lists, groups.cliques, groups.group
    sizes = set()
    for _ in range(12):
        most = width + 1 + int(groups.rng.integers(3))
        top = grow_group(cliques, group, groups.rng, np.int32(groups.rng.integers(n)), most)
        members = group.members[: group.counts[SIZE]].tolist()
        nodes = members[: group.counts[NODES]]
        offsets = lists.parent_offsets
        families = [lists.parents[offsets[s] : offsets[s + 1]].tolist() for s in cliques.chosen]
        order = cliques.order.tolist()
        above = {v: int(cliques.above[v]) for v in order[1:]} | {order[0]: None}
        expected = best_in_group(lists_of(table), families, order, above, nodes, width)
        assert len(members) <= most and top in nodes
        sizes.add(len(members) - width)
        present = collect_choices(lists, cliques.chosen, group)
        mark_interfaces(cliques, group, top)
        found = solve_group(group, width, present + GAIN, groups.tables)
        base = groups.problem.scores[lists.set_offsets[members]].sum()
        assert max(found, present) + base == pytest.approx(expected, abs=2e-6)
        if found > present + GAIN:
            groups.kept.relative_scores[PRESENT] += found - present
            apply_choice(lists, cliques, group, groups.queue, groups.rng, top)
        leave_group(group)
        check_network(groups, table)
    assert seed or max(sizes) == 3


@pytest.mark.parametrize("width", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", seeds(3, quick=1))
def test_disturbed_networks_stay_within_the_bound(width, seed):
    from stages.kernels.ktrees.slim_search import PRESENT, disturb

    table = random_table(seed, 15, max_parents=4, n_sets=40)
    groups = start_search(table, width, seed)
    changed = 0
    for _ in range(30):
        change = disturb(groups.problem.lists, groups.cliques, groups.group, groups.tables, groups.queue, groups.rng)
        groups.kept.relative_scores[PRESENT] += change
        changed += change != 0.0
        check_network(groups, table)
    assert changed > 10


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_small_problems_are_solved(width, seed):
    table = random_table(seed, 5, max_parents=4, n_sets=14)
    groups = start_search(table, width, seed)
    groups.improve(200, None)
    check_network(groups, table)
    assert groups.problem.score(groups.kept.chosen) == pytest.approx(best_bounded(lists_of(table), width))


@given(st.integers(0, 10**6), st.integers(1, 14), st.integers(0, 13), st.booleans())
def test_any_search_keeps_the_bound_and_loses_nothing(seed, n, width, demanding):
    table = demanding_table(seed, n + 5) if demanding else random_table(seed, n, 4, 20)
    try:
        groups = start_search(table, width, seed)
    except InfeasibleError:
        return
    before = groups.relative_score
    groups.improve(5, None)
    check_network(groups, table)
    assert groups.relative_score >= before - 1e-9


def test_slices_change_nothing():
    from stages.kernels.ktrees.slim import WORK
    from stages.kernels.ktrees.slim_search import search_groups

    table = random_table(3, 20, max_parents=4, n_sets=60)
    whole, sliced = start_search(table, 3, 1), start_search(table, 3, 1)
    done = 0
    for groups, limits in ((whole, (10**9, 10**15)), (sliced, (7, 10**15)), (sliced, (7, 10**4))):
        while True:
            solved = search_groups(
                groups.problem.lists, groups.cliques, groups.group, groups.tables, groups.queue, groups.kept,
                groups.rng, 20, (limits[0], int(groups.group.counts[WORK]) + limits[1]),
            )  # fmt: skip
            done += solved if groups is whole else -solved
            if solved == 0 or groups is whole:
                break
    assert done == 0
    assert whole.kept.idle[0] == 20
    assert sliced.kept.chosen.tolist() == whole.kept.chosen.tolist()
    assert sliced.kept.order.tolist() == whole.kept.order.tolist()


def test_the_more_variables_the_fewer_groups_in_a_slice(monkeypatch):
    """Time is looked at between slices, and each local optimum copies the network."""
    table = random_table(3, 20, max_parents=4, n_sets=60)
    whole, sliced = start_search(table, 3, 1), start_search(table, 3, 1)
    done = whole.improve(20, None)
    sizes, search_groups = [], slim.search_groups

    def search(*arguments):
        sizes.append(search_groups(*arguments))
        return sizes[-1]

    monkeypatch.setattr(slim, "SLICE_COPIES", 3 * table.n_variables + 1)
    monkeypatch.setattr(slim, "search_groups", search)
    assert sliced.improve(20, None) == done == sum(sizes)
    assert set(sizes[:-1]) == {3}
    assert sizes[-1] < 3
    assert sliced.parents() == whole.parents()


@pytest.mark.parametrize("width", [0, 1, 3, 6])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_filled_up_cliques_are_those_of_a_ktree(width, seed):
    n = 7
    groups = start_search(random_table(seed, n, n_sets=6), width, seed)
    groups.improve(3, None)
    bags = groups.bags()
    edges = frozenset(frozenset(e) for bag in bags.tolist() for e in itertools.combinations(bag, 2))
    assert len(edges) == width * (width + 1) // 2 + width * (n - width - 1)
    assert all(bag[-1] == v and len(set(bag)) == width + 1 for v, bag in enumerate(bags.tolist()))
    assert all(is_clique([v, *p], edges) for v, p in enumerate(groups.parents()))
    assert elimination_width(edges, groups.kept.order.tolist()[::-1]) == width
