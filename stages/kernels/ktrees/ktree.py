"""Evaluate orders under a treewidth bound: every variable joins a k-tree as it is placed.

The first K + 1 variables of an order form the start clique, on which the DAG is exact. Each later variable takes its
best listed set that is a clique of the k-tree built so far and joins a K-clique that contains it (k-G; Scanagatta,
Corani, de Campos, Zaffalon 2016, section 3). Two placed variables are adjacent exactly when the later one joined a
clique with the earlier one, and any clique lies in the bag of its latest member. So the time to test a set depends
only on its size. Adjacency is a triangular bit matrix; the first test of a set costs one look-up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import clear_bit, has_bit, set_bit
from ..jit import borrowing
from .set_filters import mask_earlier, pair_bit


class KTree(NamedTuple):
    """A k-tree under construction along an order, and the sets chosen in it.

    Attributes
    ----------
    order, position : ndarray of int32, shape (n_variables,)
        A permutation and its inverse.
    bags : ndarray of int32, shape (n_variables + 1, K + 1)
        The clique that a variable formed when it was placed: the K-clique it joined, oldest member first, then
        the variable itself. Ascending for the members of the start clique. The last row is scratch.
    edges : ndarray of uint64
        Bits of the pairs (a <= b) at b (b + 1) / 2 + a; the diagonal marks the variables that are placed.
    chosen : ndarray of int64, shape (n_variables,)
        Index of the set of each variable.
    left_out : ndarray of int32, shape (n_variables,)
        Member of the host's bag that a variable prefers not to join; -1 for none.
    hosts : ndarray of int32, shape (n_variables,)
        Variable whose bag a variable prefers to join if it contains its set; -1 for none.
    n_states : ndarray of float64, shape (n_variables,)
    most_cells : float
        Upper bound on the cells of a bag's table (product of its members' states); infinite for none. A bag with
        fewer than K + 1 members is padded with copies of its variable.
    n_start : int
        Size of the start clique, see `start_size`.
    """

    order: np.ndarray
    position: np.ndarray
    bags: np.ndarray
    edges: np.ndarray
    chosen: np.ndarray
    left_out: np.ndarray
    hosts: np.ndarray
    n_states: np.ndarray
    most_cells: float
    n_start: int


def start_size(n_states: np.ndarray, treewidth: int, most_cells: float) -> int:
    """The largest number m <= K + 1 such that any m variables fit one bag together."""
    # The variables with most states fill a table first: if they fit, any others do.
    cells = np.cumprod(np.sort(n_states)[::-1][: treewidth + 1])
    return int((cells <= most_cells).sum())


def new_ktree(
    n_variables: int, treewidth: int, n_states: np.ndarray | None = None, most_cells: float = np.inf
) -> KTree:
    """An empty k-tree: order 0, 1, 2, ..., no preferences."""
    n = n_variables
    n_states = np.ones(n) if n_states is None else n_states
    return KTree(
        order=np.arange(n, dtype=np.int32),
        position=np.arange(n, dtype=np.int32),
        bags=np.zeros((n + 1, treewidth + 1), dtype=np.int32),
        edges=np.zeros(n * (n + 1) // 128 + 1, dtype=np.uint64),
        chosen=np.zeros(n, dtype=np.int64),
        left_out=np.full(n, -1, dtype=np.int32),
        hosts=np.full(n, -1, dtype=np.int32),
        n_states=n_states,
        most_cells=float(most_cells),
        n_start=start_size(n_states, treewidth, most_cells),
    )


@borrowing
def first_fitting(lists, filters, tree, child, s, place):
    """The first set of `child` from `s` on whose members are adjacent and stand before position `place`."""
    keys, offsets, parents, masks = filters.keys, lists.parent_offsets, lists.parents, filters.masks
    position, edges = tree.position, tree.edges
    # Nearly all sets have a member that stands later; one word of bits excludes them.
    later = ~mask_earlier(filters, position, child, place)
    while not (
        masks[s] & later == 0
        and has_bit(edges, keys[s])
        and stands_before(offsets, parents, position, s, place)
        and is_clique(offsets, parents, edges, s)
    ):
        s += 1
    return s


@borrowing
def is_clique(offsets, parents, edges, s):
    """True when all members of set `s` are adjacent, given that the bit of its key is set.

    Callers test that bit first, inline, because most sets fail there. The inner kernels take plain arrays
    because unpacking the tuples costs more than the test. Unsigned indices avoid numba's check for negative ones.
    """
    found = True
    first = np.uint64(offsets[s])
    # The first two members are the key.
    for i in range(first + np.uint64(2), np.uint64(offsets[s + 1])):
        for j in range(first, i):
            if not has_bit(edges, pair_bit(parents[j], parents[i])):
                found = False
                break
    return found


@borrowing
def stands_before(offsets, parents, position, s, limit):
    """True when all members of set `s` precede position `limit`."""
    found = True
    for i in range(np.uint64(offsets[s]), np.uint64(offsets[s + 1])):
        if position[np.uint32(parents[i])] >= limit:
            found = False
            break
    return found


@borrowing
def is_among(parents, first, end, variable):
    """True when `variable` is among ``parents[first:end]``."""
    found = False
    for i in range(np.uint64(first), np.uint64(end)):
        if parents[i] == variable:
            found = True
            break
    return found


@borrowing
def latest_member(position, parents, first, end):
    """Position of the latest of ``parents[first:end]``; 0, that is the start clique, for the empty set."""
    latest = np.int32(0)
    for i in range(np.uint64(first), np.uint64(end)):
        latest = max(latest, position[np.uint32(parents[i])])
    return latest


@borrowing
def form_bag(bags, host, row, variable, unwanted, parents, first, end, n_states, most_cells):
    """Fill ``bags[row]`` with `variable` and the bag of `host` less one member, or less as many members as the bound
    `most_cells` on a bag's table requires.

    ``parents[first:end]`` stay; together with `variable` they always meet the bound. `unwanted` leaves first, then
    the oldest members; copies of `variable` fill the free entries.
    """
    width = bags.shape[1] - 1
    n_members, cells = 0, n_states[variable]
    for j in range(width + 1):
        # Copies that pad the host's bag are skipped.
        if not is_among(bags[row], 0, n_members, bags[host, j]):
            bags[row, n_members] = bags[host, j]
            cells *= n_states[bags[host, j]]
            n_members += 1
    while n_members > width or cells > most_cells:
        out = -1
        # The first one found is the oldest; only the unwanted member replaces it.
        for j in range(n_members):
            if not is_among(parents, first, end, bags[row, j]) and (out < 0 or bags[row, j] == unwanted):
                out = j
        cells /= n_states[bags[row, out]]
        n_members -= 1
        for j in range(out, n_members):
            bags[row, j] = bags[row, j + 1]
    bags[row, n_members:] = variable


@borrowing
def join_small_bag(bags, edges, host, variable, parents, first, end, n_states, most_cells):
    """As `join_bag` under the bound `most_cells` on a bag's table."""
    row, unwanted = np.int64(variable), np.int32(-1)
    form_bag(bags, host, row, variable, unwanted, parents, first, end, n_states, most_cells)
    add_edges(edges, bags, variable)
    set_bit(edges, pair_bit(variable, variable))


@borrowing
def join_bag(bags, edges, host, variable, parents, first, end):
    """As `form_bag` without an unwanted member, followed by `add_edges`; marks the variable as placed.

    No branch depends on the members: such branches are mispredicted about half of the time, and an order then
    takes 1.5 times as long.
    """
    width = bags.shape[1] - 1
    left_out = width + 1
    # Downwards: the last match is the oldest member that is not a parent.
    for j in range(width, -1, -1):
        inside = False
        for i in range(first, end):
            inside |= parents[i] == bags[host, j]
        left_out = left_out if inside else j
    for j in range(width):
        member = np.uint32(bags[host, np.uint64(j + (j >= left_out))])
        bags[variable, j] = member
        set_bit(edges, pair_bit(member, variable))
    bags[variable, width] = variable
    set_bit(edges, pair_bit(variable, variable))


@borrowing
def add_edges(edges, bags, variable):
    """Make `variable` adjacent to the other members of its bag."""
    for j in range(bags.shape[1]):
        if bags[variable, j] != variable:
            set_bit(edges, pair_bit(bags[variable, j], variable))


@borrowing
def remove_edges(edges, bags, variable):
    """Undo `add_edges`."""
    for j in range(bags.shape[1]):
        if bags[variable, j] != variable:
            clear_bit(edges, pair_bit(bags[variable, j], variable))


@borrowing
def is_in_bag(parents, first, end, bag):
    """True when `bag` contains ``parents[first:end]``."""
    contained = True
    for i in range(first, end):
        if not is_among(bag, 0, len(bag), parents[i]):
            contained = False
            break
    return contained


@borrowing
def join_host(bags, edges, host, left_out, variable):
    """Join `variable` to the bag of `host` less the member `left_out`, and mark it as placed."""
    width = bags.shape[1] - 1
    k = 0
    for j in range(width + 1):
        member = bags[host, j]
        if member != left_out:
            bags[variable, k] = member
            set_bit(edges, pair_bit(member, variable))
            k += 1
    bags[variable, width] = variable
    set_bit(edges, pair_bit(variable, variable))


@borrowing
def join_start_clique(order, bags, edges, size):
    """Place the first `size` variables: all adjacent, with a common bag, ascending."""
    bag = bags[order[0]]
    for t in range(size):
        # Insertion: the members before this one are sorted.
        j = t
        while j > 0 and bag[j - 1] > order[t]:
            bag[j] = bag[j - 1]
            j -= 1
        bag[j] = order[t]
        for i in range(t + 1):
            set_bit(edges, pair_bit(order[i], order[t]))
    # Copies fill the bag where a bound on tables keeps the clique below K + 1 variables.
    for j in range(size, len(bag)):
        bag[j] = bag[size - 1]
    for t in range(1, size):
        for j in range(len(bag)):
            bags[order[t], j] = bag[j]
