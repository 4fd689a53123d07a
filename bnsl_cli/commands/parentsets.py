"""``bnsl parentsets``: data to candidate parent sets."""

from typing import Annotated, Unpack

from bnsl.files.output_formats import output_format
from bnsl.files.recording import write_json_lines, write_stats
from bnsl.functions.parentsets import DryRun, StartedSearch, parentsets
from bnsl.options.option import Option
from bnsl.options.shared import Format, SheetTarget, StatsOptions, TableOptions, Target, formats_of
from bnsl.options.values import Input
from bnsl.running.errors import UsageError

from ..running.stage_command import Call, stage_command


class ParentSetsOutput(TableOptions, StatsOptions, total=False):
    """Destination and format of the result; the run to resume."""

    format: Annotated[
        Format, formats_of(("jsonl", "table"), "Parent-set file (default in a pipe or file) or a table to read.")
    ]
    resume: Annotated[
        str | None,
        Option(
            "Resume an earlier run that was to write FILE: take its finished variables from FILE or FILE.part, and "
            "search the others.",
            Input(dash=False),
            section="Parts of a run",
        ),
    ]


@stage_command(
    "--method --score --max-parents --discretize --missing --forbid --time --evaluations --jobs --output", parentsets
)
def command(call: Call, **options: Unpack[ParentSetsOutput]) -> None:
    """Identify candidate parent sets with their local scores.

    Reads a table and writes for every variable its parent sets with exact local scores. A set is left out if one
    of its subsets scores at least as much. 'bnsl optimize' then chooses among the sets.

    \b
    Examples:
      bnsl parentsets random80.csv.gz -o random80.sets.jsonl
      bnsl parentsets --sequential --max-parents 2 random80.csv.gz | head -1
      bnsl parentsets --indep --discretize median --evaluations 500 wdbc.csv |
        bnsl optimize --tw 5 --time 1s

    See also: bnsl optimize, bnsl screen, bnsl help methods, bnsl help cluster.
    """
    target = SheetTarget(**options)
    if target.format not in ("table", "csv"):
        output_format("parentsets", target.output)
    if target.is_sheet and target.resume:
        raise UsageError("--resume writes a complete file: give -o FILE or --json.")
    if target.stats is not None and call.values["dry_run"]:
        raise UsageError("--stats has figures of a search, and --dry-run makes none: leave one out.")
    found = call(seed=resumed_seed(call.values["seed"], target.resume))
    if not isinstance(found, StartedSearch):
        show_forecast(found, target, call)
        return
    write_sets(found, target, call)
    write_stats(target.stats, found.figures)


def resumed_seed(seed: int | None, resume: str | None) -> int | None:
    """The given seed, or the seed of the run to resume."""
    from formats.json_lines.resumable import first_header

    earlier = first_header(resume) if seed is None and resume else None
    return earlier.by[-1].get("options", {}).get("seed") if earlier is not None and earlier.by else seed


def write_sets(found: StartedSearch, target: Target, call: Call) -> None:
    """Write the parent sets as a table, or to a file after the sets of the run to resume."""
    from formats.json_lines.resumable import open_resumable

    if target.is_sheet:
        from ..tables.stage_results import show_parent_sets

        records = list(found.records())
        call.reporter.pause()
        show_parent_sets(target, found.header.variables, records)
        return
    search = found.search
    with open_resumable(target.output, found.header, search.children, target.resume, call.reporter.warn) as writer:
        writer.write(found.records(writer.finished))


def show_forecast(found: DryRun, target: Target, call: Call) -> None:
    """Write the forecast of the run to standard output, never to the file that the run itself would write."""
    from ..tables import stage_results

    call.reporter.pause()
    if target.json:
        write_json_lines("-", [found.for_python()])
    elif target.format == "csv":
        stage_results.show_rows(target.changed(output="-"), [found.for_python()])
    else:
        stage_results.show_forecast("-", found.forecast, found.jobs)
