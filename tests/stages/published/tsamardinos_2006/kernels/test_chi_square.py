"""The tail of the chi-square distribution: printed tables, closed forms, a plain sum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2

from stages.published.tsamardinos_2006.kernels.chi_square import log_chi_square_tail, log_tails


@pytest.mark.parametrize(
    ("statistic", "degrees", "tail"),
    [(3.841459, 1, 0.05), (5.991465, 2, 0.05), (18.307038, 10, 0.05), (124.342113, 100, 0.05), (6.634897, 1, 0.01)],
)
def test_chi_square_tail_at_the_quantiles_of_printed_tables(statistic, degrees, tail):
    assert math.exp(log_chi_square_tail(statistic, float(degrees))) == pytest.approx(tail, rel=1e-5)


def test_chi_square_tail_of_two_degrees_is_exponential():
    for statistic in (1e-3, 0.5, 3.0, 40.0, 5000.0, 1e6):
        assert log_chi_square_tail(statistic, 2.0) == pytest.approx(-statistic / 2, rel=1e-10)
    assert log_chi_square_tail(0.0, 3.0) == 0.0


def test_chi_square_tail_as_summed():
    rng = np.random.default_rng(0)
    degrees = np.concatenate([np.arange(1, 80), rng.integers(80, 400, 200)]).astype(np.float64)
    statistics = degrees * rng.choice([0.1, 0.5, 0.9, 1.0, 1.05, 1.5, 3.0], len(degrees))
    out = np.empty(len(degrees))
    log_tails(statistics, degrees, out)
    expected = [chi2.sf(s, int(d)) for s, d in zip(statistics, degrees)]
    assert np.exp(out) == pytest.approx(expected, rel=1e-8, abs=1e-14)
