"""Parts of a search on data under a treewidth bound."""

from __future__ import annotations

from typing import Any

from stages.optimize.treewidth.narrowing import elimination_within

from .parts import Part
from .patches import Acts, Patch, Text, Value, Wrapped

PRICING = "stages.optimize.pricing."
KTREES = PRICING + "ktree_pricing:"
SCHEDULE = PRICING + "walk_schedule:"
WIDTHS = ("tw2", "tw5", "tw8", "tw20")


def _within_only(narrowed: Any) -> Any:
    """`narrowed_network` for networks that are within the bound; None for all others."""

    def found(lists: Any, treewidth: int, bound: Any, rng: Any, parents: Any, budget: Any) -> Any:
        if elimination_within(parents, treewidth, bound, rng) is None:
            return None
        return narrowed(lists, treewidth, bound, rng, parents, budget)

    return found


def _part(acts: Acts, *patches: Patch, table: str = "plants") -> Part:
    return Part(WIDTHS, table, patches, acts)


def _priced(answer: str) -> Text:
    """Pricing of cliques that ends at once; `answer` says whether all children are priced then."""
    start = "run, scorer, n = self.run, self._scorer, self.run.scorer.n_variables"
    return Text(PRICING + "clique_growth:CliquePricing.price", start, f"return [{answer}] * len(self.run.growers)")


PARTS = {
    "walk": _part(
        Acts(KTREES + "KTreePricing._walk_orders"),
        Text(
            KTREES + "KTreePricing.search",
            "elif self._walks and (self._tree is None or self.schedule.cooled() < 1.0):",
            "elif self._focus is None:",
        ),
    ),
    "joined families": _part(
        Acts(KTREES + "KTreePricing._join_families", lambda is_better, *_: is_better),
        Value(KTREES + "KTreePricing._join_families", lambda engine: False),
        table="wide",
    ),
    "cooling": _part(
        Acts(SCHEDULE + "WalkSchedule.temperature", lambda share, *_: share > 0.0),
        Text(SCHEDULE + "WalkSchedule.temperature", "else COOLING**cooled", "else 1e-9"),
    ),
    "triangulation": _part(Acts(KTREES + "KTreePricing._search_triangulations"), Value(KTREES + "MOST_VARIABLES", 0)),
    "groups": _part(
        Acts(KTREES + "KTreePricing._solve_groups"),
        Text(
            KTREES + "KTreePricing._make_arms",
            "arms = [Arm(self._solve_groups if is_grouped else self._walk_orders)]",
            "arms: list[Arm] = []",
        ),
    ),
    "orders arm": _part(
        Acts(KTREES + "KTreePricing._search_orders", lambda _, engine: engine.is_too_wide),
        Text(KTREES + "KTreePricing._make_arms", "arms.append(Arm(self._search_orders, gain=0.0))", "pass"),
    ),
    "clique growth": _part(Acts(PRICING + "clique_growth:CliquePricing.price"), _priced("True")),
    "clique pricing": _part(Acts(PRICING + "clique_growth:CliquePricing._price_pairs"), _priced("False")),
    "growth near the order": _part(
        Acts(KTREES + "KTreePricing.grow", lambda _, engine: engine.is_too_wide),
        Text(KTREES + "KTreePricing.grow", "run.grow_child(grower, near, focus.parents)", "pass"),
    ),
    "first phase": _part(
        Acts(PRICING + "widthless:OrdersWithinWidth.search"),
        Text(
            PRICING + "bounded:search_widthless", "result = learn(engine.run, engine, grows)", "engine.begin(grows)"
        ),
    ),
    "narrowing": _part(
        Acts(KTREES + "narrowed_network", lambda found, *args: found is not None and found.parents != args[4]),
        Wrapped(KTREES + "narrowed_network", _within_only),
        Wrapped(PRICING + "widthless:narrowed_network", _within_only),
    ),
    "triangulation after narrowing": _part(
        Acts(KTREES + "narrowed_network", lambda found, *args: found is not None and found.parents != args[4]),
        Value("stages.optimize.treewidth.triangulation:FEW_VARIABLES", 0),
    ),
    "triangulations": _part(  # both at once
        Acts(KTREES + "KTreePricing._search_triangulations"),
        Value(KTREES + "MOST_VARIABLES", 0),
        Value("stages.optimize.treewidth.triangulation:FIRST_TRIANGULATIONS", 0),
    ),
}
