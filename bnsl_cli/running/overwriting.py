"""Files of a command line, checked before anything is opened: no output may be an input, and each must have a place.

Files are compared by device and inode, so that links and different spellings of a path are recognised.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

import click

from bnsl.running.errors import UsageError, without_folder

from .click_types import ArcsOrPath, InputPath, OutputPath

RENEWALS: dict[tuple[str, str, str], str | None] = {
    ("parentsets", "resume", "output"): "parentsets",
    ("parentsets", "extend", "output"): "parentsets",
    ("optimize", "sets", "save_sets"): "parentsets",
    ("optimize", "start", "output"): "network",
    ("convert", "source", "output"): None,
}
"""Command, input and output such that the result may replace the input, if the input has the given format (None: the
output's format). The result contains the input, which was read to its end before.
"""


class NamedFile(NamedTuple):
    """A file named by a parameter: the parameter, its name for users, the path, the file's status if it exists."""

    parameter: str
    called: str
    path: str
    status: os.stat_result | None


def check_outputs(ctx: click.Context) -> None:
    """Refuse a command line that would overwrite one of its inputs, or write two results to one file, or a file in a
    folder that does not exist. No input and no output has the empty name.
    """
    _require_names(ctx)
    inputs = [place for place in _inputs(ctx) if place.status]
    outputs = list(_outputs(ctx))
    for output in outputs:
        if missing := without_folder(output.path):
            raise missing
        for source in inputs:
            if _is_same(output, source) and not _is_renewal(ctx, source, output):
                raise UsageError(
                    f"{output.called} is also the input {source.called} ({source.path}), which the result would"
                    " replace: write to another file."
                )
    for number, output in enumerate(outputs):
        for other in outputs[:number]:
            if other.parameter != output.parameter and _is_same(output, other):
                raise UsageError(f"{other.called} and {output.called} name the same file {output.path}.")


def _require_names(ctx: click.Context) -> None:
    for parameter in ctx.command.params:
        value = ctx.params.get(parameter.name or "")
        is_file = isinstance(parameter.type, (InputPath, OutputPath)) and not isinstance(parameter.type, ArcsOrPath)
        if is_file and "" in (value if isinstance(value, tuple) else (value,)):
            raise UsageError(f"{_called(parameter)} '': give the name of a file.")


def _inputs(ctx: click.Context) -> Iterator[NamedFile]:
    for parameter in ctx.command.params:
        if isinstance(parameter.type, InputPath) and parameter.name:
            for path in parameter.type.paths(ctx.params.get(parameter.name)):
                yield NamedFile(parameter.name, _called(parameter), path, _regular_file(path))
    yield NamedFile("-", "on standard input", "<stdin>", _regular_file(0))


def _outputs(ctx: click.Context) -> Iterator[NamedFile]:
    for parameter in ctx.command.params:
        path = ctx.params.get(parameter.name or "")
        if isinstance(parameter.type, OutputPath) and parameter.name and path and path != "-":
            # From this file a later run of parentsets goes on.
            unfinished = [f"{path}.part"] if ctx.info_name == "parentsets" else []
            for name in (path, *unfinished):
                yield NamedFile(parameter.name, _called(parameter), name, _regular_file(name))
    yield NamedFile("-", "standard output", "<stdout>", _regular_file(1))


def _called(parameter: click.Parameter) -> str:
    return (
        max(parameter.opts, key=len) if isinstance(parameter, click.Option) else str(parameter.metavar).strip("[].")
    )


def _regular_file(path: str | int) -> os.stat_result | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _is_same(one: NamedFile, other: NamedFile) -> bool:
    # Only regular files have a status here; links are followed.
    if one.status and other.status:
        return os.path.samestat(one.status, other.status)
    if os.path.exists(one.path) or os.path.exists(other.path):
        return False  # pipes and devices may be named twice
    return os.path.realpath(one.path) == os.path.realpath(other.path)


def _is_renewal(ctx: click.Context, source: NamedFile, output: NamedFile) -> bool:
    key = (str(ctx.info_name), source.parameter, output.parameter)
    if key not in RENEWALS:
        return False
    from formats.detection import detect_lines
    from formats.kinds import Kind
    from formats.textlines import Lines

    lines = Lines(source.path)
    found = detect_lines(lines)
    lines.close()
    if found.kind is Kind.DATA:
        return False
    target = RENEWALS[key] or ctx.params["to"]
    return found.target == target if target else output.path.lower().endswith(tuple(found.suffixes))
