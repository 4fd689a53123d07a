"""Cutting numeric columns: by hand, exhaustively against the definition, properties."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from naive.discretization import interval_index, quantile_cuts, width_edges

from formats.tables.cuts.discretization import (
    Discretization,
    cut_points,
    cuts_of_labels,
    format_number,
    interval_bounds,
    interval_codes,
    interval_labels,
    parse_discretization,
)


def cuts_of_rows(rows, rule):
    values, counts = np.unique(np.array(rows, dtype=np.float64), return_counts=True)
    return cut_points(values, counts, rule)


class TestByHand:
    def test_options(self):
        assert parse_discretization("median") == Discretization("quantile", 2)
        assert parse_discretization("quantile:4") == Discretization("quantile", 4)
        assert parse_discretization("width:256") == Discretization("width", 256)
        assert parse_discretization("median").n_kept == 2
        assert parse_discretization("width:5").n_kept == 5

    @pytest.mark.parametrize(
        "text", ["", "mean", "median:2", "quantile", "quantile:", "quantile:1", "width:257", "width:2.5", "width:-3"]
    )
    def test_wrong_options(self, text):
        with pytest.raises(ValueError, match=r"use median|whole number"):
            parse_discretization(text)

    @pytest.mark.parametrize(
        ("rows", "rule", "cuts"),
        [
            ([1, 2, 3, 4], "median", [2]),  # of an even number the lower of the two in the middle
            ([1, 2, 3, 4, 5], "median", [3]),
            ([0, 0, 0, 7, 9], "median", [0]),  # most rows at the smallest value
            ([0, 5, 9, 9, 9], "median", [5]),  # most rows at the largest: it is cut off alone
            (range(1, 13), "quantile:4", [3, 6, 9]),
            ([0] * 9 + [1, 2, 3], "quantile:4", [0]),  # ties leave fewer intervals
            ([0, 10], "width:2", [5]),
            ([0, 1, 2, 3, 4, 5], "width:5", [1, 2, 3, 4]),
            ([0, 1, 100], "width:4", [75]),  # 25..50 and 50..75 hold nothing
            ([0, 30, 100], "width:4", [25, 75]),
            ([-1, 0.5, 2], "width:3", [0, 1]),
            ([0, 1 / 3, 1], "width:3", [0.3333, 0.6667]),  # rounded, and 1/3 now lies above the first cut
        ],
    )
    def test_cuts(self, rows, rule, cuts):
        assert cuts_of_rows(list(rows), parse_discretization(rule)).tolist() == cuts

    def test_labels(self):
        assert interval_labels(np.array([1.5])) == ("<=1.5", ">1.5")
        assert interval_labels(np.array([-2.0, 0.5, 1e-5])) == ("<=-2", "-2..0.5", "0.5..1e-05", ">1e-05")
        assert interval_bounds("<=-2") == (-math.inf, -2)
        assert interval_bounds("-2..0.5") == (-2, 0.5)
        assert interval_bounds(">.5") == (0.5, math.inf)
        for other in ("2", "<2", ">=2", "a..b", "1..", "1...2x", "<=x", "", "<=1 "):
            assert interval_bounds(other) is None

    def test_a_value_on_a_cut_lies_below(self):
        assert interval_codes(np.array([1, 1.5, 1.6, 9]), np.array([1.5, 2])).tolist() == [0, 0, 1, 2]

    @pytest.mark.parametrize(
        "labels",
        [
            ("<=1",),
            (">1", "<=1"),
            ("<=1", "2..3", ">3"),
            ("<=1", "1..2"),
            ("<=1", "1..1", ">1"),
            ("<=2", "2..1", ">1"),
        ],
    )
    def test_incomplete_lists_of_intervals(self, labels):
        assert cuts_of_labels(labels) is None

    def test_numbers(self):
        assert [format_number(x) for x in (5.0, -0.5, 1e20, 1e-7)] == ["5", "-0.5", "1e+20", "1e-07"]

    def test_extreme_values(self):
        assert cuts_of_rows([-1.7e308, 0, 1.7e308], Discretization("width", 2)).tolist() == [0]
        tiny = cuts_of_rows([0, 5e-324, 1e-323], Discretization("width", 3))
        assert 0 < len(tiny) <= 2


@pytest.mark.parametrize("n_intervals", [2, 3, 4, 5])
def test_quantiles_of_all_small_columns(n_intervals):
    rule = Discretization("quantile", n_intervals)
    for n_rows in range(2, 7):
        for rows in itertools.combinations_with_replacement([0.0, 1.0, 2.5, 7.0], n_rows):
            if len(set(rows)) > 1:
                assert cuts_of_rows(rows, rule).tolist() == quantile_cuts(list(rows), n_intervals), rows


finite = st.floats(-1e9, 1e9, allow_nan=False).map(lambda x: round(x, 6))


class TestProperties:
    @given(st.lists(finite, min_size=2, max_size=60), st.integers(2, 9))
    def test_quantiles_equal_the_definition(self, rows, n_intervals):
        assume(len(set(rows)) > 1)
        cuts = cuts_of_rows(rows, Discretization("quantile", n_intervals))
        assert cuts.tolist() == quantile_cuts(rows, n_intervals)

    @given(st.lists(finite, min_size=2, max_size=60), st.integers(2, 9))
    def test_widths_are_near_the_exact_edges(self, rows, n_intervals):
        assume(max(rows) - min(rows) > 1e-3)
        edges = width_edges(rows, n_intervals)
        tolerance = (Fraction(max(rows)) - Fraction(min(rows))) / n_intervals / 1000
        for cut in cuts_of_rows(rows, Discretization("width", n_intervals)):
            assert min(abs(Fraction(float(cut)) - edge) for edge in edges) <= tolerance

    @given(
        st.lists(st.one_of(finite, st.floats(allow_nan=False, allow_infinity=False)), min_size=2, max_size=40),
        st.sampled_from(["quantile", "width"]),
        st.integers(2, 256),
    )
    def test_every_interval_is_occupied_and_readable(self, rows, method, n_intervals):
        assume(len(set(rows)) > 1)
        cuts = cuts_of_rows(rows, Discretization(method, n_intervals))
        codes = interval_codes(np.array(rows), cuts)
        assert sorted(set(codes.tolist())) == list(range(len(cuts) + 1))
        assert codes.tolist() == [interval_index(row, cuts.tolist()) for row in rows]
        assert 1 <= len(cuts) < max(n_intervals, 2)
        labels = interval_labels(cuts)
        assert len(set(labels)) == len(labels)
        assert cuts_of_labels(labels).tolist() == cuts.tolist()
        for row, code in zip(rows, codes):
            low, high = interval_bounds(labels[code])
            assert low < row <= high
