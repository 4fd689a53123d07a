"""Growing and shrinking the parent set of one child within a set of allowed variables.

Parent-set identification (`stages.parentsets.grow`) and pricing share it. Every expansion (the scores of a set plus
each single variable) is computed once and cached as the list of variables that improve on the set, best first. So
growing the same child within other predecessors mostly finds its expansions in the cache.

If there are many candidates, they are ranked by their dependence on the child, and expansions try only the first
`SetGrower.reach` of them. When the reach is widened, a cached expansion is completed, once needed, by the candidates
that came into reach: no score is computed twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from .candidate_prefilter import RowSample, strongest_alone
from .family_scorer import FamilyScorer

SET_BYTES = 250
"""Memory of a set with its score and of an entry in the cache of expansions; measured."""

_NOBODY = np.empty(0, dtype=np.int32)


class Expansion(NamedTuple):
    """The single variables that improve on a parent set when added."""

    order: np.ndarray  # int32: the variables, best first, equally good ones by number
    scores: np.ndarray  # float64: scores of the set plus each of them, in nats
    reach: int | None  # candidates tried, as `SetGrower.reach`


class Moment(NamedTuple):
    """The state of a grower: how often it has dropped its memory, and the numbers of scores and expansions since
    then.
    """

    forgotten: int
    n_scores: int
    n_expansions: int


class SetGrower:
    """Scores and expansions of the parent sets of one child.

    Parameters
    ----------
    candidates : callable, optional
        Returns the variables that may be parents at all, int32, ascending; all others by default. For many children
        these arrays would take memory quadratic in the number of variables, so they are made when needed.
    required : tuple of int
        Parents that every set must contain.
    sample : RowSample, optional
        For thousands of candidates: ranks them on a share of the rows, so that beyond the first parent only the best
        ones are scored exactly.
    scores_left : callable, optional
        The number of scores that may still be computed; called before every expansion and every shrinking. The last
        expansion tries only as many candidates as this number allows. `score` ignores it. No limit by default.
    margin : float, optional
        Extensions that lower the score by up to this many nats are kept in `scores` as well.
    """

    def __init__(
        self,
        scorer: FamilyScorer,
        child: int,
        max_parents: int,
        candidates: Callable[[], np.ndarray] | None = None,
        required: tuple[int, ...] = (),
        sample: RowSample | None = None,
        scores_left: Callable[[], float] = lambda: math.inf,
        margin: float = 0.0,
    ):
        self.scorer = scorer.of_child(child)
        self.child = child
        self.max_parents = max_parents
        self.required = required
        self.sample = sample
        self.scores_left = scores_left
        self.margin = margin
        self._candidates = candidates
        # int32: candidates that improve the score as the only parent, then all others; each group by dependence on
        # the child, strongest first. Set by `rank`.
        self.ranked = np.empty(0, dtype=np.int32)
        self.n_improving = 0  # number of the first of `ranked` that improve the score as the only parent
        # Number of the first of `ranked` that are tried as further parents; None for all candidates, ranked or not.
        self.reach: int | None = None
        self.scores: dict[tuple[int, ...], float] = {required: scorer.local_score(child, required)}
        self.evaluated = 1
        self.remembered_bytes = 0
        self._strong: np.ndarray | None = None
        self._improving: dict[tuple[int, ...], Expansion] = {}
        self._expanded: list[tuple[int, ...]] = []
        self._forgotten = 0

    @property
    def candidates(self) -> np.ndarray:
        """Variables that may be parents, int32, ascending."""
        if self._candidates is None:
            return np.delete(np.arange(self.scorer.n_variables, dtype=np.int32), self.child)
        return self._candidates()

    def rank(self, ranked: np.ndarray, scores: np.ndarray, is_complete: bool) -> None:
        """Set candidates ranked by dependence, with their scores as the only parent (nats).

        Candidates that improve the score come first. The caller has counted the evaluations. With `is_complete`, no
        other candidate improves the score. If no parent is required, this is the expansion of the empty set.
        """
        self.ranked = ranked
        better = scores > self.score(())
        self.n_improving = int(better.sum())
        if not self.required:
            order = np.lexsort((ranked[better], -scores[better]))
            reach = None if is_complete else len(ranked)
            self._keep((), Expansion(ranked[better][order], scores[better][order], reach))

    def improving(self, parents: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Variables within reach that improve on `parents` when added, best first, and their scores (nats).

        If no scores are left: the variables known so far.
        """
        known = self._improving.get(parents)
        if known is None or self._is_beyond(known.reach):
            candidates = self._candidates_for(parents, known)
            left = self.scores_left()
            if left > 0 or not len(candidates):
                known = self._expand(parents, known, candidates[: int(min(left, len(candidates)))])
                self._keep(parents, known)
        return (known.order, known.scores) if known else (_NOBODY, np.empty(0))

    def _is_beyond(self, reach: int | None) -> bool:
        """Whether the present reach exceeds the reach of an expansion."""
        return reach is not None and (self.reach is None or self.reach > reach)

    def _keep(self, parents: tuple[int, ...], expansion: Expansion) -> None:
        self._improving[parents] = expansion
        self._expanded.append(parents)
        self.remembered_bytes += expansion.order.nbytes + expansion.scores.nbytes

    def _expand(self, parents: tuple[int, ...], known: Expansion | None, candidates: np.ndarray) -> Expansion:
        if not len(candidates):
            return Expansion(*known[:2], self.reach) if known else Expansion(_NOBODY, np.empty(0), self.reach)
        expansion = self.scorer.expand(self.child, parents, candidates)
        self.evaluated += len(candidates)
        if self.margin:
            self._remember_near(parents, candidates, expansion[candidates])
        if self.sample is not None and parents == self.required:
            gains = expansion[candidates] - self.scores[parents]
            self._strong = strongest_alone(self.scorer, self.child, candidates, gains)
        better = np.flatnonzero(expansion > self.scores[parents]).astype(np.int32)
        scores = expansion[better]
        if known is not None:
            better, scores = np.concatenate((known.order, better)), np.concatenate((known.scores, scores))
            order = np.lexsort((better, -scores))
        else:
            order = np.argsort(-scores, kind="stable")
        return Expansion(better[order], scores[order], self.reach)

    def _remember_near(self, parents: tuple[int, ...], candidates: np.ndarray, scores: np.ndarray) -> None:
        near = scores > self.scores[parents] - self.margin
        for y, score in zip(candidates[near].tolist(), scores[near].tolist()):
            self.scores[tuple(sorted((*parents, y)))] = score

    def _candidates_for(self, parents: tuple[int, ...], known: Expansion | None) -> np.ndarray:
        """Candidates to add to `parents`, ascending, without the ones that the known expansion has tried."""
        candidates = self.candidates if self.reach is None else np.sort(self.ranked[: self.reach])
        if parents:
            candidates = self.scorer.without(candidates, parents)
        if known is not None:
            candidates = self.scorer.without(candidates, self.ranked[: known.reach].tolist())
        if self.sample is None or len(parents) == len(self.required):
            return candidates
        if self._strong is None:
            self.improving(self.required)
        if self._strong is None:  # no scores were left
            return _NOBODY
        shortlist = self.sample.shortlist(self.child, parents, candidates)
        return np.union1d(shortlist, self.scorer.without(self._strong, parents))

    def score(self, parents: tuple[int, ...]) -> float:
        """Exact score of one set, cached."""
        known = self._look_up(parents)
        if known is None:
            known = self.scores[parents] = self.scorer.local_score(self.child, parents)
            self.evaluated += 1
        return known

    def scores_without(self, parents: tuple[int, ...]) -> list[float]:
        """Exact scores of a set less each of its members, cached; all -inf if too few scores are left."""
        places = range(len(parents))
        if len(self._unknown_without(parents, places)) > self.scores_left():
            return [-math.inf] * len(parents)
        return list(self._know_without(parents, places).values())

    def _unknown_without(self, parents: tuple[int, ...], places: Sequence[int]) -> list[int]:
        """The places of members such that the score of the set without the member is unknown."""
        return [i for i in places if self._look_up((*parents[:i], *parents[i + 1 :])) is None]

    def _know_without(self, parents: tuple[int, ...], places: Sequence[int]) -> dict[tuple[int, ...], float]:
        """Scores of a set less the member at each of `places`."""
        fewer = {i: (*parents[:i], *parents[i + 1 :]) for i in places}
        for i in self._unknown_without(parents, places):
            self.evaluated += 1
            self.scores[fewer[i]] = self.scorer.local_score(self.child, fewer[i])
        return {rest: self.scores[rest] for rest in fewer.values()}

    def _look_up(self, parents: tuple[int, ...]) -> float | None:
        """The score of a set if it is cached: directly, or in an expansion of the set less one member."""
        known = self.scores.get(parents)
        if known is not None:
            return known
        for i, parent in enumerate(parents):
            expansion = self._improving.get((*parents[:i], *parents[i + 1 :]))
            if expansion is not None:
                place = np.flatnonzero(expansion.order == parent)
                if len(place):
                    known = self.scores[parents] = float(expansion.scores[place[0]])
                    return known
        return None

    def grow(self, allowed: np.ndarray, parents: tuple[int, ...]) -> tuple[int, ...]:
        """Add the best variable of the mask `allowed` to `parents` (ascending) while that improves the score."""
        while len(parents) < self.max_parents:
            order, scores = self.improving(parents)
            usable = allowed[order]
            # Best first: the first usable one is the best.
            best = int(usable.argmax()) if len(usable) else 0
            if not len(usable) or not usable[best]:
                break
            parents = tuple(sorted((*parents, int(order[best]))))
            self.scores[parents] = float(scores[best])
        return parents

    def shrink(self, parents: tuple[int, ...]) -> tuple[int, ...]:
        """Remove the parent whose removal gains most while that improves the score."""
        while True:
            places = [i for i, parent in enumerate(parents) if parent not in self.required]
            if not places or len(self._unknown_without(parents, places)) > self.scores_left():
                return parents
            smaller = self._know_without(parents, places)
            best = max(smaller, key=lambda fewer: smaller[fewer])
            if smaller[best] <= self.scores[parents]:
                return parents
            parents = best

    def grow_and_shrink(self, allowed: np.ndarray, parents: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """Alternate growing and shrinking, from `parents` or the required set, until neither improves; returns the
        set reached. If `parents` has no score and none can be computed, the result is the required set.
        """
        parents = self.required if parents is None else parents
        if self._look_up(parents) is None:
            if self.scores_left() <= 0:
                return self.required
            self.score(parents)
        while True:
            grown = self.grow(allowed, parents)
            shrunk = self.shrink(grown)
            if shrunk == grown:
                return grown
            parents = shrunk

    def forget(self, kept: dict[tuple[int, ...], float]) -> None:
        """Free memory: keep only the scores `kept`; these must include the score of the required set."""
        self.scores = dict(kept)
        self._improving.clear()
        self._expanded.clear()
        self._forgotten += 1
        self.remembered_bytes = 0

    @property
    def bytes(self) -> int:
        """Approximate memory of all scores and expansions."""
        return self.remembered_bytes + SET_BYTES * len(self.scores)

    @property
    def now(self) -> Moment:
        """The present state."""
        return Moment(self._forgotten, len(self.scores), len(self._expanded))

    def improvements(self, limit: int, since: Moment | None = None) -> dict[tuple[int, ...], float]:
        """Sets with their scores: all scored sets, and the best `limit` one-variable extensions of expanded sets.

        With `since`, only sets scored or expanded later, unless the grower has dropped its memory in the meantime.
        """
        if since is None or since.forgotten != self._forgotten:
            since = Moment(self._forgotten, 0, 0)
        # Dictionaries keep the order of insertion: later entries were scored after `since`.
        known = dict(islice(self.scores.items(), since.n_scores, None))
        for parents in self._expanded[since.n_expansions :]:
            if len(parents) == self.max_parents:
                continue
            order, scores, _ = self._improving[parents]
            for y, score in zip(order[:limit].tolist(), scores[:limit].tolist()):
                known[tuple(sorted((*parents, y)))] = score
        return known
