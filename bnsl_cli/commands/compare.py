"""``bnsl compare``: measures of many runs to tables and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from formats.lookup import named_formats
from formats.wording import plural

from ..options import check_sources, format_option, message_options, output_option, require_input
from ..output_formats import output_format
from ..parameter_types import INPUT_PATH
from ..reporter import Reporter
from ..stage_command import option, stage_command

if TYPE_CHECKING:
    from stages.evaluate.comparison_tables import Measure
    from stages.evaluate.runs import NamePattern, Run

ENDINGS = {".csv": "csv", ".tex": "latex", ".jsonl": "jsonl"}
"""Names of outputs that tell how they are written."""

SECTIONS = ("values", "ranks", "pairs", "wscores")


class MeasureType(click.ParamType):
    """A measure, and if need be which way it is better: KEY, KEY:min or KEY:max."""

    name = "key[:min|:max]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Measure:
        from stages.evaluate.comparison_tables import LESS_IS_BETTER, Measure

        key, colon, way = value.rpartition(":")
        if colon and way not in ("min", "max"):
            self.fail(f"{value!r} must end in :min or :max, or name a measure alone.", param, ctx)
        key = key if colon else value
        return Measure(key, way == "max" if colon else key not in LESS_IS_BETTER)


class NamePatternType(click.ParamType):
    """What the parts of the runs' names stand for."""

    name = "pattern"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> NamePattern:
        from stages.evaluate.runs import NamePattern

        try:
            return NamePattern(value)
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


@stage_command
@click.argument("files", nargs=-1, type=INPUT_PATH, metavar="[RUNS]...")
@option(
    "--names",
    type=NamePatternType(),
    default="data.method.seed",
    show_default=True,
    section="Input",
    help="What the parts of the runs' file names stand for, up to each point. Seeds are averaged; 'data.method.data' "
    "makes each seed a case of its own; '-' is ignored; any other word splits the runs into tables of their own.",
)
@option(
    "--measure",
    "measures",
    type=MeasureType(),
    multiple=True,
    section="Comparison",
    help="What is compared, a key of the records (points lead into objects), or a product or quotient such as "
    "bic/parameters; repeatable. [default: the first of bic, total and the other scores that all runs have]",
)
@option(
    "--show",
    "sections",
    type=click.Choice(SECTIONS),
    multiple=True,
    default=SECTIONS[:3],
    section="Comparison",
    help="values by data and method; average ranks (Friedman, Holm); pairs (sign test, classes of differences); "
    "W-scores, the worsening (G - T) / |G| of a score T against the baseline's G: 0 is as good, above is worse. "
    "Repeatable.  [default: values, ranks, pairs]",
)
@option(
    "--baseline",
    metavar="METHOD",
    section="Comparison",
    help="Pairs and W-scores against this method only, or against PART=VALUE: the best of all runs whose name has "
    "that value there.",
)
@option(
    "--average",
    type=click.Choice(["mean", "median"]),
    default="mean",
    show_default=True,
    section="Comparison",
    help="Of several seeds.",
)
@option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    section="Comparison",
    help="Of the tests by ranks.",
)
@option(
    "--allow-missing",
    is_flag=True,
    section="Comparison",
    help="A method without a value for some data ranks last there, instead of an error.",
)
@output_option
@format_option(
    ("table", "jsonl", "csv", "latex"),
    "Tables to read (default), tidy rows as JSON lines or CSV (one kind of table), or LaTeX tabulars.",
)
@message_options
def command(
    files: tuple[str, ...],
    names: NamePattern,
    measures: tuple[Measure, ...],
    sections: tuple[str, ...],
    baseline: str | None,
    average: str,
    level: float,
    allow_missing: bool,
    output: str,
    format_name: str | None,
    reporter: Reporter,
) -> None:
    """Compare methods over many runs: tables, ranks, tests.

    Reads networks of 'bnsl optimize' (their headers), JSON lines of 'bnsl evaluate' or files of --stats; several
    records of the same run add up. Which data, method and seed a run is of is told by the name of its network's
    file, or of the file itself: wdbc.asobs.1.net.jsonl. Score differences between methods are counted in the
    classes very positive (above 10 nats), strongly positive (above 6), positive (above 2), neutral, and the
    negatives. Ranks: 1 is best, ties share; Friedman's test over all, Holm's for each method against the best.

    \b
    Examples:
      bnsl parentsets --evaluations 50 --seed 1 random80.csv.gz -o r.sets.jsonl
      bnsl optimize --obs --evaluations 200 --seed 1 r.sets.jsonl -o random80.obs.1.net.jsonl
      bnsl optimize --asobs --evaluations 200 --seed 1 r.sets.jsonl -o random80.asobs.1.net.jsonl
      bnsl compare random80.*.net.jsonl
      bnsl evaluate random80.*.net.jsonl --data random80.csv.gz | bnsl compare --measure bic --measure arcs:min
      bnsl compare random80.*.net.jsonl --show pairs --baseline obs --format csv -o pairs.csv

    \b
    Exit status: 0 done, 1 runs cannot be compared, 2 wrong usage, 65 bad input.
    See also: bnsl evaluate, bnsl optimize.
    """
    from formats.json_lines.measures import open_measures
    from stages.evaluate.comparison_tables import Settings, compare_runs
    from stages.evaluate.runs import gather_runs

    from ..comparison_views import write_sections

    format_name = _written_format(output, format_name)
    if format_name == "csv" and len(set(sections)) > 1:
        raise click.UsageError("CSV holds one kind of table: give one --show.")
    sources = files or (require_input(None, "RUNS"),)
    check_sources(*sources)
    runs = gather_runs((record for source in sources for record in open_measures(source)), names)
    settings = Settings(
        measures or (_default_measure(runs),),
        tuple(dict.fromkeys(sections)),
        names.groups,
        baseline,
        average,
        level,
        allow_missing,
    )
    write_sections(output, format_name, list(compare_runs(runs, settings)))
    reporter.summary(f"{plural(len(runs), 'run')} of {plural(len({run.method for run in runs}), 'method')}")


def _written_format(output: str, given: str | None) -> str:
    """What is asked for, told by the output's name, or a table to read."""
    if [row.target for row in named_formats(output)] not in ([], ["csv", "adjacency", "arcs"]):
        output_format("compare", output)  # refuses it
    named = next((name for ending, name in ENDINGS.items() if output.endswith(ending)), None)
    if given and named and given != named:
        raise click.UsageError(f"-o {output} names {named}, but --format asks for {given}.")
    return given or named or "table"


def _default_measure(runs: list[Run]) -> Measure:
    from stages.evaluate.comparison_tables import TOTAL, Measure
    from stages.scoring.scores import SCORES

    keys = dict.fromkeys(["bic", TOTAL, *SCORES])
    for key in keys:
        if all(run.value(key) is not None for run in runs):
            return Measure(key, True)
    raise click.UsageError(f"no measure is known of all runs ({', '.join(keys)}): give --measure.")
