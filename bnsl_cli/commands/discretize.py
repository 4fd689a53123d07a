"""``bnsl discretize``: numeric columns to intervals."""

from __future__ import annotations

import click

from ..data_options import DataOptions, data_options
from ..options import check_sources, format_option, input_argument, message_options, output_option
from ..output_formats import TABLE_FORMATS, output_format
from ..parameter_types import INPUT_PATH
from ..reporter import Reporter
from ..stage_command import option, stage_command


@stage_command
@input_argument("data", "DATA")
@data_options
@option(
    "--like",
    type=INPUT_PATH,
    metavar="TABLE",
    section="Data",
    help="Use the columns, states and intervals of this table, discretized before.",
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
    quantile:K with about equally many rows in each (median is quantile:2), width:K equally wide. Other columns
    stay as they are. Labels look like '<=1.5', '1.5..2.5', '>2.5'. To treat further data, such as a test set,
    by the same cut points, name the result of the first run with --like.

    The stages do the same themselves with their own --discretize, and 'bnsl evaluate' and 'bnsl fit' cut raw
    data as the network's header says; so this command is for looking at the result, and for other programs.

    \b
    Examples:
      bnsl discretize --discretize quantile:3 wdbc.csv -o wdbc3.csv
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
        raise click.UsageError("give one of --discretize median|quantile:K|width:K and --like TABLE.")
    known = open_dataset(like, warn=reporter.warn).variables if like else None
    dataset = data_options.open(data, reporter, known)
    with open_table_writer(output, dataset.variables, table_format) as writer:
        writer.write(dataset.codes)
    reporter.summary(f"{dataset.n_variables} variables, {dataset.n_rows:,} rows")
