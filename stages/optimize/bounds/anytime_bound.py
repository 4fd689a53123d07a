"""An upper bound that improves beside a search, for a share of the search's work.

Under a treewidth bound it holds for networks within it once prices of edges (`width.width_search`) have narrowed it;
until then, and always where a proof is wanted, since its prices are not kept for one, for networks of any width.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from formats.bounds import Bound
from formats.records import ParentSetTable
from stages.lists.set_lists import keep_sets, lists_in
from stages.runtime.budgets import Budget
from stages.runtime.seeding import task_generator

from .. import OptimizeOptions
from ..result import SearchResult, total_score
from .claims import claim_of_lists
from .width.width_search import WidthSearch

SHARE = 0.2
"""Work on the bound per unit of work of the search: a sixth of the time."""

IDLE_SHARE = 0.8
"""Further work on the bound per unit of work of an iterated local search that does not improve: nearly half of the
time, see `WorkShare`.
"""

SETTLED = 3e-3
"""A network has settled once doubling the work has gained no more than this share of its score."""

FIRST_WORK = 30_000_000
"""Initial work on the bound, about a tenth of a second; more than dual ascent needs for most lists."""

LEAST_WORK = 5_000_000
"""Smallest amount of work done at once: some hundredths of a second."""

GAP_OF_LISTS = "gap to the lists' best"
"""Name of the gap in progress reports."""


class WorkShare:
    """Work due to a bound, by the work of the search beside it.

    It depends on work and scores alone, never on the clock. So a run with a limit on evaluations is reproducible, and
    load on the machine does not shift time between search and bound.

    Each unit of work of the search makes `share` units of work on the bound due. Once the search has done twice the
    work after which it found its incumbent, it makes `idle_share` units more due. Here a network counts as a new
    incumbent only if its score is better by more than the share `least_gain` of the score.
    """

    def __init__(self, idle_share: float = 0.0, least_gain: float = 0.0, share: float = SHARE):
        self._idle_share, self._least_gain, self._plain_share = idle_share, least_gain, share
        self._best, self._found_at = -math.inf, 0.0

    def of(self, work: float, score: float) -> float:
        """Total work due after `work` of the search, whose incumbent has this `score` in nats."""
        if score - self._best > self._least_gain * abs(score):
            self._best, self._found_at = score, work
        return FIRST_WORK + self._plain_share * work + self._idle_share * max(0.0, work - 2.0 * self._found_at)


class AnytimeBound:
    """The bound for a search on the lists of `table`.

    Sets with more parents than the treewidth bound in the `options` of the search are excluded. `idle_share` is as in
    `WorkShare`. If a proof is kept, the bound holds for networks of any width.
    """

    def __init__(self, table: ParentSetTable, options: OptimizeOptions, budget: Budget, idle_share: float = 0.0):
        lists, treewidth = lists_in(table), options.treewidth
        if treewidth is not None:
            # Every variable has such a set: larger fixed records are refused earlier.
            lists = keep_sets(lists, np.flatnonzero(np.diff(table.parent_offsets) <= treewidth))
        narrowed = None if options.keeps_proof else treewidth
        self.search = WidthSearch(lists, task_generator(options.seed, 0, 1), narrowed)
        self._table, self._options = table, options
        self._scores = None if treewidth is not None else lists.scores
        self._budget = budget
        # Without a treewidth bound the gap often closes, and then every nat of the score counts.
        self._share = WorkShare(idle_share, 0.0 if treewidth is None else SETTLED)
        self.keep_pace(0, -math.inf)

    @property
    def is_closed(self) -> bool:
        """Whether the best network reported so far is proved optimal."""
        return self.search.best.is_closed

    def so_far(self, score: float, network_of: Callable[[Any], SearchResult], found: Any) -> dict[str, Any]:
        """For reports of progress: the score in nats, the gap, and what makes the network with the bound."""
        network = partial(self.with_bound, network_of, found)
        return {"score": score, GAP_OF_LISTS: self.search.best.gap, "network": network}

    def better_network(self, score: float) -> tuple[np.ndarray, float] | None:
        """The network found by the residual problem, if it scores more: its sets and its score in nats.

        None under a treewidth bound, which that network may violate.
        """
        found = self.search.wide.found
        if found is None or self._scores is None:
            return None
        total = total_score(self._scores, found)
        return (found, total) if total > score else None

    def keep_pace(self, work: float, score: float) -> None:
        """Work on the bound until it has had its share of the search's `work` (in sets looked at).

        `score` is the score of the best network so far, in nats.
        """
        share = self._share.of(work, score)
        # Too little to do now: only the incumbent is passed on.
        if self.search.work + LEAST_WORK > share:
            share = 0.0
        self.search.improve(self._budget, share, score)

    def with_bound(self, network_of: Callable[[Any], SearchResult], found: Any) -> SearchResult:
        """The network that `network_of` makes of `found`, and the bound so far."""
        network, best = network_of(found), self.search.best
        about = claim_of_lists(self._table, self._options, best.is_narrow)
        return replace(network, bound=Bound.of(best.value, network.score, best.rounding, about))
