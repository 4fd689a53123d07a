"""``bnsl compare``: measures of many runs to tables and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from formats.registry import named_formats
from formats.wording import plural

from ..files.output_formats import output_format
from ..options.parameter_types import INPUT_PATH, Finite, Parsed
from ..options.shared import OutputOptions, check_sources, message_options, output_options, require_input
from ..running.option_records import option_field, packed
from ..running.reporter import Reporter
from ..running.stage_command import stage_command

if TYPE_CHECKING:
    from stages.evaluate.comparison_tables import Measure
    from stages.evaluate.runs import NamePattern, Run

ENDINGS = {".csv": "csv", ".tex": "latex", ".jsonl": "jsonl"}
"""Format by the ending of the output's name."""

SECTIONS = ("values", "ranks", "pairs", "wscores")


def _measure(text: str) -> Measure:
    """A measure and, if given, its direction: KEY, KEY:min or KEY:max."""
    from stages.evaluate.comparison_tables import LESS_IS_BETTER, Measure

    key, colon, direction = text.rpartition(":")
    if colon and direction not in ("min", "max"):
        raise ValueError(f"{text!r} must end in :min or :max, or name a measure alone")
    key = key if colon else text
    return Measure(key, direction == "max" if colon else key not in LESS_IS_BETTER)


def _name_pattern(text: str) -> NamePattern:
    """Meaning of the parts of the runs' names."""
    from stages.evaluate.runs import NamePattern

    return NamePattern(text)


@dataclass(frozen=True)
class ComparisonOptions:
    """What is compared, and how."""

    names: NamePattern | None = option_field(
        "Meaning of the parts of file names, separated by points. Seeds are averaged; parts of the same name are "
        "joined, as in 'data.data.method' for name and size of the data; '-' is ignored; any other word splits the "
        "runs into separate tables. [default: data.method.seed; where names have fewer parts, the headers of "
        "networks say it]",
        Parsed("pattern", _name_pattern),
        section="Input",
    )
    measures: tuple[Measure, ...] = option_field(
        "Measure to compare: a key of the records, or a product or quotient such as bic/parameters. A point "
        "in a key leads into an object. Repeatable. [default: the first of bic, total and the other scores that all "
        "runs have]",
        Parsed("key[:min|:max]", _measure),
        names=("--measure",),
        multiple=True,
    )
    sections: tuple[str, ...] = option_field(
        "Tables to write: values by data and method, average ranks (Friedman, Holm), pairs (sign test, classes of "
        "differences), W-scores. The W-score (G - T) / |G| of a score T against the baseline's G is 0 where T is as "
        "good and above 0 where it is worse. Repeatable.  [default: values, ranks, pairs]",
        click.Choice(SECTIONS),
        names=("--show",),
        multiple=True,
        default=SECTIONS[:3],
        show_default=False,
    )
    baseline: str | None = option_field(
        "Compare pairs and W-scores with this method only. PART=VALUE: with the best of all runs whose name has "
        "this value in this part.",
        metavar="METHOD",
    )
    average: str = option_field("Average over seeds.", click.Choice(["mean", "median"]), default="mean")
    level: float = option_field(
        "Significance level of the rank tests.", Finite(0, 1, min_open=True, max_open=True), "ALPHA", default=0.05
    )
    allow_missing: bool = option_field(
        "Leave out runs without a value, and rank a method last on data where no run has one, instead of failing.",
        is_flag=True,
    )


@stage_command("--names --measure --show --baseline --average --level --allow-missing --format --output")
@click.argument("files", nargs=-1, type=INPUT_PATH, metavar="[RUNS]...")
@packed("given", ComparisonOptions, section="Comparison")
@output_options(
    ("table", "jsonl", "csv", "latex"),
    "Tables to read (default), tidy rows as JSON lines or CSV (one kind of table), or LaTeX.",
)
@message_options
def command(files: tuple[str, ...], given: ComparisonOptions, target: OutputOptions, reporter: Reporter) -> None:
    """Compare methods over many runs: tables, ranks, tests.

    Reads networks of 'bnsl optimize', JSON lines of 'bnsl evaluate' or files of --stats, and writes tables of
    values, average ranks with tests, and classes of differences. File names give data, method and seed, or else the
    headers of networks do. Ranks need two data sets at least.

    \b
    Examples:
      bnsl parentsets --evaluations 50 --seed 1 random80.csv.gz -o r.sets.jsonl
      for m in obs asobs; do bnsl optimize --method $m --evaluations 200 \\
        --seed 1 r.sets.jsonl -o random80.$m.1.net.jsonl; done
      bnsl evaluate random80.*.net.jsonl --data random80.csv.gz | bnsl compare

    See also: bnsl evaluate, bnsl optimize.
    """
    from formats.json_lines.measures import open_measures
    from stages.evaluate.comparison_tables import Settings, compare_runs
    from stages.evaluate.runs import dependent_cases, gather_runs

    from ..tables.comparisons import write_sections

    format_name = _written_format(target.output, target.format_name)
    if format_name == "csv" and len(set(given.sections)) > 1:
        raise click.UsageError("CSV holds one kind of table: give one --show.")
    sources = files or (require_input(None, "RUNS"),)
    check_sources(*sources)
    runs = gather_runs((record for source in sources for record in open_measures(source)), given.names)
    settings = Settings(
        given.measures or (_default_measure(runs),),
        tuple(dict.fromkeys(given.sections)),
        given.names.groups if given.names else (),
        given.baseline,
        given.average,
        given.level,
        given.allow_missing,
    )
    sections = list(compare_runs(runs, settings, reporter.warn))
    dependent = dependent_cases(runs, given.names) if {"ranks", "pairs"} & set(given.sections) else None
    if dependent:
        reporter.warn(dependent)
    write_sections(target.output, format_name, sections)
    reporter.summary(f"{plural(len(runs), 'run')} of {plural(len({run.method for run in runs}), 'method')}")


def _written_format(output: str, given: str | None) -> str:
    """The format asked for, that of the output's name, or a table to read."""
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
    raise click.UsageError(f"no measure is known for all runs ({', '.join(keys)}): give --measure.")
