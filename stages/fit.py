"""Parameters of a network from complete data: relative frequencies, optionally smoothed by a Dirichlet prior."""

from __future__ import annotations

import math

import numpy as np

from formats.data_records import Dataset
from formats.errors import Inconsistent
from formats.graph_records import BayesianNetwork
from formats.graphs.structures import with_header
from formats.records import Network
from stages.runtime.errors import StageError

MAX_CELLS = 2**27
"""Limit of a table: 1 GiB of float64."""


UNIFORM, MARGINAL = TOWARDS = ("uniform", "marginal")
"""What smoothing draws the distributions of a table towards."""


def fit_parameters(
    network: Network, dataset: Dataset, *, smoothing: float = 0.0, towards: str = UNIFORM, name: str = "unknown"
) -> BayesianNetwork:
    """Estimate every variable's probability table given its parents.

    The result keeps the header and the local scores of the network. Parents are ascending. A parent configuration
    without rows and prior gets equal probabilities. Raises `Inconsistent` if variables or states of network and data
    differ; `StageError` if a table would have more than 2**27 cells.

    The data have the network's variables in the same order, and its states where it knows them. `smoothing` is the
    equivalent sample size of a uniform prior: smoothing / (cells of the table) is added to every count, which gives
    BDeu's posterior mean (Heckerman, Geiger & Chickering 1995); 0 for maximum likelihood. `towards` is of
    `to_probabilities`. `name` is the name of the
    result.
    """
    if not 0 <= smoothing < math.inf:
        raise ValueError(f"smoothing must be finite and not negative, got {smoothing}")
    check_same_variables(network, dataset)
    tables = tuple(
        to_probabilities(count_cells(dataset, child, parents), smoothing, towards)
        for child, parents in enumerate(network.parents)
    )
    return with_header(BayesianNetwork(dataset.variables, network.parents, tables, name), network)


def check_same_variables(network: Network, dataset: Dataset) -> None:
    """Raise `Inconsistent` for data whose variables or states differ from the network's."""
    remedy = "read the data with the network's variables, so that columns and states are matched by name"
    if network.header.names != dataset.names:
        raise Inconsistent("the variables of network and data differ", remedy=remedy)
    for expected, found in zip(network.header.variables, dataset.variables):
        if expected.states is not None and expected.states != found.states:
            raise Inconsistent("states of network and data differ", column=found.name, remedy=remedy)


def count_cells(dataset: Dataset, child: int, parents: tuple[int, ...]) -> np.ndarray:
    """Rows per parent configuration and state: int64, one axis per parent and the child's last.

    Rows in which the child was set are not counted.
    """
    shape = table_shape(dataset, child, parents)
    columns = dataset.family_columns(child, parents)
    cells = np.zeros(len(columns[0]), dtype=np.int64)
    for column, n_states in zip(columns, shape):
        cells *= n_states
        cells += column
    return np.bincount(cells, minlength=math.prod(shape)).reshape(shape)


def table_shape(dataset: Dataset, child: int, parents: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a variable's probability table: an axis per parent and the child's last.

    Raises `StageError` if it would have more than 2**27 cells.
    """
    shape = tuple(dataset.n_states[[*parents, child]].tolist())
    n_cells = math.prod(shape)
    if n_cells > MAX_CELLS:
        raise StageError(
            f"the table of {dataset.variables[child].name!r} with {len(parents)} parents has {n_cells:.3g} cells\n"
            "  learn a network with fewer parents per variable"
        )
    return shape


def to_probabilities(counts: np.ndarray, smoothing: float, towards: str = UNIFORM) -> np.ndarray:
    """Distribution of the last axis from observed or expected counts; uniform where they are all 0.

    `towards` is one of `TOWARDS`. ``uniform``: the smoothing is divided among the cells of the table. ``marginal``:
    each parent configuration gets as many rows as it says, distributed as the variable is in all rows and one more
    of each state (Friedman, Geiger and Goldszmidt 1997, section 4.2, who take 5 rows; the rows of each state keep
    probabilities above 0).
    """
    if towards == MARGINAL:
        overall = counts.reshape(-1, counts.shape[-1]).sum(axis=0) + 1.0
        weights = counts + smoothing * (overall / overall.sum())
    else:
        weights = counts + smoothing / counts.size
    totals = weights.sum(axis=-1, keepdims=True)
    return np.where(totals > 0, weights, 1.0) / np.where(totals > 0, totals, counts.shape[-1])
