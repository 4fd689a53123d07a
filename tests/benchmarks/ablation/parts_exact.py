"""Parts of exact search among given lists, without a width and within one."""

from __future__ import annotations

from typing import Any

from stages.optimize.bounds.zero_half_cuts import HalvedSumSeparator

from .parts import Part
from .parts_bounds import WIDTHS
from .patches import Acts, Patch, Value, Wrapped

EXACT = "stages.optimize.exact."
ROWS, CLIQUE_ROWS = EXACT + "width.violated_rows:", "stages.optimize.bounds.width.clique_rows:"
SHARED_TASKS = ("exact2", "proof2", *WIDTHS)  # of rows that the programme and the prices of triangles have


def _no_sums(separators: Any) -> Any:
    return tuple(s for s in separators if not isinstance(s, HalvedSumSeparator))


def _part(acts: Acts, *patches: Patch) -> Part:
    return Part(("exact", "proof"), "alarm", patches, acts)


def _within(acts: Acts, *patches: Patch) -> Part:
    return Part(("exact2", "proof2"), "nltcs", patches, acts)


def _no_rows(kinds: tuple[str, ...], tasks: tuple[str, ...], *modules: str) -> dict[str, Part]:
    """Parts of rows about sets and cliques that these modules look up."""

    def patches(kind: str) -> tuple[Patch, ...]:
        return tuple(Value(module + kind, lambda point: ()) for module in modules)

    return {f"rows: {kind}": Part(tasks, "nltcs", patches(kind), Acts(modules[0] + kind)) for kind in kinds}


PARTS = {
    "cuts in branches": _part(
        Acts(EXACT + "node:BranchWork.add_cuts", lambda added, *_: added > 0),
        Value(EXACT + "node:BranchWork.add_cuts", lambda *_: 0),
    ),
    "zero-half cuts in branches": _part(
        Acts(EXACT + "node:BranchWork.add_cuts", lambda added, *_: added > 0),
        Wrapped(EXACT + "node:SEPARATORS", _no_sums),
    ),
    "gains of orders": _part(
        Acts(EXACT + "branching:OrderGains.ranked"),
        Value(EXACT + "branching:OrderGains.is_reliable", lambda *_: True),
    ),
    "exclusion by multipliers": _within(
        Acts(EXACT + "width.within_width:_exclude"), Value(EXACT + "width.within_width:LEAST_SETS", 1 << 60)
    ),
}
PARTS |= _no_rows(("sinks", "edge_counts"), ("exact2", "proof2"), ROWS)
PARTS |= _no_rows(("triangles_within_edges",), SHARED_TASKS, CLIQUE_ROWS, ROWS)
PARTS |= _no_rows(
    ("least_degrees", "most_degrees", "triangles_of_edges", "links", "chords"), SHARED_TASKS, CLIQUE_ROWS
)
