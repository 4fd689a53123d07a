"""A network with parameters as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class NetworkArrays(NamedTuple):
    """Probability tables of all families in one array; n variables, families with m members in total.

    Attributes
    ----------
    n_states : ndarray of int64, shape (n,)
    family_start : ndarray of int64, shape (n + 1,)
        Start of each family's members.
    family : ndarray of int64, shape (m,)
        Parents in the order of the table's axes, then the variable itself.
    strides : ndarray of int64, shape (m,)
        Stride of the member's axis in the table.
    membership_start : ndarray of int64, shape (n + 1,)
    membership : ndarray of int64, shape (m,)
        Families, by their child, that contain each variable.
    table_start : ndarray of int64, shape (n,)
    probabilities : ndarray of float64
    order : ndarray of int64, shape (n,)
        Topological order of the variables.
    """

    n_states: np.ndarray
    family_start: np.ndarray
    family: np.ndarray
    strides: np.ndarray
    membership_start: np.ndarray
    membership: np.ndarray
    table_start: np.ndarray
    probabilities: np.ndarray
    order: np.ndarray


def new_network_arrays(parents, tables, order):
    """Arrays of a network.

    Parameters
    ----------
    tables : sequence of ndarray of float64
        One per variable, with an axis for each parent and the variable's own axis last.
    order : sequence of int
        Topological.
    """
    n_variables = len(parents)
    members, strides = [], []
    membership = [[] for _ in parents]
    for child, table in enumerate(tables):
        for axis, member in enumerate((*parents[child], child)):
            members.append(member)
            strides.append(int(np.prod(table.shape[axis + 1 :], dtype=np.int64)))
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
        probabilities=np.concatenate([np.ascontiguousarray(t, dtype=np.float64).ravel() for t in tables]),
        order=np.array(order, dtype=np.int64),
    )


def starts(sizes):
    """Cumulative sums from 0: the start of each part, and the end of the last."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])
