"""`bnsl.parentsets`: data to candidate parent sets."""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, Unpack, overload

from stages.parentsets import COMMON, DEFAULT_METHOD, MAIN_METHODS, METHODS, ParentSetOptions

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
from ..options.data import CompleteRows, InterventionOptions, KnownVariables, Reading
from ..options.knowledge import GivenConstraints, KnowledgeOptions
from ..options.methods import method_option, own_option, refuse_incomplete, refuse_unused, with_takers
from ..options.option import Argument, Given, Option, Source, group_options
from ..options.prior import Prior, PriorOptions
from ..options.shared import (
    REPEATS,
    BudgetLimits,
    Evaluations,
    MaxParents,
    RunOptions,
    ScoreOptions,
    Time,
    Workers,
    check_sources,
    opened_workers,
    refuse_ess,
    resolve_seed,
)
from ..options.values import DURATION, INPUT, OUTPUT_FILE, SIZE, Number, Parsed, Path
from ..results import Deliverable, ParentSets
from ..running.errors import UsageError
from ..running.function import MessageOptions, Run, function
from ..running.interrupts import explain_interruption
from ..running.reporter import LineReporter

if TYPE_CHECKING:
    from formats.data_records import Dataset
    from formats.records import Header, ParentSetRecord
    from stages.parentsets.forecast import Forecast
    from stages.parentsets.identification_run import ParentSetRun

NOTHING_YET = "no parent sets were found yet; wait until progress counts variables"


def _shard(text: str) -> tuple[int, int]:
    """One of N parts: 2/8."""
    match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text.strip())
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError(f"{text!r} is no shard; write 1/8, 2/8, ... 8/8")
    return int(match[1]), int(match[2])


def takers_text(name: str) -> str:
    """The methods that take an option, separated by commas."""
    return ", ".join(method for method, spec in METHODS.items() if name in spec.options)


TRACERS = ", ".join(name for name, spec in METHODS.items() if spec.traces)
"""The methods that can write a trace."""


class ListingOptions(TypedDict, total=False):
    """The method, its own option, and limits of the search of each variable."""

    method: Annotated[str | None, method_option(METHODS, f"Default: {DEFAULT_METHOD}.", main=MAIN_METHODS)]
    max_parents: Annotated[MaxParents, {"section": "Method"}]
    keep_mass: Annotated[
        float | None,
        Option(
            "List also sets that a subset dominates, unless the subset scores more by ln(1/EPS) nats; 'bnsl "
            "posterior' needs them. 0 lists all sets that were scored. No set with a constant column is listed, and "
            "such a column has the empty set alone: it changes no score. 'left_out' and 'listed_share' count the "
            "other sets as left out. Drop such columns.",
            Number(0, 1, open_most=True),
            "EPS",
            section="Method",
        ),
    ]
    orders: Annotated[int, own_option(ParentSetOptions, "orders", takers_text, lambda _: "Method")]


_Budget = partial(Option, section="Budget")


class ListingLimits(TypedDict, total=False):
    """Limits of a run."""

    time: Annotated[Time, "Stop the whole run after this time: 30s, 10m, 2h."]
    evaluations: Annotated[Evaluations, "Largest number of exact local scores per variable." + REPEATS]
    time_per_variable: Annotated[
        float | str | None, _Budget("Stop the search for each variable after this time.", DURATION)
    ]
    memory: Annotated[
        int | str | None,
        _Budget(
            "Memory that the whole process may take, such as 4G. A search whose sets no longer fit ends early.", SIZE
        ),
    ]


class GuideOptions(TypedDict, total=False):
    """Inputs that guide the search, besides the data."""

    screen: Annotated[
        Source,
        Option(
            "Screening forest of 'bnsl screen'. Its variables keep their one parent, and the others choose parents "
            "among its roots.",
            INPUT,
            "FOREST",
            section="Input",
        ),
    ]
    near: Annotated[
        Source,
        Option(
            with_takers("Grow sets around the order of this network.", takers_text("near")),
            INPUT,
            "NETWORK",
            section="Input",
        ),
    ]
    extend: Annotated[
        Source,
        Option(
            "List these parent sets, too. They must come from the same data and score.",
            INPUT,
            "SETS",
            section="Input",
        ),
    ]


class ParentSetKeywords(
    CompleteRows,
    InterventionOptions,
    ListingOptions,
    KnowledgeOptions,
    PriorOptions,
    ScoreOptions,
    GuideOptions,
    ListingLimits,
    RunOptions,
    MessageOptions,
    total=False,
):
    """Options of `parentsets` but `dry_run`, which decides the result."""

    shard: Annotated[
        str | None,
        Option(
            "Search only the i-th of N parts of the variables. All parts cost about the same. The seed is 0 unless "
            "given, so that 'cat' can join the parts to one list.",
            Parsed("i/N", _shard),
            section="Parts of a run",
        ),
    ]
    workers: Workers
    trace: Annotated[
        Path | None,
        Option(
            with_takers(
                "Write every scored set to this file, in the order of the search. The file has JSON lines, or by its "
                "name is an Arrow or Parquet table; 'bnsl formats trace' lists the columns. The sets of the "
                "variables at work take some 50 bytes of memory each.",
                TRACERS,
            ),
            OUTPUT_FILE,
            section="Output",
        ),
    ]


IsDryRun = Annotated[
    bool, _Budget("Search only a few variables, and forecast the time, memory and sets of the whole run.")
]


@dataclass
class StartedSearch(Deliverable[ParentSets]):
    """A search for candidate parent sets, which goes on while its records are read.

    - `trace`: makes a context that yields a function to write explored sets, or None.
    - `figures`: figures of the run, complete once all records are read.
    """

    search: "ParentSetRun"
    header: "Header"
    trace: Callable[[], AbstractContextManager[Callable | None]] = nullcontext
    figures: dict[str, Any] = field(default_factory=dict)

    def records(self, finished: Collection[int] = ()) -> "Iterator[ParentSetRecord]":
        """The record of each child that is not in `finished`, in the order of the header; may be read once."""
        counts: dict[str, Any] = {}
        with self.trace() as explored:
            yield from tallied(self.search.records(finished, explored), counts)
        self.figures |= {"seconds": self.search.budget.elapsed(), **counts}

    def for_python(self) -> ParentSets:
        """All records."""
        from formats.records import ParentSetTable

        return ParentSets(ParentSetTable.from_records(self.header, self.records()), self.figures)


@dataclass
class DryRun(Deliverable[dict[str, Any]]):
    """The forecast of a run with this number of threads."""

    forecast: "Forecast"
    jobs: int

    def for_python(self) -> dict[str, Any]:
        """The figures of the forecast."""
        return asdict(self.forecast)


def check_options(run: Run, method: str, trace: str | None, dry_run: bool) -> None:
    """Refuse options that the method does not take."""
    governed = {name for spec in METHODS.values() for name in spec.options}
    refuse_unused(run, governed, METHODS[method].options, method, takers_text)
    refuse_incomplete(run, ParentSetOptions, METHODS, method)
    if trace is not None:
        if not METHODS[method].traces:
            raise UsageError(f"--trace does not apply to method {method}; {TRACERS} take it.")
        if dry_run:
            raise UsageError("--trace records a search, and --dry-run makes none: leave one out.")


@overload
def parentsets(
    data: Source = None, *, dry_run: Literal[False] = False, **options: Unpack[ParentSetKeywords]
) -> ParentSets: ...


@overload
def parentsets(
    data: Source = None, *, dry_run: Literal[True], **options: Unpack[ParentSetKeywords]
) -> dict[str, Any]: ...


@overload
def parentsets(
    data: Source = None, *, dry_run: bool, **options: Unpack[ParentSetKeywords]
) -> ParentSets | dict[str, Any]: ...


@function
def parentsets(
    run: Run,
    data: Annotated[Source, Argument("DATA", is_standard_input=True), "The table."] = None,
    *,
    dry_run: IsDryRun = False,
    **options: Unpack[ParentSetKeywords],
) -> Any:
    """Identify candidate parent sets with their local scores.

    Returns
    -------
    ParentSets or dict
        The parent sets. With `dry_run`, the forecast of the run instead.

    Examples
    --------
    >>> sets = bnsl.parentsets({"a": [0, 1, 0, 1] * 50, "b": [0, 0, 1, 1] * 50, "c": [1, 0, 1, 0] * 50}, quiet=True)
    >>> sets.to_arrow()["parents"].to_pylist()
    [['c'], [], [], ['a'], []]
    """
    from stages.parentsets.complete_count import report_complete
    from stages.parentsets.identification_run import ParentSetRun
    from stages.parentsets.run_memory import reading_bytes
    from stages.recorded_knowledge import knowledge_record

    given, reading = Given(**options), Reading(**options)
    knowing, believing, limits = GivenConstraints(**options), Prior(**options), BudgetLimits(**options)
    explain_interruption(NOTHING_YET)
    refuse_ess(run, [given.score])
    method, trace = given.method or DEFAULT_METHOD, given.trace
    check_options(run, method, trace, dry_run)
    check_sources(data, given.screen, given.near, given.extend, *knowing.sources, *believing.sources)
    believing.check(method, given.screen)
    trace_format = None if trace is None else output_format("trace", trace, option="--trace")
    dataset, inputs, before = open_inputs(data, reading, given, believing, run.reporter)
    taken = reading_bytes()
    inputs["knowledge"] = knowledge = knowing.resolve(dataset.names)
    seed = 0 if given.seed is None and given.shard is not None else given.seed
    settings = ParentSetOptions(
        method=method,
        score=given.score,
        ess=given.ess,
        max_parents=given.max_parents,
        keep_mass=given.keep_mass,
        evaluations=given.evaluations,
        time=given.time,
        time_per_variable=given.time_per_variable,
        memory=given.memory,
        orders=given.orders,
        seed=resolve_seed(seed, run.reporter),
        jobs=given.jobs,
        workers=run.resources.enter_context(opened_workers(given.workers, run)),
        shard=given.shard,
    )
    budget = limits.budget(run.search())
    run.reporter.follow(budget)
    searched = ParentSetRun(dataset, settings, budget, run.reporter, **inputs)
    if dry_run:
        from stages.parentsets.forecast import forecast_run

        return DryRun(forecast_run(searched, taken), searched.jobs)
    report_complete(searched)
    recorded = used_options(settings, (*COMMON, *METHODS[method].options))
    recorded |= {name: getattr(given, name) is not None or None for name in group_options(GuideOptions)}
    recorded |= reading.recorded() | knowledge_record(knowledge) | believing.recorded()
    header = record_command(replace(searched.header, by=before), "parentsets", recorded)
    return StartedSearch(searched, header, lambda: open_explored(trace, trace_format, header))


def open_inputs(
    data: Source, reading: Reading, given: Given, believing: Prior, reporter: LineReporter
) -> "tuple[Dataset, dict[str, Any], tuple[dict[str, Any], ...]]":
    """The data, coded like the inputs that guide the search; these inputs; the commands that made them."""
    from formats import open_forest, open_network, open_parent_sets
    from formats.streams import source_name

    forest = None if given.screen is None else open_record(given.screen, open_forest)
    near = None if given.near is None else open_record(given.near, open_network)
    known = None if given.extend is None else open_record(given.extend, open_parent_sets, warn=reporter.warn)
    sources = (given.screen, given.near, given.extend)
    opened = zip((forest, near, known), sources)
    headers = [(found.header, source_name(source)) for found, source in opened if found]
    listed = KnownVariables(headers[0][0].variables, headers[0][1]) if headers else None
    dataset = believing.attached(reading.open(data, reporter, listed))
    for header, source in headers:
        require_same_variables(header, dataset, source)
    if forest is not None:
        warn_of_other_forest(forest.header, dataset, str(given.screen), reporter)
    if known is not None:
        warn_of_cut_lists(known, reporter)
        require_least_sets(known, given.extend)
        require_same_scores(known.header, dataset, given, str(given.extend))
    before = tuple(entry for header, _ in headers for entry in header.by)
    return dataset, {"forest": forest, "near": near, "known": known}, before


def open_explored(
    trace: str | None, trace_format: str | None, header: "Header"
) -> AbstractContextManager[Callable | None]:
    """Context that yields a function to write explored sets, or None without a file."""
    from formats.sets.traces import open_trace

    return nullcontext() if trace is None or trace_format is None else open_trace(trace, header, trace_format)
