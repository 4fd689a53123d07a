"""Incomplete parent-set files: the finished records of an earlier run, gathered to be resumed.

Records are checked but not kept: the position of each child's line is enough to copy it byte for byte.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from ..errors import Inconsistent, Truncated
from ..records import Header
from ..schemas import PARENT_SETS
from ..sets.record_checks import content_digest
from ..streams import is_compressed
from ..textlines import Lines
from .jsonl import JsonlHeader, read_entries, read_header, require_agreement

NOT_COMPARED = frozenset({"time", "time_per_variable", "memory"})
"""Options that may differ between parts of a run: limits that affect only slow machines."""


@dataclass(frozen=True)
class Place:
    """Position of a record's line, its line end included; `text` if the file is compressed."""

    path: str
    start: int
    end: int
    text: bytes | None = None


@dataclass
class PartFile:
    """One file with records of a run."""

    path: str
    header: JsonlHeader
    """Its first header."""
    header_end: int
    """Position after the line of this header."""


@dataclass
class Gathered:
    """Finished records of several files, by child."""

    files: list[PartFile] = field(default_factory=list)
    places: dict[int, Place] = field(default_factory=dict)
    digests: dict[int, bytes] = field(default_factory=dict)

    def lines(self, children: Iterable[int]) -> Iterator[bytes]:
        """The unchanged lines of finished children."""
        with contextlib.ExitStack() as stack:
            streams: dict[str, BinaryIO] = {}
            for child in children:
                place = self.places[child]
                if place.text is not None:
                    yield place.text
                    continue
                if place.path not in streams:
                    streams[place.path] = stack.enter_context(open(place.path, "rb"))
                stream = streams[place.path]
                stream.seek(place.start)
                yield stream.read(place.end - place.start)


def gather(sources: Iterable[str]) -> Gathered:
    """Read parent-set files that may end early; each may be a concatenation of several.

    Skipped are a last line without its line end, records marked as interrupted, and files with a torn header.

    Raises `FormatError`: a file is damaged elsewhere than at its end, two headers have different data, scores or
    options, or the same variable comes twice with different sets.
    """
    gathered = Gathered()
    for source in sources:
        with Lines(source) as lines:
            head = _open_part(lines)
            if head is None:
                continue
            if gathered.files:
                first = gathered.files[0].header
                require_agreement(lines, first, head)
                require_same_options(first.header, head.header, source)
            gathered.files.append(PartFile(source, head, lines.span[1]))
            with contextlib.suppress(Truncated):  # of compressed data
                _read_records(lines, gathered, is_plain=not _is_compressed(source))
    return gathered


def _open_part(lines: Lines) -> JsonlHeader | None:
    """The header; None if it is torn."""
    try:
        head = read_header(lines)
    except Truncated:
        return None
    if not lines.terminated:
        return None
    if head.format != PARENT_SETS.name:
        lines.fail(f"expected parent sets, this is {head.format}")
    return head


def _is_compressed(path: str) -> bool:
    with open(path, "rb") as stream:
        return is_compressed(stream.read(4))


def _read_records(lines: Lines, gathered: Gathered, is_plain: bool) -> None:
    part = gathered.files[-1]
    for entry in read_entries(lines, part.header):
        if not lines.terminated:
            return
        if isinstance(entry, JsonlHeader) or "interrupted" in entry.extra:
            continue
        child, digest = entry.child, content_digest(entry)
        if gathered.digests.setdefault(child, digest) != digest:
            name = part.header.header.names[child]
            lines.fail(f"variable {name!r} comes twice with different content", kind=Inconsistent)
        if child not in gathered.places:
            # Lines at places of uncompressed data cannot be found again and are kept.
            text = None if is_plain else lines.last + b"\n"
            gathered.places[child] = Place(part.path, *lines.span, text)


def require_same_options(ours: Header, theirs: Header, source: str | None = None) -> None:
    """Raise `Inconsistent` if the commands that made two files differ in an option that is not `NOT_COMPARED`."""
    if len(ours.by) != len(theirs.by):
        message = f"made by {len(theirs.by)} commands, not {len(ours.by)} (key 'by' of the header)"
        raise Inconsistent(message, source=source)
    for mine, other in zip(ours.by, theirs.by):
        a, b = _facts(mine), _facts(other)
        for name in sorted(a.keys() | b.keys()):
            if a.get(name) != b.get(name):
                raise Inconsistent(
                    f"made with another {name}: {_shown(b.get(name))}, here {_shown(a.get(name))}",
                    source=source,
                    remedy="the parts of a run must be made with the same options",
                )


def _facts(entry: dict[str, Any]) -> dict[str, Any]:
    options = entry.get("options", {})
    facts = {name: value for name, value in options.items() if name not in NOT_COMPARED}
    return {"stage": entry.get("stage"), "version": entry.get("version"), **facts}


def _shown(value: Any) -> str:
    return "none" if value is None else repr(value)
