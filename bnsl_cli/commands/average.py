"""``bnsl average``: many networks, or arc probabilities, to one consensus."""

from typing import Annotated, Unpack

from bnsl.files.output_formats import output_format
from bnsl.functions.average import average
from bnsl.options.option import Option
from bnsl.options.shared import Format, OutputOptions, Target, formats_of
from bnsl.options.values import OUTPUT_FILE

from ..running.stage_command import Call, stage_command


class AverageOutput(OutputOptions, total=False):
    """Destination and format of the result."""

    format: Annotated[
        Format,
        formats_of(
            ("jsonl", "table"), "Network file (default in a pipe or file) or a table to read.", of_network=True
        ),
    ]
    strengths: Annotated[
        str | None,
        Option(
            "Write arc strengths to this file: an Arrow stream, or by its name .feather, .parquet or .csv. "
            ".svg, .pdf or .png draws their distribution and the threshold.",
            OUTPUT_FILE,
            "FILE",
            section="Output",
        ),
    ]


@stage_command("--strengths --threshold --cpdag --tw --time --seed --jobs --format --output", average)
def command(call: Call, **options: Unpack[AverageOutput]) -> None:
    """Average networks: compute arc strengths and a consensus network.

    Reads networks over the same variables (files, or a stream of 'bnsl optimize --bootstrap'), or a table of
    arc probabilities, and writes the consensus network. The strength of an arc is the share of networks whose
    essential graph has it; an edge that no data can direct counts half in each direction. Knowledge about arcs
    that the networks record (tiers; required, forbidden and allowed arcs) holds for the consensus, too.

    \b
    Examples:
      bnsl optimize --data wdbc.csv --discretize median --hc -o 1.net.jsonl
      bnsl optimize --data wdbc.csv --discretize median --fastchc -o 2.net.jsonl
      cat 1.net.jsonl 2.net.jsonl | bnsl average --strengths s.csv --format table

    See also: bnsl optimize, bnsl posterior, bnsl convert (--cpdag writes the essential graph of the consensus).
    """
    from bnsl.facts import consensus_facts
    from bnsl.plots import PICTURES, write_plots
    from formats import write_arc_probabilities

    from ..files import deliver_network

    target = Target(**options)
    target_format = "network" if target.format in ("table", "csv") else output_format("average", target.output)
    strengths_format = output_format("strengths", target.strengths or "-", option="--strengths")
    found = call()
    if strengths_format in PICTURES:
        write_plots(target.strengths, strengths_format, [found.strengths.plotted])
    elif target.strengths is not None:
        write_arc_probabilities(target.strengths, found.strengths.record, strengths_format)
    call.reporter.pause()
    if deliver_network(target, found.record, target_format):
        call.reporter.summary(consensus_facts(found.record))
