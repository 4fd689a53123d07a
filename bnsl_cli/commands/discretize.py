"""``bnsl discretize``: numeric columns to intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from formats.wording import plural

from bnsl.files.output_formats import TABLE_FORMATS, output_format
from bnsl.options.data import DataOptions, KnownVariables, data_options
from ..options.parameter_types import INPUT_PATH
from bnsl.options.shared import OutputOptions, check_sources, input_argument, message_options, output_options
from bnsl.running.reporter import Reporter
from ..running.stage_command import option, stage_command

if TYPE_CHECKING:
    from formats.data_records import Variable


@stage_command("--discretize --like --categories --columns --drop --missing --format --output")
@input_argument("data", "DATA")
@data_options
@option(
    "--like",
    type=INPUT_PATH,
    metavar="FILE",
    section="Data",
    help="Use the columns, states and intervals of this file: an earlier result, a network or parent sets.",
)
@output_options(TABLE_FORMATS, "Format of the result; by default that of the output's name, else csv.")
@message_options
def command(
    data: str, data_options: DataOptions, like: str | None, target: OutputOptions, reporter: Reporter
) -> None:
    """Cut numeric columns into intervals.

    Reads a table and writes it with every numeric column of many values cut into intervals; --like applies the
    cut points of an earlier result to further data.

    \b
    Examples:
      bnsl discretize --discretize quantile:3 wdbc.csv -o wdbc3.csv
      head -101 wdbc.csv | bnsl discretize --like wdbc3.csv | head -3
      bnsl discretize --discretize width:5 wdbc.csv -o wdbc5.parquet

    See also: bnsl parentsets, bnsl help data.
    """
    from formats import open_dataset, open_table_writer

    check_sources(data, like)
    table_format = output_format("discretize", target.output, target.format_name)
    if (like is None) == (not data_options.discretize):
        raise click.UsageError("give one of --discretize median|quantile:K|width:K|hartemink:K and --like FILE.")
    known = None
    if like == "-":
        known = KnownVariables(open_dataset(like, warn=reporter.warn).variables, like)
    elif like:
        known = KnownVariables(variables_of(like, reporter), like)
    dataset = data_options.open(data, reporter, known)
    with open_table_writer(target.output, dataset.variables, table_format) as writer:
        writer.write(dataset.plain_codes)
    reporter.summary(f"{plural(dataset.n_variables, 'variable')}, {plural(dataset.n_rows, 'row')}")


def variables_of(source: str, reporter: Reporter) -> tuple[Variable, ...]:
    """Names and states of the variables of a table, a network or parent sets."""
    from formats import open_dataset, open_network, open_parent_set_stream
    from formats.detection import detect_lines
    from formats.errors import UnsuitableData
    from formats.kinds import STRUCTURES, Kind
    from formats.textlines import Lines

    lines = Lines(source)
    kind = detect_lines(lines).kind
    if kind in STRUCTURES:
        variables = open_network(lines).header.variables
    elif kind in (Kind.PARENT_SETS, Kind.FOREST):
        variables = open_parent_set_stream(lines)[0].variables
    else:
        return open_dataset(source, warn=reporter.warn).variables
    unknown = [variable.name for variable in variables if variable.states is None]
    if unknown:
        raise UnsuitableData(
            f"no states of {len(unknown)} of {len(variables)} variables are known here",
            source=source,
            column=unknown[0],
            remedy="give --like a table, or a network that was learnt from data",
        )
    return variables
