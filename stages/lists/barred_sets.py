"""Lists without a least set: no listed set, even the empty one, is within all others.

Other programs write such lists. Knowledge leaves them where the set of the required parents alone was dominated.
Searches need such a set, so that every order has a network. The set of the required parents is added, mostly the
empty one, with a score so low that no network with it can be the best while there is one without.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.bounds import gap_in
from formats.records import NetworkRecord, ParentSetRecord, ParentSetTable
from formats.sets.listed_sets import ListedSets, least_set
from formats.wording import listed
from stages.knowledge import Knowledge
from stages.runtime.errors import InfeasibleError

from .set_lists import all_sets, child_of_sets


def children_without_least(table: ParentSetTable) -> list[int]:
    """The set of the required parents is added, mostly the empty one. Its score is so low that a network with it is
    the best only if there is no network without it.
    """
    has_empty = np.zeros(table.n_variables, dtype=np.bool_)
    has_empty[child_of_sets(table)[np.diff(table.parent_offsets) == 0]] = True
    sets, starts = all_sets(table), table.set_offsets.tolist()
    others = np.flatnonzero(~has_empty & (np.diff(table.set_offsets) > 0)).tolist()
    return [child for child in others if least_set(sets.within(starts[child], starts[child + 1])) is None]


def bar_least_sets(
    table: ParentSetTable, knowledge: Knowledge | None = None
) -> tuple[ParentSetTable, dict[int, tuple[int, ...]]]:
    """Give each child without a least set a barred one; the table, and the barred sets by child.

    All sets of `table` agree with `knowledge`, see `constrain.keep_admissible`.
    """
    without = children_without_least(table)
    if not without:
        return table, {}
    starts = table.set_offsets[:-1][np.diff(table.set_offsets) > 0]
    # More, by one nat, than all listed sets together can differ by.
    span = float(np.sum(np.maximum.reduceat(table.scores, starts) - np.minimum.reduceat(table.scores, starts))) + 1.0
    records: list[ParentSetRecord] = list(table.records())
    barred = {child: () if knowledge is None else knowledge.required_of(child) for child in without}
    for child, least in barred.items():
        record = records[child]
        scores = np.append(record.scores, record.scores.min() - span)
        sets = ListedSets.joined([record.parents, ListedSets.of([least])])
        records[child] = replace(record, parents=sets, scores=scores, required=least)
    found = ParentSetTable.from_records(table.header, records)
    return replace(found, n_cut_short=table.n_cut_short, n_unsearched=table.n_unsearched), barred


def barred_in(network: NetworkRecord, barred: dict[int, tuple[int, ...]]) -> list[int]:
    """The children that have their barred set in a network."""
    return [child for child, least in barred.items() if network.parents[child] == least]


def refuse_barred(network: NetworkRecord, barred: dict[int, tuple[int, ...]]) -> None:
    """Raise `InfeasibleError` if a network has a barred set."""
    taken = barred_in(network, barred)
    if not taken:
        return
    # Every network of listed sets scores at least one nat more than this one, see `bar_least_sets`.
    gap = gap_in(network.header.extra)
    is_proved = gap is not None and gap < 1.0
    found, remedy = ("exists", "") if is_proved else ("was found", ", or search longer")
    names = listed([repr(network.header.names[child]) for child in taken])
    lacking = "the set of their required parents alone" if any(barred[c] for c in taken) else "the empty set"
    raise InfeasibleError(
        f"no network of listed sets {found}: the lists of {names} lack {lacking}, and each of "
        f"their sets would close a cycle\n  list {lacking}{remedy}"
    )
