"""A search that goes on from the best network of an unfinished run of the same search."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from formats.records import Network

from .bounds.claims import holds_in_other_runs


def continued(found: Network, earlier: Network) -> Network:
    """What the two runs know together: the better network, and the smaller bound with its claim.

    Both networks are verified, and of the same search. A bound on lists that grew during the earlier run is left
    out: the lists of this run are others.
    """
    was: dict[str, Any] = earlier.header.extra
    extra = dict(found.header.extra)
    if was["total"] > extra["total"]:
        found = replace(found, parents=earlier.parents, scores=earlier.scores)
        extra |= {key: was[key] for key in ("total", "treewidth") if key in was}
    if (
        "bound" in was
        and holds_in_other_runs(was["bound_relative_to"])
        and was["bound"] < extra.get("bound", math.inf)
    ):
        extra |= {key: was[key] for key in ("bound", "gap", "bound_relative_to")}
    if "bound" in extra:
        extra["bound"] = max(extra["bound"], extra["total"])
        extra["gap"] = extra["bound"] - extra["total"]
    return replace(found, header=replace(found.header, extra=extra))
