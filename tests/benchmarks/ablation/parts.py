"""All parts that can be switched off."""

from __future__ import annotations

from typing import NamedTuple

from .patches import Acts, Patch


class Part(NamedTuple):
    """A part of the program."""

    tasks: tuple[str, ...]  # names in `tasks.TASKS` that it serves
    table: str  # name in `tables.TABLES`: where it is most likely to help, measured first
    patches: tuple[Patch, ...]  # these switch it off
    acts: Acts


def all_parts() -> dict[str, Part]:
    """The parts by name."""
    from . import parts_any_width, parts_bounds, parts_exact, parts_kernels, parts_others, parts_width

    groups = (parts_width, parts_any_width, parts_bounds, parts_exact, parts_others, parts_kernels)
    return {name: part for group in groups for name, part in group.PARTS.items()}
