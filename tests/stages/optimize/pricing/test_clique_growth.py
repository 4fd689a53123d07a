"""Pricing within the bags of a k-tree: the best families of all children, each once, within every limit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.clocks import StoppedClock
from helpers.seeds import seeds
from helpers.tables import dependent_dataset, make_dataset

from stages.knowledge import Knowledge
from stages.optimize import OptimizeOptions
from stages.optimize.pricing import clique_growth
from stages.optimize.pricing.clique_growth import CliquePricing, Focus
from stages.optimize.pricing.run import start_run
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer

WIDTH = 2


def start(dataset, seconds=None, evaluations=None, clock=None, **options):
    """A run that knows the scores of all pairs."""
    budget = Budget(seconds, evaluations, clock=clock or StoppedClock())
    run = start_run(FamilyScorer(dataset), OptimizeOptions(treewidth=WIDTH, **options), budget, NullReporter())
    run.lists.limit_parents(WIDTH)
    return run


def path_focus(n):
    """The bags of a k-tree along the order 0, 1, 2, ..."""
    bags = [sorted({max(0, v - k) for k in range(WIDTH + 1)}) for v in range(n)]
    padded = np.array([[*bag, *[bag[-1]] * (WIDTH + 1 - len(bag))] for bag in bags], dtype=np.int32)
    return Focus(np.arange(n, dtype=np.int32), tuple(() for _ in range(n)), padded)


def evaluated(run):
    """Families that the growers have scored."""
    return sum(grower.evaluated for grower in run.growers)


def hosts_of(grower):
    return [grower.child, *grower.improving(())[0].tolist()]


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("seed", seeds(4, quick=1))
def test_growers_know_the_best_in_each_bag(seed, jobs, monkeypatch):
    """Small slices: the calls for a bag add up."""
    monkeypatch.setattr("stages.scoring.clique_scorer.CALL_WORK", 2000)
    dataset, _ = dependent_dataset(seed, 9, 200, most_states=3)
    run, focus = start(dataset, jobs=jobs), path_focus(9)
    expected = {grower.child: hosts_of(grower) for grower in run.growers}
    pricing, before = CliquePricing(run), evaluated(run) - run.scorer.evaluations
    assert pricing.price(focus, run.budget) == [True] * 9
    assert evaluated(run) - run.scorer.evaluations == before
    plain = FamilyScorer(dataset)
    for grower in run.growers:
        for host in expected[grower.child]:
            members = sorted(set(focus.bags[host].tolist()) - {grower.child})
            families = [f for size in range(WIDTH + 1) for f in itertools.combinations(members, size)]
            best = max(plain.local_score(grower.child, family) for family in families)
            assert best in [grower.scores.get(family) for family in families]
    # All is known: nothing is scored again.
    before = run.scorer.evaluations
    pricing.price(focus, run.budget)
    assert run.scorer.evaluations == before


def test_constraints_hold():
    dataset, _ = dependent_dataset(3, 8, 200, most_states=3)
    forbidden = tuple((parent, child) for parent in (0, 2, 5) for child in range(8) if child != parent)
    run = start(dataset, knowledge=Knowledge.of_arcs(dataset.names, required=((1, 3),), forbidden=forbidden))
    assert CliquePricing(run).price(path_focus(8), run.budget) == [child != 3 for child in range(8)]
    for grower in run.growers:
        assert all({0, 2, 5}.isdisjoint(parents) for parents in grower.scores)


def test_only_the_best_join(monkeypatch):
    monkeypatch.setattr(clique_growth, "KEPT", 1)
    dataset, _ = dependent_dataset(1, 9, 200, most_states=3)
    run = start(dataset)
    for grower in run.growers:
        grower.improving(())
    before = [set(grower.scores) for grower in run.growers]
    CliquePricing(run).price(path_focus(9), run.budget)
    assert all(len(set(grower.scores) - known) <= 1 for grower, known in zip(run.growers, before))


def test_with_few_scores_sets_grow():
    dataset, _ = dependent_dataset(2, 8, 200, most_states=2)
    run = start(dataset, evaluations=10**6)
    before = run.scorer.evaluations
    assert CliquePricing(run).price(path_focus(8), run.budget) == [False] * 8
    assert run.scorer.evaluations == before


def test_without_time_nothing_is_scored():
    dataset, _ = dependent_dataset(2, 8, 200, most_states=2)
    run = start(dataset, seconds=5.0)
    for grower in run.growers:
        grower.improving(())
    before = run.scorer.evaluations
    CliquePricing(run).price(path_focus(8), Budget(0.0, clock=StoppedClock()))
    assert run.scorer.evaluations == before


def test_bags_without_room_for_one_variable_are_left_to_growth():
    rng = np.random.default_rng(0)
    run = start(make_dataset(rng.integers(0, 200, (6, 500)), [200] * 6))
    for grower in run.growers:
        grower.improving(())
    before = run.scorer.evaluations
    assert CliquePricing(run).price(path_focus(6), run.budget) == [False] * 6
    assert all(set(grower.scores) <= {(), *((v,) for v in range(6))} for grower in run.growers)
    assert run.scorer.evaluations == before


def test_a_large_bag_is_priced_within_the_members_most_related_to_its_host(monkeypatch):
    """Room for three binary variables: the child with the two best single parents. Its set can grow beyond them."""
    monkeypatch.setattr("stages.scoring.clique_scorer.MOST_ENTRIES", 3**3 * 2)
    rng, n = np.random.default_rng(1), 7
    codes = rng.integers(0, 2, (n, 600))
    for member, noise in ((1, 0.4), (2, 0.3), (3, 0.1), (4, 0.2), (5, 0.35)):
        codes[member] = np.where(rng.random(600) < noise, codes[member], codes[0])
    run = start(make_dataset(codes, [2] * n))
    bags = np.array([[0, 1, 2, 3, 4, 5, 6], *([v] * n for v in range(1, n))], dtype=np.int32)
    focus = Focus(np.arange(n, dtype=np.int32), tuple(() for _ in range(n)), bags)
    for grower in run.growers:
        grower.improving(())
    known = set(run.growers[0].scores)
    is_priced = CliquePricing(run).price(focus, run.budget)
    assert not is_priced[0]
    assert {f for f in run.growers[0].scores if len(f) > 1 and f not in known} == {(3, 4)}
    assert run.growers[0].scores[3, 4] == FamilyScorer(run.scorer.dataset).local_score(0, (3, 4))


def test_small_bags_beside_a_large_one():
    """Three variables with a bag of thirty, whose subsets nobody could list; the others in a small one."""
    rng, n = np.random.default_rng(3), 30
    codes = rng.integers(0, 2, (n, 300))
    codes[3:] = np.where(rng.random((n - 3, 300)) < 0.2, codes[3:], codes[3])  # related among themselves only
    dataset = make_dataset(codes, [2] * n)
    run = start(
        dataset,
        knowledge=Knowledge.of_arcs(dataset.names, forbidden=tuple((a, b) for a in range(3) for b in range(3, n))),
    )
    bags = np.array([list(range(n))] * 3 + [[3, 4, 5] + [5] * (n - 3)] * (n - 3), dtype=np.int32)
    focus = Focus(np.arange(n, dtype=np.int32), tuple(() for _ in range(n)), bags)
    is_priced = CliquePricing(run).price(focus, run.budget)
    assert is_priced == [v >= 3 for v in range(n)]
    plain = FamilyScorer(run.scorer.dataset)
    best = max(plain.local_score(9, f) for size in range(3) for f in itertools.combinations((3, 4, 5), size))
    assert best in run.growers[9].scores.values()


def test_bags_are_forgotten_when_they_are_many(monkeypatch):
    monkeypatch.setattr(clique_growth, "MOST_DONE", 2)
    dataset, _ = dependent_dataset(4, 8, 200, most_states=2)
    run = start(dataset)
    pricing = CliquePricing(run)
    pricing.price(path_focus(8), run.budget)
    before = run.scorer.evaluations
    pricing.price(path_focus(8), run.budget)
    assert run.scorer.evaluations > before
