"""R-hat and effective sample size on chains whose properties are known, and against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from stages.posterior.diagnostics import effective_size, rank_normalised, rank_rhat, split_rhat, standard_errors


def autoregressive(rng, weight: float, n_chains: int, n_draws: int) -> np.ndarray:
    draws = np.empty((n_chains, n_draws))
    draws[:, 0] = rng.normal(size=n_chains)
    for t in range(1, n_draws):
        draws[:, t] = weight * draws[:, t - 1] + np.sqrt(1 - weight**2) * rng.normal(size=n_chains)
    return draws


def test_rhat_is_its_definition():
    draws = np.random.default_rng(1).normal(size=(3, 11))
    halves = [half for chain in draws for half in (chain[:5], chain[6:])]
    within = np.mean([half.var(ddof=1) for half in halves])
    between = 5 * np.var([half.mean() for half in halves], ddof=1)
    assert split_rhat(draws) == pytest.approx(np.sqrt((4 / 5 * within + between / 5) / within))


@pytest.mark.parametrize("weight", [0.0, 0.5, 0.9])
def test_effective_size_of_autoregressive_chains(weight):
    draws = autoregressive(np.random.default_rng(2), weight, 4, 5000)
    expected = 20_000 * (1 - weight) / (1 + weight)
    assert effective_size(draws) == pytest.approx(expected, rel=0.15)
    assert rank_rhat(draws) < 1.02


def test_many_at_once():
    draws = autoregressive(np.random.default_rng(3), 0.3, 8, 200).reshape(2, 4, 200)
    np.testing.assert_allclose(effective_size(draws), [effective_size(each) for each in draws])
    np.testing.assert_allclose(split_rhat(draws), [split_rhat(each) for each in draws])


def test_chains_apart_and_chains_of_other_width():
    draws = np.random.default_rng(4).normal(size=(4, 1000))
    one_apart = draws + np.array([[0.0], [0.0], [0.0], [2.0]])
    assert rank_rhat(one_apart) > 1.2
    assert effective_size(one_apart) < 50
    assert rank_rhat(draws * np.array([[1.0], [1.0], [1.0], [5.0]])) > 1.1  # the mean is the same


def test_indicators_need_no_ranks():
    draws = (np.random.default_rng(5).random((4, 300)) < 0.2).astype(float)
    assert split_rhat(rank_normalised(draws)) == pytest.approx(split_rhat(draws))


def test_too_few_draws_and_none_that_vary():
    assert np.isnan(split_rhat(np.ones((2, 3)))) and np.isnan(effective_size(np.ones((2, 3))))
    assert split_rhat(np.ones((2, 30))) == 1.0 and np.isnan(effective_size(np.ones((2, 30))))
    assert np.isinf(split_rhat(np.repeat([[0.0], [1.0]], 30, axis=1)))
    assert np.isnan(rank_rhat(np.ones((1, 1))))


def test_errors_of_shares():
    sizes = np.array([100.0, 100.0, 1.0])
    errors = standard_errors(np.array([0.5, 0.0, 1.0]), sizes)
    assert errors[0] == pytest.approx(0.05)
    assert 0.005 < errors[1] < 0.02 and errors[2] > 0.3
