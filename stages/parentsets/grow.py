"""Lists that expect acyclicity: sets grown and shrunk within the predecessors of orders (a method of this project).

Best-first lists hold each variable's best parents regardless of the others. Strongly dependent variables then list
each other, and acyclicity leaves most of them without a good set. Here each child's sets are grown among the
variables before it in an order, for many random orders or for orders near those of a given network. All children see
the same random orders, so their lists fit together, and each child depends on the seed alone, so shards and threads
do not change what is found.
"""

from __future__ import annotations

import numpy as np

from stages.runtime.budgets import Budget
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.set_grower import SetGrower

from .found_sets import BYTES_PER_SET, ChildLimits, FoundSets

EXTENSIONS_KEPT = 8
"""One-variable extensions of every visited set that are listed besides the chosen one; found by experiment."""


def search_child(scorer: FamilyScorer, child: int, limits: ChildLimits, budget: Budget) -> FoundSets:
    """Grow the child's sets within the predecessors of the orders in the limits, one order after the other."""
    orders = limits.orders
    if orders is None:
        raise ValueError("no orders to grow sets within")
    found = limits.nothing_found(child)

    def scores_left() -> int:
        found.evaluated = grower.evaluated
        held = len(grower.scores) + grower.bytes // BYTES_PER_SET
        is_spent = limits.is_spent(budget, found, held)
        return 0 if is_spent else limits.evaluations - grower.evaluated

    grower = SetGrower(
        scorer,
        child,
        limits.max_parents,
        lambda: limits.allowed,
        limits.required,
        limits.sample,
        scores_left,
        limits.margin,
    )
    required = list(limits.required)
    may_be_parent = np.zeros(scorer.n_variables, dtype=np.bool_)
    may_be_parent[limits.allowed] = True
    for index in range(limits.n_orders):
        if not scores_left():
            break
        position = orders.positions(index)
        # If an order puts a required parent behind the child, the child counts as standing right after this parent.
        own = max(position[child], position[required].max(initial=-np.inf))
        allowed = may_be_parent & (position < own)
        if limits.near_parents is not None:
            near = {p for p in limits.near_parents if allowed[p]}
            start = tuple(sorted(near.union(required)))
            if len(start) <= limits.max_parents:
                grower.grow_and_shrink(allowed, start)
        grower.grow_and_shrink(allowed)
    found.evaluated = grower.evaluated
    found.add_scores(grower.improvements(EXTENSIONS_KEPT))
    # The grower and `scores_left` refer to each other, so its sets would stay until garbage is collected.
    grower.scores_left = lambda: 0
    return found
