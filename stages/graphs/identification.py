"""Front-door sets and instruments: what identifies an effect without all common causes of cause and effect.

The graph is that of a network, in which all variables are observed, so adjustment sets exist, too, if the effect is
no parent of the cause. These say what is enough if some of its variables, the common causes, are not measured or not
trusted. Sources: Pearl 1995 (front-door criterion), van der Zander, Textor and Liśkiewicz 2015 (instruments that are
conditioned on ancestors).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator
from typing import NamedTuple

from . import Parents
from .adjustment import Adjustment
from .separation import ancestors, descendants, open_path

MOST_TESTED = 20_000
"""Most sets that are tested for the front-door criterion."""


class FrontDoors(NamedTuple):
    """Minimal front-door sets, the smaller ones first."""

    sets: list[frozenset[int]]
    most: int | None  # only sets of up to this number of variables were tested; None for all


class Instrument(NamedTuple):
    """A variable that changes the effect through the cause only, given some others."""

    variable: int
    given: frozenset[int]


def is_front_door(parents: Parents, cause: int, effect: int, chosen: Collection[int]) -> bool:
    """Whether a set satisfies the front-door criterion (Pearl 1995).

    It intercepts all directed paths from the cause to the effect; no back-door path from the cause to it is open; the
    cause blocks all its back-door paths to the effect.
    """
    chosen = set(chosen)
    passing = [() if v in chosen else tuple(p for p in family if p not in chosen) for v, family in enumerate(parents)]
    if effect in descendants(passing, [cause]):
        return False
    behind_cause, behind_chosen = _without_arcs_from(parents, {cause}), _without_arcs_from(parents, chosen)
    return all(
        open_path(behind_cause, cause, v, ()) is None and open_path(behind_chosen, v, effect, {cause}) is None
        for v in chosen
    )


def front_door_sets(parents: Parents, cause: int, effect: int) -> FrontDoors:
    """The minimal front-door sets; none if no directed path leads to the effect.

    Vertices of back-door paths that the cause does not block are ancestors of the effect, so only these are tested.
    """
    if effect not in descendants(parents, [cause]):
        return FrontDoors([], None)
    behind = _without_arcs_from(parents, {cause})
    able = sorted(ancestors(parents, [effect]) - {cause, effect})
    able = [v for v in able if open_path(behind, cause, v, ()) is None]
    found: list[frozenset[int]] = []
    n_tested = 0
    for size in range(1, len(able) + 1):
        n_tested += math.comb(len(able), size)
        if n_tested > MOST_TESTED:
            return FrontDoors(found, size - 1)
        for chosen in map(frozenset, itertools.combinations(able, size)):
            if not any(smaller <= chosen for smaller in found) and is_front_door(parents, cause, effect, chosen):
                found.append(chosen)
    return FrontDoors(found, None)


def instruments(parents: Parents, cause: int, effect: int) -> Iterator[Instrument]:
    """Instruments with the minimal sets that make them one, variable by variable.

    Without the first arcs of the directed paths from the cause to the effect, the set separates the instrument from
    the effect, and no proper subset of it does; given it, the instrument and the cause are not separated. Neither
    instrument nor set lies behind the cause on such a path.
    """
    found = Adjustment(parents, cause, effect)
    for variable in sorted(set(range(len(parents))) - found.forbidden - {effect}):
        for given in found.separators(variable, effect):
            if open_path(parents, variable, cause, given) is not None:
                yield Instrument(variable, given)


def _without_arcs_from(parents: Parents, tails: Collection[int]) -> Parents:
    return [tuple(p for p in family if p not in tails) for family in parents]
