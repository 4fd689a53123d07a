"""Claims: the set of networks that a bound holds for, in words.

A claim is never wider than its proof. It names every limit on the lists (number of parents, knowledge about arcs, a
screening forest) and on the search (a treewidth bound, further constraints). Incomplete lists prove nothing about
networks with other sets.
"""

from __future__ import annotations

import numpy as np

from formats.records import ParentSetTable
from formats.wording import plural

from .. import OptimizeOptions

ALL = "all networks"
"""First words of a claim about complete lists; no other claim has them."""

KEEPING_FOREST = " that keep the screening forest (other arcs among its roots only)"


def claim_of_lists(table: ParentSetTable, options: OptimizeOptions, is_narrow: bool = False) -> str:
    """The class of networks for which a bound computed on the lists of `table` holds.

    It depends on the treewidth bound and the constraints in the `options` of the search. With `is_narrow` the bound
    holds for networks within the treewidth only.
    """
    most = _most_parents(options, None, table.n_variables)
    if not np.all(table.complete | table.fixed):
        return "networks of the listed sets" + _kind(most, options, is_narrow) + _what_is_cut_short(table)
    limits = table.header.limits
    if limits is None:
        unknown = " within the limits of the lists, which are unknown"
        return ALL + _kind(most, options, is_narrow) + unknown
    most = _most_parents(options, limits.get("max_parents"), table.n_variables)
    is_constrained = _is_constrained(options) or any(
        limits.get(k) is not None for k in ("require", "forbid", "allow", "tiers")
    )
    claim = ALL + _kind(most, options, is_narrow)
    if is_constrained:
        claim += " under the constraints"
    if limits.get("screen"):
        claim += KEEPING_FOREST
    elif table.fixed.any() and not is_constrained:
        claim += " with the fixed sets"
    return claim


def claim_of_scores(options: OptimizeOptions, n_variables: int, is_narrow: bool = False) -> str:
    """The class of networks for which a bound on all sets of a data set holds; parameters as in `claim_of_lists`."""
    claim = ALL + _kind(_most_parents(options, options.max_parents, n_variables), options, is_narrow)
    return claim + (" under the constraints" if _is_constrained(options) else "")


def claim_of_grown_lists(n_sets: int, options: OptimizeOptions, is_narrow: bool = False) -> str:
    """The class of networks for which a bound on lists grown by the search holds: networks of the final sets;
    `is_narrow` as in `claim_of_lists`.
    """
    sets = f"networks of the {plural(n_sets, 'set')} listed at the end"
    return sets + _kind(options.treewidth, options, is_narrow)


def _most_parents(options: OptimizeOptions, listed: int | None, n_variables: int) -> int | None:
    """The limit on parents by the treewidth bound and by the lists; None where neither excludes a network."""
    limits = [m for m in (listed, options.treewidth) if m is not None and m < n_variables - 1]
    if not limits and options.max_table is not None:
        return options.treewidth  # All variables fit one clique, but perhaps not one table.
    return min(limits, default=None)


def _kind(most_parents: int | None, options: OptimizeOptions, is_narrow: bool = False) -> str:
    """The limit on parents, and whether the claim covers any treewidth; networks with one parent each keep any
    treewidth bound.

    A bound on tables is part of the claim only where networks with one parent each are searched exactly.
    """
    if most_parents is None:
        return ""
    kind = f" with at most {plural(most_parents, 'parent')} each"
    if options.treewidth is not None and most_parents > 1:
        return kind + (f", of treewidth at most {options.treewidth}" if is_narrow else ", of any treewidth")
    return kind if options.max_table is None else f"{kind} and tables of at most {options.max_table:,} cells"


def _what_is_cut_short(table: ParentSetTable) -> str:
    if table.n_unsearched:
        return f", {table.n_unsearched} of {table.n_variables} variables never searched"
    if table.n_cut_short:
        return f", {table.n_cut_short} of {table.n_variables} searches cut short"
    return ""


def _is_constrained(options: OptimizeOptions) -> bool:
    return options.knowledge is not None and not options.knowledge.is_empty
