"""Networks from orders, from the definitions: best consistent sets, greedy swaps, acyclic selection, moves."""

from __future__ import annotations

import math


def lists_of(table):
    """Candidate sets of every child as ``[(score, frozenset), ...]``, best first."""
    return [
        [(score, frozenset(parents)) for score, parents in zip(record.scores, record.parents, strict=True)]
        for record in table.records()
    ]


def best_within(lists, child, allowed):
    """The best listed set of `child` inside `allowed` as (score, set); (-inf, None) when there is none."""
    return next(((s, p) for s, p in lists[child] if p <= allowed), (-math.inf, None))


def network_of_order(lists, order):
    """Every variable's best set among its predecessors: {child: (score, set)}."""
    return {child: best_within(lists, child, set(order[:i])) for i, child in enumerate(order)}


def order_score(lists, order):
    """Score of the best network consistent with `order`; minus infinity when a fixed record forbids it."""
    return sum(score for score, _ in network_of_order(lists, order).values())


def swapped(order, i):
    """`order` with positions i and i + 1 exchanged."""
    return [*order[:i], order[i + 1], order[i], *order[i + 2 :]]


def inserted(order, i, j, width=1):
    """`order` with the block of `width` variables at i taken out and put back to start at position j."""
    block, rest = order[i : i + width], order[:i] + order[i + width :]
    return rest[:j] + block + rest[j:]


def greedy_swaps(lists, order, iterations):
    """Best improving adjacent swap until none or `iterations` are used: (order, swaps applied)."""
    order = list(order)
    for step in range(iterations):
        here = order_score(lists, order)
        neighbours = [swapped(order, i) for i in range(len(order) - 1)]
        scores = [order_score(lists, neighbour) for neighbour in neighbours]
        if not scores or max(scores) <= here + 1e-9:
            return order, step
        order = neighbours[scores.index(max(scores))]
    return order, iterations


def descendants_of(variable, parents):
    """All variables that a directed path from `variable` reaches; `parents` maps children to their parents."""
    found, frontier = set(), {variable}
    while frontier:
        frontier = {c for c, family in parents.items() if family & frontier} - found
        found |= frontier
    return found


def parents_first(order, parents):
    """Variables in `order`, each behind its parents, which come in their order themselves."""
    ranks, placed = {variable: i for i, variable in enumerate(order)}, []

    def place(variable):
        if variable not in placed:
            for parent in sorted(parents[variable], key=ranks.get):
                place(parent)
            placed.append(variable)

    for variable in order:
        place(variable)
    return placed


def swap_acyclically(lists, order, parents, i):
    """Choices when the variables at i and i + 1 of a topological order are exchanged and select anew, all others'
    choices kept (Theorem 4 of the paper of ASOBS); None when one of them has no set.
    """
    trial = {child: family for child, family in parents.items() if child not in order[i : i + 2]}
    for child in order[i : i + 2]:  # the one that comes later after the swap first
        below = descendants_of(child, trial) | {child}
        trial[child] = next((p for _, p in lists[child] if not p & below), None)
        if trial[child] is None:
            return None
    return trial


def acyclic_climb(lists, order, parents, iterations):
    """The best swap again and again until none gains: the score, the choices and the number of swaps."""
    scores = [{family: score for score, family in sets} for sets in lists]

    def total(choices):
        return -math.inf if choices is None else sum(scores[c][family] for c, family in choices.items())

    steps = 0
    while steps < iterations:
        order = parents_first(order, parents)
        trials = [swap_acyclically(lists, order, parents, i) for i in range(len(order) - 1)]
        best = max(range(len(trials)), key=lambda i: total(trials[i]))
        if total(trials[best]) <= total(parents) + 1e-9:
            break
        order, parents, steps = swapped(order, best), trials[best], steps + 1
    return total(parents), parents, steps


def acyclic_selection(lists, order, fixed=()):
    """ASOBS: from the last variable to the first, the best set without a present descendant.

    Children in `fixed` have their only set from the start.
    """
    parents = {child: lists[child][0][1] for child in fixed}
    score = sum(lists[child][0][0] for child in fixed)
    for child in reversed(order):
        if child in fixed:
            continue
        below = descendants_of(child, parents)
        local, family = next((s, p) for s, p in lists[child] if not p & below)
        parents[child] = family
        score += local
    return score, parents


def is_acyclic(parents):
    """`parents` maps every variable to a set; True when repeatedly removing sources removes everything."""
    left = {v: set(p) for v, p in parents.items()}
    while left:
        sources = [v for v, family in left.items() if not family & left.keys()]
        if not sources:
            return False
        for v in sources:
            del left[v]
    return True
