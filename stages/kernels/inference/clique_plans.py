"""A component's junction tree, laid out for propagation.

Each clique's table has one axis per variable, first the variables of the separator to its parent. So a message to the
parent reduces runs of consecutive cells. Factors (family tables restricted to the observed states, and messages) are
addressed by strides, 0 along the axes that a factor lacks.
"""

from typing import NamedTuple

import numpy as np

from ..jit import njit
from .elimination import best_order, eliminate, end_with, hidden_graph, join_chains, list_bits


class CliquePlan(NamedTuple):
    """Cliques of a component, children before parents; c cliques, f factors."""

    axis_start: np.ndarray  # int64, shape (c + 1,)
    axes: np.ndarray  # int64: the variable of each axis
    sizes: np.ndarray  # int64: the number of states of each axis
    n_separators: np.ndarray  # int64, shape (c,): number of leading axes that are shared with the parent
    tree_parents: np.ndarray  # int64, shape (c,): the clique that receives the message; -1 for a root
    message_factors: np.ndarray  # int64, shape (c,): index of the message among the parent's factors; -1 for a root
    # `cell_start`, `message_start`: int64, shape (c + 1,): start of each table and message, in cells of one row.
    cell_start: np.ndarray
    message_start: np.ndarray
    factor_start: np.ndarray  # int64, shape (c + 1,)
    # int64, shape (f,): the child of the family that is the factor; -1 - i for the message of clique i.
    sources: np.ndarray
    stride_start: np.ndarray  # int64, shape (f,): start of each factor's strides, one per axis of its clique
    strides: np.ndarray  # int64
    # int64, shape (f,): number of leading axes of its clique up to the last one that each factor has; and the factors
    # of each clique by that number.
    depths: np.ndarray
    by_depth: np.ndarray


class Elimination(NamedTuple):
    """A component eliminated in some order; k members, numbered by their position among the members."""

    order: np.ndarray  # int64, shape (k,)
    later: np.ndarray  # uint64, shape (k, words)
    tree_parents: np.ndarray  # int64, shape (k,): see `elimination.eliminate`
    # `first`, `following`: int64, shape (k,): see `elimination.join_chains`.
    first: np.ndarray
    following: np.ndarray


@njit
def eliminate_component(network, members, families, query, local):
    """Eliminate a component in the cheapest order found.

    Returns an `Elimination`.

    Parameters
    ----------
    members, families : ndarray of int64
        See `components.Groups`.
    query : answers.Query
        ``ranks``, an order to try; ``is_joined``, members that one clique must contain; ``target_start``: if exactly
        one member is a target, the last clique contains it, so that no message goes back.
    local : ndarray of int64, shape (n,)
        Scratch, -1 everywhere before and after.
    """
    k = len(members)
    for i in range(k):
        local[members[i]] = i
    graph = hidden_graph(network, members, families, query.is_joined, local)
    local[members] = -1
    order = best_order(graph, network.n_states[members].astype(np.float64), query.ranks[members])
    later, tree_parents = eliminate(graph, order)
    targets = np.flatnonzero(query.target_start[members] >= 0)
    if len(targets) == 1 and order[k - 1] != targets[0]:
        order = end_with(later, targets[0])
        later, tree_parents = eliminate(graph, order)
    first, following = join_chains(order, later, tree_parents)
    return Elimination(order=order, later=later, tree_parents=tree_parents, first=first, following=following)


@njit
def measure(network, members, eliminated):
    """Cost of a junction tree for one row.

    Returns total cells of the tables, total cells of the messages, and the width: size of the largest clique minus
    one.
    """
    listed = np.empty(len(members), dtype=np.int64)
    cells, message_cells, width = 0.0, 0.0, np.int64(-1)
    for v in eliminated.order:
        if eliminated.first[v] < 0:
            continue
        size = 1.0
        n_axes = list_bits(eliminated.later[v], listed)
        for i in range(n_axes):
            size *= network.n_states[members[listed[i]]]
        message_cells += size
        # Later neighbours of the last vertex are the separator, the vertices of the chain the rest.
        u = eliminated.first[v]
        while u >= 0:
            size *= network.n_states[members[u]]
            n_axes += 1
            u = eliminated.following[u]
        cells += size
        width = max(width, n_axes - 1)
    return cells, message_cells, width


@njit
def lay_out(network, members, families, eliminated):
    """The `CliquePlan` of a component from its elimination."""
    n_cliques = 0
    clique_of = np.empty(len(members), dtype=np.int64)  # the clique that eliminates each vertex
    for v in eliminated.order:
        u = eliminated.first[v]
        if u >= 0:
            while u >= 0:
                clique_of[u] = n_cliques
                u = eliminated.following[u]
            n_cliques += 1
    axis_start, axes, n_separators, tree_parents = _list_axes(members, eliminated, clique_of, n_cliques)
    sizes = network.n_states[axes]
    cell_start = np.zeros(n_cliques + 1, dtype=np.int64)
    message_start = np.zeros(n_cliques + 1, dtype=np.int64)
    for clique in range(n_cliques):
        cells = 1
        for axis in range(axis_start[clique], axis_start[clique + 1]):
            if axis - axis_start[clique] == n_separators[clique]:
                # Reached in every clique, as it eliminates a variable: so far `cells` is the product over the
                # separator.
                message_start[clique + 1] = message_start[clique] + cells
            cells *= sizes[axis]
        cell_start[clique + 1] = cell_start[clique] + cells
    factor_start, sources, message_factors = _list_factors(
        network, members, families, eliminated.order, clique_of, tree_parents
    )
    stride_start, strides = _find_strides(network, axis_start, axes, n_separators, factor_start, sources)
    depths, by_depth = _order_factors(axis_start, factor_start, stride_start, strides)
    return CliquePlan(
        axis_start=axis_start,
        axes=axes,
        sizes=sizes,
        n_separators=n_separators,
        tree_parents=tree_parents,
        message_factors=message_factors,
        cell_start=cell_start,
        message_start=message_start,
        factor_start=factor_start,
        sources=sources,
        stride_start=stride_start,
        strides=strides,
        depths=depths,
        by_depth=by_depth,
    )


@njit
def _list_axes(members, eliminated, clique_of, n_cliques):
    """Axes of each clique, the separator's first, and its parent.

    A chain ends in vertex v, so the later neighbours of v are the separator, and the clique that eliminates the
    parent of v in the elimination tree contains them all: the running intersection property.
    """
    axis_start = np.zeros(n_cliques + 1, dtype=np.int64)
    n_separators = np.empty(n_cliques, dtype=np.int64)
    tree_parents = np.full(n_cliques, -1, dtype=np.int64)
    listed = np.empty(len(members), dtype=np.int64)
    n_axes = np.int64(0)
    for v in eliminated.order:
        if eliminated.first[v] >= 0:
            n_axes += list_bits(eliminated.later[eliminated.first[v]], listed) + 1
    axes = np.empty(n_axes, dtype=np.int64)
    clique, at = np.int64(0), np.int64(0)
    for v in eliminated.order:
        u = eliminated.first[v]
        if u < 0:
            continue
        n_separators[clique] = list_bits(eliminated.later[v], listed)
        for i in range(n_separators[clique]):
            axes[at] = members[listed[i]]
            at += 1
        while u >= 0:
            axes[at] = members[u]
            at += 1
            u = eliminated.following[u]
        if eliminated.tree_parents[v] >= 0:
            tree_parents[clique] = clique_of[eliminated.tree_parents[v]]
        clique += 1
        axis_start[clique] = at
    return axis_start, axes, n_separators, tree_parents


@njit
def _list_factors(network, members, families, order, clique_of, tree_parents):
    """Assign each family to the clique that eliminates its first hidden member, and each message to the parent.

    The hidden members of a family are adjacent in the graph, so the clique that eliminates the first contains all.
    """
    n_cliques, k = len(tree_parents), len(order)
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
        if tree_parents[clique] >= 0:
            factor_start[tree_parents[clique] + 1] += 1
    for clique in range(n_cliques):
        factor_start[clique + 1] += factor_start[clique]
    # The next free place of each clique: families first, then messages.
    free = factor_start[:n_cliques].copy()
    sources = np.empty(factor_start[n_cliques], dtype=np.int64)
    message_factors = np.full(n_cliques, -1, dtype=np.int64)
    for i in range(len(families)):
        sources[free[home[i]]] = families[i]
        free[home[i]] += 1
    for clique in range(n_cliques):
        parent = tree_parents[clique]
        if parent >= 0:
            sources[free[parent]] = -1 - clique
            message_factors[clique] = free[parent]
            free[parent] += 1
    return factor_start, sources, message_factors


@njit
def _find_strides(network, axis_start, axes, n_separators, factor_start, sources):
    """Strides of every factor along its clique's axes; a message is laid out as its sender's separator."""
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
            sender = -1 - source
            # The separator's last axis runs fastest, as `_reduce` leaves it; all its variables are in this clique.
            stride = np.int64(1)
            for i in range(n_separators[sender] - 1, -1, -1):
                variable = axes[axis_start[sender] + i]
                strides[at + axis_of[variable]] = stride
                stride *= network.n_states[variable]
        for axis in range(begin, end):
            axis_of[axes[axis]] = -1
    return stride_start, strides


@njit
def _order_factors(axis_start, factor_start, stride_start, strides):
    """Depth of each factor, and the factors of each clique by their depth."""
    depths, by_depth = np.zeros(len(stride_start), dtype=np.int64), np.arange(len(stride_start))
    for clique in range(len(factor_start) - 1):
        begin, end = factor_start[clique], factor_start[clique + 1]
        for factor in range(begin, end):
            for axis in range(axis_start[clique + 1] - axis_start[clique]):
                if strides[stride_start[factor] + axis] > 0:
                    depths[factor] = axis + 1
        by_depth[begin:end] = begin + np.argsort(depths[begin:end], kind="mergesort")
    return depths, by_depth
