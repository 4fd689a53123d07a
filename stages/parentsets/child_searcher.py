"""The search of one child after the other: its limits, its share of the time, and its record.

Each worker of a run holds a `ChildSearcher`. When it is sent to another machine, it is built again there from the
data.

Children are searched one after the other, and a written record is not searched again. Equal shares of the remaining
time would cut the first long search short, although later ones need less than their shares. So searches that end by
themselves borrow the time that the others will probably not need.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from formats.data_records import Dataset
from formats.records import NetworkRecord, ParentSetRecord, ParentSetTable, ScreeningForest
from stages.knowledge import Knowledge
from stages.runtime.budgets import Budget, StopSignal
from stages.runtime.workers import resolve_jobs
from stages.scoring.candidate_prefilter import make_row_sample
from stages.scoring.independent import IndependentScorer
from stages.scoring.interventional_scorer import scorer_of

from . import METHODS, ParentSetOptions
from .found_sets import UNLIMITED, ChildLimits, FoundSets, margin_of
from .grow_orders import Orders
from .omitted_mass import n_sets_within
from .run_memory import most_sets, resident_bytes, shared_values
from .run_plan import Plan
from .single_parents import first_list_bytes

OVERTIME = 0.1
"""Share of the time limit, and seconds, for the first scores of children that are reached after the time is over."""

OVERRUN_SMOOTHING, PACE_SMOOTHING = 0.2, 0.05
"""Smoothing factors of two moving averages: of the time by which searches exceed their share, and of their time."""

LENT = 0.125
"""Share of the spare time that one search may take: a search that needs longer leaves most of it to the next ones."""


@dataclass(frozen=True, eq=False)
class RunInputs:
    """What a run takes besides the data."""

    # Screened variables become fixed records; the others look for parents among the forest's roots.
    forest: ScreeningForest | None = None
    near: NetworkRecord | None = None  # method ``grow`` uses orders near this network's
    knowledge: Knowledge | None = None  # required and forbidden arcs, and tiers
    known: ParentSetTable | None = None  # sets scored earlier on the same data, which are listed too


class ChildResult(NamedTuple):
    """The record of one child, the sets that its search scored (if traced), and scores computed elsewhere."""

    record: ParentSetRecord
    explored: ParentSetRecord | None
    n_scores: int


class ChildSearcher:
    """Searches of single children with one method on one data set.

    `jobs` workers share the time; by default the workers of ``options.jobs``, which share memory and time. With
    `traces`, results hold the sets that were scored. Attributes `with_first_list`: children that list single parents
    even if they are reached after the time is over. `resident`: bytes that the run takes independently of what
    searches find.
    """

    def __init__(
        self,
        dataset: Dataset,
        options: ParentSetOptions,
        budget: Budget,
        inputs: RunInputs,
        jobs: int | None = None,
        traces: bool = False,
    ):
        self.options, self.budget, self.inputs = options, budget, inputs
        method = METHODS[options.method]
        self.plan = Plan(dataset.names, dataset.n_states, options.max_parents, inputs.forest, inputs.knowledge)
        self.scorer = scorer_of(dataset, options.score, options.ess, budget.stop)
        self.traces = traces
        self.with_first_list: set[int] = set()
        threads = resolve_jobs(options.jobs)
        self.jobs = threads if jobs is None else jobs
        self._independent_scorer = IndependentScorer(dataset, options.score, options.ess)
        self._search = importlib.import_module(method.module).search_child
        grows = "orders" in method.options
        self._sample = make_row_sample(self.scorer) if grows else None
        near = None if inputs.near is None else inputs.near.parents
        self._orders = Orders(dataset.n_variables, options.seed, near, inputs.knowledge) if grows else None
        self._time_shares = TimeShares(self.jobs, self._ends_in_size or grows)
        self.resident = resident_bytes(self.scorer, self._sample, threads)
        self._most_sets = most_sets(options.memory, self.resident, threads)
        self._functions = None
        if method.ends_by_size:
            self._functions = shared_values(self.scorer, self.plan.max_parents, options.memory, self.resident)

    def __reduce__(self) -> tuple[Callable[..., ChildSearcher], tuple[Any, ...]]:
        """On arrival it becomes one of the run's workers."""
        options = replace(self.options, jobs=1, workers=None)
        return _arrived, (self.scorer.dataset, options, self.budget, self.inputs, self.jobs, self.traces)

    @property
    def values_bytes(self) -> int:
        """Largest memory for the values of sets, which all workers on a machine share."""
        return 0 if self._functions is None else self._functions.nbytes

    def work_apart(self, task: tuple[int, int], stop: StopSignal) -> ChildResult:
        """For another process: the result of a child as in `result_of`, with the number of scores computed."""
        self.budget.stop = self.scorer.stop = stop
        if self._sample is not None:
            self._sample.likelihood.stop = stop
        before = self.scorer.evaluations
        result = self.result_of(*task)
        return result._replace(n_scores=self.scorer.evaluations - before)

    def result_of(self, child: int, unfinished: int = 1) -> ChildResult:
        """Search the sets of one child and check the record by independent counting.

        `unfinished` searches, this one included, share the time left. Raises `VerificationError` if a score of the
        record is wrong.
        """
        result = self._unchecked_result(child, unfinished)
        n_counted = len(self.scorer.data.weights)
        self._independent_scorer.check_record(result.record, self.options.seed, n_counted, self.inputs.known)
        return result

    def _unchecked_result(self, child: int, unfinished: int) -> ChildResult:
        fixed = self.plan.fixed_set(child)
        if fixed is not None:
            score = self.scorer.local_score(child, fixed)
            return ChildResult(ParentSetRecord.of(child, (fixed,), (score,), fixed=True), None, 0)
        if child not in self.with_first_list and (self.budget.interrupted or self._is_overdue):
            return ChildResult(self._smallest_list(child), None, 0)
        limits = self.limits_of(child)
        if not len(limits.allowed) or (child in self.with_first_list and self.budget.is_spent()):
            found = self._first_list(child, limits)
        else:
            found = self.search_sets(child, limits, unfinished)
        extra: dict[str, Any] = {}
        if self.budget.interrupted and not found.complete:
            extra = {"interrupted": True}
        elif found.ended is not None:
            extra = {"ended": found.ended}
        return ChildResult(found.to_record(limits.required, extra), found.explored_record(), 0)

    @property
    def _is_overdue(self) -> bool:
        """Whether so much time has passed since the limit that the remaining children do not get first scores."""
        seconds = self.budget.seconds
        return seconds is not None and self.budget.elapsed() > (1.0 + OVERTIME) * seconds + OVERTIME

    def _smallest_list(self, child: int) -> ParentSetRecord:
        """The record with the smallest set that a child may take, in a time independent of n_variables."""
        smallest = self.plan.knowledge.required_of(child)
        score = self.scorer.local_score(child, smallest)
        mark = {"interrupted": True} if self.budget.interrupted else {"ended": "time"}
        return ParentSetRecord.of(child, (smallest,), (score,), evaluated=1, required=smallest, extra=mark)

    def _first_list(self, child: int, limits: ChildLimits) -> FoundSets:
        """The required parents alone, and with each further parent that improves on them; complete if nothing can be
        added.
        """
        found = limits.nothing_found(child)
        score = self.scorer.local_score(child, limits.required)
        found.begin(limits.required, score)
        found.complete = not len(limits.allowed)
        if not found.complete:
            found.ended = "time"
            expansion = self.scorer.expand(child, limits.required, limits.allowed)
            found.explore(limits.required, limits.allowed, expansion[limits.allowed])
            found.add_expansion(limits.required, score, expansion)
        self._add_known(found, limits)
        return found

    def search_sets(self, child: int, limits: ChildLimits, unfinished: int) -> FoundSets:
        """The sets that the method finds for a child with a choice, and the sets scored earlier."""
        share = self._budget_of_child(unfinished)
        found = self._search(self.scorer.of_child(child), child, limits, share)
        if share.seconds is not None:
            self._time_shares.note(share.elapsed(), share.seconds, found.ended == "time")
        self._add_known(found, limits)
        return found

    def limits_of(self, child: int) -> ChildLimits:
        """Candidates and limits of the search of one child.

        Constant variables are no candidates, and a constant child has none: neither would change a likelihood. Sets
        with constant variables count as left out.
        """
        n_states, near = self.scorer.n_states, self.inputs.near
        candidates = self.plan.candidates(child)
        allowed = candidates[(n_states[candidates] > 1) & (n_states[child] > 1)]
        required = self.plan.knowledge.required_of(child)
        most_constant = max(0, min(self.plan.max_parents, self.scorer.n_variables) - len(required))
        return ChildLimits(
            allowed,
            min(self.plan.max_parents, len(allowed) + len(required)),
            self.evaluation_limit(),
            required,
            self._most_sets,
            self._orders,
            self.options.orders,
            None if near is None else near.parents[child],
            self._sample,
            self.traces,
            margin_of(self.options.keep_mass),
            n_sets_within(len(candidates) - len(allowed), most_constant),
            self._functions,
        )

    def _add_known(self, found: FoundSets, limits: ChildLimits) -> None:
        """List the sets scored earlier, as far as the constraints allow them."""
        table = self.inputs.known
        if table is None:
            return
        possible = {*self.plan.candidates(found.child).tolist(), *limits.required}
        for s in range(int(table.set_offsets[found.child]), int(table.set_offsets[found.child + 1])):
            parents = table.parent_set(s)
            is_allowed = possible.issuperset(parents) and set(parents).issuperset(limits.required)
            if is_allowed and len(parents) <= self.plan.max_parents:
                found.known[parents] = float(table.scores[s])

    def evaluation_limit(self) -> int:
        """Exact scores per variable: as in the options, or a default if nothing else ends the method."""
        if self.options.evaluations is not None:
            return self.options.evaluations
        return UNLIMITED if self.default_limit is None else self.default_limit

    @property
    def default_limit(self) -> int | None:
        """The limit of exact scores per variable where neither the options nor the method end a search."""
        options = self.options
        limited = (options.evaluations, options.time, options.time_per_variable) != (None, None, None)
        if limited or self._ends_in_size:
            return None
        return METHODS[options.method].default_evaluations + 2 * self.scorer.n_variables

    @property
    def _ends_in_size(self) -> bool:
        """Whether the limits on sets end the method."""
        method = METHODS[self.options.method]
        return method.default_evaluations == 0 or (method.ends_by_size and self.options.max_parents is not None)

    def _budget_of_child(self, unfinished: int) -> Budget:
        """Time of one child: its own limit, or its share of the remaining time; so unused time carries over."""
        seconds = self.options.time_per_variable
        if self.budget.seconds is not None:
            share = self._time_shares.next_share(self.budget.time_left(), unfinished)
            seconds = share if seconds is None else min(seconds, share)
        return Budget(seconds, stop=self.budget.stop)

    def first_list_bytes(self, n_children: int) -> int:
        """Memory of the first lists of `n_children` children; 0 where they are not made in advance."""
        return first_list_bytes(n_children, self.scorer.n_variables, self.options.memory, self.resident)


def _arrived(
    dataset: Dataset, options: ParentSetOptions, budget: Budget, inputs: RunInputs, jobs: int, traces: bool
) -> ChildSearcher:
    """One of `jobs` workers that share the time of the run, but not its memory."""
    searcher = ChildSearcher(dataset, options, budget, inputs, jobs, traces)
    # Children reached after the time is over list at least single parents.
    searcher.with_first_list.update(range(dataset.n_variables))
    return searcher


class TimeShares:
    """Shares of the time of one run, for one of its workers.

    `jobs` workers share the time. If `ends`, searches end by themselves. Other searches use all the time they get, so
    none is spare.
    """

    def __init__(self, jobs: int, ends: bool):
        self._jobs = jobs
        self._ends = ends
        self._overrun = 0.0
        self._pace: float | None = None

    def next_share(self, left: float, unfinished: int) -> float:
        """Seconds for the next search out of `left`; `unfinished` searches, this one included, share these.

        A search ends one step after its time, so the mean overrun of the last ones is subtracted.
        """
        share = left * min(1.0, self._jobs / unfinished)
        if self._ends:
            # Until searches have been timed, half of the time counts as spare.
            self._pace = share / 2 if self._pace is None else self._pace
            spare = left * self._jobs - unfinished * self._pace
            share = min(left, share + LENT * max(0.0, spare))
        return max(0.0, share - self._overrun)

    def note(self, seconds: float, share: float, is_cut: bool) -> None:
        """Record that a search took `seconds` of its `share`, and whether that ended it."""
        if self._pace is not None:
            self._pace += PACE_SMOOTHING * (seconds - self._pace)
        if is_cut:
            self._overrun += OVERRUN_SMOOTHING * (max(0.0, seconds - share) - self._overrun)
