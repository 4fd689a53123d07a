"""Reading and writing screening forests as our JSON lines: the parents of every screened variable."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from ..detection import require_format
from ..graphs.structures import require_acyclic
from ..kinds import Kind
from ..records import ParentSetRecord, ScreeningForest
from ..schemas import FOREST
from ..streams import open_output
from ..textlines import Lines, as_lines
from .jsonl import read_header, read_records
from .jsonl_writer import encode_header, encode_record


def open_forest(source: str | BinaryIO | Lines) -> ScreeningForest:
    """Read a screening forest.

    Raises `FormatError`: with file and line; also when a variable has no parent or the arcs form a cycle.
    """
    with as_lines(source) as lines:
        require_format(lines, (Kind.FOREST,), "a screening forest")
        head = read_header(lines)
        names = head.header.names
        parents: dict[int, tuple[int, ...]] = {}
        scores: dict[int, float] = {}
        for record in read_records(lines, head, unknown_scores=True):
            parents[record.child] = tuple(record.parents[0])
            if not parents[record.child]:
                lines.fail(f"variable {names[record.child]!r} has no parent; a forest leaves roots out")
            if not np.isnan(record.scores[0]):
                scores[record.child] = float(record.scores[0])
        require_acyclic(names, [parents.get(v, ()) for v in range(len(names))])
        return ScreeningForest(head.header, parents, scores)


def write_forest(target: str, forest: ScreeningForest) -> None:
    """Write a screening forest as JSON lines, in variable order; unknown local scores become null."""
    with open_output(target) as stream:
        stream.write(encode_header(FOREST.name, forest.header, len(forest.parents)))
        for child, members in sorted(forest.parents.items()):
            record = ParentSetRecord.of(child, (members,), (forest.scores.get(child, float("nan")),))
            stream.write(encode_record(record, unknown_scores=True))
