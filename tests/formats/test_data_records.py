"""Data on their way to workers elsewhere."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from formats.data_records import Dataset, Variable


@pytest.mark.parametrize("n_states", [1, 2, 3, 4, 5, 256])
def test_data_arrive_as_they_were_and_packed(n_states):
    rng = np.random.default_rng(n_states)
    codes = rng.integers(n_states, size=(3, 10001)).astype(np.uint8)
    states = tuple(str(k) for k in range(n_states))
    data = Dataset(tuple(Variable(name, states) for name in "abc"), codes, "sha256:x")
    travelling = pickle.dumps(data)
    arrived = pickle.loads(travelling)
    assert arrived.variables == data.variables and arrived.fingerprint == data.fingerprint
    assert np.array_equal(arrived.codes, codes) and arrived.codes.flags.c_contiguous
    width = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 256: 8}[n_states]
    assert len(travelling) < codes.size * width / 8 + 3000  # with 256 names of states thrice
