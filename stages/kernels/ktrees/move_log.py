"""What a move affects: the log of what it overwrote, flags, and the better sets that it makes available to children.

A set becomes available when the bag of its latest member gains a member (`offer_pair`), or when a variable moves to
a place before a child (`offer_to_passed`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import has_bit
from ..jit import borrowing
from .ktree import is_among, is_clique, is_in_bag, stands_before
from .member_pairs import BLOCK, any_within, find_member_pair, signature_bit

NO_BETTER_SET = np.int64(2**62)
"""In `MoveLog.pending`: no better set has become a clique."""

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


@borrowing
def log_variable(log, chosen, bags, n_logged, variable):
    """Log the present set and bag of a variable."""
    log.variables[n_logged] = variable
    log.chosen[n_logged] = chosen[variable]
    for j in range(bags.shape[1]):
        log.bags[n_logged, j] = bags[variable, j]
