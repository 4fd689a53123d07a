"""A search on data: of a complete table, of one with missing cells, and of replicates of either.

Missing cells are completed by structural expectation maximisation (`stages.incomplete.structural`), replicates are
drawn by `bootstrap`; each search of a complete table is `driver.run_on_data`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from formats.data_records import Dataset, IncompleteDataset
from formats.records import Forest, Network, ParentSetTable
from stages.incomplete import StructuralEM
from stages.runtime.budgets import Budget, StopSignal
from stages.runtime.reporting import NullReporter, Reporter

from . import OptimizeOptions
from .bootstrap import Found, Resampling, Rows, bootstrap_networks
from .driver import KeepLists, KeepNodes, run_on_data


@dataclass(frozen=True)
class RowSearch:
    """A search on data, with its inputs."""

    rows: Rows
    options: OptimizeOptions
    imputation: StructuralEM  # how missing cells are completed; its seed and threads are those of `options`
    start: Network | None = None  # network to start from
    table: ParentSetTable | None = None  # candidate sets of the same data to begin with
    forest: Forest | None = None  # screening forest

    def run(
        self,
        budget: Budget,
        reporter: Reporter,
        keep_lists: KeepLists | None = None,
        keep_nodes: KeepNodes | None = None,
    ) -> Found:
        """Search until `budget` ends; with missing cells it is the budget of each round.

        `keep_lists` receives the candidate sets that a method ends with, `keep_nodes` what a proof about these needs.
        """
        rows = self.rows
        if not isinstance(rows, IncompleteDataset):
            return run_on_data(
                rows, self.options, budget, reporter, self.start, self.table, keep_lists, self.forest, keep_nodes
            )

        def search(completed: Dataset, before: Network | None) -> Found:
            one = replace(self, rows=completed, start=before if self._can_start else None)
            return one.run(budget.again(), reporter)

        rounds = replace(self.imputation, seed=self.options.seed, jobs=self.options.jobs)
        from stages.incomplete.structural import learn_structure  # inference is loaded where cells are missing

        return learn_structure(rows, search, rounds, self.start, budget.stop, reporter)

    def run_replicates(
        self, n_replicates: int, resampling: Resampling, limits: Budget, stop: StopSignal
    ) -> Iterator[Found]:
        """The networks of replicates of the data, in order; `limits` are those of each.

        Unless there is a start network, all searches start from the network of all rows.
        """
        one = replace(self, options=replace(self.options, jobs=1, remote=None))
        seconds, evaluations = limits.seconds, limits.evaluations

        def search(rows: Rows, seed: int, stop: StopSignal, warm: Network | None) -> Found:
            replicate = replace(one, rows=rows, options=replace(one.options, seed=seed), start=one.start or warm)
            return replicate.run(Budget(seconds, evaluations, stop), NullReporter())

        options = self.options
        is_warm = self.start is None and self._can_start
        return bootstrap_networks(
            self.rows, n_replicates, options.seed, search, options.jobs, stop, resampling, is_warm, options.remote
        )

    @property
    def _can_start(self) -> bool:
        """Whether a start network is of use: the best forest (treewidth 1) is found exactly."""
        return self.options.treewidth != 1
