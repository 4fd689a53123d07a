"""Knowledge about ancestors: required ones, A ~> B (a path leads from A to B), and forbidden ones.

Pairs are (ancestor, descendant). Several of them, with required arcs, imply others: from A ~> B and B ~> C follows
A ~> C; from A ~> B follows that B is no ancestor of A; and if A is no ancestor of D, while A ~> B and C ~> D, then B
is no ancestor of C (else A ~> B ~> C ~> D).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stages.graphs import topological_order
from stages.runtime.errors import InfeasibleError

Pair = tuple[int, int]

Parents = Sequence[Sequence[int]]


class Violation(NamedTuple):
    """A pair that a network breaks: a required ancestor that is none, or a forbidden one that is."""

    pair: Pair
    is_required: bool


@dataclass(frozen=True)
class Ancestors:
    """Pairs (ancestor, descendant), as the user gave them; ascending, each once."""

    required: tuple[Pair, ...] = ()
    forbidden: tuple[Pair, ...] = ()

    @classmethod
    def of(cls, required: Iterable[Pair] = (), forbidden: Iterable[Pair] = ()) -> Ancestors:
        """Sort the pairs."""
        return cls(tuple(sorted(set(required))), tuple(sorted(set(forbidden))))

    def __bool__(self) -> bool:
        return bool(self.required or self.forbidden)

    def among(self, place: dict[int, int]) -> Ancestors:
        """The pairs among some variables, renumbered by `place`; paths through other variables are ignored."""

        def inside(pairs: Iterable[Pair]) -> Iterator[Pair]:
            return ((place[a], place[b]) for a, b in pairs if a in place and b in place)

        return Ancestors.of(inside(self.required), inside(self.forbidden))

    def implied(self, arcs: Iterable[Pair], names: Sequence[str]) -> Ancestors:
        """All pairs that follow, with required arcs (parent, child).

        Raises `InfeasibleError`, which names a contradiction.
        """
        loop = next((a for a, b in (*self.required, *self.forbidden) if a == b), None)
        if loop is not None:
            raise InfeasibleError(f"{relation_text(names, loop, loop)} is a loop: no variable is its own ancestor")
        below: dict[int, set[int]] = {}
        for a, b in (*self.required, *arcs):
            below.setdefault(a, set()).add(b)
        below = {a: _reached(below, a) for a in below}
        above: dict[int, set[int]] = {}
        for a, found in below.items():
            for b in found:
                above.setdefault(b, set()).add(a)
        for a, b in self.required:
            if a in below.get(b, ()):
                raise InfeasibleError(
                    f"the required ancestor {relation_text(names, a, b)} contradicts others, which make "
                    f"{names[b]} an ancestor of {names[a]}"
                )
        for a, b in self.forbidden:
            if b in below.get(a, ()):
                raise InfeasibleError(
                    f"the ancestor {relation_text(names, a, b)} is forbidden, but follows from what is required"
                )
        required = [(a, b) for a, found in below.items() for b in found]
        forbidden = [(b, a) for a, b in required]
        for a, b in self.forbidden:
            forbidden += [(x, y) for x in (a, *below.get(a, ())) for y in (b, *above.get(b, ()))]
        return Ancestors.of(required, forbidden)

    def violations(self, parents: Parents) -> list[Violation]:
        """The pairs that an acyclic network breaks."""
        if not self:
            return []
        above = ancestor_masks(parents)
        if above is None:
            raise ValueError("the graph has a cycle")
        broken = [Violation(pair, True) for pair in self.required if not above[pair[1]] >> pair[0] & 1]
        return broken + [Violation(pair, False) for pair in self.forbidden if above[pair[1]] >> pair[0] & 1]

    def agrees(self, parents: Parents) -> bool:
        """Whether a graph is acyclic and breaks no pair."""
        above = ancestor_masks(parents)
        if above is None:
            return False
        return all(above[b] >> a & 1 for a, b in self.required) and not any(
            above[b] >> a & 1 for a, b in self.forbidden
        )


def ancestor_masks(parents: Parents) -> list[int] | None:
    """For each variable the bits of its ancestors and its own; None if the graph has a cycle."""
    order = topological_order(parents)
    if len(order) < len(parents):
        return None
    above = [0] * len(parents)
    for v in order:
        mask = 1 << v
        for parent in parents[v]:
            mask |= above[parent]
        above[v] = mask
    return above


def shortest_path(parents: Parents, first: int, last: int) -> list[int]:
    """The variables of a shortest directed path between two variables, which some path joins."""
    after = {last: last}
    waiting = [last]
    for variable in waiting:  # grows while it is read: breadth first, against the arcs
        for parent in parents[variable]:
            if parent not in after:
                after[parent] = variable
                waiting.append(parent)
    path = [first]
    while path[-1] != last:
        path.append(after[path[-1]])
    return path


def relation_text(names: Sequence[str], a: int, b: int) -> str:
    """A pair as messages show it."""
    return f"{names[a]} ~> {names[b]}"


def _reached(below: dict[int, set[int]], start: int) -> set[int]:
    """The variables that chains of pairs reach from one; it is among them if a chain returns."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        new = below.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found
