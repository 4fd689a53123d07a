"""Arcs of two graphs side by side: in both, in one of them, or in other directions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from formats.graph_records import ADDED, MISSING, ONE_SIDED, REVERSED, Arc
from stages.graphs import Parents

Pairs = dict[Arc, Arc | None]
"""By pair of joined variables, the smaller first: their arc, or None without a direction."""


class Difference(NamedTuple):
    """A pair that one of two graphs joins."""

    arc: Arc
    is_undirected: bool
    mark: str
    """`ADDED`: of the first graph alone. `MISSING`: of the second alone. `REVERSED`: with the direction of the first.
    `ONE_SIDED`: just one graph has a direction. Empty: alike in both.
    """


def pairs_of(parents: Parents, undecided: Collection[Arc], number: Sequence[int]) -> Pairs:
    """The pairs that a network joins; arcs that are `undecided`, written in either direction, have none.

    `number`: of each variable, the number in the result.
    """
    loose = {tuple(sorted(arc)) for arc in undecided}
    found: Pairs = {}
    for child, family in enumerate(parents):
        for parent in family:
            arc = number[parent], number[child]
            found[min(arc), max(arc)] = None if tuple(sorted((parent, child))) in loose else arc
    return found


def differences(first: Pairs, second: Pairs) -> Iterator[Difference]:
    """Each pair that one of two graphs joins, ascending."""
    for pair in sorted(first.keys() | second.keys()):
        ours, theirs = first.get(pair), second.get(pair)
        arc = ours or theirs or pair
        if pair not in first or pair not in second:
            yield Difference(arc, arc not in (ours, theirs), ADDED if pair in first else MISSING)
        elif ours == theirs:
            yield Difference(arc, ours is None, "")
        elif ours is None or theirs is None:
            yield Difference(arc, True, ONE_SIDED)
        else:
            yield Difference(arc, False, REVERSED)
