"""Networks under intervention: variables set to a state from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from formats.graph_records import BayesianNetwork


def intervened(model: BayesianNetwork, states: Mapping[int, int]) -> BayesianNetwork:
    """The network in which some variables are set to a state, by index and code.

    Its distribution is the truncated factorisation (Pearl 2009): a variable that is set loses its
    parents and has its state with probability 1; all other tables stay as they are. Facts about the original
    structure, such as its score, are left out.
    """
    parents, tables = list(model.parents), list(model.tables)
    for variable, state in states.items():
        parents[variable], tables[variable] = (), np.eye(tables[variable].shape[-1])[state]
    return replace(model, parents=tuple(parents), tables=tuple(tables), header=None, scores=None)
