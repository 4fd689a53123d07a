"""Random networks with parameters, some of them zero, and evidence."""

from __future__ import annotations

import numpy as np

from formats.data_records import Variable
from formats.records import Parameters


def small_network(seed, n_variables=6, most_parents=3, most_states=3, zeros=0.0):
    """A network of which all states can be listed; a share `zeros` of its parameters is 0."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1 if seed % 4 == 0 else 2, most_states + 1, n_variables).tolist()
    order = rng.permutation(n_variables).tolist()
    parents, tables = [()] * n_variables, [None] * n_variables
    for place, child in enumerate(order):
        count = min(place, int(rng.integers(0, most_parents + 1)))
        parents[child] = tuple(rng.permutation(order[:place])[:count].tolist())
        table = rng.random([*(sizes[p] for p in parents[child]), sizes[child]])
        table[rng.random(table.shape) < zeros] = 0.0
        table[table.sum(axis=-1) == 0.0] = 1.0
        tables[child] = table / table.sum(axis=-1, keepdims=True)
    variables = tuple(Variable(f"X{i}", tuple(map(str, range(size)))) for i, size in enumerate(sizes))
    return Parameters(variables, tuple(parents), tuple(tables), "small")


def random_evidence(network, seed, share=0.4):
    """States of some variables; they may well be impossible."""
    rng = np.random.default_rng(seed)
    return {
        index: int(rng.integers(len(variable.known_states)))
        for index, variable in enumerate(network.variables)
        if rng.random() < share
    }


def chain_of_small_numbers(length=700, entry=1e-3):
    """One hidden variable with many observed children, each improbable in either state: products leave the range."""
    variables = tuple(Variable(f"X{i}", ("0", "1")) for i in range(length + 1))
    tables = [np.array([0.3, 0.7])]
    tables += [np.array([[1 - entry, entry], [1 - 2 * entry, 2 * entry]]) for _ in range(length)]
    return Parameters(variables, ((), *[(0,)] * length), tuple(tables), "small_numbers")


def contradiction(entry=1e-310):
    """X0 = 0 is so improbable that its number is hardly one, but the other state excludes what X1 shows."""
    variables = tuple(Variable(f"X{i}", ("0", "1")) for i in range(3))
    tables = (np.array([entry, 1.0]), np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.25, 0.75], [0.5, 0.5]]))
    return Parameters(variables, ((), (0,), (0,)), tables, "contradiction")
