"""``bnsl entropy``: data to entropies and conditional entropies."""

from __future__ import annotations

from formats.wording import plural

from ..files.output_formats import output_format
from ..options.data import DataOptions, data_options_with
from ..options.shared import OutputOptions, input_argument, jobs_option, message_options, output_options
from ..running.reporter import Reporter
from ..running.stage_command import stage_command


@stage_command("--discretize --missing --columns --drop --jobs --format --output")
@input_argument("data", "DATA")
@data_options_with("pairs", is_alone=True)
@output_options(
    ("arrow", "feather", "parquet", "csv", "table"),
    "Arrow IPC stream (default in a pipe), Arrow file, Parquet, a matrix as CSV, or a table to read; by default "
    "that of the output's name.",
)
@jobs_option
@message_options
def command(data: str, data_options: DataOptions, target: OutputOptions, jobs: int, reporter: Reporter) -> None:
    """Compute entropies of variables and conditional entropies of pairs.

    Reads a table and writes an Arrow stream with one row per variable: its name, number of states, entropy, and
    conditional entropies given every other variable, in nats. A terminal gets an excerpt.

    \b
    Examples:
      bnsl entropy random80.csv.gz -o random80.entropy.arrow
      bnsl entropy --discretize quantile:4 --format table wdbc.csv
      bnsl entropy --discretize median wdbc.csv | bnsl screen --roots 0.5

    See also: bnsl screen (reads the result), bnsl help data.
    """
    from formats import write_entropies
    from stages.screening.entropies import compute_entropies

    asked = None if target.format_name == "arrow" else target.format_name
    target_format = None if target.is_table else output_format("entropy", target.output, asked)
    dataset = data_options.open_rows(data, reporter)
    table = compute_entropies(dataset, jobs, reporter)
    reporter.pause()
    if target_format is None:
        from ..tables.stage_results import show_entropies

        show_entropies(target.output, table, target.rows_shown)
    else:
        write_entropies(target.output, table, target_format)
    reporter.summary(f"{plural(len(table.variables), 'variable')}, {plural(table.rows, 'row')}")
