"""The acyclic network that agrees best with arc strengths.

Only significant pairs may be joined. The gain of an arc is its strength minus half the threshold, so at least one
direction of a significant pair has a positive gain. The best network maximises the sum of gains; it is found by the
searches of `stages.optimize`, on lists of candidate parent sets whose scores are sums over arcs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from formats.graph_records import ArcProbabilities, with_strengths
from formats.records import Header, Network, ParentSetRecord, ParentSetTable
from stages.graphs import (
    elimination_bags,
    moral_graph,
    positions_of,
    strongly_connected_components,
    topological_order,
)
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.verify import verify_network
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter

from .linear_ordering import improved_order, pairwise_bound
from .strengths import arc_strengths, pair_strengths

MOST_SETS = 1 << 12
"""Maximum number of sets listed for a child: all of 12 candidate parents. With more candidates, only sets of the
strongest ones are listed; the order found is then improved with all arcs, or, under a treewidth bound, all arcs that
respect it are added."""

ROUNDING = 1e-9
"""Relative difference between two sums of strengths that rounding explains."""

Gains = list[dict[int, float]]
"""For each child, the gains of the arcs from its candidate parents; all positive."""


@dataclass(frozen=True)
class _Found:
    """A consensus, an upper bound on the sum of gains (None if unknown), and further entries of the header."""

    parents: tuple[tuple[int, ...], ...]
    bound: float | None
    facts: dict[str, Any]


def consensus_network(
    table: ArcProbabilities, threshold: float, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> Network:
    """The network of arcs between significant pairs with the largest sum of strengths minus half the threshold.

    Parameters
    ----------
    threshold : float
        Strength in either direction that a pair must exceed to be joined.
    options : OptimizeOptions
        ``treewidth`` bounds that of the moral graph; ``seed`` and ``jobs`` apply to the searches.
    budget : Budget
        Of each search; its evaluations are orders.

    Returns
    -------
    Network
        Local scores are unknown. The header has ``threshold``, ``agreement`` (the sum), ``agreement_bound`` (an upper
        bound on the sum, if known), the strengths of the arcs, and the certificate of the treewidth. Without a
        treewidth bound, the network is maximal: every further arc of positive gain would close a cycle.
    """
    gains = arc_gains(table, threshold)
    find = _within_treewidth if options.treewidth is not None else _acyclic
    found = find(table.header, gains, options, budget, reporter)
    agreement = math.fsum(gains[child][parent] for child, family in enumerate(found.parents) for parent in family)
    extra: dict[str, Any] = {"method": "average", "threshold": threshold, "agreement": agreement}
    if found.bound is not None:
        is_reached = found.bound <= agreement * (1 + ROUNDING)
        extra["agreement_bound"] = agreement if is_reached else found.bound
    if "networks" in table.header.extra:
        extra["networks"] = table.header.extra["networks"]
    header = replace(table.header, score="unknown", ess=None, extra=extra | found.facts)
    network = Network(header, found.parents, np.full(len(found.parents), np.nan))
    network = with_strengths(network, arc_strengths(table))
    verify_network(network, treewidth=options.treewidth)
    return network


def arc_gains(table: ArcProbabilities, threshold: float) -> Gains:
    """Gains of the arcs that may be in the consensus."""
    strengths = pair_strengths(table)
    gains: Gains = [{} for _ in range(table.header.n_variables)]
    for parent, child, strength in zip(table.parents.tolist(), table.children.tolist(), table.probability.tolist()):
        pair = (parent, child) if parent < child else (child, parent)
        # The strengths of both directions add up to that of the pair, so one of them at least is above half the
        # threshold.
        if strengths[pair] > threshold and strength > threshold / 2:
            gains[child][parent] = strength - threshold / 2
    return gains


def _within_treewidth(
    header: Header, gains: Gains, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> _Found:
    listed = candidate_sets(header, range(header.n_variables), gains, options.width)
    network, _ = run(listed, options, budget, reporter)
    extra = network.header.extra
    facts: dict[str, Any] = {key: extra[key] for key in ("treewidth", "seed", "interrupted") if key in extra}
    if listed.complete.all():
        return _Found(network.parents, extra.get("bound"), facts)
    parents = with_arcs_in_bags(network.parents, gains, extra["treewidth"]["elimination"])
    # A network has one direction of each pair at most: the sum of the larger gains is an upper bound.
    pairs: dict[tuple[int, int], float] = {}
    for child, family in enumerate(gains):
        for parent, gain in family.items():
            pair = min(parent, child), max(parent, child)
            pairs[pair] = max(gain, pairs.get(pair, 0.0))
    return _Found(parents, math.fsum(pairs.values()), facts)


def with_arcs_in_bags(
    parents: tuple[tuple[int, ...], ...], gains: Gains, elimination: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """Add arcs of positive gain that agree with a topological order and do not increase the elimination width.

    An arc is added if the child and all its parents, the new one included, lie in one bag; largest gains first.
    """
    # The bags are cliques of the filled graph of this elimination order: an arc whose moral edges lie in one of them
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


def _acyclic(header: Header, gains: Gains, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> _Found:
    """All arcs of positive gain that agree with the best order found.

    Arcs between different strongly connected components never close a cycle, so each component is searched
    separately, small ones first.
    """
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
    for members in sorted((members for members in components if len(members) > 1), key=len):
        listed = candidate_sets(header, members, gains)
        network, _ = run(listed, options, budget, reporter)
        families, extra = network.parents, network.header.extra
        bound = extra.get("bound")
        # Some sets are not listed, so the search has not seen all arcs: its order is improved with all gains, and its
        # bound, which holds for the lists only, is replaced.
        if not listed.complete.all():
            weights = _weights(members, gains)
            order = improved_order(np.array(topological_order(families)), weights)
            rank = positions_of(order)
            arcs = (weights > 0) & (rank[:, None] < rank)
            families = tuple(tuple(np.flatnonzero(arcs[:, child]).tolist()) for child in range(len(members)))
            bound = pairwise_bound(weights)
        for child, family in zip(members, families):
            chosen[child] |= {members[parent] for parent in family}
        facts |= {key: extra[key] for key in ("seed", "interrupted") if key in extra}
        bounds.append(bound)
    # All arcs of positive gain that agree with one order of the whole: no further one can be added without a cycle.
    position = positions_of(np.array(topological_order([sorted(family) for family in chosen])))
    parents = tuple(
        tuple(sorted(parent for parent in family if position[parent] < position[child]))
        for child, family in enumerate(gains)
    )
    known = [bound for bound in bounds if bound is not None]
    return _Found(parents, math.fsum(known) if len(known) == len(bounds) else None, facts)


def _weights(members: Sequence[int], gains: Gains) -> np.ndarray:
    """Gains of the arcs among some variables, parents in rows; indices are positions in `members`."""
    place = {variable: number for number, variable in enumerate(members)}
    weights = np.zeros((len(members), len(members)))
    for child in members:
        for parent, gain in gains[child].items():
            if parent in place:
                weights[place[parent], place[child]] = gain
    return weights


def candidate_sets(
    header: Header, members: Sequence[int], gains: Gains, most_parents: int | None = None
) -> ParentSetTable:
    """Lists of candidate parent sets among some variables, scored by sums of gains.

    Parameters
    ----------
    header : Header
        Of all variables.
    members : sequence of int
        Ascending; the lists number them from 0.

    Returns
    -------
    ParentSetTable
        ``complete`` where every set is listed.
    """
    place = {variable: number for number, variable in enumerate(members)}
    records = []
    for child in members:
        strongest = sorted((-gain, place[p]) for p, gain in gains[child].items() if p in place)
        most = len(strongest) if most_parents is None else most_parents
        n_kept = max(n for n in range(len(strongest) + 1) if _n_sets(n, most) <= MOST_SETS)
        kept = {parent: -cost for cost, parent in strongest[:n_kept]}
        sets = [s for size in range(min(most, n_kept) + 1) for s in combinations(sorted(kept), size)]
        scored = sorted((-math.fsum(map(kept.__getitem__, s)), len(s), s) for s in sets)
        parents, scores = tuple(s for _, _, s in scored), tuple(-cost for cost, _, _ in scored)
        complete = n_kept == len(strongest)
        records.append(ParentSetRecord(place[child], parents, scores, complete=complete))
    variables = tuple(header.variables[v] for v in members)
    return ParentSetTable.from_records(Header(variables), records)


def _n_sets(n_candidates: int, most: int) -> int:
    return sum(math.comb(n_candidates, size) for size in range(min(most, n_candidates) + 1))
