"""Lists without dominated sets, which are never part of the best network."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.dominance import mark_undominated

from .set_lists import keep_in_table


def drop_dominated(table: ParentSetTable) -> ParentSetTable:
    """The table without sets that a listed subset dominates, if it was made with ``--keep-mass``."""
    if "keep_mass" not in table.header.extra:
        return table
    extra = {key: value for key, value in table.header.extra.items() if key != "keep_mass"}
    return replace(
        keep_in_table(table, np.flatnonzero(undominated_sets(table))),
        header=replace(table.header, extra=extra),
        left_out=np.full(table.n_variables, np.nan),
    )


def undominated_sets(table: ParentSetTable) -> np.ndarray:
    """The sets that no listed subset dominates; bool, shape (n_sets,)."""
    keep = np.ones(table.n_sets, dtype=np.bool_)
    for start, end in itertools.pairwise(table.set_offsets.tolist()):
        offsets = table.parent_offsets[start : end + 1]
        members = table.parents[offsets[0] : offsets[-1]]
        # Lists are best first: a set can only be dominated by one listed before it.
        keep[start:end] = mark_undominated(offsets - offsets[0], members, table.n_variables, np.arange(end - start))
    return keep
