"""Edges of a k-tree for the Lagrangian bound under a treewidth bound: the dearest choice of pairs.

The moral graph of a network of treewidth at most K on n > K variables is part of a K-tree, which has Kn - K(K+1)/2
edges. Any s of its vertices have at most Ks - K(K+1)/2 edges among them if s >= K, else s(s-1)/2; both are at most
Ks - l for s >= 2 with l = min(K(K+1)/2, 2K - 1). The sets of edges that keep to Ks - l are the independent sets of a
matroid, so a greedy choice is dearest; the pebble game decides whether an edge fits (Lee and Streinu 2008): each
vertex has K pebbles, an edge takes one of a vertex at its end, and fits if l + 1 pebbles can be moved to its ends.

A row of the relaxation says that some sets have no greater share together than an edge that each of them needs. The
sets of a row hold the arc between its two ends, or join one of three variables to both others (`EdgeRows`). With
`triangles` the sets of the second kind need a triangle instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, inlined, njit
from .triangles import Triangles, choose_triangles, no_triangles, pass_to_edges, price_columns, subtract_given


class Edges(NamedTuple):
    """The edges that rows need, each a pair u < v of n variables, and the latest choice among them.

    Columns are the edges, then the triangles.

    Attributes
    ----------
    ends : ndarray of int64, shape (n_edges,)
        u * n + v.
    needed : ndarray of int64, shape (n_rows,)
        For each row over sets, the index of the column that these need.
    triangles : Triangles
        Triangles, and rows over columns. If there are any triangles, all pairs are edges.
    width : int
        K, the treewidth bound.
    most : int
        Number of edges of a K-tree.
    lack : int
        l: any s vertices have at most Ks - l edges among them; negative if no such limit is kept.
    worths : ndarray of float64, shape (n_columns,)
        Scratch: minus the worth of each column in nats.
    chosen : ndarray of bool, shape (n_columns,)
        The latest choice.
    shares : ndarray of float64, shape (n_columns,)
        Averaged choices.
    used : ndarray of int64, shape (n,)
        Scratch: edges that took a pebble of each variable.
    heads : ndarray of int32, shape (n, K)
        Scratch: the other ends of these edges.
    came, stack : ndarray of int32, shape (n,)
        Scratch of the search for a pebble.
    rigid : ndarray of uint64, shape (n + 1, 1 + n // 64)
        Scratch: for each vertex a bit for each other with which it is among vertices that have all the edges they may
        have; the last row is free. Without rows if no such limit is kept.
    looked : ndarray of int64, shape (1,)
        Edges looked at in searches for pebbles; only ever counted up.
    """

    ends: np.ndarray
    needed: np.ndarray
    triangles: Triangles
    width: int
    most: int
    lack: int
    worths: np.ndarray
    chosen: np.ndarray
    shares: np.ndarray
    used: np.ndarray
    heads: np.ndarray
    came: np.ndarray
    stack: np.ndarray
    rigid: np.ndarray
    looked: np.ndarray


class EdgeRows(NamedTuple):
    """The rows found so far, by what their sets hold.

    Attributes
    ----------
    arcs : ndarray of int32, shape (n * n,)
        For u * n + v and v * n + u the row of the sets with an arc between u and v; -1 for none.
    offsets : ndarray of int64, shape (n + 1,)
        The triangles of variable v are ``triangles[offsets[v]:offsets[v + 1]]``.
    others : ndarray of int32
        For each entry of `triangles` the other two variables a < b, as a * n + b.
    triangles : ndarray of int32
        Indices into `rows`.
    rows : ndarray of int32, shape (n_triangles, 3)
        The rows of the sets that join one variable of the triangle to both others, one for each of its edges; -1 for
        none.
    four_offsets, four_others, fours, four_rows : ndarray
        The same of four variables, the others as (a * n + b) * n + c: the rows of the sets that join one variable to
        all others, one for each triangle among the four.
    """

    arcs: np.ndarray
    offsets: np.ndarray
    others: np.ndarray
    triangles: np.ndarray
    rows: np.ndarray
    four_offsets: np.ndarray
    four_others: np.ndarray
    fours: np.ndarray
    four_rows: np.ndarray


def new_edges(n_variables: int, width: int, is_sparse: bool) -> Edges:
    """No rows, no edges; `is_sparse` keeps the limit on the edges among any vertices."""
    return Edges(
        ends=np.empty(0, dtype=np.int64),
        needed=np.empty(0, dtype=np.int64),
        triangles=no_triangles(0),
        width=width,
        most=width * n_variables - width * (width + 1) // 2,
        lack=min(width * (width + 1) // 2, 2 * width - 1) if is_sparse else -1,
        worths=np.empty(0),
        chosen=np.empty(0, dtype=np.bool_),
        shares=np.empty(0),
        used=np.zeros(n_variables, dtype=np.int64),
        heads=np.empty((n_variables, width), dtype=np.int32),
        came=np.empty(n_variables, dtype=np.int32),
        stack=np.empty(n_variables, dtype=np.int32),
        rigid=np.zeros((n_variables + 1 if is_sparse else 0, 1 + n_variables // 64), dtype=np.uint64),
        looked=np.zeros(1, dtype=np.int64),
    )


def with_edges(
    edges: Edges, ends: np.ndarray, needed: np.ndarray, shares: np.ndarray, triangles: Triangles | None = None
) -> Edges:
    """The same k-trees with other rows, edges and triangles (None for none); parameters as in `Edges`."""
    return edges._replace(
        ends=ends,
        needed=needed,
        triangles=no_triangles(len(ends)) if triangles is None else triangles,
        shares=shares,
        worths=np.zeros(len(shares)),
        chosen=np.zeros(len(shares), dtype=np.bool_),
    )


@borrowing
def fetch_pebble(edges, start, other):
    """Move a pebble along chosen edges to `start`, from any vertex but `other`; False if none can be reached."""
    used, heads, came, stack = edges.used, edges.heads, edges.came, edges.stack
    came[:] = -1
    came[start] = start
    stack[0] = start
    top = 1
    while top > 0:
        top -= 1
        v = np.int64(stack[top])
        for k in range(used[v]):
            w = np.int64(heads[v, k])
            edges.looked[0] += 1
            if came[w] >= 0:
                continue
            came[w] = v
            if w == other or used[w] == edges.width:
                stack[top] = w
                top += 1
                continue
            # Every edge on the path takes its pebble from its other end instead; only the pebbles of `start` and of
            # `w` change in number.
            while w != start:
                v = np.int64(came[w])
                j = 0
                while heads[v, j] != w:
                    j += 1
                used[v] -= 1
                heads[v, j] = heads[v, used[v]]
                heads[w, used[w]] = v
                used[w] += 1
                w = v
            return True
    return False


@borrowing
def mark_rigid(edges, u, v):
    """Mark all pairs in the largest group of vertices around u and v that has all the edges it may have.

    No further pebble can be moved to u and v. The vertices from which no path along chosen edges leads to a free
    pebble elsewhere have no edge that leaves them, and all their pebbles but the l at u and v are taken.
    """
    used, heads, leads, n = edges.used, edges.heads, edges.came, len(edges.used)
    for w in range(n):
        leads[w] = used[w] < edges.width and w != u and w != v
    is_changed, first, step = True, 0, 1
    while is_changed:
        is_changed = False
        for k in range(n):
            w = first + step * k
            if leads[w] == 0:
                for j in range(used[w]):
                    if leads[heads[w, j]] != 0:
                        leads[w] = 1
                        is_changed = True
                        break
        first, step = n - 1 - first, -step  # back and forth: few sweeps
        edges.looked[0] += n
    inside = edges.rigid[n]
    inside[:] = 0
    for w in range(n):
        if leads[w] == 0:
            inside[w // 64] |= np.uint64(1) << np.uint64(w % 64)
    for w in range(n):
        if leads[w] == 0:
            for word in range(len(inside)):
                edges.rigid[w, word] |= inside[word]


@borrowing
def take_edge(edges, u, v):
    """Add an edge if the limit on edges among any vertices allows it; returns whether it does."""
    used, width = edges.used, edges.width
    if edges.rigid[u, v // 64] >> np.uint64(v % 64) & np.uint64(1):
        return False
    while 2 * width - used[u] - used[v] <= edges.lack:
        if not (used[u] > 0 and fetch_pebble(edges, u, v)) and not (used[v] > 0 and fetch_pebble(edges, v, u)):
            mark_rigid(edges, u, v)
            return False
    if used[u] == width:
        u, v = v, u
    edges.heads[u, used[u]] = v
    used[u] += 1
    return True


@njit
def choose_edges(edges, multipliers):
    """Choose the columns that are worth most; returns their worth in nats.

    `multipliers` (float64) are at least zero for the rows over columns, and then at most zero for the rows over sets.
    A column's worth is what rows over columns give it, less the multipliers of the rows over sets that need it.
    """
    worths, first = edges.worths, len(edges.triangles.offsets) - 1
    worths[:] = 0.0
    price_columns(edges.triangles, multipliers, worths)
    for row in range(len(edges.needed)):
        worths[edges.needed[row]] += multipliers[first + row]
    return choose_dearest(edges)


@njit
def choose_dearest(edges):
    """Choose the columns of the greatest worth by `edges.worths`; returns the worth in nats.

    Afterwards the worth of an edge includes what its triangles are worth.
    """
    worths, n = edges.worths, len(edges.used)
    edges.chosen[:] = False
    edges.used[:] = 0
    edges.rigid[:] = 0
    pass_to_edges(edges.triangles, worths)
    # A k-tree has exactly `most` edges: with triangles, where worths may be negative, all pairs are there to choose.
    limit = 0.0 if len(edges.triangles.within) == 0 else np.inf
    priced = np.flatnonzero(worths[: len(edges.ends)] < limit)
    dearest = priced[np.argsort(worths[priced])]
    worth, left = 0.0, edges.most
    for k in range(len(dearest)):
        if left == 0:
            break
        edge = dearest[k]
        if edges.lack < 0 or take_edge(edges, edges.ends[edge] // n, edges.ends[edge] % n):
            edges.chosen[edge] = True
            worth -= worths[edge]
            left -= 1
    choose_triangles(edges.triangles, worths, edges.chosen)
    return worth


@inlined
def n_priced(edges):
    """Number of rows that columns have: over columns and over sets."""
    return len(edges.triangles.offsets) - 1 + len(edges.needed)


@borrowing
def count_columns(edges, shares, lacks):
    """Add to the lacks of the last rows, over columns and over sets, what the columns of these shares give."""
    first = len(lacks) - len(edges.needed)
    subtract_given(edges.triangles, shares, lacks[len(lacks) - n_priced(edges) : first])
    for row in range(len(edges.needed)):
        lacks[first + row] += shares[edges.needed[row]]


@borrowing
def price_sets(lists, child, rows, prices, by_others, sums):
    """The sum of the prices of the rows that count each set of `child`, into `sums` (float64, shape (n_sets,)).

    `prices` (float64, shape (n_rows,)) are non-negative, in nats. `by_others` is scratch, all zero, of shape
    (n ** 3,) if there are fours, else (n * n,).
    """
    n = len(lists.set_offsets) - 1
    first_set, last_set = lists.set_offsets[child], lists.set_offsets[child + 1]
    for k in range(rows.offsets[child], rows.offsets[child + 1]):
        by_others[rows.others[k]] = total_price(rows.rows[rows.triangles[k]], prices)
    for s in range(first_set, last_set):
        total, last = 0.0, lists.parent_offsets[s + 1]
        for i in range(lists.parent_offsets[s], last):
            first = np.int64(lists.parents[i]) * n
            row = rows.arcs[first + child]
            if row >= 0:
                total += prices[row]
            for j in range(i + 1, last):
                total += by_others[first + lists.parents[j]]
        sums[s] = total
    for k in range(rows.offsets[child], rows.offsets[child + 1]):
        by_others[rows.others[k]] = 0.0
    if rows.four_offsets[child] == rows.four_offsets[child + 1]:
        return
    for k in range(rows.four_offsets[child], rows.four_offsets[child + 1]):
        by_others[rows.four_others[k]] = total_price(rows.four_rows[rows.fours[k]], prices)
    for s in range(first_set, last_set):
        last = lists.parent_offsets[s + 1]
        for i in range(lists.parent_offsets[s], last):
            for j in range(i + 1, last):
                first = (np.int64(lists.parents[i]) * n + lists.parents[j]) * n
                for k in range(j + 1, last):
                    sums[s] += by_others[first + lists.parents[k]]
    for k in range(rows.four_offsets[child], rows.four_offsets[child + 1]):
        by_others[rows.four_others[k]] = 0.0


@borrowing
def total_price(rows, prices):
    """The sum of the prices of these rows; a row of -1 has none."""
    total = 0.0
    for k in range(len(rows)):
        if rows[k] >= 0:
            total += prices[rows[k]]
    return total


@borrowing
def join_rows(lists, rows, cuts, by_others, offsets, counting):
    """The cuts by set, followed by the rows: into `offsets` and `counting`, as in `lagrangian.SetCuts`.

    Row r gets the number n_cuts + r. `by_others` is scratch, int32, all -1, of shape (2, n ** 3) if there are fours,
    else (2, n * n). Returns the number of entries; entries beyond the capacity of `counting` are not written.
    """
    n, n_cuts, end = len(lists.set_offsets) - 1, len(cuts.demands), 0
    triangle_of, four_of = by_others[0], by_others[1]
    offsets[0] = 0
    for child in range(n):
        has_fours = rows.four_offsets[child] < rows.four_offsets[child + 1]
        for k in range(rows.offsets[child], rows.offsets[child + 1]):
            triangle_of[rows.others[k]] = rows.triangles[k]
        for k in range(rows.four_offsets[child], rows.four_offsets[child + 1]):
            four_of[rows.four_others[k]] = rows.fours[k]
        for s in range(lists.set_offsets[child], lists.set_offsets[child + 1]):
            for k in range(cuts.offsets[s], cuts.offsets[s + 1]):
                end = append(counting, end, cuts.cuts[k])
            last = lists.parent_offsets[s + 1]
            for i in range(lists.parent_offsets[s], last):
                first = np.int64(lists.parents[i]) * n
                if rows.arcs[first + child] >= 0:
                    end = append(counting, end, n_cuts + rows.arcs[first + child])
                for j in range(i + 1, last):
                    second = first + lists.parents[j]
                    if triangle_of[second] >= 0:
                        end = append_each(counting, end, n_cuts, rows.rows[triangle_of[second]])
                    if has_fours:
                        for k in range(j + 1, last):
                            four = four_of[second * n + lists.parents[k]]
                            if four >= 0:
                                end = append_each(counting, end, n_cuts, rows.four_rows[four])
            offsets[s + 1] = end
        for k in range(rows.offsets[child], rows.offsets[child + 1]):
            triangle_of[rows.others[k]] = -1
        for k in range(rows.four_offsets[child], rows.four_offsets[child + 1]):
            four_of[rows.four_others[k]] = -1
    return end


@borrowing
def append_each(entries, end, n_cuts, rows):
    """Write the numbers of some rows after the first `end` entries; returns their new number."""
    for k in range(len(rows)):
        if rows[k] >= 0:
            end = append(entries, end, n_cuts + rows[k])
    return end


@borrowing
def append(entries, end, value):
    """Write `value` after the first `end` entries if there is room; returns their new number."""
    if end < len(entries):
        entries[end] = value
    return end + 1
