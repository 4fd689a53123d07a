"""``bnsl sample``: rows from a network, given or random."""

import sys
from typing import Annotated, Unpack

from bnsl.files.output_formats import TABLE_FORMATS, output_format
from bnsl.functions.sample import sample
from bnsl.options.option import Option
from bnsl.options.shared import Format, OutputOptions, Target, formats_of
from bnsl.options.values import OUTPUT_FILE

from ..files import write_rows
from ..running.stage_command import Call, stage_command


class SampleOutput(OutputOptions, total=False):
    """Destinations and format of the results."""

    format: Annotated[
        Format,
        formats_of(TABLE_FORMATS, "Format of the rows. By default it is the format of the output's name, or csv."),
    ]
    save_network: Annotated[
        str | None,
        Option(
            "Write also the network with its parameters to this file (BIF).",
            OUTPUT_FILE,
            "FILE",
            names=("--network",),
            section="Output",
        ),
    ]


@stage_command(
    "--rows --do --interventions --random --states --parents --inverted-tree --seed --network --format --output",
    sample,
)
def command(call: Call, **options: Unpack[SampleOutput]) -> None:
    """Draw rows from a given network, or from a random one.

    Reads a network with parameters (BIF or another format of 'bnsl formats'), or draws a random network with
    --random. Writes rows as CSV, Parquet or Arrow.

    \b
    Examples:
      bnsl sample random80.bif --rows 1000 --seed 2 -o test.csv.gz
      bnsl sample --random 50 --parents 0-3 --rows 500 --seed 1 \\
        --network true.bif -o rows.parquet
      bnsl sample --random 21 --inverted-tree 2 --rows 2000 --seed 1 |
        bnsl parentsets | bnsl optimize --tw 2

    See also: bnsl fit, which adds parameters to a network.
    """
    from formats import write_network
    from formats.graphs.structures import network_of

    target = Target(**options)
    table_format = output_format("sample", target.output, target.format)
    network_format = output_format("fit", target.save_network or "-", option="--network")
    drawn = call()
    if target.save_network and drawn.model is not None:
        write_network(target.save_network, network_of(drawn.model), network_format, call.reporter.warn)
    if target.output == "-" and sys.stdout.isatty():
        call.reporter.pause()
    write_rows(target.output, drawn, table_format)
    call.reporter.summary(drawn.closing)
