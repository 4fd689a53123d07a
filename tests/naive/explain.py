"""Why a network has its arcs, by definition: all graphs and sets listed, sums over rows and over all states."""

from __future__ import annotations

import itertools
import math
from collections import Counter

from .scores import local_score


def is_acyclic(parents) -> bool:
    """Whether some variable without remaining parents can be taken away until none is left."""
    left = set(range(len(parents)))
    while left:
        free = [v for v in left if not left & set(parents[v])]
        if not free:
            return False
        left -= set(free)
    return True


def with_family(parents, child, family):
    """The network in which one variable has other parents."""
    return [tuple(family) if v == child else tuple(pa) for v, pa in enumerate(parents)]


def rivals(rows, n_states, parents, child, most, score="bic", forbidden=(), required=()):
    """Scores of all sets of at most `most` parents, and of those one change away from the present set, that leave the
    network acyclic and agree with the knowledge."""
    others, present = [v for v in range(len(parents)) if v != child], set(parents[child])
    found = {}
    for size in range(len(parents)):
        for family in itertools.combinations(others, size):
            dropped, added = present - set(family), set(family) - present
            is_near = len(dropped) <= 1 and len(added) <= 1
            if set(family) == present or not (size <= most or is_near):
                continue
            if set(required) - set(family) or set(forbidden) & set(family):
                continue
            if is_acyclic(with_family(parents, child, family)):
                found[family] = local_score(rows, n_states, child, family, score)
    return found


def information(rows, first, second, given):
    """The sum of p(x, y, z) ln(p(x, y | z) / (p(x | z) p(y | z))) of the relative frequencies."""
    counts = Counter((row[first], row[second], tuple(row[v] for v in given)) for row in rows)
    total = 0.0
    for (x, y, z), n in counts.items():
        n_z = sum(m for (_, _, other), m in counts.items() if other == z)
        n_x = sum(m for (a, _, other), m in counts.items() if (a, other) == (x, z))
        n_y = sum(m for (_, b, other), m in counts.items() if (b, other) == (y, z))
        total += n / len(rows) * math.log((n / n_z) / (n_x / n_z * (n_y / n_z)))
    return total


def by_chance(rows, first, second, given):
    """The degrees of freedom, over the configurations and states that occur, divided by twice the rows."""
    conditions = {tuple(row[v] for v in given) for row in rows}
    degrees = 0
    for z in conditions:
        some = [row for row in rows if tuple(row[v] for v in given) == z]
        degrees += (len({row[first] for row in some}) - 1) * (len({row[second] for row in some}) - 1)
    return degrees / (2 * len(rows))


def paths(parents, first, last):
    """All directed paths between two variables that have a variable between."""
    found = []

    def extend(path):
        for child, family in enumerate(parents):
            if path[-1] in family and not (path == [first] and child == last):
                if child == last:
                    found.append((*path, child))
                else:
                    extend([*path, child])

    extend([first])
    return found
