"""Frequencies of ancestors and of members of Markov blankets in sampled networks."""

import numpy as np

from ..bits import WORD_BITS, has_bit, lowest_bit, set_bit
from ..jit import njit


@njit
def enter_ancestors(set_of, parent_offsets, parents, above):
    """The ancestors of every variable of a network: unions over parents, repeated until nothing changes.

    `set_of` is int32, shape (n_variables,). `above` (uint64, shape (n_variables, n_words)): receives a bitset for
    each variable v: its ancestors. Returns the work: words united.
    """
    above[:] = np.uint64(0)
    work = 0
    # Every pass carries ancestors over at least one more arc. So there are at most as many passes as the longest path
    # has arcs, and one without a change.
    is_changing = True
    while is_changing:
        is_changing = False
        for v in range(len(set_of)):
            own = above[v]
            for k in range(parent_offsets[set_of[v]], parent_offsets[set_of[v] + 1]):
                parent = np.int64(parents[k])
                is_changing |= not has_bit(own, parent)
                set_bit(own, parent)
                for w in range(len(own)):
                    gained = above[parent, w] & ~own[w]
                    own[w] |= gained
                    is_changing |= gained != 0
                work += len(own)
    return work


@njit
def enter_blankets(set_of, parent_offsets, parents, blankets):
    """The Markov blanket of every variable: parents, children, and their other parents; as `enter_ancestors`."""
    blankets[:] = np.uint64(0)
    work = 0
    for v in range(len(set_of)):
        first, end = parent_offsets[set_of[v]], parent_offsets[set_of[v] + 1]
        for k in range(first, end):
            parent = np.int64(parents[k])
            set_bit(blankets[v], parent)
            set_bit(blankets[parent], v)
            # Each pair of parents once: they share the child.
            for i in range(first, k):
                other = np.int64(parents[i])
                set_bit(blankets[parent], other)
                set_bit(blankets[other], parent)
        work += (end - first) * (end - first)
    return work


@njit
def count_relations(samples, parent_offsets, parents, of_blankets, related, counts, start, most_work):
    """Count the related pairs of the networks from `start` on, until about `most_work` words are processed.

    Returns the network to continue from; ``n_samples`` when all is done.

    Parameters
    ----------
    samples : ndarray of int32, shape (n_samples, n_variables)
        Index of each variable's set.
    of_blankets : bool
        Markov blankets rather than ancestors.
    related : ndarray of uint64, shape (n_variables, n_words)
        Scratch.
    counts : ndarray of float64, shape (n_variables, n_variables)
        Entry [a, v] is increased by the number of networks in which a is an ancestor of v, or in the blanket of v.
    """
    work = 0
    t = start
    while t < len(samples) and work < most_work:
        if of_blankets:
            work += enter_blankets(samples[t], parent_offsets, parents, related)
        else:
            work += enter_ancestors(samples[t], parent_offsets, parents, related)
        for v in range(len(related)):
            for w in range(related.shape[1]):
                left = related[v, w]
                while left:
                    counts[w * WORD_BITS + np.int64(lowest_bit(left)), v] += 1.0
                    left &= left - np.uint64(1)
                    work += 1
        work += related.size
        t += 1
    return t


@njit
def mark_ancestors(samples, parent_offsets, parents, pairs, related, is_above, start, most_work):
    """The networks in which given variables are ancestors of others; other arguments as in `count_relations`.

    `pairs` (int64, shape (n_pairs, 2)): ancestor, descendant. `is_above` (bool, shape (n_pairs, n_samples)): receives
    the result. Returns the network to continue from.
    """
    work = 0
    t = start
    while t < len(samples) and work < most_work:
        work += enter_ancestors(samples[t], parent_offsets, parents, related)
        for i in range(len(pairs)):
            is_above[i, t] = has_bit(related[pairs[i, 1]], pairs[i, 0])
        work += len(pairs)
        t += 1
    return t
