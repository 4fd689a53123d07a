"""Run a parent-set identification method over children: budgets, screening forests, knowledge, shards, threads."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from formats.data_records import Dataset
from formats.records import ExploredSets, Forest, Header, Network, ParentSetRecord, ParentSetTable
from formats.wording import plural
from stages.knowledge import Knowledge
from stages.runtime.budgets import Budget, StopSignal
from stages.runtime.remote_workers import remote_map
from stages.runtime.reporting import NullReporter, Reporter
from stages.runtime.warm_up import TINY_WORK, compile_first, tiny_dataset
from stages.runtime.workers import CAN_FORK, forked_map, ordered_map, resolve_jobs
from stages.scoring.candidate_prefilter import make_row_sample
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.scores import recorded_ess

from . import METHODS, ParentSetOptions
from .child_search import UNLIMITED, ChildLimits, FoundSets, margin_of
from .children import Plan
from .first_lists import first_list_bytes, score_single_parents
from .grow_orders import Orders
from .memory import most_sets, resident_bytes
from .run_tally import RunTally

OVERRUN_WEIGHT = 0.2
"""Weight of the last search in the mean of what searches take beyond their time."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a run takes besides the data.

    Attributes
    ----------
    forest : Forest or None
        Screened variables become fixed records; the others look for parents among the forest's roots.
    near : Network or None
        Method ``grow`` works in orders near this network's.
    knowledge : Knowledge or None
        Arcs that must or must not be.
    known : ParentSetTable or None
        Sets scored before on the same data that are to be listed too.
    """

    forest: Forest | None = None
    near: Network | None = None
    knowledge: Knowledge | None = None
    known: ParentSetTable | None = None


class ChildResult(NamedTuple):
    """The record of one child, what its search explored if that is asked for, and scores computed elsewhere."""

    record: ParentSetRecord
    explored: ExploredSets | None
    n_scores: int


def identify(
    dataset: Dataset,
    options: ParentSetOptions,
    budget: Budget | None = None,
    reporter: Reporter | None = None,
    **inputs,
) -> tuple[Header, Iterator[ParentSetRecord]]:
    """Candidate parent sets of every variable, streamed in the header's order.

    Parameters
    ----------
    dataset : Dataset
    options : ParentSetOptions
    budget : Budget, optional
        Time of the whole run and the user's wish to stop; by default ``options.time``.
    reporter : Reporter, optional
    **inputs
        Fields of `Inputs`.

    Returns
    -------
    (Header, iterator of ParentSetRecord) : work happens while the iterator is read. After an interrupt the
        records of all children whose search was cut short are marked ``"interrupted": true``, and those not
        begun list only the smallest set they may take. A search that time or memory ends says so: ``"ended"``.

    Raises
    ------
    InfeasibleError
        The constraints contradict each other.
    StageError
        The memory allowed does not hold the data.
    """
    run = Run(dataset, options, budget, reporter, **inputs)
    return run.header, run.records()


class Run:
    """One run over the children of one shard (or of all); parameters as in `identify`.

    Attributes
    ----------
    children : list of int
        In the order of their records.
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
        self.inputs = given = Inputs(**inputs)
        self.plan = Plan(dataset.names, dataset.n_states, options.max_parents, given.forest, given.knowledge)
        self.children = list(range(dataset.n_variables))
        if options.shard is not None:
            self.children = self.plan.children_of_shard(*options.shard)
        self.scorer = FamilyScorer(dataset, options.score, options.ess, self.budget.stop)
        self.jobs = threads = resolve_jobs(options.jobs)
        if options.remote is not None:
            self.jobs = options.remote.count()
        self.search = importlib.import_module(METHODS[options.method].module).search_child
        grows = "orders" in METHODS[options.method].options
        self.sample = make_row_sample(self.scorer) if grows else None
        near = None if given.near is None else given.near.parents
        self.orders = Orders(dataset.n_variables, options.seed, near, given.knowledge) if grows else None
        self.traces = False
        self.has_first_list: set[int] = set()
        self.overrun = 0.0
        self.resident = resident_bytes(self.scorer, self.sample, threads)
        self.most_sets = most_sets(options.memory, self.resident, threads)

    def __reduce__(self) -> tuple[Callable[..., Run], tuple[Any, ...]]:
        """Where it arrives it works for one of the run's workers."""
        inputs = self.inputs
        given = {field.name: getattr(inputs, field.name) for field in fields(inputs)}
        return _arrived, (self.scorer.dataset, self.options, self.budget, given, self.jobs, self.traces)

    @property
    def header(self) -> Header:
        """The header of the records; a shard's says which it is and how many records it has."""
        dataset, options = self.scorer.dataset, self.options
        extra: dict[str, Any] = {} if options.keep_mass is None else {"keep_mass": options.keep_mass}
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

    def records(
        self, finished: Collection[int] = (), trace: Callable[[ExploredSets], None] | None = None
    ) -> Iterator[ParentSetRecord]:
        """One record for each child that is not in `finished`, in header order.

        Parameters
        ----------
        finished : collection of int
        trace : callable, optional
            Called before each record of a search with the sets explored; takes a method that tells them.
        """
        # Compiled code is loaded before others are forked, too, so that they share it.
        if self.options.remote is None:
            compile_first(self._search_tiny, self.budget, self._tiny_options())
        # From here on a signal leaves a list of every child.
        n_rows = self.scorer.dataset.n_rows
        self.reporter.detail(
            f"searching parents of {plural(len(self.children), 'variable')} in {plural(n_rows, 'row')}"
        )
        yield from self._search(finished, trace)

    def _search(
        self, finished: Collection[int] = (), trace: Callable[[ExploredSets], None] | None = None
    ) -> Iterator[ParentSetRecord]:
        self.traces = trace is not None
        children = [child for child in self.children if child not in finished]
        if self.budget.seconds is not None and self.options.remote is None:
            self.score_single_parents(children)
        tally = RunTally(len(children), len(self.children) - len(children))
        self.reporter.progress(0, len(children), "variables")
        for record, explored, n_scores in self._map(self._tasks(children)):
            if trace is not None and explored is not None:
                trace(explored)
            self.scorer.count_evaluations(n_scores)
            tally.add(record)
            facts = tally.facts(self.scorer.evaluations, self.options.remote)
            self.reporter.progress(tally.done, len(children), "variables", **facts)
            yield record
        tally.tell(self.reporter, self.scorer.evaluations)

    def _tasks(self, children: list[int]) -> list[tuple[int, int]]:
        """Children in order, and how many searches are unfinished when one begins, at most."""
        searched = [self.plan.fixed_set(child) is None for child in children]
        behind = sum(searched)
        tasks = []
        for child, is_searched in zip(children, searched):
            tasks.append((child, behind + self.jobs - 1))
            behind -= is_searched
        return tasks

    def _map(self, tasks: list[tuple[int, int]]) -> Iterator[ChildResult]:
        remote = self.options.remote
        if remote is not None:
            costs = self.plan.costs().tolist()
            return remote_map(self._work_apart, tasks, remote, self.budget.stop, lambda task: costs[task[0]])
        if self.jobs > 1 and CAN_FORK:
            return forked_map(self._work_apart, tasks, self.jobs, self.budget.stop)
        return ordered_map(lambda task: self.result_of(*task), tasks, self.jobs)

    def _work_apart(self, task: tuple[int, int], stop: StopSignal) -> ChildResult:
        """In another process: what it finds, and the local scores that it computed."""
        self.budget.stop = self.scorer.stop = stop
        if self.sample is not None:
            self.sample.likelihood.stop = stop
        before = self.scorer.evaluations
        result = self.result_of(*task)
        return result._replace(n_scores=self.scorer.evaluations - before)

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
            remote=None,
        )

    def _search_tiny(self, small: Budget) -> None:
        options = self._tiny_options()
        for _ in Run(tiny_dataset(), options, Budget(stop=small.stop))._search():
            pass

    def score_single_parents(self, children: list[int]) -> None:
        """Before any search goes on: a first list for every child that is searched, where memory allows."""
        searched = [child for child in children if self.plan.fixed_set(child) is None]
        if self.first_list_bytes(len(searched)):
            limits = {child: self.limits_of(child) for child in searched}
            self.has_first_list |= score_single_parents(
                self.scorer, limits, self.jobs, self.budget, self.reporter
            )

    def first_list_bytes(self, n_children: int) -> int:
        """Memory of so many first lists; 0 where they are not made in advance."""
        return first_list_bytes(n_children, self.scorer.n_variables, self.options.memory, self.resident)

    def first_list(self, child: int) -> ChildResult:
        """The required parents, and those with one more that improve on them: where there is time for no more."""
        limits = self.limits_of(child)
        found = limits.nothing_found(child)
        score = self.scorer.local_score(child, limits.required)
        found.begin(limits.required, score)
        expansion = self.scorer.expand(child, limits.required, limits.allowed)
        found.explore(limits.required, limits.allowed, expansion[limits.allowed])
        found.add_expansion(limits.required, score, expansion)
        self.add_known(found, limits)
        mark = {"interrupted": True} if self.budget.interrupted else {"ended": "time"}
        return self._finish(found, limits, mark)

    def _finish(self, found: FoundSets, limits: ChildLimits, extra: dict[str, Any]) -> ChildResult:
        record = found.to_record(self.scorer.n_variables, limits.required, extra)
        return ChildResult(record, None if found.exploration is None else found.exploration.sets(), 0)

    def result_of(self, child: int, unfinished: int = 1) -> ChildResult:
        """Search the sets of one child, which shares the time left with others."""
        fixed = self.plan.fixed_set(child)
        limits = self.limits_of(child)
        if fixed is None and not len(limits.allowed):
            return self._finish(self.only_set(child, limits), limits, {})
        if child in self.has_first_list and self.budget.is_spent():
            return self.first_list(child)
        if fixed is not None or self.budget.interrupted:
            smallest = self.plan.knowledge.required_of(child) if fixed is None else fixed
            score = self.scorer.local_score(child, smallest)
            record = ParentSetRecord(
                child,
                (smallest,),
                (score,),
                evaluated=None if fixed is not None else 1,
                fixed=fixed is not None,
                required=() if fixed is not None else smallest,
                extra={} if fixed is not None else {"interrupted": True},
            )
            return ChildResult(record, None, 0)
        found = self.search_sets(child, limits, unfinished)
        extra: dict[str, Any] = {}
        if self.budget.interrupted and not found.complete:
            extra = {"interrupted": True}
        elif found.ended is not None:
            extra = {"ended": found.ended}
        return self._finish(found, limits, extra)

    def only_set(self, child: int, limits: ChildLimits) -> FoundSets:
        """All there is to find for a child to which nothing can be added."""
        found = limits.nothing_found(child)
        found.begin(limits.required, self.scorer.local_score(child, limits.required))
        found.complete = True
        self.add_known(found, limits)
        return found

    def search_sets(self, child: int, limits: ChildLimits, unfinished: int) -> FoundSets:
        """What the method finds for a child that has a choice, and what was known before."""
        share = self.budget_of_child(unfinished)
        found = self.search(self.scorer, child, limits, share)
        if share.seconds is not None and found.ended == "time":
            self.overrun += OVERRUN_WEIGHT * (max(0.0, share.elapsed() - share.seconds) - self.overrun)
        self.add_known(found, limits)
        return found

    def limits_of(self, child: int) -> ChildLimits:
        """Candidates and bounds of one child's search.

        A parent that never changes adds nothing, and nothing can be added for a child that never changes.
        """
        options, inputs = self.options, self.inputs
        n_states = self.scorer.n_states
        allowed = self.plan.candidates(child)
        allowed = allowed[(n_states[allowed] > 1) & (n_states[child] > 1)]
        required = self.plan.knowledge.required_of(child)
        return ChildLimits(
            allowed,
            min(self.plan.max_parents, len(allowed) + len(required)),
            self.evaluation_limit(),
            required,
            self.most_sets,
            self.orders,
            options.orders,
            None if inputs.near is None else inputs.near.parents[child],
            self.sample,
            self.traces,
            margin_of(options.keep_mass),
        )

    def add_known(self, found: FoundSets, limits: ChildLimits) -> None:
        """List the sets scored before that the constraints allow."""
        table = self.inputs.known
        if table is None:
            return
        possible = {*self.plan.candidates(found.child).tolist(), *limits.required}
        for s in range(int(table.set_offsets[found.child]), int(table.set_offsets[found.child + 1])):
            parents = table.parent_set(s)
            is_allowed = possible.issuperset(parents) and set(parents).issuperset(limits.required)
            if is_allowed and len(parents) <= self.plan.max_parents:
                found.add(parents, float(table.scores[s]))

    def evaluation_limit(self) -> int:
        """Exact scores per variable: as asked, or a default where nothing else ends the method."""
        options = self.options
        if options.evaluations is not None:
            return options.evaluations
        timed = options.time is not None or options.time_per_variable is not None
        method = METHODS[options.method]
        ends = method.default_evaluations == 0 or (method.ends_by_size and options.max_parents is not None)
        if timed or ends:
            return UNLIMITED
        return method.default_evaluations + 2 * self.scorer.n_variables

    def budget_of_child(self, unfinished: int) -> Budget:
        """Time for one child: its own limit, or an equal share of what is left, so unused time carries over."""
        seconds = self.options.time_per_variable
        if self.budget.seconds is not None:
            # Searches end a step after their time: less what the last ones took more, so that all get about the same.
            share = max(0.0, self.budget.time_left() * min(1.0, self.jobs / unfinished) - self.overrun)
            seconds = share if seconds is None else min(seconds, share)
        return Budget(seconds, stop=self.budget.stop)


def _arrived(
    dataset: Dataset,
    options: ParentSetOptions,
    budget: Budget,
    inputs: dict[str, Any],
    jobs: int,
    traces: bool,
) -> Run:
    """A run in one of so many workers that share its time, but not its memory."""
    run = Run(dataset, replace(options, jobs=1), budget, **inputs)
    run.jobs, run.traces = jobs, traces
    # Those whose turn comes when time is over list single parents at least.
    run.has_first_list.update(run.children)
    return run
