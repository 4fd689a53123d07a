"""Greedy selection: best-first by exact score, expanding the best set found so far (Scanagatta et al. 2015).

Among equal scores, sets are ordered by the indices of the expanded subset, then by the added variable.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from formats.sets.listed_sets import ListedSets
from stages.parentsets.dirichlet_bounds import LARGEST_EXPONENT, SupersetBound, superset_bound
from stages.parentsets.found_sets import BYTES_PER_SET, ChildLimits, FoundSets, memory_of, slice_work
from stages.parentsets.pruning_rules import unlisted_bound
from stages.published.scanagatta_2015.kernels.greedy import (
    CHOSEN,
    EXPANDED,
    NOBODY,
    SCORED,
    DirichletTerms,
    GreedyRules,
    GreedyState,
    begin_expansion,
    end_expansion,
    expand_sets,
)
from stages.published.scanagatta_2015.kernels.open_list import new_open_list, open_list_with_room
from stages.published.scanagatta_2015.kernels.set_store import enlarged, new_store, with_room
from stages.runtime.budgets import Budget
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.table_lines import score_lines, term_lines

FIRST_ROOM = 100
"""Initial capacity for expansions."""


def search_child(scorer: FamilyScorer, child: int, limits: ChildLimits, budget: Budget) -> FoundSets:
    """Expand the best-scoring unexpanded set by every single variable until the budget ends."""
    found = limits.nothing_found(child)
    found.begin(limits.required, scorer.local_score(child, limits.required))
    _GreedySearch(scorer, limits, budget, found).run()
    return found


def _terms_of(bound: SupersetBound | None, exponent: float) -> np.ndarray:
    assert bound is not None
    return bound.terms_of(int(exponent))


class _GreedySearch:
    """The search of one child."""

    def __init__(self, scorer: FamilyScorer, limits: ChildLimits, budget: Budget, found: FoundSets):
        self.scorer = scorer
        self.limits = limits
        self.budget = budget
        self.found = found
        self.bound = superset_bound(scorer, found.child, limits)
        self.rules: GreedyRules = GreedyRules(
            child=found.child,
            penalty=scorer.penalty(found.child),
            max_parents=limits.max_parents,
            by_configurations=scorer.definition.by_configurations,
            has_bound=self.bound is not None,
            floor=found.floor,
        )
        self.lines = score_lines(scorer, found.child)
        self.term_lines = term_lines(scorer, partial(_terms_of, self.bound))
        self._begin()

    def _begin(self) -> None:
        """Nothing is expanded."""
        n = self.scorer.n_variables
        self.state = GreedyState(
            sets=new_store(),
            waiting=new_open_list(),
            scores=np.empty(0),
            configurations=np.empty(0),
            ends=np.empty(0, dtype=np.int64),
            added=np.empty(0, dtype=np.int32),
            extended=np.empty(0),
            rests=new_store(),
            heads=np.empty(0, dtype=np.int64),
            links=np.empty(0, dtype=np.int64),
            linked=np.empty(0, dtype=np.int32),
            n_links=np.zeros(1, dtype=np.int64),
            candidates=np.empty(n, dtype=np.int32),
            progress=np.array([NOBODY, 0, 0]),
            stamps=np.full(n, -1, dtype=np.int64),
            evaluated=np.array([self.found.evaluated]),
            missing=np.full(2, np.nan),
            scratch=np.empty(n),
            union=np.empty(n + 1, dtype=np.int32),
        )
        self._make_room(FIRST_ROOM, len(self.limits.required) + 1)

    def _make_room(self, n_sets: int, size: int) -> None:
        """Enlarge the arrays for `n_sets` more expansions of sets with at most `size` members."""
        state, n_known = self.state, int(self.state.sets.n_sets[0])
        sets = with_room(state.sets, n_sets, size)
        rests = with_room(state.rests, n_sets * size, size)
        links = int(state.n_links[0]) + n_sets * size
        extensions = (int(state.ends[n_known - 1]) if n_known else 0) + n_sets * len(self.limits.allowed)
        self.state = state._replace(
            sets=sets,
            waiting=open_list_with_room(state.waiting, n_sets + 1),
            scores=enlarged(state.scores, len(sets.offsets)),
            configurations=enlarged(state.configurations, len(sets.offsets)),
            ends=enlarged(state.ends, len(sets.offsets)),
            added=enlarged(state.added, extensions),
            extended=enlarged(state.extended, extensions),
            rests=rests,
            heads=enlarged(state.heads, len(rests.offsets)),
            links=enlarged(state.links, links),
            linked=enlarged(state.linked, links),
        )

    def _expand_start(self) -> bool:
        """Expand the required parents; returns whether every candidate was scored or pruned."""
        scorer, found, required, state = self.scorer, self.found, self.limits.required, self.state
        score = found.start_score
        if self.bound is not None and self.bound.excludes(required, min(score, self.rules.floor)):
            return True
        members, q = np.array(required, dtype=np.int32), scorer.n_configurations(required)
        begin_expansion(state, scorer.data, self.rules, self.limits.allowed, members, score, q)
        n_chosen = state.progress[CHOSEN]
        state.progress[CHOSEN] = min(n_chosen, self.limits.evaluations - found.evaluated)
        candidates = state.candidates[: state.progress[CHOSEN]]
        if len(candidates):
            state.scratch[:] = scorer.expand(found.child, required, candidates)
        state.progress[SCORED] = np.isfinite(state.scratch[candidates]).sum()  # a stop leaves some candidates out
        is_whole = bool(state.progress[SCORED] == n_chosen)
        end_expansion(state)
        found.evaluated = int(state.evaluated[0])
        return is_whole

    def run(self) -> None:
        """Expand sets until none is open or the budget ends; then list the sets found."""
        found, limits, progress = self.found, self.limits, self.state.progress
        knows_singles = len(limits.required) == limits.max_parents or self._expand_start()
        found.complete = knows_singles
        while self.state.waiting.n_open[0] or progress[EXPANDED] != NOBODY:
            if limits.is_spent(self.budget, found, memory_of(self.state) // BYTES_PER_SET):
                found.complete = False
                break
            self._expand()
        # The budget ended within an expansion: the candidates scored so far count.
        if progress[EXPANDED] != NOBODY:
            end_expansion(self.state)
            self._count()
        if not found.complete:
            found.unlisted = self._bound_from_size(2 if knows_singles else 1)
        self._list_sets()

    def _expand(self) -> None:
        """Run one slice; provide the look-up tables that it lacks and capacity for the next set."""
        scorer, state = self.scorer, self.state
        terms: DirichletTerms = DirichletTerms(
            tables=self.term_lines.tables,
            exponents=self.term_lines.keys,
            log2_states=np.zeros(1) if self.bound is None else self.bound.log2_states,
            largest_exponent=LARGEST_EXPONENT,
        )
        expand_sets(
            scorer.data, self.lines.tables, self.lines.keys, terms, self.rules, self.limits.allowed, state,
            scorer.n_rows, self.limits.evaluations, slice_work(self.budget), scorer.workspace(),
        )  # fmt: skip
        self._count()
        # A kernel that lacks a look-up table reports which one, and returns before it takes an entry from the open
        # list.
        for lines, place in ((self.lines, 0), (self.term_lines, 1)):
            if not np.isnan(state.missing[place]):
                lines.add(float(state.missing[place]))
                state.missing[place] = np.nan
        if state.progress[EXPANDED] == NOBODY and state.waiting.n_open[0]:
            base = int(state.waiting.bases[state.waiting.heap[0]])
            self._make_room(1, int(state.sets.offsets[base + 1] - state.sets.offsets[base]) + 1)

    def _count(self) -> None:
        evaluated = int(self.state.evaluated[0])
        self.scorer.count_evaluations(evaluated - self.found.evaluated)
        self.found.evaluated = evaluated

    def _bound_from_size(self, size: int) -> float | None:
        """Upper bound on the score of any set with at least `size` parents besides the required ones, nats."""
        scorer, limits, penalty = self.scorer, self.limits, self.rules.penalty
        if self.bound is not None:
            return self.bound.of_larger_sets(limits.required, limits.allowed)
        if penalty <= 0:
            return None
        smallest = np.sort(scorer.n_states[limits.allowed].astype(np.float64))[:size]
        return float(unlisted_bound(penalty, scorer.n_configurations(limits.required) * np.prod(smallest)))

    def _list_sets(self) -> None:
        """Pass on all scored sets, expansion by expansion."""
        state, found = self.state, self.found
        n_sets = int(state.sets.n_sets[0])
        ends = state.ends[:n_sets]
        bases = np.repeat(np.arange(n_sets), np.diff(ends, prepend=0))
        scores, added = state.extended[: len(bases)], state.added[: len(bases)]
        # A set that does not score more than the set that it extends is dominated by it.
        which = np.flatnonzero(scores > np.minimum(state.scores[bases], self.rules.floor))
        found.add_undominated(self._extensions(bases[which], added[which]), scores[which])
        if found.explored is not None:
            turn = np.lexsort((added, bases))
            found.trace(self._extensions(bases[turn], added[turn]), scores[turn])

    def _extensions(self, bases: np.ndarray, added: np.ndarray) -> ListedSets:
        """Sets that are expanded sets and one variable each."""
        expanded = ListedSets(self.state.sets.offsets, self.state.sets.members).take(bases)
        return expanded.united(ListedSets.of_rows(added[:, None]))
