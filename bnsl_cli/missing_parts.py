"""What is missing from the parts of a run, and the commands that would make it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formats.json_lines.run_parts import Gathered, PartFile
    from formats.records import Header

FLAGS = {"screen": "FOREST", "near": "NETWORK", "extend": "SETS"}
"""Inputs that a header knows were given, but not their names."""

DURATIONS = ("time", "time_per_variable")


def missing_commands(gathered: Gathered, data: str | None) -> list[str]:
    """Shell commands for all that is missing: whole shards, and files that ended early."""
    base = ["bnsl", "parentsets", "DATA" if data is None else shlex.quote(data), *_options(gathered.header)]
    commands = [
        " ".join([*base, *_shard_option(part), "--resume", name, "-o", name])
        for part in gathered.files
        if _is_short(part)
        for name in [shlex.quote(part.path.removesuffix(".part"))]
    ]
    for shard in missing_shards(gathered):
        index, _, number = shard.partition("/")
        name = f"shard-{index}-of-{number}.sets.jsonl"
        commands.append(" ".join([*base, "--shard", shard, "-o", name]))
    return commands


def missing_shards(gathered: Gathered) -> list[str]:
    """Shards of which there is no file, as ``i/N``; none where shards are of different numbers."""
    named = [shard for part in gathered.files for shard, _ in part.shards]
    shards = {shard for shard in named if shard is not None}
    if None in named:
        return []
    numbers = {shard.partition("/")[2] for shard in shards}
    if len(numbers) != 1:
        return []
    number = int(numbers.pop())
    return [f"{index}/{number}" for index in range(1, number + 1) if f"{index}/{number}" not in shards]


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
    option = "--" + name.replace("_", "-")
    if name in FLAGS:
        yield from (option, FLAGS[name])
    elif name in ("require", "forbid"):
        arcs = ["@FILE"] if isinstance(value, Mapping) else value
        for arc in arcs:
            yield from (option, shlex.quote(arc))
    elif name == "tiers":
        yield from (option, "FILE")
    elif name in DURATIONS:
        yield from (option, f"{value:g}s")
    else:
        yield from (option, shlex.quote(str(value)))
