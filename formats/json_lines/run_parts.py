"""Parent-set files that are not whole: records of one run gathered from several, to be gone on with or merged.

Records are checked but not kept: knowing where the line of each child stands is enough to copy it byte for byte.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from ..errors import Inconsistent, Truncated
from ..provenance import timestamp
from ..records import Header
from ..schemas import PARENT_SETS
from ..sets.setblocks import BlockChecker
from ..streams import open_output
from ..textlines import Lines
from .jsonl import JsonlHeader, decode_header, decode_record, load_object, read_header, require_agreement
from .jsonl_writer import encode_header

NOT_COMPARED = frozenset({"time", "time_per_variable", "memory"})
"""Options that may differ between parts of a run: limits that only a slow machine feels."""


@dataclass(frozen=True)
class Place:
    """Where the line of a record stands, its line end included; `text` if the file cannot be read twice."""

    path: str
    start: int
    end: int
    text: bytes | None = None


@dataclass
class PartFile:
    """What one file holds.

    Attributes
    ----------
    path : str
    header : JsonlHeader
        Its first header.
    header_end : int
        Where that header's line ends.
    shards : list of (str or None, int)
        For each header: the shard it announces, and of how many records.
    finished : int
        Records that are whole and not marked as interrupted.
    """

    path: str
    header: JsonlHeader
    header_end: int
    shards: list[tuple[str | None, int]]
    finished: int = 0

    @property
    def announced(self) -> int:
        """Records that its headers announce."""
        return min(self.header.n_records, sum(records for _, records in self.shards))


@dataclass
class Gathered:
    """Finished records of several files, by child; how many were passed over as interrupted."""

    files: list[PartFile] = field(default_factory=list)
    places: dict[int, Place] = field(default_factory=dict)
    interrupted: int = 0
    digests: dict[int, bytes] = field(default_factory=dict)

    @property
    def header(self) -> Header:
        """The header of the whole file: that of the first, which is no shard's any more."""
        return self.files[0].header.header

    @property
    def missing(self) -> list[int]:
        """Variables without a finished record."""
        return [child for child in range(self.header.n_variables) if child not in self.places]

    def lines(self, children: Iterable[int]) -> Iterator[bytes]:
        """The lines of finished children as they were written."""
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
    """Read parent-set files that may end early.

    A last line without its line end is dropped, and so are records marked as interrupted. A file whose header
    is torn is passed over.

    Parameters
    ----------
    sources : iterable of str
        Paths, or ``-``. Each may hold several files one after the other.

    Raises
    ------
    FormatError
        A file is damaged elsewhere than at its end, two headers tell different data, scores or options, or
        the same variable comes twice with different sets.
    """
    gathered = Gathered()
    for source in sources:
        lines = Lines(source)
        try:
            head = _open_part(lines)
            if head is None:
                continue
            if gathered.files:
                first = gathered.files[0].header
                require_agreement(lines, first, head)
                require_same_options(first.header, head.header, source)
            can_seek = source != "-" and not _is_compressed(source)
            gathered.files.append(PartFile(source, head, lines.span[1], [shard_of(head)]))
            _read_records(lines, gathered, can_seek)
        finally:
            lines.close()
    return gathered


def write_gathered(target: str, gathered: Gathered) -> None:
    """Write the whole file, in the header's order: the bytes of a run in one part, its time of writing apart."""
    header = dataclasses.replace(gathered.header, created=timestamp())
    with open_output(target) as stream:
        stream.write(encode_header(PARENT_SETS.name, header))
        for line in gathered.lines(range(header.n_variables)):
            stream.write(line)


def _open_part(lines: Lines) -> JsonlHeader | None:
    """The header; None if not even that is whole."""
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
        return stream.read(2) == b"\x1f\x8b"


def shard_of(head: JsonlHeader) -> tuple[str | None, int]:
    """Which shard a header announces (None for all variables), and how many records."""
    shard = head.fields.get("shard")
    return shard, head.fields.get("records", head.n_records) if shard else head.n_records


def _read_records(lines: Lines, gathered: Gathered, can_seek: bool) -> None:
    part = gathered.files[-1]
    checker = BlockChecker(part.header.header.names)

    def fail(message: str):
        lines.fail(message, kind=Inconsistent)

    while True:
        try:
            line = next(lines, None)
            if line is None or not lines.terminated:
                return
            if not line.strip():
                continue
            fields = load_object(lines, line)
        except Truncated:
            return
        if "format" in fields:
            head = decode_header(lines, fields)
            require_agreement(lines, part.header, head)
            part.shards.append(shard_of(head))
            continue
        block = checker.check(decode_record(lines, fields), fail)
        if "interrupted" in block.extra:
            gathered.interrupted += 1
            continue
        digest = block.digest()
        if gathered.digests.setdefault(block.child, digest) != digest:
            fail(f"variable {checker.names[block.child]!r} comes twice with different content")
        if block.child not in gathered.places:
            part.finished += 1
            text = None if can_seek else line + b"\n"
            gathered.places[block.child] = Place(part.path, *lines.span, text)


def require_same_options(ours: Header, theirs: Header, source: str | None = None) -> None:
    """Raise `Inconsistent` if the command that made `theirs` had other options than that of `ours`.

    `NOT_COMPARED` apart. Commands before the last one must be the same, too.
    """
    if len(ours.by) != len(theirs.by):
        raise Inconsistent(
            f"made by {len(theirs.by)} commands, not {len(ours.by)} (key 'by' of the header)", source=source
        )
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
