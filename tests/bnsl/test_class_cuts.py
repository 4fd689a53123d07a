"""The rules by which the classifier cuts numbers, against leaving out each row in turn."""

from __future__ import annotations

import math

import numpy as np
import pyarrow
import pytest

import bnsl
from bnsl.class_cuts import MOST_INTERVALS, left_out_log_likelihood, rules_for_class

pytest.importorskip("sklearn")

NOTHING = bnsl.BayesianNetworkClassifier().get_params()
"""The options of `learn` when none is given."""


def numbers(seed: int, n: int = 90) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    classes = generator.integers(0, 3, n)
    return classes, np.round(generator.normal(size=n) + classes * (seed % 3), 1)


def by_rows(column: np.ndarray, classes: np.ndarray, k: int) -> float:
    """The log-likelihood of the classes in K intervals, each row left out in turn."""
    in_order, n = np.sort(column), len(column)
    # Cut j is the smallest value that at least j/K of the rows do not exceed.
    cuts = {in_order[math.ceil(j * n / k) - 1] for j in range(1, k)} - {in_order[-1]}
    interval = [sum(cut < value for cut in cuts) for value in column]
    found = 0.0
    for row in range(n):
        others = [r for r in range(n) if r != row and interval[r] == interval[row]]
        share = (np.sum(classes == classes[row]) + 1) / (n + 3)
        found += math.log((sum(classes[r] == classes[row] for r in others) + share) / (len(others) + 1))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_as_many_intervals_as_predict_rows_left_out_best(seed):
    classes, column = numbers(seed)
    [rule] = rules_for_class(pyarrow.table({"v": column}), classes, 3, np.ones(90, np.int64), NOTHING)
    likelihoods = [by_rows(column, classes, k) for k in range(2, MOST_INTERVALS + 1)]
    assert rule == f"v=quantile:{2 + int(np.argmax(likelihoods))}"


def test_the_likelihood_by_hand():
    # Three rows of class 0 and one of class 1 in the first interval, one of class 1 in the other; shares 4/7 and 3/7.
    first = 3 * math.log((2 + 4 / 7) / 4) + math.log(3 / 7 / 4)
    assert left_out_log_likelihood(np.array([[3.0, 1.0], [0.0, 1.0]])) == pytest.approx(first + math.log(3 / 7))


def test_counted_rows_are_equal_rows_and_no_row_is_none():
    classes, column = numbers(1)
    counts = np.random.default_rng(1).integers(0, 3, 90)
    [rule] = rules_for_class(pyarrow.table({"v": column}), classes, 3, counts, NOTHING)
    repeated = pyarrow.table({"v": np.repeat(column, counts)})
    ones = np.ones(counts.sum(), np.int64)
    assert rules_for_class(repeated, np.repeat(classes, counts), 3, ones, NOTHING) == [rule]


@pytest.mark.parametrize(
    ("options", "cut"),
    [
        ({}, ["v", "w", "edge"]),
        ({"drop": "v"}, ["w", "edge"]),
        ({"drop": ["v", "few"]}, ["w", "edge"]),
        ({"columns": "few..v"}, ["v"]),
        ({"categories": ["w*"]}, ["v", "edge"]),
        ({"weights": "w"}, ["v", "edge"]),
        ({"max_states": 100}, []),
        ({"na": "-9"}, ["v", "w"]),
        ({"na": ["-9", "20", "none"]}, ["v"]),
    ],
)
def test_columns_of_few_numbers_and_columns_that_are_no_numbers_stay(options, cut):
    classes, column = numbers(2)
    table = pyarrow.table(
        {
            "few": np.arange(90) % 20,
            "v": column,
            "w": [None, *range(21), -9, *[5.0] * 67],
            "text": list(map(str, range(90))),
            "edge": [-9, *np.arange(89) % 20],
        }
    )
    found = rules_for_class(table, classes, 3, np.ones(90, np.int64), NOTHING | options)
    assert [rule.partition("=")[0] for rule in found] == cut
