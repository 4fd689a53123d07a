"""What a bound is about, in words: the one place that says among which networks one is proved to be the best.

A claim is never wider than its proof. It names every limit on the lists (most parents, arcs that the user requires
or forbids, a screening forest) and on the search (a treewidth bound, further constraints). Lists that are not
complete prove nothing about networks with other sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from formats.wording import plural

if TYPE_CHECKING:
    from formats.records import ParentSetTable

    from .. import OptimizeOptions

ALL = "all networks"
"""How a claim about complete lists begins; no other one begins so."""

LISTED = "networks of the listed sets"

KEEPING_FOREST = " that keep the screening forest (other arcs among its roots only)"


def claim_of_lists(table: ParentSetTable, options: OptimizeOptions) -> str:
    """Among which networks a bound on those from the lists of `table` holds.

    Parameters
    ----------
    table : ParentSetTable
    options : OptimizeOptions
        Of the search: its method, treewidth bound and constraints.
    """
    most = options.treewidth if options.method != "forest" else min(1, options.width)
    if most is not None and most >= table.n_variables - 1 and options.max_table is None:
        most = None  # All variables fit one clique.
    if not np.all(table.complete | table.fixed):
        return LISTED + _kind(most, options) + _what_is_cut_short(table)
    limits = table.header.limits
    if limits is None:
        unknown = " within the limits of the lists, which are unknown"
        return ALL + _kind(most, options) + unknown
    listed = limits.get("max_parents")
    if listed is not None and listed < table.n_variables - 1:
        most = listed if most is None else min(most, listed)
    is_constrained = _is_constrained(options) or any(limits.get(k) for k in ("require", "forbid", "tiers"))
    claim = ALL + _kind(most, options)
    if is_constrained:
        claim += " under the constraints"
    if limits.get("screen"):
        claim += KEEPING_FOREST
    elif table.fixed.any() and not is_constrained:
        claim += " with the fixed sets"
    return claim


def claim_of_scores(options: OptimizeOptions) -> str:
    """Among which networks a bound on all that data allow holds; the options as in `claim_of_lists`."""
    limits = [m for m in (options.max_parents, options.treewidth) if m is not None]
    claim = ALL + _kind(min(limits, default=None), options)
    return claim + (" under the constraints" if _is_constrained(options) else "")


def claim_of_grown_lists(n_sets: int, options: OptimizeOptions) -> str:
    """Among which networks a bound on lists that grew during the search holds: those of the sets at its end."""
    sets = f"networks of the {plural(n_sets, 'set')} listed at the end"
    return sets + _kind(options.treewidth, options)


def _kind(most_parents: int | None, options: OptimizeOptions) -> str:
    """Most parents, and that a treewidth bound is not part of the claim; networks of one parent each keep it.

    A bound on tables is part of the claim where networks of one parent each are searched exactly, and not elsewhere.
    """
    if most_parents is None:
        return ""
    kind = f" with at most {plural(most_parents, 'parent')} each"
    if options.treewidth is not None and most_parents > 1:
        return kind + ", of any treewidth"
    return kind if options.max_table is None else f"{kind} and tables of at most {options.max_table:,} cells"


def _what_is_cut_short(table: ParentSetTable) -> str:
    if table.n_unsearched:
        return f", {table.n_unsearched} of {table.n_variables} variables never searched"
    if table.n_cut_short:
        return f", {table.n_cut_short} of {table.n_variables} searches cut short"
    return ""


def _is_constrained(options: OptimizeOptions) -> bool:
    return bool(options.required or options.forbidden or options.tiers is not None)
