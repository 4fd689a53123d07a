"""Claims of parent-set files, checked against their records. Scores are not recomputed here, which needs data."""

from __future__ import annotations

from ..records import Header
from .setblocks import Fail, SetBlock


def check_block(block: SetBlock, header: Header, fail: Fail) -> None:
    """Call `fail` where a checked block contradicts its own facts or the last header before it."""
    whose, facts = f"variable {header.names[block.child]!r}", block.facts
    if facts.complete and facts.is_cut_short:
        fail(f"{whose} is marked complete, and as cut short")
    if facts.evaluated is not None and facts.evaluated < 0:
        fail(f"{whose} has {facts.evaluated} scores evaluated")
    most, largest = (header.limits or {}).get("max_parents"), block.sizes.max()
    if most is not None and not facts.fixed and largest > most:
        fail(f"{whose} lists a set of {largest} parents; the header says that they are {most} at most")


def foreign_claims(header: Header) -> str | None:
    """A warning about keys of networks in the header of parent sets; None if there are none."""
    keys = [repr(key) for key in ("total", "bound", "gap", "treewidth") if key in header.extra]
    return f"the header's {', '.join(keys)} describe a network, not these sets: ignored" if keys else None
