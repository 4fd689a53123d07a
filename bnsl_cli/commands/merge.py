"""``bnsl merge``: the parts of a run of parent-set identification to one file."""

from __future__ import annotations

import click

from formats.wording import plural

from ..files.output_formats import output_format
from ..options.parameter_types import INPUT_PATH
from ..options.shared import check_sources, message_options, output_option
from ..plans.missing_parts import missing_commands
from ..running.reporter import Reporter
from ..running.stage_command import option, stage_command


@stage_command()
@click.argument("files", nargs=-1, required=True, type=INPUT_PATH, metavar="FILE...")
@option(
    "--data",
    type=INPUT_PATH,
    metavar="DATA",
    section="Input",
    help="Name of the data in the commands that are printed; the file is not read.",
)
@output_option
@message_options
def command(files: tuple[str, ...], data: str | None, output: str, reporter: Reporter) -> None:
    """Merge the parts of a run of parentsets and check them.

    Reads parent-set files (shards, files that ended early, several concatenated) and writes them as one file if
    every variable is finished. Otherwise it lists the commands that make the missing parts.

    \b
    Examples:
      bnsl parentsets --shard 1/2 random80.csv.gz -o 1.sets.jsonl
      bnsl parentsets --shard 2/2 random80.csv.gz -o 2.sets.jsonl
      bnsl merge 1.sets.jsonl 2.sets.jsonl | bnsl optimize --time 1s -o m.jsonl

    See also: bnsl parentsets (--resume continues a part), bnsl help cluster.
    """
    from formats.errors import Truncated
    from formats.json_lines.run_parts import gather, write_gathered

    output_format("merge", output)
    check_sources(*files)
    gathered = gather(files)
    if not gathered.files:
        raise Truncated("no file has a complete header; there is nothing to merge")
    missing = gathered.missing
    if missing:
        names = gathered.header.names
        shown = ", ".join(names[child] for child in missing[:4]) + (", ..." if len(missing) > 4 else "")
        cut = f" ({gathered.interrupted} were interrupted)" if gathered.interrupted else ""
        commands = missing_commands(gathered, data)
        raise Truncated(
            f"{len(missing)} of {len(names)} variables are missing{cut}: {shown}",
            remedy="\n  ".join(commands) or "search them with bnsl parentsets --resume",
        )
    write_gathered(output, gathered)
    reporter.summary(f"{plural(gathered.header.n_variables, 'variable')} from {plural(len(gathered.files), 'file')}")
