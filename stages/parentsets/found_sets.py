"""The parent sets found for one child, collected during a search, then pruned and ordered; and the limits of the
search.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from formats.records import ESTIMATES, ParentSetRecord
from formats.sets.listed_sets import ListedSets, best_first
from stages.kernels.dominance import mark_undominated
from stages.runtime.budgets import Budget
from stages.scoring.candidate_prefilter import RowSample
from stages.scoring.family_scorer import SLICE_WORK, FamilyScorer
from stages.scoring.set_functions import SetFunctions

from .grow_orders import Orders
from .omitted_mass import n_sets_within, omitted_mass, rounded_up

UNLIMITED = 2**62

FIRST_SCORES = 50
"""Exact scores that a child gets even when time is over: enough for a first list, some milliseconds."""

SLICE_SECONDS = 0.1
"""Approximate upper limit on the time of one slice of work."""

LARGEST_EXPONENT = 700.0
"""Largest argument of the exponential function whose value is a floating-point number."""

BYTES_PER_SET = 250
"""Memory of one set while its child is searched and its record made; measured, rounded up."""


@dataclass
class FoundSets:
    """Scored parent sets of one child."""

    child: int
    start_score: float = math.nan  # score in nats of the smallest set, with which the search began
    # Sets scored earlier that are to be listed too; ascending tuples to scores in nats.
    known: dict[tuple[int, ...], float] = field(default_factory=dict)
    evaluated: int = 0  # exact local scores computed
    complete: bool = False  # whether every undominated set within the limits was found
    # Upper bound, if known, on the score of all other sets that no found set dominates.
    unlisted: float | None = None
    # ``time`` or ``memory`` if that ended the search early; None if evaluations or the user ended it, or nothing did.
    ended: str | None = None
    most_held: int = 0  # largest number of sets held at once, as seen when the search checks its limits
    # If searches are traced: all scored sets in the order of the search, with scores and estimates (`ESTIMATES`).
    explored: list[tuple[ListedSets, np.ndarray, np.ndarray]] | None = None
    explored_bytes: int = 0
    # Nats by which a subset must score more for a set to be dominated. The networks with that set then have at most
    # ``exp(-margin)`` of the probability of those with the subset, which is allowed wherever the set is. 0: an equal
    # score suffices; infinite: no set is dominated.
    margin: float = 0.0
    n_within: float = math.inf  # number of sets within the limits, where there is a margin
    n_copies: float = 1.0  # as in `ChildLimits`
    has_dominated: bool = True  # whether some found sets may dominate others
    n_sets: int = 0
    _parts: list[tuple[ListedSets, np.ndarray]] = field(default_factory=list)

    @property
    def floor(self) -> float:
        """Upper limit on the scores by which rules exclude supersets; with a margin it is minus infinity, so no score
        excludes any.
        """
        return -math.inf if self.margin else math.inf

    def begin(self, parents: tuple[int, ...], score: float) -> None:
        """Add the smallest set, which is scored first."""
        self.add_lists(ListedSets.of([parents]), np.array([score]))
        self.start_score = score
        self.evaluated = 1
        self.trace(ListedSets.of([sorted(parents)]), np.array([score]))

    def explore(self, parents: tuple[int, ...], candidates: np.ndarray, scores: np.ndarray) -> None:
        """Count the scores of ``parents + {Y}`` for candidates Y, and trace them; -inf stands for sets not scored."""
        is_scored = scores > -np.inf
        self.evaluated += int(is_scored.sum())
        if self.explored is not None:
            self.trace(_extended(parents, candidates[is_scored]), scores[is_scored])

    def trace(self, sets: ListedSets, scores: np.ndarray, estimates: np.ndarray | None = None) -> None:
        """Trace scored sets of any sizes, if searches are traced; one score and estimate for each."""
        if self.explored is None:
            return
        estimates = np.full(len(scores), np.nan) if estimates is None else estimates
        self.explored.append((sets, scores, estimates))
        self.explored_bytes += sum(array.nbytes for array in (sets.offsets, sets.members, scores, estimates))

    def explored_record(self) -> ParentSetRecord | None:
        """The traced sets, in the order of the search; None if searches are not traced."""
        if self.explored is None:
            return None
        sets, scores, estimates = zip(*self.explored)
        extra = {ESTIMATES: np.concatenate(estimates)}
        return ParentSetRecord(self.child, ListedSets.joined(sets), np.concatenate(scores), extra=extra)

    def add_lists(self, sets: ListedSets, scores: np.ndarray) -> None:
        """Add sets with their scores.

        `scores` is float64, shape (n_sets,).
        """
        self._parts.append((sets, scores))
        self.n_sets += len(scores)

    def add_scores(self, scores: dict[tuple[int, ...], float]) -> None:
        """Add sets, ascending tuples, with their scores."""
        self.add_lists(ListedSets.of(scores), np.array(list(scores.values())))

    def add_expansion(self, parents: tuple[int, ...], floor: np.ndarray | float, expansion: np.ndarray) -> None:
        """Add ``parents + {Y}`` for all Y whose score exceeds `floor` less the margin.

        `floor` is the score of a subset of each set: of `parents`, or elementwise the better of the scores of
        `parents` and {Y}. So sets whose score is below it by at least the margin are dominated.
        """
        promising = np.flatnonzero(expansion > floor - self.margin).astype(np.int32)
        self.add_lists(_extended(parents, promising), expansion[promising])

    def add_undominated(self, sets: ListedSets, scores: np.ndarray) -> None:
        """Add the sets that no other of them dominates by the margin.

        `scores` is float64, shape (n_sets,).
        """
        order = np.lexsort((sets.sizes, -scores))
        sets, scores = sets.take(order), scores[order]
        kept = np.flatnonzero(self._is_undominated(sets, scores))
        self.add_lists(sets.take(kept), scores[kept])

    def all_sets(self) -> tuple[ListedSets, np.ndarray]:
        """All sets added, and their scores; a set scored earlier keeps its known score."""
        sets = ListedSets.joined(some for some, _ in self._parts)
        scores = np.concatenate([of_some for _, of_some in self._parts])
        if not self.known:
            return sets, scores
        every = dict(zip(sets, scores.tolist())) | self.known
        return ListedSets.of(every), np.array(list(every.values()))

    def to_record(self, required: tuple[int, ...] = (), extra: dict | None = None) -> ParentSetRecord:
        """The sets that no other dominates by the margin, best first, ties by fewer parents, then indices."""
        sets, scores = self.all_sets()
        order = best_first(sets, scores)
        sets, scores = sets.take(order), scores[order]
        left_out = None
        if self.has_dominated or self.known:
            keep = self._is_undominated(sets, scores)
            left_out = self._left_out(sets, scores, keep) if self.margin else None
            sets, scores = sets.take(np.flatnonzero(keep)), scores[keep]
        return ParentSetRecord(
            self.child,
            sets,
            scores,
            evaluated=self.evaluated,
            complete=self.complete,
            unlisted=None if self.complete else self.unlisted,
            left_out=left_out,
            required=required,
            extra=extra or {},
        )

    def _is_undominated(self, sets: ListedSets, scores: np.ndarray) -> np.ndarray:
        """Whether no other of these sets (best first) dominates a set by the margin."""
        n_members = int(sets.members.max(initial=-1)) + 1
        return mark_undominated(sets.offsets, sets.members, n_members, self._n_better(scores))

    def _left_out(self, sets: ListedSets, scores: np.ndarray, keep: np.ndarray) -> float | None:
        """The mass of the omitted sets, see `omitted_mass`; None where it is unknown."""
        ratio = unscored = math.exp(-self.margin)
        if not self.complete:
            if self.unlisted is None:
                return None
            # Every set contains the smallest one, so its best listed subset scores at least this.
            smallest = float(scores[np.argmin(sets.sizes)])
            unscored = max(ratio, math.exp(min(self.unlisted - smallest, LARGEST_EXPONENT)))
        mass = omitted_mass(sets, scores, keep, self.n_within, ratio, unscored)
        mass = rounded_up(mass * self.n_copies + (self.n_copies - 1.0))
        return mass if math.isfinite(mass) else None

    def _n_better(self, scores: np.ndarray) -> np.ndarray:
        """For each score (descending), the number of sets that could dominate it."""
        if not self.margin:
            return np.arange(len(scores))
        # The number of scores that are at least this score plus the margin.
        return np.searchsorted(-scores, -(scores + self.margin), side="right")


def _extended(parents: Sequence[int], candidates: np.ndarray) -> ListedSets:
    """``parents + {Y}`` for candidates Y (int32)."""
    same = np.tile(np.array(parents, dtype=np.int32), (len(candidates), 1))
    return ListedSets.of_rows(np.column_stack((same, candidates)).astype(np.int32, copy=False))


def margin_of(keep_mass: float | None) -> float:
    """`FoundSets.margin` in nats for ``--keep-mass``; 0 without it."""
    if keep_mass is None:
        return 0.0
    return -math.log(keep_mass) if keep_mass > 0 else math.inf


def largest_gain(scorer: FamilyScorer, child: int, limits: ChildLimits) -> float:
    """The most, in nats, that a prior of arcs adds to the score of a set within the limits; 0 without a prior.

    A score less this is at most the score without the prior, so bounds on scores without it hold for the difference.
    """
    if scorer.gains is None:
        return 0.0
    return scorer.gains.largest(child, limits.required, limits.allowed, limits.most_added)


def slice_work(budget: Budget) -> float:
    """Work between two looks at the clock: less when little time is left, since searches share it."""
    share = min(1.0, budget.time_left() / SLICE_SECONDS)
    return SLICE_WORK * max(1 / 64, share)


def memory_of(arrays: Iterable) -> int:
    """Bytes of the arrays in a tuple, nested tuples included."""
    return sum(part.nbytes if isinstance(part, np.ndarray) else memory_of(part) for part in arrays)


@dataclass(frozen=True)
class ChildLimits:
    """The limits of the search of one child."""

    allowed: np.ndarray  # int32: variables that may be parents besides the required ones, ascending; never the child
    max_parents: int  # largest set, required parents counted
    evaluations: int  # largest number of exact scores; searches check it between expansions
    required: tuple[int, ...] = ()  # parents that every set must contain, ascending
    most_sets: int = UNLIMITED  # largest number of sets held in memory; searches check it between expansions
    orders: Orders | None = None  # orders within which sets are grown (method ``grow``)
    n_orders: int = 0  # number of orders to use
    near_parents: tuple[int, ...] | None = None  # the child's parents in the network near which the orders lie
    sample: RowSample | None = None  # ranks candidates where there are thousands
    traces: bool = False  # whether scored sets are traced
    margin: float = 0.0  # as in `FoundSets`
    # Number of sets that share a set's score, at most: with any of the columns that cannot change a likelihood, or
    # none. These columns are not in `allowed`.
    n_copies: float = 1.0
    # Values of sets that the searches of all children share (method ``sequential``).
    functions: SetFunctions | None = None

    @property
    def most_added(self) -> int:
        """Most parents besides the required ones."""
        return self.max_parents - len(self.required)

    def nothing_found(self, child: int) -> FoundSets:
        """An empty result for a search to fill."""
        n_within = math.inf
        if self.margin:
            n_within = n_sets_within(len(self.allowed), self.most_added)
        explored: list | None = [] if self.traces else None
        return FoundSets(child, explored=explored, margin=self.margin, n_within=n_within, n_copies=self.n_copies)

    def is_spent(self, budget: Budget, found: FoundSets, held: int = 0) -> bool:
        """Whether a search must stop: no time, no evaluations, or no memory is left.

        `held` is the number of sets that it holds besides the sets found. Time ends no search before its first list:
        `FIRST_SCORES` scores, or one for each candidate if there are fewer.
        """
        held += found.explored_bytes // BYTES_PER_SET
        found.most_held = max(found.most_held, found.n_sets + held)
        if found.most_held >= self.most_sets:
            found.ended = "memory"
        if found.ended == "memory" or found.evaluated >= self.evaluations or budget.interrupted:
            return True
        if found.evaluated <= min(FIRST_SCORES, len(self.allowed)) or not budget.is_spent():
            return False
        found.ended = "time"
        return True
