"""A parent-set table prepared for search under a treewidth bound."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from formats.records import ParentSetTable
from formats.sets.listed_sets import ListedSets
from stages.kernels.ktrees.ktree import KTree, new_ktree, start_size
from stages.kernels.ktrees.member_pairs import MemberPairs, index_member_pairs
from stages.kernels.ktrees.orders import Precedences, new_precedences, pull_forward
from stages.kernels.ktrees.set_filters import SetFilters, new_set_filters
from stages.kernels.ktrees.start_clique import EXACT_CLIQUE, CliqueTables, start_clique_tables
from stages.kernels.orders.set_lists import MemberIndex, SetLists
from stages.lists.set_lists import (
    all_sets,
    child_of_sets,
    fixed_first_order,
    fixed_parents,
    index_members,
    keep_sets,
    new_lists,
    relative_scores,
)
from stages.lists.undominated import undominated_sets

from .. import OptimizeOptions
from ..restarts import Attempt
from ..result import Parents, SearchResult, listed_result, total_score
from .prescribed_families import FixedDemands, plan_fixed_cliques
from .table_bound import TableBound, require_sets, table_bound


@dataclass(frozen=True, eq=False)
class BoundedProblem:
    """Candidate sets that can occur in a k-tree, and the constraints of fixed records on it."""

    # The members of a set are the variables that must be in one clique with the child: its parents, and (from
    # `prepare_bounded`) the variables that fixed records require. Scores are relative to the best set of the child.
    lists: SetLists
    index: MemberIndex
    filters: SetFilters
    table: ParentSetTable  # the table from which the sets are taken
    source: np.ndarray  # int64: index of each set in the table
    scores: np.ndarray  # float64: score of each set in nats
    treewidth: int  # the bound, at most n_variables - 1
    tables: TableBound
    precedences: Precedences

    @cached_property
    def pairs(self) -> MemberPairs:
        """The index for moves of an order."""
        return index_member_pairs(self.lists)

    @property
    def n_variables(self) -> int:
        return len(self.lists.set_offsets) - 1

    def is_one_clique(self, most: int = EXACT_CLIQUE) -> bool:
        """Whether all variables fit one clique of at most `most` members: the DAG on it is then the whole problem.

        By default `most` is the size up to which kernels solve start cliques, so one order gives the best network.
        """
        size = start_size(self.tables.n_states, self.treewidth, self.tables.most_cells)
        return self.n_variables == size <= most

    @property
    def is_demanding(self) -> bool:
        """Whether fixed records require arcs."""
        return len(self.precedences.before) > 0

    def score(self, chosen: np.ndarray) -> float:
        """Sum of the scores of the sets `chosen`, in nats."""
        return total_score(self.scores, chosen)

    def parents(self, chosen: np.ndarray) -> Parents:
        """Parents of every variable in the sets `chosen`."""
        return tuple(all_sets(self.table).take(self.source[chosen]))

    def new_tree(self) -> KTree:
        """An empty k-tree without preferences, order 0, 1, 2, ..."""
        return new_ktree(self.n_variables, self.treewidth, *self.tables)

    def respect(self, order: np.ndarray) -> np.ndarray:
        """`order`, in which required predecessors that come too late are moved to just before their successor."""
        n = self.n_variables
        if not len(self.precedences.before):
            return order
        moved = np.empty_like(order)
        pull_forward(self.precedences, moved, order, np.empty(n, dtype=np.uint8), np.empty(n, dtype=np.int32))
        return moved

    def new_clique_tables(self) -> CliqueTables:
        """Scratch space for the start clique."""
        return start_clique_tables(self.treewidth)


def prepare_bounded(table: ParentSetTable, treewidth: int, max_table: int | None = None) -> BoundedProblem:
    """Drop the sets that no k-tree contains, and turn fixed records into constraints on orders and cliques.

    It serves searches that build k-trees along orders, with parents before their children. `max_table` is the maximum
    number of cells of a clique's table; None for no bound. Raises `InfeasibleError` if fixed records close a cycle or
    exceed a bound; `Inconsistent` if there is a bound on tables and the states of a variable are unknown.
    """
    treewidth, demands = _demands(table, treewidth)
    return _prepare(table, treewidth, demands, demands.precedences, table_bound(table.header, max_table))


def prepare_within(table: ParentSetTable, treewidth: int) -> BoundedProblem:
    """As `prepare_bounded`, for searches that choose sets within given k-trees: the members of a set are its parents
    alone, and parents may come after their child.

    The last set of a child, empty or prescribed by fixed records, fits every k-tree built along an order under the
    constraints of `prepare_bounded`. Raises `InfeasibleError` as `prepare_bounded` does.
    """
    treewidth, demands = _demands(table, treewidth)
    return _prepare(table, treewidth, FixedDemands(), demands.precedences, table_bound(table.header, None))


def prepare_both(table: ParentSetTable, treewidth: int) -> tuple[BoundedProblem, BoundedProblem]:
    """`prepare_bounded` and `prepare_within`, which are identical without fixed arcs.

    Raises `InfeasibleError` as `prepare_bounded` does.
    """
    problem = prepare_bounded(table, treewidth)
    return problem, prepare_within(table, treewidth) if problem.is_demanding else problem


def _demands(table: ParentSetTable, treewidth: int) -> tuple[int, FixedDemands]:
    """The treewidth bound, capped below the number of variables, and the constraints of fixed records."""
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
    lists, source = _fitting_sets(table, demands, treewidth, tables)
    index = index_members(lists)
    return BoundedProblem(
        lists=lists._replace(scores=relative_scores(lists)),
        index=index,
        filters=new_set_filters(lists, index),
        table=table,
        source=source,
        scores=lists.scores,
        treewidth=treewidth,
        tables=tables,
        precedences=new_precedences(precedences, table.n_variables),
    )


def start_order(problem: BoundedProblem, options: OptimizeOptions) -> np.ndarray | None:
    """The order of the start network, if there is one, under the precedences of fixed records."""
    return None if options.start is None else problem.respect(options.start.order(options.treewidth))


def bounded_result(problem: BoundedProblem, best: Attempt) -> SearchResult:
    """The network within the best k-tree, whose reversed order certifies the width."""
    if best.order is None:
        raise ValueError("a network of bounded treewidth needs the order of its k-tree")
    chosen = problem.source[best.chosen]
    elimination = best.order[::-1].tolist()
    return listed_result(problem.table, chosen, best.score, elimination)


def _fitting_sets(
    table: ParentSetTable, demands: FixedDemands, treewidth: int, tables: TableBound
) -> tuple[SetLists, np.ndarray]:
    """The undominated sets of at most `treewidth` members within the bound on tables, and their indices in the
    table.
    """
    every, children = all_sets(table), child_of_sets(table)
    is_pinned = table.fixed.copy()
    is_pinned[list(demands.pinned)] = True
    is_demanded = is_pinned.copy()
    is_demanded[list(demands.required)] = True
    free = np.flatnonzero((every.sizes <= treewidth) & ~is_demanded[children])
    sources, parts = [free], [every.take(free)]
    for child in np.flatnonzero(is_demanded).tolist():
        sets, cliques = _demanded_sets(table, child, bool(is_pinned[child]), demands.required.get(child), treewidth)
        sources.append(sets)
        parts.append(cliques)
    source, cliques = np.concatenate(sources), ListedSets.joined(parts)
    if len(parts) > 1:
        order = np.argsort(children[source], kind="stable")
        source, cliques = source[order], cliques.take(order)
    if tables.is_given:
        small = np.flatnonzero(tables.fits(children[source], cliques.offsets, cliques.members))
        source, cliques = source[small], cliques.take(small)
        require_sets(table, children[source], tables)
    starts = np.searchsorted(children[source], np.arange(table.n_variables + 1))
    lists = new_lists(starts, cliques, table.scores[source])
    useful = np.flatnonzero(undominated_sets(lists))
    return keep_sets(lists, useful), source[useful]


def _demanded_sets(
    table: ParentSetTable, child: int, is_pinned: bool, required: tuple[int, ...] | None, treewidth: int
) -> tuple[np.ndarray, ListedSets]:
    """Sets of a child that fixed records constrain, as indices in the table; and the clique that each set needs."""
    sets = np.arange(table.set_offsets[child], table.set_offsets[child + 1])
    if is_pinned:
        # The prescribed set is the smallest one, a subset of all others.
        sets = sets[[int(np.argmin(np.diff(table.parent_offsets)[sets]))]]
    cliques = [table.parent_set(s) if required is None else {*table.parent_set(s), *required} for s in sets.tolist()]
    if is_pinned and required is not None:
        # A prescribed parent that is placed later joins the clique of this variable, not the reverse.
        cliques = [required]
    kept = [i for i, clique in enumerate(cliques) if len(clique) <= treewidth]
    return sets[kept], ListedSets.of(sorted(cliques[i]) for i in kept)
