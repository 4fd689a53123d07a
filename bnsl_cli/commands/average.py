"""``bnsl average``: many networks, or arc probabilities, to one consensus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from stages.optimize import OptimizeOptions

from ..interrupts import graceful_stop
from ..options import (
    BudgetOptions,
    budget_options,
    check_sources,
    drawn_seed_option,
    format_option,
    jobs_option,
    message_options,
    output_option,
    require_input,
    resolve_seed,
    shows_table,
)
from ..output_formats import output_format
from ..parameter_types import INPUT_PATH, OUTPUT_FILE, Count
from ..recording import record_command
from ..reporter import Reporter
from ..stage_command import option, stage_command

if TYPE_CHECKING:
    from formats.graph_records import ArcProbabilities
    from formats.records import Network


@stage_command
@click.argument("files", nargs=-1, type=INPUT_PATH, metavar="[NETWORKS]...")
@option(
    "--partial",
    is_flag=True,
    section="Input",
    help="Accept a stream that ended early: its whole networks count.",
)
@option(
    "--cpdag",
    is_flag=True,
    section="Consensus",
    help="Count the edges of the essential graphs; an undirected one counts half for either direction.",
)
@option(
    "--threshold",
    type=click.FloatRange(0, 1, max_open=True),
    metavar="P",
    section="Consensus",
    help="Join only pairs whose strength, in either direction, is above P. [default: the significance threshold]",
)
@option(
    "--tw",
    "--treewidth",
    "treewidth",
    type=Count(min=1),
    metavar="K",
    section="Consensus",
    help="Bound the treewidth of the network's moral graph by K.",
)
@budget_options(
    "Search so long for each group of variables: 30s, 10m, 2h.", "Search this many orders for each."
)
@drawn_seed_option
@jobs_option
@output_option
@format_option(("jsonl", "table"), "Network file (default in a pipe or file) or a table to read.")
@option(
    "--strengths",
    type=OUTPUT_FILE,
    metavar="FILE",
    section="Output",
    help="Write arc strengths to this file: a table of arc probabilities (Arrow), or .feather, .parquet, .csv.",
)
@message_options
def command(
    files: tuple[str, ...],
    partial: bool,
    cpdag: bool,
    threshold: float | None,
    treewidth: int | None,
    limits: BudgetOptions,
    seed: int | None,
    jobs: int,
    output: str,
    format_name: str | None,
    strengths: str | None,
    reporter: Reporter,
) -> int:
    """Make one network of many: arc strengths and their consensus.

    Reads networks over the same variables, from files in any format of 'bnsl formats' or streams of network files
    one behind the other; or one table of arc probabilities. The strength of an arc is the share of networks that
    have it, that of a pair the share that join it in either direction.

    A pair is significant if its strength is above a threshold: by default that of Scutari and Nagarajan (2013), from
    which the distribution of strengths differs least from one with sure pairs only. It is the largest strength up
    to one half, so that the pairs are those joined by more than half of the networks. The consensus is the acyclic
    network of significant pairs with the largest sum of arc strengths, each less half the threshold: arcs that
    close a cycle are turned or left out where that costs least. It is found exactly where at most 22 variables
    depend on each other for that, and by search beyond ("agreement" and "agreement_bound" in the header).

    \b
    Examples:
      bnsl optimize --data wdbc.csv --discretize median --hc --restarts 5 --perturb 3 --seed 1 -o 1.net.jsonl
      bnsl optimize --data wdbc.csv --discretize median --fastchc -o 2.net.jsonl
      bnsl average 1.net.jsonl 2.net.jsonl --strengths strengths.csv --format table
      bnsl average 1.net.jsonl 2.net.jsonl --cpdag --threshold 0.4 --seed 1 -o consensus.net.jsonl
      cat 1.net.jsonl 2.net.jsonl | bnsl average --tw 2 --seed 1 --evaluations 100 | bnsl convert --to arcs

    \b
    Exit status: 0 done, 1 there is no network or it cannot be written, 2 wrong usage, 65 bad input, 129, 130 or 143
      interrupted (the best network so far was written).
    See also: bnsl optimize, bnsl convert (--cpdag: the essential graph of the consensus).
    """
    from formats import write_arc_probabilities, write_network
    from stages.average.consensus import consensus_network
    from stages.average.strengths import pair_strengths, significance_threshold

    from .. import network_tables, tables

    target_format = "network" if format_name == "table" else output_format("average", output)
    strengths_format = output_format("strengths", strengths or "-", option="--strengths")
    sources = files or (require_input(None, "NETWORKS"),)
    check_sources(*sources)
    table = read_strengths(sources, cpdag, partial, reporter)
    if table.header.extra.get("networks") == 1:
        reporter.warn("one network only: its arcs have strength 1, the consensus is the network itself")
    recorded = {"cpdag": cpdag or None, "threshold": threshold, "treewidth": treewidth}
    if strengths is not None:
        counted = replace(table, header=record_command(table.header, "average", {"cpdag": cpdag or None}))
        write_arc_probabilities(strengths, counted, strengths_format)
    if threshold is None:
        threshold = significance_threshold(pair_strengths(table).values())
    options = OptimizeOptions(treewidth=treewidth, seed=resolve_seed(seed, reporter), jobs=jobs)
    with graceful_stop() as stop:
        budget = limits.budget(stop)
        reporter.follow(budget)
        network = consensus_network(table, threshold, options, budget, reporter)
        network = replace(
            network,
            header=record_command(
                network.header, "average", recorded | asdict(limits) | {"seed": options.seed}
            ),
        )
        reporter.pause()
        if shows_table(output, format_name):
            network_tables.show_network(output, network, tables.rows_shown(output, format_name))
        else:
            write_network(output, network, target_format)
            reporter.summary(network_tables.consensus_facts(network))
    return stop.exit_code


def read_strengths(
    sources: tuple[str, ...], cpdag: bool, partial: bool, reporter: Reporter
) -> ArcProbabilities:
    """The strengths of arcs: of a table of arc probabilities, or counted in networks.

    Raises
    ------
    click.UsageError
        A table of arc probabilities beside other files, or with ``--cpdag``.
    """
    from formats import arc_probabilities_or_lines
    from formats.graph_records import ArcProbabilities
    from stages.average.strengths import count_arcs

    first = arc_probabilities_or_lines(sources[0])
    if isinstance(first, ArcProbabilities):
        if len(sources) > 1 or cpdag:
            raise click.UsageError("a table of arc probabilities is averaged by itself, without --cpdag.")
        return first
    return count_arcs(networks_of([first, *sources[1:]], partial, reporter), cpdag)


def networks_of(sources: list, partial: bool, reporter: Reporter) -> Iterator[Network]:
    """All networks of all sources; with `partial` the whole ones of those that end early."""
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
