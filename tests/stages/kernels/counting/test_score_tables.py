"""Look-up tables of scores against the functions they hold."""

from __future__ import annotations

import math

import pytest

from stages.kernels.counting.score_tables import entropy_table, log_gamma_table


@pytest.mark.parametrize("n_rows", [0, 1, 500])
def test_entropy_terms(n_rows):
    expected = [m * math.log(m) if m else 0.0 for m in range(n_rows + 1)]
    assert entropy_table(n_rows).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("offset", [1e-3, 0.5, 1.0, 7.25])
def test_ratios_of_gamma_functions(offset):
    """Gamma(a + m) / Gamma(a) is the product of a, a + 1, ..., a + m - 1."""
    table, total = log_gamma_table(offset, 300), 0.0
    for m in range(301):
        assert table[m] == pytest.approx(total, rel=1e-9, abs=1e-9)
        total += math.log(offset + m)
