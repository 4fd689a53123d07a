"""``bnsl merge``: the parts of a run of parent-set identification to one file."""

from __future__ import annotations

import click

from formats.wording import plural

from ..missing_parts import missing_commands
from ..options import check_sources, message_options, output_option
from ..output_formats import output_format
from ..parameter_types import INPUT_PATH
from ..reporter import Reporter
from ..stage_command import option, stage_command


@stage_command
@click.argument("files", nargs=-1, required=True, type=INPUT_PATH, metavar="FILE...")
@option(
    "--data",
    type=INPUT_PATH,
    metavar="DATA",
    section="Input",
    help="Name of the data in the commands that are printed when something is missing; it is not read.",
)
@output_option
@message_options
def command(files: tuple[str, ...], data: str | None, output: str, reporter: Reporter) -> None:
    """Put the parts of a run of parentsets together and check them.

    Reads parent-set files: shards, files that ended early (also FILE.part of a run that was killed), files put
    one behind the other with cat. If there is a finished record of every variable they are written as one file,
    the same as that of a run in one part. Else nothing is written, and standard error lists the commands that
    make what is missing. Torn last lines and interrupted variables count as missing. Parts must come from the
    same data and be made with the same options; the same variable twice is fine if its sets are the same.

    \b
    Examples:
      bnsl parentsets --shard 1/2 random80.csv.gz -o 1.sets.jsonl
      bnsl parentsets --shard 2/2 random80.csv.gz -o 2.sets.jsonl
      bnsl merge 1.sets.jsonl 2.sets.jsonl -o all.sets.jsonl
      bnsl merge 1.sets.jsonl 2.sets.jsonl | bnsl optimize --time 1s -o merged.net.jsonl

    \b
    Exit status: 0 complete, 1 cannot write, 2 wrong usage, 65 variables are missing or the parts do not fit.
    See also: bnsl parentsets, whose --resume goes on with a part.
    """
    from formats.errors import Truncated
    from formats.json_lines.run_parts import gather, write_gathered

    output_format("merge", output)
    check_sources(*files)
    gathered = gather(files)
    if not gathered.files:
        raise Truncated("no file has a whole header: there is nothing to merge")
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
    reporter.summary(
        f"{plural(gathered.header.n_variables, 'variable')} from {plural(len(gathered.files), 'file')}"
    )
