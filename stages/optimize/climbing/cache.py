"""Local scores remembered per (child, parents), shared by iterations and restarts of one search."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stages.scoring.family_scorer import FamilyScorer

Family = tuple[int, tuple[int, ...]]

EXPANSION_LIMIT = 1 << 24
"""Scores of expansions that are kept; the expansions used longest ago go first."""

SINGLE_LIMIT = 1 << 20
"""Scores of single families that are kept."""


class FamilyCache:
    """Scores of parent sets, of all their expansions asked for, and of the sets less one member.

    A set is met on several ways, as P + {Y} and as Q + {Z}; whatever way it was scored, it is not scored again
    as long as it is kept.

    Attributes
    ----------
    requested, computed : int
        Local scores asked for, and those computed because they were not known.
    """

    def __init__(self, scorer: FamilyScorer):
        self.scorer = scorer
        self.requested = self.computed = 0
        self._expansions: OrderedDict[Family, tuple[np.ndarray, np.ndarray]] = OrderedDict()
        self._kept = 0
        self._singles: dict[Family, float] = {}
        # By (child, P): the Y for which the expansions of P + {Y}, or the score of P + {Y} alone, are kept.
        self._expanded_above: dict[Family, list[int]] = {}
        self._single_above: dict[Family, list[int]] = {}

    def expand(self, child: int, parents: tuple[int, ...], candidates: np.ndarray) -> np.ndarray:
        """Scores of ``parents + {Y}`` for the candidates Y.

        Parameters
        ----------
        child : int
        parents : tuple of int
            Ascending.
        candidates : ndarray of int32
            Ascending, none among the parents.

        Returns
        -------
        ndarray of float64, shape (len(candidates),)
        """
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

    def _compute(self, child: int, parents: tuple[int, ...], candidates: np.ndarray) -> np.ndarray:
        """Scores of expansions of which some may be known as sets met on another way."""
        elsewhere = self._known_elsewhere(child, parents)
        if elsewhere:
            known = np.isin(candidates, np.fromiter(elsewhere, dtype=np.int32, count=len(elsewhere)))
            missing = candidates[~known]
        else:
            missing = candidates
        self.computed += len(missing)
        if len(missing) == len(candidates):
            return self.scorer.expand(child, parents, candidates)[candidates]
        scores = np.empty(len(candidates))
        scores[known] = [elsewhere[y] for y in candidates[known].tolist()]
        if len(missing):
            scores[~known] = self.scorer.expand(child, parents, missing)[missing]
        return scores

    def _known_elsewhere(self, child: int, parents: tuple[int, ...]) -> dict[int, float]:
        """Scores of P + {Y}, by Y, that are known as single sets or as expansions of P - {Z} + {Y} by Z."""
        known = {
            y: self._singles[child, _with(parents, y)] for y in self._single_above.get((child, parents), ())
        }
        for parent, rest in _less_one(parents):
            for y in self._expanded_above.get((child, rest), ()):
                if y != parent:
                    variables, values = self._expansions[child, _with(rest, y)]
                    k = int(np.searchsorted(variables, parent))
                    if k < len(variables) and variables[k] == parent:
                        known[y] = float(values[k])
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

    def remember(
        self, child: int, parents: tuple[int, ...], candidates: np.ndarray, scores: np.ndarray
    ) -> None:
        """Take in expansions computed outside, each asked for once; `candidates` ascending."""
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
        self.requested += len(parents)
        self._make_room()
        fewer = [rest for _, rest in _less_one(parents)]
        scores = [self._look_up(child, rest) for rest in fewer]
        missing = [i for i, known in enumerate(scores) if known is None]
        if missing:
            self.computed += len(missing)
            for i, value in zip(missing, self.scorer.reduce(child, parents, missing).tolist()):
                scores[i] = value
                self._keep_single(child, fewer[i], value)
        return np.array(scores, dtype=np.float64)

    def _look_up(self, child: int, parents: tuple[int, ...]) -> float | None:
        known = self._singles.get((child, parents))
        if known is not None:
            return known
        for parent, rest in _less_one(parents):
            expanded = self._expansions.get((child, rest))
            if expanded is not None:
                k = int(np.searchsorted(expanded[0], parent))
                if k < len(expanded[0]) and expanded[0][k] == parent:
                    return float(expanded[1][k])
        return None

    def _keep_single(self, child: int, parents: tuple[int, ...], value: float) -> None:
        self._singles[child, parents] = value
        for member, rest in _less_one(parents):
            self._single_above.setdefault((child, rest), []).append(member)

    def _make_room(self) -> None:
        if len(self._singles) > SINGLE_LIMIT:
            self._singles.clear()
            self._single_above.clear()


def _less_one(parents: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every member with the set less this member."""
    return ((member, parents[:i] + parents[i + 1 :]) for i, member in enumerate(parents))


def _with(parents: tuple[int, ...], variable: int) -> tuple[int, ...]:
    return tuple(sorted((*parents, variable)))
