"""Check a proof in exact whole numbers throughout, by code that shares nothing with the search.

A network takes one listed set of every variable and has no cycle. Every cut is a demand that all networks meet. So
for multipliers m >= 0 a network's score is at most the sum over variables of the best ``score + sum of m * weight``
among their sets, less ``sum of m * demand`` (weak duality). If this sum does not exceed the bound, nothing is left to
prove. Otherwise a set is excluded if the same sum, with the set in place of its variable's best one, does not exceed
the bound.

Cuts: of a cluster's members the first `k` in a network's order have fewer than `k` parents among the members
(Bartlett and Cussens 2017). In half of a sum of cuts, counts may be rounded up. If they are rounded down for some
variables, each of these takes one set, so at most one half per variable is lost (Caprara and Fischetti 1996).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from formats.errors import Inconsistent
from formats.proof_records import CAP, ClusterCut, HalfCut, Node, Proof, Step, digest_of_sets, whole_scores
from formats.records import NetworkRecord, ParentSetTable
from stages.graphs import strongly_connected_components

MOST_TOGETHER = 20
"""Largest component, in variables, that a proof may leave to be solved; larger ones stay open."""

NOTHING = np.iinfo(np.int64).min
"""Value of a set that may not be taken."""

NOT_SOLVED = 1 << 62
"""Excess of a node without a known bound."""

NO_SUM = -(1 << 62)
"""Sum of scores if no choice is acyclic."""


class ProofChecker:
    """The lists of a proof, and the sets among them that each cut counts.

    `table` has the lists that the proof is about. Raises `Inconsistent` if the proof is of other lists, or its
    numbers do not fit 62 bits.
    """

    def __init__(self, proof: Proof, table: ParentSetTable):
        if proof.header.names != table.header.names or proof.sets != digest_of_sets(table):
            raise Inconsistent("the proof was made from other parent sets: give their file")
        self.proof, self._table = proof, table
        self._child = np.repeat(np.arange(table.n_variables), np.diff(table.set_offsets))
        self._of_set = np.repeat(np.arange(table.n_sets), np.diff(table.parent_offsets))
        self._cuts: list[tuple[np.ndarray, np.ndarray, int]] = []
        for cut in proof.cuts:
            self._cuts.append(self._counted_by_cluster(cut) if isinstance(cut, ClusterCut) else self._halved(cut))
        largest = math.ceil(Fraction(float(np.abs(table.scores).max(initial=0.0))) * 2**proof.bits)
        self._require_small(largest)
        self._scores = whole_scores(table.scores, proof.bits)
        self._largest = int(np.abs(self._scores).max(initial=0))

    def _require_small(self, largest: int) -> None:
        """Sums of scores and multipliers stay below 2 to the power of 62."""
        if largest >= 1 << 62:
            raise Inconsistent("the numbers of the proof are too large for its unit")

    def _counted_by_cluster(self, cut: ClusterCut) -> tuple[np.ndarray, np.ndarray, int]:
        """The sets of members with fewer than `demand` parents inside, each with weight one."""
        inside = np.zeros(self._table.n_variables, dtype=np.bool_)
        inside[list(cut.members)] = True
        entries = inside[self._table.parents]
        hits = np.bincount(self._of_set[entries], minlength=self._table.n_sets)
        sets = np.flatnonzero(inside[self._child] & (hits < cut.demand))
        return sets, np.ones(len(sets), dtype=np.int64), min(cut.demand, CAP)

    def _halved(self, cut: HalfCut) -> tuple[np.ndarray, np.ndarray, int]:
        """Half of a sum; weights above the demand are reduced to the demand, since such a set satisfies the cut
        alone.
        """
        total = np.zeros(self._table.n_sets, dtype=np.int64)
        demand = -len(cut.lowered)
        for part in cut.parts:
            sets, weights, needed = self._cuts[part]
            total[sets] += weights
            demand += needed
        demand = max(0, min(-(-demand // 2), CAP))
        is_lowered = np.zeros(self._table.n_variables, dtype=np.bool_)
        is_lowered[list(cut.lowered)] = True
        half = np.minimum((total + ~is_lowered[self._child]) // 2, demand)
        sets = np.flatnonzero(half)
        return sets, half[sets], demand

    def excess(self, bound: int) -> int:
        """The excess of the proof over `bound`: the largest one of its open nodes, 0 if the proof holds.

        In the proof's unit.
        """
        return max(self.left_open(self.proof.nodes, bound).values(), default=0)

    def left_open(self, nodes: Sequence[Node], bound: int) -> dict[int, int]:
        """The numbers of the open nodes, and for each the amount by which its networks may exceed `bound`.

        In the proof's unit; `nodes` are the nodes of the proof, or others over its cuts.
        """
        found: dict[int, int] = {}
        allowed = np.ones(len(self._scores), dtype=np.bool_)
        if (most := self.proof.max_parents) is not None:
            allowed = np.diff(self._table.parent_offsets) <= most
        below: dict[int, list[int]] = {}
        for number, node in enumerate(nodes):
            below.setdefault(node.above, []).append(number)
        waiting = [(0, allowed, [0] * self._table.n_variables)]
        while waiting:
            number, allowed, after = waiting.pop()
            left = self._work_off(nodes[number], allowed, bound)
            children = below.get(number, [])
            if left <= 0:
                continue
            pairs = {nodes[child].pair for child in children}
            if not pairs or any(pairs != {pair, pair[::-1]} for pair in pairs):
                found[number] = left
                continue
            for child in children:
                first, second = nodes[child].pair
                if not after[second] >> first & 1:  # else no order is left
                    waiting.append((child, *self._ordered(allowed, after, first, second)))
        return found

    def _work_off(self, node: Node, allowed: np.ndarray, bound: int) -> int:
        """Apply a node's steps to `allowed`; returns by how much its networks may still exceed `bound`."""
        left = NOT_SOLVED
        if not np.all(np.logical_or.reduceat(allowed, self._table.set_offsets[:-1])):
            return 0  # A variable has no set left.
        for step in node.steps:
            excess = self._apply(step, allowed, bound)
            if excess <= 0:
                return 0
            left = min(left, excess)
        if node.is_solved:
            left = min(left, self._solve(allowed, bound))
        return left

    def _apply(self, step: Step, allowed: np.ndarray, bound: int) -> int:
        """Exclude sets by a step's multipliers; returns by how much the step's own bound exceeds `bound`."""
        self._require_small(self._largest + CAP * sum(step.multipliers))
        values, priced = self._scores.copy(), 0
        for cut, multiplier in zip(step.cuts, step.multipliers):
            sets, weights, demand = self._cuts[cut]
            values[sets] += multiplier * weights
            priced += multiplier * demand
        values[~allowed] = NOTHING
        best = np.maximum.reduceat(values, self._table.set_offsets[:-1])
        left = sum(best.tolist()) - priced - bound
        if left > 0:
            # With this set in place of the best one of its variable, the sum falls by the difference.
            best_of_child = np.repeat(best, np.diff(self._table.set_offsets))
            allowed &= best_of_child - np.where(allowed, values, best_of_child) < min(left, 1 << 62)
        return left

    def _ordered(
        self, allowed: np.ndarray, after: list[int], first: int, second: int
    ) -> tuple[np.ndarray, list[int]]:
        """The sets and the order that remain if `first` precedes `second`, transitive consequences included."""
        n = self._table.n_variables
        after = after.copy()
        later = after[second] | 1 << second
        for v in range(n):
            if v == first or after[v] >> first & 1:
                after[v] |= later
        allowed = allowed.copy()
        comes_after = np.zeros((n, n), dtype=np.bool_)
        for v in range(n):
            if after[v]:
                comes_after[v] = [after[v] >> w & 1 for w in range(n)]
        is_wrong = comes_after[self._child[self._of_set], self._table.parents]
        allowed[self._of_set[is_wrong]] = False
        return allowed, after

    def _solve(self, allowed: np.ndarray, bound: int) -> int:
        """The amount by which the best network of the allowed sets exceeds `bound`.

        `NOT_SOLVED` if components are too large, or sums of scores may not fit. Only variables on cycles depend on
        one another: dynamic programming over the subsets of each component (Silander and Myllymäki 2006).
        """
        own = [np.flatnonzero(allowed[a:b]) + a for a, b in pairwise(self._table.set_offsets.tolist())]
        sets = [[(self._table.parent_set(s), int(self._scores[s])) for s in some.tolist()] for some in own]
        if sum(max(abs(score) for _, score in some) for some in sets) >= 1 << 61:
            return NOT_SOLVED
        joined = [sorted({p for parents, _ in some for p in parents}) for some in sets]
        total = 0
        for component in strongly_connected_components(joined):
            if len(component) > MOST_TOGETHER:
                return NOT_SOLVED
            total += best_of_component([sets[v] for v in component], component)
        return total - bound


def best_of_component(sets: list[list[tuple[tuple[int, ...], int]]], component: list[int]) -> int:
    """The largest sum of scores of one set for each of these variables such that the sets close no cycle among them.

    `sets` has the sets of each variable in the component and their scores, in the unit; the sum of the largest scores
    is below 2 to the power of 61. `NO_SUM` if every choice closes a cycle.
    """
    n = len(component)
    bit = {v: 1 << k for k, v in enumerate(component)}
    # best_set[k, w]: the best score of a set of variable k whose parents in the component are among the variables w.
    best_set = np.full((n, 1 << n), NO_SUM)
    for row, some in zip(best_set, sets):
        masks = [sum(bit.get(p, 0) for p in parents) for parents, _ in some]
        np.maximum.at(row, masks, [score for _, score in some])
        for k in range(n):
            halves = row.reshape(-1, 2, 1 << k)
            np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    # best[w]: the best sum of the variables w, if they come first in an order. The last variable takes its best set
    # among the others. NO_SUM + NO_SUM does not overflow.
    best = np.full(1 << n, NO_SUM)
    best[0] = 0
    sizes = np.bitwise_count(np.arange(1 << n))
    for size in range(1, n + 1):
        together = np.flatnonzero(sizes == size)
        for k in range(n):
            some = together[together >> k & 1 == 1]
            others = some ^ 1 << k
            best[some] = np.maximum(best[some], best[others] + best_set[k, others])
        best[together[best[together] < NO_SUM // 2]] = NO_SUM
    return int(best[-1])


def check_proof(proof: Proof, table: ParentSetTable) -> None:
    """Check a proof about these lists.

    Raises `Inconsistent` if it is of other lists, or does not prove its bound.
    """
    excess = ProofChecker(proof, table).excess(proof.bound)
    if excess > 0:
        nats = excess / 2.0**proof.bits
        raise Inconsistent(f"the proof does not prove its bound: a network may score {nats:.3g} nats more")


def proved_gap(proof: Proof, table: ParentSetTable, network: NetworkRecord) -> dict[str, float]:
    """Score of a network by the lists, the bound of a proof that was checked, and the gap, in nats.

    Raises `Inconsistent` if it is no network of the lists, or if it has more parents than the proof allows.
    """
    places = {name: v for v, name in enumerate(network.header.names)}
    numbers = {v: k for k, v in enumerate(map(places.get, table.header.names)) if v is not None}
    if len(numbers) != table.n_variables or network.n_variables != table.n_variables:
        raise Inconsistent("network and proof have different variables")
    parents = [tuple(sorted(numbers[p] for p in network.parents[places[name]])) for name in table.header.names]
    scores = []
    for k, (first, last) in enumerate(pairwise(table.set_offsets.tolist())):
        name = table.header.names[k]
        wanted, most = parents[k], proof.max_parents
        if most is not None and len(wanted) > most:
            raise Inconsistent(f"{name!r} has {len(wanted)} parents; the proof covers networks with {most} at most")
        score = next((table.scores[s] for s in range(first, last) if table.parent_set(s) == wanted), None)
        if score is None:
            raise Inconsistent(f"the parents of {name!r} are not listed")
        scores.append(float(score))
    total = math.fsum(scores)
    exact = Fraction(proof.bound, 2**proof.bits) - sum(map(Fraction, scores))
    gap = float(np.nextafter(float(exact), np.inf))
    return {"proof_total": total, "proof_bound": proof.bound_in_nats, "proof_gap": max(0.0, gap)}
