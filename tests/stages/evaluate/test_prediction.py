"""Predictions of a target judged: against listing all states, on tables whose answers are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.incomplete import structure_of, with_holes
from helpers.cases.inference import contradiction, small_network
from helpers.seeds import seeds
from naive.prediction import judged

from formats.data_records import Dataset
from formats.errors import Inconsistent
from formats.graphs.structures import network_of
from stages.evaluate.measures import evaluate_network
from stages.evaluate.prediction import N_BINS, calibration_error, judge_predictions
from stages.evaluate.record_keys import MEASURE_KEYS
from stages.fit import fit_parameters
from stages.runtime.errors import StageError


def table_of(network, codes, is_hidden):
    return Dataset(network.variables, np.array(codes, np.uint8), "", is_hidden=np.array(is_hidden))


def close(found, expected):
    """Whether two records agree, numbers but for rounding."""
    if isinstance(expected, list):
        return all(map(close, found, expected)) and len(found) == len(expected)
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(close(found[name], expected[name]) for name in expected)
    return found == (pytest.approx(expected, rel=1e-9) if isinstance(expected, float) else expected)


@pytest.mark.parametrize("seed", seeds(8, 3))
def test_equals_listing_all_states(seed):
    network = small_network(seed, 5, zeros=0.3 if seed % 2 else 0.0)
    rows = with_holes(network, 60, 0.3, seed)
    rng = np.random.default_rng(seed)
    codes = rows.codes.copy()
    mixed = rng.random(codes.shape[1]) < 0.3  # rows that the network does not make
    codes[2, mixed] = rng.integers(0, len(network.variables[2].known_states), mixed.sum())
    rows = table_of(network, codes, rows.is_hidden)
    for target in (0, 2):
        found = judge_predictions(network, rows, target, jobs=2, has_curve=True)
        expected = judged(network, codes, rows.is_hidden, target, N_BINS)
        assert close(found, expected)


def test_rows_that_cannot_be_judged():
    network = contradiction(0.0)
    rows = table_of(network, [[1, 0, 1], [0, 1, 0], [0, 0, 1]], [[True, True, False], [False] * 3, [True] * 3])
    expected = judged(network, rows.codes, rows.is_hidden, 1, N_BINS)
    assert judge_predictions(network, rows, 1)["surprising_rows"] == expected["surprising_rows"] == 1
    assert judge_predictions(network, rows, 1)["log_loss"] is None
    blank = table_of(network, np.zeros((3, 2)), np.ones((3, 2), bool))
    with pytest.raises(StageError, match="no row shows a state of the target 'X1'"):
        judge_predictions(network, blank, 1)


def test_calibration_error_of_ten_bins():
    assert calibration_error(np.array([0.55, 0.52, 1.0, 1.0]), np.array([1.0, 0.0, 1.0, 0.0])) == pytest.approx(
        (abs(1 - 1.07) + 1) / 4
    )


def test_parameters_are_those_of_the_network_or_fitted_to_other_rows():
    network = small_network(3, 5)
    training, test = (with_holes(network, 80, 0.0, seed) for seed in (1, 2))
    structure = structure_of(network)
    name = network.variables[1].name
    own = evaluate_network(network_of(network), data=training, test=test, target=name)
    no_holes = np.zeros(test.codes.shape, bool)
    assert own["accuracy"] == judged(network, test.codes, no_holes, 1, N_BINS)["accuracy"]
    fitted = fit_parameters(structure, training, smoothing=2.0)
    found = evaluate_network(structure, data=training, test=test, smoothing=2.0, target=name)
    expected = judged(fitted, test.codes, no_holes, 1, N_BINS)
    assert found["log_loss"] == pytest.approx(expected["log_loss"], rel=1e-9)
    assert list(found) == [key.name for key in MEASURE_KEYS if key.name in found]
    assert math.isclose(evaluate_network(network_of(network), test=test, target=name)["brier_sum"], own["brier_sum"])
    inside = evaluate_network(structure, data=training, smoothing=2.0, target=name)
    assert inside["log_loss"] == pytest.approx(
        judged(fitted, training.codes, no_holes, 1, N_BINS)["log_loss"], rel=1e-9
    )
    with pytest.raises(StageError, match="predictions of a target need rows"):
        evaluate_network(structure, target=name)
    with pytest.raises(Inconsistent, match="no variable 'none'"):
        evaluate_network(structure, data=training, test=test, target="none")
