"""A conversion carried out, by the kind of its target."""

from __future__ import annotations

from formats.kinds import Kind
from formats.lookup import find_format

from .networks import write_picture, write_structure
from .other_kinds import write_data, write_readable, write_sets
from .task import Conversion

WRITERS = {Kind.PARENT_SETS: write_sets, Kind.PICTURE: write_picture, Kind.DATA: write_data}
"""Functions for targets of these kinds; those of all others are structures."""


def convert(task: Conversion) -> None:
    """Write the target of a conversion."""
    if task.format == "table":
        write_readable(task)
    else:
        WRITERS.get(find_format(task.format).kind, write_structure)(task)
