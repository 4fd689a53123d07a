"""Tables of arcs from matrices of probabilities."""

from __future__ import annotations

import numpy as np

from formats.graph_records import ArcProbabilities
from formats.records import Header, ParentSetTable
from stages.graphs.orientation import DecisionCounts
from stages.lists.set_lists import child_of_entries


def listed_pairs(table: ParentSetTable) -> np.ndarray:
    """The arcs that occur in listed sets; bool, entry [parent, child]."""
    pairs = np.zeros((table.n_variables, table.n_variables), dtype=np.bool_)
    pairs[table.parents, child_of_entries(table)] = True
    return pairs


def make_table(
    header: Header,
    pairs: np.ndarray,
    probability: np.ndarray,
    error: np.ndarray,
    features: dict[str, tuple[np.ndarray, np.ndarray]],
    decisions: DecisionCounts | None,
) -> ArcProbabilities:
    """Table of the given pairs, the most probable arcs first.

    `pairs` are those that get a row: bool, shape (n_variables, n_variables), entry [parent, child] as in all
    matrices. `features` are probabilities and standard errors of further relations; pairs of positive probability get
    a row, too. `decisions` say what decides directions; None for a table without that column.
    """
    for values, _ in features.values():
        pairs = pairs | (values > 0.0)
    parents, children = np.nonzero(pairs)
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
