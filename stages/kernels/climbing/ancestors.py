"""Ancestors of every variable as bitsets, updated as arcs are added and computed anew when one is removed.

`ancestors[v]` holds the proper ancestors of v. An arc y -> x closes a cycle exactly when x is y or an ancestor of y;
it can be reversed exactly when no other parent of x has y among its ancestors (Giudici and Castelo 2003 keep the same
relation for their random walks).
"""

from __future__ import annotations

import numpy as np

from ..bits import set_bit
from ..jit import borrowing, inlined, njit


@inlined
def in_row(matrix, row, element):
    """True when `element` is in the set that `row` of `matrix` holds."""
    return (matrix[row, element >> 6] >> np.uint64(element & 63)) & np.uint64(1) != 0


@inlined
def closes_cycle(ancestors, child, parent):
    """True when the arc parent -> child would close a cycle."""
    return child == parent or in_row(ancestors, parent, child)


@borrowing
def has_other_path(ancestors, arcs, n_parents, child, parent):
    """True when `parent` reaches `child` by another path than the arc parent -> child.

    `ancestors` is uint64, shape (n_variables, n_words); `arcs` (int32, shape (n_variables, most_parents)) and
    `n_parents` (int32, shape (n_variables,)) have the parents of v as ``arcs[v, :n_parents[v]]``.
    """
    for k in range(n_parents[child]):
        other = np.int64(arcs[child, k])
        if other != parent and in_row(ancestors, other, parent):
            return True
    return False


@borrowing
def add_ancestors(ancestors, child, parent):
    """Extend `ancestors` by the arc parent -> child, which must close no cycle."""
    if in_row(ancestors, child, parent):
        return  # then the ancestors of `parent` are among those of `child`, too
    # `parent` is no descendant of `child`, so its own row does not change on the way.
    for v in range(len(ancestors)):
        if v == child or in_row(ancestors, v, child):
            for w in range(ancestors.shape[1]):
                ancestors[v, w] |= ancestors[parent, w]
            set_bit(ancestors[v], parent)


@borrowing
def collect_ancestors(ancestors, arcs, n_parents, variable):
    """Ancestors of `variable`, from the ancestors of its parents."""
    row = ancestors[variable]
    row[:] = np.uint64(0)
    for k in range(n_parents[variable]):
        parent = np.int64(arcs[variable, k])
        for w in range(ancestors.shape[1]):
            row[w] |= ancestors[parent, w]
        set_bit(row, parent)


@njit
def all_ancestors(ancestors, arcs, n_parents):
    """Compute `ancestors` from the arcs alone, in topological order (Kahn 1962); False when they form a cycle."""
    n_variables = len(n_parents)
    first_child = np.zeros(n_variables + 1, dtype=np.int64)
    for v in range(n_variables):
        for k in range(n_parents[v]):
            first_child[arcs[v, k] + 1] += 1
    for v in range(n_variables):
        first_child[v + 1] += first_child[v]
    children = np.empty(first_child[-1], dtype=np.int32)
    end = first_child[:-1].copy()
    for v in range(n_variables):
        for k in range(n_parents[v]):
            children[end[arcs[v, k]]] = v
            end[arcs[v, k]] += 1
    waiting = n_parents.copy()
    ready = np.empty(n_variables, dtype=np.int32)
    n_ready = 0
    for v in range(n_variables):
        if waiting[v] == 0:
            ready[n_ready] = v
            n_ready += 1
    done = 0
    while done < n_ready:
        parent = np.int64(ready[done])
        done += 1
        collect_ancestors(ancestors, arcs, n_parents, parent)
        for k in range(first_child[parent], end[parent]):
            waiting[children[k]] -= 1
            if waiting[children[k]] == 0:
                ready[n_ready] = children[k]
                n_ready += 1
    return done == n_variables
