"""``bnsl discretize``: numeric columns to intervals."""

from __future__ import annotations

from bnsl.files.output_formats import TABLE_FORMATS, output_format
from bnsl.functions.discretize import discretize
from bnsl.options.shared import OutputOptions, output_options
from formats.wording import plural

from ..running.option_records import packed
from ..running.stage_command import Call, stage_command

FORMATS = output_options(TABLE_FORMATS, "Format of the result; by default that of the output's name, else csv.")


@stage_command("--discretize --like --categories --columns --drop --missing --format --output", discretize)
@packed("target", FORMATS)
def command(call: Call, target: OutputOptions) -> None:
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
    from formats import open_table_writer

    table_format = output_format("discretize", target.output, target.format_name)
    dataset = call()
    with open_table_writer(target.output, dataset.variables, table_format) as writer:
        writer.write(dataset.plain_codes)
    call.reporter.summary(f"{plural(dataset.n_variables, 'variable')}, {plural(dataset.n_rows, 'row')}")
