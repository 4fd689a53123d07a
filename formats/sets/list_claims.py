"""What a file of parent sets claims, compared with its records: what the file itself belies is not taken for true.

`formats.json_lines.jsonl` calls these checks for every file of parent sets. Scores themselves are computed anew from
data by those who have data.
"""

from __future__ import annotations

from ..records import Header
from .setblocks import Fail, SetBlock


def check_block(block: SetBlock, header: Header, fail: Fail) -> None:
    """Call `fail` where a checked block contradicts its own marks or the last header before it.

    Parameters
    ----------
    block : SetBlock
    header : Header
    fail : callable
    """
    whose = f"variable {header.names[block.child]!r}"
    if block.complete and ("interrupted" in block.extra or "ended" in block.extra):
        fail(f"{whose} is marked complete, and as cut short")
    if block.evaluated is not None and block.evaluated < 0:
        fail(f"{whose} has {block.evaluated} scores evaluated")
    most = (header.limits or {}).get("max_parents")
    if most is not None and not block.fixed and block.sizes.max() > most:
        fail(
            f"{whose} lists a set of {block.sizes.max()} parents; the header says that they are {most} at most"
        )


def foreign_claims(header: Header) -> str | None:
    """A warning of header keys that are about a network where sets are listed; None if there are none."""
    keys = [key for key in ("total", "bound", "gap", "treewidth") if key in header.extra]
    if not keys:
        return None
    return (
        f"the header's {', '.join(repr(key) for key in keys)} tell of a network, not of these sets: left out"
    )
