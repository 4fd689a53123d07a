"""Components of hidden variables, against their definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.inference import small_network
from helpers.seeds import seeds
from naive import inference as naive

from stages.graphs import topological_order
from stages.kernels.inference.components import NONE, component_keys, label_components, observed_log_probability
from stages.kernels.inference.network_arrays import new_network_arrays


def arrays_of(network):
    order = topological_order(network.parents, range(len(network.parents)))
    return new_network_arrays(network.parents, network.tables, order)


def naive_components(network, hidden, wanted, joined):
    """Hidden variables that matter in sets, each with the families that meet it."""
    n = len(network.parents)
    matters = {v for v in range(n) if v in wanted or v not in hidden}
    while more := {p for v in matters for p in network.parents[v]} - matters:
        matters |= more
    families = [{v, *network.parents[v]} & hidden for v in sorted(matters)]
    components = []
    for part in [*families, joined & hidden]:
        meeting = [c for c in components if c & part]
        components = [c for c in components if not c & part]
        if part:
            components.append(part.union(*meeting))
    return {(frozenset(c), frozenset(v for v in matters if c & {v, *network.parents[v]})) for c in components}


@pytest.mark.parametrize("seed", seeds(20, 5))
def test_components_and_their_families(seed):
    rng = np.random.default_rng(seed)
    network = small_network(seed, 11, 2)
    arrays = arrays_of(network)
    is_hidden = rng.random((11, 6)) < rng.random(6)
    is_wanted, is_joined = rng.random(11) < 0.3, rng.random(11) < 0.2
    is_wanted |= is_joined
    labels = np.empty((6, 11), dtype=np.int32)
    n_found = label_components(arrays, is_hidden, is_wanted, is_joined, labels)
    keys, rows = np.zeros((n_found, 4), dtype=np.uint8), np.empty(n_found, dtype=np.int64)
    component_keys(arrays, labels, keys, rows)
    bits = np.unpackbits(keys, axis=1, bitorder="little")
    for row in range(6):
        found = {
            (frozenset(np.flatnonzero(b[:16]).tolist()), frozenset(np.flatnonzero(b[16:]).tolist()))
            for b in bits[rows == row]
        }
        hidden = set(np.flatnonzero(is_hidden[:, row]).tolist())
        wanted, joined = (set(np.flatnonzero(is_set).tolist()) for is_set in (is_wanted, is_joined))
        assert found == naive_components(network, hidden, wanted, joined)
        assert (labels[row][~is_hidden[:, row]] == NONE).all()


@pytest.mark.parametrize("seed", seeds(5, 2))
def test_probability_of_complete_rows(seed):
    network = small_network(seed, 5)
    table, rng = naive.joint_table(network), np.random.default_rng(seed)
    codes = np.array([rng.integers(0, size, 8) for size in table.shape]).astype(np.uint8)
    logs = np.zeros(8)
    observed_log_probability(arrays_of(network), codes, np.zeros((5, 8), dtype=np.bool_), logs)
    for row in range(8):
        assert logs[row] == pytest.approx(math.log(table[tuple(codes[:, row])]))
