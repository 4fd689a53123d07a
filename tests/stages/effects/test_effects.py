"""Effects against enumeration: of configurations, of networks, of the members of essential graphs."""

from __future__ import annotations

import itertools
import math
import random
import threading
from dataclasses import replace

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from helpers.tables import dependent_dataset, make_dataset
from naive import effects as naive
from naive import networks
from naive.interventions import interventional_score

from formats.data_records import Interventions
from stages.effects import EffectOptions
from stages.effects.averages import average_effects
from stages.effects.cause_structures import CauseStructures, ClassStructures, CountedStructures
from stages.effects.parent_adjustment import count_effects, divergences, draw_effects, draw_unaffected, effect_moments
from stages.effects.posterior_structures import posterior_structures
from stages.graphs.essential_graphs import essential_graph, list_arcs
from stages.graphs.orientation import oriented_graph
from stages.knowledge import make_knowledge
from stages.posterior import PosteriorOptions
from stages.posterior.exact import family_relations
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError, NothingFoundError
from stages.runtime.reporting import NullReporter


def averages(dataset, structures, effects, options):
    return list(average_effects(dataset, structures, effects, options, threading.Event(), NullReporter()))


@pytest.mark.parametrize("seed", range(12))
def test_moments_are_sums_over_all_configurations(seed):
    dataset, rows = dependent_dataset(seed, 4, (0, 5, 40)[seed % 3], most_states=3)
    n_states, ess = dataset.n_states.tolist(), (0.1, 1.0, 7.5)[seed % 3]
    for x, y in [(0, 3), (2, 1)]:
        others = [v for v in range(4) if v not in (x, y)]
        for parents in itertools.chain.from_iterable(itertools.combinations(others, k) for k in range(3)):
            (counts,) = count_effects(dataset, parents, x, [y])
            expected = naive.effect_moments(rows, n_states, parents, x, y, ess)
            for contrast in (False, True):
                mean, second = map(np.array, expected[2 * contrast : 2 * contrast + 2])
                found = effect_moments(counts, ess, contrast)
                np.testing.assert_allclose(found.mean, mean, rtol=0, atol=1e-12)
                np.testing.assert_allclose(found.variance, second - mean**2, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_rows", [3, 60])
def test_draws_have_the_distribution(n_rows):
    """Means, deviations and quantiles of draws of the configurations by themselves, many without rows among them."""
    dataset, rows = dependent_dataset(5, 4, n_rows, most_states=3, least_states=2)
    n_states, rng, ess = dataset.n_states.tolist(), np.random.default_rng(1), 2.0
    (counts,) = count_effects(dataset, (0, 1), 2, [3])
    found = draw_effects(counts, ess, 6000, rng)
    expected = np.array([naive.drawn_effect(rows, n_states, (0, 1), 2, 3, ess, rng) for _ in range(800)])
    moments = effect_moments(counts, ess, False)
    np.testing.assert_allclose(found.sum(axis=2), 1.0, atol=1e-12)
    np.testing.assert_allclose(found.mean(axis=0), moments.mean, atol=0.02)
    np.testing.assert_allclose(found.std(axis=0), np.sqrt(moments.variance), atol=0.015)
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    np.testing.assert_allclose(np.quantile(found, levels, axis=0), np.quantile(expected, levels, axis=0), atol=0.05)


def test_tiny_parameters_put_all_weight_on_one_cell():
    drawn = draw_unaffected(np.array([0, 0, 0]), 2, 1e-9, 3000, np.random.default_rng(2))
    assert set(np.unique(drawn)) == {0.0, 1.0}
    np.testing.assert_allclose(drawn.mean(axis=(0, 1)), 1 / 3, atol=0.04)


def test_divergences_are_mean_kullback_leibler_divergences():
    rng = np.random.default_rng(3)
    for shape in [(1, 3), (2, 2), (4, 3)]:
        drawn = rng.dirichlet(np.full(shape[1], 0.4), shape[0])
        assert divergences(drawn) == pytest.approx(naive.divergence(drawn), abs=1e-12)
    assert divergences(np.array([[1.0, 0.0], [0.0, 1.0]])) == pytest.approx(np.log(2))


@pytest.mark.parametrize(
    ("seed", "n", "spread"), [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 20.0), (4, 4, 200.0), (5, 4, 2.0)]
)
def test_parent_sets_with_descendants_are_enumeration(seed, n, spread):
    lists = random_lists(seed, n, spread)
    table, weighted = as_table(lists), naive.posterior_networks(lists)
    for x, found in enumerate(family_relations(table, range(n), Budget(), NullReporter())):
        expected = np.zeros_like(found)
        places = {sets: place for place, (sets, _) in enumerate(lists[x])}
        for (parents, below), share in naive.structure_shares(weighted, x).items():
            expected[places[parents], list(below)] += share
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("seed", "n"), [(0, 3), (1, 4), (2, 3), (3, 2)])
def test_averages_over_the_posterior_are_enumeration(seed, n):
    """Mixed states; the moments and the share of structures of every pair."""
    lists = random_lists(seed, n, (2.0, 0.5)[seed % 2])
    dataset, rows = dependent_dataset(seed, n, 30, most_states=3, least_states=1 + seed % 2)
    n_states, weighted = dataset.n_states.tolist(), naive.posterior_networks(lists)
    options = EffectOptions(draws=40, smoothing=1.5)
    structures = list(posterior_structures(as_table(lists), range(n), PosteriorOptions(), Budget(), NullReporter()))
    plain = {x: naive.structure_shares(weighted, x) for x in range(n)}
    for place, measure in enumerate(("probability", "contrast")):
        for batch in averages(dataset, structures, range(n), replace(options, measure=measure)):
            for pair in batch:
                shares = plain[pair.cause]
                expected = naive.averaged(rows, n_states, shares, pair.cause, pair.effect, 1.5)[place]
                mean, variance, between = expected
                np.testing.assert_allclose(pair.value, mean, rtol=0, atol=1e-6)
                np.testing.assert_allclose(pair.deviation**2, variance, rtol=0, atol=1e-6)
                share = np.nan_to_num(pair.structure_share) * pair.deviation**2
                np.testing.assert_allclose(share, between, rtol=0, atol=1e-6)
                over = sum(s for (_, below), s in shares.items() if pair.effect in below)
                assert pair.ancestor == pytest.approx(over, abs=1e-6)


def drawn_targets(rng, n_variables, n_rows):
    """Variables that were set in rows, none in some row of each variable."""
    targets = ((), (0,), (0, 1), (1,), (n_variables - 1,))
    targets = tuple(sorted({tuple(sorted(set(target))) for target in targets}))
    return Interventions(targets, rng.integers(0, len(targets), n_rows).astype(np.int32))


@pytest.mark.parametrize(("seed", "n", "n_rows"), [(0, 2, 20), (1, 3, 60), (2, 4, 40), (3, 4, 200)])
def test_rows_under_intervention_count_where_they_say_something(seed, n, n_rows):
    """All networks one by one, weighted by their scores over the rows in which each child was not set."""
    dataset, rows = dependent_dataset(seed, n, n_rows, most_states=3, least_states=2)
    given = drawn_targets(np.random.default_rng(seed), n, n_rows)
    dataset, n_states = replace(dataset, interventions=given), dataset.n_states.tolist()
    was_set = [given.targets[k] for k in given.of_row.tolist()]
    lists = [
        [
            (family, interventional_score(rows, was_set, n_states, child, family, "bdeu"))
            for size in range(n)
            for family in itertools.combinations([v for v in range(n) if v != child], size)
        ]
        for child in range(n)
    ]
    weighted = naive.posterior_networks(lists)
    options = EffectOptions(draws=4000, seed=seed)
    structures = list(posterior_structures(as_table(lists), range(n), PosteriorOptions(), Budget(), NullReporter()))
    for place, measure in enumerate(("probability", "contrast")):
        for pair in itertools.chain(*averages(dataset, structures, range(n), replace(options, measure=measure))):
            shares = naive.structure_shares(weighted, pair.cause)
            found = naive.averaged(rows, n_states, shares, pair.cause, pair.effect, 1.0, was_set)
            mean, variance, _ = found[place]
            np.testing.assert_allclose(pair.value, mean, rtol=0, atol=1e-6)
            np.testing.assert_allclose(pair.deviation**2, variance, rtol=0, atol=1e-6)
            assert ((pair.lower <= mean + 0.05) & (mean - 0.05 <= pair.upper)).all()


def test_effects_under_intervention_are_those_of_the_network():
    """Of z -> x -> y <- z with each of them set in some rows; rows that count all alike give another effect."""
    rng, n = np.random.default_rng(7), 60_000
    target = rng.integers(0, 4, n)
    z = np.where(target == 1, 1, rng.random(n) < 0.3)
    x = np.where(target == 2, rng.random(n) < 0.5, rng.random(n) < np.where(z, 0.8, 0.2))
    y = np.where(target == 3, 0, rng.random(n) < 0.1 + 0.3 * x + 0.4 * z)
    dataset = make_dataset(np.array([z, x, y], dtype=np.uint8), [2, 2, 2])
    counted = CountedStructures([1])
    counted.add(((), (0,), (0, 1)))
    given = replace(dataset, interventions=Interventions(((), (0,), (1,), (2,)), target.astype(np.int32)))
    true = 0.1 + 0.3 * np.arange(2) + 0.4 * 0.3
    ((pair,),) = averages(given, [(1, counted.of(1))], [2], EffectOptions())
    np.testing.assert_allclose(pair.value[:, 1], true, atol=0.01)
    ((pair,),) = averages(dataset, [(1, counted.of(1))], [2], EffectOptions())
    assert abs(pair.value[1, 1] - true[1]) > 0.03


def test_networks_are_counted():
    given = [((), (0,), (1,)), ((), (0,), (0, 1)), ((), (0,), (1,)), ((1,), (), ())]
    counted = CountedStructures([0, 1])
    for parents in given:
        counted.add(parents)
    for x in (0, 1):
        expected = naive.structure_shares([(parents, 1.0) for parents in given], x)
        found = counted.of(x)
        for parents, shares in zip(found.parents, found.shares):
            own = np.zeros(3)
            for (family, below), share in expected.items():
                own[list(below)] += share * (family == parents)
            np.testing.assert_allclose(shares, own, atol=1e-15)


def check_class(of_class, members, cause):
    """Each parent set of the members once, with the descendants that they agree on."""
    expected = {}
    for parents, below in naive.structure_shares([(m, 1.0) for m in members], cause):
        assert parents not in expected  # all members with these parents have the same descendants
        expected[parents] = below
    found = of_class.of(cause)
    assert set(found.parents) == set(expected)
    for parents, shares in zip(found.parents, found.shares):
        assert frozenset(np.flatnonzero(shares).tolist()) == expected[parents]
        assert set(shares[shares > 0].tolist()) == {1.0 / len(expected)}


def knowledge_of(member, rng):
    """Required and forbidden arcs that a network agrees with."""
    arcs, n = sorted(list_arcs(member)), len(member)
    absent = [arc for arc in itertools.permutations(range(n), 2) if arc not in arcs]
    required = rng.sample(arcs, rng.choice([0, 1]) if arcs else 0)
    return make_knowledge("abcde"[:n], required, rng.sample(absent, min(len(absent), rng.choice([0, 1, 2]))))


def agrees(member, knowledge):
    arcs = list_arcs(member)
    return set(knowledge.required_arcs) <= arcs and not any(knowledge.excludes(*arc) for arc in arcs)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_classes_are_all_their_members(n):
    """All classes of up to four variables, without and with knowledge, given at once or before."""
    rng = random.Random(n)
    for members in networks.equivalence_classes(n):
        member = rng.choice(members)
        of_class = ClassStructures(member, sorted(essential_graph(member).undirected))
        knowledge = knowledge_of(rng.choice(members), rng)
        left = [m for m in members if agrees(m, knowledge)]
        oriented = oriented_graph(left[0], knowledge)
        for cause in range(n):
            check_class(of_class, members, cause)
            check_class(of_class.under(knowledge), left, cause)
            check_class(ClassStructures(left[0], sorted(oriented.undirected)), left, cause)


@pytest.mark.slow
def test_classes_of_five_variables():
    rng = random.Random(5)
    classes = [members for members in networks.equivalence_classes(5) if len(members) > 1]
    for members in rng.sample(classes, 150):
        knowledge, cause = knowledge_of(rng.choice(members), rng), rng.randrange(5)
        of_class = ClassStructures(members[0], sorted(essential_graph(members[0]).undirected))
        check_class(of_class, members, cause)
        check_class(of_class.under(knowledge), [m for m in members if agrees(m, knowledge)], cause)


def test_knowledge_that_no_member_has_is_refused():
    members = ((), (0,), (1,))
    of_class = ClassStructures(members, [(0, 1), (1, 2)])
    for required, forbidden in [([(0, 1), (2, 1)], []), ([], [(0, 1), (1, 0)]), ([(0, 2)], [])]:
        with pytest.raises(InfeasibleError):
            of_class.under(make_knowledge("abc", required, forbidden))


@pytest.mark.parametrize("measure", ["probability", "contrast", "strength"])
def test_threads_change_nothing_and_intervals_hold_the_mean(measure):
    dataset, _ = dependent_dataset(8, 4, 200, most_states=3, least_states=2)
    counted = CountedStructures(range(4))
    for parents in [((), (0,), (0, 1), (2,)), ((1,), (), (1,), (0, 2))]:
        counted.add(parents)
    options = EffectOptions(measure=measure, seed=3)
    structures = [(x, counted.of(x)) for x in range(4)]
    one = averages(dataset, structures, range(4), options)
    two = averages(dataset, structures, range(4), replace(options, jobs=2))
    for pair, again in zip(itertools.chain(*one), itertools.chain(*two)):
        for value, other in zip(pair, again):
            np.testing.assert_array_equal(value, other)
        assert (pair.lower <= pair.upper).all()
        assert ((pair.structure_share >= 0) & (pair.structure_share <= 1) | np.isnan(pair.structure_share)).all()


def strength_of(seed: int, draws: int):
    """The strength of a drawn pair over drawn networks: as found, by the definition; and the shares of structures."""
    rng = random.Random(seed)
    n = rng.choice([2, 3])
    dataset, rows = dependent_dataset(seed, n, rng.choice([5, 30, 60, 200]), most_states=3, least_states=2)
    drawn, (x, y) = rng.choices(networks.all_networks(n), k=rng.randint(1, 4)), rng.sample(range(n), 2)
    counted = CountedStructures([x])
    for parents in drawn:
        counted.add(parents)
    options = EffectOptions(measure="strength", draws=draws, seed=seed)
    ((found,),) = averages(dataset, [(x, counted.of(x))], [y], options)
    shares = naive.structure_shares([(parents, 1.0) for parents in drawn], x)
    n_states, generator = dataset.n_states.tolist(), np.random.default_rng(seed)
    return found, naive.averaged_strength(rows, n_states, shares, x, y, 1.0, 4000, generator), shares


def check_strengths(some_seeds: range) -> int:
    """Strengths and their shares of the structure, one by one and on average; returns how many mix structures."""
    differences = []
    for seed in some_seeds:
        found, (mean, variance, between), shares = strength_of(seed, 1000)
        assert found.value == pytest.approx(mean, abs=0.15 * math.sqrt(variance))
        kinds = {parents if found.effect in below else None for parents, below in shares}
        if kinds == {None}:
            assert found.value == found.deviation == found.lower == found.upper == found.ancestor == 0.0
            assert np.isnan(found.structure_share)
        elif len(kinds) == 1:
            assert found.structure_share == 0.0 and found.ancestor == 1.0
        else:
            differences.append(float(found.structure_share) - between / variance)
    assert np.abs(differences).max() < 0.2
    assert abs(np.mean(differences)) < 4 * np.std(differences) / math.sqrt(len(differences))
    return len(differences)


def test_strengths_are_shared_between_structure_and_parameters():
    assert check_strengths(range(150)) > 50


def test_few_draws_do_not_enlarge_the_share_of_the_structure():
    """Of two structures, one of them rare, whose strengths differ by a part of their deviations."""
    dataset, rows = dependent_dataset(8, 2, 30, most_states=2, least_states=2)
    counted = CountedStructures([0])
    counted.add(((), (0,)), 9)
    counted.add(((1,), ()))
    options = EffectOptions(measure="strength", draws=20)
    shares = naive.structure_shares([(((), (0,)), 9.0), (((1,), ()), 1.0)], 0)
    generator = np.random.default_rng(1)
    mean, _, between = naive.averaged_strength(rows, [2, 2], shares, 0, 1, 1.0, 100_000, generator)
    found = [averages(dataset, [(0, counted.of(0))], [1], replace(options, seed=s))[0][0] for s in range(400)]
    values = np.array([pair.value for pair in found])
    assert values.mean() == pytest.approx(mean, abs=4 * values.std() / 20)
    parts = np.array([pair.structure_share * pair.deviation**2 for pair in found])
    assert parts.mean() == pytest.approx(between, abs=4 * parts.std() / 20)


def test_a_rare_structure_counts_for_what_it_is():
    """It is no ancestor in 1 of 10,000 networks, which 1,000 draws would miss or count tenfold."""
    dataset, rows = dependent_dataset(8, 2, 5000, most_states=2, least_states=2)
    counted = CountedStructures([0])
    counted.add(((), (0,)), 9999)
    counted.add(((1,), ()))
    shares = naive.structure_shares([(((), (0,)), 9999.0), (((1,), ()), 1.0)], 0)
    generator = np.random.default_rng(1)
    _, variance, between = naive.averaged_strength(rows, [2, 2], shares, 0, 1, 1.0, 100_000, generator)
    for seed in range(20):
        options = EffectOptions(measure="strength", seed=seed)
        ((pair,),) = averages(dataset, [(0, counted.of(0))], [1], options)
        assert pair.structure_share == pytest.approx(between / variance, rel=0.2)


@pytest.mark.parametrize("n_states", [2, 3, 5, 7])
@pytest.mark.parametrize("measure", ["contrast", "strength"])
def test_a_cause_that_is_no_ancestor_has_no_effect_at_all(measure, n_states):
    """Without rounding: in one network, and where sums over networks leave a little for the arc."""
    dataset, _ = dependent_dataset(n_states, 2, 100, most_states=n_states, least_states=n_states)
    some = CauseStructures(((1,), ()), np.array([[1.0, 0.0], [1e-14, 1e-14]]))
    for shares in (some, CauseStructures(((1,),), np.array([[1.0, 0.0]]))):
        ((pair,),) = averages(dataset, [(0, shares)], [1], EffectOptions(measure=measure))
        for figure in (pair.value, pair.deviation, pair.lower, pair.upper):
            assert (figure == 0.0).all()
        assert np.isnan(pair.structure_share).all() and pair.ancestor == 0.0


def test_what_sums_leave_beside_one_structure_is_no_structure():
    dataset, _ = dependent_dataset(8, 2, 60, most_states=2, least_states=2)
    for rest in (1e-16, 1e-13):
        shares = CauseStructures(((),), np.array([[1.0, 1.0 - rest]]))
        for measure in ("probability", "contrast", "strength"):
            ((pair,),) = averages(dataset, [(0, shares)], [1], EffectOptions(measure=measure, draws=20))
            assert (pair.structure_share == 0.0).all() and pair.ancestor == 1.0


def test_a_stop_ends_the_run():
    dataset, _ = dependent_dataset(8, 2, 50, least_states=2)
    counted, stop = CountedStructures([0]), threading.Event()
    counted.add(((), (0,)))
    stop.set()
    with pytest.raises(NothingFoundError):
        list(average_effects(dataset, [(0, counted.of(0))], [1], EffectOptions(), stop, NullReporter()))


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Parameters and rows drawn from the prior, where posterior intervals have their frequency exactly."""
    rng, ess, held = np.random.default_rng(4), 4.0, []
    counted = CountedStructures([1])
    counted.add(((), (0,), (0, 1)))
    options = EffectOptions(draws=400, smoothing=ess)
    for _ in range(300):
        joint = rng.dirichlet(np.full(12, ess / 12)).reshape(2, 2, 3)  # z, x, y
        codes = np.array(np.unravel_index(rng.choice(12, 40, p=joint.ravel()), joint.shape))
        given = joint / np.maximum(joint.sum(axis=2, keepdims=True), 1e-300)
        truth = np.einsum("z,zxy->xy", joint.sum(axis=(1, 2)), given)
        found = averages(make_dataset(codes, [2, 2, 3]), [(1, counted.of(1))], [2], options)
        held.append((found[0][0].lower <= truth) & (truth <= found[0][0].upper))
    assert 0.87 < np.mean(held) < 0.93
