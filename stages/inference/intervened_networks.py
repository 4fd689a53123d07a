"""Networks under intervention: variables set to a state from outside, or set in rows that have their states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from formats.records import Parameters


def intervened(model: Parameters, states: Mapping[int, int]) -> Parameters:
    """The network in which some variables are set to a state, by index and code.

    Its distribution is the truncated factorisation (Pearl 2009): a variable that is set loses its
    parents and has its state with probability 1; all other tables stay as they are.
    """
    parents, tables = list(model.parents), list(model.tables)
    for variable, state in states.items():
        parents[variable], tables[variable] = (), np.eye(tables[variable].shape[-1])[state]
    return replace(model, parents=tuple(parents), tables=tuple(tables))


def detached(model: Parameters, variables: Iterable[int]) -> Parameters:
    """The network in which some variables are equally distributed whatever their parents: for rows in which they were
    set, and whose states are evidence.

    The probability of such a row has a factor 1 / (number of states) for each of these states, and is else that of
    the other variables given them (truncated factorisation). A state that is missing is summed over, each equally
    weighted. Structure and shapes of tables stay, so that elimination orders hold.
    """
    tables = list(model.tables)
    for variable in variables:
        tables[variable] = np.full(tables[variable].shape, 1.0 / tables[variable].shape[-1])
    return replace(model, tables=tuple(tables))
