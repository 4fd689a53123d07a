"""``bnsl compare``: measures of many runs to tables and tests."""

from __future__ import annotations

from bnsl.files.output_formats import output_format
from bnsl.functions.compare import SECTIONS, compare
from bnsl.options.shared import OutputOptions, output_options
from bnsl.running.errors import UsageError

from ..running.option_records import packed
from ..running.stage_command import Call, stage_command

ENDINGS = {".csv": "csv", ".tex": "latex", ".jsonl": "jsonl", ".svg": "svg"}
"""Format by the ending of the output's name."""

FORMATS = output_options(
    ("table", "jsonl", "csv", "latex", "svg"),
    "Tables to read (default), tidy rows as JSON lines or CSV (one kind of table), LaTeX (package booktabs), or a "
    "picture of the average ranks (svg).",
)


@stage_command(
    "--names --measure --show --baseline --average --level --region --allow-missing --format --output", compare
)
@packed("target", FORMATS)
def command(call: Call, target: OutputOptions) -> None:
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
    from ..tables.comparisons import write_sections

    format_name = written_format(target.output, target.format_name)
    if format_name == "csv" and len(set(call.values["sections"])) > 1:
        raise UsageError("CSV holds one kind of table: give one --show.")
    if format_name == "svg":
        sections = tuple(dict.fromkeys(call.values["sections"]))
        if sections not in (("ranks",), SECTIONS[:3]):
            raise UsageError("the picture is of ranks alone: leave out --show.")
        found = call(sections=("ranks",))
    else:
        found = call()
    write_sections(target.output, format_name, found.sections)
    call.reporter.summary(found.closing)


def written_format(output: str, given: str | None) -> str:
    """The format asked for, that of the output's name, or a table to read."""
    output_format("compare", output)  # refuses names of other formats
    named = next((name for ending, name in ENDINGS.items() if output.endswith(ending)), None)
    if given and named and given != named:
        raise UsageError(f"-o {output} names {named}, but --format asks for {given}.")
    return given or named or "table"
