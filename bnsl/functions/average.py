"""`bnsl.average`: many networks, or arc probabilities, to one consensus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from stages.optimize import OptimizeOptions

from ..files.recording import record_command
from ..options import shared
from ..options.declared import argument, option, record
from ..options.values import FLAG, Number, Whole
from ..running.errors import UsageError
from ..running.function import Run, function
from ..running.reporter import Reporter
from ..tables import as_file

if TYPE_CHECKING:
    from formats.graph_records import ArcProbabilities
    from formats.records import Network


@dataclass(frozen=True)
class ConsensusOptions:
    """How networks are counted and joined."""

    partial: bool = option(
        "Accept a stream that ended early; its complete networks count.", kind=FLAG, section="Input"
    )
    cpdag: bool = option(
        "Count edges of essential graphs, an undirected one half in each direction, or arcs as they stand, also "
        "where nothing decides their direction.",
        FLAG,
        names=("--cpdag/--dag",),
        default=True,
    )
    threshold: float | None = option(
        "Join only pairs of strength above P, in either direction. [default: the significance threshold]",
        Number(0, 1, open_most=True),
        "P",
    )
    treewidth: int | None = option(
        "Bound the treewidth of the network's moral graph by K.", Whole(1), "K", names=("--tw", "--treewidth")
    )


class Consensus(NamedTuple):
    """A consensus network, and the strengths of arcs that it was made of."""

    network: Network
    strengths: ArcProbabilities


def _finish(found: Consensus) -> Any:
    from ..networks import network_of
    from ..results import ArcProbabilities

    network = network_of(found.network)
    network.strengths = ArcProbabilities(found.strengths)
    return network


@function(finish=_finish)
def average(
    files: tuple[Any, ...] = argument("NETWORKS", is_several=True),
    given: ConsensusOptions = record(ConsensusOptions, "Consensus"),
    limits: shared.BudgetOptions = shared.budget_options(
        "Time limit of the search for each group of variables: 30s, 10m, 2h.",
        "Orders searched for each group at most.",
    ),
    seed: int | None = shared.seed_option(),
    jobs: int = shared.jobs_option(),
    *,
    run: Run,
) -> Consensus:
    """Average networks: arc strengths and a consensus network.

    Returns
    -------
    Network
        The consensus; its `strengths` are the strengths of all pairs.

    Examples
    --------
    >>> networks = bnsl.optimize(data={"a": [0, 1] * 20, "b": [1, 0] * 20}, bootstrap=3, seed=1, quiet=True)
    >>> bnsl.average(networks, seed=1, quiet=True).arcs
    [('b', 'a')]
    """
    from stages.average.consensus import consensus_network
    from stages.average.strengths import pair_strengths, significance_threshold

    sources = files or (run.source(None, "NETWORKS"),)
    shared.check_sources(*sources)
    table, recorded = read_strengths(sources, given.cpdag, given.partial, run)
    if table.header.extra.get("networks") == 1:
        run.reporter.warn("one network only: there is nothing to average")
    counted = replace(table, header=record_command(table.header, "average", recorded))
    recorded |= {"threshold": given.threshold, "treewidth": given.treewidth}
    threshold = given.threshold
    if threshold is None:
        threshold = significance_threshold(pair_strengths(table).values())
    options = OptimizeOptions(treewidth=given.treewidth, seed=shared.resolve_seed(seed, run.reporter), jobs=jobs)
    budget = limits.budget(run.search())
    run.reporter.follow(budget)
    network = consensus_network(counted, threshold, options, budget, run.reporter)
    recorded |= asdict(limits) | {"seed": options.seed}
    header = record_command(replace(network.header, by=table.header.by), "average", recorded)
    return Consensus(replace(network, header=header), counted)


def read_strengths(
    sources: Sequence[Any], cpdag: bool, partial: bool, run: Run
) -> tuple[ArcProbabilities, dict[str, Any]]:
    """Strengths of arcs, read from a table of arc probabilities or counted in networks; and the facts to record about
    them.

    Knowledge that all networks have in common is recorded; a warning says so if it differs.

    Raises `UsageError`: a table of arc probabilities is given with other files or with ``--cpdag`` or
    ``--dag``.
    """
    from formats import arc_probabilities_or_lines
    from formats.graph_records import ArcProbabilities
    from stages.average.strengths import count_arcs
    from stages.recorded_knowledge import knowledge_record

    reporter = run.reporter
    first = getattr(sources[0], "record", None) or arc_probabilities_or_lines(as_file(sources[0], "network"))
    if isinstance(first, ArcProbabilities):
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


def networks_of(sources: Sequence[Any], partial: bool, reporter: Reporter) -> Iterator[Network]:
    """All networks of all sources; with `partial`, only the complete ones of a source that ends early."""
    from formats import open_networks
    from formats.errors import Truncated
    from formats.records import Network

    n_networks = 0
    for given in sources:
        source = getattr(given, "record", given)
        try:
            is_one = isinstance(source, Network)
            for network in [source] if is_one else open_networks(as_file(source, "network"), reporter.warn):
                yield network
                n_networks += 1
                reporter.progress(n_networks, None, "networks")
        except Truncated as error:
            if not partial:
                raise
            reporter.warn(f"{error.source}: {error.message}")
