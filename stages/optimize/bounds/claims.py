"""Claims: the set of networks that a bound holds for, in words.

A claim is never wider than its proof. It names every limit on the lists (number of parents, knowledge about arcs, a
screening forest) and on the search (a treewidth bound, further constraints). Incomplete lists prove nothing about
networks with other sets: what is known about these follows a claim in parentheses.
"""

from __future__ import annotations

import numpy as np

from formats.records import ParentSetTable
from formats.wording import out_of, plural

from .. import OptimizeOptions

ALL = "all networks"
"""First words of a claim about complete lists; no other claim has them."""

_FOREST = " made of the screening forest and arcs among its roots"
_MORE = "more exist"


def with_forest(claim: str) -> str:
    """The claim about networks of the roots as one about these networks and the screening forest together."""
    networks, parenthesis, known = claim.partition(" (")
    return networks + _FOREST + parenthesis + known


def claim_of_lists(table: ParentSetTable, options: OptimizeOptions, is_narrow: bool = False) -> str:
    """The class of networks for which a bound computed on the lists of `table` holds.

    It depends on the treewidth bound and the constraints in the `options` of the search. With `is_narrow` the bound
    holds for networks within the treewidth only.
    """
    most = _most_parents(options, None, table.n_variables)
    if not np.all(table.complete | table.fixed):
        return _of_listed_sets(most, options, is_narrow, _known_of_sets(table))
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
        claim = with_forest(claim)
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
    known = f"{plural(n_sets, 'set')} at the end of the search; {_MORE}"
    return _of_listed_sets(options.treewidth, options, is_narrow, known)


def _of_listed_sets(most_parents: int | None, options: OptimizeOptions, is_narrow: bool, known: str) -> str:
    return f"networks of the listed sets{_kind(most_parents, options, is_narrow)} ({known})"


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


def _known_of_sets(table: ParentSetTable) -> str:
    """Which lists are incomplete, and whether further sets exist (lists of other programs do not tell)."""
    known = _MORE if table.header.data is not None else "whether more exist is not known"
    n_early = table.n_cut_short - table.n_unsearched
    if n_early:
        known = f"the lists of {out_of(n_early, table.n_variables, 'variable')} ended early; {known}"
    if table.n_unsearched:
        known = f"{out_of(table.n_unsearched, table.n_variables, 'variable')} never searched; {known}"
    return known


def _is_constrained(options: OptimizeOptions) -> bool:
    return options.knowledge is not None and not options.knowledge.is_empty
