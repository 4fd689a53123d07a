"""``bnsl discretize``: numeric columns to intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from formats.wording import plural

from ..data_options import DataOptions, KnownVariables, data_options
from ..options import check_sources, format_option, input_argument, message_options, output_option
from ..output_formats import TABLE_FORMATS, output_format
from ..parameter_types import INPUT_PATH
from ..reporter import Reporter
from ..stage_command import option, stage_command

if TYPE_CHECKING:
    from formats.data_records import Variable


@stage_command
@input_argument("data", "DATA")
@data_options
@option(
    "--like",
    type=INPUT_PATH,
    metavar="FILE",
    section="Data",
    help="Use the columns, states and intervals of this file: a table discretized before, a network, parent sets.",
)
@output_option
@format_option(TABLE_FORMATS, "Format of the result; told by the output's name if not given, else csv.")
@message_options
def command(
    data: str,
    data_options: DataOptions,
    like: str | None,
    output: str,
    format_name: str | None,
    reporter: Reporter,
) -> None:
    """Cut numeric columns into intervals.

    Reads a table and writes it with every numeric column of many values cut into intervals: --discretize
    quantile:K with about equally many rows in each (median is quantile:2), width:K equally wide. hartemink:K cuts
    into 20 intervals by quantiles (hartemink:K,FIRST into FIRST) and joins neighbours until K are left, each time
    those whose union loses least of the mutual information with all other columns (Hartemink 2001). Other columns
    stay as they are. Labels look like '<=1.5', '1.5..2.5', '>2.5'. To treat further data, such as a test set,
    by the same cut points, name the result of the first run, or a network or parent sets made from it, with --like;
    columns that are missing there are told.

    The stages do the same themselves with their own --discretize, and 'bnsl evaluate' and 'bnsl fit' cut raw
    data as the network's header says; so this command is for looking at the result, and for other programs.

    \b
    Examples:
      bnsl discretize --discretize quantile:3 wdbc.csv -o wdbc3.csv
      bnsl discretize --discretize hartemink:3 wdbc.csv -o wdbc.hartemink.csv
      head -101 wdbc.csv | bnsl discretize --like wdbc3.csv | head -3
      bnsl discretize --discretize width:5 wdbc.csv -o wdbc5.parquet

    \b
    Exit status: 0 done, 1 cannot write, 2 wrong usage, 65 bad data.
    See also: bnsl parentsets.
    """
    from formats import open_dataset, open_table_writer

    check_sources(data, like)
    table_format = output_format("discretize", output, format_name)
    if (like is None) == (not data_options.discretize):
        raise click.UsageError(
            "give one of --discretize median|quantile:K|width:K|hartemink:K and --like FILE."
        )
    known = None
    if like == "-":
        known = KnownVariables(open_dataset(like, warn=reporter.warn).variables, like)
    elif like:
        known = KnownVariables(variables_of(like, reporter), like)
    dataset = data_options.open(data, reporter, known)
    with open_table_writer(output, dataset.variables, table_format) as writer:
        writer.write(dataset.codes)
    reporter.summary(f"{plural(dataset.n_variables, 'variable')}, {plural(dataset.n_rows, 'row')}")


def variables_of(source: str, reporter: Reporter) -> tuple[Variable, ...]:
    """Names and states of what a table, a network or parent sets are about."""
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
