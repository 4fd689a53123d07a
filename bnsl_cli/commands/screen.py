"""``bnsl screen``: data or entropies to a screening forest."""

from __future__ import annotations

from dataclasses import replace

import click

from formats.wording import plural

from ..data_options import DataOptions, data_options_with
from ..inputs import read_entropies
from ..options import (
    format_option,
    input_argument,
    jobs_option,
    json_option,
    message_options,
    output_option,
    shows_table,
)
from ..output_formats import output_format
from ..parameter_types import Finite
from ..recording import record_command, write_json_lines
from ..reporter import Reporter
from ..stage_command import option, stage_command


@stage_command
@input_argument("source", "DATA|ENTROPIES")
@data_options_with("pairs")
@option(
    "--eps",
    type=Finite(min=0),
    metavar="E",
    section="Threshold",
    help="Screen X under Y if H(X|Y) is at most E nats.",
)
@option(
    "--roots",
    type=Finite(0, 1),
    metavar="SHARE",
    section="Threshold",
    help="Instead of --eps: the smallest threshold that leaves at most this share of the variables as roots.",
)
@option(
    "--relative",
    is_flag=True,
    section="Threshold",
    help="Compare H(X|Y)/H(X), a number from 0 to 1, instead of H(X|Y).",
)
@option(
    "--curve",
    is_flag=True,
    section="Threshold",
    help="Instead of a forest: the number of roots as a function of the threshold.",
)
@jobs_option
@output_option
@format_option(("jsonl", "table"), "JSON lines (default in a pipe or file) or a table to read.")
@json_option
@message_options
def command(
    source: str,
    data_options: DataOptions,
    eps: float | None,
    roots: float | None,
    relative: bool,
    curve: bool,
    jobs: int,
    output: str,
    format_name: str | None,
    as_json: bool,
    reporter: Reporter,
) -> None:
    """Find variables that another one nearly determines.

    Reads a table, or the result of 'bnsl entropy', and writes a forest: a variable X whose conditional entropy
    H(X|Y) is small gets the single parent Y, the one with the fewest states if there are several. What remains
    are the roots. With 'bnsl parentsets --screen' only the roots are searched, which is much faster and loses
    little where the data are nearly deterministic (qds-BNSL; Rahier, Marié, Girard and Forbes 2018).

    \b
    Examples:
      bnsl screen --roots 0.5 --discretize median wdbc.csv
      bnsl screen --curve --discretize median wdbc.csv
      bnsl entropy random80.csv.gz | bnsl screen --eps 0.4 -o random80.forest.jsonl
      bnsl screen --roots 0.5 --discretize median wdbc.csv |
        bnsl parentsets --screen - --discretize median wdbc.csv |
        bnsl optimize --asobs --time 1s

    \b
    Exit status: 0 done, 1 cannot write or no threshold leaves so few roots, 2 wrong usage, 65 bad data.
    See also: bnsl entropy, bnsl parentsets.
    """
    from formats import write_forest
    from stages.screen import root_curve, screen_forest

    from .. import tables

    if format_name != "table":
        output_format("screen", output)
    if curve + (eps is not None) + (roots is not None) != 1:
        raise click.UsageError("give one of --eps E, --roots SHARE and --curve.")
    entropies = read_entropies(source, data_options, jobs, reporter)
    readable = shows_table(output, format_name, as_json)
    if curve:
        points = list(zip(*(values.tolist() for values in root_curve(entropies, relative)), strict=True))
        if readable:
            tables.show_root_curve(output, points, len(entropies.variables))
        else:
            write_json_lines(output, ({"eps": threshold, "roots": count} for threshold, count in points))
        return
    forest = screen_forest(entropies, eps=eps, roots=roots, relative=relative)
    header = record_command(forest.header, "screen", {"eps": eps, "roots": roots, "relative": relative})
    forest = replace(forest, header=header)
    if readable:
        tables.show_forest(output, forest, tables.rows_shown(output, format_name))
    else:
        write_forest(output, forest)
    n_screened = len(forest.parents)
    n_roots = len(forest.header.variables) - n_screened
    reporter.summary(
        f"{plural(n_screened, 'variable')} screened at eps {header.extra['eps']:.4g}, {plural(n_roots, 'root')}"
    )
