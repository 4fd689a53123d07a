"""Tables of arcs from matrices of probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from formats.graph_records import ArcProbabilities
from formats.records import Header

if TYPE_CHECKING:
    from formats.records import ParentSetTable


def listed_pairs(table: ParentSetTable) -> np.ndarray:
    """Which arcs are in any listed set: entry [parent, child]; bool."""
    n = table.n_variables
    child_of_set = np.repeat(np.arange(n), np.diff(table.set_offsets))
    pairs = np.zeros((n, n), dtype=np.bool_)
    pairs[table.parents, np.repeat(child_of_set, np.diff(table.parent_offsets))] = True
    return pairs


def make_table(
    header: Header,
    pairs: np.ndarray,
    probability: np.ndarray,
    error: np.ndarray,
    features: dict[str, tuple[np.ndarray, np.ndarray]],
) -> ArcProbabilities:
    """A row for each of some pairs, the most probable arcs first.

    Parameters
    ----------
    header : Header
    pairs : ndarray of bool, shape (n_variables, n_variables)
        The rows; entry [parent, child] in all of these.
    probability, error : ndarray of float64
    features : dict of (ndarray, ndarray)
        Pairs with a probability of these are rows, too.
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
    )
