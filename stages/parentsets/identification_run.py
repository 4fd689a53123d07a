"""Run a parent-set identification method over children: shards, workers, first lists, progress.

`child_searcher` searches one child; a run distributes the children over workers and yields their records in order.
A `RunTally` counts over the records, for the summary and the warnings at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

from formats.data_records import Dataset
from formats.graph_records import SCREENED
from formats.records import Header, ParentSetRecord
from formats.wording import plural
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter, Reporter
from stages.runtime.warm_up import TINY_WORK, compile_first, is_binary, tiny_dataset
from stages.runtime.workers import ordered_map, processes
from stages.scoring.scores import recorded_ess

from . import ParentSetOptions
from .child_searcher import ChildResult, ChildSearcher, RunInputs
from .single_parents import score_single_parents


class ParentSetRun:
    """One run over the children of one shard (or of all); children are listed in the order of their records.

    `budget` has the time of the whole run (by default ``options.time``) and the user's stop signal; `inputs` are
    fields of `child_searcher.RunInputs`. Raises `InfeasibleError` if the constraints contradict each other;
    `StageError` if the memory allowed does not hold the data.
    """

    def __init__(
        self,
        dataset: Dataset,
        options: ParentSetOptions,
        budget: Budget | None = None,
        reporter: Reporter | None = None,
        **inputs,
    ):
        self.options = options
        self.budget = budget or Budget(options.time)
        self.reporter = reporter or NullReporter()
        jobs = None if options.workers is None else options.workers.jobs
        self.searcher = ChildSearcher(dataset, options, self.budget, RunInputs(**inputs), jobs)
        self.scorer = self.searcher.scorer
        self.children = list(range(dataset.n_variables))
        if options.shard is not None:
            self.children = self.searcher.plan.children_of_shard(*options.shard)

    @property
    def jobs(self) -> int:
        """Workers, here or elsewhere."""
        return self.searcher.jobs

    @property
    def header(self) -> Header:
        """The header of the records; for a shard it names the shard and the number of its records."""
        dataset, options = self.scorer.dataset, self.options
        extra: dict[str, Any] = {} if options.keep_mass is None else {"keep_mass": options.keep_mass}
        extra |= dataset.score_entries
        if self.searcher.plan.screened:
            extra[SCREENED] = sorted(self.searcher.plan.screened)
        if options.shard is not None:
            extra |= {"shard": "{}/{}".format(*options.shard), "records": len(self.children)}
        return Header(
            dataset.variables,
            score=options.score,
            rows=dataset.n_rows,
            data=dataset.fingerprint,
            ess=recorded_ess(options.score, options.ess),
            extra=extra,
        )

    def searched(self, children: Collection[int]) -> list[int]:
        """The given children that have a choice."""
        return [child for child in children if self.searcher.plan.fixed_set(child) is None]

    def records(
        self, finished: Collection[int] = (), trace: Callable[[ParentSetRecord], None] | None = None
    ) -> Iterator[ParentSetRecord]:
        """One record for each child that is not in `finished`, in header order; work happens while they are read.

        After an interrupt the records of all children whose search was cut short are marked ``"interrupted": true``;
        children not begun list only the smallest set they may take. If time or memory ends a search, ``"ended"``
        names it. `trace` is called with the sets that a search scored, before its record; only for methods that
        trace.
        """
        # Load compiled code before processes are forked, so that they share it.
        if self.options.workers is None:
            compile_first(self._search_tiny, self.budget, (self._tiny_options(), self._is_binary))
        # From here on, an interrupted run still has a list for every child.
        n_rows = self.scorer.dataset.n_rows
        self.reporter.detail(
            f"searching parents of {plural(len(self.children), 'variable')} in {plural(n_rows, 'row')}"
        )
        yield from self._search(finished, trace)

    def _search(
        self, finished: Collection[int] = (), trace: Callable[[ParentSetRecord], None] | None = None
    ) -> Iterator[ParentSetRecord]:
        self.searcher.traces = trace is not None
        # Except for limits of time and memory, a record depends on data, options and seed alone: earlier records fit
        # these.
        children = [child for child in self.children if child not in finished]
        if self.budget.seconds is not None and self.options.workers is None:
            self._make_first_lists(children)
        tally = RunTally(len(children), len(self.children) - len(children), self.searcher.default_limit)
        self.reporter.progress(0, len(children), "variables")
        for record, explored, n_scores in self._map(self._tasks(children)):
            if trace is not None and explored is not None:
                trace(explored)
            self.scorer.count_evaluations(n_scores)
            tally.add(record)
            scores = self.scorer.evaluations
            self.reporter.progress(tally.done, len(children), "variables", sets=tally.sets, scores=scores)
            yield record
        tally.report(self.reporter, self.scorer.evaluations)

    def _make_first_lists(self, children: list[int]) -> None:
        """Score the single parents of all children that are searched, where memory allows."""
        searcher, searched = self.searcher, self.searched(children)
        if searcher.first_list_bytes(len(searched)):
            limits = {child: searcher.limits_of(child) for child in searched}
            scored = score_single_parents(self.scorer, limits, self.jobs, self.budget, self.reporter)
            searcher.with_first_list |= scored

    def _tasks(self, children: list[int]) -> list[tuple[int, int]]:
        """Children in order, each with the largest possible number of unfinished searches when its own begins."""
        searched = set(self.searched(children))
        behind = len(searched)
        tasks = []
        for child in children:
            # `behind` counts this child and all later ones; up to jobs - 1 earlier ones may still run.
            tasks.append((child, behind + self.jobs - 1))
            behind -= child in searched
        return tasks

    def _map(self, tasks: list[tuple[int, int]]) -> Iterator[ChildResult]:
        searcher, workers = self.searcher, self.options.workers or processes(self.jobs)
        if workers is None:
            return ordered_map(lambda task: searcher.result_of(*task), tasks, self.jobs)
        return workers.map_tasks(searcher.work_apart, tasks, self.budget.stop)

    @property
    def _is_binary(self) -> bool:
        """Whether the search needs no kernels that count more than two states, as with values of binary sets."""
        return self.searcher.values_bytes > 0 and is_binary(self.scorer.dataset)

    def _tiny_options(self) -> ParentSetOptions:
        return replace(
            self.options,
            evaluations=TINY_WORK,
            seed=0,
            jobs=1,
            time=None,
            time_per_variable=None,
            memory=None,
            shard=None,
            max_parents=None,
            workers=None,
        )

    def _search_tiny(self, small: Budget) -> None:
        tiny = tiny_dataset(self._is_binary)
        for _ in ParentSetRun(tiny, self._tiny_options(), Budget(stop=small.stop))._search():
            pass


class RunTally:
    """Counts over the records of a run.

    Attributes `done`, `sets`: records and listed sets so far.
    """

    def __init__(self, n_children: int, n_before: int, default_limit: int | None = None):
        self.n_children, self.n_before = n_children, n_before
        self.default_limit = default_limit  # scores per variable, if they end searches because nothing else does
        self._at_limit = 0
        self.done = self.sets = 0
        self._unsearched = 0
        self._ended: Counter[str | None] = Counter()

    def add(self, record: ParentSetRecord) -> None:
        """Count one more record."""
        self.done += 1
        self.sets += len(record.parents)
        self._ended[record.extra.get("ended")] += 1
        self._ended["interrupt"] += record.is_cut_short and "ended" not in record.extra
        self._unsearched += record.is_unsearched
        if self.default_limit is not None and not record.complete:
            self._at_limit += (record.evaluated or 0) >= self.default_limit

    def report(self, reporter: Reporter, n_scores: int) -> None:
        """Warn of searches that ended early, and summarise the run."""
        if self._ended["memory"]:
            reporter.warn(
                f"memory ended the search of {self._ended['memory']} of {self.n_children} variables early; allow "
                "more with --memory, or fewer workers (-j)"
            )
        if self._ended["interrupt"]:
            never = f"; {self._unsearched} of them were never searched and list one set only"
            reporter.warn(
                f"the search of {self._ended['interrupt']} of {self.n_children} variables was interrupted"
                f"{never if self._unsearched else ''}"
            )
        by_clock = f", time ended the search of {self._ended['time']} early" if self._ended["time"] else ""
        if self._at_limit:
            by_clock = (
                f", the default limit of {self.default_limit:,} scores ended the search of {self._at_limit} "
                "(raise it by --evaluations, or give --time)"
            )
        before = f" besides {self.n_before} of an earlier run" if self.n_before else ""
        reporter.summary(
            f"{plural(self.n_children, 'variable')}{before}, {plural(self.sets, 'parent set')} listed, "
            f"{plural(n_scores, 'local score')} computed{by_clock}"
        )
