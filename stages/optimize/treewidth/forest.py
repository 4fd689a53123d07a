"""The best network of treewidth 1, exactly: every variable has at most one parent.

Chow & Liu (1968) take a maximum spanning tree of the pairwise gains. That is enough where both directions of an
arc gain alike; listed sets need not be so (one direction may be missing, a record fixed), so the maximum
branching is found (Chu & Liu 1965, Edmonds 1967), which is the same forest when they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stages.graphs import topological_order
from stages.runtime.errors import InfeasibleError

from ..bounds.anytime_bound import bound_facts
from ..bounds.rounding import proof_rounding
from ..lists.set_lists import fixed_first_order
from ..result import SearchResult, listed_result, total_score
from .table_bound import require_sets, table_bound

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """The best network among those without a variable of two parents; exact for the listed sets."""
    from stages.kernels.ktrees.arborescence import best_arborescence

    fixed_first_order(table)
    n = table.n_variables
    sizes = np.diff(table.parent_offsets)
    children = np.repeat(np.arange(n), np.diff(table.set_offsets))
    if np.any(sizes[table.fixed[children]] > 1):
        child = int(children[table.fixed[children] & (sizes > 1)][0])
        raise InfeasibleError(
            f"{table.header.names[child]!r} has {sizes[table.set_offsets[child]]} fixed parents, treewidth 1 "
            "allows one: raise --tw or release this record"
        )
    if options.treewidth == 0 and np.any(sizes[table.fixed[children]] > 0):
        raise InfeasibleError("fixed records demand arcs, treewidth 0 allows none: raise --tw to 1")
    tables = table_bound(table.header, options.max_table)
    fits = sizes <= min(1, options.width)
    if tables.is_given:
        for child in range(n):
            first, end = table.set_offsets[child], table.set_offsets[child + 1]
            offsets = table.parent_offsets[first : end + 1]
            parents = table.parents[offsets[0] : offsets[-1]]
            fits[first:end] &= tables.fits(child, offsets - offsets[0], parents)
            require_sets(table, child, int(fits[first:end].sum()), tables)
    sets = np.flatnonzero(fits)
    # The root stands for having no parents.
    tails = np.full(len(sets), n, dtype=np.int64)
    single = sizes[sets] == 1
    tails[single] = table.parents[table.parent_offsets[sets[single]]]
    gains = table.scores[sets] - table.scores[table.set_offsets[children[sets]]]
    entering = np.empty(n + 1, dtype=np.int64)
    best_arborescence(n + 1, tails, children[sets], gains, entering)
    chosen = sets[entering[:-1]]
    total = total_score(table.scores, chosen)
    elimination = topological_order([table.parent_set(s) for s in chosen.tolist()])[::-1]
    facts = bound_facts(total, total, proof_rounding(n, float(np.abs(table.scores[chosen]).sum())))
    return listed_result(table, chosen, total, facts, elimination=elimination)
