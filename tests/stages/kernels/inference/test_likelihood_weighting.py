"""Samples and their weights, one by one."""

from __future__ import annotations

import math

import numpy as np
from helpers.cases.inference import small_network

from stages.graphs import topological_order
from stages.kernels.inference.likelihood_weighting import add_weights, draw_weighted
from stages.kernels.inference.network_arrays import new_network_arrays


def test_hidden_states_are_drawn_and_observed_ones_weigh():
    network = small_network(5, 6, zeros=0.2)
    n = len(network.parents)
    arrays = new_network_arrays(network.parents, network.tables, topological_order(network.parents, range(n)))
    rng = np.random.default_rng(1)
    is_hidden, is_needed = np.array([True, False] * 3), np.ones(n, dtype=np.bool_)
    drawn, logs, uniforms = np.zeros((50, n), dtype=np.uint8), np.empty(50), rng.random((50, n))
    draw_weighted(arrays, is_needed, is_hidden, uniforms, drawn, logs)
    for sample in range(50):
        expected = 0.0
        for v in range(n):
            row = network.tables[v][tuple(drawn[sample, p] for p in network.parents[v])]
            if is_hidden[v]:
                code = int(np.searchsorted(np.cumsum(row), uniforms[sample, v], side="right"))
                assert drawn[sample, v] == min(code, int(np.flatnonzero(row)[-1]))
            else:
                expected += math.log(row[drawn[sample, v]]) if row[drawn[sample, v]] else -math.inf
        assert logs[sample] == expected or math.isclose(logs[sample], expected, rel_tol=1e-12)


def test_variables_that_do_not_matter_are_left_alone():
    network = small_network(5, 6)
    arrays = new_network_arrays(network.parents, network.tables, topological_order(network.parents, range(6)))
    drawn, logs = np.full((3, 6), 9, dtype=np.uint8), np.empty(3)
    none, every = np.zeros(6, dtype=np.bool_), np.ones(6, dtype=np.bool_)
    draw_weighted(arrays, none, every, np.zeros((3, 6)), drawn, logs)
    assert (drawn == 9).all() and (logs == 0.0).all()


def test_weights_and_squares_of_pairs_of_states():
    drawn = np.array([[0, 1, 2], [1, 1, 0], [0, 1, 2]], dtype=np.uint8)
    sums, squares = np.zeros(6), np.zeros(6)
    cells, target = np.array([3, 1]), np.array([0, 2])
    add_weights(drawn, np.array([0.5, 2.0, 1.5]), cells, target, sums, squares)
    assert sums.tolist() == [0, 0, 2.0, 2.0, 0, 0]
    assert squares.tolist() == [0, 0, 2.5, 4.0, 0, 0]
