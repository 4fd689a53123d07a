"""A network with parameters as flat arrays."""

from typing import NamedTuple

import numpy as np


class NetworkArrays(NamedTuple):
    """Probability tables of all families in one array; n variables, families with m members in total."""

    n_states: np.ndarray  # int64, shape (n,)
    family_start: np.ndarray  # int64, shape (n + 1,): start of each family's members
    family: np.ndarray  # int64, shape (m,): parents in the order of the table's axes, then the variable itself
    strides: np.ndarray  # int64, shape (m,): stride of the member's axis in the table
    membership_start: np.ndarray  # int64, shape (n + 1,)
    membership: np.ndarray  # int64, shape (m,): families, by their child, that contain each variable
    table_start: np.ndarray  # int64, shape (n,)
    probabilities: np.ndarray  # float64
    order: np.ndarray  # int64, shape (n,): topological order of the variables


def new_network_arrays(parents, tables, order):
    """Arrays of a network.

    `tables` (sequence of float64): one per variable, with an axis for each parent and the variable's own axis last.
    `order` (sequence of int): topological.
    """
    n_variables = len(parents)
    members, strides = [], []
    membership = [[] for _ in parents]
    for child, table in enumerate(tables):
        family, step = (*parents[child], child), 1
        steps = []
        for size in reversed(table.shape):
            steps.append(step)
            step *= size
        strides += reversed(steps)
        members += family
        for member in family:
            membership[member].append(child)
    sizes = np.array([table.size for table in tables], dtype=np.int64)
    return NetworkArrays(
        n_states=np.array([table.shape[-1] for table in tables], dtype=np.int64),
        family_start=starts([len(p) + 1 for p in parents]),
        family=np.array(members, dtype=np.int64),
        strides=np.array(strides, dtype=np.int64),
        membership_start=starts([len(m) for m in membership]),
        membership=np.array([f for m in membership for f in m], dtype=np.int64),
        table_start=starts(sizes)[:n_variables],
        probabilities=np.concatenate([np.ravel(t) for t in tables], dtype=np.float64),
        order=np.array(order, dtype=np.int64),
    )


def starts(sizes):
    """Cumulative sums from 0: the start of each part, and the end of the last."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])
