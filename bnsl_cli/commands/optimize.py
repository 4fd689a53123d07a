"""``bnsl optimize``: candidate parent sets, or data, to a network."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from bnsl.files.output_formats import output_format, picture_format
from bnsl.files.recording import write_stats
from bnsl.functions.optimize import Replicates, optimize
from bnsl.options.option import Option
from bnsl.options.shared import Format, TableOptions, Target, formats_of
from bnsl.options.values import FiguresFile
from bnsl.running.errors import UsageError
from bnsl.running.reporter import LineReporter

from ..running.stage_command import Call, stage_command

if TYPE_CHECKING:
    from formats.records import NetworkRecord


class OptimizeOutput(TableOptions, total=False):
    """Destination and format of the result."""

    format: Annotated[
        Format,
        formats_of(
            ("jsonl", "table"), "Network file (default in a pipe or file) or a table to read.", of_network=True
        ),
    ]
    stats: Annotated[
        str | None,
        Option(
            "Write figures of the run, such as its time, to this file as JSON. A name in .svg, .pdf or .png draws "
            "the score over time instead.",
            FiguresFile(drawn=True),
            section="Output",
        ),
    ]


@stage_command(
    "--data --tw --time --method --score --discretize --require --forbid --start --jobs --output", optimize
)
def command(call: Call, **options: Unpack[OptimizeOutput]) -> None:
    """Choose the best network among candidate parent sets.

    Reads parent sets (of 'bnsl parentsets', or a jkl or pss file), or a table given by --data. Writes the acyclic
    network with the best score found, and an upper bound on the score of any network. The score of a network is
    the sum of its local scores in nats; higher is better.

    \b
    Examples:
      bnsl optimize --data random80.csv.gz --tw 3 --time 1s -o bounded.net.jsonl
      bnsl parentsets random80.csv.gz | bnsl optimize --time 1s -o net.jsonl
      bnsl optimize --data wdbc.csv --discretize median --hc --tabu 10 \\
        --forbid mean_area,diagnosis -o hc.net.jsonl

    See also: bnsl parentsets, bnsl evaluate, bnsl average, bnsl help methods, bnsl help gaps.
    """
    from bnsl.facts import network_facts
    from bnsl.plots import write_plots
    from formats.streams import is_written_in_place

    from ..files import deliver_network

    target = Target(**options)
    is_stream = call.values["bootstrap"] is not None
    if is_stream and target.format in ("table", "csv"):
        raise UsageError(
            f"--bootstrap writes a stream of networks: pipe it into bnsl average --format {target.format}."
        )
    writes = "bootstrap" if is_stream else "optimize"
    target_format = "network" if target.format in ("table", "csv") else output_format(writes, target.output)
    stats_format = picture_format(target.stats or "-")
    if is_stream and stats_format is not None:
        raise UsageError(f"--stats {target.stats} draws one search, and --bootstrap makes several.")
    if not (is_stream or target.is_sheet or target.output == "-" or is_written_in_place(target.output)):
        call.reporter.keep_best(partial(write_early, target.output, target_format, call.reporter))
    found = call()
    if isinstance(found, Replicates):
        write_stats(target.stats, {"replicates": write_stream(target.output, found, call.reporter)})
        return
    call.reporter.pause()
    if deliver_network(target, found.record, target_format):
        call.reporter.summary(network_facts(found.record))
    if stats_format is not None:
        write_plots(target.stats, stats_format, [[found.trace.to_arrow()]])
    else:
        write_stats(target.stats, found.figures)


def write_early(target: str, file_format: str, reporter: LineReporter, network: "NetworkRecord") -> None:
    """Write the best network so far; a file that cannot be written now does not end the search."""
    from formats import write_network

    try:
        write_network(target, network, file_format)
    except OSError as error:
        reporter.warn(f"the best network so far was not written to {target}: {error.strerror}")
    else:
        reporter.detail(f"the best network so far is in {target}")


def write_stream(target: str, replicates: Replicates, reporter: LineReporter) -> list[dict[str, Any]]:
    """Write the networks of replicates, each as soon as it is found; returns the figures of each."""
    from formats.json_lines.network_lines import network_text
    from formats.streams import open_output

    figures: list[dict[str, Any]] = []
    with open_output(target) as stream:
        for network in replicates.found:
            stream.write(network_text(network.record).encode())
            stream.flush()
            figures.append(network.figures)
    reporter.pause()
    early = f" of {replicates.requested:,}, interrupted" if len(figures) < replicates.requested else ""
    reporter.summary(f"networks of {len(figures):,} replicates{early}; bnsl average joins them")
    return figures
