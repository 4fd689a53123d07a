"""Lists made with ``--keep-mass``, cut down to what the best network can be made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.records import ParentSetTable

from .set_lists import keep_in_table


def drop_dominated(table: ParentSetTable) -> ParentSetTable:
    """The table without sets that a listed subset dominates, which no search for one best network needs.

    A table whose header does not say that it keeps such sets is returned as it is.
    """
    if "keep_mass" not in table.header.extra:
        return table
    from stages.kernels.dominance import mark_undominated

    keep = np.ones(table.n_sets, dtype=np.bool_)
    for start, end in zip(table.set_offsets[:-1].tolist(), table.set_offsets[1:].tolist()):
        offsets = table.parent_offsets[start : end + 1]
        members = table.parents[offsets[0] : offsets[-1]]
        keep[start:end] = mark_undominated(
            offsets - offsets[0], members, table.n_variables, np.arange(end - start)
        )
    extra = {key: value for key, value in table.header.extra.items() if key != "keep_mass"}
    return replace(
        keep_in_table(table, np.flatnonzero(keep)),
        header=replace(table.header, extra=extra),
        left_out=np.full(table.n_variables, np.nan),
    )
