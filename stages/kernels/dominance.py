"""Dominance pruning: a parent set is dominated if a proper subset scores at least as well."""

import numpy as np

from .arrays import copy_into
from .jit import borrowing, njit

LARGEST_ENUMERATED = 12
"""Largest set whose subsets are looked up in the hash table."""

LOOKUP_COST = 4
"""Cost of looking up one subset relative to comparing one listed set; roughly measured."""


@borrowing
def mixed_bits(number):
    """Hash of a number: the output function of splitmix64 (Steele, Lea and Flood 2014)."""
    z = np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@borrowing
def is_subset(offsets, members, other, stamp, s):
    """Whether all members of the set `other` have the stamp `s`."""
    for j in range(offsets[other], offsets[other + 1]):  # noqa: SIM110 (compiled)
        if stamp[members[j]] != s:
            return False
    return True


@njit
def mark_undominated(offsets, members, n_variables, n_better):
    """Find the sets without a kept proper subset among the sets that may dominate them; of a set listed twice, the
    first is kept.

    Returns bool, shape (n_sets,).

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_sets + 1,)
        Offsets of the sets in `members`.
    members : ndarray of int32
        Ascending members of set s are ``members[offsets[s]:offsets[s + 1]]``. Sets are sorted by descending score,
        ties by size, so every set comes after the sets that dominate it.
    n_variables : int
        Members are less than this.
    n_better : ndarray of int64, shape (n_sets,)
        Only the first ``n_better[s]`` sets may dominate set s; ascending. n_better[s] is s if no margin is demanded.
    """
    n_sets = len(offsets) - 1
    keep = np.ones(n_sets, dtype=np.bool_)
    # Kept sets form one linked list per largest member; a non-empty subset is in the list of a member of the set.
    head = np.full(n_variables, -1, dtype=np.int64)
    length = np.zeros(n_variables, dtype=np.int64)
    next_in_chain = np.full(n_sets, -1, dtype=np.int64)
    # They are also in a hash table: with long lists, looking up all subsets is faster than scanning the lists.
    n_slots = 8
    while n_slots < 2 * n_sets:
        n_slots *= 2
    mask = np.uint64(n_slots - 1)
    slots = np.full(n_slots, -1, dtype=np.int64)
    hashes = np.zeros(n_sets, dtype=np.uint64)
    stamp = np.full(n_variables, -1, dtype=np.int64)
    empty_is_kept = False
    n_listed = 0
    # Dropped sets need not be listed: a set that dominates one also dominates its supersets, and is listed before
    # them.
    for s in range(n_sets):
        while n_listed < n_better[s]:
            if keep[n_listed]:
                if offsets[n_listed] == offsets[n_listed + 1]:
                    empty_is_kept = True
                else:
                    last = members[offsets[n_listed + 1] - 1]
                    next_in_chain[n_listed] = head[last]
                    head[last] = n_listed
                    length[last] += 1
                    slot = hashes[n_listed] & mask
                    # Linear probing ends: the table is at most half full.
                    while slots[slot] >= 0:
                        slot = (slot + np.uint64(1)) & mask
                    slots[slot] = n_listed
            n_listed += 1
        start, end = offsets[s], offsets[s + 1]
        size = end - start
        if empty_is_kept:
            keep[s] = False
            continue
        in_chains = 0
        own_hash = np.uint64(0)
        for i in range(start, end):
            stamp[members[i]] = s
            in_chains += length[members[i]]
            # XOR of the members' hashes: a member is taken out or put back by one more XOR.
            own_hash ^= mixed_bits(members[i])
        hashes[s] = own_hash
        if size <= LARGEST_ENUMERATED and LOOKUP_COST * (1 << size) < in_chains:
            subset_hash = own_hash
            for code in range(1 << size):
                # Subsets in the order of a Gray code: each differs from its predecessor by one member.
                # The bit that a Gray code changes at step `code` is the lowest one set in `code`; from the full set
                # on, the steps visit each subset once.
                if code > 0:
                    changed = 0
                    while not (code >> changed) & 1:
                        changed += 1
                    subset_hash ^= mixed_bits(members[start + changed])
                slot = subset_hash & mask
                while slots[slot] >= 0 and keep[s]:
                    other = slots[slot]
                    # Hashes may collide; any subset dominates, whether or not it is the one looked up.
                    if hashes[other] == subset_hash and offsets[other + 1] - offsets[other] <= size:
                        keep[s] = not is_subset(offsets, members, other, stamp, s)
                    slot = (slot + np.uint64(1)) & mask
                if not keep[s]:
                    break
        else:
            for i in range(start, end):
                other = head[members[i]]
                while other >= 0 and keep[s]:
                    keep[s] = not is_subset(offsets, members, other, stamp, s)
                    other = next_in_chain[other]
    return keep


@njit
def mark_undominated_lists(list_offsets, offsets, members, n_variables, keep):
    """`mark_undominated` for each of some lists, which are best first.

    Parameters
    ----------
    list_offsets : ndarray of int64, shape (n_lists + 1,)
        Where the lists begin among all sets.
    keep : ndarray of bool, shape (n_sets,)
        Receives whether each set of these lists is kept.
    """
    for i in range(len(list_offsets) - 1):
        first, end = list_offsets[i], list_offsets[i + 1]
        if first < end:
            kept = mark_undominated(offsets[first : end + 1], members, n_variables, np.arange(end - first))
            copy_into(keep[first:end], kept)
