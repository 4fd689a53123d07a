"""What the score loses by each arc, its rivals and its information, against definitions on small random networks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.inference import small_network
from helpers.tables import make_dataset
from hypothesis import given
from hypothesis import strategies as st
from naive import explain as naive
from naive.inference import joint_table, marginal
from naive.scores import local_score

from formats.data_records import Interventions
from stages.explain.arcs import explain_families, likelihood_ratio, other_path
from stages.explain.drivers import SPOUSE, drivers_of, findings_about
from stages.explain.rivals import RivalSearch
from stages.inference.junction_trees import Engine
from stages.knowledge import Knowledge
from stages.scoring.interventional_scorer import scorer_of


def random_case(seed, n_variables=5, n_rows=40):
    """A table, its rows and a random acyclic graph."""
    rng = np.random.default_rng(seed)
    n_states = rng.integers(2, 4, n_variables).tolist()
    codes = np.array([rng.integers(0, r, n_rows) for r in n_states], dtype=np.uint8)
    codes[1] = np.where(rng.random(n_rows) < 0.5, codes[0] % n_states[1], codes[1])
    order = rng.permutation(n_variables)
    parents = [()] * n_variables
    for place, child in enumerate(order.tolist()):
        parents[child] = tuple(sorted(v for v in order[:place].tolist() if rng.random() < 0.5))
    return make_dataset(codes, n_states), [*map(tuple, codes.T.tolist())], n_states, parents


def families(dataset, parents, most, score="bic", knowledge=None, table=None):
    scorer = scorer_of(dataset, score)
    knowledge = knowledge or Knowledge(dataset.names)
    return list(explain_families(dataset, scorer, RivalSearch(scorer, parents, knowledge, most, table)))


@given(st.integers(0, 10**6), st.integers(0, 3), st.sampled_from(["bic", "bdeu", "aic"]))
def test_families_by_definition(seed, most, score):
    dataset, rows, n_states, parents = random_case(seed)
    for child, family in enumerate(families(dataset, parents, most, score)):
        expected = naive.rivals(rows, n_states, parents, child, most, score)
        found = {rival.parents: rival.score for rival in family.rivals}
        assert found.keys() == expected.keys()
        for members, value in found.items():
            assert value == pytest.approx(expected[members], abs=1e-8)
        assert [rival.score for rival in family.rivals] == sorted(found.values(), reverse=True)
        own = local_score(rows, n_states, child, parents[child], score)
        assert family.score == pytest.approx(own, abs=1e-8)
        assert [(arc.parent, arc.child) for arc in family.arcs] == [(parent, child) for parent in parents[child]]
        for arc in family.arcs:
            check_arc(arc, rows, n_states, parents, score, found, own)


def check_arc(arc, rows, n_states, parents, score, rivals, own):
    parent, child = arc.parent, arc.child
    others = tuple(v for v in parents[child] if v != parent)
    shorter = local_score(rows, n_states, child, others, score)
    assert arc.removal_loss == pytest.approx(own - shorter, abs=1e-8)
    without = {pa: s for pa, s in rivals.items() if parent not in pa}
    assert arc.instead in without
    assert arc.instead_loss == pytest.approx(own - max(without.values()), abs=1e-8)
    assert own - without[arc.instead] == pytest.approx(arc.instead_loss, abs=1e-8)
    turned = naive.with_family(parents, child, others)
    turned = naive.with_family(turned, parent, sorted((*parents[parent], child)))
    ways = naive.paths(parents, parent, child)
    if naive.is_acyclic(turned):
        before = own + local_score(rows, n_states, parent, parents[parent], score)
        after = shorter + local_score(rows, n_states, parent, turned[parent], score)
        assert arc.reversal_loss == pytest.approx(before - after, abs=1e-8)
        assert arc.path == () and not ways
    else:
        assert math.isnan(arc.reversal_loss)
        assert arc.path in ways and len(arc.path) == min(map(len, ways))
    information = naive.information(rows, parent, child, others)
    assert arc.information.nats == pytest.approx(information, abs=1e-10)
    assert arc.information.by_chance == pytest.approx(naive.by_chance(rows, parent, child, others))


def test_covered_arcs_lose_nothing_when_reversed():
    dataset, _, _, _ = random_case(3)
    [arc] = [arc for family in families(dataset, [(), (0,), (), (), ()], 1) for arc in family.arcs]
    assert arc.reversal_loss == 0.0


def test_knowledge_limits_the_rivals():
    dataset, rows, n_states, _ = random_case(11)
    parents = [(), (0,), (0, 1), (2,), ()]
    knowledge = Knowledge.of_arcs(dataset.names, required=[(0, 2)], forbidden=[(4, 2), (4, 1)])
    found = families(dataset, parents, 2, knowledge=knowledge)
    expected = naive.rivals(rows, n_states, parents, 2, 2, forbidden=(4,), required=(0,))
    assert {rival.parents for rival in found[2].rivals} == expected.keys()
    required = next(arc for arc in found[2].arcs if arc.parent == 0)
    assert required.instead is None and math.isnan(required.instead_loss)
    assert all(4 not in rival.parents for rival in found[1].rivals)


def test_rows_in_which_the_child_was_set_do_not_count():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (3, 80)).astype(np.uint8)
    codes[1] = np.where(rng.random(80) < 0.8, codes[0], codes[1])
    plain = make_dataset(codes, [2, 2, 2])
    given = Interventions(((), (1,)), (np.arange(80) % 4 == 0).astype(np.int32))
    dataset = type(plain)(plain.variables, plain.codes, plain.fingerprint, given)
    free = [tuple(row) for k, row in enumerate(codes.T.tolist()) if k % 4]
    [arc] = [arc for family in families(dataset, [(), (0,), ()], 1) for arc in family.arcs]
    gain = local_score(free, [2, 2, 2], 1, (0,)) - local_score(free, [2, 2, 2], 1, ())
    assert arc.removal_loss == pytest.approx(gain, abs=1e-8)
    assert arc.information.nats == pytest.approx(naive.information(free, 0, 1, ()))


def test_constant_variables_are_no_rivals():
    rng = np.random.default_rng(2)
    codes = np.array([rng.integers(0, 2, 30), np.zeros(30), rng.integers(0, 2, 30)], dtype=np.uint8)
    found = families(make_dataset(codes, [2, 1, 2]), [(), (), ()], 2)
    assert [[rival.parents for rival in family.rivals] for family in found] == [[(2,)], [], [(0,)]]


def test_paths_are_shortest():
    parents = [(), (0,), (1,), (0, 2), (0, 3)]
    assert other_path(parents, 0, 4) == (0, 3, 4)
    assert other_path(parents, 0, 3) == (0, 1, 2, 3)
    assert other_path(parents, 1, 2) == ()


@given(st.integers(0, 10**6))
def test_drivers_by_definition(seed):
    dataset, rows, _, parents = random_case(seed)
    target = seed % 5
    blanket = {v for v in range(5) if v in parents[target] or target in parents[v]}
    spouses = {u for v in range(5) if target in parents[v] for u in parents[v]} - {target} - blanket
    found = {driver.variable: driver for driver in drivers_of(dataset, parents, target)}
    assert found.keys() == set(range(5)) - {target}
    for variable, driver in found.items():
        rest = sorted((blanket | spouses) - {variable})
        assert driver.alone.nats == pytest.approx(naive.information(rows, target, variable, ()), abs=1e-10)
        assert driver.given_blanket.nats == pytest.approx(naive.information(rows, target, variable, rest), abs=1e-10)
        assert driver.given_blanket.by_chance == pytest.approx(naive.by_chance(rows, target, variable, rest))
        assert (driver.relation == SPOUSE) == (variable in spouses)
        assert bool(driver.relation) == (variable in blanket | spouses)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.4]))
def test_findings_by_definition(seed, zeros):
    network = small_network(seed, zeros=zeros)
    target = seed % 6
    found, table = findings_about(Engine(network), target), joint_table(network)
    assert found.before == pytest.approx(marginal(table, {}, [target]))
    for variable in set(range(6)) - {target}:
        own = marginal(table, {}, [variable])
        assert found.probability[variable] == pytest.approx(own)
        for state, probability in enumerate(own):
            after = found.after[variable][state]
            if probability > 0:
                assert after == pytest.approx(marginal(table, {variable: state}, [target]), abs=1e-9)
            else:
                assert np.isnan(after).all()
        shift = np.nan_to_num(np.abs(found.after[variable] - found.before))
        assert shift[found.strongest(variable)] == shift.max()


@pytest.mark.parametrize("seed", range(8))
def test_exact_independence_is_exactly_zero(seed: int):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(1, 90, (2, 3, 1, 4))
    counts = (first.transpose(0, 2, 1) * second).astype(np.int64)
    assert likelihood_ratio(counts) == 0.0
    counts[0, 0, 0] += 1
    assert likelihood_ratio(counts) > 0.0
