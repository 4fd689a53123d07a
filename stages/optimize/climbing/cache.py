"""Cache of local scores by (child, parents), shared by all climbs of one search.

Expansions pay on thousands of columns and with restarts, scores of single families with restarts and a tabu list.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

import numpy as np

from stages.scoring.family_scorer import FamilyScorer

Family = tuple[int, tuple[int, ...]]

_NOTHING = (np.empty(0, dtype=np.int32), np.empty(0))

EXPANSION_LIMIT = 1 << 24
"""Scores of expansions kept; the least recently used expansions are dropped."""

SINGLE_LIMIT = 1 << 20
"""Scores of single families kept; beyond it all of them are dropped."""


class FamilyCache:
    """Scores of parent sets, of their expansions by one variable, and of the sets less one member.

    A set can be an expansion of several sets, P + {Y} = Q + {Z}: whichever way it was scored first, it is not scored
    again while it is kept.
    """

    def __init__(self, scorer: FamilyScorer):
        self.scorer = scorer
        # Local scores requested, and local scores computed because they were not in the cache.
        self.requested = self.computed = 0
        self._expansions: OrderedDict[Family, tuple[np.ndarray, np.ndarray]] = OrderedDict()
        self._kept = 0
        self._singles: dict[Family, float] = {}
        # By (child, P): the Y for which the expansions of P + {Y}, or the score of P + {Y} alone, are kept.
        self._expanded_above: dict[Family, list[int]] = {}
        self._single_above: dict[Family, list[int]] = {}

    def expand(self, child: int, parents: tuple[int, ...], candidates: np.ndarray) -> np.ndarray:
        """Scores of ``parents + {Y}`` for the candidates Y (int32, ascending, none among the parents)."""
        if not len(candidates):
            return np.empty(0)
        self.requested += len(candidates)
        known = self._expansions.get((child, parents))
        if known is None:
            scores = self._compute(child, parents, candidates)
            self._keep(child, parents, candidates, scores)
            return scores
        variables, values = known
        places = np.searchsorted(variables, candidates)
        is_new = variables[np.minimum(places, len(variables) - 1)] != candidates
        if is_new.any():
            missing = candidates[is_new]
            found = self._compute(child, parents, missing)
            variables = np.insert(variables, places[is_new], missing)
            values = np.insert(values, places[is_new], found)
            places = np.searchsorted(variables, candidates)
        self._keep(child, parents, variables, values)
        return values[places]

    def is_expanded(self, child: int, parents: tuple[int, ...]) -> bool:
        """Whether scores of expansions of a set are kept."""
        return (child, parents) in self._expansions

    def _compute(self, child: int, parents: tuple[int, ...], candidates: np.ndarray) -> np.ndarray:
        """Scores of expansions; scores known as single sets or as expansions of other sets are not computed."""
        elsewhere = self._known_elsewhere(child, parents)
        known = np.isin(candidates, np.fromiter(elsewhere, dtype=np.int32, count=len(elsewhere)))
        missing = candidates[~known]
        self.computed += len(missing)
        scores = np.empty(len(candidates))
        scores[known] = [elsewhere[y] for y in candidates[known].tolist()]
        if len(missing):
            scores[~known] = self.scorer.expand(child, parents, missing)[missing]
        return scores

    def _known_elsewhere(self, child: int, parents: tuple[int, ...]) -> dict[int, float]:
        """Scores of P + {Y}, by Y, that are known as single sets or as expansions of P - {Z} + {Y} by Z."""
        known = {y: self._singles[child, _with(parents, y)] for y in self._single_above.get((child, parents), ())}
        for parent, rest in _less_one(parents):
            for y in self._expanded_above.get((child, rest), ()):
                score = self._expanded_score(child, _with(rest, y), parent) if y != parent else None
                if score is not None:
                    known[y] = score
        return known

    def _keep(self, child: int, parents: tuple[int, ...], variables: np.ndarray, values: np.ndarray) -> None:
        key = (child, parents)
        before = self._expansions.get(key)
        if before is None:
            for member, rest in _less_one(parents):
                self._expanded_above.setdefault((child, rest), []).append(member)
        else:
            self._kept -= len(before[0])
        self._expansions[key] = (variables, values)
        self._expansions.move_to_end(key)
        self._kept += len(variables)
        while self._kept > EXPANSION_LIMIT and len(self._expansions) > 1:
            (other, family), (dropped, _) = self._expansions.popitem(last=False)
            self._kept -= len(dropped)
            for member, rest in _less_one(family):
                self._expanded_above[other, rest].remove(member)

    def remember(self, child: int, parents: tuple[int, ...], candidates: np.ndarray, scores: np.ndarray) -> None:
        """Add expansions computed outside, `candidates` ascending; they count as requested once."""
        self.requested += len(candidates)
        self.computed += len(candidates)
        if len(candidates):
            self._keep(child, parents, candidates, scores)

    def score(self, child: int, parents: tuple[int, ...]) -> float:
        """Score of one family in nats."""
        self.requested += 1
        self._make_room()
        known = self._look_up(child, parents)
        if known is None:
            known = self.scorer.local_score(child, parents)
            self.computed += 1
            self._keep_single(child, parents, known)
        return known

    def reduce(self, child: int, parents: tuple[int, ...]) -> np.ndarray:
        """Scores of ``parents - {Y}`` for every member Y; float64, in the order of `parents`."""
        return np.array([self.score(child, rest) for _, rest in _less_one(parents)])

    def _look_up(self, child: int, parents: tuple[int, ...]) -> float | None:
        known = self._singles.get((child, parents))
        for parent, rest in _less_one(parents) if known is None else ():
            known = self._expanded_score(child, rest, parent)
            if known is not None:
                break
        return known

    def _expanded_score(self, child: int, parents: tuple[int, ...], variable: int) -> float | None:
        """Score of ``parents + {variable}`` if it is among the kept expansions of `parents`."""
        variables, values = self._expansions.get((child, parents), _NOTHING)
        k = int(np.searchsorted(variables, variable))
        return float(values[k]) if k < len(variables) and variables[k] == variable else None

    def _keep_single(self, child: int, parents: tuple[int, ...], value: float) -> None:
        self._singles[child, parents] = value
        for member, rest in _less_one(parents):
            self._single_above.setdefault((child, rest), []).append(member)

    def _make_room(self) -> None:
        if len(self._singles) > SINGLE_LIMIT:
            self._singles.clear()
            self._single_above.clear()


def _less_one(parents: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every member, with the set less this member."""
    return ((member, parents[:i] + parents[i + 1 :]) for i, member in enumerate(parents))


def _with(parents: tuple[int, ...], variable: int) -> tuple[int, ...]:
    return tuple(sorted((*parents, variable)))
