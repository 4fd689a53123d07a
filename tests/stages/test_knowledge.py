"""What a user knows about arcs: contradictions, and searches of sets and networks that keep to it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from helpers.cases.selections import identify as run
from helpers.tables import dependent_dataset
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize.networks_search import make_table, random_table
from naive.parentsets import prune_dominated, score_all_sets

from formats.errors import Inconsistent
from formats.records import Header, ParentSetTable, ScreeningForest
from stages.knowledge import Knowledge, check_screened, make_knowledge
from stages.lists.constrain import keep_admissible, require_least_sets
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run as optimize
from stages.optimize.driver import run_on_data
from stages.parentsets import METHODS, ParentSetOptions
from stages.parentsets.grow_orders import Orders
from stages.recorded_knowledge import knowledge_record, recorded_knowledge
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError, StageError
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer

ABCD = ("a", "b", "c", "d")


# --- the record ---


def test_names_and_indices_worked_by_hand():
    knowledge = make_knowledge(ABCD, [("a", "b"), (2, 1), ("a", "b")], [("d", "a")], [["a", "c"], ["b"]])
    assert knowledge.required == {1: (0, 2)}
    assert [arc for group in knowledge.forbidden for arc in group.arcs()] == [(3, 0)]
    assert knowledge.tiers.tolist() == [0, 1, 0, -1]
    assert knowledge.may_be_parent(0).tolist() == [False, False, True, False]
    assert knowledge.may_be_parent(1).tolist() == [True, False, True, True]
    assert knowledge.may_be_parent(3).tolist() == [True, True, True, False]
    assert knowledge.required_of(1) == (0, 2)
    assert knowledge.required_of(0) == ()


@pytest.mark.parametrize(
    ("required", "forbidden", "tiers", "message"),
    [
        ([("a", "b")], [("a", "b")], [], "a -> b is both required and forbidden"),
        ([("a", "a")], [], [], "a -> a is a loop"),
        ([("b", "a")], [], [["a"], ["b"]], "b -> a is required but goes from tier 2 back to tier 1"),
        ([("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")], [], [], "close a cycle: .* -> .* -> .*"),
        ([("a", "b"), ("b", "a")], [], [], "required arcs close a cycle"),
    ],
)
def test_contradictions_are_infeasible(required, forbidden, tiers, message):
    with pytest.raises(InfeasibleError, match=message):
        make_knowledge(ABCD, required, forbidden, tiers)


def test_a_cycle_is_spelled_out_along_its_arcs():
    with pytest.raises(InfeasibleError) as caught:
        make_knowledge(ABCD, [("a", "b"), ("b", "d"), ("d", "a")])
    cycle = str(caught.value).split(": ")[1].split(" -> ")
    assert cycle[0] == cycle[-1]
    assert set(itertools.pairwise(cycle)) == {("a", "b"), ("b", "d"), ("d", "a")}


@pytest.mark.parametrize(
    ("required", "tiers", "message"),
    [
        ([("a", "x")], [], "'x' is no variable"),
        ([(0, 4)], [], "no variable 4"),
        ([(-1, 0)], [], "no variable -1"),
        ([], [["a"], ["b", "a"]], "'a' is in tier 1 and in tier 2"),
        ([], [["a", "a"]], "'a' is in tier 1 and in tier 1"),
    ],
)
def test_unknown_variables_are_errors(required, tiers, message):
    with pytest.raises(StageError, match=message):
        make_knowledge(ABCD, required, (), tiers)


@pytest.mark.parametrize(
    ("required", "forbidden", "message"),
    [
        ([("c", "b")], [], "'b' is screened with the single parent 'a', but the arc c -> b is required"),
        ([], [("a", "b")], "screened arc a -> b is forbidden"),
        ([("b", "c"), ("c", "a")], [], "screened and the required arcs close a cycle"),
    ],
)
def test_a_screened_variable_has_no_other_parents(required, forbidden, message):
    knowledge = make_knowledge(ABCD, required, forbidden)
    with pytest.raises(InfeasibleError, match=message):
        check_screened(knowledge, {1: (0,)})


def test_a_screened_variable_may_require_its_parent():
    check_screened(make_knowledge(ABCD, [("a", "b"), ("b", "c")]), {1: (0,)})


def test_a_screened_variable_may_require_some_of_its_parents():
    check_screened(make_knowledge(ABCD, [("a", "b")]), {1: (0, 2)})
    with pytest.raises(InfeasibleError, match="'b' is screened with the parents 'a' and 'c', but the arc d -> b"):
        check_screened(make_knowledge(ABCD, [("d", "b")]), {1: (0, 2)})
    with pytest.raises(InfeasibleError, match="screened and the required arcs close a cycle"):
        check_screened(make_knowledge(ABCD, [("a", "b"), ("b", "c")]), {1: (0, 2)})


def test_what_a_header_records_holds_all_together():
    names = ("a", "b", "c->d", "d")
    by = [
        {"stage": "parentsets", "options": {"tiers": [["a", "x"], ["b"]], "require": ["a->c->d"]}},
        {"stage": "other"},
        {"stage": "optimize", "options": {"forbid": ["d->b", "x->a"], "tiers": [["b"], ["d"]]}},
    ]
    found = recorded_knowledge(by, names)
    assert found.required == {2: (0,)}
    assert {arc for arc in itertools.permutations(range(4), 2) if found.excludes(*arc)} == {(1, 0), (3, 1)}
    assert found.equals(recorded_knowledge(by, names)) and not found.equals(recorded_knowledge(by[1:], names))


def excluded_by(knowledge) -> set[tuple[int, int]]:
    """Checks that both ways of asking agree."""
    n = knowledge.n_variables
    pairs = list(itertools.permutations(range(n), 2))
    found = {(p, c) for p, c in pairs if knowledge.excludes(p, c)}
    assert found == {(p, c) for p, c in pairs if not knowledge.may_be_parent(c)[p]}
    return found


ARCS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda arc: arc[0] != arc[1]))


@given(ARCS, ARCS, ARCS, st.none() | st.lists(st.integers(-1, 1), min_size=5, max_size=5))
def test_an_arc_must_be_allowed_by_all_and_forbidden_by_none(forbidden, allowed, others, tiers):
    names = ("a", "b", "c", "d", "e")
    every = set(itertools.permutations(range(5), 2))
    against = {(p, c) for p, c in every if tiers is not None and 0 <= tiers[c] < tiers[p]}
    members = [[v for v in range(5) if tiers and tiers[v] == k] for k in (0, 1)] if tiers else ()
    one, two = (make_knowledge(names, (), forbidden, members, arcs) for arcs in (allowed, others))
    assert excluded_by(one) == forbidden | against | (every - allowed)
    by = [{"stage": stage, "options": knowledge_record(k)} for stage, k in (("parentsets", one), ("optimize", two))]
    assert recorded_knowledge(by[:1], names).equals(one) and one.equals(two) == (excluded_by(one) == excluded_by(two))
    both = recorded_knowledge(by, names)
    assert excluded_by(both) == forbidden | against | (every - allowed) | (every - others)
    kept = np.array([0, 2, 3])
    inside = {(p, c) for p, c in itertools.permutations(range(3), 2) if (kept[p], kept[c]) in excluded_by(both)}
    assert excluded_by(both.among(kept)) == inside


@pytest.mark.parametrize("value", [{"number": 9, "digest": "sha256:0"}, "a->b", [1]])
def test_knowledge_that_a_header_lacks_is_an_error(value):
    with pytest.raises(Inconsistent, match="does not record what --forbid was"):
        recorded_knowledge([{"stage": "optimize", "options": {"forbid": value}}], ABCD)


@pytest.mark.parametrize("option", ["require", "forbid", "allow"])
def test_a_recorded_text_that_is_no_arc_is_an_error(option):
    with pytest.raises(Inconsistent, match="'a~>b', which is no arc"):
        recorded_knowledge([{"stage": "optimize", "options": {option: ["a->c", "a~>b"]}}], ABCD)


# --- identification ---


def random_knowledge(names, seed) -> Knowledge:
    """Constraints that agree with a hidden order."""
    rng = np.random.default_rng(seed)
    n = len(names)
    place = rng.permutation(n)
    pairs = [(int(p), int(c)) for p in range(n) for c in range(n) if place[p] < place[c]]
    required = [pairs[k] for k in rng.permutation(len(pairs))[: rng.integers(0, 4)]]
    others = [(p, c) for p in range(n) for c in range(n) if p != c and (p, c) not in required]
    forbidden = [others[k] for k in rng.permutation(len(others))[: rng.integers(0, n)]]
    tiers = []
    if rng.random() < 0.6:
        cut = int(rng.integers(1, n))
        tiers = [[v for v in range(n) if place[v] < cut - 1], [v for v in range(n) if place[v] >= cut]]
    return make_knowledge(names, required, forbidden, tiers)


def admissible(knowledge, child, parents) -> bool:
    """From the definitions: all required, none excluded."""
    forbidden = {arc for group in knowledge.forbidden for arc in group.arcs()}
    return set(knowledge.required.get(child, ())) <= set(parents) and not any(
        (p, child) in forbidden or (knowledge.tiers is not None and 0 <= knowledge.tiers[child] < knowledge.tiers[p])
        for p in parents
    )


@given(st.integers(0, 10_000), st.sampled_from(["sequential", "greedy", "indep"]))
def test_complete_lists_under_knowledge(seed, method):
    dataset, rows = dependent_dataset(seed, 6, 60 + seed % 90, most_states=3)
    knowledge = random_knowledge(dataset.names, seed)
    options = ParentSetOptions(method=method, max_parents=4, evaluations=10**6)
    _, records = run(dataset, options, knowledge=knowledge)
    for record in records:
        scores = score_all_sets(rows, dataset.n_states.tolist(), record.child, 4)
        allowed = {s: round(v, 8) for s, v in scores.items() if admissible(knowledge, record.child, s)}
        expected = prune_dominated(allowed)
        found = dict(zip(record.parents, record.scores))
        assert set(found) == set(expected)
        assert all(found[s] == pytest.approx(v, rel=1e-9, abs=1e-7) for s, v in expected.items())
        assert record.fixed == (len(allowed) == 1 and () not in allowed)
        if not record.fixed:
            assert record.required == knowledge.required_of(record.child)
            assert record.complete


@pytest.mark.slow
@given(st.integers(0, 10_000))
def test_grown_lists_under_knowledge(seed):
    dataset, rows = dependent_dataset(seed, 7, 150, most_states=3)
    knowledge = random_knowledge(dataset.names, seed)
    _, records = run(dataset, ParentSetOptions(seed=seed, orders=4), knowledge=knowledge)
    for record in records:
        required = knowledge.required_of(record.child)
        assert required in record.parents
        assert all(admissible(knowledge, record.child, s) for s in record.parents)
        exact = score_all_sets(rows, dataset.n_states.tolist(), record.child, 3)
        for parents, score in zip(record.parents, record.scores):
            assert parents not in exact or score == pytest.approx(exact[parents], rel=1e-9, abs=1e-7)


def test_more_required_parents_than_allowed():
    dataset, _ = dependent_dataset(1, 4, 50)
    knowledge = make_knowledge(dataset.names, [(0, 3), (1, 3)])
    with pytest.raises(InfeasibleError, match="'V3' has 2 required parents, more than --max-parents 1"):
        run(dataset, ParentSetOptions(max_parents=1), knowledge=knowledge)


def test_screened_and_required_together():
    dataset, _ = dependent_dataset(4, 6, 100)
    forest = ScreeningForest(Header(dataset.variables), {2: (0,), 5: (2,)}, {})
    # A required parent may be screened itself; without the requirement no screened variable is a parent.
    knowledge = make_knowledge(dataset.names, [(2, 4), (0, 2)])
    _, records = run(dataset, ParentSetOptions(method="sequential"), forest=forest, knowledge=knowledge)
    for record in records:
        if record.child in forest.parents:
            assert (record.fixed, record.parents) == (True, (forest.parents[record.child],))
        else:
            screened = {2, 5} & {p for s in record.parents for p in s}
            assert screened == ({2} if record.child == 4 else set())


def test_orders_keep_tiers():
    names = [f"V{i}" for i in range(40)]
    knowledge = make_knowledge(names, (), (), [list(range(10, 20)), list(range(10)), [25]])
    orders = Orders(40, seed=3, knowledge=knowledge)
    for index in range(5):
        position = orders.positions(index)
        assert len(set(position.tolist())) == 40
        assert position[10:20].max() < position[:10].min()
        assert position[:10].max() < position[25]
        free = position[30:]
        assert free.min() < position[:10].min() or free.max() > position[10:20].max()


def test_orders_repeat_and_do_not_depend_on_what_was_asked_before():
    one, two = Orders(30, seed=9), Orders(30, seed=9)
    assert np.array_equal(one.positions(3), two.positions(3))
    assert np.array_equal(one.positions(0), two.positions(0))
    assert np.array_equal(one.positions(3), two.positions(3))
    assert not np.array_equal(one.positions(0), one.positions(1))


# --- lists made without the knowledge ---


@given(st.integers(0, 10_000))
def test_kept_sets_by_definition(seed):
    table = random_table(seed, 7, n_sets=20)
    knowledge = random_knowledge(table.header.names, seed)
    expected = {
        record.child: [
            (parents, score)
            for parents, score in zip(record.parents, record.scores)
            if admissible(knowledge, record.child, parents)
        ]
        for record in table.records()
    }
    if not all(expected.values()):
        with pytest.raises(InfeasibleError, match="bnsl parentsets --require"):
            keep_admissible(table, knowledge)
        return
    kept = keep_admissible(table, knowledge)
    members = [[set(parents) for parents, _ in sets] for sets in expected.values()]
    if not all(set.intersection(*sets) in sets for sets in members):
        with pytest.raises(InfeasibleError, match="bnsl parentsets --require"):
            require_least_sets(kept, knowledge)
    else:
        require_least_sets(kept, knowledge)
    for record in kept.records():
        assert list(zip(record.parents, record.scores)) == expected[record.child]


def test_nothing_left_names_the_child_and_the_remedy():
    table = make_table({0: {(): -1.0}, 1: {(): -2.0, (2,): -1.0}, 2: {(): -1.0}})
    knowledge = make_knowledge(table.header.names, [(0, 1)])
    with pytest.raises(InfeasibleError) as caught:
        keep_admissible(table, knowledge)
    assert "'V1'" in str(caught.value)
    assert "bnsl parentsets --require 'V0 -> V1'" in str(caught.value)


def test_an_excluded_fixed_set_is_infeasible():
    table = make_table({0: {(): -1.0}, 1: {(0,): -1.0}}, fixed=(1,))
    with pytest.raises(InfeasibleError, match="the one set that 'V1' must take is excluded"):
        keep_admissible(table, make_knowledge(table.header.names, (), [(0, 1)]))


def test_what_is_known_of_unlisted_sets_under_a_requirement():
    table = make_table({0: {(): -1.0}, 1: {(): -3.0, (0,): -2.0, (0, 2): -1.0}, 2: {(): -1.0, (0,): -0.5}})
    table = replace(
        table, complete=np.ones(3, dtype=np.bool_), unlisted=np.array([-9.0, -9.0, -9.0]), left_out=np.ones(3)
    )
    kept = keep_admissible(table, make_knowledge(table.header.names, [(0, 1)], [(0, 2)]))
    assert [record.parents for record in kept.records()] == [((),), ((0, 2), (0,)), ((),)]
    assert kept.complete.tolist() == [True, False, True]
    assert np.isnan(kept.unlisted).tolist() == [False, True, False]
    # Omitted sets that the empty set stood for, which weighs exp(-1) times as much, belong to {0} now.
    assert kept.left_out.tolist() == pytest.approx([1.0, 1.0 + np.exp(-1.0), 1.0])


# --- networks ---


def assert_keeps_to(knowledge, parents):
    for child, family in enumerate(parents):
        assert admissible(knowledge, child, family)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("obs", {}),
        ("obs", {"init": "fas"}),
        ("asobs", {}),
        ("asobs", {"init": "dfs"}),
        ("asobs", {"init": "entropy"}),
        ("asobs", {"treewidth": 3}),
        ("kg", {"treewidth": 3}),
    ],
)
def test_order_searches_keep_to_required_arcs(method, options):
    for seed in range(4):
        dataset, _ = dependent_dataset(seed, 8, 200, most_states=3)
        knowledge = random_knowledge(dataset.names, seed)
        if any(len(parents) > 2 for parents in knowledge.required.values()):
            continue
        header, records = run(dataset, ParentSetOptions(seed=1, orders=5), knowledge=knowledge)
        table = ParentSetTable.from_records(header, records)
        search = OptimizeOptions(method=method, restarts=3, seed=seed, **options)
        network, _ = optimize(table, search, Budget(), NullReporter())
        assert_keeps_to(knowledge, network.parents)


@pytest.mark.parametrize("method", ["hc", "fastchc", "pricing"])
def test_searches_on_data_keep_to_the_constraints(method):
    for seed in range(3):
        dataset, _ = dependent_dataset(seed + 20, 7, 150, most_states=3)
        knowledge = random_knowledge(dataset.names, seed + 40)
        varies = dataset.n_states > 1
        options = OptimizeOptions(method=method, knowledge=knowledge)
        network, _ = run_on_data(dataset, options, Budget(0.3, 300), NullReporter())
        assert_keeps_to(knowledge, network.parents)
        assert varies.any()


def test_a_start_against_the_tiers_is_reported():
    dataset, _ = dependent_dataset(3, 4, 100, most_states=2)
    from stages.optimize.climbing.constraints import make_constraints, start_graph

    options = OptimizeOptions(knowledge=Knowledge.of_arcs(dataset.names, tiers=(1, 0, -1, -1)))
    constraints = make_constraints(FamilyScorer(dataset), options)
    with pytest.raises(
        InfeasibleError, match=r"arc V0 -> V1, which goes from tier 2 back to tier 1; permit it, or start"
    ):
        start_graph(((), (0,), (), ()), constraints, dataset.names)


def test_every_method_is_covered():
    assert set(METHODS) == {"grow", "indep", "greedy", "sequential"}
