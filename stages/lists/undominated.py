"""Lists without dominated sets, which are never part of the best network."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.dominance import mark_undominated_lists
from stages.kernels.orders.set_lists import SetLists

from .set_lists import keep_in_table

SLICE_SETS = 1 << 16
"""Sets of several lists in one compiled call at most: some hundredths of a second."""


def drop_dominated(table: ParentSetTable) -> ParentSetTable:
    """The table without sets that a listed subset dominates; only a table made with ``--keep-mass`` has such sets."""
    if "keep_mass" not in table.header.extra:
        return table
    extra = {key: value for key, value in table.header.extra.items() if key != "keep_mass"}
    return replace(
        keep_in_table(table, np.flatnonzero(undominated_sets(table))),
        header=replace(table.header, extra=extra),
        left_out=np.full(table.n_variables, np.nan),
    )


def undominated_sets(lists: SetLists | ParentSetTable) -> np.ndarray:
    """The sets that no subset in the same list dominates; bool, shape (n_sets,)."""
    starts, n = lists.set_offsets, len(lists.set_offsets) - 1
    keep = np.ones(len(lists.scores), dtype=np.bool_)
    first = 0
    while first < n:
        end = max(first + 1, int(np.searchsorted(starts, starts[first] + SLICE_SETS, side="right")) - 1)
        mark_undominated_lists(starts[first : end + 1], lists.parent_offsets, lists.parents, n, keep)
        first = end
    return keep
