"""A component's junction tree, laid out for propagation.

A clique's table has an axis for each variable: those of its separator, which it shares with the clique it hands its
message to, come first. So the message is a sum over consecutive cells. Factors, tables of families with observed
variables fixed and messages, are found by strides, 0 along axes that a factor does not have.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import njit
from .elimination import best_order, eliminate, hidden_graph, join_chains, list_bits


class CliquePlan(NamedTuple):
    """Cliques of a component, each before the one it hands its message to; c cliques, f factors.

    Attributes
    ----------
    axis_start : ndarray of int64, shape (c + 1,)
    axes : ndarray of int64
        The variable of each axis.
    n_separators : ndarray of int64, shape (c,)
        Leading axes that are shared with the heir.
    heirs : ndarray of int64, shape (c,)
        The clique that takes the message; -1 for the root.
    handed : ndarray of int64, shape (c,)
        The factor that the message is there; -1 for the root.
    cell_start, message_start : ndarray of int64, shape (c + 1,)
        Where tables and messages begin, in cells of one row.
    factor_start : ndarray of int64, shape (c + 1,)
    sources : ndarray of int64, shape (f,)
        The variable whose family's table a factor is; for the message of clique i, -1 - i.
    stride_start : ndarray of int64, shape (f,)
        Where a factor's strides begin, one for each axis of its clique.
    strides : ndarray of int64
    """

    axis_start: np.ndarray
    axes: np.ndarray
    n_separators: np.ndarray
    heirs: np.ndarray
    handed: np.ndarray
    cell_start: np.ndarray
    message_start: np.ndarray
    factor_start: np.ndarray
    sources: np.ndarray
    stride_start: np.ndarray
    strides: np.ndarray


@njit
def order_component(network, members, families, ranks, is_joined, local):
    """The graph of a component eliminated in the best order found.

    Parameters
    ----------
    network : NetworkArrays
    members, families : ndarray of int64
        See `elimination.hidden_graph`.
    ranks : ndarray of int64, shape (n,)
        An order of all variables that is tried, too.
    is_joined : ndarray of bool, shape (n,)
    local : ndarray of int64, shape (n,)
        Scratch, -1 everywhere before and after.

    Returns
    -------
    order : ndarray of int64, shape (k,)
    later, heirs
        See `elimination.eliminate`.
    """
    k = len(members)
    for i in range(k):
        local[members[i]] = i
    graph = hidden_graph(network, members, families, is_joined, local)
    sizes, own_ranks = np.empty(k), np.empty(k, dtype=np.int64)
    for i in range(k):
        sizes[i] = network.n_states[members[i]]
        own_ranks[i] = ranks[members[i]]
        local[members[i]] = -1
    order = best_order(graph, sizes, own_ranks)
    later, heirs = eliminate(graph, order)
    return order, later, heirs


@njit
def measure(network, members, order, later, heirs):
    """What a junction tree costs.

    Returns
    -------
    cells, message_cells : float
        Of all tables, of all messages, for one row.
    width : int
        Variables of the largest clique less one.
    largest : float
        Cells of the largest table.
    """
    first, following = join_chains(order, later, heirs)
    listed = np.empty(len(order), dtype=np.int64)
    cells, message_cells, largest, width = 0.0, 0.0, 0.0, np.int64(-1)
    for v in order:
        if first[v] < 0:
            continue
        size = 1.0
        n_separators = list_bits(later[v], listed)
        for i in range(n_separators):
            size *= network.n_states[members[listed[i]]]
        message_cells += size
        u = first[v]
        while u >= 0:
            size *= network.n_states[members[u]]
            n_separators += 1
            u = following[u]
        cells += size
        largest = max(largest, size)
        width = max(width, n_separators - 1)
    return cells, message_cells, width, largest


@njit
def lay_out(network, members, families, order, later, heirs):
    """Make the plan of a component.

    Parameters
    ----------
    network : NetworkArrays
    members, families : ndarray of int64
    order, later, heirs
        See `order_component`.

    Returns
    -------
    CliquePlan
    """
    first, following = join_chains(order, later, heirs)
    k = len(order)
    n_cliques = 0
    clique_of = np.empty(k, dtype=np.int64)  # the clique that each vertex is summed out of
    for v in order:
        if first[v] >= 0:
            u = first[v]
            while u >= 0:
                clique_of[u] = n_cliques
                u = following[u]
            n_cliques += 1
    axis_start, axes, n_separators, clique_heirs = _list_axes(
        members, order, later, heirs, first, following, clique_of, n_cliques
    )
    cell_start = np.zeros(n_cliques + 1, dtype=np.int64)
    message_start = np.zeros(n_cliques + 1, dtype=np.int64)
    for clique in range(n_cliques):
        cells = 1
        for axis in range(axis_start[clique], axis_start[clique + 1]):
            if axis - axis_start[clique] == n_separators[clique]:
                message_start[clique + 1] = message_start[clique] + cells
            cells *= network.n_states[axes[axis]]
        cell_start[clique + 1] = cell_start[clique] + cells
    factor_start, sources, handed = _list_factors(
        network, members, families, order, clique_of, clique_heirs, n_cliques
    )
    stride_start, strides = _find_strides(network, axis_start, axes, n_separators, factor_start, sources)
    return CliquePlan(
        axis_start=axis_start,
        axes=axes,
        n_separators=n_separators,
        heirs=clique_heirs,
        handed=handed,
        cell_start=cell_start,
        message_start=message_start,
        factor_start=factor_start,
        sources=sources,
        stride_start=stride_start,
        strides=strides,
    )


@njit
def _list_axes(members, order, later, heirs, first, following, clique_of, n_cliques):
    axis_start = np.zeros(n_cliques + 1, dtype=np.int64)
    n_separators = np.empty(n_cliques, dtype=np.int64)
    clique_heirs = np.full(n_cliques, -1, dtype=np.int64)
    listed = np.empty(len(order), dtype=np.int64)
    n_axes = np.int64(0)
    for v in order:
        if first[v] >= 0:
            n_axes += list_bits(later[first[v]], listed) + 1
    axes = np.empty(n_axes, dtype=np.int64)
    clique, at = np.int64(0), np.int64(0)
    for v in order:
        if first[v] < 0:
            continue
        n_separators[clique] = list_bits(later[v], listed)
        for i in range(n_separators[clique]):
            axes[at] = members[listed[i]]
            at += 1
        u = first[v]
        while u >= 0:
            axes[at] = members[u]
            at += 1
            u = following[u]
        if heirs[v] >= 0:
            clique_heirs[clique] = clique_of[heirs[v]]
        clique += 1
        axis_start[clique] = at
    return axis_start, axes, n_separators, clique_heirs


@njit
def _list_factors(network, members, families, order, clique_of, clique_heirs, n_cliques):
    """Families go to the clique that sums out the first of their hidden variables, messages to the heir."""
    k = len(order)
    place = np.full(len(network.n_states), k, dtype=np.int64)
    for step in range(k):
        place[members[order[step]]] = step
    home = np.empty(len(families), dtype=np.int64)
    factor_start = np.zeros(n_cliques + 1, dtype=np.int64)
    for i in range(len(families)):
        earliest = k
        for m in range(network.family_start[families[i]], network.family_start[families[i] + 1]):
            earliest = min(earliest, place[network.family[m]])
        home[i] = clique_of[order[earliest]]
        factor_start[home[i] + 1] += 1
    for clique in range(n_cliques):
        if clique_heirs[clique] >= 0:
            factor_start[clique_heirs[clique] + 1] += 1
    for clique in range(n_cliques):
        factor_start[clique + 1] += factor_start[clique]
    free = factor_start[:n_cliques].copy()
    sources = np.empty(factor_start[n_cliques], dtype=np.int64)
    handed = np.full(n_cliques, -1, dtype=np.int64)
    for i in range(len(families)):
        sources[free[home[i]]] = families[i]
        free[home[i]] += 1
    for clique in range(n_cliques):
        heir = clique_heirs[clique]
        if heir >= 0:
            sources[free[heir]] = -1 - clique
            handed[clique] = free[heir]
            free[heir] += 1
    return factor_start, sources, handed


@njit
def _find_strides(network, axis_start, axes, n_separators, factor_start, sources):
    n_cliques = len(n_separators)
    stride_start = np.empty(len(sources), dtype=np.int64)
    total = np.int64(0)
    for clique in range(n_cliques):
        for factor in range(factor_start[clique], factor_start[clique + 1]):
            stride_start[factor] = total
            total += axis_start[clique + 1] - axis_start[clique]
    strides = np.zeros(total, dtype=np.int64)
    axis_of = np.full(len(network.n_states), -1, dtype=np.int64)
    for clique in range(n_cliques):
        begin, end = axis_start[clique], axis_start[clique + 1]
        for axis in range(begin, end):
            axis_of[axes[axis]] = axis - begin
        for factor in range(factor_start[clique], factor_start[clique + 1]):
            source, at = sources[factor], stride_start[factor]
            if source >= 0:
                for m in range(network.family_start[source], network.family_start[source + 1]):
                    if axis_of[network.family[m]] >= 0:
                        strides[at + axis_of[network.family[m]]] = network.strides[m]
                continue
            giver = -1 - source
            stride = np.int64(1)
            for i in range(n_separators[giver] - 1, -1, -1):
                variable = axes[axis_start[giver] + i]
                strides[at + axis_of[variable]] = stride
                stride *= network.n_states[variable]
        for axis in range(begin, end):
            axis_of[axes[axis]] = -1
    return stride_start, strides
