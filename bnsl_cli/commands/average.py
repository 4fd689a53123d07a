"""``bnsl average``: many networks, or arc probabilities, to one consensus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from stages.optimize import OptimizeOptions

from ..files.output_formats import output_format
from ..files.recording import record_command
from ..options import shared
from ..options.parameter_types import INPUT_PATH, OUTPUT_FILE, Count, Finite
from ..running.interrupts import graceful_stop
from ..running.option_records import option_field, packed
from ..running.reporter import Reporter
from ..running.stage_command import given_parameters, option, stage_command

if TYPE_CHECKING:
    from formats.graph_records import ArcProbabilities
    from formats.records import Network


@dataclass(frozen=True)
class ConsensusOptions:
    """How networks are counted and joined."""

    partial: bool = option_field(
        "Accept a stream that ended early; its complete networks count.", is_flag=True, section="Input"
    )
    cpdag: bool = option_field(
        "Count edges of essential graphs, an undirected one half in each direction, or arcs as they stand, also "
        "where nothing decides their direction.",
        names=("--cpdag/--dag",),
        default=True,
    )
    threshold: float | None = option_field(
        "Join only pairs of strength above P, in either direction. [default: the significance threshold]",
        Finite(0, 1, max_open=True),
        "P",
    )
    treewidth: int | None = option_field(
        "Bound the treewidth of the network's moral graph by K.", Count(min=1), "K", names=("--tw", "--treewidth")
    )


@stage_command("--strengths --threshold --cpdag --tw --time --seed --jobs --format --output")
@click.argument("files", nargs=-1, type=INPUT_PATH, metavar="[NETWORKS]...")
@packed("given", ConsensusOptions, section="Consensus")
@shared.budget_options(
    "Time limit of the search for each group of variables: 30s, 10m, 2h.", "Orders searched for each group at most."
)
@shared.seed_option
@shared.jobs_option
@shared.output_options(("jsonl", "table"), "Network file (default in a pipe or file) or a table to read.")
@option(
    "--strengths",
    type=OUTPUT_FILE,
    metavar="FILE",
    section="Output",
    help="Write arc strengths to this file (Arrow, or .feather, .parquet, .csv).",
)
@shared.message_options
def command(
    files: tuple[str, ...],
    given: ConsensusOptions,
    limits: shared.BudgetOptions,
    seed: int | None,
    jobs: int,
    target: shared.OutputOptions,
    strengths: str | None,
    reporter: Reporter,
) -> int:
    """Average networks: arc strengths and a consensus network.

    Reads networks over the same variables (files, or a stream of 'bnsl optimize --bootstrap'), or a table of
    arc probabilities, and writes the consensus network. The strength of an arc is the share of networks in
    whose essential graph it is; one that no data can direct counts half in each direction. What the networks
    record about arcs (tiers; required, forbidden, allowed arcs) holds for the consensus, too.

    \b
    Examples:
      bnsl optimize --data wdbc.csv --discretize median --hc -o 1.net.jsonl
      bnsl optimize --data wdbc.csv --discretize median --fastchc -o 2.net.jsonl
      cat 1.net.jsonl 2.net.jsonl | bnsl average --strengths s.csv --format table

    See also: bnsl optimize, bnsl posterior, bnsl convert (--cpdag: the essential graph of the consensus).
    """
    from formats import write_arc_probabilities
    from stages.average.consensus import consensus_network
    from stages.average.strengths import pair_strengths, significance_threshold

    from ..tables.networks import consensus_facts, deliver_network

    target_format = "network" if target.format_name == "table" else output_format("average", target.output)
    strengths_format = output_format("strengths", strengths or "-", option="--strengths")
    sources = files or (shared.require_input(None, "NETWORKS"),)
    shared.check_sources(*sources)
    table, recorded = read_strengths(sources, given.cpdag, given.partial, reporter)
    if table.header.extra.get("networks") == 1:
        reporter.warn("one network only: there is nothing to average")
    counted = replace(table, header=record_command(table.header, "average", recorded))
    if strengths is not None:
        write_arc_probabilities(strengths, counted, strengths_format)
    recorded |= {"threshold": given.threshold, "treewidth": given.treewidth}
    threshold = given.threshold
    if threshold is None:
        threshold = significance_threshold(pair_strengths(table).values())
    options = OptimizeOptions(treewidth=given.treewidth, seed=shared.resolve_seed(seed, reporter), jobs=jobs)
    with graceful_stop() as stop:
        budget = limits.budget(stop)
        reporter.follow(budget)
        network = consensus_network(counted, threshold, options, budget, reporter)
        recorded |= asdict(limits) | {"seed": options.seed}
        header = record_command(replace(network.header, by=table.header.by), "average", recorded)
        network = replace(network, header=header)
        reporter.pause()
        if deliver_network(target, network, target_format):
            reporter.summary(consensus_facts(network))
    return stop.exit_code


def read_strengths(
    sources: tuple[str, ...], cpdag: bool, partial: bool, reporter: Reporter
) -> tuple[ArcProbabilities, dict[str, Any]]:
    """Strengths of arcs, read from a table of arc probabilities or counted in networks; and what is recorded of that.

    Knowledge that all networks have in common is recorded; a warning says so if it differs.

    Raises `click.UsageError`: a table of arc probabilities is given with other files or with ``--cpdag`` or
    ``--dag``.
    """
    from formats import arc_probabilities_or_lines
    from formats.graph_records import ArcProbabilities
    from stages.average.strengths import count_arcs
    from stages.recorded_knowledge import knowledge_record

    first = arc_probabilities_or_lines(sources[0])
    if isinstance(first, ArcProbabilities):
        counting = [p for p in given_parameters(click.get_current_context()) if p.name == "cpdag"]
        if len(sources) > 1 or counting:
            raise click.UsageError("a table of arc probabilities goes alone, without --cpdag or --dag.")
        return first, {}
    counts = count_arcs(networks_of([first, *sources[1:]], partial, reporter), cpdag)
    if counts.knowledge is None:
        reporter.warn(
            "the networks were learnt under different knowledge about arcs (--require, --forbid, --allow, --tiers): "
            "the consensus need not agree with any of it"
        )
    # Entries that all networks share record their knowledge already.
    is_kept = bool(counts.table.header.by)
    return counts.table, {"cpdag": cpdag} | knowledge_record(None if is_kept else counts.knowledge)


def networks_of(sources: list, partial: bool, reporter: Reporter) -> Iterator[Network]:
    """All networks of all sources; with `partial`, the complete ones of a source that ends early."""
    from formats import open_networks
    from formats.errors import Truncated

    n_networks = 0
    for source in sources:
        try:
            for network in open_networks(source):
                yield network
                n_networks += 1
                reporter.progress(n_networks, None, "networks")
        except Truncated as error:
            if not partial:
                raise
            reporter.warn(f"{error.source}: {error.message}")
