"""Parts of the bound on given lists, of any width and under a treewidth."""

from __future__ import annotations

from typing import Any

from stages.optimize.bounds.cluster_cuts import ClusterSeparator
from stages.optimize.bounds.zero_half_cuts import HalvedSumSeparator

from .parts import Part
from .patches import Acts, Patch, Text, Value, Wrapped

BOUNDS = "stages.optimize.bounds."
LAGRANGIAN = BOUNDS + "lagrangian:"
TRIANGLES = BOUNDS + "width.triangle_prices:"
WIDTHS = ("bound2", "bound3", "bound4", "bound8")


def _found_some(found: tuple[Any, int], *_: Any) -> bool:
    return len(found[0]) > 0


def without_sums(separators: Any) -> Any:
    """All separators but those of halved sums."""
    return tuple(tuple(s for s in some if not isinstance(s, HalvedSumSeparator)) for some in separators)


def _without_clusters(*demands: int) -> Wrapped:
    def kept(separator: Any) -> bool:
        return not (isinstance(separator, ClusterSeparator) and separator.demand in demands)

    return Wrapped(LAGRANGIAN + "SEPARATORS", lambda all_: tuple(tuple(filter(kept, some)) for some in all_))


def _part(acts: Acts, *patches: Patch) -> Part:
    return Part(("bound",), "plants", patches, acts)


def _priced(acts: Acts, *patches: Patch) -> Part:
    return Part(WIDTHS, "plants", patches, acts)


PARTS = {
    "zero-half cuts": _part(
        Acts(BOUNDS + "zero_half_cuts:HalvedSumSeparator.separate", _found_some),
        Wrapped(LAGRANGIAN + "SEPARATORS", without_sums),
    ),
    "cluster cuts": _part(
        Acts(BOUNDS + "cluster_cuts:ClusterSeparator.separate", _found_some), _without_clusters(1, 2)
    ),
    "clusters of demand two": _part(
        Acts(BOUNDS + "cluster_cuts:ClusterSeparator.separate", lambda found, own, *_: own.demand == 2 and found[0]),
        _without_clusters(2),
    ),
    "active sets": _part(
        Acts(BOUNDS + "active_sets:ActiveRound.step", lambda _, own, *__: len(own._sets) < own._n_sets),
        Value(BOUNDS + "active_sets:ACTIVE_SHARE", -1.0),
    ),
    "excluded sets": _part(
        Acts(BOUNDS + "cut_pool:CutPool.keep_sets"),
        Text(LAGRANGIAN + "BoundSearch._evaluate", "if np.count_nonzero(kept) <= 0.9 * len(kept):", "if False:"),
    ),
    "residual problem": _part(
        Acts(LAGRANGIAN + "solve_residual", lambda solved, *_: solved is not None),
        Value(LAGRANGIAN + "solve_residual", lambda *_: None),
        Value("stages.optimize.exact.node:solve_residual", lambda *_: None),
    )._replace(tasks=("bound", "proof", "proof2")),
    "prices of edges": _priced(
        Acts(LAGRANGIAN + "BoundSearch.narrowed"), Value(BOUNDS + "width.width_search:can_price", lambda *_: False)
    ),
    "prices of triangles": _priced(
        Acts(TRIANGLES + "TrianglePrices.__init__"), Value(LAGRANGIAN + "can_price_triangles", lambda *_: False)
    ),
}
