"""What a move affects: the log of what it overwrote, the variables to be evaluated again, and the better sets that it
makes available to children.

A set becomes available when the bag of its latest member gains a member (`offer_pair`), or when a variable moves to
a place before a child (`offer_to_passed`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import WORD_BITS, clear_bit, empty_bit_matrix, has_bit, lowest_bit, set_bit
from ..jit import borrowing
from .ktree import is_clique, is_in_bag, stands_before
from .member_pairs import find_member_pair, signature_bit

NO_BETTER_SET = np.int64(2**62)
"""In `MoveLog.pending`: no better set has become a clique."""


class MoveLog(NamedTuple):
    """What the latest move overwrote, and which variables are to be evaluated again.

    Attributes
    ----------
    variables : ndarray of int32, shape (n_variables,)
    chosen : ndarray of int64, shape (n_variables,)
    bags : ndarray of int32, shape (n_variables, K + 1)
        The changed variables with their former sets and bags.
    marks : ndarray of uint64
        Positions of the variables to be evaluated again, as a set of bits; empty between moves.
    pending : ndarray of int64, shape (n_variables,)
        The first set of each marked variable that may fit and is better than the present one; all `NO_BETTER_SET`
        between moves.
    dependents : ndarray of uint64, shape (n_variables, n_words)
        For each variable: the variables whose set contains it or that prefer it as their host.
    """

    variables: np.ndarray
    chosen: np.ndarray
    bags: np.ndarray
    marks: np.ndarray
    pending: np.ndarray
    dependents: np.ndarray


def new_move_log(n_variables: int, treewidth: int) -> MoveLog:
    """An empty log, before `order_moves.build_ktree` fills `MoveLog.dependents`."""
    return MoveLog(
        variables=np.zeros(n_variables, dtype=np.int32),
        chosen=np.zeros(n_variables, dtype=np.int64),
        bags=np.zeros((n_variables, treewidth + 1), dtype=np.int32),
        marks=empty_bit_matrix(1, n_variables)[0],
        pending=np.full(n_variables, NO_BETTER_SET, dtype=np.int64),
        dependents=empty_bit_matrix(n_variables, n_variables),
    )


@borrowing
def add_dependent(lists, tree, log, variable):
    """Record `variable` as a dependent of the members of its set and of its preferred host."""
    s = tree.chosen[variable]
    for i in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
        set_bit(log.dependents[lists.parents[i]], variable)
    if tree.hosts[variable] >= 0:
        set_bit(log.dependents[tree.hosts[variable]], variable)


@borrowing
def drop_dependent(lists, tree, log, variable):
    """Undo `add_dependent`; call it before the set or the preferred host changes."""
    s = tree.chosen[variable]
    for i in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
        clear_bit(log.dependents[lists.parents[i]], variable)
    if tree.hosts[variable] >= 0:
        clear_bit(log.dependents[tree.hosts[variable]], variable)


@borrowing
def prefer_host(lists, tree, log, variable, host):
    """Make `host` the preferred host of `variable`; -1 for none."""
    drop_dependent(lists, tree, log, variable)
    tree.hosts[variable] = host
    add_dependent(lists, tree, log, variable)


@borrowing
def mark_dependents(tree, log, variable, place):
    """Mark the dependents of `variable` after position `place`."""
    position, marks, row = tree.position, log.marks, log.dependents[variable]
    for w in range(len(row)):
        word = row[w]
        while word:
            child = np.uint64(w * WORD_BITS) + lowest_bit(word)
            word &= word - np.uint64(1)
            if position[child] > place:
                set_bit(marks, position[child])


@borrowing
def mark_move(lists, tree, log, variable, low):
    """Mark what a completed move of `variable` may affect: itself, for any of its sets, and its dependents.

    `low` is the smaller of the two positions of the move; variables before it are not affected.
    """
    log.pending[variable] = lists.set_offsets[variable]
    set_bit(log.marks, tree.position[variable])
    mark_dependents(tree, log, variable, low - 1)


@borrowing
def offer_to_passed(lists, index, filters, tree, log, variable, place, high):
    """Offer the sets with `variable`, which moved to position `place`, to the children it passed, up to `high`.

    A better set that is a clique with `variable` as its latest member becomes the pending set of its child. Sets with
    a later member are found when that member changes.
    """
    pair_children = index.pair_children
    member_offsets, member_sets, keys = index.member_offsets, index.member_sets, filters.keys
    offsets, parents = lists.parent_offsets, lists.parents
    position, chosen, edges = tree.position, tree.chosen, tree.edges
    marks, pending = log.marks, log.pending
    for pair in range(index.pair_offsets[variable], index.pair_offsets[variable + 1]):
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
                set_bit(marks, position[child])
                break


@borrowing
def offer_pair(lists, pairs, tree, log, bag, variable, other, place):
    """Offer the sets that contain two variables and lie in `bag` to later children, after position `place`.

    A set whose latest member is `variable` is a clique if and only if it lies in the bag of `variable`. So where a
    bag gains a member, the sets that become cliques contain both.
    """
    sets, child_offsets, signatures = pairs.sets, pairs.child_offsets, pairs.signatures
    offsets, parents = lists.parent_offsets, lists.parents
    position, chosen, marks, pending = tree.position, tree.chosen, log.marks, log.pending
    pair = find_member_pair(pairs.starts, pairs.partners, variable, other)
    if pair < 0:
        return
    outside = ~np.uint64(0)
    for member in bag:
        outside &= ~signature_bit(member)
    for k in range(pairs.offsets[pair], pairs.offsets[pair + 1]):
        child = pairs.children[k]
        if position[child] <= place:
            continue
        limit = min(chosen[child], pending[child])
        for i in range(child_offsets[k], child_offsets[k + 1]):
            s = sets[i]
            if s >= limit:
                break
            # The signature excludes nearly all sets before their members are looked up.
            if signatures[s] & outside == 0 and is_in_bag(parents, offsets[s], offsets[s + 1], bag):
                pending[child] = s
                set_bit(marks, position[child])
                break


@borrowing
def log_variable(log, chosen, bags, n_logged, variable):
    """Log the present set and bag of a variable."""
    log.variables[n_logged] = variable
    log.chosen[n_logged] = chosen[variable]
    for j in range(bags.shape[1]):
        log.bags[n_logged, j] = bags[variable, j]
