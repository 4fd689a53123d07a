"""Random Bayesian networks, and rows drawn from a Bayesian network by forward sampling.

The networks follow the experiments of Scanagatta et al.: random numbers of states and parents (2015, 2016), inverted
trees (2016, section 4.1). Rows do not depend on the size of the batches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from formats.data_records import MAX_STATES, Variable
from formats.errors import Inconsistent
from formats.records import Parameters
from stages.graphs import topological_order
from stages.runtime.errors import StageError
from stages.runtime.seeding import task_generator

CHUNK_ROWS = 4096
"""Rows per random stream. Another value gives other rows for the same seed."""

BATCH_CELLS = 2**25
"""Cells of a batch by default (32 MiB)."""

MAX_CELLS = 2**27
"""Limit of a probability table (1 GiB)."""


def random_network(
    n_variables: int, states: tuple[int, int] = (2, 4), parents: tuple[int, int] = (0, 6), seed: int = 0
) -> Parameters:
    """Random structure and parameters.

    `states` and `parents` are inclusive ranges of each variable's number, drawn uniformly. The number of parents is
    limited by the number of predecessors in a random order.

    Variables are ``X0``, ``X1``, ... with states ``0``, ``1``, ...; the indices are independent of the order. Parents
    are uniform among the predecessors, each row of a table uniform on the simplex (Dirichlet with all parameters 1).
    Raises `StageError` if a table would have more than 2**27 cells.
    """
    _check_range("states", states, 1, MAX_STATES)
    _check_range("parents", parents, 0, None)
    rng = task_generator(seed, 0)
    n_states = rng.integers(states[0], states[1] + 1, n_variables)
    n_parents = np.minimum(rng.integers(parents[0], parents[1] + 1, n_variables), np.arange(n_variables))
    order = rng.permutation(n_variables)
    parent_sets: list[tuple[int, ...]] = [()] * n_variables
    for position, child in enumerate(order):
        chosen = rng.choice(position, n_parents[position], replace=False, shuffle=False) if position else []
        parent_sets[child] = tuple(sorted(order[chosen].tolist())) if len(chosen) else ()
    return _with_random_tables(parent_sets, n_states.tolist(), rng, f"random_{n_variables}")


def inverted_tree(n_parents: int, n_variables: int, seed: int = 0) -> Parameters:
    """Random inverted tree of binary variables ``X0``, ``X1``, ...: `n_parents` parents or none, and one child.

    Starting from a single variable, a random variable without parents gets `n_parents` new ones until there are
    `n_variables`; the last one gets fewer if ``n_variables - 1`` is no multiple of `n_parents`. All directed paths
    end in the first variable; the labels are in random order. Tables have Beta(1, 1) rows. The moral graph has
    treewidth `n_parents`, but no reverse topological order attains it as an elimination order. This is the worst case
    for searches that build k-trees along an order.
    """
    if n_parents < 1 or n_variables < 1:
        raise ValueError("an inverted tree needs at least one parent per variable and one variable")
    rng = task_generator(seed, 1)
    label = rng.permutation(n_variables).tolist()
    parent_sets: list[tuple[int, ...]] = [()] * n_variables
    without_parents = [0]
    grown = 1
    while grown < n_variables:
        drawn = int(rng.integers(len(without_parents)))
        without_parents[drawn], without_parents[-1] = without_parents[-1], without_parents[drawn]
        child = without_parents.pop()
        new = range(grown, min(grown + n_parents, n_variables))
        parent_sets[label[child]] = tuple(sorted(label[variable] for variable in new))
        without_parents.extend(new)
        grown += len(new)
    return _with_random_tables(parent_sets, [2] * n_variables, rng, f"inverted_tree_{n_parents}_{n_variables}")


def sample_rows(
    network: Parameters, n_rows: int, seed: int = 0, batch_rows: int | None = None
) -> Iterator[np.ndarray]:
    """Draw complete rows by forward sampling.

    Rows of tables are scaled to sum to 1; a state of probability 0 is never drawn. Batches have `batch_rows` rows,
    except the last; by default 32 MiB, at most 65,536 rows. Yields uint8, shape (n_variables, batch), C-contiguous:
    codes of the states. Row k depends on network and seed alone, not on `batch_rows` and `n_rows`. Raises
    `Inconsistent` if the network has a cycle, or a row of a table has no positive entry.
    """
    if batch_rows is None:
        batch_rows = min(65_536, max(1, BATCH_CELLS // max(1, len(network.variables))))
    if batch_rows < 1:
        raise ValueError("a batch has at least one row")
    order = _drawing_order(network.parents)
    samplers = [_VariableSampler(network, variable) for variable in order]
    batch = np.empty((len(network.variables), min(batch_rows, n_rows)), dtype=np.uint8)
    filled = done = 0
    for chunk in range(-(-n_rows // CHUNK_ROWS)):
        codes, rng = np.empty((len(samplers), CHUNK_ROWS), dtype=np.uint8), task_generator(seed, 2, chunk)
        for sampler in samplers:
            sampler.draw(codes, rng)
        taken = 0
        available = min(CHUNK_ROWS, n_rows - chunk * CHUNK_ROWS)
        while taken < available:
            n = min(available - taken, batch.shape[1] - filled)
            batch[:, filled : filled + n] = codes[:, taken : taken + n]
            taken, filled, done = taken + n, filled + n, done + n
            if filled == batch.shape[1]:
                yield batch
                batch = np.empty((len(network.variables), min(batch_rows, n_rows - done)), dtype=np.uint8)
                filled = 0


def _drawing_order(parents: tuple[tuple[int, ...], ...]) -> list[int]:
    """Topological order, ties by index; refuses a cycle."""
    order = topological_order(parents, range(len(parents)))
    if len(order) < len(parents):
        raise Inconsistent("the network's arcs form a cycle", remedy="no order of drawing the variables exists")
    return order


class _VariableSampler:
    """Draws one variable given its parents by binary search in the cumulative probabilities.

    The thresholds of each parent configuration are padded with infinity to 2**depth - 1 entries, so that the search
    has the same number of steps for every row and vectorises over rows.
    """

    def __init__(self, network: Parameters, variable: int):
        table = np.asarray(network.tables[variable], dtype=np.float64)
        n_states = table.shape[-1]
        self.variable = variable
        self.parents = network.parents[variable]
        self.parent_states = table.shape[:-1]
        self.depth = (n_states - 1).bit_length()
        cumulative = table.reshape(-1, n_states).cumsum(axis=1)
        if not (cumulative[:, -1] > 0).all():
            name = network.variables[variable].name
            raise Inconsistent("a row of the probability table is zero or not a number", column=name)
        # Division makes the last value exactly 1, above every draw from [0, 1): trailing zeros are never drawn.
        cumulative /= cumulative[:, -1:]
        self.stride = (1 << self.depth) - 1
        self.thresholds = np.full((len(cumulative), self.stride), np.inf)
        self.thresholds[:, : n_states - 1] = cumulative[:, :-1]
        self.thresholds = self.thresholds.ravel()

    def draw(self, codes: np.ndarray, rng: np.random.Generator) -> None:
        """Fill the variable's row of `codes`, shape (n_variables, rows), from its parents' rows."""
        uniform = rng.random(codes.shape[1])
        start = np.zeros(codes.shape[1], dtype=np.int64)
        for parent, n_states in zip(self.parents, self.parent_states):
            start *= n_states
            start += codes[parent]
        start *= self.stride
        state = np.zeros(codes.shape[1], dtype=np.int64)
        for level in reversed(range(self.depth)):
            step = 1 << level
            probed = self.thresholds.take(start + state + (step - 1))
            state += (uniform >= probed) * step
        codes[self.variable] = state


def _with_random_tables(
    parent_sets: list[tuple[int, ...]], n_states: list[int], rng: np.random.Generator, name: str
) -> Parameters:
    tables = []
    for child, parent_set in enumerate(parent_sets):
        shape = tuple(n_states[variable] for variable in (*parent_set, child))
        if math.prod(shape) > MAX_CELLS:
            raise StageError(
                f"the table of a variable with {len(parent_set)} parents has {math.prod(shape):.3g} cells\n"
                "  ask for fewer parents or fewer states"
            )
        # Normalised exponential variates are uniform on the simplex.
        table = rng.standard_exponential(shape)
        tables.append(table / table.sum(axis=-1, keepdims=True))
    variables = tuple(Variable(f"X{index}", tuple(map(str, range(count)))) for index, count in enumerate(n_states))
    return Parameters(variables, tuple(parent_sets), tuple(tables), name)


def _check_range(what: str, bounds: tuple[int, int], least: int, greatest: int | None) -> None:
    low, high = bounds
    if low < least or high < low or (greatest is not None and high > greatest):
        limit = f"from {least}" + (f" to {greatest}" if greatest is not None else "")
        raise ValueError(f"numbers of {what} must be an ascending pair of numbers {limit}, got {low}-{high}")
