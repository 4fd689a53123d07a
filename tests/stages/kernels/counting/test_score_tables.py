"""Look-up tables of scores against the functions they hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stages.kernels.counting import score_tables
from stages.kernels.counting.score_tables import cut_line, entropy_table, held_counts, log_gamma_table, look_up


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


@pytest.mark.parametrize("offset", [0.0, 1e-3, 7.25])
@pytest.mark.parametrize("n_held", [1, 200, 300])
def test_cut_lines_give_the_entries_of_whole_ones(offset, n_held):
    grid, counts = 2.0**-30, np.array([0, 1, 199, 200, 201, 299, 300, 5])
    whole = np.rint((log_gamma_table(offset, 300) if offset else entropy_table(300)) / grid) * grid
    line = cut_line(whole[:n_held], offset, grid)
    assert held_counts(line) == n_held and held_counts(whole) == 301
    found, expected = np.empty(len(counts)), np.empty(len(counts))
    look_up(line, counts, found)
    look_up(whole, counts, expected)
    assert found.tolist() == pytest.approx(expected.tolist(), abs=grid)
    assert expected.tolist() == whole[counts].tolist()


def test_entropy_terms_beyond_those_of_cut_lines(monkeypatch):
    expected = entropy_table(300).tolist()
    monkeypatch.setattr(score_tables, "MOST_ENTROPIES", 64)
    monkeypatch.setattr(score_tables, "SLICE_ENTRIES", 64)
    assert entropy_table(300).tolist() == pytest.approx(expected, rel=1e-15)
