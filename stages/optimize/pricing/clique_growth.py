"""Sets whose members share a bag of the k-tree of a network: such a set can be chosen at once.

In small bags the best family of each child is found exactly; in large bags, the best one within the members most
related to the host. Sets are also grown: in large bags, for children with required parents, and if the number of
local scores is limited, since growth gains more per score. Under treewidth 5, pricing in place of growth gains on
pumsb_star (60 s) and loses on plants and accidents. Both together gain on accidents, pumsb_star, tmovie and ad; on
2,000 columns of 500 rows they widen the gap (examples/measured/ablation.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from formats.sets.listed_sets import ListedSets, offsets_of
from stages.graphs import positions_of
from stages.runtime.budgets import Budget
from stages.runtime.workers import ordered_map
from stages.scoring.clique_scorer import CliqueScorer
from stages.scoring.set_grower import SetGrower

from ..result import Parents
from .run import PricingRun

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

RELATED = 4
"""Number of variables before and after a child, best as its only parent, in whose bags the child grows."""

HOSTS = 32
"""Number of variables, best as its only parent, in whose bags a child is priced, besides its own bag; by experiment.
"""

KEPT = 30
"""Number of a child's best families that join its list in a round; by experiment."""

MOST_DONE = 100_000
"""Limit on remembered bags, with the children priced in each; at the limit all are forgotten."""


class Focus(NamedTuple):
    """The network around which sets are grown, with an order and the bags of its k-tree."""

    order: np.ndarray
    parents: Parents
    bags: np.ndarray


class _Cliques(NamedTuple):
    """The distinct bags of a k-tree."""

    members: list[np.ndarray]  # int32: ascending by number of states, so few different layouts occur
    rows: np.ndarray  # int32, shape (n_cliques, K + 1): the members; a small bag repeats some of them
    digits: np.ndarray  # int64, shape (n_cliques, K + 1): binary digit of each member, 0 where the member is repeated
    of_host: np.ndarray  # int64, shape (n_variables,): number of the bag of each variable
    is_small: np.ndarray  # bool, shape (n_cliques,): whether the bag can be counted


class _Pairs(NamedTuple):
    """Children with bags in which they are to be priced."""

    children: np.ndarray  # int32
    cliques: np.ndarray  # int64: numbers of the bags
    allowed: np.ndarray  # int64: members that may be parents, as binary digits


class CliquePricing:
    """Prices bags, each once per child."""

    def __init__(self, run: PricingRun):
        self.run = run
        self._scorer = run.scorer.cliques(max(grower.max_parents for grower in run.growers))
        self._by_states = np.argsort(run.scorer.n_states, kind="stable").astype(np.int32)
        self._ranks = positions_of(self._by_states)
        # The children priced in a bag, as packed bits, by the bytes of its members.
        self._done: dict[bytes, np.ndarray] = {}

    def price(self, focus: Focus, budget: Budget) -> list[bool]:
        """Add the best families in the bags of `focus` to the growers, until `budget` ends.

        Returns
        -------
        list of bool For each child, whether it is priced in all bags of interest; then it need not grow in them.
        """
        run, scorer, n = self.run, self._scorer, self.run.scorer.n_variables
        if budget.evaluations is not None or scorer is None:
            return [False] * n
        cliques, is_whole = self._reduce(scorer, focus.bags[:n])
        hosts, nobody = [], np.zeros(0, dtype=np.int32)
        for grower in run.growers:
            if budget.is_spent():
                return [True] * n  # there is no time to grow either
            related = nobody if grower.required else grower.improving(())[0][:HOSTS]
            hosts.append(np.append(related, grower.child))
        is_free = np.array([not grower.required for grower in run.growers])
        starts = offsets_of([len(of_child) for of_child in hosts])
        is_priced = is_free & np.logical_and.reduceat(is_whole[np.concatenate(hosts)], starts[:-1])
        pairs = self._new_pairs(cliques, np.repeat(np.arange(n), np.diff(starts)), np.concatenate(hosts), is_free)
        self._price_pairs(scorer, pairs, cliques, budget)
        return is_priced.tolist()

    def _new_pairs(self, cliques: _Cliques, children: np.ndarray, hosts: np.ndarray, is_free: np.ndarray) -> _Pairs:
        """The small bags of the hosts of free children in which these are not priced yet, by child."""
        if len(self._done) > MOST_DONE:
            self._done.clear()
        n, nobody = self.run.scorer.n_variables, self._pack(())
        done = np.stack([self._done.get(members.tobytes(), nobody) for members in cliques.members])
        pairs = np.unique(children * len(done) + cliques.of_host[hosts])
        children, places = np.divmod(pairs, len(done))
        is_new = done[places, children >> 3] >> (children & 7) & 1 == 0
        kept = is_new & is_free[children] & cliques.is_small[places]
        children, places = children[kept], places[kept]
        allowed = np.empty(len(children), dtype=np.int64)
        ends = np.searchsorted(children, np.arange(n + 1))
        for grower in self.run.growers:
            those = slice(*ends[grower.child : grower.child + 2])
            may = np.zeros(n, dtype=np.bool_)
            may[grower.candidates] = True
            allowed[those] = (may[cliques.rows[places[those]]] * cliques.digits[places[those]]).sum(axis=1)
        return _Pairs(children.astype(np.int32), places, allowed)

    def _pack(self, children: ArrayLike) -> np.ndarray:
        """Children as packed bits, the first one the lowest."""
        is_one = np.zeros(self.run.scorer.n_variables, dtype=np.bool_)
        is_one[np.asarray(children, dtype=np.int64)] = True
        return np.packbits(is_one, bitorder="little")

    def _reduce(self, scorer: CliqueScorer, bags: np.ndarray) -> tuple[_Cliques, np.ndarray]:
        """The distinct bags; a bag too large to count loses the members least related to its host. Also whether the
        bag of each host has all its members.
        """
        cliques = self._distinct(scorer, bags)
        is_whole = cliques.is_small[cliques.of_host]
        if is_whole.all():
            return cliques, is_whole
        bags, is_inside = bags.copy(), np.zeros(len(bags), dtype=np.bool_)
        for host in np.flatnonzero(~is_whole).tolist():
            grower, bag = self.run.growers[host], bags[host]
            related, _ = grower.improving(grower.required)
            is_inside[bag], is_inside[host] = True, False
            members = np.append(host, related[is_inside[related]])
            is_inside[bag] = False
            kept = members[: max(1, scorer.n_fitting(members))]
            bag[:] = host
            bag[: len(kept)] = kept
        return self._distinct(scorer, bags), is_whole

    def _distinct(self, scorer: CliqueScorer, bags: np.ndarray) -> _Cliques:
        rows, of_host = np.unique(np.sort(self._ranks[bags], axis=1), axis=0, return_inverse=True)
        is_first = np.diff(rows, axis=1, prepend=-1) > 0
        rows = self._by_states[rows]
        digits = np.where(is_first, 1 << (np.cumsum(is_first, axis=1) - 1), 0)
        members = [row[first] for row, first in zip(rows, is_first)]
        return _Cliques(members, rows, digits, of_host.ravel(), scorer.can_count(rows, is_first))

    def _price_pairs(self, scorer: CliqueScorer, pairs: _Pairs, cliques: _Cliques, budget: Budget) -> None:
        run = self.run
        by_clique = np.argsort(pairs.cliques, kind="stable")
        ends = np.searchsorted(pairs.cliques[by_clique], np.arange(len(cliques.members) + 1))
        masks, scores = np.zeros(len(by_clique), dtype=np.int64), np.full(len(by_clique), -np.inf)

        def price(clique: int) -> np.ndarray:
            """Price the children of a bag, in calls of limited length; returns the children done in time."""
            members, (begin, end) = cliques.members[clique], ends[clique : clique + 2]
            size = scorer.call_size(members)
            for first in range(begin, end, size):
                if budget.is_spent():
                    end = first
                    break
                which = by_clique[first : min(first + size, end)]
                masks[which], scores[which] = scorer.best(members, pairs.children[which], pairs.allowed[which])
            return pairs.children[by_clique[begin:end]]

        # In random order, since time may end the round. Bags in which no child is priced may be too large to count.
        order, n_families = run.rng.permutation(np.unique(pairs.cliques)).tolist(), np.zeros(len(run.growers))
        for clique, children in zip(order, ordered_map(price, order, run.jobs), strict=True):
            members = cliques.members[clique]
            n_families[children] += scorer.n_families(members)
            key, priced = members.tobytes(), self._pack(children)
            self._done[key] = self._done[key] | priced if key in self._done else priced
        for grower, more in zip(run.growers, n_families.tolist()):
            grower.evaluated += int(more)
        best = _best_of_each(pairs.children, scores)
        places = pairs.cliques[best]
        is_parent = cliques.digits[places] & masks[best, None] != 0
        parents = np.sort(np.where(is_parent, cliques.rows[places], len(run.growers)), axis=1)
        families = ListedSets.of_sizes(is_parent.sum(axis=1), parents[parents < len(run.growers)])
        for child, family, score in zip(pairs.children[best].tolist(), families, scores[best].tolist(), strict=True):
            run.growers[child].scores.setdefault(family, score)


def _best_of_each(children: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The pairs with the `KEPT` best scores of each child."""
    order = np.lexsort((-scores, children))
    rank = np.arange(len(order)) - np.searchsorted(children[order], children[order])
    return order[(rank < KEPT) & (scores[order] > -np.inf)]


def grow_in_cliques(grower: SetGrower, focus: Focus, position: np.ndarray) -> None:
    """Grow a child's sets within its own bag and the bags of the variables most related to it."""
    child = grower.child
    related, _ = grower.improving(grower.required)
    earlier = position[related] < position[child]
    hosts = [child, *related[earlier][:RELATED].tolist(), *related[~earlier][:RELATED].tolist()]
    allowed = np.zeros(len(position), dtype=np.bool_)
    for host in hosts:
        members = [*focus.bags[host].tolist(), *grower.required]
        allowed[members] = True
        allowed[child] = False
        # The present parents in this bag, if any of them is not required, are a second start.
        kept = tuple(p for p in focus.parents[child] if allowed[p])
        if len(kept) > len(grower.required):
            grower.grow_and_shrink(allowed, kept)
        grower.grow_and_shrink(allowed)
        allowed[members] = False
