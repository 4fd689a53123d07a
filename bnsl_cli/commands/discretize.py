"""``bnsl discretize``: numeric columns to intervals."""

from typing import Annotated, Unpack

from bnsl.files.output_formats import TABLE_FORMATS, output_format
from bnsl.functions.discretize import discretize
from bnsl.options.shared import Format, OutputOptions, Target, formats_of

from ..files import write_rows
from ..running.stage_command import Call, stage_command


class DiscretizeOutput(OutputOptions, total=False):
    """Destination and format of the result."""

    format: Annotated[
        Format,
        formats_of(TABLE_FORMATS, "Format of the result. By default it is the format of the output's name, or csv."),
    ]


@stage_command("--discretize --like --categories --columns --drop --missing --format --output", discretize)
def command(call: Call, **options: Unpack[DiscretizeOutput]) -> None:
    """Cut numeric columns into intervals.

    Reads a table, cuts every numeric column that has many values into intervals, and writes the table. --like
    applies the cut points of an earlier result to further data.

    \b
    Examples:
      bnsl discretize --discretize quantile:3 wdbc.csv -o wdbc3.csv
      head -101 wdbc.csv | bnsl discretize --like wdbc3.csv | head -3
      bnsl discretize --discretize width:5 wdbc.csv -o wdbc5.parquet

    See also: bnsl parentsets, bnsl help data.
    """
    target = Target(**options)
    table_format = output_format("discretize", target.output, target.format)
    rows = call()
    write_rows(target.output, rows, table_format)
    call.reporter.summary(rows.closing)
