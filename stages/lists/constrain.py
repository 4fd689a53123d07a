"""Parent-set lists under prior knowledge: sets that lack a required or contain an excluded parent are dropped."""

from __future__ import annotations

import shlex
from dataclasses import replace

import numpy as np

from formats.records import ParentSetTable
from formats.sets.listed_sets import offsets_of
from stages.knowledge import Knowledge
from stages.runtime.errors import InfeasibleError

from .barred_sets import children_without_least
from .set_lists import child_of_entries, child_of_sets, keep_in_table


def keep_admissible(table: ParentSetTable, knowledge: Knowledge) -> ParentSetTable:
    """The sets of `table` that agree with `knowledge`.

    Lists made without the same knowledge lack sets dominated by a subset without the required parents. Therefore a
    child with required parents is no longer ``complete`` and has no bounds on the scores of its unlisted sets; for
    their weight see `_left_out_under`. Its list may lack a least set, see `barred_sets`. Raises `InfeasibleError` if
    no set of a child is left.
    """
    is_allowed, has_required = ~_has_excluded_parent(table, knowledge), _has_required(table, knowledge)
    keep = is_allowed & has_required
    for child in range(table.n_variables):
        start, end = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
        if start == end:
            continue
        if not keep[start:end].any():
            raise InfeasibleError(_nothing_left(knowledge, child))
    if keep.all():
        return table
    # A list may lack sets with the required parents: subsets without these parents dominated them.
    is_bound = np.array([child in knowledge.required for child in range(table.n_variables)]) & ~table.fixed
    return replace(
        keep_in_table(table, np.flatnonzero(keep)),
        complete=table.complete & ~is_bound,
        unlisted=np.where(is_bound, np.nan, table.unlisted),
        left_out=_left_out_under(table, knowledge, is_allowed & ~has_required),
    )


def _left_out_under(table: ParentSetTable, knowledge: Knowledge, is_lost: np.ndarray) -> np.ndarray:
    """Bounds on the weight of omitted sets, as ``left_out`` of the table, among networks with the required arcs.

    An omitted set P with the required parents R of its child is replaced by its listed subset f(P), see
    `stages.parentsets.omitted_mass`. If that lacks one of R (`is_lost`), let R itself replace P: it is a subset too.
    The sets P of f(P) = S weigh at most ``left_out * w(S)``. So those that R replaces weigh at most ``left_out``
    times the sum of w(R) and of w(S) over the lost sets S. If R is not listed, nothing is known.
    """
    found, sizes = table.left_out.copy(), np.diff(table.parent_offsets)
    for child in knowledge.required:
        start, end = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
        required = knowledge.required_of(child)
        near = start + np.flatnonzero(sizes[start:end] == len(required))
        alone = [s for s in near.tolist() if table.parent_set(s) == tuple(sorted(required))]
        if not alone:
            found[child] = np.nan
        elif found[child]:
            with np.errstate(over="ignore"):
                ratios = np.exp(table.scores[start:end][is_lost[start:end]] - table.scores[alone[0]])
                found[child] *= 1.0 + ratios.sum()
    return np.where(np.isfinite(found) | table.fixed, found, np.nan)


def require_least_sets(table: ParentSetTable, knowledge: Knowledge) -> None:
    """Raise `InfeasibleError` if a child has no least set, one within all its other sets, after knowledge was
    applied.

    Without it, an order that allows the required parents might still leave the child without a consistent set.
    """
    for child in children_without_least(table):
        raise InfeasibleError(_no_smallest(knowledge, child))


def _has_excluded_parent(table: ParentSetTable, knowledge: Knowledge) -> np.ndarray:
    bad = np.zeros(len(table.parents), dtype=np.bool_)
    for child in range(table.n_variables):
        if knowledge.limits_parents_of(child):
            first, end = table.parent_offsets[table.set_offsets[child : child + 2]]
            bad[first:end] = ~knowledge.may_be_parent(child)[table.parents[first:end]]
    return _count_entries(table, bad) > 0


def _has_required(table: ParentSetTable, knowledge: Knowledge) -> np.ndarray:
    n = table.n_variables
    needed = np.array([len(knowledge.required_of(child)) for child in range(n)])
    required = [child * n + parent for parent, child in knowledge.required_arcs]
    is_required = np.isin(child_of_entries(table) * n + table.parents, required)
    return _count_entries(table, is_required) == needed[child_of_sets(table)]


def _count_entries(table: ParentSetTable, marked: np.ndarray) -> np.ndarray:
    """Number of marked parents of each set."""
    # Prefix sums: the marked entries of a set are the difference at its two ends.
    sums = offsets_of(marked)
    return sums[table.parent_offsets[1:]] - sums[table.parent_offsets[:-1]]


def _remedy(knowledge: Knowledge, child: int) -> str:
    arc = knowledge.arc_text(knowledge.required_of(child)[0], child)
    return f"\n  identify the sets under the same constraints: bnsl parentsets --require {shlex.quote(arc)} ..."


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
