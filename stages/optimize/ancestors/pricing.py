"""Pricing under pairs of ancestors: a search that knows arcs alone, then a climb from near its network, then a search
among its lists.

The bound of the first search holds for all networks under the constraints, since it holds without the pairs. The
search among lists starts from the sets that pricing has listed; a required ancestor may need sets that a subset
dominates, which it has not, so listed sets are extended by one more parent each where a path is lacking.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from formats.records import Header, ParentSetRecord, ParentSetTable
from formats.sets.listed_sets import ListedSets, best_first
from stages.ancestral_knowledge import ancestor_masks
from stages.lists.start_network import StartNetwork
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError, StageError
from stages.runtime.reporting import NullReporter, Reporter
from stages.scoring.family_scorer import FamilyScorer

from .. import OptimizeOptions, choose_method
from ..bounds.anytime_bound import bound_facts
from ..bounds.claims import ALL, IS_NARROW
from ..bounds.rounding import optimality_tolerance
from ..bounds.subset_dp import subsets_fit
from ..climbing.cache import FamilyCache
from ..climbing.climb import run_method
from ..climbing.constraints import Constraints, make_constraints, nearest_graph
from ..climbing.hc import unconstrained
from ..result import DataSearch, Parents, SearchResult
from .lists import search_keeping

RELAXED_SHARE, NEAR_SHARE, LISTED_SHARE = 0.4, 0.4, 0.6
"""Shares of the time left: of the search without the pairs, of the first climb, of the search among lists."""

EXTENDED = 3
"""Sets of a child that are extended: its best ones."""

FEW_VARIABLES = 40
"""Up to this number of variables the sets of every child are extended, not only where a path may enter."""

TABU = 10
"""Length of the tabu list of the climb."""


def search_keeping_pairs(
    search: DataSearch,
    scorer: FamilyScorer,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    table: ParentSetTable | None = None,
) -> SearchResult:
    """The best network found under the knowledge of `options`, which has pairs of ancestors; `search` is pricing."""
    knowledge = options.knowledge
    assert knowledge is not None
    arcs_alone = replace(options, knowledge=knowledge.of_arcs_alone)
    relaxed = search(scorer, arcs_alone, budget.part(RELAXED_SHARE), reporter, table)
    lists = list(relaxed.lists or ())
    if knowledge.ancestors.agrees(relaxed.parents):
        return replace(relaxed, lists=lists)
    reporter.detail(f"without the ancestors the best network found scores {relaxed.score:,.2f}; keeping them now")
    near = nearest_graph(relaxed.parents, make_constraints(scorer, options))
    found = _climbed(scorer, options, budget.part(NEAR_SHARE), reporter, near)
    bound = relaxed.facts["bound"]
    listed = None if budget.is_spent() else _among_lists(scorer, options, budget, reporter, relaxed, lists)
    if listed is not None:
        is_whole = relaxed.facts["bound_relative_to"].startswith(ALL) and IS_NARROW not in listed.facts
        if is_whole and not knowledge.ancestors.required:
            bound = min(bound, listed.facts["bound"])  # a dominated set is in no best network: the lists suffice
        if listed.score > found.score:
            found = listed
            if bound - listed.score > optimality_tolerance(listed.scores):
                climbed = _climbed(scorer, options, budget, reporter, listed.parents)
                found = climbed if climbed.score > listed.score else listed
    counts = {"scores_computed": scorer.evaluations}
    facts = {**relaxed.facts, **counts, **bound_facts(bound, found.score, 0.0)}
    figures = {**relaxed.stats, **counts, "arcs": sum(map(len, found.parents)), "seconds": budget.elapsed()}
    return SearchResult(found.parents, found.scores, found.score, facts, figures, lists=lists)


def _climbed(
    scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter, start: Parents | None
) -> SearchResult:
    """The result of a climb; it starts with the paths of the required ancestors if no start is given."""
    network = None if start is None else StartNetwork(start)
    climb = replace(options, method="hc", start=network, tabu=TABU, restarts=None)
    left = Budget(budget.part(1.0).seconds, stop=budget.stop)
    return run_method(unconstrained, scorer, climb, left, reporter)


def _among_lists(
    scorer: FamilyScorer,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    relaxed: SearchResult,
    lists: Sequence[ParentSetRecord],
) -> SearchResult | None:
    """The best network of listed sets; None if none was found."""
    assert options.knowledge is not None
    records = list(lists)
    if options.knowledge.ancestors.required:
        records = _extended(scorer, make_constraints(scorer, options), budget, relaxed, records)
    table = ParentSetTable.from_records(Header(scorer.dataset.variables, score=scorer.score), records)
    name, variant = choose_method(replace(options, method=None), scorer.n_variables)
    search = importlib.import_module(variant.module).search
    among = replace(options, method=name, restarts=None if subsets_fit(scorer.n_variables) else 1)
    try:
        left = Budget(budget.part(LISTED_SHARE).seconds, stop=budget.stop)
        return search_keeping(search, table, among, left, NullReporter())
    except (InfeasibleError, StageError) as error:
        reporter.detail(f"among the sets found so far: {error}")
        return None


def _extended(
    scorer: FamilyScorer,
    constraints: Constraints,
    budget: Budget,
    relaxed: SearchResult,
    records: Sequence[ParentSetRecord],
) -> list[ParentSetRecord]:
    """The lists with further sets where a path of a required ancestor may enter."""
    above = ancestor_masks(relaxed.parents)
    assert above is not None
    n, cache = scorer.n_variables, FamilyCache(scorer)
    broken = [b for a, b in constraints.knowledge.implied_ancestors.required if not above[b] >> a & 1]
    entered = {v for v in range(n) if n <= FEW_VARIABLES or any(above[b] >> v & 1 for b in broken)}
    found = []
    for record in records:
        if record.child not in entered or budget.is_spent():
            found.append(record)
            continue
        known = dict(zip(map(tuple, record.parents), record.scores.tolist()))
        for family in [*known][:EXTENDED]:
            candidates = np.setdiff1d(constraints.candidates(record.child), family).astype(np.int32)
            if len(family) < constraints.max_parents and len(candidates):
                scores = cache.expand(record.child, family, candidates).tolist()
                for other, score in zip(candidates.tolist(), scores):
                    known.setdefault(tuple(sorted((*family, other))), score)
        found.append(_record_of(record, known))
    return found


def _record_of(record: ParentSetRecord, known: dict[tuple[int, ...], float]) -> ParentSetRecord:
    sets, scores = ListedSets.of(known), np.array(list(known.values()))
    order = best_first(sets, scores)
    return replace(record, parents=sets.take(order), scores=scores[order], complete=False)
