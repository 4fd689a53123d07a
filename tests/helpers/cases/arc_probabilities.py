"""Tables of arc probabilities for tests of reading and writing."""

from __future__ import annotations

import numpy as np

from formats.data_records import Variable
from formats.graph_records import ArcProbabilityTable
from formats.records import Header


def arc_probabilities(n_variables=3, seed=0) -> ArcProbabilityTable:
    """Made-up probabilities of all pairs; with features for odd seeds."""
    rng = np.random.default_rng(seed)
    parents, children = np.nonzero(~np.eye(n_variables, dtype=bool))
    n_pairs = len(parents)

    def figures() -> np.ndarray:
        return rng.random(n_pairs)

    names = ["a", "é", "x,y", 'q"', "V4"]
    header = Header(
        tuple(Variable(name, ("0", "1")) for name in names[:n_variables]), "bdeu", 100, "sha256:00ff", 1.0,
        extra={"prior": "dags", "method": "sampled", "chains": 4, "agreed": True},
    )  # fmt: skip
    features = {name: (figures(), figures()) for name in ("ancestor", "blanket") if seed % 2}
    probability, standard_error = figures(), figures()
    either = np.maximum(probability, figures())
    return ArcProbabilityTable(
        header, parents.astype(np.int32), children.astype(np.int32), probability, standard_error, either, features
    )


def assert_same_arc_probabilities(one: ArcProbabilityTable, other: ArcProbabilityTable) -> None:
    """Equal in all fields and types."""
    assert one.header == other.header
    for field in ("parents", "children", "probability", "standard_error", "either"):
        ours, theirs = getattr(one, field), getattr(other, field)
        assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs)
    assert one.features.keys() == other.features.keys()
    for name, pair in one.features.items():
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(pair, other.features[name]))
