"""`bnsl.parentsets`: data to candidate parent sets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from stages.parentsets import COMMON, DEFAULT_METHOD, METHODS, ParentSetOptions

from ..files.inputs import (
    open_record,
    require_least_sets,
    require_same_scores,
    require_same_variables,
    warn_of_cut_lists,
    warn_of_other_forest,
)
from ..files.output_formats import output_format
from ..files.recording import record_command, tallied, used_options
from ..options import parentsets as options_of
from ..options import shared
from ..options.data import DataOptions, KnownVariables, data_options_with
from ..options.declared import argument, record
from ..options.knowledge import KNOWLEDGE, KnowledgeOptions
from ..options.prior import PRIOR, PriorOptions
from ..running.function import Run, function
from ..running.interrupts import explain_interruption
from ..running.reporter import Reporter

if TYPE_CHECKING:
    from formats.data_records import Dataset
    from formats.records import Header, ParentSetRecord
    from stages.parentsets.forecast import Forecast
    from stages.parentsets.identification_run import Run as Search

NOTHING_YET = "no parent sets were found yet; wait until progress counts variables"


@dataclass
class StartedSearch:
    """A search for candidate parent sets, which goes on while its records are read.

    - `trace`: makes a context that yields a function to write explored sets, or None.
    - `figures`: figures of the run, complete once all records are read.
    """

    search: Search
    header: Header
    trace: Callable[[], AbstractContextManager[Callable | None]] = nullcontext
    figures: dict[str, Any] = field(default_factory=dict)

    def records(self, finished: Collection[int] = ()) -> Iterator[ParentSetRecord]:
        """The record of each child that is not in `finished`, in the order of the header; may be read once."""
        counts: dict[str, Any] = {}
        with self.trace() as explored:
            yield from tallied(self.search.records(finished, explored), counts)
        self.figures |= {"seconds": self.search.budget.elapsed(), **counts}


class Expected(NamedTuple):
    """The forecast of a run with this number of threads."""

    forecast: Forecast
    jobs: int


def _finish(found: StartedSearch | Expected) -> Any:
    from formats.records import ParentSetTable

    from ..results import ParentSets

    if not isinstance(found, StartedSearch):
        return asdict(found.forecast)
    return ParentSets(ParentSetTable.from_records(found.header, found.records()))


@function(finish=_finish)
def parentsets(
    data: Any = argument("DATA", is_standard_input=True),
    data_options: DataOptions = data_options_with(counts_families=True),
    method: str | None = options_of.METHOD,
    search: options_of.SearchOptions = record(options_of.SearchOptions, "Budget"),
    own: dict[str, Any] = options_of.OWN_OPTIONS,
    knowing: KnowledgeOptions = KNOWLEDGE,
    believing: PriorOptions = PRIOR,
    score_options: shared.ScoreOptions = shared.SCORE_OPTIONS,
    guides: options_of.InputOptions = record(options_of.InputOptions, "Input"),
    limits: shared.BudgetOptions = shared.budget_options(
        "Stop the whole run after this time: 30s, 10m, 2h.", "Exact local scores per variable at most."
    ),
    parts: options_of.PartOptions = record(options_of.PartOptions, "Parts of a run"),
    execution: shared.RunOptions = shared.RUNNING,
    workers: str | None = shared.workers_option(),
    trace: str | None = options_of.TRACE,
    *,
    run: Run,
) -> StartedSearch | Expected:
    """Identify candidate parent sets with their local scores.

    Returns
    -------
    ParentSets or dict
        With `dry_run`, the forecast of the run.

    Examples
    --------
    >>> sets = bnsl.parentsets({"a": [0, 1, 0, 1] * 50, "b": [0, 0, 1, 1] * 50, "c": [1, 0, 1, 0] * 50}, quiet=True)
    >>> sets.to_arrow()["parents"].to_pylist()
    [['c'], [], [], ['a'], []]
    """
    from stages.parentsets.complete_count import report_complete
    from stages.parentsets.identification_run import Run as Search
    from stages.parentsets.run_memory import reading_bytes
    from stages.recorded_knowledge import knowledge_record

    explain_interruption(NOTHING_YET)
    method = method or DEFAULT_METHOD
    options_of.check_options(run, method, trace, search.dry_run)
    shared.check_sources(data, guides.screen, guides.near, guides.extend, *knowing.sources, *believing.sources)
    believing.check(method, guides.screen)
    trace_format = None if trace is None else output_format("trace", trace, option="--trace")
    dataset, inputs, before = open_inputs(data, data_options, guides, score_options, run.reporter, believing)
    reading = reading_bytes()
    inputs["knowledge"] = knowledge = knowing.resolve(dataset.names)
    seed = 0 if execution.seed is None and parts.shard is not None else execution.seed
    options = ParentSetOptions(
        method=method,
        **asdict(score_options),
        max_parents=search.max_parents,
        keep_mass=search.keep_mass,
        **asdict(limits),
        time_per_variable=search.time_per_variable,
        memory=search.memory,
        seed=shared.resolve_seed(seed, run.reporter),
        jobs=execution.jobs,
        workers=run.resources.enter_context(shared.opened_workers(workers, run)),
        shard=parts.shard,
        **own,
    )
    budget = limits.budget(run.search())
    run.reporter.follow(budget)
    searched = Search(dataset, options, budget, run.reporter, **inputs)
    if search.dry_run:
        from stages.parentsets.forecast import forecast_run

        return Expected(forecast_run(searched, reading), searched.jobs)
    report_complete(searched)
    given = {name: source is not None or None for name, source in vars(guides).items()}
    recorded = used_options(options, (*COMMON, *METHODS[method].options)) | given
    recorded |= data_options.recorded() | knowledge_record(knowledge) | believing.recorded()
    header = record_command(replace(searched.header, by=before), "parentsets", recorded)
    return StartedSearch(searched, header, lambda: open_explored(trace, trace_format, header))


def open_inputs(
    data: Any,
    data_options: DataOptions,
    guides: options_of.InputOptions,
    score_options: shared.ScoreOptions,
    reporter: Reporter,
    believing: PriorOptions,
) -> tuple[Dataset, dict[str, Any], tuple[dict[str, Any], ...]]:
    """The data, coded like the other inputs; these inputs; the commands that made them."""
    from formats import open_forest, open_network, open_parent_sets
    from formats.streams import source_name

    forest = None if guides.screen is None else open_record(guides.screen, open_forest)
    near = None if guides.near is None else open_record(guides.near, open_network)
    known = None if guides.extend is None else open_record(guides.extend, open_parent_sets, warn=reporter.warn)
    sources = (guides.screen, guides.near, guides.extend)
    headers = [(given.header, source_name(source)) for given, source in zip((forest, near, known), sources) if given]
    listed = KnownVariables(headers[0][0].variables, headers[0][1]) if headers else None
    dataset = believing.attached(data_options.open(data, reporter, listed))
    for header, source in headers:
        require_same_variables(header, dataset, source)
    if forest is not None:
        warn_of_other_forest(forest.header, dataset, str(guides.screen), reporter)
    if known is not None:
        warn_of_cut_lists(known, reporter)
        require_least_sets(known, guides.extend)
        require_same_scores(known.header, dataset, score_options, str(guides.extend))
    before = tuple(entry for header, _ in headers for entry in header.by)
    return dataset, {"forest": forest, "near": near, "known": known}, before


def open_explored(
    trace: str | None, trace_format: str | None, header: Header
) -> AbstractContextManager[Callable | None]:
    """Context that yields a function to write explored sets, or None without a file."""
    from formats.sets.traces import open_trace

    return nullcontext() if trace is None or trace_format is None else open_trace(trace, header, trace_format)
