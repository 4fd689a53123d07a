"""Learning with a screening forest (qds-BNSL; Rahier, Marié, Girard and Forbes 2018): search among the roots only.

Any method on data searches the roots of the forest as a separate data set; then the screened variables join the
network with their one parent each. The union has no cycle, because arcs lead from roots into trees only; its width is
the width of the roots' network, at least 1. For log-likelihood and a forest without remaining entropy it is optimal
if the roots' network is (their Proposition 1). This holds for a deterministic DAG as well, which gives variables
several parents (`stages.screening.determining_sets`); it may widen the union and is refused under a bound on the
treewidth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from formats.bounds import Bound
from formats.data_records import Dataset
from formats.graph_records import SCREENED
from formats.graphs.algorithms import moral_graph
from formats.records import ParentSetRecord, ParentSetTable, ScreeningForest
from formats.sets.listed_sets import ListedSets
from stages.graphs import eliminate_children_first
from stages.knowledge import Knowledge, check_screened
from stages.runtime.errors import InfeasibleError
from stages.scoring.family_scorer import FamilyScorer

from ..lists.start_network import StartNetwork
from . import OptimizeOptions
from .bounds.claims import with_forest
from .result import SearchResult


class RootProblem:
    """The search among the roots of a forest, in the order of the data.

    Knowledge and start network of `options` are over all variables. Raises `InfeasibleError` if the forest
    contradicts the constraints, or a root requires a screened parent.
    """

    def __init__(self, dataset: Dataset, forest: ScreeningForest, options: OptimizeOptions):
        self.screened = dict(sorted(forest.parents.items()))
        self.names = dataset.names
        knowledge = options.knowledge or Knowledge(dataset.names)
        check_screened(knowledge, self.screened)
        self._require_trees(options)
        self.roots = np.array([v for v in range(dataset.n_variables) if v not in self.screened])
        self._place = {int(root): place for place, root in enumerate(self.roots)}
        # Data and, below, options restricted to the roots.
        self.dataset = dataset.of_variables(self.roots.tolist(), f"{dataset.fingerprint}, roots only")
        self._require_unscreened(knowledge)
        start = options.start
        self.options = replace(
            options,
            knowledge=None if options.knowledge is None else knowledge.among(self.roots),
            start=None if start is None else self._start(start),
        )

    def _require_trees(self, options: OptimizeOptions) -> None:
        several = [v for v, members in self.screened.items() if len(members) > 1]
        if options.treewidth is not None and several:
            child = several[0]
            raise InfeasibleError(
                f"{self.names[child]!r} is screened with {len(self.screened[child])} parents, which may widen the "
                "network: with --tw screen by single parents (bnsl screen without --max-parents)"
            )

    def _require_unscreened(self, knowledge: Knowledge) -> None:
        for parent, child in knowledge.required_arcs:
            if child in self._place and parent in self.screened:
                raise InfeasibleError(
                    f"the arc {knowledge.arc_text(parent, child)} is required, but {self.names[parent]!r} is "
                    "screened: leave it out of the screening forest or drop the constraint"
                )

    def _start(self, start: StartNetwork) -> StartNetwork:
        parents = (self._inside(start.parents[root]) for root in self.roots)
        return StartNetwork(tuple(parents))

    def _inside(self, members: Iterable[int]) -> tuple[int, ...]:
        return tuple(self._place[v] for v in members if v in self._place)

    def lists_of(self, table: ParentSetTable) -> ParentSetTable:
        """The sets of the roots that hold roots only."""
        header = replace(table.header, variables=tuple(table.header.variables[v] for v in self.roots))

        def records() -> Iterator[ParentSetRecord]:
            for record in table.records():
                if record.child not in self._place:
                    continue
                kept = [s for s, members in enumerate(record.parents) if all(v in self._place for v in members)]
                yield replace(
                    record,
                    child=self._place[record.child],
                    parents=ListedSets.of(self._inside(record.parents[s]) for s in kept),
                    scores=record.scores[kept],
                    required=self._inside(record.required),
                )

        return ParentSetTable.from_records(header, records())

    def whole(self, result: SearchResult, scorer: FamilyScorer) -> SearchResult:
        """The union of a network of the roots and the forest; `scorer` is the scorer of the whole table."""
        parents: list[tuple[int, ...]] = [()] * len(self.names)
        scores = np.empty(len(self.names))
        for root, members, score in zip(self.roots.tolist(), result.parents, result.scores.tolist()):
            parents[root], scores[root] = self._members(members), score
        for child, members in self.screened.items():
            parents[child] = members
            scores[child] = scorer.local_score(child, members)
        screened = math.fsum(scores[list(self.screened)].tolist())
        bound = result.bound
        if bound is not None:
            bound = Bound(bound.value + screened, with_forest(bound.about))
        return replace(
            result,
            parents=tuple(parents),
            scores=scores,
            score=math.fsum(scores.tolist()),
            facts={**result.facts, SCREENED: list(self.screened)},
            bound=bound,
            elimination=self._elimination(result.elimination),
            lists=None if result.lists is None else self._whole_lists(result.lists, scores),
        )

    def _members(self, members: Iterable[int]) -> tuple[int, ...]:
        return tuple(int(self.roots[v]) for v in members)

    def _elimination(self, elimination: Iterable[int] | None) -> list[int] | None:
        """Screened variables first, leaves before their parents: each has one neighbour when it is eliminated."""
        if elimination is None:
            return None
        trees = [self.screened.get(v, ()) for v in range(len(self.names))]
        leaves_first = eliminate_children_first(moral_graph(trees), trees)
        return [v for v in leaves_first if v in self.screened] + [*self._members(elimination)]

    def _whole_lists(self, records: Iterable[ParentSetRecord], scores: np.ndarray) -> Iterator[ParentSetRecord]:
        """Lists of all variables, in order; a screened variable has one set."""
        by_root = iter(records)
        for child in range(len(self.names)):
            if child in self.screened:
                yield ParentSetRecord.of(child, (self.screened[child],), (float(scores[child]),), fixed=True)
                continue
            record = next(by_root)
            yield replace(
                record,
                child=child,
                parents=ListedSets(record.parents.offsets, self.roots[record.parents.members].astype(np.int32)),
                required=self._members(record.required),
            )
