"""Lists without a least set, as other programs write them: no listed set, even the empty one, is within all others.

Searches need such a set, so that every order has a network. An empty set is added, with a score so low that no
network with it can be the best while there is one without.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from formats.records import Network, ParentSetRecord, ParentSetTable
from formats.sets.listed_sets import ListedSets
from formats.sets.record_checks import least_set
from formats.wording import listed
from stages.runtime.errors import InfeasibleError

from .set_lists import all_sets, child_of_sets


def children_without_least(table: ParentSetTable) -> list[int]:
    """The children no listed set of which is within all others, ascending."""
    has_empty = np.zeros(table.n_variables, dtype=np.bool_)
    has_empty[child_of_sets(table)[np.diff(table.parent_offsets) == 0]] = True
    sets, starts = all_sets(table), table.set_offsets.tolist()
    others = np.flatnonzero(~has_empty & (np.diff(table.set_offsets) > 0)).tolist()
    return [child for child in others if least_set(sets.within(starts[child], starts[child + 1])) is None]


def bar_empty_sets(table: ParentSetTable) -> tuple[ParentSetTable, list[int]]:
    """Give each child without a least set a barred empty one; the table, and these children."""
    barred = children_without_least(table)
    if not barred:
        return table, []
    starts = table.set_offsets[:-1][np.diff(table.set_offsets) > 0]
    # What all listed sets together can make up for; one nat more.
    span = float(np.sum(np.maximum.reduceat(table.scores, starts) - np.minimum.reduceat(table.scores, starts))) + 1.0
    records: list[ParentSetRecord] = list(table.records())
    for child in barred:
        record = records[child]
        empty = ListedSets.of([()])
        scores = np.append(record.scores, record.scores.min() - span)
        sets = ListedSets.joined([record.parents, empty])
        records[child] = replace(record, parents=sets, scores=scores, required=())
    found = ParentSetTable.from_records(table.header, records)
    return replace(found, n_cut_short=table.n_cut_short, n_unsearched=table.n_unsearched), barred


def refuse_barred(network: Network, barred: list[int]) -> None:
    """Raise `InfeasibleError` if a network has a barred set."""
    taken = [network.header.names[child] for child in barred if not network.parents[child]]
    if not taken:
        return
    # Every network of listed sets scores a nat more than this one at least, see `bar_empty_sets`.
    is_proved = network.header.extra.get("gap", math.inf) < 1.0
    found, remedy = ("exists", "") if is_proved else ("was found", ", or search longer")
    raise InfeasibleError(
        f"no network of listed sets {found}: the lists of {listed(map(repr, taken))} lack the empty set, and each of "
        f"their sets would close a cycle\n  list the empty set{remedy}"
    )
