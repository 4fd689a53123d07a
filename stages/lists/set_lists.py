"""Candidate lists as arrays: the common in-memory form, selections from it, and orders that respect fixed records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from formats.records import ParentSetTable
from formats.sets.listed_sets import ListedSets, offsets_of
from stages.graphs import CycleError, pull_parents_forward
from stages.kernels.orders.set_lists import SetLists, sort_members
from stages.runtime.errors import InfeasibleError

if TYPE_CHECKING:
    from stages.kernels.bounds.dual_ascent import Columns
    from stages.kernels.ktrees.bounded_lists import BoundedLists


def index_table(table: ParentSetTable) -> SetLists:
    """The lists of `table`, indexed; sets keep their indices in the table."""
    return index_lists(table.set_offsets, all_sets(table), table.scores)


def index_lists(set_offsets: np.ndarray, sets: ListedSets, scores: np.ndarray) -> SetLists:
    """Candidate lists with an index by member, the form that all searches on lists use (or a view of it).

    Lists are best first; that of child i is ``sets[set_offsets[i]:set_offsets[i + 1]]`` (int64).
    """
    n_variables, parent_offsets, parents = len(set_offsets) - 1, sets.offsets, sets.members
    starts = offsets_of(np.bincount(parents, minlength=n_variables))
    entry_sets = np.empty(len(parents), dtype=np.int32)
    entry_children = np.empty(len(parents), dtype=np.int32)
    sort_members(set_offsets, parent_offsets, parents, starts[:-1].copy(), entry_sets, entry_children)
    # Entries are sorted by member, then child, then set: a pair (member, child) begins where one of the first two
    # changes, and its sets are best first.
    entry_parents = np.repeat(np.arange(n_variables, dtype=np.int32), np.diff(starts))
    new_pair = np.ones(len(parents), dtype=np.bool_)
    new_pair[1:] = (np.diff(entry_children) != 0) | (np.diff(entry_parents) != 0)
    first_entries = np.flatnonzero(new_pair)
    pair_offsets = np.searchsorted(entry_parents[first_entries], np.arange(n_variables + 1))
    return SetLists(
        set_offsets=set_offsets,
        scores=scores,
        parent_offsets=parent_offsets,
        parents=parents,
        pair_offsets=pair_offsets.astype(np.int64),
        pair_children=entry_children[first_entries],
        pair_first=entry_sets[first_entries],
        member_offsets=np.append(first_entries, len(parents)).astype(np.int64),
        member_sets=entry_sets,
    )


def all_sets(lists: SetLists | BoundedLists | Columns | ParentSetTable) -> ListedSets:
    """The sets of lists of any form, one list after the other."""
    return ListedSets(lists.parent_offsets, lists.parents)


def keep_sets(lists: SetLists | Columns | ParentSetTable, sets: np.ndarray) -> tuple[np.ndarray, ListedSets]:
    """Where each list begins (int64) and the sets, of the given sets (indices, ascending) of lists of any form."""
    kept = all_sets(lists).take(sets)
    # `sets` ascends, so the number of kept sets below a list's first one is where the list begins now.
    return np.searchsorted(sets, lists.set_offsets).astype(np.int64), kept


def keep_in_table(table: ParentSetTable, sets: np.ndarray) -> ParentSetTable:
    """`table` with only the given sets (indices, ascending); all facts about its children are kept."""
    starts, kept = keep_sets(table, sets)
    return replace(
        table, set_offsets=starts, scores=table.scores[sets], parent_offsets=kept.offsets, parents=kept.members
    )


def child_of_sets(lists: SetLists | Columns | ParentSetTable) -> np.ndarray:
    """The child of each set; int64, shape (n_sets,)."""
    return np.repeat(np.arange(len(lists.set_offsets) - 1), np.diff(lists.set_offsets))


def child_of_entries(table: ParentSetTable) -> np.ndarray:
    """The child of each entry of ``table.parents``; int64."""
    return np.repeat(child_of_sets(table), np.diff(table.parent_offsets))


def relative_scores(lists: SetLists | ParentSetTable) -> np.ndarray:
    """Score of each set less that of its child's best set, nats; float64, shape (n_sets,).

    Differences keep digits that sums of large scores would lose.
    """
    return lists.scores - np.repeat(lists.scores[lists.set_offsets[:-1]], np.diff(lists.set_offsets))


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
