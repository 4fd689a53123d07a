"""Output that survives a killed process: records go to ``FILE.part``, which becomes FILE when all are there.

``FILE.part`` always begins with a whole header and whole records in the order of the run; a kill can tear only its
last line. A later run keeps these records, drops the torn line and appends; so the result has the bytes of an
uninterrupted run. A lock prevents two runs from writing the same file.

The records of the earlier run are checked but not kept: the position of each child's line is enough to copy it byte
for byte.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from ..errors import Inconsistent, Truncated, VerificationError
from ..records import Header, ParentSetRecord
from ..schemas import PARENT_SETS
from ..sets.record_checks import content_digest
from ..streams import is_compressed, is_written_in_place, open_output
from ..temporaries import keep_access
from ..textlines import Lines
from ..wording import Warn, ignore, option_value
from .jsonl import JsonlHeader, disagreement, read_entries, read_header, require_agreement
from .jsonl_writer import encode_fields, encode_header, encode_record

NOT_COMPARED = frozenset({"time", "time_per_variable", "memory"})
"""Options that may differ between parts of a run: limits that affect only slow machines."""


def _part_name(target: str) -> str:
    return f"{os.path.realpath(target) if os.path.islink(target) else target}.part"


def _find_parts(source: str) -> list[str]:
    """The files with records of an earlier run that was to write `source`: ``FILE.part`` and FILE, if they exist."""
    return [path for path in (_part_name(source), source) if os.path.isfile(path) and os.path.getsize(path)]


def first_header(source: str) -> Header | None:
    """The header of an earlier run that was to write `source`; None if there is none."""
    for path in _find_parts(source):
        with Lines(path) as lines, contextlib.suppress(Truncated):
            return read_header(lines).header
    return None


class ResumableOutput:
    """Parent sets appended record by record to the records of an earlier run; made by `open_resumable`.

    `finished`: children with a record of an earlier run; `write` takes the records of the others.
    """

    def __init__(
        self, stream: BinaryIO, header: Header, children: Sequence[int], earlier: Gathered, part: str | None
    ):
        self._stream = stream
        # Standard output may be a file to which others write as well (>>), and devices cannot be truncated.
        self._owns_stream = part is not None
        self._children = children
        self._earlier = earlier
        self._header_line = encode_header(PARENT_SETS.name, header)
        self.n_there = 0
        self._position = 0
        ours = read_header(Lines(io.BytesIO(self._header_line)))
        for file in earlier.files:
            _require_same_run(ours, file)
        same = [file for file in earlier.files if file.header.fields.get("shard") == ours.fields.get("shard")]
        if same:
            # The time of writing is kept, so the result has the bytes of one uninterrupted run.
            self._header_line = encode_fields(same[0].header.fields)
        self._places = {child: place for child, place in earlier.places.items() if place.path != part}
        if same and same[0].path == part:
            self._keep_records(same[0])
        self.finished = {*children[: self.n_there], *self._places}.intersection(children)

    def _keep_records(self, part: PartFile) -> None:
        """Count the records at the beginning of the part file that are in this run's order; later ones are unused."""
        self._position = part.header_end
        for child in self._children:
            place = self._earlier.places.get(child)
            # Only an unbroken sequence in this run's order can stay in place.
            if place is None or place.path != part.path or place.start != self._position:
                break
            self._position = place.end
            self.n_there += 1

    def write(self, records: Iterable[ParentSetRecord]) -> None:
        """Write the `records` of all unfinished children, in the order of the run, merged with the finished ones."""
        if self._owns_stream:
            self._stream.seek(self._position)
            self._stream.truncate()
        records = iter(records)
        children = self._children[self.n_there :]
        copies = self._earlier.lines([child for child in children if child in self._places])
        if self._position == 0:
            self._stream.write(self._header_line)
        for child in children:
            self._stream.write(next(copies) if child in self._places else encode_record(next(records)))
            # Record by record: a kill tears at most the last line.
            self._stream.flush()
            self.n_there += 1
        for _ in records:
            raise ValueError("more records than children")


@contextlib.contextmanager
def open_resumable(
    target: str, header: Header, children: Sequence[int], resume: str | None = None, warn: Warn | None = None
) -> Iterator[ResumableOutput]:
    """Open a parent-set file that a later run can resume.

    - `target`: a path, which appears only when all records are written, or ``-``.
    - `children`: children of the run, in the order of their records.
    - `resume`: a file whose finished records are kept, or the target of an unfinished run.
    Raises `Inconsistent`: the earlier records come from other data or options; `OSError`: the file cannot be written,
    or another run is writing it.
    """
    warn = warn or ignore
    if target == "-" or is_written_in_place(target):
        earlier = _gather_earlier(resume, warn)
        with open_output(target) as stream:
            yield ResumableOutput(stream, header, children, earlier, None)
        return
    part = _part_name(target)
    with _open_locked(part, target) as stream:
        output = None
        try:
            if resume is None and os.fstat(stream.fileno()).st_size:
                goes_on = f"--resume {option_value(target)} goes on with it"
                warn(f"starting over: {part} of an unfinished run is overwritten ({goes_on})")
            output = ResumableOutput(stream, header, children, _gather_earlier(resume, warn), part)
            yield output
            stream.flush()
            # The bytes first, then the name.
            os.fsync(stream.fileno())
            if os.path.exists(target):
                keep_access(stream.fileno(), os.stat(target))
            os.replace(part, part.removesuffix(".part"))
        except BaseException as error:
            if isinstance(error, OSError):
                error.filename = target  # the name that the user knows
            n_there = output.n_there if output else os.fstat(stream.fileno()).st_size
            # The program that failed a check also wrote the earlier records, so these are unreliable.
            if n_there == 0 or isinstance(error, VerificationError):
                os.unlink(part)
            elif output:
                warn(f"what was finished is kept in {part}: --resume {option_value(target)} goes on with it")
            raise


def _gather_earlier(resume: str | None, warn: Warn) -> Gathered:
    if resume is None:
        return Gathered()
    sources = _find_parts(resume)
    if not sources:
        warn(f"{resume} holds nothing of an earlier run: starting from the beginning")
    return gather(sources)


def _require_same_run(ours: JsonlHeader, file: PartFile) -> None:
    if difference := disagreement(ours, file.header):
        raise Inconsistent(
            f"the file was made from other input: it differs in {difference}",
            source=file.path,
            remedy="go on with the same data and options, or write to another file",
        )
    require_same_options(ours.header, file.header.header, file.path)


@contextlib.contextmanager
def _open_locked(part: str, target: str) -> Iterator[BinaryIO]:
    """The part file, created if need be, open for reading and writing and locked against other runs."""
    with open(os.open(part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), "r+b") as stream:
        try:
            # Opened without truncation: records of another run must survive until this one has the lock.
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # A run that has just ended may have renamed the file between opening and locking.
            if not os.path.exists(part) or not os.path.samestat(os.fstat(stream.fileno()), os.stat(part)):
                raise BlockingIOError
        except BlockingIOError:
            raise OSError(errno.EAGAIN, "another run is writing it", target) from None
        yield stream


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
