"""Tables in which variables are missing because their stream ended early."""

from __future__ import annotations

from dataclasses import replace

from formats.records import Header, ParentSetRecord, ParentSetTable


def fill_missing(table: ParentSetTable) -> tuple[ParentSetTable, list[int]]:
    """Give every variable without parent sets the empty set, so that the others can be searched.

    Returns the table and the variables without parent sets; the given table if there are none. Otherwise added sets
    score 0, so that their variables do not contribute to totals, and ``header.extra["unscored"]`` lists these
    variables.
    """
    missing = (table.set_offsets[1:] == table.set_offsets[:-1]).nonzero()[0].tolist()
    if not missing:
        return table, []
    records = list(table.records())
    for child in missing:
        records[child] = ParentSetRecord.of(child, ((),), (0.0,))
    header: Header = replace(table.header, extra={**table.header.extra, "unscored": missing})
    filled = ParentSetTable.from_records(header, records)
    return replace(filled, n_cut_short=table.n_cut_short, n_unsearched=table.n_unsearched), missing
