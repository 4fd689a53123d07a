"""Entropy tables for tests of reading and writing."""

from __future__ import annotations

import numpy as np

from formats.data_records import Variable
from formats.records import EntropyTable


def entropy_table(n_variables=3, seed=0, names=None, labels=True) -> EntropyTable:
    """Numbers that are no real entropies; states unknown for some variables, or for all."""
    rng = np.random.default_rng(seed)
    entropy = rng.uniform(0.1, 0.6, n_variables)
    conditional = entropy[:, None] * rng.uniform(0, 1, (n_variables, n_variables))
    np.fill_diagonal(conditional, 0)
    known = [("0", "1"), ("é", "x", "NA"), None] if labels else [None]
    names = names or [f"V{i}" for i in range(n_variables)]
    variables = tuple(Variable(name, known[i % len(known)]) for i, name in enumerate(names))
    n_states = np.array([len(v.states) if v.states else 4 for v in variables], dtype=np.int32)
    return EntropyTable(variables, n_states, entropy, conditional, 1000, "sha256:00ff")


def assert_same_entropies(one: EntropyTable, other: EntropyTable) -> None:
    """Equal in all fields and types."""
    assert one.variables == other.variables
    for field in ("n_states", "entropy", "conditional"):
        ours, theirs = getattr(one, field), getattr(other, field)
        assert ours.dtype == theirs.dtype and (ours == theirs).all() and ours.shape == theirs.shape
    assert (one.rows, one.fingerprint) == (other.rows, other.fingerprint)
