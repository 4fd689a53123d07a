"""Entropies from their definitions: counts in a dictionary, probabilities, `math.log`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence


def entropy(values: Sequence[Hashable]) -> float:
    """Plug-in entropy in nats: minus the sum of p ln p over the values that occur."""
    n = len(values)
    return math.fsum(-count / n * math.log(count / n) for count in Counter(values).values())


def conditional_entropy(values: Sequence[Hashable], given: Sequence[Hashable]) -> float:
    """Mean entropy of `values` among the rows that agree in `given`, in nats."""
    groups: dict[Hashable, list[Hashable]] = {}
    for value, condition in zip(values, given):
        groups.setdefault(condition, []).append(value)
    return math.fsum(len(group) / len(values) * entropy(group) for group in groups.values())
