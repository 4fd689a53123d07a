"""The tree of parts: a search among listed sets is repeated in parts of the lists until a network keeps all pairs.

Parts with the best bounds are searched first. The bound of the whole is the largest among the parts that are left, so
it holds at any time.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Any

import numpy as np

from formats.records import ParentSetTable
from formats.wording import listed
from stages.knowledge import Knowledge
from stages.lists.barred_sets import bar_least_sets
from stages.lists.set_lists import fixed_first_order, keep_in_table
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError, StageError
from stages.runtime.reporting import NullReporter, Reporter

from .. import OptimizeOptions
from ..bounds.claims import IS_NARROW
from ..bounds.rounding import optimality_tolerance
from ..result import ListSearch, Parents, SearchResult
from .branches import Condition, Selection, branches_of, cut_off
from .repair import ListedNetworks, Network

UNPROVED_PARTS, PATIENCE = 30, 10
"""Parts that a search which does not end by a proof looks into, unless time limits it; factor on their number while
no network is found.
"""

TIME_SHARE = 0.5
"""Share of the time left that a part may take."""

BARRED = 1.0
"""A part whose best network has a set that is not listed has no other: others are better by this number of nats."""

MORE_SETS = "list more sets (bnsl parentsets --sequential --keep-mass 0)"


def search_keeping(
    search: ListSearch, table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """The best network that `search` finds under the pairs of ancestors in the knowledge of `options`.

    Raises `InfeasibleError` if no network of listed sets keeps them, `StageError` if none was found in the budget.
    """
    return AncestorTree(search, table, options, budget, reporter).run()


class AncestorTree:
    """Parts of the networks of listed sets, and the best network so far."""

    def __init__(
        self, search: ListSearch, table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
    ):
        assert options.knowledge is not None
        self.knowledge: Knowledge = options.knowledge
        self.search, self.table, self.budget, self.reporter = search, table, budget, reporter
        self.options = options
        self.ancestors = options.knowledge.implied_ancestors
        self.selection = Selection(table)
        self.networks = ListedNetworks(table, options.knowledge.ancestors)
        self.best: Network | None = None
        self.score = -math.inf
        self.facts: dict[str, Any] = {}
        self.n_parts = self.orders = self.idle = 0
        self.closed = -math.inf  # largest bound of a part that is not searched any further
        self.numbers = itertools.count()
        self.open: list[tuple[float, int, np.ndarray, list[Condition]]] = []
        self.tolerance = 0.0

    @property
    def bound(self) -> float:
        """Upper bound in nats on all networks that keep the pairs."""
        return max(self.closed, -self.open[0][0] if self.open else -math.inf, self.score)

    def run(self) -> SearchResult:
        """Search parts until the best network is proved, or the budget ends."""
        everything = self.selection.everything()
        joined = cut_off(self.ancestors.required, self.selection.possible_parents(everything))
        if joined is not None:
            raise InfeasibleError(
                f"no network of listed sets has the required ancestor {self._text(joined)}: no path of listed arcs "
                f"leads there\n  {MORE_SETS}"
            )
        self._look_into(everything, math.inf)
        while self.open and not self._is_over():
            bound, _, packed, conditions = heapq.heappop(self.open)
            kept = np.unpackbits(packed, count=self.table.n_sets).view(np.bool_)
            within = self.selection.restricted(kept, conditions)
            if within is not None:
                self._look_into(within, -bound)
        if self.best is None:
            self._fail()
        return self._result()

    def _is_over(self) -> bool:
        if self.bound - self.score <= self.tolerance:
            return True
        if self.n_parts and self.budget.is_spent(self.orders):
            return True
        most = UNPROVED_PARTS * (1 if self.best is not None else PATIENCE)
        return self.budget.seconds is None and self.idle >= most

    def _look_into(self, kept: np.ndarray, bound: float) -> None:
        """Search a part, given an upper bound on it, and split it if its network breaks a pair."""
        if self.n_parts and cut_off(self.ancestors.required, self.selection.possible_parents(kept)) is not None:
            return
        table, barred = bar_least_sets(keep_in_table(self.table, np.flatnonzero(kept)))
        try:
            fixed_first_order(table)
        except InfeasibleError:
            if not self.n_parts:
                raise
            return
        found = self.search(table, self.options, self._share(), self.reporter if not self.n_parts else NullReporter())
        self.n_parts += 1
        self.orders += found.facts.get("orders", 0)
        # The bound of the whole is about the treewidth only, if one of a part is.
        self.facts = (self.facts or found.facts) | {k: v for k, v in found.facts.items() if k == IS_NARROW}
        least, gap = min(bound, found.facts["bound"]), found.facts["gap"]
        is_proved = gap <= optimality_tolerance(found.scores)
        self.idle += not is_proved
        if any(found.parents[child] == family for child, family in barred.items()):
            if gap >= BARRED:
                self.closed = max(self.closed, least)
            return
        self.tolerance = max(self.tolerance, optimality_tolerance(found.scores))
        self.networks.add(found.parents, found.scores)
        parts = branches_of(found.parents, self.ancestors, self.selection, kept)
        self._offer(found.parents)
        if parts is None:
            self.closed = max(self.closed, least)
        elif least > self.score:
            packed = np.packbits(kept)
            for conditions in reversed(parts):  # among equal bounds the last one is searched first
                heapq.heappush(self.open, (-least, -next(self.numbers), packed, conditions))
        else:
            self.closed = max(self.closed, least)
        self._report()

    def _share(self) -> Budget:
        """The budget of a part."""
        part = self.budget.part(TIME_SHARE)
        if self.budget.evaluations is not None:
            part.evaluations = max(1, self.budget.evaluations - self.orders)
        return part

    def _offer(self, parents: Parents) -> None:
        """Keep a network of listed sets, repaired and improved, if it is the best so far."""
        network = self.networks.repaired(
            parents, self.budget if self.best is not None else Budget(stop=self.budget.stop)
        )
        if network is None:
            return
        network = self.networks.climbed(network, self.budget)
        score = math.fsum(self.networks.scores_of(network).tolist())
        if score > self.score:
            self.best, self.score = network, score

    def _report(self) -> None:
        facts = {} if self.best is None else {"score": self.score, "gap": self.bound - self.score}
        self.reporter.progress(self.n_parts, None, "parts of the networks", **facts)

    def _fail(self) -> None:
        """Raise the error of a search that found no network."""
        pairs = [f"the required {self._text(pair)}" for pair in self.knowledge.ancestors.required]
        pairs += [f"the forbidden {self._text(pair)}" for pair in self.knowledge.ancestors.forbidden]
        if not self.open and self.closed == -math.inf:
            raise InfeasibleError(
                f"no network of listed sets keeps {listed(pairs)}, with all other constraints\n"
                f"  drop one, or {MORE_SETS}"
            )
        raise StageError(
            f"no network that keeps {listed(pairs)} was found\n"
            "  allow more --time, or search with --exact: without a limit it finds one or proves that there is none"
        )

    def _text(self, pair: tuple[int, int]) -> str:
        return self.knowledge.relation_text(*pair)

    def _result(self) -> SearchResult:
        assert self.best is not None
        scores = self.networks.scores_of(self.best)
        facts = {
            **self.facts,
            "bound": max(self.bound, self.score),
            "gap": max(self.bound, self.score) - self.score,
            "parts": self.n_parts,
        }
        if "orders" in facts:
            facts["orders"] = self.orders
        return SearchResult(tuple(map(tuple, self.best)), scores, self.score, facts)
