"""Parts of a search on data without a treewidth bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from .parts import Part
from .patches import Acts, Patch, Text, Value

PRICING = "stages.optimize.pricing."
ORDERS = PRICING + "order_pricing:"
START = PRICING + "greedy_start:"


def _grown_anew(trees: Any, moved: int, others: np.ndarray, is_spent: Any) -> np.ndarray | None:
    """`KeptTrees.score_slots` by growth from nothing: one slot further, only `moved` and one other set change."""

    def grown(child: int, order: np.ndarray) -> float:
        allowed = np.zeros(len(order), dtype=np.bool_)
        allowed[order[: int(np.flatnonzero(order == child)[0])]] = True
        return float(trees.growers[child].score(trees.growers[child].grow_and_shrink(allowed)))

    order = np.insert(others, 0, moved)
    own = np.array([grown(int(child), order) for child in order])
    totals = [own.sum()]
    for slot, passed in enumerate(others.tolist()):
        if is_spent():
            return None
        order = np.insert(others, slot + 1, moved)
        before = own[[0, slot + 1]].sum()
        own[0], own[slot + 1] = grown(moved, order), grown(passed, order)
        totals.append(totals[-1] + own[[0, slot + 1]].sum() - before)
    return np.array(totals)


def _part(acts: Acts, *patches: Patch, table: str = "plants") -> Part:
    return Part(("any",), table, patches, acts)


PARTS = {
    "best moves": _part(
        Acts(ORDERS + "climb_order"), Value(ORDERS + "OrderPricing._best_moves", lambda engine, order: order)
    ),
    "best moves at first": _part(
        Acts(ORDERS + "climb_order"),
        Text(
            ORDERS + "OrderPricing._climb_first",
            "if self.run.options.start is None and all(grower.reach is None for grower in self.run.growers):",
            "if False:",
        ),
    ),
    "grow-shrink trees": _part(
        Acts(ORDERS + "climb_order"), Value(PRICING + "boss:KeptTrees.score_slots", _grown_anew)
    ),
    "other basins": _part(
        Acts(ORDERS + "OrderPricing.leave"), Value(ORDERS + "HOME_PATIENCE", 1 << 60), table="alarm"
    ),
    "growth in orders near": _part(Acts(ORDERS + "OrderPricing.grow"), Value(ORDERS + "NEAR_ORDERS", 0)),
    "longer searches": _part(
        Acts(ORDERS + "OrderPricing.search", lambda _, engine: engine.away is not None or engine.home.idle > 0),
        Value(ORDERS + "LONGER", 1),
        table="andes",
    )._replace(tasks=("any", "tw5", "tw20")),
    "complete lists": _part(
        Acts(PRICING + "loop:enumerate_all"), Value(PRICING + "loop:list_all", lambda *_: False), table="nltcs"
    ),
    "reach": _part(
        Acts(START + "GrowingClimber.widen", lambda _, climber, *__: len(climber.growers) - 1 > 128),
        Value(START + "FEW", 1 << 60),
        table="wide",
    ),
    "forest first": _part(
        Acts(START + "FirstForest.watch"),
        Text(
            ORDERS + "find_start",
            "forest = FirstForest(run) if not any(start) and run.constraints.max_parents > 0 else None",
            "forest = None",
        ),
        table="wide",
    )._replace(tasks=("any", "tw2", "tw5")),
}
