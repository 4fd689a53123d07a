"""Reading and writing candidate parent sets in any format: our JSON lines, jkl, pss; the input's is detected."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import BinaryIO

from ..detection import require_format
from ..kinds import Kind
from ..records import Header, ParentSetRecord, ParentSetTable
from ..registry import load, load_writer
from ..streams import open_output
from ..textlines import Lines, as_lines
from ..wording import Warn, ignore


def _open_records(lines: Lines, partial: bool, warn: Warn | None) -> tuple[Header, Iterator[ParentSetRecord]]:
    row = require_format(lines, (Kind.PARENT_SETS,), "parent sets")
    return load(row.reader)(lines, partial=partial, warn=warn or ignore)


def open_parent_sets(
    source: str | BinaryIO | Lines, *, partial: bool = False, warn: Warn | None = None
) -> ParentSetTable:
    """Read all parent sets of a file or stream into arrays, best set first; ties by fewer parents, then by indices.

    - `source`: a path or ``-``; parent-set or network JSON lines, jkl (three dialects) or pss, gzipped or not.
    - `partial`: accept a stream that ends early; variables that did not arrive have no sets at all.
    - `warn`: called with assumptions about foreign files.
    """
    with as_lines(source) as lines:
        return ParentSetTable.from_records(*_open_records(lines, partial, warn))


def open_parent_set_stream(
    source: str | BinaryIO | Lines, *, warn: Warn | None = None
) -> tuple[Header, Iterator[ParentSetRecord]]:
    """Read the header now and the records one by one; parameters as in `open_parent_sets`.

    Unknown keys are kept in ``extra``. Errors in records are raised while iterating.
    """
    lines = as_lines(source)
    try:
        header, found = _open_records(lines, False, warn)
    except BaseException:
        lines.close()
        raise

    def records() -> Iterator[ParentSetRecord]:
        with lines:
            yield from found

    return header, records()


def _is_read_live(stream: BinaryIO) -> bool:
    """Whether another process may be reading while we write: a pipe, socket or terminal."""
    with suppress(OSError, AttributeError):
        return not stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    return False


def write_parent_sets(
    target: str, header: Header, records: Iterable[ParentSetRecord], *, format: str = "parentsets"
) -> int:
    """Write records as they come and return their number; in a pipe, each is flushed at once.

    - `target`: a path (which appears only when all is written) or ``-``.
    - `records`: sets in order, best first.
    - `format`: ``parentsets`` (our JSON lines), ``jkl``, ``pss`` or another of `registry`.
    Raises `ValueError`: no such format is written; a score is not finite.
    """
    chunks = load_writer(format, Kind.PARENT_SETS)(header, records)
    n_chunks = 0
    with open_output(target) as stream:
        live = _is_read_live(stream)
        for chunk in chunks:
            stream.write(chunk)
            n_chunks += 1
            if live:
                stream.flush()
    # The first chunk is the header.
    return n_chunks - 1
