"""`bnsl.optimize`: candidate parent sets, or data, to a network."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, Unpack, overload

from stages.optimize import DATA_TW, MAIN_METHODS, METHODS, OptimizeOptions

from ..files.output_formats import output_format
from ..files.recording import record_command
from ..networks import Network
from ..options.data import InterventionOptions, Reading, RowsWithHoles
from ..options.knowledge import GivenConstraints, KnowledgeOptions
from ..options.methods import method_option, own_option, with_takers
from ..options.option import Argument, Option, Source, group_options
from ..options.prior import Prior, PriorOptions
from ..options.shared import (
    REPEATS,
    WORKERS,
    BudgetLimits,
    Evaluations,
    MaxParents,
    RunOptions,
    ScoreOptions,
    Time,
    Workers,
    opened_workers,
    refuse_ess,
    resolve_seed,
)
from ..options.values import INPUT, OUTPUT_FILE, Parsed, Path, Whole
from ..results import Deliverable
from ..running.function import MessageOptions, Run, function
from ..running.interrupts import explain_interruption
from ..running.reporter import LineReporter
from .opened_searches import ROUNDS, OpenedSearch, open_data_search, open_list_search, recorded_search
from .taken_options import (
    SECTIONS,
    AskedSearch,
    check_bootstrap,
    check_incomplete,
    check_options,
    check_proof,
    methods_for,
    section_of,
    takers_text,
)

if TYPE_CHECKING:
    from formats.records import NetworkRecord
    from stages.runtime.budgets import Budget, StopSignal

NOTHING_YET = "no network was found yet and none is written; wait until progress shows a score"

ON_DATA = SECTIONS[True,]


def _taken(name: str, text: str, kind: Any = INPUT, metavar: str | None = None) -> Option:
    """An option that some methods take: its help names them."""
    return Option(with_takers(text, takers_text(name)), kind, metavar, section=section_of(name))


def _own(name: str) -> Option:
    """An option of methods, as the stage declares it."""
    return own_option(OptimizeOptions, name, takers_text, section_of)


def _resampling(text: str) -> str:
    """Rows of replicates: bootstrap, subsample:SHARE, jackknife, imputed."""
    kind, colon, share = text.partition(":")
    if kind in ("bootstrap", "jackknife", "imputed") and not colon:
        return text
    try:
        if kind == "subsample" and 0 < float(share) <= 1:
            return text
    except ValueError:
        pass
    raise ValueError(f"{text!r} is none of bootstrap, subsample:SHARE (of the rows, up to 1), jackknife, imputed")


class SearchedOptions(TypedDict, total=False):
    """What is searched, beside the sets."""

    data: Annotated[
        Source,
        Option(
            "Search on this table and score families on demand. SETS are then optional; the search extends them.",
            INPUT,
            "DATA",
            section=ON_DATA,
        ),
    ]
    partial: Annotated[
        bool,
        Option(
            "Accept a stream that ended early. Variables that did not arrive get no parents.",
            section=section_of("partial"),
        ),
    ]


class TaskOptions(TypedDict, total=False):
    """The method, and the task: bound, inputs beside the data and the sets."""

    method: Annotated[
        str | None,
        method_option(
            METHODS,
            "Default: pricing with --data. Without --data, exact for up to 22 variables and ils for more; under --tw "
            "K ils, but forest under --tw 1.",
            main=MAIN_METHODS,
        ),
    ]
    treewidth: Annotated[
        int | None,
        Option(
            "Bound the treewidth of the network's moral graph by K. Methods with --data: "
            f"{', '.join(methods_for(DATA_TW))}.",
            Whole(1),
            "K",
            names=("--tw", "--treewidth"),
            section=SECTIONS[False,],
        ),
    ]
    start: Annotated[
        Source,
        _taken(
            "start",
            "Start from this network. A search on data starts from its arcs; a search among listed sets starts from "
            "its order; a search under --tw K starts from its elimination order if that fits.",
            metavar="NETWORK",
        ),
    ]
    screen: Annotated[
        Source,
        Option(
            "Screening forest of 'bnsl screen'. Its variables keep their one parent, and only its roots are searched "
            "(qds-BNSL).",
            INPUT,
            "FOREST",
            section=section_of("screen"),
        ),
    ]
    information: Annotated[
        Source,
        _taken(
            "information",
            "Mutual information of all pairs: a table of data, or the result of 'bnsl entropy'. Without this option, "
            "only pairs whose information the listed sets determine have one.",
            metavar="DATA|ENTROPIES",
        ),
    ]
    max_parents: Annotated[MaxParents, {"section": section_of("max_parents")}]
    save_sets: Annotated[
        Path | None,
        _taken("save_sets", "Write the candidate sets that the search ends with to this file.", OUTPUT_FILE),
    ]
    proof: Annotated[
        Path | None,
        _taken(
            "proof",
            "Write the proof of the bound to this file. 'bnsl evaluate --proof' and examples/proof/check.py check "
            "it.",
            OUTPUT_FILE,
        ),
    ]
    imputation: Annotated[
        Literal["best", "drawn"] | None,
        Option(
            "How --missing em fills missing cells before a search: with the states that are most probable together "
            "(best, the default), or with states drawn given the observed cells (drawn).",
            section=ON_DATA,
        ),
    ]
    rounds: Annotated[
        int | None,
        Option(
            f"With --missing em, fill the cells and search at most N times; {ROUNDS} times if not given.",
            Whole(1),
            "N",
            section=ON_DATA,
        ),
    ]


class MethodOptions(TypedDict, total=False):
    """Options of some methods; `stages.optimize.OptimizeOptions` has their defaults, limits and help."""

    max_table: Annotated[int | None, _own("max_table")]
    init: Annotated[Literal["random", "dfs", "fas", "entropy", "ascent"], _own("init")]
    iterations: Annotated[int, _own("iterations")]
    restarts: Annotated[int | None, _own("restarts")]
    tabu: Annotated[int, _own("tabu")]
    perturb: Annotated[int | None, _own("perturb")]
    alpha: Annotated[float, _own("alpha")]
    target: Annotated[str | None, _own("target")]
    dependence: Annotated[int, _own("dependence")]
    sampled_only: Annotated[bool, _own("sampled_only")]
    best_first: Annotated[bool, _own("best_first")]


class LimitOptions(TypedDict, total=False):
    """Limits of a search."""

    time: Annotated[Time, "Stop after this time: 30s, 10m, 2h."]
    evaluations: Annotated[
        Evaluations,
        "Stop after this many orders, or on data after this many local scores. The default method computes no more "
        "scores than this, not counting the scores of the network and the lists that it begins with. A hill climber "
        "ends with the move that reaches the number." + REPEATS,
    ]


class SearchOptions(
    TaskOptions,
    MethodOptions,
    KnowledgeOptions,
    PriorOptions,
    ScoreOptions,
    RowsWithHoles,
    InterventionOptions,
    LimitOptions,
    RunOptions,
    MessageOptions,
    total=False,
):
    """Options of a search for one network."""


class OptimizeKeywords(SearchedOptions, SearchOptions, total=False):
    """All options of `optimize` except `bootstrap`, which decides the type of the result."""

    resample: Annotated[
        str | None,
        Option(
            "How --bootstrap draws the rows for each network: bootstrap, subsample:SHARE, jackknife or imputed. "
            "bootstrap, the default, draws as many rows as there are, with replacement. subsample:SHARE draws this "
            "share of the rows without replacement. jackknife takes all but one of R blocks of rows. imputed takes "
            "all rows and draws their missing cells anew; it needs --imputation drawn. Under --interventions, the "
            "rows in which the same variables were set are drawn separately.",
            Parsed("rule", _resampling),
            "RULE",
            section=ON_DATA,
        ),
    ]
    workers: Annotated[Workers, f"Learn the replicates of --bootstrap on dask workers. {WORKERS}"]


Bootstrap = Annotated[
    int | None,
    Option(
        "Learn R networks and write them as a stream. Each is learnt from rows drawn from DATA with replacement, as "
        "many as DATA has.",
        Whole(1),
        "R",
        section=ON_DATA,
    ),
]


@dataclass
class Replicates(Deliverable[list[Network]]):
    """Networks of replicates; each is available as soon as it is found.

    - `requested`: the number of networks, unless an interruption ends the run.
    """

    requested: int
    found: Iterator[Network]

    def for_python(self) -> list[Network]:
        """All networks."""
        return list(self.found)


@overload
def optimize(sets: Source = None, *, bootstrap: None = None, **options: Unpack[OptimizeKeywords]) -> Network: ...


@overload
def optimize(sets: Source = None, *, bootstrap: int, **options: Unpack[OptimizeKeywords]) -> list[Network]: ...


@overload
def optimize(
    sets: Source = None, *, bootstrap: int | None, **options: Unpack[OptimizeKeywords]
) -> Network | list[Network]: ...


@function
def optimize(
    run: Run,
    sets: Annotated[
        Source, Argument("SETS"), "Candidate parent sets, such as the result of 'bnsl parentsets'."
    ] = None,
    *,
    bootstrap: Bootstrap = None,
    **options: Unpack[OptimizeKeywords],
) -> Any:
    """Choose the best network among candidate parent sets, or learn it from data.

    An interruption ends the search; the best network so far is returned.

    Returns
    -------
    Network or list of Network
        The network. With `bootstrap`, the list of networks.

    Examples
    --------
    >>> table = {"a": [0, 1, 0, 1] * 50, "b": [0, 0, 1, 1] * 50, "c": [1, 0, 1, 0] * 50}
    >>> bnsl.optimize(bnsl.parentsets(table, quiet=True), require=[("c", "a")], seed=1, quiet=True).arcs
    [('c', 'a')]
    >>> bnsl.optimize(data=table, treewidth=0)
    Traceback (most recent call last):
        ...
    bnsl.running.errors.UsageError: treewidth=0: at least 1
    """
    return search(run, sets, AskedSearch(bootstrap=bootstrap, **options))


def search(run: Run, sets: Any, given: AskedSearch) -> Network | Replicates:
    """Search as the options ask for."""
    reading, limits = Reading(**vars(given)), BudgetLimits(**vars(given))
    knowing, believing = GivenConstraints(**vars(given)), Prior(**vars(given))
    explain_interruption(NOTHING_YET)
    refuse_ess(run, [given.score])
    check_bootstrap(given, sets)
    check_incomplete(given, sets, reading)
    check_options(run, given)
    check_proof(given)
    output_format("parentsets", given.save_sets or "-", "parentsets", "--save-sets")
    output_format("proof", given.proof or "-", option="--proof")
    options = OptimizeOptions(
        method=given.method,
        treewidth=given.treewidth,
        seed=resolve_seed(given.seed, run.reporter),
        jobs=given.jobs,
        workers=run.resources.enter_context(opened_workers(given.workers, run)),
        score=given.score,
        ess=given.ess,
        max_parents=given.max_parents,
        **{name: getattr(given, name) for name in group_options(MethodOptions)},
    )
    if given.data is None:
        opened = open_list_search(
            run, run.source(sets, "SETS or --data DATA"), given, knowing, believing, reading, options
        )
    else:
        opened = open_data_search(run, sets, given, knowing, believing, reading, options)
    recorded = recorded_search(given, opened.options, opened.knowledge)
    stop = run.search()
    if opened.replicates is not None and given.bootstrap is not None:
        recorded |= {"bootstrap": given.bootstrap, "resample": given.resample}
        return Replicates(given.bootstrap, replicates(opened, given.bootstrap, limits, stop, recorded, run.reporter))
    return learn_one(opened, limits.budget(stop), recorded, run.reporter)


def recorded_network(network: "NetworkRecord", opened: OpenedSearch, recorded: dict[str, Any]) -> "NetworkRecord":
    """The network with the commands that made its inputs, and this one, in its header."""
    header = replace(network.header, by=opened.before)
    return replace(network, header=record_command(header, "optimize", recorded))


def learn_one(opened: OpenedSearch, budget: "Budget", recorded: dict[str, Any], reporter: LineReporter) -> Network:
    """Search once."""
    from stages.runtime.reporting import ChangedNetworks

    reporter.follow(budget)
    network, figures = opened.run(
        budget, ChangedNetworks(reporter, lambda there: recorded_network(there, opened, recorded))
    )
    figures = {"seconds": budget.elapsed(), **figures}
    return Network(recorded_network(network, opened, recorded), figures=figures)


def replicates(
    opened: OpenedSearch,
    requested: int,
    limits: BudgetLimits,
    stop: "StopSignal",
    recorded: dict[str, Any],
    reporter: LineReporter,
) -> Iterator[Network]:
    """The networks of replicates, with records of their run."""
    assert opened.replicates is not None
    for number, (network, figures) in enumerate(opened.replicates(limits, stop), start=1):
        yield Network(recorded_network(network, opened, recorded), figures=figures)
        reporter.progress(number, requested, "replicates")
