"""Tables of arcs from matrices of probabilities."""

from __future__ import annotations

import numpy as np

from formats.graph_records import ArcProbabilities
from formats.records import Header
from stages.graphs.orientation import DecisionCounts


def make_table(
    header: Header,
    probability: np.ndarray,
    error: np.ndarray,
    features: dict[str, tuple[np.ndarray, np.ndarray]],
    decisions: DecisionCounts | None,
) -> ArcProbabilities:
    """Table of all ordered pairs of variables, the most probable arcs first.

    `probability`, `error`: float64, shape (n_variables, n_variables), entry [parent, child]; as are `features`,
    probabilities and standard errors of further relations. `decisions` say what decides directions; None for a table
    without that column.
    """
    parents, children = np.nonzero(~np.eye(len(probability), dtype=np.bool_))
    order = np.lexsort((children, parents, -probability[parents, children]))
    rows = parents[order], children[order]
    either = np.minimum(probability + probability.T, 1.0)
    return ArcProbabilities(
        header,
        rows[0].astype(np.int32),
        rows[1].astype(np.int32),
        probability[rows],
        error[rows],
        either[rows],
        {name: (values[rows], errors[rows]) for name, (values, errors) in features.items()},
        () if decisions is None else tuple(map(decisions.usual, zip(rows[0].tolist(), rows[1].tolist()))),
    )
