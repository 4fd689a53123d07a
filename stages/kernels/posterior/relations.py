"""How often variables are ancestors of others, and in their Markov blankets, in sampled networks."""

from __future__ import annotations

import numpy as np

from ..jit import njit


@njit
def enter_ancestors(set_of, parent_offsets, parents, above):
    """The ancestors of every variable of a network, by passing on what parents have until nothing changes.

    Parameters
    ----------
    set_of : ndarray of int32, shape (n_variables,)
    parent_offsets : ndarray of int64
    parents : ndarray of int32
    above : ndarray of bool, shape (n_variables, n_variables)
        Receives whether entry [v, a]: a is an ancestor of v.
    """
    above[:] = False
    is_changing = True
    while is_changing:
        is_changing = False
        for v in range(len(set_of)):
            own = above[v]
            for k in range(parent_offsets[set_of[v]], parent_offsets[set_of[v] + 1]):
                parent = parents[k]
                is_changing |= not own[parent]
                own[parent] = True
                for a in range(len(own)):
                    if above[parent, a] and not own[a]:
                        own[a] = True
                        is_changing = True


@njit
def enter_blankets(set_of, parent_offsets, parents, blankets):
    """The Markov blanket of every variable: parents, children, and other parents of these; arguments alike."""
    blankets[:] = False
    for v in range(len(set_of)):
        first, end = parent_offsets[set_of[v]], parent_offsets[set_of[v] + 1]
        for k in range(first, end):
            blankets[v, parents[k]] = True
            blankets[parents[k], v] = True
            for i in range(first, k):
                blankets[parents[k], parents[i]] = True
                blankets[parents[i], parents[k]] = True


@njit
def count_relations(samples, parent_offsets, parents, of_blankets, counts):
    """Add up over networks.

    Parameters
    ----------
    samples : ndarray of int32, shape (n_samples, n_variables)
        The sets chosen.
    parent_offsets : ndarray of int64
    parents : ndarray of int32
    of_blankets : bool
        Markov blankets rather than ancestors.
    counts : ndarray of float64, shape (n_variables, n_variables)
        Entry [a, v] grows with every network in which a is an ancestor of v, or in its blanket.
    """
    n = samples.shape[1]
    related = np.empty((n, n), dtype=np.bool_)
    for t in range(len(samples)):
        if of_blankets:
            enter_blankets(samples[t], parent_offsets, parents, related)
        else:
            enter_ancestors(samples[t], parent_offsets, parents, related)
        for v in range(n):
            for a in range(n):
                if related[v, a]:
                    counts[a, v] += 1.0
