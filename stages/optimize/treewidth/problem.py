"""A parent-set table prepared for search under a treewidth bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..lists.set_lists import fixed_first_order, fixed_parents, index_lists, keep_sets, offsets_of
from ..result import Parents, SearchResult, listed_result, total_score
from .fixed_records import FixedDemands, plan_fixed_cliques
from .table_bound import TableBound, require_sets, table_bound

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.ktrees.ktree import BoundedLists, KTree
    from stages.kernels.ktrees.orders import Precedences
    from stages.kernels.ktrees.start_clique import CliqueTables

    from .. import OptimizeOptions
    from ..restarts import Attempt


@dataclass(frozen=True, eq=False)
class BoundedProblem:
    """Candidate sets that can occur in a k-tree, and what fixed records demand of it.

    Attributes
    ----------
    lists : BoundedLists
        The members of a set are all variables it needs in one clique with the child: its parents, and (from
        `prepare_bounded`) those that fixed records force on the child.
    table : ParentSetTable
        Where the sets come from.
    source : ndarray of int64
        Index of each set in the table.
    scores : ndarray of float64
        Score of each set in nats.
    treewidth : int
        The bound, at most n_variables - 1.
    tables : TableBound
    precedences : Precedences
    """

    lists: BoundedLists
    table: ParentSetTable
    source: np.ndarray
    scores: np.ndarray
    treewidth: int
    tables: TableBound
    precedences: Precedences

    @property
    def n_variables(self) -> int:
        return len(self.lists.set_offsets) - 1

    @property
    def is_one_clique(self) -> bool:
        """All variables fit one clique: the start clique is the whole problem, solved exactly."""
        from stages.kernels.ktrees.ktree import start_size

        return self.n_variables == start_size(self.tables.n_states, self.treewidth, self.tables.most_cells)

    @property
    def is_demanding(self) -> bool:
        """Fixed records demand arcs."""
        return len(self.precedences.before) > 0

    def score(self, chosen: np.ndarray) -> float:
        """Sum of the scores of the sets `chosen`, in nats."""
        return total_score(self.scores, chosen)

    def parents(self, chosen: np.ndarray) -> Parents:
        """Parents of every variable in the sets `chosen`."""
        return tuple(self.table.parent_set(s) for s in self.source[chosen].tolist())

    def new_tree(self) -> KTree:
        """Arrays for one k-tree, without preferences, order 0, 1, 2, ..."""
        from stages.kernels.ktrees.ktree import new_ktree

        return new_ktree(self.n_variables, self.treewidth, *self.tables)

    def respect(self, order: np.ndarray) -> np.ndarray:
        """`order` with every variable's predecessors moved to before it where they came later."""
        from stages.kernels.ktrees.orders import pull_forward

        n = self.n_variables
        if not len(self.precedences.before):
            return order
        moved = np.empty_like(order)
        pull_forward(self.precedences, moved, order, np.empty(n, dtype=np.uint8), np.empty(n, dtype=np.int32))
        return moved

    def new_clique_tables(self) -> CliqueTables:
        """Scratch space for the start clique."""
        from stages.kernels.ktrees.start_clique import start_clique_tables

        return start_clique_tables(self.treewidth)


def prepare_bounded(table: ParentSetTable, treewidth: int, max_table: int | None = None) -> BoundedProblem:
    """Drop the sets that no k-tree can hold, and turn fixed records into demands on orders and cliques.

    Networks found so can be built along an order: parents before their children.

    Parameters
    ----------
    table : ParentSetTable
    treewidth : int
    max_table : int, optional
        Cells of a clique's table at most.

    Raises
    ------
    InfeasibleError
        When fixed records close a cycle or exceed a bound.
    Inconsistent
        There is a bound on tables, and the states of variables are not known.
    """
    treewidth, demands = _demands(table, treewidth)
    return _prepare(table, treewidth, demands, demands.precedences, table_bound(table.header, max_table))


def prepare_within(table: ParentSetTable, treewidth: int) -> BoundedProblem:
    """The same for choosing sets within whole k-trees: members are just the parents, in whatever order they come.

    The last set of a child, empty or prescribed by fixed records, is within each k-tree that is built along an
    order and holds the last sets of `prepare_bounded`.

    Raises
    ------
    InfeasibleError
        As of `prepare_bounded`.
    """
    treewidth, demands = _demands(table, treewidth)
    return _prepare(table, treewidth, FixedDemands(), demands.precedences, table_bound(table.header, None))


def prepare_both(table: ParentSetTable, treewidth: int) -> tuple[BoundedProblem, BoundedProblem]:
    """`prepare_bounded` and `prepare_within`, which are the same without fixed arcs.

    Raises
    ------
    InfeasibleError
        As of `prepare_bounded`.
    """
    problem = prepare_bounded(table, treewidth)
    return problem, prepare_within(table, treewidth) if problem.is_demanding else problem


def _demands(table: ParentSetTable, treewidth: int) -> tuple[int, FixedDemands]:
    """The bound, less than the number of variables, and what fixed records demand."""
    fixed_first_order(table)
    treewidth = min(treewidth, table.n_variables - 1)
    return treewidth, plan_fixed_cliques(fixed_parents(table), table.header.names, treewidth)


def _prepare(
    table: ParentSetTable,
    treewidth: int,
    demands: FixedDemands,
    precedences: list[tuple[int, int]],
    tables: TableBound,
) -> BoundedProblem:
    from stages.kernels.ktrees.ktree import new_bounded_lists
    from stages.kernels.ktrees.orders import new_precedences

    offsets, member_offsets, members, source = _fitting_sets(table, demands, treewidth, tables)
    scores = table.scores[source]
    lists = index_lists(set_offsets=offsets, scores=scores, parent_offsets=member_offsets, parents=members)
    return BoundedProblem(
        lists=new_bounded_lists(lists),
        table=table,
        source=source,
        scores=scores,
        treewidth=treewidth,
        tables=tables,
        precedences=new_precedences(precedences, table.n_variables),
    )


def start_order(problem: BoundedProblem, options: OptimizeOptions) -> np.ndarray | None:
    """The order of the network to start from, if there is one, with what fixed records demand."""
    return None if options.start is None else problem.respect(options.start.order(options.treewidth))


def bounded_result(problem: BoundedProblem, best: Attempt, facts: dict[str, Any]) -> SearchResult:
    """The network of the best k-tree; its reversed order certifies the width."""
    if best.order is None:
        raise ValueError("a network of bounded treewidth needs the order of its k-tree")
    chosen = problem.source[best.chosen]
    elimination = best.order[::-1].tolist()
    return listed_result(problem.table, chosen, best.score, facts, elimination=elimination)


def _fitting_sets(table: ParentSetTable, demands: FixedDemands, treewidth: int, tables: TableBound):
    """Offsets by child, member offsets, members and table indices of the sets of at most `treewidth`
    members, and within the bound on tables, that no better set of the same child makes useless.
    """
    from stages.kernels.dominance import mark_undominated

    sizes = np.diff(table.parent_offsets)
    sources, lengths, members = [], [], []
    for child in range(table.n_variables):
        sets = np.arange(table.set_offsets[child], table.set_offsets[child + 1])
        is_pinned = bool(table.fixed[child]) or child in demands.pinned
        if is_pinned:
            # The prescribed set is part of all others.
            sets = sets[[int(np.argmin(sizes[sets]))]]
        required = demands.required.get(child)
        if required is not None:
            joined = [sorted({*table.parent_set(s), *required}) for s in sets.tolist()]
            if is_pinned:
                joined = [list(required)]
            kept = [i for i, clique in enumerate(joined) if len(clique) <= treewidth]
            sets, child_sizes = sets[kept], np.array([len(joined[i]) for i in kept], dtype=np.int64)
            flat = np.array([v for i in kept for v in joined[i]], dtype=np.int32)
        else:
            sets = sets[sizes[sets] <= treewidth]
            child_sizes = sizes[sets]
            flat = keep_sets(table, sets).parents
        offsets = offsets_of(child_sizes)
        if tables.is_given:
            small = tables.fits(child, offsets, flat)
            require_sets(table, child, int(small.sum()), tables)
            flat = flat[np.repeat(small, child_sizes)]
            sets, child_sizes = sets[small], child_sizes[small]
            offsets = offsets_of(child_sizes)
        useful = mark_undominated(offsets, flat, table.n_variables, np.arange(len(child_sizes)))
        sources.append(sets[useful])
        lengths.append(child_sizes[useful])
        members.append(flat[np.repeat(useful, child_sizes)])
    counts = np.array([len(kept) for kept in sources], dtype=np.int64)
    return (
        offsets_of(counts),
        offsets_of(np.concatenate(lengths)),
        np.concatenate(members).astype(np.int32),
        np.concatenate(sources).astype(np.int64),
    )
