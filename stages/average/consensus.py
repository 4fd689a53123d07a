"""The acyclic network that agrees best with arc strengths.

Only significant pairs may be joined. The gain of an arc is its strength minus half the threshold, so at least one
direction of a significant pair has a positive gain. The best network maximises the sum of gains; it is found by the
searches of `stages.optimize`, on lists of candidate parent sets whose scores are sums over arcs.

Where no family is limited, the network consists of the arcs that agree with an order of largest total gain (the
linear ordering problem). Dynamic programming finds the best order of few variables; local search repeatedly moves one
variable to its best position (Laguna, Martí and Campos 1999).
"""

# Imported where needed, since loading takes time: driver
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from formats.bounds import bound_in
from formats.errors import Inconsistent
from formats.graph_records import SCREENED, UNDECIDED, ArcProbabilityTable, with_directions, with_strengths
from formats.graphs.algorithms import elimination_bags, moral_graph
from formats.records import Header, NetworkRecord, ParentSetRecord, ParentSetTable
from stages.graphs import Parents, positions_of, strongly_connected_components, topological_order
from stages.graphs.consistent_extension import consistent_extension
from stages.graphs.essential_graphs import Arc, list_arcs
from stages.graphs.intervention_targets import recorded_targets, targets_of
from stages.graphs.orientation import decide_directions
from stages.knowledge import Knowledge
from stages.optimize import OptimizeOptions
from stages.optimize.verify import verify_network
from stages.recorded_knowledge import recorded_knowledge
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError
from stages.runtime.reporting import Reporter

from .strengths import arc_strengths, pair_strengths

MOST_SETS = 1 << 12
"""Largest number of sets listed for a child: all sets of 12 candidate parents. With more candidates, only sets of the
strongest ones are listed. Then the order found is improved with all arcs; or, under a treewidth bound, all arcs that
respect the bound are added.
"""

FEW = 8
"""Largest number of variables whose best order is found without a search, for which numba would be loaded."""

ROUNDING = 1e-9
"""Relative difference between two sums of strengths that counts as rounding."""

Gains = list[dict[int, float]]
"""For each child, the gains of the arcs from its candidate parents; all positive."""

LEAST_GAIN = 1e-9
"""Smaller gains count as rounding."""


class ConsensusProblem(NamedTuple):
    """Gains of arcs among the variables of a header, and what is known about arcs."""

    header: Header
    gains: Gains
    knowledge: Knowledge


@dataclass(frozen=True)
class _Found:
    """A consensus, an upper bound on the sum of gains (None if unknown), and further entries of the header."""

    parents: tuple[tuple[int, ...], ...]
    bound: float | None
    facts: dict[str, Any]


def consensus_network(
    table: ArcProbabilityTable, threshold: float, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> NetworkRecord:
    """The network of arcs between significant pairs with the largest sum of strengths minus half the threshold.

    It has the arcs that the header of the table records as required, and none that the header excludes. An arc as
    strong as its reverse takes, if possible, a direction in which it forms no v-structure. Local scores are unknown.
    The header has ``threshold``, ``agreement`` (the sum), ``agreement_bound`` (an upper bound on the sum, if known),
    the strengths and directions of the arcs, and the certificate of the treewidth. Without a treewidth bound, the
    network is maximal: every further arc of positive gain that is not excluded would close a cycle. Raises
    `Inconsistent` if the table lacks a required arc.

    A pair is joined if its strength in either direction exceeds the `threshold`. ``options.treewidth`` bounds the
    treewidth of the moral graph; ``seed`` and ``jobs`` apply to the searches. Each search has this budget; its
    evaluations are orders.
    """
    knowledge = recorded_knowledge(table.header.by, table.header.names)
    gains = arc_gains(table, threshold, knowledge)
    find = _within_treewidth if options.treewidth is not None else _acyclic
    problem = ConsensusProblem(table.header, gains, knowledge)
    found = find(problem, options, budget, reporter)
    agreement = math.fsum(gains[child][parent] for child, family in enumerate(found.parents) for parent in family)
    extra: dict[str, Any] = {"method": "average", "threshold": threshold, "agreement": agreement}
    if found.bound is not None:
        is_reached = found.bound <= agreement * (1 + ROUNDING)
        extra["agreement_bound"] = agreement if is_reached else found.bound
    extra |= {key: table.header.extra[key] for key in ("networks", SCREENED) if key in table.header.extra}
    targets = targets_of(table.header)
    extra |= recorded_targets(targets)
    header = replace(table.header, score="unknown", ess=None, extra=extra | found.facts)
    network = NetworkRecord(header, found.parents, np.full(len(found.parents), np.nan))
    network = with_strengths(network, arc_strengths(table))
    directions = dict(zip(zip(table.parents.tolist(), table.children.tolist()), table.directions))
    directions = directions or decide_directions(network.parents, knowledge, targets)
    # If an arc is as strong as its reverse, a rule directs it, not the data.
    tied = {arc: UNDECIDED for arc in list_arcs(network.parents) if _is_tied(arc, problem)}
    network = with_directions(network, directions | tied)
    verify_network(network, treewidth=options.treewidth, knowledge=knowledge)
    return network


def arc_gains(table: ArcProbabilityTable, threshold: float, knowledge: Knowledge) -> Gains:
    """Gains of the arcs that may be in the consensus."""
    strengths = pair_strengths(table)
    gains: Gains = [{} for _ in range(table.header.n_variables)]
    for parent, child, strength in zip(table.parents.tolist(), table.children.tolist(), table.probability.tolist()):
        pair = (parent, child) if parent < child else (child, parent)
        # The strengths of both directions sum to the pair's, so at least one of them is above half the threshold.
        if strengths[pair] > threshold and strength > threshold / 2 and knowledge.excludes(parent, child) is None:
            gains[child][parent] = strength - threshold / 2
    for parent, child in knowledge.required_arcs:
        if parent not in gains[child]:
            raise Inconsistent(f"the required arc {knowledge.arc_text(parent, child)} is not among the strong ones")
    return gains


def _turned(parents: Parents, problem: ConsensusProblem) -> tuple[tuple[int, ...], ...]:
    """The network with arcs that are as strong as their reverses turned so that they form no v-structure."""
    return consistent_extension(parents, {arc for arc in list_arcs(parents) if _is_tied(arc, problem)})


def _is_tied(arc: Arc, problem: ConsensusProblem) -> bool:
    """Whether the arc is as strong as its reverse and the reverse is also allowed."""
    parent, child = arc
    gain, reverse = problem.gains[child][parent], problem.gains[parent].get(child, 0.0)
    return math.isclose(gain, reverse, rel_tol=ROUNDING) and not problem.knowledge.settles(parent, child)


def _search(listed: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> NetworkRecord:
    """The best network found among listed sets."""
    from stages.optimize.driver import run

    return run(listed, options, budget, reporter)[0]


def _within_treewidth(
    problem: ConsensusProblem, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> _Found:
    gains = problem.gains
    listed = candidate_sets(problem, range(len(gains)), options.given_treewidth)
    network = _search(listed, options, budget, reporter)
    extra = network.header.extra
    facts: dict[str, Any] = {key: extra[key] for key in ("treewidth", "seed", "interrupted") if key in extra}
    if listed.complete.all():
        bound = bound_in(extra)
        return _Found(_turned(network.parents, problem), None if bound is None else bound.value, facts)
    parents = with_arcs_in_bags(network.parents, gains, extra["treewidth"]["elimination"])
    # A network has at most one direction of each pair: the sum of the larger gains is an upper bound.
    pairs: dict[tuple[int, int], float] = {}
    for child, family in enumerate(gains):
        for parent, gain in family.items():
            pair = min(parent, child), max(parent, child)
            pairs[pair] = max(gain, pairs.get(pair, 0.0))
    return _Found(_turned(parents, problem), math.fsum(pairs.values()), facts)


def with_arcs_in_bags(
    parents: tuple[tuple[int, ...], ...], gains: Gains, elimination: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """Add arcs of positive gain that agree with a topological order and do not increase the elimination width.

    An arc is added if the child and all its parents, the new one included, lie in one bag; largest gains first.
    """
    # The bags are cliques of the filled graph of this elimination order. So an arc whose moral edges lie in one bag
    # adds no fill, and in a fixed topological order no arc closes a cycle.
    bags = [{vertex, *bag} for vertex, bag in zip(elimination, elimination_bags(moral_graph(parents), elimination))]
    position = positions_of(np.array(topological_order(parents)))
    families = [set(family) for family in parents]
    arcs = [(-gain, parent, child) for child, family in enumerate(gains) for parent, gain in family.items()]
    for _, parent, child in sorted(arcs):
        family = families[child] | {parent, child}
        if position[parent] < position[child] and any(family <= bag for bag in bags):
            families[child].add(parent)
    return tuple(tuple(sorted(family)) for family in families)


def _acyclic(problem: ConsensusProblem, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> _Found:
    """All arcs of positive gain that agree with the best order found.

    Arcs between different strongly connected components never close a cycle, so each component is searched
    separately, small ones first.
    """
    gains = problem.gains
    component = [0] * len(gains)
    components = strongly_connected_components([tuple(family) for family in gains])
    for number, members in enumerate(components):
        for variable in members:
            component[variable] = number
    chosen = [
        {parent for parent in family if component[parent] != component[child]} for child, family in enumerate(gains)
    ]
    bounds: list[float | None] = [math.fsum(gains[v][p] for v in range(len(gains)) for p in chosen[v])]
    facts: dict[str, Any] = {}
    bound: float | None
    for members in sorted((members for members in components if len(members) > 1), key=len):
        weights = _weights(members, gains)
        binding = _binding(weights, members, problem)
        if len(members) <= FEW:
            families = _arcs_along(best_order(binding), weights)
            bound = math.fsum(weights[p, child] for child, family in enumerate(families) for p in family)
        else:
            listed = candidate_sets(problem, members)
            network = _search(listed, options, budget, reporter)
            families, extra = network.parents, network.header.extra
            proved = bound_in(extra)
            bound = None if proved is None else proved.value
            # Some sets are not listed, so the search did not use all arcs: its order is improved with all gains, and
            # its bound, valid for the lists only, is replaced.
            if not listed.complete.all():
                families = _arcs_along(improved_order(np.array(topological_order(families)), binding), weights)
                bound = pairwise_bound(weights)
            facts |= {key: extra[key] for key in ("seed", "interrupted") if key in extra}
        for child, family in zip(members, families):
            chosen[child] |= {members[parent] for parent in family}
        bounds.append(bound)
    parents = _turned([sorted(family) for family in chosen], problem)
    # All arcs of positive gain that agree with one order of the whole: no further one can be added without a cycle.
    position = positions_of(np.array(topological_order(parents)))
    parents = tuple(
        tuple(sorted(parent for parent in family if position[parent] < position[child]))
        for child, family in enumerate(gains)
    )
    known = [bound for bound in bounds if bound is not None]
    return _Found(parents, math.fsum(known) if len(known) == len(bounds) else None, facts)


def _arcs_along(order: np.ndarray, weights: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """The parents of every variable by all arcs of positive weight that agree with the order."""
    rank = positions_of(order)
    arcs = (weights > 0) & (rank[:, None] < rank)
    return tuple(tuple(np.flatnonzero(arcs[:, child]).tolist()) for child in range(len(weights)))


def _weights(members: Sequence[int], gains: Gains) -> np.ndarray:
    """Gains of the arcs among some variables, parents in rows; indices are positions in `members`."""
    place = {variable: number for number, variable in enumerate(members)}
    weights = np.zeros((len(members), len(members)))
    for child in members:
        for parent, gain in gains[child].items():
            if parent in place:
                weights[place[parent], place[child]] = gain
    return weights


def _binding(weights: np.ndarray, members: Sequence[int], problem: ConsensusProblem) -> np.ndarray:
    """The weights, with weights of required arcs so large that no order gains by breaking one."""
    place = {variable: number for number, variable in enumerate(members)}
    weights = weights.copy()
    enough = 1 + float(weights.sum())
    for child in members:
        for parent in problem.knowledge.required_of(child):
            if parent in place:
                weights[place[parent], place[child]] = enough
    return weights


def candidate_sets(
    problem: ConsensusProblem, members: Sequence[int], most_parents: int | None = None
) -> ParentSetTable:
    """Lists of candidate parent sets among some variables, scored by sums of gains; all have the required parents.

    `members` are ascending; the lists number them from 0. Lists of all sets are marked ``complete``.
    """
    place = {variable: number for number, variable in enumerate(members)}
    records = []
    for child in members:
        gains = {place[p]: gain for p, gain in problem.gains[child].items() if p in place}
        required = tuple(place[p] for p in problem.knowledge.required_of(child) if p in place)
        strongest = sorted((-gain, p) for p, gain in gains.items() if p not in required)
        most = len(strongest) if most_parents is None else most_parents - len(required)
        if most < 0:
            name = problem.header.names[child]
            raise InfeasibleError(f"the required parents of {name!r} alone exceed the treewidth of {most_parents}")
        n_kept = max(n for n in range(len(strongest) + 1) if _n_sets(n, most) <= MOST_SETS)
        kept = sorted(p for _, p in strongest[:n_kept])
        sets = [
            tuple(sorted(required + s)) for size in range(min(most, n_kept) + 1) for s in combinations(kept, size)
        ]
        scored = sorted((-math.fsum(map(gains.__getitem__, s)), len(s), s) for s in sets)
        parents, scores = tuple(s for _, _, s in scored), tuple(-cost for cost, _, _ in scored)
        complete = n_kept == len(strongest)
        records.append(ParentSetRecord.of(place[child], parents, scores, required=required, complete=complete))
    variables = tuple(problem.header.variables[v] for v in members)
    return ParentSetTable.from_records(Header(variables), records)


def _n_sets(n_candidates: int, most: int) -> int:
    return sum(math.comb(n_candidates, size) for size in range(min(most, n_candidates) + 1))


def best_order(weights: np.ndarray) -> np.ndarray:
    """The best order of at most some ten variables; int64, shape (n,); `weights` as in `improved_order`."""
    n, columns = len(weights), weights.T.tolist()
    totals, last = [0.0] * (1 << n), [0] * (1 << n)
    for subset in range(1, 1 << n):
        members = [v for v in range(n) if subset >> v & 1]
        # The last variable of a subset takes the arcs from all others; the first such variable on ties.
        ends = [totals[subset ^ (1 << v)] + sum(columns[v][u] for u in members if u != v) for v in members]
        totals[subset] = max(ends)
        last[subset] = members[ends.index(totals[subset])]
    order, rest = [], (1 << n) - 1
    while rest:
        order.append(last[rest])
        rest ^= 1 << last[rest]
    return np.array(order[::-1], dtype=np.int64)


def improved_order(order: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """An order that no move of one variable improves.

    `order` (int64, shape (n,)) is the initial order; `weights` (float64, shape (n, n)) has the non-negative weight of
    the arc from row to column.
    """
    is_improving = True
    while is_improving:
        is_improving = False
        for variable in order.tolist():
            place = int(np.flatnonzero(order == variable)[0])
            others = np.delete(order, place)
            # Entry i: total weight of the arcs from the first i others to the variable, and of the arcs from the
            # variable to these.
            entering = np.concatenate(([0.0], np.cumsum(weights[others, variable])))
            leaving = np.concatenate(([0.0], np.cumsum(weights[variable, others])))
            count = entering + leaving[-1] - leaving
            best = int(count.argmax())
            # The total grows with each move, by more than rounding: the loop ends.
            if count[best] > count[place] + LEAST_GAIN:
                order = np.insert(others, best, variable)
                is_improving = True
    return order


def pairwise_bound(weights: np.ndarray) -> float:
    """An upper bound on the weight of any order: the sum over pairs of the larger weight."""
    return float(np.triu(np.maximum(weights, weights.T), 1).sum())
