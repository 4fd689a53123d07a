"""Uniform k-trees from Dandelion codes (Caminiti, Fusco, Petreschi 2010; used by S2, Nie et al. 2014).

A k-tree with a distinguished K-clique, the root, is represented by a tree on the other variables below a node 0,
which stands for the root. The parent of a variable is the latest member w of the K-clique that it joined (0 for the
root itself). Its label names the missing member of the clique that w joined. Edges to 0 carry no label, all others
one of K labels; such trees are coded by n - K - 1 symbols out of 1 + K (n - K). Every k-tree has 1 + K (n - K)
K-cliques, hence as many codes, and drawing root and symbols uniformly draws k-trees uniformly.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.bits import set_bit
from stages.kernels.jit import njit
from stages.kernels.ktrees.ktree import add_edges, join_start_clique
from stages.kernels.ktrees.set_filters import pair_bit


@njit
def draw_code(rng, order, width, symbols):
    """Draw a root clique and a code.

    Parameters
    ----------
    order : ndarray of int32, shape (n_variables,)
        Filled with a permutation: the root clique, ascending, then the other variables, ascending.
    width : int
        K, less than n_variables.
    symbols : ndarray of int64, shape (n_variables - K - 1,)
        Filled with numbers from 0 to K (n_variables - K), see `decode_ktree`.
    """
    n = len(order)
    for v in range(n):
        order[v] = v
    # The first steps of a Fisher-Yates shuffle: each set of `width` variables is equally likely.
    for t in range(width):
        other = t + int(rng.random() * (n - t))
        order[t], order[other] = order[other], order[t]
    order[:width].sort()
    order[width:].sort()
    for i in range(len(symbols)):
        symbols[i] = int(rng.random() * (1 + width * (n - width)))


@njit
def decode_tree(symbols, width, parents, labels):
    """Turn a code into the tree of parents: symbols are a function with cycles, which are strung together.

    Parameters
    ----------
    symbols : ndarray of int64, shape (N - 1,)
        For the nodes 2 to N: 0, or 1 + K (w - 1) + l for parent w and label l.
    width : int
        K
    parents, labels : ndarray of int64, shape (N + 1,)
        Filled for the nodes 1 to N.
    """
    n = len(parents) - 1
    parents[0] = labels[0] = 0
    parents[1] = labels[1] = 0
    for v in range(2, n + 1):
        symbol = symbols[v - 2]
        parents[v] = 0 if symbol == 0 else (symbol - 1) // width + 1
        labels[v] = 0 if symbol == 0 else (symbol - 1) % width
    seen_from = np.zeros(n + 1, dtype=np.int64)
    is_last = np.zeros(n + 1, dtype=np.bool_)
    for start in range(1, n + 1):
        v = start
        # The walk ends at 0, at a node of an earlier walk, or at a node of its own, which is then on a cycle.
        while v != 0 and seen_from[v] == 0:
            seen_from[v] = start
            v = parents[v]
        if v != 0 and seen_from[v] == start:
            # A cycle; its largest node becomes the last one of its stretch of the path.
            largest, w = v, parents[v]
            while w != v:
                largest = max(largest, w)
                w = parents[w]
            is_last[largest] = True
    # Node 1, then the cycles in descending order of their largest nodes, then 0. So after node 1, exactly the last
    # node of each stretch is larger than all that follow. The tree therefore shows where to cut the path into cycles
    # again, and no two codes give the same tree.
    end = 1
    for v in range(n, 0, -1):
        if is_last[v]:
            parents[end], labels[end], end = parents[v], labels[v], v
    parents[end] = labels[end] = 0


@njit
def decode_ktree(tree, symbols):
    """Build the k-tree of a code.

    ``tree.order`` is as `draw_code` leaves it; `symbols` is int64, shape (n_variables - K - 1,). Filled are
    ``order``, in which every variable comes after the clique it joins, ``position``, ``bags`` and ``edges``.
    """
    order, position, bags, edges = tree.order, tree.position, tree.bags, tree.edges
    n, size = len(order), bags.shape[1]
    width = size - 1
    n_nodes = n - width
    parents = np.empty(n_nodes + 1, dtype=np.int64)
    labels = np.empty(n_nodes + 1, dtype=np.int64)
    decode_tree(symbols, width, parents, labels)
    first = np.zeros(n_nodes + 1, dtype=np.int64)
    following = np.zeros(n_nodes + 1, dtype=np.int64)
    for v in range(n_nodes, 0, -1):
        following[v] = first[parents[v]]
        first[parents[v]] = v
    others = order[width:].copy()
    edges[:] = np.uint64(0)
    # The key of the empty sets, see `growth_states.rebuild`.
    set_bit(edges, np.int64(n) * (n + 1) >> 1)
    waiting = np.empty(n_nodes + 1, dtype=np.int64)
    waiting[0] = 0
    n_waiting, placed = 1, width
    while n_waiting:
        n_waiting -= 1
        above = waiting[n_waiting]
        v = first[above]
        while v != 0:
            variable = others[v - 1]
            for j in range(width):
                bags[variable, j] = order[j] if above == 0 else bags[others[above - 1], j]
            # The clique that `above` formed, less the member that the label names: `above` takes its place.
            if above != 0:
                bags[variable, labels[v]] = others[above - 1]
            bags[variable, width] = variable
            order[placed] = variable
            placed += 1
            waiting[n_waiting] = v
            n_waiting += 1
            v = following[v]
    # Last, since it overwrites the bags of the first K + 1 variables, which other bags were made from.
    join_start_clique(order, bags, edges, size)
    for t in range(n):
        position[order[t]] = t
        if t >= size:
            add_edges(edges, bags, order[t])
            set_bit(edges, pair_bit(order[t], order[t]))
