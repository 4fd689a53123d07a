"""Candidate lists of a table as searches use them, selections from them, and orders that respect fixed records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.records import ParentSetTable
from formats.sets.listed_sets import ListedSets, offsets_of
from stages.graphs import CycleError, pull_parents_forward
from stages.kernels.orders.set_lists import MemberIndex, SetLists, sort_members
from stages.runtime.errors import InfeasibleError


def lists_in(table: ParentSetTable) -> SetLists:
    """The lists of a table: its arrays, not copies."""
    return SetLists(
        set_offsets=table.set_offsets, parent_offsets=table.parent_offsets, parents=table.parents, scores=table.scores
    )


def new_lists(set_offsets: np.ndarray, sets: ListedSets, scores: np.ndarray) -> SetLists:
    """The lists of these sets; that of child i is ``sets[set_offsets[i]:set_offsets[i + 1]]`` (int64), best first."""
    return SetLists(set_offsets=set_offsets, parent_offsets=sets.offsets, parents=sets.members, scores=scores)


def index_members(lists: SetLists) -> MemberIndex:
    """Which sets contain a variable, for searches that change one variable's place."""
    n_variables, n_entries = len(lists.set_offsets) - 1, len(lists.parents)
    starts = offsets_of(np.bincount(lists.parents, minlength=n_variables))
    entry_sets = np.empty(n_entries, dtype=np.int32)
    entry_children = np.empty(n_entries, dtype=np.int32)
    sort_members(lists, starts[:-1].copy(), entry_sets, entry_children)
    # Entries are sorted by member, then child, then set: a pair (member, child) begins where one of the first two
    # changes, and its sets are best first.
    entry_parents = np.repeat(np.arange(n_variables, dtype=np.int32), np.diff(starts))
    new_pair = np.ones(n_entries, dtype=np.bool_)
    new_pair[1:] = (np.diff(entry_children) != 0) | (np.diff(entry_parents) != 0)
    first_entries = np.flatnonzero(new_pair)
    pair_offsets = np.searchsorted(entry_parents[first_entries], np.arange(n_variables + 1))
    return MemberIndex(
        pair_offsets=pair_offsets.astype(np.int64),
        pair_children=entry_children[first_entries],
        pair_first=entry_sets[first_entries],
        member_offsets=np.append(first_entries, n_entries).astype(np.int64),
        member_sets=entry_sets,
    )


def all_sets(lists: SetLists | ParentSetTable) -> ListedSets:
    """The sets, one list after the other."""
    return ListedSets(lists.parent_offsets, lists.parents)


def keep_sets(lists: SetLists, sets: np.ndarray) -> SetLists:
    """The lists with only the given sets (indices, ascending)."""
    # `sets` ascends, so the number of kept sets below a list's first one is where the list begins now.
    starts = np.searchsorted(sets, lists.set_offsets).astype(np.int64)
    return new_lists(starts, all_sets(lists).take(sets), lists.scores[sets])


def keep_in_table(table: ParentSetTable, sets: np.ndarray) -> ParentSetTable:
    """`table` with only the given sets (indices, ascending); all facts about its children are kept."""
    return replace(table, **keep_sets(lists_in(table), sets)._asdict())


def child_of_sets(lists: SetLists | ParentSetTable) -> np.ndarray:
    """The child of each set; int64, shape (n_sets,)."""
    return np.repeat(np.arange(len(lists.set_offsets) - 1), np.diff(lists.set_offsets))


def child_of_entries(lists: SetLists | ParentSetTable) -> np.ndarray:
    """The child of each entry of ``lists.parents``; int64."""
    return np.repeat(child_of_sets(lists), np.diff(lists.parent_offsets))


def relative_scores(lists: SetLists | ParentSetTable) -> np.ndarray:
    """Score of each set less that of its child's best set, nats; float64, shape (n_sets,).

    Differences keep digits that sums of large scores would lose.
    """
    return lists.scores - np.repeat(lists.scores[lists.set_offsets[:-1]], np.diff(lists.set_offsets))


def costs_of(lists: SetLists) -> np.ndarray:
    """Score of the child's best set less that of each set, nats, non-negative; float64, shape (n_sets,)."""
    return np.repeat(lists.scores[lists.set_offsets[:-1]], np.diff(lists.set_offsets)) - lists.scores


def fixed_parents(table: ParentSetTable) -> dict[int, tuple[int, ...]]:
    """Prescribed parents by child: the set of a fixed record (which may be empty); for a child with required parents
    its smallest set, which all its others contain.
    """
    sizes = np.diff(table.parent_offsets)
    starts, ends = table.set_offsets[:-1], table.set_offsets[1:]
    has_empty = np.zeros(table.n_variables, dtype=np.bool_)
    has_empty[child_of_sets(table)[sizes == 0]] = True
    # A list without the empty set comes from required parents, see `constrain`: its smallest set is within all
    # others.
    bound = np.flatnonzero((table.fixed | ~has_empty) & (ends > starts)).tolist()
    smallest = {child: int(starts[child] + np.argmin(sizes[starts[child] : ends[child]])) for child in bound}
    return {child: table.parent_set(s) for child, s in smallest.items()}


def fixed_first_order(table: ParentSetTable) -> list[int]:
    """All variables in an order that agrees with the fixed records.

    Raises `InfeasibleError` if the arcs of fixed records close a cycle; the message names its variables.
    """
    try:
        return pull_parents_forward(range(table.n_variables), fixed_parents(table))
    except CycleError as error:
        cycle = [*error.cycle, error.cycle[0]]
        listed = " <- ".join(table.header.names[v] for v in cycle)
        raise InfeasibleError(f"fixed records close a cycle: {listed}; release one of these variables") from None


def respect_fixed(order: np.ndarray, prescribed: dict[int, tuple[int, ...]]) -> np.ndarray:
    """`order`, in which prescribed parents that come too late are moved to just before their child.

    `prescribed` must be acyclic (see `fixed_first_order`).
    """
    if not any(prescribed.values()):
        return order
    return np.array(pull_parents_forward(order.tolist(), prescribed), dtype=order.dtype)
