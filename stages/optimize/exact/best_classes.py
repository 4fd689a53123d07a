"""The k best equivalence classes of networks of listed sets (Chen and Tian 2014), each by one of its networks.

A class is what data cannot tell apart: the same adjacencies and v-structures, and the same directions of arcs that
interventions of the data decide. Its score is that of its best network of listed sets; under a score-equivalent score
all its networks have it. Only networks within some nats of the best one are followed, at first few, until there are
enough classes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from formats.records import Network, ParentSetTable
from stages.graphs.targets import separates, targets_of
from stages.kernels.orders.best_classes import BestClasses, ClassKeys, complete_totals, extend_classes
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import index_table, relative_scores
from stages.runtime.budgets import Budget, slices
from stages.runtime.errors import NothingFoundError, StageError
from stages.runtime.memory import format_bytes, free_bytes
from stages.runtime.reporting import NullReporter, Reporter
from stages.runtime.seeding import task_generator
from stages.runtime.warm_up import compile_first, tiny_table

from .. import OptimizeOptions
from ..bounds.claims import LISTED, claim_of_lists
from ..bounds.subset_dp import MOST_VARIABLES, SLICE, SubsetTables, subset_tables
from ..driver import assemble
from ..result import listed_result
from ..verify import verify_found

FIRST_RANGE = 4.0
"""Nats below the best network within which classes are looked for first; doubled until there are enough."""

ROUNDING = 1e-9
"""Largest relative difference of equal sums of scores."""

SUBSETS_AT_ONCE = 1 << 11
"""Subsets per compiled call, divided by the number of classes; some hundredths of a second."""


class RankedNetworks(NamedTuple):
    """Networks of different classes, best first.

    - `chosen`: int64, shape (n_networks, n_variables): the index of each variable's set in the table.
    - `scores`: their scores in nats, float64.
    """

    chosen: np.ndarray
    scores: np.ndarray


def best_classes(table: ParentSetTable, most: int, budget: Budget, reporter: Reporter) -> RankedNetworks:
    """A network of each of the `most` best classes, or of all if there are fewer.

    `table` allows at least one network. Raises `StageError`: too many variables, too little memory or time;
    `NothingFoundError`: an interruption.
    """
    n = table.n_variables
    needed = (n * 4 << max(0, n - 1)) + (20 << n)
    if n > MOST_VARIABLES or needed > free_bytes() // 2:
        raise StageError(
            f"the best classes of {n} variables take {format_bytes(needed)} and more (at most {MOST_VARIABLES} "
            f"variables, and half of the free memory, {format_bytes(free_bytes() // 2)})\n"
            "  leave out columns, or sample networks: bnsl posterior --dags FILE"
        )
    lists = index_table(table)
    solved = subset_tables(lists, budget, reporter)
    if solved is None:
        raise _unfinished(budget)
    search = _Search(table, lists, solved, most, budget, reporter)
    spread = sum(
        float(np.ptp(table.scores[first:end])) for first, end in zip(table.set_offsets[:-1], table.set_offsets[1:])
    )
    within = FIRST_RANGE
    while True:
        found = search.run(within if within <= spread else math.inf)
        if len(found) >= most or within > spread:
            break
        within *= 2.0
    scores = np.array([math.fsum(table.scores[chosen].tolist()) for chosen in found])
    order = np.argsort(-scores, kind="stable")
    return RankedNetworks(found[order].astype(np.int64), scores[order])


def ranked_networks(
    table: ParentSetTable, most: int, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> Iterator[Network]:
    """The verified networks of `best_classes` with their ranks.

    A network with a set that a list lacks scores less than one of listed sets by the margin of ``keep_mass`` (0
    without it). So ranks within this margin of the best network hold among all networks if lists are complete.
    """
    compile_first(_search_tiny, budget, ("best_classes",))
    ranked = best_classes(table, most, budget, reporter)
    if len(ranked.scores) < most:
        reporter.warn(f"there are {len(ranked.scores):,} classes of networks of the listed sets, not {most:,}")
    keep_mass = table.header.extra.get("keep_mass")
    margin = 0.0 if keep_mass is None else -math.log(keep_mass) if keep_mass else math.inf
    extra = {key: value for key, value in table.header.extra.items() if key != "keep_mass"}
    header = replace(table.header, extra=extra)
    wide, listed = claim_of_lists(table, options), LISTED
    for rank, (chosen, score) in enumerate(zip(ranked.chosen, ranked.scores.tolist()), 1):
        among = wide if ranked.scores[0] - score <= margin else listed
        found = listed_result(table, chosen, score, {"rank": rank, "ranked_among": among})
        network = assemble(header, "exact", options, budget, found)
        verify_found(network, options, table=table)
        yield network


def _search_tiny(small: Budget) -> None:
    best_classes(tiny_table(), 2, small, NullReporter())


def _unfinished(budget: Budget) -> StageError:
    if budget.interrupted:
        return NothingFoundError("interrupted before all subsets of the variables were reached")
    return StageError("the time ended before the best classes were found\n  allow more --time, or fewer classes")


class _Search:
    """The tables of one search."""

    def __init__(
        self,
        table: ParentSetTable,
        lists: SetLists,
        solved: SubsetTables,
        most: int,
        budget: Budget,
        reporter: Reporter,
    ):
        self.lists, self.solved, self.most, self.budget, self.reporter = lists, solved, most, budget, reporter
        self.n = n = table.n_variables
        bits = np.left_shift(np.int64(1), lists.parents.astype(np.int64))
        sums = np.append(np.int64(0), np.cumsum(bits))
        self.set_masks = sums[lists.parent_offsets[1:]] - sums[lists.parent_offsets[:-1]]
        self.scores = relative_scores(lists)
        self.rests = np.zeros(1 << n)
        # Larger masks come first.
        last, end = (1 << n) - 1, 0
        for start, end in slices(last, SLICE, budget):
            complete_totals(self.scores, solved.best, self.rests, last - end, last - start)
        if end < last:
            raise _unfinished(budget)
        self.keys = _draw_keys(table)

    def run(self, within: float) -> np.ndarray:
        """The best classes within this number of nats of the best network: sets, shape (n_classes, n_variables)."""
        totals, n = self.solved.totals, self.n
        least = float(totals[-1]) - within - ROUNDING * (1.0 + abs(float(totals[-1])))
        reach = totals + self.rests
        relevant = np.flatnonzero((reach >= least) & (reach > -np.inf))
        sizes = np.bitwise_count(relevant)
        del reach
        places = np.full(1 << n, -1, dtype=np.int32)
        before = self._made(1)
        before.counts[0] = 1
        before.totals[0, 0] = 0.0
        before.keys[0, 0] = 0
        places[0] = 0
        for size in range(1, n + 1):
            subsets = relevant[sizes == size]
            found = self._made(len(subsets))
            end = 0
            for start, end in slices(len(subsets), max(1, SUBSETS_AT_ONCE // self.most), self.budget):
                extend_classes(
                    self.lists, self.set_masks, self.scores, self.solved.best, self.rests, least, self.keys,
                    places, before, subsets, start, end, found,
                )  # fmt: skip
            if end < len(subsets):
                raise _unfinished(self.budget)
            self.reporter.progress(size, n, f"sizes of subsets, within {within:g} nats")
            places[relevant[sizes == size - 1]] = -1
            places[subsets] = np.arange(len(subsets))
            before = found
        return before.families[0, : before.counts[0]]

    def _made(self, n_subsets: int) -> BestClasses:
        """Arrays for the classes of this number of subsets."""
        shape = n_subsets, self.most
        needed = n_subsets * self.most * (16 + 4 * self.n)
        if needed > free_bytes() // 2:
            raise StageError(
                f"the best classes of {n_subsets:,} subsets of the variables take {format_bytes(needed)}, more than "
                f"half of the free memory ({format_bytes(free_bytes())})\n  ask for fewer classes"
            )
        return BestClasses(
            counts=np.zeros(n_subsets, dtype=np.int64),
            totals=np.empty(shape),
            keys=np.empty(shape, dtype=np.uint64),
            families=np.full((*shape, self.n), -1, dtype=np.int32),
        )


def _draw_keys(table: ParentSetTable) -> ClassKeys:
    """Random numbers of adjacencies and v-structures; always the same ones."""
    n, rng = table.n_variables, task_generator(0)
    numbers = rng.integers(0, 2**64, size=(n + 1, n, n), dtype=np.uint64)
    arcs = numbers[n]
    is_decided = separates(targets_of(table.header))
    for a in range(n):
        for b in range(a):
            if not is_decided(a, b):
                arcs[a, b] = arcs[b, a]
    return ClassKeys(arcs=np.ascontiguousarray(arcs), colliders=np.ascontiguousarray(numbers[:n]))
