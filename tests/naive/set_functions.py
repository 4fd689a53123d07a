"""Sums of a table over the cells of a set of variables, and ranks of sets, from their definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

Rows = Sequence[Sequence[int]]


def cell_sum(rows: Rows, members: Sequence[int], table: Sequence[float]) -> float:
    """The table's entries summed over the observed cells of some variables."""
    return sum(table[count] for count in Counter(tuple(row[v] for v in members) for row in rows).values())


def rows_of_ones(rows: Rows, members: Sequence[int]) -> int:
    """Rows in which all members are in state 1."""
    return sum(all(row[v] == 1 for v in members) for row in rows)


def places_by_rank(n: int, largest: int) -> dict[tuple[int, ...], int]:
    """Where the value of each set of up to `largest` of n places stands: by size, then lexicographic."""
    sets = [s for size in range(1, largest + 1) for s in combinations(range(n), size)]
    return {members: place for place, members in enumerate(sets)}
