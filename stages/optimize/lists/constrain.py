"""Parent-set lists under what a user knows: sets without a required or with an excluded parent are dropped."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.errors import InfeasibleError

from .set_lists import keep_in_table

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.knowledge import Knowledge


def keep_admissible(table: ParentSetTable, knowledge: Knowledge) -> ParentSetTable:
    """The sets of `table` that agree with `knowledge`.

    Lists made without the same knowledge lack sets that a subset without the required parents dominates, so a
    child with required parents is no longer ``complete`` and has no bounds on its unlisted sets.

    Parameters
    ----------
    table : ParentSetTable
    knowledge : Knowledge
        About the table's variables.

    Raises
    ------
    InfeasibleError
        A child is left without a set, or with none that holds just what all its sets share: then an order that
        allows the required parents might still leave it without a choice.
    """
    child_of_set = np.repeat(np.arange(table.n_variables), np.diff(table.set_offsets))
    keep = ~_has_excluded_parent(table, knowledge, child_of_set) & _has_required(
        table, knowledge, child_of_set
    )
    for child in range(table.n_variables):
        start, end = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
        if start == end:
            continue
        kept = np.flatnonzero(keep[start:end]) + start
        if not len(kept):
            raise InfeasibleError(_nothing_left(knowledge, child))
        if child in knowledge.required and not _lists_what_all_share(table, kept):
            raise InfeasibleError(_no_smallest(knowledge, child))
    if keep.all():
        return table
    is_bound = np.array([child in knowledge.required for child in range(table.n_variables)]) & ~table.fixed
    return replace(
        keep_in_table(table, np.flatnonzero(keep)),
        complete=table.complete & ~is_bound,
        unlisted=np.where(is_bound, np.nan, table.unlisted),
        left_out=np.where(is_bound, np.nan, table.left_out),
    )


def _has_excluded_parent(table: ParentSetTable, knowledge: Knowledge, child_of_set: np.ndarray) -> np.ndarray:
    child_of_entry = np.repeat(child_of_set, np.diff(table.parent_offsets))
    bad = np.isin(
        child_of_entry * table.n_variables + table.parents,
        [child * table.n_variables + p for child, parents in knowledge.forbidden.items() for p in parents],
    )
    if knowledge.tiers is not None:
        tier = knowledge.tiers[child_of_entry]
        bad |= (tier >= 0) & (knowledge.tiers[table.parents] > tier)
    return _count_entries(table, bad) > 0


def _has_required(table: ParentSetTable, knowledge: Knowledge, child_of_set: np.ndarray) -> np.ndarray:
    child_of_entry = np.repeat(child_of_set, np.diff(table.parent_offsets))
    wanted = np.isin(
        child_of_entry * table.n_variables + table.parents,
        [child * table.n_variables + p for child, parents in knowledge.required.items() for p in parents],
    )
    needed = np.array([len(knowledge.required_of(child)) for child in range(table.n_variables)])
    return _count_entries(table, wanted) == needed[child_of_set]


def _count_entries(table: ParentSetTable, marked: np.ndarray) -> np.ndarray:
    """How many marked parents each set has."""
    sums = np.concatenate(([0], np.cumsum(marked)))
    return sums[table.parent_offsets[1:]] - sums[table.parent_offsets[:-1]]


def _lists_what_all_share(table: ParentSetTable, kept: np.ndarray) -> bool:
    sets = [set(table.parent_set(s)) for s in kept.tolist()]
    return set.intersection(*sets) in sets


def _remedy(knowledge: Knowledge, child: int) -> str:
    arc = knowledge.arc_text(knowledge.required_of(child)[0], child)
    return f"\n  identify the sets under the same constraints: bnsl parentsets --require '{arc}' ..."


def _nothing_left(knowledge: Knowledge, child: int) -> str:
    name = knowledge.names[child]
    if child not in knowledge.required:
        return f"the one set that {name!r} must take is excluded; drop the constraint or the fixed record"
    wanted = ", ".join(repr(knowledge.names[p]) for p in knowledge.required_of(child))
    return f"no listed set of {name!r} that is not excluded has the required parents {wanted}" + _remedy(
        knowledge, child
    )


def _no_smallest(knowledge: Knowledge, child: int) -> str:
    return (
        f"{knowledge.names[child]!r} lists no set of its required parents alone"
        " (one without them dominated it)" + _remedy(knowledge, child)
    )
