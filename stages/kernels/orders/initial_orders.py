"""Initial orders from the graph of all best parent sets (Perez Urcia and Mauá 2015).

The graph has an arc from p to c when p belongs to the best listed set of c; it usually has cycles. Arcs are
kept as (offsets, parents) lists by child, with one weight per arc where a kernel needs it.
"""

from __future__ import annotations

import numpy as np

from ..jit import borrowing, njit


@njit
def arc_weights(lists, best):
    """Loss of each child when one member of its best set is unavailable.

    W_pc = score of c's best set P* minus the score of c's best listed subset of P* without p, at least 0;
    infinite if no subset is listed (fixed records). Returned in the order of the members of the sets `best`.
    """
    n_arcs = 0
    for child in range(len(best)):
        n_arcs += lists.parent_offsets[best[child] + 1] - lists.parent_offsets[best[child]]
    weights = np.empty(n_arcs)
    inside = np.zeros(len(best), dtype=np.bool_)
    a = 0
    for child in range(len(best)):
        first, last = lists.parent_offsets[best[child]], lists.parent_offsets[best[child] + 1]
        for k in range(first, last):
            inside[lists.parents[k]] = True
        for k in range(first, last):
            inside[lists.parents[k]] = False
            weights[a] = np.inf
            for s in range(best[child] + 1, lists.set_offsets[child + 1]):
                subset = True
                for m in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
                    subset = subset and inside[lists.parents[m]]
                if subset:
                    # Best first, so this subset is the best one.
                    weights[a] = lists.scores[best[child]] - lists.scores[s]
                    break
            inside[lists.parents[k]] = True
            a += 1
        for k in range(first, last):
            inside[lists.parents[k]] = False
    return weights


@njit
def depth_first_order(offsets, neighbours, ranks, starts, order, on_arrival):
    """Fill `order` with the variables of a depth-first search: in pre-order if `on_arrival`, else in post-order.

    Roots are taken in the order of `starts`, the neighbours of a variable by ascending `ranks`. In post-order along
    arcs from child to parent, parents precede their children unless an arc closes a cycle.
    """
    n = len(starts)
    seen = np.zeros(n, dtype=np.bool_)
    stack = np.empty(n, dtype=np.int32)
    filled = 0
    for start in starts:
        if seen[start]:
            continue
        stack[0] = start
        seen[start] = True
        if on_arrival:
            order[filled] = start
            filled += 1
        top = 1
        while top > 0:
            variable = stack[top - 1]
            following = -1
            for k in range(offsets[variable], offsets[variable + 1]):
                neighbour = neighbours[k]
                if not seen[neighbour] and (following < 0 or ranks[neighbour] < ranks[following]):
                    following = neighbour
            if following < 0:
                top -= 1
            else:
                seen[following] = True
                stack[top] = following
                top += 1
            if on_arrival == (following >= 0):
                order[filled] = following if on_arrival else variable
                filled += 1


@njit
def break_cycles(offsets, parents, weights, starts):
    """A feedback arc set of small weight, by the cycle-reducing heuristic; bool, one entry per arc.

    While there is a cycle, its smallest weight is subtracted from all its arcs, and arcs that reach zero are removed.
    Cycles are found by depth-first search along child -> parent arcs from `starts`. The search backtracks to the
    first removed arc, so its path stays free of cycles.
    """
    n = len(starts)
    left = weights.copy()
    removed = np.zeros(len(weights), dtype=np.bool_)
    cursor = offsets[:-1].copy()
    depth = np.full(n, -1, dtype=np.int64)
    finished = np.zeros(n, dtype=np.bool_)
    path = np.empty(n, dtype=np.int32)
    arcs = np.empty(n, dtype=np.int64)
    for start in starts:
        if finished[start]:
            continue
        path[0] = start
        depth[start] = 0
        top = 1
        while top > 0:
            variable = path[top - 1]
            # A cursor passes only arcs that are removed or lead to finished variables. Both remain so: a variable
            # that was left behind resumes at its cursor.
            k = cursor[variable]
            if k == offsets[variable + 1]:
                finished[variable] = True
                depth[variable] = -1
                top -= 1
                continue
            parent = parents[k]
            if removed[k] or finished[parent]:
                cursor[variable] = k + 1
                continue
            arcs[top - 1] = k
            if depth[parent] < 0:
                # The parent is not on the path: the search descends to it.
                path[top] = parent
                depth[parent] = top
                top += 1
                continue
            # The parent is on the path, so the arcs from there to the end form a cycle. Any feedback arc set contains
            # one of these arcs and costs at least the smallest weight, which is subtracted from all (local ratio).
            smallest = np.inf
            for d in range(depth[parent], top):
                smallest = min(smallest, left[arcs[d]])
            # Backtrack to the tail of the first removed arc; the variables left behind may be visited again.
            keep = top
            for d in range(top - 1, depth[parent] - 1, -1):
                left[arcs[d]] -= smallest
                if left[arcs[d]] <= 0.0:
                    removed[arcs[d]] = True
                    keep = d + 1
            for d in range(keep, top):
                depth[path[d]] = -1
            top = keep
    return removed


@borrowing
def is_ancestor(offsets, parents, removed, ancestor, variable, mark, token, stack):
    """True when `ancestor` reaches `variable` by arcs that are not `removed`; `mark` holds tokens of past calls."""
    stack[0] = variable
    mark[variable] = token
    top = 1
    while top > 0:
        top -= 1
        current = stack[top]
        if current == ancestor:
            return True
        for k in range(offsets[current], offsets[current + 1]):
            parent = parents[k]
            if not removed[k] and mark[parent] != token:
                mark[parent] = token
                stack[top] = parent
                top += 1
    return False


@njit
def restore_arcs(offsets, parents, removed, candidates, children):
    """Restore the removed arcs `candidates`, in this order, unless they close a cycle."""
    mark = np.zeros(len(offsets) - 1, dtype=np.int64)
    stack = np.empty(len(offsets) - 1, dtype=np.int32)
    for token in range(len(candidates)):
        k = candidates[token]
        if not is_ancestor(offsets, parents, removed, children[k], parents[k], mark, token + 1, stack):
            removed[k] = False
