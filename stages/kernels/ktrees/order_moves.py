"""Local changes of an order, with an incremental update of its k-tree from the changed position on.

The set and bag of a variable depend only on the bags of its candidate parents, so a change propagates along these.
A variable is evaluated again when a member of its set or its preferred host changed its bag or position, or when a
better set became a clique. Everything overwritten is logged, so that a move can be undone.
"""

from __future__ import annotations

import numpy as np

from ..bits import WORD_BITS, clear_bit, has_bit, lowest_bit, set_bit
from ..jit import borrowing
from .ktree import (
    add_edges,
    first_fitting,
    form_bag,
    is_among,
    is_clique,
    is_in_bag,
    join_start_clique,
    latest_member,
    pair_bit,
    remove_edges,
    stands_before,
)
from .move_log import (
    NO_BETTER_SET,
    add_dependent,
    drop_dependent,
    log_variable,
    mark_dependents,
    offer_pair,
    offer_to_passed,
)
from .start_clique import solve_start_clique

NOTHING_MOVED = np.int64(-1)
"""For `refresh`: no variable changed its position."""


@borrowing
def move_variable(order, position, start, end):
    """Take the variable at position `start` out and insert it at position `end`."""
    variable = order[start]
    step = 1 if start < end else -1
    for t in range(start, end, step):
        order[t] = order[t + step]
        position[order[t]] = t
    order[end] = variable
    position[variable] = end


@borrowing
def renew_start_clique(lists, index, filters, pairs, tree, log, clique, moved, high):
    """Rebuild and solve the start clique, and mark what depends on it; parameters as in `refresh`.

    Returns
    -------
    float
        Change of the score in nats. The clique's members are the first ones logged.
    """
    order, position, bags, edges, chosen = tree.order, tree.position, tree.bags, tree.edges, tree.chosen
    relative_scores, offsets, marks, pending = lists.scores, lists.parent_offsets, log.marks, log.pending
    n, size = len(order), tree.n_start
    before = 0.0
    for t in range(size):
        log_variable(log, chosen, bags, t, order[t])
        before += relative_scores[chosen[order[t]]]
        remove_edges(edges, bags, order[t])
        drop_dependent(lists, tree, log, order[t])
        pending[order[t]] = NO_BETTER_SET
        clear_bit(marks, t)
    join_start_clique(order, bags, edges, size)
    gain = solve_start_clique(lists, filters, tree, clique) - before
    for t in range(size, n):
        # A variable without parents joins the bag of the start clique, which has changed.
        s = chosen[order[t]]
        if offsets[s] == offsets[s + 1]:
            set_bit(marks, t)
    if size < n:
        # This variable may have just left the clique, where its set need not be the first that fits.
        pending[order[size]] = lists.set_offsets[order[size]]
        set_bit(marks, size)
    for t in range(size):
        add_dependent(lists, tree, log, order[t])
    for t in range(size):
        mark_dependents(tree, log, order[t], size - 1)
    if moved != NOTHING_MOVED:
        # One variable has entered the clique: the moved one, or the one behind the clique if the moved one left it.
        entered = order[size - 1] if position[moved] >= size else moved
        for t in range(size):
            if order[t] != entered:
                offer_pair(lists, pairs, tree, log, bags[entered], entered, order[t], size - 1)
        if entered == moved:
            offer_to_passed(lists, index, filters, tree, log, moved, size - 1, high)
    return gain


@borrowing
def refresh(lists, index, filters, pairs, tree, log, clique, low, high, moved):
    """Update the sets and bags of the marked variables and all that depends on them.

    Parameters
    ----------
    pairs : MemberPairs
        Of `lists`.
    low, high : int
        First position with a mark, and the end of the range from `low` within which a variable moved. The start
        clique is solved anew if it contains `low`.
    moved : int
        Variable whose position changed; `NOTHING_MOVED` for none.

    Returns
    -------
    tuple of (int, float)
        Number of variables logged, and the change of the score in nats.
    """
    keys, offsets, parents = filters.keys, lists.parent_offsets, lists.parents
    relative_scores, order, position, chosen = lists.scores, tree.order, tree.position, tree.chosen
    bags, edges = tree.bags, tree.edges
    left_out, hosts, marks, pending = tree.left_out, tree.hosts, log.marks, log.pending
    n_states, most_cells = tree.n_states, tree.most_cells
    n, size = len(order), tree.n_start
    n_logged, gain = 0, 0.0
    renewed = low < size
    if renewed:
        gain = renew_start_clique(lists, index, filters, pairs, tree, log, clique, moved, high)
        n_logged = low = size
    w = low // WORD_BITS
    while w < len(marks):
        # The first position with a mark; marks are added behind it only.
        if not marks[w]:
            w += 1
            continue
        t = w * WORD_BITS + np.int64(lowest_bit(marks[w]))
        clear_bit(marks, t)
        variable = order[t]
        preferred, present = hosts[variable], chosen[variable]
        # Among the sets before the present one, only the pending one can fit now; so the search for the first set
        # that fits starts there. After a move of the variable itself, the pending set is the first of its list.
        s = min(present, pending[variable])
        pending[variable] = NO_BETTER_SET
        if not (
            has_bit(edges, keys[s])
            and stands_before(offsets, parents, position, s, t)
            and is_clique(offsets, parents, edges, s)
        ):
            s = first_fitting(lists, filters, tree, variable, s + 1, t)
        first, end = offsets[s], offsets[s + 1]
        host = order[latest_member(position, parents, first, end)]
        if preferred >= 0 and position[preferred] < t and is_in_bag(parents, first, end, bags[preferred]):
            host = preferred
        # Row n of the bags is scratch: the new bag is compared with the present one before it replaces it.
        form_bag(bags, host, n, variable, left_out[variable], parents, first, end, n_states, most_cells)
        # A variable that left the start clique lost its edges, even if its bag has the same members again.
        has_new_bag = renewed and (t == size or variable == moved)
        for j in range(bags.shape[1]):
            has_new_bag |= bags[n, j] != bags[variable, j]
        if has_new_bag or s != present:
            log_variable(log, chosen, bags, n_logged, variable)
            n_logged += 1
            gain += relative_scores[s] - relative_scores[present]
        if s != present:
            drop_dependent(lists, tree, log, variable)
            chosen[variable] = s
            add_dependent(lists, tree, log, variable)
        if has_new_bag:
            # Variables are updated in the order, so an edge that changes its owner is removed before the later one
            # adds it.
            remove_edges(edges, bags, variable)
            for j in range(bags.shape[1]):
                if not is_among(bags[variable], 0, bags.shape[1], bags[n, j]):
                    offer_pair(lists, pairs, tree, log, bags[n], np.int64(variable), bags[n, j], t)
            for j in range(bags.shape[1]):
                bags[variable, j] = bags[n, j]
            add_edges(edges, bags, variable)
            mark_dependents(tree, log, variable, t)
        # The variables that a moved variable passed can use it now, whether or not its bag is new.
        if variable == moved and t < high:
            offer_to_passed(lists, index, filters, tree, log, np.int64(variable), t, high)
    return n_logged, gain


@borrowing
def take_back(lists, tree, log, n_logged):
    """Restore the sets, bags and edges that the latest `refresh` overwrote; the caller restores the order."""
    bags, edges, chosen = tree.bags, tree.edges, tree.chosen
    variables, log_chosen, log_bags = log.variables, log.chosen, log.bags
    # In three passes: a pair may be an edge of one variable's new bag and of another one's former bag.
    for k in range(n_logged):
        remove_edges(edges, bags, variables[k])
    for k in range(n_logged):
        drop_dependent(lists, tree, log, variables[k])
        chosen[variables[k]] = log_chosen[k]
        add_dependent(lists, tree, log, variables[k])
        for j in range(bags.shape[1]):
            bags[variables[k], j] = log_bags[k, j]
    for k in range(n_logged):
        add_edges(edges, bags, variables[k])


@borrowing
def build_ktree(lists, index, filters, pairs, tree, log, clique):
    """Build the k-tree along ``tree.order`` from scratch, preferences included.

    Without preferences the choices equal the choices of `evaluate_order`.

    Returns
    -------
    float
        Sum of the chosen sets' relative scores in nats.
    """
    order, position, bags, edges, chosen = tree.order, tree.position, tree.bags, tree.edges, tree.chosen
    n = len(order)
    edges[:] = np.uint64(0)
    # The key of the empty set, after all pairs: always set.
    set_bit(edges, np.int64(n) * (n + 1) >> 1)
    for t in range(n):
        variable = order[t]
        position[variable] = t
        set_bit(edges, pair_bit(variable, variable))
        bags[variable, :] = variable
        chosen[variable] = lists.set_offsets[variable]
        log.pending[variable] = lists.set_offsets[variable]
        set_bit(log.marks, t)
    log.dependents[:] = np.uint64(0)
    for variable in range(n):
        add_dependent(lists, tree, log, variable)
    refresh(lists, index, filters, pairs, tree, log, clique, np.int64(0), np.int64(0), NOTHING_MOVED)
    total = 0.0
    for variable in range(n):
        total += lists.scores[chosen[variable]]
    return total
