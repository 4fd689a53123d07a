"""The commands that make what is missing from the parts of a run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formats.json_lines.run_parts import Gathered, PartFile
    from formats.records import Header

INPUTS = {"screen": "FOREST", "near": "NETWORK", "extend": "SETS", "tiers": "FILE"}
"""Inputs of which a header does not have the file name."""

FLAGS = ("no_header",)
COLUMN_LISTS = ("categories", "columns", "drop")
DURATIONS = ("time", "time_per_variable")


def missing_commands(gathered: Gathered, data: str | None) -> list[str]:
    """Shell commands for missing shards and for files that ended early; `data` is the table's name if known."""
    base = ["bnsl", "parentsets", data or "DATA", *_options(gathered.header)]
    commands = [
        [*base, *_shard_option(part), "--resume", name, "-o", name]
        for part in gathered.files
        if _is_short(part)
        for name in [part.path.removesuffix(".part")]
    ]
    for shard in missing_shards(gathered):
        name = f"shard-{shard.replace('/', '-of-')}.sets.jsonl"
        commands.append([*base, "--shard", shard, "-o", name])
    return [shlex.join(words) for words in commands]


def missing_shards(gathered: Gathered) -> list[str]:
    """Shards without a file, as ``i/N``; none if the shards at hand are of different N, or one is a whole run."""
    shards = {shard for part in gathered.files for shard, _ in part.shards}
    numbers = {None if shard is None else shard.partition("/")[2] for shard in shards}
    if len(numbers) != 1 or None in numbers:
        return []
    number = int(str(numbers.pop()))
    return [shard for index in range(number) if (shard := f"{index + 1}/{number}") not in shards]


def _is_short(part: PartFile) -> bool:
    """Whether a file holds fewer finished records than it announces; one of several shards cannot be resumed."""
    return len(part.shards) == 1 and part.finished < part.announced


def _shard_option(part: PartFile) -> list[str]:
    shard, _ = part.shards[0]
    return [] if shard is None else ["--shard", shard]


def _options(header: Header) -> list[str]:
    entry = header.by[-1] if header.by else {}
    if entry.get("stage") != "parentsets":
        return []
    return [word for name, value in entry.get("options", {}).items() for word in _words(name, value)]


def _words(name: str, value: Any) -> Iterator[str]:
    """A recorded option as it is typed: a list is one option repeated."""
    from formats.tables.selection import column_list

    values = value if isinstance(value, list) and name not in INPUTS else [value]
    for item in values:
        yield "--" + name.replace("_", "-")
        if name in FLAGS:
            continue
        if name in INPUTS:
            yield INPUTS[name]
        elif isinstance(item, dict):  # of many arcs a header has the digest only
            yield "@FILE"
        elif name in DURATIONS:
            yield f"{item:g}s"
        else:
            yield column_list([item]) if name in COLUMN_LISTS else str(item)
