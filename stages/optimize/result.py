"""What every search returns, and how it is called."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    from formats.records import ParentSetRecord, ParentSetTable
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter
    from stages.scoring.family_scorer import FamilyScorer

    from . import OptimizeOptions

Parents = tuple[tuple[int, ...], ...]
"""Parents of every variable, ascending."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """A network, what the search claims of it, and how it was found. `verify` checks the claims from scratch.

    Attributes
    ----------
    parents : tuple of tuple of int
        Parents of every variable, ascending.
    scores : ndarray of float64, shape (n_variables,)
        Local scores in nats.
    score : float
        Score of the network as the search has it, in nats.
    facts : dict
        Header entries: ``restarts``, ``orders`` (evaluated), ``bound``, ``gap``, ...
    stats : dict
        Figures for ``--stats`` (durations, rates, per-restart columns); never written to the network.
    elimination : sequence of int, optional
        Under a treewidth bound an elimination order of the moral graph that proves it.
    lists : iterable of ParentSetRecord, optional
        Candidate sets that a search on data ends with, by variable.
    """

    parents: Parents
    scores: np.ndarray
    score: float
    facts: dict[str, Any] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)
    elimination: Sequence[int] | None = None
    lists: Iterable[ParentSetRecord] | None = None


def listed_result(
    table: ParentSetTable,
    chosen: np.ndarray,
    score: float,
    facts: dict[str, Any],
    stats: dict[str, Any] | None = None,
    elimination: Sequence[int] | None = None,
) -> SearchResult:
    """The result of a search among listed sets.

    Parameters
    ----------
    table : ParentSetTable
    chosen : ndarray of int64, shape (n_variables,)
        Index into the table's sets chosen for every variable.
    score, facts, stats, elimination
        As in `SearchResult`.
    """
    parents = tuple(table.parent_set(s) for s in chosen.tolist())
    return SearchResult(parents, table.scores[chosen], score, facts, stats or {}, elimination)


def total_score(scores: np.ndarray, chosen: np.ndarray) -> float:
    """Exact-to-rounding sum of the chosen sets' scores in nats, independent of the order of summation."""
    return math.fsum(scores[chosen].tolist())


class ListSearch(Protocol):
    """``search`` of a module that searches among listed sets."""

    def __call__(
        self, table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
    ) -> SearchResult:
        """The best network met in the budget, of which the evaluations are orders."""


class DataSearch(Protocol):
    """``search_data`` of a module that searches on data."""

    def __call__(
        self,
        scorer: FamilyScorer,
        options: OptimizeOptions,
        budget: Budget,
        reporter: Reporter,
        table: ParentSetTable | None = None,
    ) -> SearchResult:
        """The best network met in the budget, of which the evaluations are local scores.

        Only methods that grow candidate sets are given any to begin with: `table`. The network to start from is
        in `options`.
        """
