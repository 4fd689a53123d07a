"""Sequential selection: all sets by size 1, 2, ..., with exact pruning (Scanagatta et al. 2015, section 3).

If it finishes, the list is complete. A search that ends early gives a bound on the scores of all sets it did not
reach.
"""

from __future__ import annotations

import numpy as np

from formats.sets.listed_sets import ListedSets, offsets_of
from stages.kernels.counting.sets_by_size import Level, empty_level, mark_open
from stages.runtime.budgets import Budget
from stages.scoring.family_scorer import FamilyScorer

from .dirichlet_bounds import RegretBound, SupersetBound, enumeration_bound
from .found_sets import BYTES_PER_SET, ChildLimits, FoundSets, largest_gain, slice_work
from .pruning_rules import unlisted_bound, worth_of_parent

ROUNDED_SCORES = 4
"""Scores in the comparison of entropy with penalty; each is rounded by half a quantum."""

SLICE_ENTRIES = 1 << 17
"""Approximate number of extensions considered between two checks of the memory."""


def search_child(scorer: FamilyScorer, child: int, limits: ChildLimits, budget: Budget) -> FoundSets:
    """Enumerate the child's parent sets by size; see the module text."""
    return _SequentialSearch(scorer, child, limits, budget).run()


class _SequentialSearch:
    """Sets are rows of ascending places among the allowed variables; required parents are in all of them.

    With a prior of arcs, levels hold scores less `largest_gain`. These are at most the scores without the prior, on
    which every bound on supersets holds.
    """

    def __init__(self, scorer: FamilyScorer, child: int, limits: ChildLimits, budget: Budget):
        self.scorer = scorer
        self.child = child
        self.limits = limits
        self.budget = budget
        self.found = limits.nothing_found(child)
        # A set is added only if it scores more than all its subsets.
        self.found.has_dominated = limits.margin > 0
        self.bound = enumeration_bound(scorer, child, limits)
        self.required = np.array(limits.required, dtype=np.int32)
        self.n_states = scorer.n_states[limits.allowed].astype(np.float64)
        slack = ROUNDED_SCORES * scorer.quantum + limits.margin
        self.largest_gain = largest_gain(scorer, child, limits)
        self.gains = None if scorer.gains is None else scorer.gains.row(child)[limits.allowed]
        self.required_gain = 0.0 if scorer.gains is None else scorer.gains.of_set(child, limits.required)
        most_gained = scorer.row_entropies[limits.allowed] + (0.0 if self.gains is None else self.gains)
        self.worth = worth_of_parent(most_gained, self.n_states, slack)
        self.base_q = scorer.n_configurations(limits.required)
        # The memory of one slice serves the next: new memory would be cleared each time.
        self.entries, self.is_better = np.empty(0), np.empty(0, dtype=np.bool_)

    def run(self) -> FoundSets:
        found, limits = self.found, self.limits
        empty_score = self.scorer.local_score(self.child, limits.required)
        found.begin(limits.required, empty_score)
        # Size 0: one set, the required parents alone.
        places, best = np.zeros((1, 0), dtype=np.int32), np.array([min(empty_score - self.largest_gain, found.floor)])
        level = empty_level(0)
        for size in range(1, limits.most_added + 1):
            if self.bound is not None and size > 1:
                self._close_excluded(self.bound, level, places, best)
                places, best = _sets_of(level, len(self.n_states))
            extended = self._extend_all(level, places, best, keeps=size < limits.most_added)
            if extended is None:
                found.unlisted = self._bound_from_size(size)
                return found
            level = extended
            # With a margin no subset's score closes a set, so entries become -inf; dominance is decided at the end.
            np.minimum(level.entries, found.floor, out=level.entries)
            places, best = _sets_of(level, len(self.n_states))
            if not len(places):
                break
        found.complete = True
        return found

    def _extend_all(self, level, places: np.ndarray, best: np.ndarray, keeps: bool):
        """The level of all extensions of a level's sets (empty unless `keeps`); None if the budget ended."""
        q = self.base_q * np.prod(self.n_states[places], axis=1)
        last = places[:, -1].astype(np.int64) if places.shape[1] else np.array([-1])
        # A set is extended by later places only, so each set is made once.
        widths = len(self.n_states) - 1 - last
        ends = np.cumsum(widths)
        kept: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        position, held = 0, len(level.entries)
        while position < len(places):
            if self.limits.is_spent(self.budget, self.found, held * 8 // BYTES_PER_SET):
                return None
            # A slice: sets with about `SLICE_ENTRIES` extensions in all, at least one set.
            before = ends[position - 1] if position else 0
            end = max(position + 1, int(np.searchsorted(ends, before + SLICE_ENTRIES, side="right")))
            some = slice(position, end)
            n_extended, entries = self._extend(level, places[some], best[some], q[some], widths[some])
            if not n_extended:
                return None
            if keeps:
                blocks = _without_empty(places[some][:n_extended], widths[some][:n_extended], entries)
                kept.append(blocks)
                held += len(blocks[2])
            position += n_extended
        if not kept:
            return empty_level(places.shape[1])
        prefixes, widths, entries = (np.concatenate(parts) for parts in zip(*kept))
        starts = offsets_of(widths)
        return Level(prefixes=prefixes, starts=starts, entries=entries)

    def _extend(self, level, places, best, q, widths) -> tuple[int, np.ndarray]:
        """Extend sets until the evaluations are used up; returns the number of sets extended, and their entries until
        the next call.

        The number is 0 if the budget ended before the last of them was done; sets scored by then are among the found
        ones.
        """
        scorer, found = self.scorer, self.found
        starts = offsets_of(widths)
        if starts[-1] > len(self.entries):
            self.entries, self.is_better = np.empty(starts[-1]), np.empty(starts[-1], dtype=np.bool_)
        entries, is_better = self.entries[: starts[-1]], self.is_better[: starts[-1]]
        is_better[:] = False
        counts = np.empty(len(places), dtype=np.int64)
        penalty = scorer.penalty(self.child)
        scratch = np.empty(places.shape[1], dtype=np.int64)
        mark_open(level, places, best, q, self.n_states, penalty, self.worth, starts, entries, counts, scratch)
        before = found.evaluated + np.cumsum(counts) - counts
        n_extended = max(1, int(np.searchsorted(before, self.limits.evaluations)))
        entries = entries[: starts[n_extended]]
        # The last set is extended by as many places as the limit allows.
        last = slice(starts[n_extended - 1], starts[n_extended])
        beyond = np.flatnonzero(~np.isnan(entries[last]))[self.limits.evaluations - before[n_extended - 1] :]
        entries[last][beyond] = np.nan
        counts[n_extended - 1] -= len(beyond)
        scores = np.full(len(entries) if found.explored is not None else 0, np.nan)
        # What is to be added to scores without the prior.
        offsets = self._offsets(places[:n_extended], starts[: n_extended + 1])
        if self.gains is not None:
            entries -= offsets
        evaluated, is_whole = 0, True
        for configurations, which in self._groups(q[:n_extended], places.shape[1]):
            n_scored = self._score(configurations, places, which, starts, entries, is_better, scores)
            evaluated += int(counts[which[:n_scored]].sum())
            if found.explored is not None:
                self._trace(places, starts, scores + (offsets + self.largest_gain), which[:n_scored])
            is_whole = n_scored == len(which)
            if not is_whole:
                break
        if self.gains is not None:
            entries += offsets
        scorer.count_evaluations(evaluated)
        found.evaluated += evaluated
        which = np.flatnonzero(is_better[: len(entries)])
        if len(which):
            found.add_lists(
                ListedSets.of_rows(self._members(places, starts, which)), entries[which] + self.largest_gain
            )
        return n_extended if is_whole and not len(beyond) else 0, entries

    def _offsets(self, places: np.ndarray, starts: np.ndarray) -> np.ndarray | float:
        """For each extension of some sets: its gain by the prior, less the largest gain, nats."""
        if self.gains is None:
            return 0.0
        widths = np.diff(starts)
        last = np.arange(starts[-1]) + np.repeat(len(self.gains) - starts[1:], widths)
        of_sets = self.gains[places].sum(axis=1) + (self.required_gain - self.largest_gain)
        return np.repeat(of_sets, widths) + self.gains[last]

    def _groups(self, q: np.ndarray, size: int) -> list[tuple[float | None, np.ndarray]]:
        """Groups of sets that are scored together: all sets if values of sets are used, else sets with equally many
        configurations, which share look-up tables.
        """
        functions = self.limits.functions
        if functions is not None and functions.can_extend(size, self.limits.required):
            return [(None, np.arange(len(q)))]
        return [(configurations, np.flatnonzero(q == configurations)) for configurations in np.unique(q).tolist()]

    def _score(self, configurations: float | None, places, which, starts, entries, is_better, scores) -> int:
        """Score the open extensions of the sets of a group; returns the number of sets done within the budget."""
        scorer, functions, allowed = self.scorer, self.limits.functions, self.limits.allowed
        into = starts, entries, is_better, scores
        scratch, at = np.empty(scorer.n_variables), (0, 0)
        while at[0] < len(which):
            work = slice_work(self.budget)
            if configurations is None:
                assert functions is not None
                at = functions.score(
                    self.child, self.limits.required, allowed, self.n_states, places, which, at, work, into
                )
            else:
                at = scorer.extend_sets(
                    self.child, self.required, allowed, configurations, places, which, at, work, into, scratch
                )
            if at[0] < len(which) and self.limits.is_spent(self.budget, self.found):
                break
        return at[0]

    def _members(self, places: np.ndarray, starts: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Members of some extensions, shape (n_sets, size), unordered."""
        sets = np.searchsorted(starts, which, side="right") - 1
        last = len(self.n_states) - (starts[sets + 1] - which)
        required = np.tile(self.required, (len(which), 1))
        return np.column_stack((required, self.limits.allowed[np.column_stack((places[sets], last))]))

    def _trace(self, places, starts, scores, sets: np.ndarray) -> None:
        """Trace the open extensions of some sets."""
        ranges = [np.arange(starts[s], starts[s + 1]) for s in sets.tolist()]
        which = np.concatenate([np.zeros(0, dtype=np.int64), *ranges])
        which = which[~np.isnan(scores[which])]
        self.found.trace(ListedSets.of_rows(self._members(places, starts, which)), scores[which])

    def _close_excluded(
        self, bound: SupersetBound | RegretBound, level: Level, places: np.ndarray, best: np.ndarray
    ) -> None:
        """Close the sets of a level that dominate all their supersets by the bound."""
        which = np.flatnonzero(~np.isnan(level.entries))
        for place, row, score in zip(which.tolist(), places, best.tolist()):
            if self.budget.is_spent():
                return
            parents = tuple(sorted((*self.limits.required, *self.limits.allowed[row].tolist())))
            # No superset of a closed set is made (`mark_open`). A set left open because time ran out costs time but
            # changes no result.
            if bound.excludes(parents, score):
                level.entries[place] = np.nan

    def _bound_from_size(self, size: int) -> float | None:
        if self.bound is not None:
            return self.bound.of_larger_sets(self.limits.required, self.limits.allowed) + self.largest_gain
        penalty = self.scorer.penalty(self.child)
        if penalty <= 0:
            return None
        # A set with at least this number of further parents has at least the product of the smallest numbers of
        # states.
        bound = unlisted_bound(penalty, self.base_q * np.prod(np.sort(self.n_states)[:size]))
        return float(bound) + self.largest_gain


def _sets_of(level, n_allowed: int) -> tuple[np.ndarray, np.ndarray]:
    """The sets of a level, lexicographic, and the best score among each and its subsets."""
    which = np.flatnonzero(~np.isnan(level.entries))
    blocks = np.searchsorted(level.starts, which, side="right") - 1
    last = (n_allowed - (level.starts[blocks + 1] - which)).astype(np.int32)
    return np.column_stack((level.prefixes[blocks], last)), level.entries[which]


def _without_empty(places: np.ndarray, widths: np.ndarray, entries: np.ndarray):
    """Prefixes, widths and entries of the blocks that have a set."""
    starts = np.cumsum(widths) - widths
    is_filled = np.zeros(len(places), dtype=np.bool_)
    # `reduceat` takes ranges that are not empty.
    wide = np.flatnonzero(widths)
    if len(wide):
        is_filled[wide] = np.logical_or.reduceat(~np.isnan(entries), starts[wide])
    return places[is_filled], widths[is_filled], entries[np.repeat(is_filled, widths)]
