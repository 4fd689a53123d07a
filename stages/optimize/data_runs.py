"""A search on data: on a complete table, on a table with missing cells, or on replicates of either.

Missing cells are completed by structural expectation maximisation (`stages.incomplete.structural_em`), replicates are
drawn by `bootstrap`; each search of a complete table is `driver.run_on_data`.
"""

# Imported where needed, since loading takes time: structural_em
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from formats.data_records import Dataset
from formats.records import Header, NetworkRecord, ParentSetRecord, ParentSetTable, ScreeningForest
from stages.graphs import positions_of
from stages.incomplete import StructuralEM
from stages.runtime.budgets import Budget, StopSignal
from stages.runtime.reporting import ChangedNetworks, NullReporter, Reporter

from . import OptimizeOptions
from .bootstrap import Found, Resampling, bootstrap_networks
from .bounds.proof_steps import TreeNode
from .column_order import (
    reordered_forest,
    reordered_lists,
    reordered_network,
    reordered_nodes,
    reordered_options,
    reordered_rows,
    reordered_table,
)
from .driver import KeepLists, KeepNodes, match_table, run_on_data
from .verify import verify_found


@dataclass(frozen=True)
class DataRuns:
    """A search on data, with its inputs."""

    rows: Dataset
    options: OptimizeOptions
    imputation: StructuralEM  # how missing cells are completed; its seed and threads are taken from `options`
    start: NetworkRecord | None = None  # network to start from
    table: ParentSetTable | None = None  # candidate sets of the same data to begin with
    forest: ScreeningForest | None = None  # screening forest

    def run(
        self,
        budget: Budget,
        reporter: Reporter,
        keep_lists: KeepLists | None = None,
        keep_nodes: KeepNodes | None = None,
    ) -> Found:
        """Search until `budget` ends; with missing cells each round has this budget.

        `keep_lists` receives the final candidate sets of a method, `keep_nodes` the nodes for a proof about these.
        The columns are searched sorted by name, or ties are drawn: so their order in the table has no influence.
        """
        by_name = np.argsort(np.array(self.rows.names, dtype=object), kind="stable")
        is_sorted = np.array_equal(by_name, np.arange(len(by_name)))
        if not is_sorted and not self.options.draws_ties:
            return self._run_in_order(by_name, budget, reporter, keep_lists, keep_nodes)
        rows = self.rows
        if rows.is_hidden is None:
            given = self.start, self.table, keep_lists, self.forest, keep_nodes
            return run_on_data(rows, self.options, budget, reporter, *given)

        def search(completed: Dataset, before: NetworkRecord | None, reporter: Reporter) -> Found:
            one = replace(self, rows=completed, start=before if self._can_start else None)
            return one.run(budget.again(), reporter)

        rounds = replace(self.imputation, seed=self.options.seed, jobs=self.options.jobs)
        from stages.incomplete.structural_em import learn_structure

        return learn_structure(rows, search, rounds, self.start, budget.stop, reporter)

    def run_replicates(
        self, n_replicates: int, resampling: Resampling, limits: Budget, stop: StopSignal
    ) -> Iterator[Found]:
        """The networks of replicates of the data, in order; each search has the limits `limits`.

        Every search begins without arcs, unless there is a start network: a network of all rows would pass on arcs
        that a replicate's own rows leave open. Ties are drawn from the random stream of the replicate.
        """
        options = replace(self.options, jobs=1, workers=None, draws_ties=True, lists_for_proof=False)
        one = replace(self, options=options)
        seconds, evaluations = limits.seconds, limits.evaluations

        def search(rows: Dataset, order: np.ndarray, seed: int, stop: StopSignal) -> Found:
            replicate = replace(one, rows=rows, options=replace(one.options, seed=seed))
            return replicate._run_in_order(order, Budget(seconds, evaluations, stop), NullReporter())

        options = self.options
        return bootstrap_networks(
            self.rows, n_replicates, options.seed, search, options.jobs, stop, resampling, options.workers
        )

    def _run_in_order(
        self,
        order: np.ndarray,
        budget: Budget,
        reporter: Reporter,
        keep_lists: KeepLists | None = None,
        keep_nodes: KeepNodes | None = None,
    ) -> Found:
        """Search the columns in `order`; the network, back in the order of the data, is verified on these.

        Scores of rows with missing cells belong to a completed table and are not computed again.
        """
        back = positions_of(order)
        nodes: list[Sequence[TreeNode]] = []

        def keep(header: Header, records: Iterable[ParentSetRecord]) -> None:
            assert keep_lists is not None
            keep_lists(*reordered_lists(header, records, back))

        found, figures = self._in_order(order).run(
            budget,
            ChangedNetworks(reporter, lambda there: reordered_network(there, back)),
            None if keep_lists is None else keep,
            None if keep_nodes is None else lambda _, searched: nodes.append(searched),
        )
        network = reordered_network(found, back)
        verify_found(network, self.options, dataset=self.rows if self.rows.is_hidden is None else None)
        if keep_nodes is not None:
            for searched in nodes:
                keep_nodes(network, reordered_nodes(searched, back))
        return network, figures

    def _in_order(self, order: np.ndarray) -> DataRuns:
        """The same search with the columns in another order."""
        given = self.rows.names
        names = [given[v] for v in order.tolist()]
        start, forest, table = self.start, self.forest, self.table
        if table is not None:
            match_table(table, self.rows)
        # A start network of other variables is refused when it is matched.
        if start is not None and sorted(start.header.names) == sorted(names):
            place = {name: v for v, name in enumerate(start.header.names)}
            start = reordered_network(start, np.array([place[name] for name in names]))
        return replace(
            self,
            rows=reordered_rows(self.rows, order),
            options=reordered_options(self.options, order),
            start=start,
            table=None if table is None else reordered_table(table, order),
            forest=None if forest is None else reordered_forest(forest, order),
        )

    @property
    def _can_start(self) -> bool:
        """Whether a start network is of use: the best forest (treewidth 1) is found exactly."""
        return self.options.treewidth != 1
