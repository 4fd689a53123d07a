"""Independence selection: best-first by BIC*, the score of the union of two parent sets if they acted independently
(Scanagatta et al. 2015, section 4).

Closed sets have exact scores; all others are open, in order of BIC*. The paper fills the open list with all pairs.
Here every closed set P stands for its extensions P + {Y} and yields them best first on demand. For a given number of
states of Y, BIC*(P, {Y}) falls with BIC({Y}), so one sorted list of singletons per number of states serves all sets.
So the open list holds one entry per closed set and number of states, whatever the number of variables. Among equal
BIC*, extensions are ordered by the indices of P, then by Y.

BIC* belongs to BIC; under another score the same ranking is used with that score's exact values and penalty.
"""

from __future__ import annotations

import numpy as np

from formats.sets.listed_sets import ListedSets
from stages.parentsets.found_sets import BYTES_PER_SET, UNLIMITED, ChildLimits, FoundSets, memory_of, slice_work
from stages.parentsets.pruning_rules import unlisted_bound
from stages.published.scanagatta_2015.kernels.independence import (
    ChildFacts,
    IndependenceState,
    Ranking,
    close_sets,
    open_singletons,
)
from stages.published.scanagatta_2015.kernels.open_list import new_open_list, open_list_with_room
from stages.published.scanagatta_2015.kernels.set_store import enlarged, fill_slots, new_store, with_room
from stages.runtime.budgets import Budget
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.table_lines import TableLines, score_lines

AHEAD = 32
"""Extensions of one set scored together under a time limit: one count serves them all, and all are listed.

Under a limit of evaluations, each extension is scored when it leaves the open list, as in the paper.
"""

FIRST_ROOM = 1_000
"""Initial capacity for sets."""


def search_child(scorer: FamilyScorer, child: int, limits: ChildLimits, budget: Budget) -> FoundSets:
    """Score the sets of highest BIC* until the open list is empty or the budget ends."""
    found = limits.nothing_found(child)
    required, allowed = limits.required, limits.allowed
    empty_score = scorer.local_score(child, required)
    found.begin(required, empty_score)
    most_added = limits.max_parents - len(required)
    # If the limit is below the number of single parents, only the first ones are scored.
    allowed = allowed[: limits.evaluations - found.evaluated]
    if most_added >= 1:
        singletons = scorer.expand(child, required, allowed)
        found.explore(required, allowed, singletons[allowed])
        found.add_expansion(required, empty_score, singletons)
    if len(allowed) < len(limits.allowed):
        found.complete = False
    elif most_added >= 2:
        _IndependenceSearch(scorer, limits, budget, found, singletons).run()
    else:
        found.complete = True
    return found


class _IndependenceSearch:
    """The search of one child; sets are stored without the required parents."""

    def __init__(
        self, scorer: FamilyScorer, limits: ChildLimits, budget: Budget, found: FoundSets, singletons: np.ndarray
    ):
        child = found.child
        self.scorer = scorer
        self.limits = limits
        self.budget = budget
        self.found = found
        q = scorer.n_configurations(limits.required)
        entropies = scorer.row_entropies
        self.facts: ChildFacts = ChildFacts(
            child=child,
            empty_score=found.start_score,
            child_entropy=float(entropies[child]),
            # Each further configuration is multiplied by the configurations of the required parents.
            penalty=scorer.penalty(child) * q,
            required_configurations=q,
            most_added=limits.max_parents - len(limits.required),
            ahead=AHEAD if limits.evaluations == UNLIMITED else 1,
            by_configurations=scorer.definition.by_configurations,
            floor=found.floor,
            margin=limits.margin,
        )
        self.ranking = self._rank(singletons, entropies)
        self._begin(singletons)

    def _rank(self, singletons: np.ndarray, entropies: np.ndarray) -> Ranking:
        """Singletons sorted by exact score for each number of states."""
        allowed = self.limits.allowed
        n_states = self.scorer.n_states[allowed]
        # By number of states, within these by descending score: one line of the ranking for each number.
        order = np.lexsort((-singletons[allowed], n_states))
        states, starts = np.unique(n_states[order], return_index=True)
        return Ranking(
            variables=allowed[order],
            starts=np.append(starts, len(order)),
            states=states.astype(np.float64),
            scores=singletons,
            entropies=entropies,
        )

    def _begin(self, singletons: np.ndarray) -> None:
        """Close the singletons and open their pairs."""
        allowed = self.limits.allowed
        n = len(allowed)
        self.state = IndependenceState(
            sets=new_store(),
            waiting=new_open_list(),
            scores=np.empty(0),
            estimates=np.empty(0),
            configurations=np.empty(0),
            is_closed=np.empty(0, dtype=np.bool_),
            is_better=np.empty(0, dtype=np.bool_),
            evaluated=np.array([self.found.evaluated]),
            missing=np.full(1, np.nan),
        )
        self._make_room(n + FIRST_ROOM, 2, (n + FIRST_ROOM) * len(self.ranking.states))
        state = self.state
        # Written directly: set k of the store is the k-th allowed variable.
        state.sets.offsets[: n + 1] = np.arange(n + 1)
        state.sets.members[:n] = allowed
        state.sets.n_sets[0] = n
        fill_slots(state.sets)
        state.scores[:n] = singletons[allowed]
        state.estimates[:n] = np.nan
        state.configurations[:n] = self.scorer.n_states[allowed]
        state.is_closed[:n] = True
        state.is_better[:n] = False  # they are listed already
        open_singletons(state, self.ranking, self.facts, n)

    def _make_room(self, n_sets: int, size: int, n_entries: int) -> None:
        """Enlarge the arrays for `n_sets` more sets of at most `size` members and `n_entries` more entries of the
        open list.
        """
        state = self.state
        sets = with_room(state.sets, n_sets, size)
        length = len(sets.offsets)
        self.state = state._replace(
            sets=sets,
            waiting=open_list_with_room(state.waiting, n_entries),
            scores=enlarged(state.scores, length),
            estimates=enlarged(state.estimates, length),
            configurations=enlarged(state.configurations, length),
            is_closed=enlarged(state.is_closed, length),
            is_better=enlarged(state.is_better, length),
        )

    def run(self) -> None:
        """Close sets until none is open or the budget ends; then list the sets found."""
        scorer, found, limits = self.scorer, self.found, self.limits
        lines = score_lines(scorer, found.child)
        required = np.array(limits.required, dtype=np.int32)
        n = scorer.n_variables + 1
        buffers = (*(np.empty(n, dtype=np.int32) for _ in range(3)), np.empty(n))
        found.complete = True
        while self.state.waiting.n_open[0]:
            if limits.is_spent(self.budget, found, memory_of(self.state) // BYTES_PER_SET):
                found.complete = False
                break
            self._prepare_next(lines)
            close_sets(
                scorer.data, lines.tables, lines.keys, self.facts, required, self.ranking, self.state,
                limits.evaluations, slice_work(self.budget), buffers, scorer.workspace(),
            )  # fmt: skip
            evaluated = int(self.state.evaluated[0])
            scorer.count_evaluations(evaluated - found.evaluated)
            found.evaluated = evaluated
        if not found.complete and self.facts.penalty > 0:
            smallest = np.sort(scorer.n_states[limits.allowed].astype(np.float64))[:2]
            found.unlisted = float(unlisted_bound(self.facts.penalty, np.prod(smallest)))
        self._list_sets()

    def _prepare_next(self, lines: TableLines) -> None:
        """Provide capacity and look-up tables for at least one more set."""
        state = self.state
        if not np.isnan(state.missing[0]):
            lines.add(float(state.missing[0]))
            state.missing[0] = np.nan
        base = int(state.waiting.bases[state.waiting.heap[0]])
        size = int(state.sets.offsets[base + 1] - state.sets.offsets[base]) + 1
        self._make_room(self.facts.ahead + 1, size, len(self.ranking.states) + 1)

    def _list_sets(self) -> None:
        """Pass on all scored sets beyond the singletons."""
        state, found = self.state, self.found
        first, end = len(self.limits.allowed), int(state.sets.n_sets[0])
        sets = ListedSets(state.sets.offsets, state.sets.members)

        def select(which: np.ndarray) -> ListedSets:
            chosen = sets.take(np.flatnonzero(which))
            everywhere = np.tile(np.array(self.limits.required, dtype=np.int32), (len(chosen), 1))
            return chosen.united(ListedSets.of_rows(everywhere))

        is_better = state.is_better[:end] | (state.scores[:end] > self.facts.floor)
        found.add_undominated(select(is_better), state.scores[:end][is_better])
        if found.explored is not None:
            is_scored = ~np.isnan(state.scores[:end])
            is_scored[:first] = False
            scores, estimates = state.scores[:end][is_scored], state.estimates[:end][is_scored]
            found.trace(select(is_scored), scores, estimates)
