"""The rules of a parent-set record, one after the other, on plain lists."""

from __future__ import annotations

import math
from collections.abc import Sequence


def checked_record(
    n_variables: int, child: int, parents: Sequence[Sequence[int]], scores: Sequence[float], fixed: bool = False
) -> list[tuple[tuple[int, ...], float]] | None:
    """Sets and scores in the order of our files, or None if the record breaks a rule."""
    if not 0 <= child < n_variables or len(parents) != len(scores) or not parents:
        return None
    for parent_set, score in zip(parents, scores):
        if not math.isfinite(score):
            return None
        if len(set(parent_set)) < len(parent_set) or child in parent_set:
            return None
        if any(not 0 <= parent < n_variables for parent in parent_set):
            return None
    if len({frozenset(parent_set) for parent_set in parents}) < len(parents):
        return None
    if fixed and len(parents) != 1:
        return None
    if not fixed and all(parents):
        return None
    pairs = [(tuple(sorted(parent_set)), score) for parent_set, score in zip(parents, scores)]
    return sorted(pairs, key=lambda pair: (-pair[1], len(pair[0]), pair[0]))
