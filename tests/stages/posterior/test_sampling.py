"""Sampled posteriors against exact ones, within their standard errors; chains that disagree give a warning."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from helpers.cases.selections import identify
from helpers.tables import dependent_dataset
from naive.posterior import posterior

from formats.records import ParentSetTable
from stages.knowledge import Knowledge
from stages.lists.constrain import keep_admissible
from stages.parentsets import ParentSetOptions
from stages.posterior import PosteriorOptions, choose_method, sampling
from stages.posterior.arc_posterior import run, sampled_networks
from stages.posterior.estimates import arc_probabilities, feature_probabilities
from stages.posterior.exact import exact_probabilities
from stages.posterior.sampling import draw_samples
from stages.runtime.budgets import Budget
from stages.runtime.errors import NothingFoundError, StageError
from stages.runtime.reporting import NullReporter

from ..runtime.test_remote_workers import ThreadWorkers
from .test_exact import Heard


def sample(table, **options):
    options = {"method": "sampled", "seed": 1, "samples": 1000} | options
    return draw_samples(table, PosteriorOptions(**options), Budget(), NullReporter())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_variables", "spread", "seeds"), [(3, 1.0, range(10)), (5, 3.0, range(3)), (8, 2.0, range(3))]
)
def test_samples_agree_with_exact_sums(n_variables, spread, seeds):
    """z-scores of all arcs: their spread is one of standard normals, none is far out.

    The six arcs of three variables are hardly more than two independent figures, so runs are pooled.
    """
    off = ~np.eye(n_variables, dtype=bool)
    squares = []
    for seed in seeds:
        table = as_table(random_lists(seed, n_variables, spread, most_parents=2))
        exact, above, _ = exact_probabilities(table, PosteriorOptions(), Budget(), NullReporter())
        samples = sample(table, samples=2000, seed=seed)
        found, error, verdict = arc_probabilities(table, samples, NullReporter())
        assert verdict.agreed
        z = ((found - exact) / error)[off]
        assert np.abs(z).max() < 4.5
        squares.append((z**2).mean())
        related, error = feature_probabilities(table, samples, "ancestors", Budget(), NullReporter())
        assert np.abs(((related - above) / error)[off]).max() < 5.0
    assert np.mean(squares) < 2.0
    assert n_variables == 3 or max(squares) < 2.0


def test_samples_hold_what_is_required():
    """Required and forbidden arcs and tiers: as exact sums under the same constraints have it."""
    dataset, _ = dependent_dataset(4, 6, 60, most_states=3)
    tiers = np.array([0, 1, 0, 1, -1, 1], dtype=np.int32)
    knowledge = Knowledge.of_arcs(dataset.names, [(0, 1)], [(2, 4), (3, 4), (0, 3)], tiers)
    options = ParentSetOptions(method="sequential", score="bdeu", keep_mass=0.0, max_parents=2, evaluations=10**6)
    table = keep_admissible(ParentSetTable.from_records(*identify(dataset, options)), knowledge)
    exact, *_ = exact_probabilities(table, PosteriorOptions(), Budget(), NullReporter())
    found, error, verdict = arc_probabilities(table, sample(table, samples=2000), NullReporter())
    assert verdict.agreed
    assert found[0, 1] == 1.0
    assert found[2, 4] == found[3, 4] == found[0, 3] == found[1, 0] == found[5, 2] == 0.0
    z = ((found - exact) / error)[~np.eye(6, dtype=bool)]
    assert np.abs(z).max() < 4.5
    assert (z**2).mean() < 2.0


def test_arcs_of_all_networks_are_met():
    table = as_table(random_lists(7, 4, 1.0))
    expected = posterior([list(zip(r.parents, r.scores)) for r in table.records()], "dags")[0]
    found, error, _ = arc_probabilities(table, sample(table, samples=4000), NullReporter())
    assert np.abs((found - expected) / error)[~np.eye(4, dtype=bool)].max() < 4.5


def test_jobs_do_not_matter():
    table = as_table(random_lists(2, 6, 2.0))
    one, other = sample(table, samples=100), sample(table, samples=100, jobs=2)
    np.testing.assert_array_equal(one.sets, other.sets)
    np.testing.assert_array_equal(one.totals, other.totals)
    assert not np.array_equal(one.sets, sample(table, samples=100, seed=2).sets)


def test_nor_does_it_matter_who_lets_chains_go_on(monkeypatch):
    pytest.importorskip("cloudpickle")
    monkeypatch.setattr(sampling, "REMOTE_ROUND_SECONDS", 0.05)
    table = as_table(random_lists(2, 6, 2.0))
    here = sample(table, samples=3000, chains=3)
    there = sample(table, samples=3000, chains=3, remote=ThreadWorkers(2))
    np.testing.assert_array_equal(here.sets, there.sets)
    np.testing.assert_array_equal(here.totals, there.totals)
    assert here.n_moves == there.n_moves


@pytest.mark.parametrize(("samples", "chains", "burn_in"), [(1, 1, 0.0), (10, 4, 0.25), (100, 3, 0.9), (7, 2, 0.0)])
def test_as_many_networks_as_asked_for(samples, chains, burn_in):
    table = as_table(random_lists(2, 4, 2.0))
    found = sample(table, samples=samples, chains=chains, burn_in=burn_in)
    assert samples <= found.n_samples <= samples + 2 * chains
    probability, error, _ = arc_probabilities(table, found, NullReporter())
    assert np.isfinite(error).all() and (error > 0).all() and (probability <= 1).all()


def test_chains_that_do_not_meet_are_reported():
    """A path turns round all together, or passes through networks that are e^-60 as probable: no block is so
    large."""
    n = 7
    lists = []
    for child in range(n):
        near = [((v,), 0.0) for v in (child - 1, child + 1) if 0 <= v < n]
        lists.append([*near, ((), -30.0)])
    heard = Heard()
    options = PosteriorOptions(method="sampled", seed=1, samples=400, chains=8)
    found = run(as_table(lists, keep_mass=0.0), options, Budget(), heard)
    extra = found.table.header.extra
    assert extra["agreed"] == (extra["rhat"] <= 1.05)
    assert extra["largest_error"] == found.table.standard_error.max() > 0.0
    assert extra["agreed"] or any("disagree" in warning for warning in heard.warnings)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"chains": 1, "samples": 100}, "one chain"),
        ({"chains": 2, "samples": 2}, "too few networks"),
        ({"chains": 2, "samples": 40}, "are few: a probability near 1/2 has a standard error of about 0."),
        ({"chains": 1, "samples": 50}, "are few"),
        ({"chains": 4, "samples": 12}, "effective samples of 12 networks are few"),
    ],
)
def test_few_samples_give_a_warning(monkeypatch, options, text):
    monkeypatch.setattr("stages.posterior.estimates.RHAT_LIMIT", 5.0)
    heard = Heard()
    run(
        as_table(random_lists(2, 4, 0.1), keep_mass=0.0),
        PosteriorOptions(method="sampled", seed=1, **options),
        Budget(),
        heard,
    )
    assert any(text in warning for warning in heard.warnings), heard.warnings


def test_few_samples_are_few_whether_or_not_the_chains_agree(monkeypatch):
    for limit in (0.5, 5.0):
        monkeypatch.setattr("stages.posterior.estimates.RHAT_LIMIT", limit)
        heard = Heard()
        options = PosteriorOptions(method="sampled", seed=1, samples=50)
        run(as_table(random_lists(2, 4, 0.1), keep_mass=0.0), options, Budget(), heard)
        assert [("disagree" in warning) for warning in heard.warnings][-2:] in ([True, False], [False])
        assert "are few" in heard.warnings[-1]


def test_the_clock_and_the_user_end_it():
    table = as_table(random_lists(2, 5, 2.0))
    options = PosteriorOptions(method="sampled", seed=1)
    assert draw_samples(table, options, Budget(0.2), NullReporter()).n_samples >= 4
    ticks = itertools.count()
    # each reading of this clock is 30 ms later
    limited = draw_samples(table, options, Budget(1.0, clock=lambda: 0.03 * next(ticks)), NullReporter())
    assert limited.n_samples >= 4
    stopped = Budget()
    stopped.stop.set()
    with pytest.raises(NothingFoundError):
        draw_samples(table, options, stopped, NullReporter())


def test_orders_are_not_sampled():
    table = as_table(random_lists(2, 5, 2.0))
    with pytest.raises(StageError, match="not sampled; use --exact"):
        sample(table, prior="orders")
    with pytest.raises(StageError, match="at most 22 variables: use --prior dags"):
        sample(as_table(random_lists(2, 23, 2.0, most_parents=1)), prior="orders")


@pytest.mark.slow
def test_long_runs_keep_every_second_network(monkeypatch):
    monkeypatch.setattr("stages.posterior.sampling.MOST_KEPT_BYTES", 4 * 5 * 4 * 40)
    table = as_table(random_lists(2, 5, 2.0))
    found = draw_samples(table, PosteriorOptions(method="sampled", seed=1), Budget(0.5), NullReporter())
    assert found.sets.shape[1] <= 80


def test_networks_kept():
    table = as_table(random_lists(2, 5, 2.0))
    options = PosteriorOptions(method="sampled", seed=1, samples=20)
    found = run(table, options, Budget(), Heard())
    networks = list(sampled_networks(table, found.samples, found.table.header))
    assert len(networks) == found.samples.n_samples == found.table.header.extra["samples"]
    counts = np.zeros((5, 5))
    for network in networks:
        assert network.header.extra["total"] == pytest.approx(network.scores.sum())
        for child, parents in enumerate(network.parents):
            counts[list(parents), child] += 1
    rows = found.table.parents, found.table.children
    np.testing.assert_allclose(found.table.probability, counts[rows] / len(networks))


def test_the_way_that_suits():
    assert choose_method(PosteriorOptions(), 8) == "exact"
    assert choose_method(PosteriorOptions(), 30) == "sampled"
    assert choose_method(PosteriorOptions(features=("blankets",)), 14) == "exact"
    assert choose_method(PosteriorOptions(features=("blankets",)), 15) == "sampled"
    assert choose_method(PosteriorOptions(features=("blankets",), prior="orders"), 15) == "exact"
    assert choose_method(PosteriorOptions(method="sampled"), 8) == "sampled"
    assert choose_method(PosteriorOptions(prior="orders"), 22) == "exact"


class HeardAll(Heard):
    def summary(self, message: str) -> None:
        self.warn(message)


def test_lines_have_words_where_r_hat_is_no_number():
    """Of one chain, of chains too short, and of halves of chains that all stay where they are."""
    table = as_table([[((1,), 0.0), ((), 0.0)], [((0,), 0.0), ((), 0.0)]])
    heard = HeardAll()
    for chains, samples in ((1, 50), (4, 8)):
        run(table, PosteriorOptions(method="sampled", chains=chains, samples=samples), Budget(), heard)
        assert "R-hat unknown" in heard.warnings[-1]
    for seed in range(60):
        run(table, PosteriorOptions(method="sampled", chains=2, samples=8, seed=seed), Budget(), heard)
    assert {"infinite" in line for line in heard.warnings if "R-hat" in line} == {True, False}
    assert not any("R-hat inf " in line or "R-hat inf," in line or "nan" in line for line in heard.warnings)
