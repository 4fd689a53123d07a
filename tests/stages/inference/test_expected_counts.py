"""Expected counts of families, against all states listed."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.incomplete import with_holes
from helpers.cases.inference import chain_of_small_numbers, contradiction, small_network
from naive import inference as naive

from stages.inference import expected_counts
from stages.inference.expected_counts import IncompleteRows
from stages.inference.junction_trees import Engine


def expect(network, codes, is_hidden, **given):
    engine = Engine(network)
    return IncompleteRows(engine, codes, is_hidden).expect(engine.arrays.probabilities, **given)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 1.0])
def test_all_states_listed(seed, share):
    network = small_network(seed, zeros=0.1)
    rows = with_holes(network, 30, share, seed)
    found = expect(network, rows.codes, rows.holes)
    log_likelihood, counts = naive.expected_counts(network, rows.codes, rows.holes)
    assert found.log_likelihood == pytest.approx(log_likelihood, rel=1e-12, abs=1e-12)
    assert found.counts == pytest.approx(np.concatenate([c.ravel() for c in counts]), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("room", [0, expected_counts.KEPT_BYTES])
def test_kept_plans_count_the_same_bits(monkeypatch, room):
    """Whether plans are kept or made anew, under the first parameters and under others."""
    monkeypatch.setattr(expected_counts, "KEPT_BYTES", room)
    monkeypatch.setattr(expected_counts, "batch_rows", lambda engine: 30)
    network, other = small_network(2, 7), small_network(2, 7, zeros=0.2)
    rows = with_holes(network, 100, 0.4)
    codes, is_hidden = rows.codes, rows.holes
    incomplete = IncompleteRows(Engine(network), codes, is_hidden)
    for model in (network, other, network):
        found = incomplete.expect(Engine(model).arrays.probabilities, jobs=2)
        fresh = IncompleteRows(Engine(network), codes, is_hidden).expect(Engine(model).arrays.probabilities)
        assert found.log_likelihood == fresh.log_likelihood
        assert found.counts.tobytes() == fresh.counts.tobytes()


def test_numbers_out_of_range():
    """The chain's products leave the range of floating point; its only hidden variable is then sure."""
    network = chain_of_small_numbers()
    codes = np.ones((len(network.variables), 1), dtype=np.uint8)
    codes[0] = 0
    is_hidden = np.zeros(codes.shape, dtype=bool)
    is_hidden[0] = True
    found = expect(network, codes, is_hidden)
    odds = np.log(0.3) - np.log(0.7) - 700 * np.log(2)
    assert found.log_likelihood == pytest.approx(np.log(0.7) + 700 * np.log(2e-3))
    assert np.log(found.counts[0]) == pytest.approx(odds)
    assert found.counts[1] == pytest.approx(1.0)


def test_impossible_rows_count_nothing():
    network = contradiction(entry=0.0)
    codes = np.array([[0], [1], [0]], dtype=np.uint8)
    is_hidden = np.array([[True], [False], [False]])
    found = expect(network, codes, is_hidden)
    assert found.log_likelihood == -np.inf
    assert not np.isnan(found.counts).any() and found.counts.sum() == 0
