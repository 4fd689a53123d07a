"""What was set from outside in rows of the data: the sets of variables, and the directions that they decide.

Networks of one equivalence class differ under interventions if a set has exactly one end of an arc that they direct
differently; else they imply the same of all rows (Hauser and Bühlmann 2012, theorem 10).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from formats.errors import Inconsistent
from formats.records import Header

Targets = Sequence[frozenset[int]]
"""The sets of variables that were set together in some row; the empty set for rows without interventions."""


def targets_of(header: Header, names: Sequence[str] | None = None) -> Targets:
    """The sets that a header records, by index; with `names` by the positions there. Empty without interventions.

    Raises `Inconsistent` if they are no lists of variables.
    """
    listed = header.extra.get("interventions") or []
    is_sound = isinstance(listed, list) and all(isinstance(target, list) for target in listed)
    whole = is_sound and all(type(v) is int and 0 <= v < len(header.names) for target in listed for v in target)
    if not whole:
        raise Inconsistent(
            "the interventions in the header are no lists of variables",
            remedy="make the file again with --interventions, or remove the entry",
        )
    place = list(range(len(header.names)))
    if names is not None:
        known = {name: position for position, name in enumerate(names)}
        place = [known[name] for name in header.names]
    return sorted({frozenset(place[v] for v in target) for target in listed}, key=sorted)


def recorded_targets(targets: Targets) -> dict[str, list[list[int]]]:
    """The entry of a header; nothing without interventions."""
    return {"interventions": [sorted(target) for target in targets]} if targets else {}


def separates(targets: Targets) -> Callable[[int, int], bool]:
    """Whether some set has exactly one of two variables: then the data decide the direction of their arc."""
    signature: dict[int, int] = {}
    for number, target in enumerate(targets):
        for variable in target:
            signature[variable] = signature.get(variable, 0) | 1 << number
    return lambda a, b: signature.get(a, 0) != signature.get(b, 0)
