"""``bnsl entropy``: data to entropies and conditional entropies."""

from typing import Annotated, Unpack

from bnsl.files.output_formats import output_format
from bnsl.functions.entropy import entropy
from bnsl.options.shared import Format, OutputOptions, Target, formats_of
from formats.wording import plural

from ..running.stage_command import Call, stage_command


class EntropyOutput(OutputOptions, total=False):
    """Destination and format of the result."""

    format: Annotated[
        Format,
        formats_of(
            ("arrow", "feather", "parquet", "csv", "table"),
            "Arrow IPC stream (default in a pipe), Arrow file, Parquet, a matrix as CSV, or a table to read. A file "
            "has the format of its name by default.",
        ),
    ]


@stage_command("--discretize --missing --columns --drop --jobs --format --output", entropy)
def command(call: Call, **options: Unpack[EntropyOutput]) -> None:
    """Compute entropies of variables and conditional entropies of pairs.

    Reads a table and writes an Arrow stream with one row per variable: its name, its number of states, its
    entropy, and its conditional entropies given every other variable, in nats. A terminal shows an excerpt.

    \b
    Examples:
      bnsl entropy random80.csv.gz -o random80.entropy.arrow
      bnsl entropy --discretize quantile:4 --format table wdbc.csv
      bnsl entropy --discretize median wdbc.csv | bnsl screen --roots 0.5

    See also: bnsl screen (reads the result), bnsl help data.
    """
    from formats import write_entropies

    target = Target(**options)
    target_format = None if target.is_table else output_format("entropy", target.output, target.format)
    table = call().record
    call.reporter.pause()
    if target_format is None:
        from ..tables.stage_results import show_entropies

        show_entropies(target.output, table, target.rows_shown)
    else:
        write_entropies(target.output, table, target_format)
    call.reporter.summary(f"{plural(len(table.variables), 'variable')}, {plural(table.rows, 'row')}")
