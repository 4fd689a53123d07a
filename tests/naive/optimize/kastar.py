"""The best choice of sets along one order under a treewidth bound, by best-first search over filled graphs."""

from __future__ import annotations

import heapq
import itertools


def row_changes(rows, t, members, bound):
    """{place: row} of what changes once `members` are added to that of place t; None if one exceeds the bound."""
    found = {}
    while t > bound and members & ~rows[t]:
        row = found[t] = rows[t] | members
        if row.bit_count() > bound:
            return None
        t = row.bit_length() - 1
        members = row & ~(1 << t)
    return found


def best_choices(lists, order, bound):
    """Largest sum of scores of the variables behind the start clique.

    The estimate takes for each variable still to come the best set that keeps all rows within the bound. Bits are
    places in the order.
    """
    place = {v: t for t, v in enumerate(order)}
    sets = [
        [
            (score, sum(1 << place[p] for p in family))
            for score, family in lists[v]
            if all(place[p] < t for p in family)
        ]
        for t, v in enumerate(order)
    ]

    def add(rows, t, members):
        """The rows once `members` are added to that of place t; None if one exceeds the bound."""
        found = row_changes(rows, t, members, bound)
        return None if found is None else tuple(found.get(place, row) for place, row in enumerate(rows))

    def estimate(rows, last):
        return sum(
            next(score for score, family in sets[t] if row_changes(rows, t, family, bound) is not None)
            for t in range(bound + 1, last + 1)
        )

    rows = (0,) * len(order)
    for t in range(bound + 1, len(order)):
        rows = add(rows, t, sets[t][-1][1])
    ticket, best_values = itertools.count(), {}
    heap = [(0.0, 0, next(ticket), 0.0, rows, len(order) - 1)]
    while True:
        _, _, _, value, rows, t = heapq.heappop(heap)
        if t <= bound:
            return value
        for score, family in sets[t]:
            changed = add(rows, t, family)
            if changed is None or best_values.get((t, changed[:t]), -float("inf")) >= value + score:
                continue
            best_values[t, changed[:t]] = value + score
            total = value + score + estimate(changed, t - 1)
            heapq.heappush(heap, (-total, t, next(ticket), value + score, changed, t - 1))
