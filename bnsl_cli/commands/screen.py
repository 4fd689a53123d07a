"""``bnsl screen``: data or entropies to a screening forest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import click

from formats.wording import plural

from bnsl.files.inputs import read_entropies
from bnsl.files.output_formats import output_format
from bnsl.files.recording import record_command, write_json_lines
from bnsl.options.data import DataOptions, data_options_with
from ..options.parameter_types import Finite
from bnsl.options.shared import OutputOptions, input_argument, jobs_option, message_options, output_options
from ..running.option_records import option_field, packed
from bnsl.running.reporter import Reporter
from ..running.stage_command import stage_command


@dataclass(frozen=True)
class ThresholdOptions:
    """Threshold of the conditional entropy; one of `eps`, `roots` and `curve` is given."""

    eps: float | None = option_field("Give X the parent Y if H(X|Y) is at most E nats.", Finite(min=0), "E")
    roots: float | None = option_field(
        "Use the smallest threshold that leaves at most this share of the variables as roots.", Finite(0, 1), "SHARE"
    )
    relative: bool = option_field("Threshold H(X|Y)/H(X), from 0 to 1, instead of H(X|Y).", is_flag=True)
    curve: bool = option_field(
        "Write the number of roots as a function of the threshold instead of a forest.", is_flag=True
    )


@stage_command("--roots --eps --relative --curve --discretize --missing --jobs --format --output")
@input_argument("source", "DATA|ENTROPIES")
@data_options_with("pairs", is_alone=True)
@packed("given", ThresholdOptions, section="Threshold")
@jobs_option
@output_options(("jsonl", "table"), "JSON lines (default in a pipe or file) or a table to read.", without=["stats"])
@message_options
def command(
    source: str,
    data_options: DataOptions,
    given: ThresholdOptions,
    jobs: int,
    target: OutputOptions,
    reporter: Reporter,
) -> None:
    """Find variables that another one nearly determines.

    Reads a table, or the result of 'bnsl entropy', and writes a forest: a variable that another one nearly
    determines gets it as its only parent. 'bnsl parentsets --screen' and 'bnsl optimize --screen' then search
    among the other variables, the roots.

    \b
    Examples:
      bnsl screen --roots 0.5 --discretize median wdbc.csv
      bnsl entropy random80.csv.gz | bnsl screen --eps 0.4 -o forest.jsonl
      bnsl parentsets --screen forest.jsonl random80.csv.gz -o s.sets.jsonl

    See also: bnsl entropy, bnsl parentsets.
    """
    from formats import write_forest
    from stages.screening.forests import root_curve, screen_forest

    from ..tables.stage_results import show_forest, show_root_curve

    if target.format_name != "table":
        output_format("screen", target.output)
    if given.curve + (given.eps is not None) + (given.roots is not None) != 1:
        raise click.UsageError("give one of --eps E, --roots SHARE and --curve.")
    entropies = read_entropies(source, data_options, jobs, reporter)
    if given.curve:
        points = list(zip(*(values.tolist() for values in root_curve(entropies, given.relative)), strict=True))
        if target.is_table:
            show_root_curve(target.output, points, len(entropies.variables))
        else:
            write_json_lines(target.output, ({"eps": threshold, "roots": count} for threshold, count in points))
        return
    rule: dict[str, Any] = {"eps": given.eps, "roots": given.roots, "relative": given.relative}
    forest = screen_forest(entropies, **rule)
    header = record_command(forest.header, "screen", rule)
    forest = replace(forest, header=header)
    if target.is_table:
        show_forest(target.output, forest, target.rows_shown)
    else:
        write_forest(target.output, forest)
    n_screened = len(forest.parents)
    n_roots = len(forest.header.variables) - n_screened
    reporter.summary(
        f"{plural(n_screened, 'variable')} screened at eps {header.extra['eps']:.4g}, {plural(n_roots, 'root')}"
    )
