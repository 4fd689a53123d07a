"""The result of every search, and the protocols of searches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from formats.bounds import Bound
from formats.records import ParentSetRecord, ParentSetTable
from stages.lists.set_lists import all_sets
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter

from . import OptimizeOptions
from .bounds.proof_steps import TreeNode

if TYPE_CHECKING:
    from stages.scoring.family_scorer import FamilyScorer

Parents = tuple[tuple[int, ...], ...]
"""Parents of every variable, ascending."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """A network with the search's claims and figures; `verify` checks the claims from scratch."""

    parents: Parents
    scores: np.ndarray  # float64, shape (n_variables,): local scores in nats
    score: float  # score of the network as the search computed it, in nats
    # Further header entries: ``restarts``, ``orders`` (evaluated), ...
    facts: dict[str, Any] = field(default_factory=dict)
    # Figures for ``--stats`` (durations, rates, per-restart columns); never written to the network.
    stats: dict[str, Any] = field(default_factory=dict)
    bound: Bound | None = None
    # Under a treewidth bound: an elimination order of the moral graph that proves it.
    elimination: Sequence[int] | None = None
    lists: Iterable[ParentSetRecord] | None = None  # final candidate sets of a search on data, by variable
    nodes: Sequence[TreeNode] = ()  # nodes for a proof of its bound, see `bounds.proof_steps`


def unscored(parents: Parents, elimination: Sequence[int] | None = None) -> SearchResult:
    """A network of a search on data; the driver scores it, apart from the search, whose counts stay as they are."""
    return SearchResult(parents, np.zeros(len(parents)), 0.0, elimination=elimination)


def listed_result(
    table: ParentSetTable, chosen: np.ndarray, score: float, elimination: Sequence[int] | None = None
) -> SearchResult:
    """A network of listed sets; `chosen` has the index of every variable's set in `table` (int64)."""
    parents = tuple(all_sets(table).take(chosen))
    return SearchResult(parents, table.scores[chosen], score, elimination=elimination)


def total_score(scores: np.ndarray, chosen: np.ndarray) -> float:
    """Exact-to-rounding sum of the chosen sets' scores in nats, independent of the order of summation."""
    return math.fsum(scores[chosen].tolist())


class ListSearch(Protocol):
    """``search`` of a module that searches among listed sets."""

    def __call__(
        self, table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
    ) -> SearchResult:
        """The best network found within the budget, whose evaluations are orders."""


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
        """The best network found within the budget, whose evaluations are local scores.

        `table` has given candidate sets; only methods that grow sets take it.
        """
