"""Parts of exact search among given lists, without a width and within one."""

from __future__ import annotations

from typing import Any

from stages.optimize.bounds.zero_half_cuts import HalvedSumSeparator

from .parts import Part
from .patches import Acts, Patch, Text, Value, Wrapped

EXACT = "stages.optimize.exact."
CUTTING = EXACT + "branch_and_cut:"
ROWS = EXACT + "width.violated_rows:"
KINDS = (
    "clusters", "sinks", "edge_counts", "triangles_within_edges", "degrees", "triangles_of_edges", "links", "chords",
    "stars", "quads_within_triangles", "quads_of_triangles", "quads_of_edges",
)  # fmt: skip


def _no_sums(separators: Any) -> Any:
    return tuple(s for s in separators if not isinstance(s, HalvedSumSeparator))


def _part(acts: Acts, *patches: Patch) -> Part:
    return Part(("exact",), "alarm", patches, acts)


def _within(acts: Acts, *patches: Patch) -> Part:
    return Part(("exact2", "proof2"), "nltcs", patches, acts)


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
    "search in branches": _part(
        Acts(CUTTING + "BranchAndCut._merge", lambda _, own, branch, *__: branch.basis is not None),
        Text(CUTTING + "BranchAndCut._merge", "if branch.basis is not None:", "if False:"),
    ),
    "exclusion by multipliers": _within(
        Acts(EXACT + "width.within_width:_exclude"), Value(EXACT + "width.within_width:LEAST_SETS", 1 << 60)
    ),
} | {f"rows: {kind}": _within(Acts(ROWS + kind), Value(ROWS + kind, lambda point: ())) for kind in KINDS}
