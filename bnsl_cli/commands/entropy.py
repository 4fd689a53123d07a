"""``bnsl entropy``: data to entropies and conditional entropies."""

from __future__ import annotations

from formats.wording import plural

from ..data_options import DataOptions, data_options_with
from ..options import format_option, input_argument, jobs_option, message_options, output_option, shows_table
from ..output_formats import output_format
from ..reporter import Reporter
from ..stage_command import stage_command


@stage_command
@input_argument("data", "DATA")
@data_options_with("pairs")
@output_option
@format_option(
    ("arrow", "feather", "parquet", "csv", "table"),
    "Arrow IPC stream (default in a pipe), Arrow file, Parquet, a matrix as CSV, or a table to read; told by the "
    "output's name if not given.",
)
@jobs_option
@message_options
def command(
    data: str, data_options: DataOptions, output: str, format_name: str | None, jobs: int, reporter: Reporter
) -> None:
    """Entropies of all variables and conditional entropies of all pairs.

    Reads a table (CSV, TSV, Parquet or Arrow; gzip and zstd are fine) and writes an Arrow IPC stream with one row per
    variable: its name, number of states, entropy H(X), and the list of H(X|Y) for every other variable Y, all
    in nats. H(X|Y) near 0 means that Y all but determines X. On a terminal a readable excerpt is shown: the
    matrix of a few variables, of many the pairs with most mutual information I(X;Y).

    \b
    Examples:
      bnsl entropy random80.csv.gz -o random80.entropy.arrow
      bnsl entropy --discretize quantile:4 --format table wdbc.csv
      bnsl entropy --discretize median wdbc.csv | bnsl screen --roots 0.5

    \b
    Exit status: 0 done, 1 cannot write, 2 wrong usage, 65 bad data.
    See also: bnsl screen, which reads the result.
    """
    from formats import write_entropies
    from stages.entropy import compute_entropies

    reads = shows_table(output, format_name)
    target = (
        None if reads else output_format("entropy", output, None if format_name == "arrow" else format_name)
    )
    dataset = (data_options.open_incomplete if data_options.keeps_holes else data_options.open)(
        data, reporter
    )
    table = compute_entropies(dataset, jobs, reporter)
    reporter.pause()
    if target is None:
        from .. import tables

        tables.show_entropies(output, table, tables.rows_shown(output, format_name))
    else:
        write_entropies(output, table, target)
    reporter.summary(f"{plural(len(table.variables), 'variable')}, {plural(table.rows, 'row')}")
