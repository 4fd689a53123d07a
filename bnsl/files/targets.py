"""The target formats of `bnsl.convert`."""

from __future__ import annotations

from formats.kinds import STRUCTURES, Kind
from formats.registry import FORMATS, formats_of, named_formats

from ..running.errors import UsageError, refuse_removed_format


def _written(*kinds: Kind) -> tuple[str, ...]:
    return tuple(row.target for row in formats_of(*kinds, written=True))


DATA_TARGETS = _written(Kind.DATA)

PICTURES = _written(Kind.PICTURE)
"""Targets whose boxes can show probabilities."""

FAMILIES = {
    "candidate parent sets with scores": _written(Kind.PARENT_SETS),
    "networks": _written(*STRUCTURES),
    "pictures of networks": PICTURES,
    "data tables": DATA_TARGETS,
    "networks, parent sets, forests: to read": ("table",),
}
"""Targets, grouped under a common line of the help."""
TARGETS = tuple(target for family in FAMILIES.values() for target in family)

ESSENTIAL = tuple(row.target for row in FORMATS if row.has_edges or row.kind is Kind.PICTURE)
"""Targets that hold undirected edges beside arcs."""

WITH_STRENGTHS = ("network", *(target for target in ESSENTIAL if target != "adjacency"), "table")
"""Targets that show the strengths of arcs."""

STRUCTURE_TARGETS = (*_written(*STRUCTURES, Kind.PICTURE), "table")
"""Targets for networks only, and the table to read."""

PARAMETER_TARGETS = _written(Kind.PARAMETERS)
*_FIRST, _LAST = PARAMETER_TARGETS
WITH_PARAMETERS = f"{', '.join(_FIRST)} and {_LAST}"


def guess_target(output: str) -> str:
    """The target format of an output's name; a usage error if the name, such as .csv, does not determine one."""
    named = [row.target for row in named_formats(output) if row.target in TARGETS]
    if len(named) == 1:
        return named[0]
    refuse_removed_format(output)
    raise UsageError(f"give the format to write: --to {'|'.join(TARGETS)}.")
