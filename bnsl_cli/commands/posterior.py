"""``bnsl posterior``: candidate parent sets to probabilities of arcs."""

from collections.abc import Sequence
from typing import Annotated, Any, Unpack

from bnsl.files.output_formats import output_format
from bnsl.files.recording import write_stats
from bnsl.functions.posterior import posterior
from bnsl.options.option import Option
from bnsl.options.shared import Format, OutputOptions, StatsOptions, Target, formats_of
from bnsl.options.values import OUTPUT_FILE
from bnsl.running.errors import UsageError

from ..running.stage_command import Call, stage_command


class PosteriorOutput(OutputOptions, StatsOptions, total=False):
    """Destinations and format of the results."""

    format: Annotated[
        Format,
        formats_of(
            ("arrow", "feather", "parquet", "csv", "table"),
            "Arrow IPC stream (default in a pipe), Arrow file, Parquet, CSV or a table to read. A file has the "
            "format of its name by default; .svg, .pdf or .png is a heat map.",
        ),
    ]
    answers: Annotated[
        str | None,
        Option(
            "Write the probabilities of the patterns, with their standard errors, to this file as CSV.",
            OUTPUT_FILE,
            "FILE",
            section="Output",
        ),
    ]


@stage_command(
    "--method --prior --features --samples --time --require --forbid --seed --jobs --format --output", posterior
)
def command(call: Call, **options: Unpack[PosteriorOutput]) -> None:
    """Compute probabilities of arcs, given candidate parent sets.

    Reads parent sets with scores and writes the posterior probability of the arc for each pair of variables. It is
    exact for few variables, and estimated from Markov chains for more. Only networks of listed sets count, so make
    the lists with --keep-mass.

    \b
    Examples:
      bnsl parentsets --keep-mass 1e-3 random80.csv.gz -o kept.sets.jsonl
      bnsl posterior kept.sets.jsonl --samples 400 --seed 1 -o arcs.csv
      bnsl parentsets --columns 'mean*' --discretize median --keep-mass 1e-3 \\
        wdbc.csv | bnsl posterior --prior orders --format table

    See also: bnsl parentsets, bnsl average, bnsl help limits.
    """
    from bnsl.plots import PICTURES, write_plots
    from formats import write_arc_probabilities

    from ..tables.stage_results import show_arc_probabilities

    target = Target(**options)
    target_format = None if target.is_table else output_format("posterior", target.output, target.format)
    if (call.values["patterns"] is None) != (target.answers is None):
        raise UsageError("--patterns and --answers need each other.")
    output_format("answers", target.answers or "-", option="--answers")
    found = call()
    call.reporter.pause()
    if target_format is None:
        show_arc_probabilities(target.output, found.record, target.rows_shown)
    elif target_format in PICTURES:
        write_plots(target.output, target_format, [found.plotted])
    else:
        write_arc_probabilities(target.output, found.record, target_format)
    if target.answers is not None:
        write_patterns(target.answers, found.patterns)
    write_stats(target.stats, found.figures)


def write_patterns(target: str, patterns: Sequence[dict[str, Any]]) -> None:
    """Write the probabilities of patterns as CSV."""
    from formats.tables.results.result_tables import FIGURE, TEXT, open_result_writer

    columns = {"pattern": TEXT, "probability": FIGURE, "standard_error": FIGURE}
    with open_result_writer(target, columns, "csv") as write:
        write([[pattern[name] for pattern in patterns] for name in columns])
