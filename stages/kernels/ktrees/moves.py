"""Local changes of an order, with an incremental update of its k-tree from the changed position on.

The set and bag of a variable depend only on the bags of its candidate parents, so a change propagates along these.
A variable is re-evaluated when a member of its set changed its bag or position, when a better set became a clique,
or when the bag of its preferred host changed. Everything overwritten is logged, so that a move can be undone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import has_bit, set_bit
from ..jit import borrowing, inlined
from .ktree import (
    add_edges,
    form_bag,
    form_small_bag,
    is_among,
    is_clique,
    is_in_bag,
    join_start_clique,
    latest_member,
    pair_bit,
    remove_edges,
    stands_before,
)
from .member_pairs import BLOCK, any_within, find_member_pair, signature_bit
from .start_clique import solve_start_clique

NO_BETTER_SET = np.int64(2**62)
"""In `MoveLog.pending`: no better set has become a clique."""

NOTHING_MOVED = np.int64(-1)
"""For `refresh`: no variable changed its position."""

SETTLED, RECHECK, RESCAN, CHANGED = 0, 1, 2, 3
"""Values of `MoveLog.flags`: up to date; the set may not fit any more; any listed set may fit; the bag changed."""


class MoveLog(NamedTuple):
    """What the latest move overwrote, and which variables are to be re-evaluated.

    Attributes
    ----------
    variables : ndarray of int32, shape (n_variables,)
    chosen : ndarray of int64, shape (n_variables,)
    bags : ndarray of int32, shape (n_variables, K + 1)
        The changed variables with their former sets and bags.
    flags : ndarray of uint8, shape (n_variables,)
        All `SETTLED` between moves.
    pending : ndarray of int64, shape (n_variables,)
        Best set of each variable that became a clique; all `NO_BETTER_SET` between moves.
    """

    variables: np.ndarray
    chosen: np.ndarray
    bags: np.ndarray
    flags: np.ndarray
    pending: np.ndarray


def new_move_log(n_variables: int, treewidth: int) -> MoveLog:
    """An empty log."""
    return MoveLog(
        variables=np.zeros(n_variables, dtype=np.int32),
        chosen=np.zeros(n_variables, dtype=np.int64),
        bags=np.zeros((n_variables, treewidth + 1), dtype=np.int32),
        flags=np.full(n_variables, SETTLED, dtype=np.uint8),
        pending=np.full(n_variables, NO_BETTER_SET, dtype=np.int64),
    )


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
def mark_move(lists, tree, log, variable, low, high):
    """Flag what a completed move of `variable` between the positions `low` and `high` may affect.

    That is the variable itself and each variable now before it that has it in its set.
    """
    log.flags[variable] = RESCAN
    pair_children, offsets, parents = lists.pair_children, lists.parent_offsets, lists.parents
    position, chosen, flags = tree.position, tree.chosen, log.flags
    for pair in range(lists.pair_offsets[variable], lists.pair_offsets[variable + 1]):
        child = pair_children[pair]
        # These are the children that `variable` passed when it moved to a later position.
        if low <= position[child] < position[variable] <= high:
            s = chosen[child]
            if s >= lists.pair_first[pair] and is_among(parents, offsets[s], offsets[s + 1], variable):
                flags[child] = RECHECK


@borrowing
def recheck_users(lists, tree, log, variable, place):
    """Flag the later variables, after position `place`, whose sets contain `variable`: its bag has changed."""
    pair_children, pair_first = lists.pair_children, lists.pair_first
    offsets, parents = lists.parent_offsets, lists.parents
    position, chosen, flags = tree.position, tree.chosen, log.flags
    for pair in range(lists.pair_offsets[variable], lists.pair_offsets[variable + 1]):
        child = pair_children[pair]
        present = chosen[child]
        if present < pair_first[pair] or position[child] <= place or flags[child] != SETTLED:
            continue
        if is_among(parents, offsets[present], offsets[present + 1], variable):
            flags[child] = RECHECK


@borrowing
def offer_to_passed(lists, tree, log, variable, place, high):
    """Offer the sets with `variable`, which moved to position `place`, to the children it passed, up to `high`.

    A better set that is a clique with `variable` as its latest member becomes the pending set of its child. Sets with
    a later member are found when that member changes.
    """
    pair_children = lists.pair_children
    member_offsets, member_sets, keys = lists.member_offsets, lists.member_sets, lists.keys
    offsets, parents = lists.parent_offsets, lists.parents
    position, chosen, edges, pending = tree.position, tree.chosen, tree.edges, log.pending
    for pair in range(lists.pair_offsets[variable], lists.pair_offsets[variable + 1]):
        child = pair_children[pair]
        if position[child] <= place or position[child] > high:
            continue
        # Lists are sorted best first: only sets before the present and the pending one are better.
        limit = min(chosen[child], pending[child])
        for k in range(member_offsets[pair], member_offsets[pair + 1]):
            s = member_sets[k]
            if s >= limit:
                break
            # The key is one pair of the set. Without that edge the set is no clique, so one lookup replaces most
            # full tests.
            if not has_bit(edges, keys[s]) or not stands_before(offsets, parents, position, s, place + 1):
                continue
            if is_clique(offsets, parents, edges, s):
                pending[child] = s
                break


@borrowing
def offer_pair(lists, pairs, tree, log, bag, variable, other, place):
    """Offer the sets that contain two variables and lie in `bag` to later children, after position `place`.

    A set whose latest member is `variable` is a clique if and only if it lies in the bag of `variable`. So where a
    bag gains a member, the sets that become cliques contain both.
    """
    children, sets, signatures = pairs.children, pairs.sets, pairs.signatures
    offsets, parents = lists.parent_offsets, lists.parents
    position, chosen, pending = tree.position, tree.chosen, log.pending
    pair = find_member_pair(pairs.starts, pairs.partners, variable, other)
    if pair < 0:
        return
    outside = ~np.uint64(0)
    for member in bag:
        outside &= ~signature_bit(member)
    first, end = pairs.offsets[pair], pairs.offsets[pair + 1]
    for block in range(first, end, BLOCK):
        # Read in sequence, the signatures exclude nearly all sets before anything else of them is looked up.
        if not any_within(signatures, block, outside):
            continue
        for k in range(block, min(block + BLOCK, end)):
            s = sets[k]
            child = children[s]
            if signatures[k] & outside or s >= min(chosen[child], pending[child]) or position[child] <= place:
                continue
            if is_in_bag(parents, offsets[s], offsets[s + 1], bag):
                pending[child] = s


@inlined
def log_variable(log, chosen, bags, n_logged, variable):
    """Log the present set and bag of a variable."""
    log.variables[n_logged] = variable
    log.chosen[n_logged] = chosen[variable]
    for j in range(bags.shape[1]):
        log.bags[n_logged, j] = bags[variable, j]


@borrowing
def renew_start_clique(lists, pairs, tree, log, clique, moved, high):
    """Rebuild and solve the start clique, and flag what depends on it; parameters as of `refresh`.

    Returns
    -------
    float
        Change of the score in nats. The clique's members are the first ones logged.
    """
    order, position, bags, edges, chosen = tree.order, tree.position, tree.bags, tree.edges, tree.chosen
    relative_scores, offsets, flags = lists.relative_scores, lists.parent_offsets, log.flags
    n, size = len(order), tree.n_start
    before = 0.0
    for t in range(size):
        log_variable(log, chosen, bags, t, order[t])
        before += relative_scores[chosen[order[t]]]
        remove_edges(edges, bags, order[t])
    join_start_clique(order, bags, edges, size)
    gain = solve_start_clique(lists, tree, clique) - before
    for t in range(size, n):
        # A variable without parents joins the bag of the start clique, which has changed.
        s = chosen[order[t]]
        if offsets[s] == offsets[s + 1] and flags[order[t]] == SETTLED:
            flags[order[t]] = RECHECK
    if size < n:
        # This variable may have just left the clique, where its set need not be the first that fits.
        flags[order[size]] = RESCAN
    for t in range(size):
        flags[order[t]] = CHANGED
        recheck_users(lists, tree, log, order[t], size - 1)
    if moved != NOTHING_MOVED:
        # One variable has entered: the one that moved, or the one behind the clique that another left.
        entered = order[size - 1] if position[moved] >= size else moved
        for t in range(size):
            if order[t] != entered:
                offer_pair(lists, pairs, tree, log, bags[entered], entered, order[t], size - 1)
        if entered == moved:
            offer_to_passed(lists, tree, log, moved, size - 1, high)
    return gain


@borrowing
def refresh(lists, pairs, tree, log, clique, low, high, moved):
    """Update the sets and bags of the flagged variables and all that depends on them.

    Parameters
    ----------
    pairs : MemberPairs
        Of `lists`.
    low, high : int
        First position with a flag, and the last one between which and `low` a variable moved. The start clique is
        solved anew if it contains `low`.
    moved : int
        Variable whose position changed; `NOTHING_MOVED` for none.

    Returns
    -------
    tuple of (int, float)
        Number of variables logged, and the change of the score in nats.
    """
    keys, offsets, parents = lists.keys, lists.parent_offsets, lists.parents
    set_offsets, relative_scores = lists.set_offsets, lists.relative_scores
    order, position, bags, edges, chosen = tree.order, tree.position, tree.bags, tree.edges, tree.chosen
    left_out, hosts, flags, pending = tree.left_out, tree.hosts, log.flags, log.pending
    n_states, most_cells = tree.n_states, tree.most_cells
    n, size = len(order), tree.n_start
    n_logged, gain = 0, 0.0
    renewed = low < size
    if renewed:
        gain = renew_start_clique(lists, pairs, tree, log, clique, moved, high)
        n_logged = low = size
    for t in range(low, n):
        variable = order[t]
        preferred = hosts[variable]
        # A variable keeps its set and bag unless it was flagged, a better set became a clique, or its preferred
        # host moved or changed its bag.
        host_is_same = preferred < 0 or (flags[preferred] != CHANGED and preferred != moved)
        if flags[variable] == SETTLED and pending[variable] == NO_BETTER_SET and host_is_same:
            continue
        present = chosen[variable]
        # Sets before the present one did not fit, and of these only the pending one can fit now, so the search for
        # the first set that fits starts there. After a move of the variable itself any set of its list may fit.
        s = set_offsets[variable] if flags[variable] == RESCAN else min(present, pending[variable])
        flags[variable] = SETTLED
        pending[variable] = NO_BETTER_SET
        while not (
            has_bit(edges, keys[s])
            and stands_before(offsets, parents, position, s, t)
            and is_clique(offsets, parents, edges, s)
        ):
            s += 1
        first, end = offsets[s], offsets[s + 1]
        host = order[latest_member(position, parents, first, end)]
        if preferred >= 0 and position[preferred] < t and is_in_bag(parents, first, end, bags[preferred]):
            host = preferred
        # Row n of the bags is scratch: the new bag is compared with the present one before it replaces it.
        if most_cells < np.inf:
            unwanted = left_out[variable]
            form_small_bag(bags, host, n, variable, unwanted, parents, first, end, n_states, most_cells)
        else:
            form_bag(bags, host, n, variable, left_out[variable], parents, first, end)
        # A variable that left the start clique lost its edges, even if its bag has the same members again.
        has_new_bag = renewed and (t == size or variable == moved)
        for j in range(bags.shape[1]):
            has_new_bag |= bags[n, j] != bags[variable, j]
        if has_new_bag or s != present:
            log_variable(log, chosen, bags, n_logged, variable)
            n_logged += 1
            gain += relative_scores[s] - relative_scores[present]
            chosen[variable] = s
        if has_new_bag:
            # Variables are updated in the order, so an edge that changes its owner is removed before the later one
            # adds it.
            remove_edges(edges, bags, variable)
            for j in range(bags.shape[1]):
                if not is_among(bags[variable], 0, bags.shape[1], bags[n, j]):
                    offer_pair(lists, pairs, tree, log, bags[n], variable, bags[n, j], t)
            for j in range(bags.shape[1]):
                bags[variable, j] = bags[n, j]
            add_edges(edges, bags, variable)
            flags[variable] = CHANGED
        if has_new_bag or variable == moved:
            recheck_users(lists, tree, log, variable, t)
        # A variable that moved is available to those that it passed, whether or not its bag is new.
        if variable == moved and t < high:
            offer_to_passed(lists, tree, log, variable, t, high)
    for k in range(n_logged):
        flags[log.variables[k]] = SETTLED
    return n_logged, gain


@borrowing
def take_back(tree, log, n_logged):
    """Restore the sets, bags and edges that the latest `refresh` overwrote; the caller restores the order."""
    bags, edges, chosen = tree.bags, tree.edges, tree.chosen
    variables, log_chosen, log_bags = log.variables, log.chosen, log.bags
    # In three passes: a pair may be an edge of one variable's new bag and of another one's former bag.
    for k in range(n_logged):
        remove_edges(edges, bags, variables[k])
    for k in range(n_logged):
        chosen[variables[k]] = log_chosen[k]
        for j in range(bags.shape[1]):
            bags[variables[k], j] = log_bags[k, j]
    for k in range(n_logged):
        add_edges(edges, bags, variables[k])


@borrowing
def build_ktree(lists, pairs, tree, log, clique):
    """Build the k-tree along ``tree.order`` from scratch, preferences included.

    Without preferences the choices are those of `evaluate_order`.

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
        log.flags[variable] = RESCAN
        log.pending[variable] = NO_BETTER_SET
    refresh(lists, pairs, tree, log, clique, np.int64(0), np.int64(0), NOTHING_MOVED)
    total = 0.0
    for variable in range(n):
        total += lists.relative_scores[chosen[variable]]
    return total
