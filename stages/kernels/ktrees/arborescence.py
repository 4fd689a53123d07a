"""Maximum branching: the best choice of one entering arc per vertex without a cycle.

Chu & Liu (1965), Edmonds (1967), with mergeable heaps of entering arcs as in Gabow, Galil, Spencer, Tarjan
(1986): O(arcs log arcs).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, njit


class ArcHeaps(NamedTuple):
    """Skew heaps of arcs, largest gain first, ties by the smaller index; a heap is the index of its top.

    Attributes
    ----------
    gains : ndarray of float64, shape (n_arcs,)
        Exact for the top of a heap. Below it, the `debts` of all arcs above must still be subtracted.
    debts : ndarray of float64, shape (n_arcs,)
        Deferred subtraction from the gains of all arcs below.
    left, right : ndarray of int64, shape (n_arcs,)
        -1 for none.
    """

    gains: np.ndarray
    debts: np.ndarray
    left: np.ndarray
    right: np.ndarray


@borrowing
def pay_debt(heaps, top):
    """Push the deferred subtraction of an arc down to the two arcs below it."""
    debt = heaps.debts[top]
    if debt != 0.0:
        for below in (heaps.left[top], heaps.right[top]):
            if below >= 0:
                heaps.gains[below] -= debt
                heaps.debts[below] += debt
        heaps.debts[top] = 0.0


@borrowing
def merge_heaps(heaps, first, second):
    """Merge two heaps; returns the top."""
    top = holder = np.int64(-1)
    while first >= 0 and second >= 0:
        gains = heaps.gains
        if gains[second] > gains[first] or (gains[second] == gains[first] and second < first):
            first, second = second, first
        pay_debt(heaps, first)
        # Skew heap: the merged remainder becomes the left subtree, the former left subtree the right one.
        rest = heaps.right[first]
        heaps.right[first] = heaps.left[first]
        if holder >= 0:
            heaps.left[holder] = first
        else:
            top = first
        holder = first
        first = rest
    rest = first if first >= 0 else second
    if holder < 0:
        return rest
    heaps.left[holder] = rest
    return top


@borrowing
def find_top(above, vertex):
    """The outermost contracted vertex that contains `vertex`, with path halving."""
    while above[vertex] >= 0:
        if above[above[vertex]] >= 0:
            above[vertex] = above[above[vertex]]
        vertex = above[vertex]
    return vertex


@njit
def best_arborescence(n_vertices, tails, heads, gains, entering):
    """The spanning arborescence of largest gain rooted at the last vertex.

    Parameters
    ----------
    n_vertices : int
        The root included.
    tails, heads : ndarray of int64, shape (n_arcs,)
        Every vertex must be reachable from the root.
    gains : ndarray of float64, shape (n_arcs,)
    entering : ndarray of int64, shape (n_vertices,)
        Filled with the arc into each vertex; -1 for the root.
    """
    n_arcs, root = len(tails), n_vertices - 1
    heaps = ArcHeaps(
        gains=gains.copy(),
        debts=np.zeros(n_arcs),
        left=np.full(n_arcs, -1, dtype=np.int64),
        right=np.full(n_arcs, -1, dtype=np.int64),
    )
    # Each contraction replaces two or more vertices by one, so there are fewer than n of them.
    n_most = 2 * n_vertices
    tops = np.full(n_most, -1, dtype=np.int64)
    for arc in range(n_arcs):
        tops[heads[arc]] = merge_heaps(heaps, tops[heads[arc]], np.int64(arc))
    above = np.full(n_most, -1, dtype=np.int64)
    around = np.full(n_most, -1, dtype=np.int64)
    taken = np.full(n_most, -1, dtype=np.int64)
    on_path = np.zeros(n_most, dtype=np.bool_)
    settled = np.zeros(n_most, dtype=np.bool_)
    settled[root] = True
    path = np.empty(n_most, dtype=np.int64)
    n_known = n_vertices
    for start in range(n_vertices):
        # The path runs against the arcs: each vertex on it is entered from the next one, by its best arc.
        vertex = find_top(above, start)
        depth = 0
        while not settled[vertex]:
            if on_path[vertex]:
                # A cycle: the vertices on the path back to this one are contracted.
                merged = np.int64(-1)
                while True:
                    depth -= 1
                    member = path[depth]
                    on_path[member] = False
                    # `above` is shortened by `find_top`; `around` keeps the innermost cycle for `_unfold`.
                    above[member] = around[member] = n_known
                    merged = merge_heaps(heaps, merged, tops[member])
                    if member == vertex:
                        break
                tops[n_known] = merged
                vertex = n_known
                n_known += 1
            arc = tops[vertex]
            # Arcs whose tail lies in the contracted vertex itself would close a cycle.
            while find_top(above, tails[arc]) == vertex:
                pay_debt(heaps, arc)
                arc = merge_heaps(heaps, heaps.left[arc], heaps.right[arc])
            # Gains of the arcs into the vertex become relative to the arc taken (Edmonds' reduced weights).
            taken[vertex] = arc
            tops[vertex] = arc
            heaps.debts[arc] += heaps.gains[arc]
            heaps.gains[arc] = 0.0
            on_path[vertex] = True
            path[depth] = vertex
            depth += 1
            vertex = find_top(above, tails[arc])
        # The path ended at a settled vertex, so the root now reaches every vertex on it.
        for k in range(depth):
            settled[path[k]] = True
            on_path[path[k]] = False
    _unfold(n_known, root, heads, around, taken, entering)


@borrowing
def _unfold(n_known, root, heads, around, taken, entering):
    """Expand the contractions, the last first: the arc into a cycle replaces the cycle's arc into the same head."""
    entering[:] = -1
    for outer in range(n_known - 1, -1, -1):
        # Members of a cycle have smaller numbers than the cycle, so an arc passed to one is final when expanded.
        if outer == root or taken[outer] < 0:
            continue
        arc = taken[outer]
        member = heads[arc]
        if outer < len(entering):
            entering[outer] = arc
            continue
        # Climb from the arc's head through the cycles that contain it, up to the member of this cycle.
        while around[member] != outer:
            member = around[member]
        taken[member] = arc
