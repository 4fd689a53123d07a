"""Parameters of a network from complete data: relative frequencies, optionally smoothed by a Dirichlet prior."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from formats.data_records import Dataset
from formats.errors import Inconsistent
from formats.records import NetworkRecord, Parameters
from stages.runtime.errors import StageError

MAX_CELLS = 2**27
"""Limit of a table: 1 GiB of float64."""


UNIFORM, MARGINAL = TOWARDS = ("uniform", "marginal")
"""What smoothing draws the distributions of a table towards."""

MOST_AVERAGED = 16
"""Most parents of a table that is smoothed towards its marginals: it has a marginal for each set of them."""


def fit_parameters(
    network: NetworkRecord, dataset: Dataset, *, smoothing: float = 0.0, towards: str = UNIFORM, name: str = "unknown"
) -> Parameters:
    """Estimate every variable's probability table given its parents.

    Parents are ascending. A parent configuration without rows and prior gets equal probabilities. Raises
    `Inconsistent` if variables or states of network and data differ; `StageError` if a table would have more than
    2**27 cells, or as `added_rows`.

    The data have the network's variables in the same order, and its states where it knows them. `smoothing` is the
    equivalent sample size of a uniform prior: smoothing / (cells of the table) is added to every count, which gives
    BDeu's posterior mean (Heckerman, Geiger & Chickering 1995); 0 for maximum likelihood. `towards` is of
    `added_rows`. `name` is the name of the result.
    """
    if not 0 <= smoothing < math.inf:
        raise ValueError(f"smoothing must be finite and not negative, got {smoothing}")
    check_same_variables(network, dataset.require_complete())
    counts = (count_cells(dataset, child, parents) for child, parents in enumerate(network.parents))
    tables = tuple(to_probabilities(table, added_rows(table, smoothing, towards)) for table in counts)
    return Parameters(dataset.variables, network.parents, tables, name)


def check_same_variables(network: NetworkRecord, dataset: Dataset) -> None:
    """Raise `Inconsistent` for data whose variables or states differ from the network's."""
    remedy = "read the data with the network's variables, so that columns and states are matched by name"
    if network.header.names != dataset.names:
        raise Inconsistent("the variables of network and data differ", remedy=remedy)
    for expected, found in zip(network.header.variables, dataset.variables):
        if expected.states is not None and expected.states != found.states:
            raise Inconsistent("states of network and data differ", column=found.name, remedy=remedy)


def count_cells(dataset: Dataset, child: int, parents: tuple[int, ...], rows: np.ndarray | None = None) -> np.ndarray:
    """Rows per parent configuration and state: int64, one axis per parent and the child's last.

    Rows in which the child was set are not counted; nor are others than `rows` (bool), if given.
    """
    shape = table_shape(dataset, child, parents)
    columns = dataset.family_columns(child, parents)
    if rows is not None:
        free = dataset.is_free(child)
        columns = [column[rows if free is None else rows[free]] for column in columns]
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


def added_rows(counts: np.ndarray, smoothing: float, towards: str = UNIFORM) -> np.ndarray | float:
    """What smoothing adds to the counts of a table: rows for each cell, or one number for all cells.

    `towards` is one of `TOWARDS`. ``uniform``: the smoothing is divided among the cells of the table. ``marginal``:
    each parent configuration gets as many rows as it says. They are distributed as the mean of the variable's
    distributions given all parents but one, which are smoothed in the same way; without parents a distribution is
    that of all rows and one more of each state. With one parent this is Friedman, Geiger and Goldszmidt (1997,
    section 4.2, who take 5 rows); with several, a rare configuration is like the rows that share most of it.

    Raises `StageError` as `summed`.
    """
    if towards == UNIFORM or smoothing == 0.0:
        return smoothing / counts.size
    return smoothing * mean_marginals(shares_of(counts), summed(counts), smoothing)


def shares_of(counts: np.ndarray) -> np.ndarray:
    """The distribution of the last axis in all rows and one more of each state."""
    alone = counts.reshape(-1, counts.shape[-1]).sum(axis=0) + 1.0
    return np.asarray(alone / alone.sum())


LeftOut = tuple[int, ...]
"""Axes of the parents that are left out, ascending."""


def summed(counts: np.ndarray) -> dict[LeftOut, tuple[np.ndarray, np.ndarray]]:
    """Counts without some parents, whose axes have length 1, and their sums over the last axis.

    For all sets of parents that are left out, but the empty one and the whole.

    Raises `StageError` if there are more than 16 parents.
    """
    n_parents = counts.ndim - 1
    if n_parents > MOST_AVERAGED:
        raise StageError(
            f"a table of {n_parents} parents is not smoothed towards its marginals: at most {MOST_AVERAGED}\n"
            "  learn a network with fewer parents per variable, or give --smooth-towards uniform"
        )
    found: dict[LeftOut, tuple[np.ndarray, np.ndarray]] = {}
    for n_left_out in range(1, n_parents):
        for left_out in combinations(range(n_parents), n_left_out):
            with_one_more = found[left_out[:-1]][0] if n_left_out > 1 else counts
            cells = with_one_more.sum(axis=left_out[-1], keepdims=True)
            found[left_out] = cells, cells.sum(axis=-1, keepdims=True)
    return found


def mean_marginals(
    alone: np.ndarray, counted: Mapping[LeftOut, tuple[np.ndarray, np.ndarray]], smoothing: float
) -> np.ndarray:
    """The mean distribution given all parents but one, by `added_rows`, of whole tables or of some of their cells.

    - `alone`: the distribution without parents (`shares_of`).
    - `counted`: of `summed`, or those of its numbers that belong to the cells.
    """
    n_parents = 1 + max(map(len, counted), default=0)
    given: dict[LeftOut, np.ndarray] = {tuple(range(n_parents)): alone}

    def mean(left_out: LeftOut) -> np.ndarray:
        others = [tuple(sorted((*left_out, axis))) for axis in range(n_parents) if axis not in left_out]
        return np.asarray(sum(given[other] for other in others) / len(others))

    for n_left_out in range(n_parents - 1, 0, -1):
        for left_out in combinations(range(n_parents), n_left_out):
            cells, totals = counted[left_out]
            given[left_out] = (cells + smoothing * mean(left_out)) / (totals + smoothing)
        # Two sizes of sets are enough.
        given = {left_out: found for left_out, found in given.items() if len(left_out) == n_left_out}
    return mean(())


def to_probabilities(counts: np.ndarray, added: np.ndarray | float) -> np.ndarray:
    """Distribution of the last axis from observed or expected counts and `added_rows`; uniform where both are 0."""
    weights = counts + added
    totals = weights.sum(axis=-1, keepdims=True)
    return np.where(totals > 0, weights, 1.0) / np.where(totals > 0, totals, counts.shape[-1])
