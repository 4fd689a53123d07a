"""Reading and writing screening forests as our JSON lines: one parent for every screened variable."""

from __future__ import annotations

import dataclasses
from typing import Any, BinaryIO

import numpy as np

from ..detection import require_format
from ..graphs.structures import require_acyclic
from ..kinds import Kind
from ..records import Forest, ParentSetRecord
from ..schemas import FOREST
from ..streams import open_output
from ..textlines import Lines, as_lines
from .jsonl import read_blocks, read_header
from .jsonl_writer import encode_header, encode_record


def open_forest(source: str | BinaryIO | Lines) -> Forest:
    """Read a screening forest.

    Raises
    ------
    FormatError
        With file and line; also when a variable has not exactly one parent or the arcs form a cycle.
    """
    lines = as_lines(source)
    try:
        require_format(lines, (Kind.FOREST,), "a screening forest")
        return _read_forest(lines)
    finally:
        lines.close()


def _read_forest(lines: Lines) -> Forest:
    head = read_header(lines)
    parents: dict[int, int] = {}
    scores: dict[int, float] = {}
    for block in read_blocks(lines, head, unknown_scores=True):
        if len(block.parents) != 1:
            name = head.header.names[block.child]
            lines.fail(f"variable {name!r} has {len(block.parents)} parents; a forest gives each one")
        parents[block.child] = int(block.parents[0])
        if not np.isnan(block.scores[0]):
            scores[block.child] = float(block.scores[0])
    as_sets = [(parents[v],) if v in parents else () for v in range(head.header.n_variables)]
    require_acyclic(head.header.names, as_sets, lines.source)
    return Forest(head.header, parents, scores)


def write_forest(target: str, forest: Forest) -> None:
    """Write a screening forest as JSON lines, in variable order; unknown local scores become null."""
    extra: dict[str, Any] = {k: v for k, v in forest.header.extra.items() if k != "records"}
    header = dataclasses.replace(forest.header, extra=extra)
    with open_output(target) as stream:
        stream.write(encode_header(FOREST.name, header, len(forest.parents)))
        for child in sorted(forest.parents):
            record = ParentSetRecord(
                child, ((forest.parents[child],),), (forest.scores.get(child, float("nan")),)
            )
            stream.write(encode_record(record, unknown_scores=True))
