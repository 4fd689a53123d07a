"""Turn a parent-set table into the arrays that the order kernels read, and its fixed records into
precedences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stages.graphs import CycleError, pull_parents_forward
from stages.runtime.errors import InfeasibleError

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.orders.set_lists import SetLists


def pack_table(table: ParentSetTable) -> SetLists:
    """Arrays of the order kernels for `table`; indices of sets stay those of the table."""
    return pack_arrays(table.set_offsets, table.scores, table.parent_offsets, table.parents)


def pack_arrays(
    set_offsets: np.ndarray, scores: np.ndarray, parent_offsets: np.ndarray, parents: np.ndarray
) -> SetLists:
    """Index sorted candidate lists by member.

    Parameters
    ----------
    set_offsets, scores, parent_offsets, parents : ndarray
        As in `ParentSetTable`: lists best first, int64, float64, int64, int32.

    Returns
    -------
    SetLists
    """
    from stages.kernels.orders.set_lists import SetLists, count_members, sort_members

    n_variables = len(set_offsets) - 1
    starts = count_members(parents, n_variables)
    entry_sets = np.empty(len(parents), dtype=np.int32)
    entry_children = np.empty(len(parents), dtype=np.int32)
    sort_members(set_offsets, parent_offsets, parents, starts[:-1].copy(), entry_sets, entry_children)
    entry_parents = np.repeat(np.arange(n_variables, dtype=np.int32), np.diff(starts))
    new_pair = np.ones(len(parents), dtype=np.bool_)
    new_pair[1:] = (np.diff(entry_children) != 0) | (np.diff(entry_parents) != 0)
    first_entries = np.flatnonzero(new_pair)
    return SetLists(
        set_offsets,
        scores,
        parent_offsets,
        parents,
        np.searchsorted(entry_parents[first_entries], np.arange(n_variables + 1)).astype(np.int64),
        entry_children[first_entries],
        entry_sets[first_entries],
        np.append(first_entries, len(parents)).astype(np.int64),
        entry_sets,
    )


class BareLists(NamedTuple):
    """Candidate lists alone; arrays as in `ParentSetTable`."""

    set_offsets: np.ndarray
    scores: np.ndarray
    parent_offsets: np.ndarray
    parents: np.ndarray


def drop_larger_sets(table: ParentSetTable, most_parents: int) -> BareLists:
    """The sets of at most `most_parents` members, of which every variable must have one."""
    sizes = np.diff(table.parent_offsets)
    kept = sizes <= most_parents
    before = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
    return BareLists(
        before[table.set_offsets],
        table.scores[kept],
        np.concatenate(([0], np.cumsum(sizes[kept]))).astype(np.int64),
        table.parents[np.repeat(kept, sizes)],
    )


def fixed_parents(table: ParentSetTable) -> dict[int, tuple[int, ...]]:
    """Parents that are not open to choice, by child: of a fixed record its one set (which may be empty), of
    a child with required parents the smallest of its sets, which all others contain.
    """
    sizes = np.diff(table.parent_offsets)
    starts, ends = table.set_offsets[:-1], table.set_offsets[1:]
    has_empty = np.zeros(table.n_variables, dtype=np.bool_)
    has_empty[np.repeat(np.arange(table.n_variables), ends - starts)[sizes == 0]] = True
    bound = np.flatnonzero((table.fixed | ~has_empty) & (ends > starts)).tolist()
    smallest = {child: int(starts[child] + np.argmin(sizes[starts[child] : ends[child]])) for child in bound}
    return {child: table.parent_set(s) for child, s in smallest.items()}


def fixed_first_order(table: ParentSetTable) -> list[int]:
    """All variables in an order that agrees with the fixed records.

    Raises
    ------
    InfeasibleError
        When the arcs of fixed records close a cycle; the message names its variables.
    """
    try:
        return pull_parents_forward(range(table.n_variables), fixed_parents(table))
    except CycleError as error:
        cycle = [*error.cycle, error.cycle[0]]
        listed = " <- ".join(table.header.names[v] for v in cycle)
        raise InfeasibleError(
            f"fixed records close a cycle: {listed}; release one of these variables"
        ) from None


def respect_fixed(order: np.ndarray, prescribed: dict[int, tuple[int, ...]]) -> np.ndarray:
    """`order` with the parents that fixed records prescribe moved to just before their child where they
    came later.

    `prescribed` must be acyclic (see `fixed_first_order`).
    """
    if not any(prescribed.values()):
        return order
    return np.array(pull_parents_forward(order.tolist(), prescribed), dtype=order.dtype)
