"""Local scores remembered per (child, parents), shared by iterations and restarts of one search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stages.families import FamilyScorer

Family = tuple[int, tuple[int, ...]]

EXPANSION_LIMIT = 1 << 24
"""Scores of expansions that are kept; the expansions used longest ago go first."""

SINGLE_LIMIT = 1 << 20
"""Scores of single families that are kept."""


class FamilyCache:
    """Scores of parent sets, of all their expansions asked for, and of the sets less one member.

    Attributes
    ----------
    requested, computed : int
        Local scores asked for, and those computed because they were not known.
    """

    def __init__(self, scorer: FamilyScorer):
        self.scorer = scorer
        self.requested = self.computed = 0
        self._expansions: dict[Family, tuple[np.ndarray, np.ndarray]] = {}
        self._kept = 0
        self._singles: dict[Family, float] = {}

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
        key = (child, parents)
        known = self._expansions.pop(key, None)
        if known is None:
            scores = self.scorer.expand(child, parents, candidates)[candidates]
            self.computed += len(candidates)
            self._keep(key, candidates, scores)
            return scores
        variables, values = known
        self._kept -= len(variables)
        places = np.searchsorted(variables, candidates)
        is_new = variables[np.minimum(places, len(variables) - 1)] != candidates
        if is_new.any():
            missing = candidates[is_new]
            found = self.scorer.expand(child, parents, missing)[missing]
            self.computed += len(missing)
            variables = np.insert(variables, places[is_new], missing)
            values = np.insert(values, places[is_new], found)
            places = np.searchsorted(variables, candidates)
        self._keep(key, variables, values)
        return values[places]

    def _keep(self, key: Family, variables: np.ndarray, values: np.ndarray) -> None:
        self._expansions[key] = (variables, values)
        self._kept += len(variables)
        while self._kept > EXPANSION_LIMIT and len(self._expansions) > 1:
            oldest = next(iter(self._expansions))
            self._kept -= len(self._expansions.pop(oldest)[0])

    def remember(
        self, child: int, parents: tuple[int, ...], candidates: np.ndarray, scores: np.ndarray
    ) -> None:
        """Take in expansions computed outside, each asked for once; `candidates` ascending."""
        self.requested += len(candidates)
        self.computed += len(candidates)
        if len(candidates):
            self._keep((child, parents), candidates, scores)

    def score(self, child: int, parents: tuple[int, ...]) -> float:
        """Score of one family in nats."""
        self.requested += 1
        self._make_room()
        key = (child, parents)
        known = self._singles.get(key)
        if known is None:
            known = self._from_expansions(child, parents)
            if known is None:
                known = self.scorer.local_score(child, parents)
                self.computed += 1
            self._singles[key] = known
        return known

    def _from_expansions(self, child: int, parents: tuple[int, ...]) -> float | None:
        for i, parent in enumerate(parents):
            known = self._expansions.get((child, (*parents[:i], *parents[i + 1 :])))
            if known is not None:
                k = int(np.searchsorted(known[0], parent))
                if k < len(known[0]) and known[0][k] == parent:
                    return float(known[1][k])
        return None

    def reduce(self, child: int, parents: tuple[int, ...]) -> np.ndarray:
        """Scores of ``parents - {Y}`` for every member Y; float64, in the order of `parents`."""
        self.requested += len(parents)
        self._make_room()
        fewer = [(*parents[:i], *parents[i + 1 :]) for i in range(len(parents))]
        missing = [rest for rest in fewer if (child, rest) not in self._singles]
        self.computed += len(parents) if len(missing) > 1 else len(missing)
        if len(missing) > 1:
            for rest, value in zip(fewer, self.scorer.reduce(child, parents).tolist()):
                self._singles[child, rest] = value
        elif missing:
            self._singles[child, missing[0]] = self.scorer.local_score(child, missing[0])
        return np.array([self._singles[child, rest] for rest in fewer])

    def _make_room(self) -> None:
        if len(self._singles) > SINGLE_LIMIT:
            self._singles.clear()
