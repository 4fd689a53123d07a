"""A conversion carried out, by the kind of its target."""

from __future__ import annotations

from formats.kinds import Kind
from formats.lookup import find_format

from .task import Conversion


def convert(task: Conversion) -> None:
    """Write the target of a conversion."""
    kind = None if task.format == "table" else find_format(task.format).kind
    if kind in (Kind.PARENT_SETS, Kind.DATA):
        from .other_kinds import write_data, write_sets

        (write_data if kind is Kind.DATA else write_sets)(task)
        return
    from .networks import write_picture, write_readable, write_structure

    {None: write_readable, Kind.PICTURE: write_picture}.get(kind, write_structure)(task)
