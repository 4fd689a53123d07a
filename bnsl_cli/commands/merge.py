"""``bnsl merge``: the parts of a run of parent-set identification to one file."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bnsl.files.output_formats import output_format
from bnsl.options.declared import argument, parameter
from bnsl.options.shared import check_sources, output_option
from bnsl.options.values import INPUT
from bnsl.running.reporter import Reporter
from formats.wording import plural

from ..running.option_records import packed
from ..running.stage_command import stage_command

if TYPE_CHECKING:
    from formats.json_lines.run_parts import Gathered
    from formats.records import Header

INPUTS = {"screen": "FOREST", "near": "NETWORK", "extend": "SETS", "tiers": "FILE"}
"""Inputs whose file names are not recorded in a header."""

FLAGS = ("no_header",)
COLUMN_LISTS = ("categories", "columns", "drop")
DURATIONS = ("time", "time_per_variable")

DATA = parameter(
    "Name of the data in the commands that are printed; the file is not read.", INPUT, "DATA", section="Input"
)


@stage_command()
@packed("files", argument("FILE", is_several=True, is_required=True))
@packed("data", DATA)
@packed("output", output_option())
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


def missing_commands(gathered: Gathered, data: str | None) -> list[str]:
    """Shell commands for missing shards and for files that ended early; `data` is the table's name if known."""
    base = ["bnsl", "parentsets", data or "DATA", *_options(gathered.header)]
    commands = []
    whole = {part.shards[0][0] for part in gathered.files if part.finished >= part.announced}
    for part in gathered.files:
        # A file of several shards cannot be resumed; a file of one shard need not be if the shard exists elsewhere.
        if len(part.shards) == 1 and part.finished < part.announced and part.shards[0][0] not in whole:
            shard, name = part.shards[0][0], part.path.removesuffix(".part")
            commands.append([*base, *(["--shard", shard] if shard else []), "--resume", name, "-o", name])
    for shard in missing_shards(gathered):
        name = f"shard-{shard.replace('/', '-of-')}.sets.jsonl"
        commands.append([*base, "--shard", shard, "-o", name])
    return [shlex.join(words) for words in commands]


def missing_shards(gathered: Gathered) -> list[str]:
    """Shards without a file, as ``i/N``; none if one file is a whole run.

    If shards differ in N, the N that leaves the smallest share to do is taken.
    """
    shards = {shard for part in gathered.files for shard, _ in part.shards}
    if None in shards:
        return []
    left = []
    for number in sorted({int(str(shard).partition("/")[2]) for shard in shards}):
        lacking = [shard for index in range(number) if (shard := f"{index + 1}/{number}") not in shards]
        left.append((len(lacking) / number, lacking))
    return min(left)[1]


def _options(header: Header) -> list[str]:
    entry = header.by[-1] if header.by else {}
    if entry.get("stage") != "parentsets":
        return []
    return [word for name, value in entry.get("options", {}).items() for word in _words(name, value)]


def _words(name: str, value: Any) -> Iterator[str]:
    """A recorded option as it is typed; a list becomes one option per item."""
    from formats.tables.selection import column_list

    values = value if isinstance(value, list) and value and name not in INPUTS else [value]
    for item in values:
        yield "--" + name.replace("_", "-")
        if name in FLAGS:
            continue
        if name in INPUTS:
            yield INPUTS[name]
        elif isinstance(
            item, (dict, list)
        ):  # arcs of a pattern, or of a file (earlier versions kept a digest of files)
            yield _arcs_text(item) or "@FILE"
        elif name in DURATIONS:
            yield f"{item:g}s"
        else:
            yield column_list([item]) if name in COLUMN_LISTS else str(item)


def _arcs_text(item: dict[str, Any] | list) -> str | None:
    """Recorded arcs of a pattern, as they are typed; None for other records."""
    ends = [item.get("from"), item.get("to")] if isinstance(item, dict) else []
    texts = [end[0] if isinstance(end, list) and len(end) == 1 else end for end in ends]
    words = [text for text in texts if isinstance(text, str)]
    return "->".join(words) if len(words) == 2 else None
