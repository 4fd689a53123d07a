"""The only way to exact local scores: each question to the data has a method, which chooses how rows are counted.

Parent-set search, pricing, hill climbing and the posterior share it. Scores are in nats, higher is better. Compiled
searches that compute scores themselves take `data`, `tables` and `workspace`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from formats.data_records import Dataset
from stages.kernels.counting.add_one import ScoreTables, score_expansions
from stages.kernels.counting.sets_by_size import score_open
from stages.runtime.budgets import StopSignal

from .arc_gains import ArcGains
from .clique_scorer import CliqueScorer, clique_products
from .pair_scores import PairScores
from .scored_data import ScoredData
from .set_functions import SetFunctions, largest_size

MOST_LINES = 64
"""Candidates scored at once where each may have a line of the tables of its own: up to 33 MB."""

SLICE_WORK = 3e7
"""Work between two looks at the stop signal, in the unit of `counting_plan`: well below 0.1 s."""


class FamilyScorer(ScoredData):
    """Exact local scores of families (child, parents) on one data set; the way of counting suits the question.

    ==================  =============================================  =============================================
    method              question                                       way of counting
    ==================  =============================================  =============================================
    `expand`            a set plus each of some candidates             the cheapest by `counting_plan`, for each set
    `local_score`       one family                                     an expansion by its last parent
    `extend_sets`       many sets of one child, each plus some         expansions, one after the other
    `pairs`             all single parents of all children             each pair once, for both directions
    `cliques`           all sets within a small clique, many children  one table of cells for each child
    `set_functions`     all sets up to some size                       each set once, for all its members as children
    ==================  =============================================  =============================================

    Parameters as in `ScoredData`. Once `stop` is set, a running expansion ends early. `scorer_of` chooses the scorer
    of a table whose rows may have interventions.
    """

    def __init__(
        self,
        dataset: Dataset,
        score: str = "bic",
        ess: float = 1.0,
        stop: StopSignal | None = None,
        part_of: ScoredData | None = None,
    ):
        super().__init__(dataset, score, ess, stop, part_of)
        # The scorers of children that are counted in some of the rows only.
        self.parts: dict[int, FamilyScorer] = {}
        # What the prior of arcs adds to scores; None without one.
        self.gains: ArcGains | None = None
        if dataset.prior is not None:
            self.gains = ArcGains(dataset.prior, dataset.names, self._states, self.quantum) or None
        self._known: dict[tuple[int, tuple[int, ...]], tuple[np.ndarray, np.ndarray]] = {}
        self._everything = np.arange(dataset.n_variables, dtype=np.int32)
        self._no_scores = np.full(dataset.n_variables, -np.inf)

    @property
    def is_equivalent(self) -> bool:
        """Whether networks of one class (the same independencies) score alike on these data."""
        return self.definition.is_equivalent and self.gains is None

    def of_child(self, child: int) -> FamilyScorer:
        """The scorer of the rows that count for a child's families; for whoever reads more than scores."""
        return self

    def expand(self, child: int, parents: tuple[int, ...], candidates: np.ndarray | None = None) -> np.ndarray:
        """Scores of ``parents + {Y}`` for all Y at once.

        `candidates` (int32) are the variables to try, by default all but the child and its parents. Returns local
        scores in nats, float64, shape (n_variables,); -inf for variables not tried. After a stop the remaining ones
        are not tried, except for the first, which always is.
        """
        if candidates is None:
            candidates = self.without(self._everything, (child, *parents))
        if self._known:
            known = self._known.get((child, parents))
            if known is not None and np.array_equal(known[0], candidates):
                return known[1].copy()
        out = self._no_scores.copy()
        if self.definition.by_occurrence:
            self.count_evaluations(*self._expand_by_occurrence(child, parents, candidates, out))
        else:
            tables = self.tables.of_expansion(child, self.n_configurations(parents))
            self.count_evaluations(*self.expand_with(tables, child, parents, candidates, out))
        if self.gains is not None:
            out += self.gains.row(child) + self.gains.of_set(child, parents)
        return out

    def _expand_by_occurrence(
        self, child: int, parents: tuple[int, ...], candidates: np.ndarray, out: np.ndarray
    ) -> tuple[int, float]:
        """As `expand_with`, in two counts: first of the configurations that have rows, which choose the tables."""
        numbers = np.ones(self.n_variables)
        n_counted, work = self.expand_with(self.tables.of_occurrence(), child, parents, candidates, numbers)
        n_scored = 0
        for first in range(0, n_counted, MOST_LINES):
            some = candidates[first : min(first + MOST_LINES, n_counted)]
            chosen = np.ones(self.n_variables)
            chosen[some] = numbers[some]
            tables = self.tables.of_numbers(child, chosen)
            n, more = self.expand_with(tables, child, parents, some, out)
            n_scored, work = n_scored + n, work + more
            if n < len(some):
                break
        return n_scored, work

    def remember(self, child: int, parents: tuple[int, ...], candidates: np.ndarray, scores: np.ndarray) -> None:
        """Keep an expansion that was computed and counted elsewhere, for later calls of `expand` with these
        arguments.
        """
        self._known[child, parents] = candidates, scores

    def expand_with(
        self, tables: ScoreTables, child: int, parents: Sequence[int], candidates: np.ndarray, out: np.ndarray
    ) -> tuple[int, float]:
        """Write into `out` the scores of ``parents + {Y}`` from other tables, without gains of a prior; returns the
        number scored, and the work.
        """
        data, members, workspace = self.data, np.array(parents, dtype=np.int32), self.workspace()
        place, work = 0, 0.0
        # The first slice runs even after a stop.
        while place < len(candidates) and not (place and self.stop is not None and self.stop.is_set()):
            place, more = score_expansions(
                data, tables, child, members, candidates, place, SLICE_WORK, out, workspace
            )
            work += more
        return place, work

    def extend_sets(
        self,
        child: int,
        required: np.ndarray,
        allowed: np.ndarray,
        n_configurations: float,
        places: np.ndarray,
        which: np.ndarray,
        at: tuple[int, int],
        most_work: float,
        into: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        scratch: np.ndarray,
    ) -> tuple[int, int]:
        """Score open extensions of sets with equally many configurations, see `score_open`.

        `into` are starts, entries, is_better and scores. It begins at the place `at`: (0, 0), or the result of the
        previous call. Counts no evaluations; scores are without gains of a prior.
        """
        if self.definition.by_occurrence:
            return self._extend_by_occurrence(child, required, allowed, places, which, at[0], most_work, into)
        tables = self.tables.of_expansion(child, n_configurations)
        arguments = child, required, allowed, places, which, *at, most_work, *into
        return score_open(self.data, tables, *arguments, scratch, self.workspace())

    def _extend_by_occurrence(
        self, child: int, required, allowed, places, which, position: int, most_work: float, into
    ) -> tuple[int, int]:
        """`extend_sets` for a score whose tables differ between the extensions of a set; a set is never divided."""
        starts, entries, is_better, scores = into
        done = 0.0
        while position < len(which) and done <= most_work:
            s = which[position]
            own = slice(starts[s], starts[s + 1])
            block = np.flatnonzero(~np.isnan(entries[own]))
            candidates = allowed[len(allowed) - (own.stop - own.start) + block]
            parents = (*required.tolist(), *allowed[places[s]].tolist())
            out = self._no_scores.copy()
            if len(candidates):
                n_scored, work = self._expand_by_occurrence(child, parents, candidates, out)
                if n_scored < len(candidates):  # stopped
                    return position, 0
                done += work
                found = out[candidates]
                if len(scores):
                    scores[own][block] = found
                is_better[own][block] = found > entries[own][block]
                entries[own][block] = np.maximum(found, entries[own][block])
            position += 1
        return position, 0

    def local_score(self, child: int, parents: tuple[int, ...]) -> float:
        """Score of one family in nats."""
        if not parents:
            return self.empty_set_score(child)
        *rest, last = parents
        return float(self.expand(child, tuple(rest), np.array([last], dtype=np.int32))[last])

    def pairs(self) -> PairScores:
        """Scores of all single parents."""
        return PairScores(self, self.gains)

    def cliques(self, most_parents: int) -> CliqueScorer | None:
        """Scores within small cliques, of at most `most_parents` parents.

        None with too many rows, where sums of the score may not be exact or depend on the rows that a set has, or
        with a prior of arcs.
        """
        serves = self.gains is None and not self.definition.by_occurrence
        products = clique_products(self, most_parents) if serves else None
        return None if products is None else CliqueScorer(self, most_parents, products)

    def set_functions(self, max_parents: int, most_bytes: float = math.inf) -> SetFunctions | None:
        """Scores of all sets, whose values take at most `most_bytes`; None if that serves no search. They are without
        gains of a prior.
        """
        largest = 0 if self.definition.by_occurrence else largest_size(self, max_parents, most_bytes)
        return SetFunctions(self, largest, most_bytes) if largest else None
