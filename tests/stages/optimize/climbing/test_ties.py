"""Two ways to point a tied arc, and the better of their climbs."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.climbing import StepBudget, make_run, search
from helpers.tables import dependent_dataset, make_dataset

from stages.optimize import OptimizeOptions
from stages.optimize.climbing.hc import search_data
from stages.optimize.climbing.ties import strength_of
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer


def alone(scorer, looks_ahead, **options):
    """One climb from no arcs."""
    run = make_run(scorer, **options)
    climber = run.climber(tabu=run.options.tabu)
    climber.looks_ahead = looks_ahead
    return run.climb(climber, ((),) * scorer.n_variables)


def common_effect(n_rows=2000):
    """X2 is X0 AND X1, in a few rows not."""
    rng = np.random.default_rng(1)
    causes = rng.integers(2, size=(2, n_rows))
    effect = (causes[0] & causes[1]) ^ (rng.random(n_rows) < 0.05)
    return FamilyScorer(make_dataset(np.array([*causes, effect], dtype=np.uint8), [2, 2, 2]), "bic")


def test_a_common_effect_becomes_the_child_of_its_causes():
    """The effect depends on both causes, so the first way makes it their parent; with one cause as its parent, the
    other cause gains more.
    """
    scorer = common_effect()
    assert alone(scorer, looks_ahead=False).parents == ((1, 2), (2,), ())
    assert alone(scorer, looks_ahead=True).parents == ((), (), (0, 1))
    assert search(scorer).parents == ((), (), (0, 1))


def test_no_gain_comes_next_where_a_family_is_full():
    scorer = common_effect()
    one, other = (alone(scorer, looks_ahead, max_parents=1).parents for looks_ahead in (False, True))
    assert one == other == search(scorer, max_parents=1).parents


@pytest.mark.parametrize("tabu", [0, 3])
@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_the_better_network_is_kept_and_both_climbs_count(score, tabu):
    better = set()
    for seed in range(20):
        dataset, _ = dependent_dataset(seed, 12, 300, most_states=3, noise=0.3)
        scorer = FamilyScorer(dataset, score, 4.0)
        first, second = (alone(scorer, looks_ahead, tabu=tabu) for looks_ahead in (False, True))
        found = search(scorer, tabu=tabu)
        kept = second if second.total > first.total + 1e-6 else first
        assert found.parents == kept.parents and found.score == kept.total
        assert found.stats["climbs"] == 2 and found.stats["totals"] == [found.score]
        better.add(np.sign(round(second.total - first.total, 3)).item())
    assert better >= ({0.0, 1.0} if tabu else {-1.0, 0.0, 1.0})


def test_one_climb_where_directions_are_drawn_or_not_tied(monkeypatch):
    dataset, _ = dependent_dataset(3, 8, 300, most_states=3)
    assert search(FamilyScorer(dataset), restarts=3, perturb=2, seed=1).stats["climbs"] == 2 + 3
    monkeypatch.setattr("stages.optimize.climbing.climber.turn_to_larger_next_gain", None)
    assert search(FamilyScorer(dataset), draws_ties=True).stats["steps"] > 0
    assert search(FamilyScorer(dataset, "k2")).stats["climbs"] == 1


class KeepsReports(NullReporter):
    """Collects what progress says about the best network so far."""

    def __init__(self):
        self.reports = []

    def progress(self, done, total, counted, network=None, **facts):
        self.reports.append((facts["score"], network().parents))


@pytest.mark.parametrize("restarts", [None, 3])
def test_progress_shows_the_best_of_all_climbs(restarts):
    dataset, _ = dependent_dataset(4, 12, 300, most_states=3, noise=0.3)
    scorer, reporter = FamilyScorer(dataset), KeepsReports()
    options = OptimizeOptions(method="hc", restarts=restarts, seed=1)
    found = search_data(scorer, options, Budget(), reporter)
    scores = [score for score, _ in reporter.reports]
    assert scores == sorted(scores) and scores[-1] == pytest.approx(found.score)
    for score, parents in reporter.reports:
        assert score == pytest.approx(sum(scorer.local_score(v, p) for v, p in enumerate(parents)))


def test_a_climb_cut_short_leaves_the_better_network():
    dataset, _ = dependent_dataset(5, 12, 300, most_states=3, noise=0.3)
    scorer = FamilyScorer(dataset)
    first, questions, scores = alone(scorer, looks_ahead=False).total, 0, []
    while not scores or scores[-1] < search(scorer).score:
        questions += 1
        scores.append(search(scorer, budget=StepBudget(questions)).score)
    assert scores == sorted(scores) and first in scores


def test_equal_gains_have_equal_strength_among_whatever_losses():
    """Losses shift the groups in which a sum is formed; rounding noise of gains is below the grid."""
    grid = 2.0**-15
    rng = np.random.default_rng(1)
    for _ in range(50):
        gains = np.rint(rng.gamma(1.0, 1e3, 40) / grid) * grid
        losses = -rng.gamma(1.0, 10.0, int(rng.integers(1, 200)))
        noisy = rng.permutation(np.concatenate((gains * (1.0 + 1e-15 * rng.normal(size=40)), losses)))
        expected = np.sum(np.square(np.rint(gains / grid)))
        assert strength_of(gains, grid) == strength_of(noisy, grid) == pytest.approx(expected)
