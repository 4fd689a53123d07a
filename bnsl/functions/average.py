"""`bnsl.average`: many networks, or arc probabilities, to one consensus."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from stages.optimize import OptimizeOptions

from ..files.recording import record_command
from ..networks import Network
from ..options.option import Argument, Given, Option, Source
from ..options.shared import REPEATS, BudgetLimits, Evaluations, RunOptions, Time, check_sources, resolve_seed
from ..options.values import Number, Whole
from ..results import ArcProbabilities
from ..running.errors import UsageError
from ..running.function import MessageOptions, Run, function
from ..running.reporter import LineReporter
from ..tables import as_file

if TYPE_CHECKING:
    from formats.graph_records import ArcProbabilityTable
    from formats.records import NetworkRecord

_Option = partial(Option, section="Consensus")


class AverageOptions(RunOptions, MessageOptions, total=False):
    """How networks are counted and joined, and limits of the search."""

    partial: Annotated[
        bool, Option("Accept a stream that ended early. Its complete networks count.", section="Input")
    ]
    cpdag: Annotated[
        bool,
        _Option(
            "Count the edges of essential graphs (--cpdag), or the arcs as they stand (--dag). An undirected edge "
            "counts half in each direction. --dag counts arcs also where nothing decides their direction.",
            names=("--cpdag/--dag",),
            default=True,
        ),
    ]
    threshold: Annotated[
        float | None,
        _Option(
            "Join only pairs whose strength, in either direction, is above P. [default: the significance threshold]",
            Number(0, 1, open_most=True),
            "P",
        ),
    ]
    treewidth: Annotated[
        int | None,
        _Option(
            "Bound the treewidth of the network's moral graph by K.", Whole(1), "K", names=("--tw", "--treewidth")
        ),
    ]
    time: Annotated[Time, "Time limit of the search for each group of variables: 30s, 10m, 2h."]
    evaluations: Annotated[Evaluations, f"Largest number of orders searched for each group of variables.{REPEATS}"]


@function
def average(
    run: Run,
    files: Annotated[
        Source,
        Argument("NETWORKS", is_several=True),
        "Networks over the same variables, or a table of arc probabilities.",
    ] = (),
    **options: Unpack[AverageOptions],
) -> Network:
    """Average networks: compute arc strengths, and the consensus network.

    Returns
    -------
    Network
        The consensus network. Its `strengths` has the arc strengths of all pairs.

    Examples
    --------
    >>> networks = bnsl.optimize(data={"a": [0, 1] * 20, "b": [1, 0] * 20}, bootstrap=3, seed=1, quiet=True)
    >>> bnsl.average(networks, seed=1, quiet=True).arcs
    [('b', 'a')]
    """
    from stages.average.consensus import consensus_network
    from stages.average.strengths import pair_strengths, significance_threshold

    given, limits = Given(**options), BudgetLimits(**options)
    sources = files or (run.source(None, "NETWORKS"),)
    check_sources(*sources)
    table, recorded = read_strengths(sources, given.cpdag, given.partial, run)
    if table.header.extra.get("networks") == 1:
        run.reporter.warn("one network only: there is nothing to average")
    counted = replace(table, header=record_command(table.header, "average", recorded))
    recorded |= {"threshold": given.threshold, "treewidth": given.treewidth}
    threshold = given.threshold
    if threshold is None:
        threshold = significance_threshold(pair_strengths(table).values())
    seed = resolve_seed(given.seed, run.reporter)
    search = OptimizeOptions(treewidth=given.treewidth, seed=seed, jobs=given.jobs)
    budget = limits.budget(run.search())
    run.reporter.follow(budget)
    network = consensus_network(counted, threshold, search, budget, run.reporter)
    recorded |= limits.recorded() | {"seed": seed}
    header = record_command(replace(network.header, by=table.header.by), "average", recorded)
    return Network(
        replace(network, header=header), strengths=ArcProbabilities(counted, figures={"threshold": threshold})
    )


def read_strengths(
    sources: Sequence[Any], cpdag: bool, partial: bool, run: Run
) -> tuple["ArcProbabilityTable", dict[str, Any]]:
    """Strengths of arcs, read from a table of arc probabilities or counted in networks; and the facts to record about
    them.

    Knowledge that all networks have in common is recorded; a warning says so if it differs.

    Raises `UsageError`: a table of arc probabilities is given with other files or with ``--cpdag`` or
    ``--dag``.
    """
    from formats import arc_probabilities_or_lines
    from formats.graph_records import ArcProbabilityTable
    from stages.average.strengths import count_arcs
    from stages.recorded_knowledge import knowledge_record

    reporter = run.reporter
    first = getattr(sources[0], "record", None)
    if not isinstance(first, ArcProbabilityTable):
        first = sources[0] if first else arc_probabilities_or_lines(as_file(sources[0], "network"))
    if isinstance(first, ArcProbabilityTable):
        if len(sources) > 1 or "cpdag" in run.given:
            raise UsageError("a table of arc probabilities is read alone: leave out other files, --cpdag and --dag.")
        return first, {}
    counts = count_arcs(networks_of([first, *sources[1:]], partial, reporter), cpdag)
    if counts.knowledge is None:
        reporter.warn(
            "the networks were learnt under different knowledge about arcs (--require, --forbid, --allow, --tiers): "
            "the consensus need not agree with any of it"
        )
    # Entries that all networks share already record their knowledge.
    is_kept = bool(counts.table.header.by)
    return counts.table, {"cpdag": cpdag} | knowledge_record(None if is_kept else counts.knowledge)


def networks_of(sources: Sequence[Any], partial: bool, reporter: LineReporter) -> Iterator["NetworkRecord"]:
    """All networks of all sources; with `partial`, only the complete ones of a source that ends early."""
    from formats import open_networks
    from formats.errors import Truncated
    from formats.records import NetworkRecord

    n_networks = 0
    for given in sources:
        source = getattr(given, "record", given)
        try:
            is_one = isinstance(source, NetworkRecord)
            for network in [source] if is_one else open_networks(as_file(given, "network"), reporter.warn):
                yield network
                n_networks += 1
                reporter.progress(n_networks, None, "networks")
        except Truncated as error:
            if not partial:
                raise
            reporter.warn(f"{error.source}: {error.message}")
