"""Held-out log-likelihood of rows with holes: that of what is observed, against all states listed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.incomplete import structure_of, with_holes
from helpers.cases.inference import small_network
from naive import inference as naive

from formats.data_records import Dataset
from formats.graphs.structures import network_of
from formats.records import Parameters
from stages.evaluate.measures import evaluate_network
from stages.evaluate.record_keys import MEASURE_KEYS
from stages.fit import fit_parameters
from stages.runtime.errors import StageError


def listed_mean(network, rows):
    """The mean log-probability of what is observed in a row."""
    joint = naive.joint_table(network)
    codes, is_hidden = rows.codes, rows.holes
    shown = [
        {v: int(codes[v, row]) for v in np.flatnonzero(~is_hidden[:, row]).tolist()} for row in range(codes.shape[1])
    ]
    return math.fsum(math.log(naive.probability(joint, evidence)) for evidence in shown) / len(shown)


@pytest.mark.parametrize("seed", range(4))
def test_all_states_listed(seed):
    network = small_network(seed)
    rows, training = with_holes(network, 20, 0.3, seed), with_holes(network, 60, 0.0, seed + 9)
    found = evaluate_network(network_of(network), data=training, test=rows, smoothing=2.0)
    fitted = fit_parameters(structure_of(network), training, smoothing=2.0)
    assert found["test_loglik"] == pytest.approx(listed_mean(fitted, rows), rel=1e-12)
    assert found["given_loglik"] == pytest.approx(listed_mean(network, rows), rel=1e-12)
    assert found["test_holes"] == rows.n_holes and found["impossible_rows"] == 0
    assert list(found) == [key.name for key in MEASURE_KEYS if key.name in found]


def test_columns_in_another_order():
    network = small_network(1)
    rows = with_holes(network, 20, 0.3)
    order = [3, 1, 5, 0, 4, 2]
    turned = Dataset(
        tuple(network.variables[v] for v in order),
        np.ascontiguousarray(rows.codes[order]),
        "",
        is_hidden=rows.is_hidden[order],
    )
    found = evaluate_network(network_of(network), test=turned)
    assert found["given_loglik"] == pytest.approx(listed_mean(network, rows), rel=1e-12)


def test_no_holes_are_complete_rows():
    network = small_network(2)
    rows = with_holes(network, 20, 0.0)
    assert rows.is_hidden is None
    found = evaluate_network(network_of(network), test=rows)
    assert "test_holes" not in found and found["given_loglik"] == pytest.approx(listed_mean(network, rows), rel=1e-12)


def test_any_number_of_threads_and_too_little_memory():
    network = small_network(5, 9)
    rows = with_holes(network, 9000, 0.5)
    one = evaluate_network(network_of(network), test=rows)
    assert evaluate_network(network_of(network), test=rows, jobs=3) == one
    with pytest.raises(StageError, match="more than the 8 bytes"):
        evaluate_network(network_of(network), test=rows, memory=8)


def test_impossible_rows():
    network = small_network(2)
    tables = tuple(np.eye(table.shape[-1])[np.zeros(table.shape[:-1], dtype=int)] for table in network.tables)
    sure = Parameters(network.variables, network.parents, tables, "")
    codes = np.zeros((6, 2), dtype=np.uint8)
    codes[0, 1] = 1
    is_hidden = np.zeros((6, 2), dtype=bool)
    is_hidden[5] = True
    rows = Dataset(network.variables, codes, "", is_hidden=is_hidden)
    found = evaluate_network(network_of(sure), test=rows)
    assert found["given_loglik"] is None and found["impossible_rows"] == 1
