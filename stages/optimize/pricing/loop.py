"""The loop of pricing: search on the lists at hand, grow them near what was found, again and again.

It is column generation by sampling: sets are priced where the present solution lies, and no family is scored twice
as long as memory lasts. An engine searches and grows (`PricingEngine`); the loop decides when to stop, works on an
upper bound in between (`ListBound`), and ends with one on the final lists. Where all sets can be listed in seconds
they are, after the first search, and a search among complete lists takes the place of the loop (`complete_lists`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..bounds.claims import claim_of_scores
from ..bounds.rounding import optimality_tolerance, proof_rounding
from ..result import SearchResult
from .complete_lists import can_enumerate, enumerate_all, search_complete
from .engine import PricingEngine
from .list_bound import NOMINAL_PACE, ListBound, search_work
from .run import PricingRun

MOST_BYTES = 1 << 30
"""Memory for scores beyond which all but the sets in the lists are forgotten."""

LOOKS = 4
"""Work on the bound is done after rounds 1, 4, 16, ...: the factor between them."""

LONG_WORK = 600.0 * NOMINAL_PACE
"""Effort from which on a run without limits ends when it gains little: ten minutes, nominally."""

VARIABLE_EFFORT = 5e-4 * NOMINAL_PACE
"""Effort of a round for every variable, besides the work that is counted; measured on 3,000 and 30,000 variables."""

LITTLE_GAIN, LITTLE_ROUNDS = 1e-4, 2
"""Such a run ends after `LITTLE_ROUNDS` rounds in a row that each gained no more than this share of the score.
Otherwise it would go on to other basins, which takes hours with tens of thousands of variables.
"""

PROOF_WORK = 2e9
"""Least work, in sets evaluated, on a bound on complete lists if the search among them has not proved optimality.
None under a treewidth bound: the bound holds for any width, and networks within the treewidth seldom attain it.
"""


def learn(run: PricingRun, engine: PricingEngine, grows: bool) -> SearchResult:
    """Learn a network by pricing."""
    engine.begin(grows)
    bound = ListBound(run, engine)
    if list_all(run, engine):
        return search_listed(run, engine, bound)
    with run.budget.reserving(bound.reserve):
        alternate(run, engine, bound)
    value = bound.finish()
    return replace(run.result(engine.best.parents, value), nodes=bound.nodes)


def alternate(
    run: PricingRun, engine: PricingEngine, bound: ListBound | None = None, patience: int | None = None
) -> None:
    """Search and grow until the budget is spent, or `patience` rounds in a row improved nothing.

    By default patience is the engine's without a time limit, and unlimited with one. Without any limit the rounds
    also end when they gain little after much work.
    """
    if patience is None and run.budget.seconds is None:
        patience = engine.patience
    idle = poor = 0  # rounds in a row that improved nothing, and that gained little
    next_look = 1
    while True:
        before = engine.best.score
        improved = engine.search()
        is_poor = engine.best.score - before <= LITTLE_GAIN * abs(engine.best.score)
        idle = 0 if improved or engine.is_cooling else idle + 1
        poor = poor + 1 if is_poor and not engine.is_cooling else 0
        if run.is_spent() or (patience is not None and idle >= patience):
            return
        if run.budget.is_unlimited and poor >= LITTLE_ROUNDS and effort(run) > LONG_WORK:
            return
        engine.grow()
        run.rounds += 1
        if bound is not None and run.rounds == next_look:
            next_look *= LOOKS
            bound.look()
        run.lists.forget_over(MOST_BYTES - engine.bytes)


def effort(run: PricingRun) -> float:
    """Nominal time of the rounds so far, in the unit of `search_work`."""
    return search_work(run) + VARIABLE_EFFORT * run.scorer.n_variables * run.rounds


def list_all(run: PricingRun, engine: PricingEngine) -> bool:
    """List all sets of all variables where that takes seconds; whether it was done.

    One search runs first, so that there is a good network when time or the user ends the listing.
    """
    if run.lists.is_complete:
        return True
    if run.is_spent() or not can_enumerate(run):
        return False
    run.lists_all = True
    engine.search()
    run.lists_all = enumerate_all(run, engine.best.score)
    return run.lists_all


def search_listed(run: PricingRun, engine: PricingEngine, bound: ListBound) -> SearchResult:
    """Search on among complete lists: the best network, and a bound on all within the options' limits."""
    found = search_complete(run)
    engine.adopt(found)
    value, nodes = found.facts["bound"], found.nodes
    # The search has not proved it: more work on the bound, over the same complete lists.
    if value - engine.best.score > optimality_tolerance(found.scores):
        rounding = proof_rounding(len(found.scores), float(np.abs(found.scores).sum()))
        better = bound.finish(proof_work(run)) + rounding
        if better < value:
            value, nodes = better, bound.nodes
    result = run.result(engine.best.parents, value, claim_of_scores(run.options), rounding=0.0)
    return replace(result, nodes=nodes)


def proof_work(run: PricingRun) -> float:
    """Least work on a bound on complete lists that may prove optimality; time alone ends it where time is limited."""
    if run.options.treewidth is not None:
        return 0.0
    return PROOF_WORK if run.budget.seconds is None or run.budget.evaluations is not None else np.inf
