"""Tests of conditional independencies against frequencies counted plainly, and against all permutations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.tables import make_dataset
from naive.conditional_independence import likelihood_ratio, permutation_share

from stages.evaluate import independence_tests
from stages.evaluate.independence_tests import chi_square_tail, independence_test


@pytest.mark.parametrize("seed", range(30))
def test_statistics_and_degrees(seed: int):
    rng = np.random.default_rng(seed)
    states = rng.integers(1, 5, 5).tolist()
    codes = np.array([rng.integers(r, size=60) for r in states])
    codes[1] = np.where(rng.random(60) < 0.5, codes[0] % states[1], codes[1])
    dataset = make_dataset(codes, states)
    given = rng.permutation([2, 3, 4])[: seed % 4].tolist()
    found = independence_test(dataset, 0, 1, given)
    expected = likelihood_ratio(*codes[:2].tolist(), [codes[v].tolist() for v in given])
    assert found.statistic == pytest.approx(expected, abs=1e-9)
    assert found.degrees == (states[0] - 1) * (states[1] - 1) * int(np.prod([states[v] for v in given]))
    assert 0.0 <= found.p_value <= 1.0
    swapped = independence_test(dataset, 1, 0, given)
    assert swapped.p_value == pytest.approx(found.p_value, abs=1e-12)


def test_known_tail():
    # 30, 10, 10, 30: G² = 2 (60 log 1.5 + 20 log 0.5), one degree of freedom.
    codes = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], [30, 10, 10, 30], axis=1)
    found = independence_test(make_dataset(codes, [2, 2]), 0, 1, ())
    expected = 2 * (60 * math.log(1.5) + 20 * math.log(0.5))
    assert found.statistic == pytest.approx(expected)
    assert found.p_value == pytest.approx(math.erfc(math.sqrt(expected / 2)))


@pytest.mark.parametrize("seed", range(4))
def test_permutations_approach_the_share_of_all(seed: int):
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(3, size=8), rng.integers(2, size=8), np.repeat([0, 1], 4)])
    exact = permutation_share(*codes[:2].tolist(), [codes[2].tolist()])
    found = independence_test(make_dataset(codes, [3, 2, 2]), 0, 1, (2,), 4000, np.random.default_rng(1))
    assert abs(found.p_value - exact) < 4 * np.sqrt(0.25 / 4000) + 1 / 4000


def test_p_values_of_permutations_are_uniform_under_independence():
    rng = np.random.default_rng(7)
    codes = rng.integers(2, size=(3, 12, 300))
    values = [
        independence_test(make_dataset(codes[:, :, k], [2, 2, 2]), 0, 1, (2,), 19, np.random.default_rng(k)).p_value
        for k in range(300)
    ]
    # Valid at every level: at most 0.05 and 0.2 of them, and three standard errors.
    assert np.mean(np.array(values) <= 0.05) <= 0.05 + 3 * 0.0126
    assert np.mean(np.array(values) <= 0.2) <= 0.2 + 3 * 0.0231


def test_a_permutation_stays_within_its_condition():
    # Given Z nothing is left to permute: X and Y are copies of Z.
    z = np.repeat([0, 1], 20)
    found = independence_test(make_dataset(np.array([z, z, z]), [2, 2, 2]), 0, 1, (2,), 50, np.random.default_rng(0))
    assert found.p_value == 1.0


@pytest.mark.parametrize("seed", range(8))
def test_exact_independence_is_exactly_zero(seed: int):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(1, 90, (2, 3, 1, 4))
    counts = (first.transpose(0, 2, 1) * second).astype(np.int64)
    assert independence_tests.likelihood_ratio(counts) == 0.0
    counts[0, 0, 0] += 1
    assert independence_tests.likelihood_ratio(counts) > 0.0


@pytest.mark.parametrize(
    ("statistic", "degrees", "expected"),
    [
        (3.841458820694124, 1, 0.05),
        (5.991464547107979, 2, 0.05),
        (11.344866730144373, 3, 0.01),
        (11.070497693516351, 5, 0.05),
        (18.307038053275146, 10, 0.05),
        (0.0, 3, 1.0),
    ],
)
def test_chi_square_quantiles(statistic, degrees, expected):
    assert chi_square_tail(statistic, degrees) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("degrees", [3, 4, 7, 12])
def test_chi_square_tail_is_the_integral_of_its_density(degrees):
    grid = np.linspace(0.0, 30.0, 200_001)
    density = grid ** (degrees / 2 - 1) * np.exp(-grid / 2) / (2 ** (degrees / 2) * math.gamma(degrees / 2))
    below = np.concatenate(([0.0], np.cumsum((density[1:] + density[:-1]) / 2) * grid[1]))
    for index in (1000, 20_000, 100_000, 200_000):
        assert chi_square_tail(grid[index], degrees) == pytest.approx(1 - below[index], abs=1e-6)
