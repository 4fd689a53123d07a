"""Max-min parents and children from the definition: G² from counts, one test at a time."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence

Rows = Sequence[Sequence[int]]
Tail = Callable[[float, int], float]
"""Probability that a chi-square variable with so many degrees of freedom exceeds a value."""


def g_squared(rows: Rows, one: int, other: int, given: Sequence[int]) -> float:
    """2 Σ N_xyz ln(N_xyz N_z / (N_xz N_yz))."""
    joint = Counter((row[one], row[other], *(row[v] for v in given)) for row in rows)
    with_one = Counter((row[one], *(row[v] for v in given)) for row in rows)
    with_other = Counter((row[other], *(row[v] for v in given)) for row in rows)
    alone = Counter(tuple(row[v] for v in given) for row in rows)
    return 2 * math.fsum(
        n * math.log(n * alone[tuple(z)] / (with_one[x, *z] * with_other[y, *z])) for (x, y, *z), n in joint.items()
    )


class PlainSearch:
    """MMPC for one target, in the order of the definition."""

    def __init__(self, rows: Rows, n_states: Sequence[int], target: int, alpha: float, tail: Tail):
        self.rows, self.n_states, self.target, self.alpha, self.tail = rows, n_states, target, alpha, tail
        self.tests = 0

    def test(self, other: int, given: Sequence[int]) -> tuple[float, float] | None:
        """(p-value, G²), None where there are fewer than five rows per cell."""
        states = [self.n_states[v] for v in (self.target, other, *given)]
        if 5 * math.prod(states) > len(self.rows):
            return None
        self.tests += 1
        statistic = max(0.0, g_squared(self.rows, self.target, other, given))
        degrees = (states[0] - 1) * (states[1] - 1) * math.prod(states[2:])
        return self.tail(statistic, degrees), statistic

    def run(self) -> list[int]:
        """Members in the order of their addition."""
        others = [v for v in range(len(self.n_states)) if v != self.target and self.n_states[v] > 1]
        members: list[int] = []
        if self.n_states[self.target] < 2:
            return members
        evidence = {}
        for y in others:
            result = self.test(y, ())
            if result is not None and result[0] <= self.alpha:
                evidence[y] = (result[0], -result[1])
        while evidence:
            best = min(evidence, key=lambda y: (evidence[y], y))
            del evidence[best]
            for size in range(len(members) + 1):
                for subset in itertools.combinations(members, size):
                    for y in list(evidence):
                        result = self.test(y, sorted((*subset, best)))
                        if result is None:
                            continue
                        if result[0] > self.alpha:
                            del evidence[y]
                        else:
                            evidence[y] = max(evidence[y], (result[0], -result[1]))
            members.append(best)
        return self.without_separated(members)

    def without_separated(self, members: list[int]) -> list[int]:
        """Drop members that other members separate from the target; earlier ones have been tried already."""
        when = {member: place for place, member in enumerate(members)}
        kept = list(members)
        for member in members:
            others = [m for m in kept if m != member]
            for size in range(len(others) + 1):
                for subset in itertools.combinations(others, size):
                    if member not in kept or all(when[m] < when[member] for m in subset):
                        continue
                    result = self.test(member, sorted(subset))
                    if result is not None and result[0] > self.alpha:
                        kept.remove(member)
        return kept
