"""D-separation: open paths, ancestors and descendants."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from . import Parents, children_of


def ancestors(parents: Parents, variables: Iterable[int]) -> set[int]:
    """The variables, and all with a directed path to one of them."""
    return _reached(parents, variables)


def descendants(parents: Parents, variables: Iterable[int]) -> set[int]:
    """The variables, and all with a directed path from one of them."""
    return _reached(children_of(parents), variables)


def _reached(following: Sequence[Iterable[int]], starts: Iterable[int]) -> set[int]:
    found = set(starts)
    waiting = list(found)
    while waiting:
        new = set(following[waiting.pop()]) - found
        found |= new
        waiting += new
    return found


def open_path(parents: Parents, first: int, second: int, given: Collection[int]) -> list[int] | None:
    """A shortest path between two variables that is open given others, which are neither of both; None if the others
    d-separate the two (Pearl 1988).

    A path is open if all its colliders are given or have a given descendant, and no other vertex of it is given. The
    search runs over vertices with the direction of the last arc. A shortest walk repeats no vertex: where it did, the
    part between two visits could be left out.
    """
    children, given = children_of(parents), set(given)
    opens_colliders = ancestors(parents, given)
    start = (first, False)
    came_from: dict[tuple[int, bool], tuple[int, bool] | None] = {start: None}
    waiting = [start]
    for place in waiting:  # grows during the iteration
        vertex, is_entered = place  # whether the last arc points to the vertex
        if vertex == second:
            return [v for v, _ in _walk_back(came_from, place)][::-1]
        following = []
        if vertex not in given:
            following += [(child, True) for child in children[vertex]]
        if vertex in opens_colliders if is_entered else vertex not in given:
            following += [(parent, False) for parent in parents[vertex]]
        for after in following:
            if after not in came_from:
                came_from[after] = place
                waiting.append(after)
    return None


def _walk_back(
    came_from: dict[tuple[int, bool], tuple[int, bool] | None], place: tuple[int, bool] | None
) -> Iterator[tuple[int, bool]]:
    while place is not None:
        yield place
        place = came_from[place]
