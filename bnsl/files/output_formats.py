"""The format of an output: given by --format or by the output's name, which must not contradict each other."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from formats.kinds import Format, Kind
from formats.registry import COMPRESSED, FORMATS, find_format, formats_of, named_formats

from ..plots import PICTURES, require_matplotlib
from ..running.errors import UsageError, refuse_removed_format

JSON_LINES = Format("jsonl", Kind.UNKNOWN, "JSON lines", suffix=".jsonl")
"""Objects of no format of its own, and what a name means that ends in .jsonl and no more."""

TABLE_FORMATS = tuple(row.target for row in formats_of(Kind.DATA, written=True))
"""Choices of ``--format`` for commands that write data."""

ARC_TABLES = ("arcs", "feather", "arrow", "parquet")
"""Formats of a list of arcs, chosen by the output's name; the first is CSV."""

WRITTEN: dict[str, tuple[str, ...]] = {
    "entropy": ("entropy", "feather", "parquet", "csv"),
    "screen": ("forest",),
    "parentsets": ("parentsets",),
    "proof": ("proof",),
    "trace": ("trace", "arrow", "feather", "parquet"),
    "posterior": ("arc-probabilities", "feather", "parquet", "csv"),
    "dags": ("network",),
    "answers": ("csv",),
    "points": ("csv", "arrow", "feather", "parquet"),
    "optimize": ("network", "dot", "graphml"),
    "bootstrap": ("network",),
    "average": ("network", "dot", "graphml"),
    "strengths": ("arc-probabilities", "feather", "parquet", "csv"),
    "evaluate": ("jsonl",),
    "sample": TABLE_FORMATS,
    "fit": (*(row.target for row in formats_of(Kind.PARAMETERS, written=True)), "network"),
    "query": ("csv", "arrow", "feather", "parquet", "jsonl"),
    "effects": ("arrow", "csv", "feather", "parquet", "jsonl"),
    "explain": ("csv", "arrow", "feather", "parquet", "jsonl"),
    "discretize": TABLE_FORMATS,
    "formats": ("jsonl",),
}
"""Formats that each command writes, the default first."""

PLOTTED = ("posterior", "strengths", "evaluate", "query", "effects")
"""What is also drawn, by the name of its output, in the formats of `plots.PICTURES`."""


SHEETS = ("screen", "parentsets", "evaluate", "formats")
"""What is also written as CSV for spreadsheets; its command asks for that before the format of its output."""


def picture_format(output: str) -> str | None:
    """The format of the picture that an output's name means; None if it means none.

    Raises `RunError`: matplotlib is not installed.
    """
    named = next((row.target for row in named_formats(output) if row.target in PICTURES), None)
    if named is not None:
        require_matplotlib()
    return named


def output_format(command: str, output: str, given: str | None = None, option: str = "-o") -> str:
    """The format in which a command writes its output.

    - `command`: key of `WRITTEN`.
    - `output`: file name.
    - `given`: the format required by another option.
    - `option`: the output's option, for messages. Raises `UsageError`: the output's name means a format that the
    command does not write, or one that differs from `given`.
    """
    if given is None and command in PLOTTED and (drawn := picture_format(output)) is not None:
        return drawn
    offered = ARC_TABLES if given == "arcs" else (given,) if given else WRITTEN[command]
    named = named_formats(output)
    if output.lower().endswith(COMPRESSED) and not (named and named[0].kind is Kind.DATA):
        raise UsageError(f"{option} {output}: only tables are written compressed; write to '-' and pipe into gzip.")
    if not named and output.lower().endswith(JSON_LINES.suffix):
        named = [JSON_LINES, *(row for row in FORMATS if row.suffix.endswith(JSON_LINES.suffix))]
    for target in offered:
        if target in (row.target for row in named):
            return target
    if named:
        raise UsageError(f"{option} {output} names {named[0].called}, {_remedy(command, named[0], output, given)}")
    refuse_removed_format(output)
    return offered[0]


def _remedy(command: str, named: Format, output: str, given: str | None) -> str:
    output = shlex.quote(output)
    if given:
        return f"but {given} was asked for: {_own_names([given])}"
    if named.kind is Kind.PARAMETERS and command == "optimize":
        return f"which needs parameters: bnsl optimize ... | bnsl fit - DATA -o {output}"
    if command == "parentsets" and named.kind is Kind.PARENT_SETS:
        return f"which convert writes: bnsl parentsets ... | bnsl convert --to {named.target} -o {output}"
    if "dot" in WRITTEN[command]:  # one network, which convert draws and writes in all formats of networks
        return f"which convert writes: bnsl {command} ... | bnsl convert --to {named.target} -o {output}"
    if command in SHEETS and find_format("csv").suffix in {row.suffix for row in named_formats(output)}:
        return "which --format csv writes"
    own = (*WRITTEN[command], *(("csv",) if command in SHEETS else ()), *(PICTURES if command in PLOTTED else ()))
    return f"which does not fit this result: {_own_names(own)}"


def _own_names(targets: Iterable[str]) -> str:
    rows = (find_format(target, (*FORMATS, JSON_LINES)) for target in targets)
    *first, last = dict.fromkeys(ending for row in rows for ending in row.suffixes) or ("",)
    words = f"{', '.join(first)} or {last}" if first else last
    return f"let the name end in {words}" if last else "choose another name"
