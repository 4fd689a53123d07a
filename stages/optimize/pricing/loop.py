"""The loop of pricing: search on the present lists, grow them near the networks found, and repeat.

It is column generation by sampling: sets are priced near the present solution, and no family is scored twice as long
as memory suffices. An engine searches and grows (`PricingEngine`). The loop decides when to stop, works on an upper
bound in between (`ListBound`), and ends with a bound on the final lists. If all sets can be listed in seconds, this
is done after a short search, and a search among complete lists replaces the loop (`complete_lists`).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from formats.bounds import Bound
from stages.runtime.reporting import duration_text

from ..bounds.rounding import optimality_tolerance, proof_rounding
from ..result import SearchResult
from .complete_lists import enumerate_all, forecast_listing, search_complete
from .list_bound import NOMINAL_PACE, ListBound, search_work
from .run import PricingEngine, PricingRun

MOST_BYTES = 1 << 30
"""Limit on the memory for scores; beyond it only the sets in the lists are kept."""

LOOKS = 4
"""Factor between the rounds after which the bound gets work: rounds 1, 4, 16, ..."""

LONG_WORK = 600.0 * NOMINAL_PACE
"""Effort after which a run without limits ends once it gains little: ten minutes, nominally."""

VARIABLE_EFFORT = 5e-4 * NOMINAL_PACE
"""Effort of a round per variable, besides the counted work; measured on 3,000 and 30,000 variables."""

FIRST_SHARE = 0.1
"""Effort of the search before all sets are listed, as a share of the forecast of the listing."""

LEAST_LISTING, LONG_LISTING = 1.0, 10.0
"""Forecasts of a listing, in seconds: above the first, one search before it is not enough; above the second, it is
announced even without ``-v``.
"""

LITTLE_GAIN, LITTLE_ROUNDS = 1e-4, 2
"""Such a run ends after `LITTLE_ROUNDS` rounds in a row, each with a gain of at most this share of the score.
Otherwise it would continue in other basins, which takes hours with tens of thousands of variables.
"""

PROOF_WORK = 2e9
"""Least work, in sets evaluated, on a bound on complete lists if the search among them has not proved optimality.
Zero under a treewidth bound, which networks within it seldom attain.
"""


def learn(run: PricingRun, engine: PricingEngine, grows: bool) -> SearchResult:
    """Learn a network by pricing."""
    engine.begin(grows)
    bound = ListBound(run, engine)
    if run.lists.is_complete or list_all(run, engine, bound):
        return search_listed(run, engine, bound)
    with run.budget.reserving(bound.reserve):
        alternate(run, engine, bound)
    proved = bound.finish()
    return replace(run.result(engine.best.parents, proved), nodes=bound.nodes)


def alternate(
    run: PricingRun,
    engine: PricingEngine,
    bound: ListBound | None = None,
    patience: int | None = None,
    most_effort: float = math.inf,
) -> None:
    """Search and grow until the budget or `most_effort` is spent, or until `patience` rounds in a row improved
    nothing.

    Default patience: the patience of the engine without a time limit, unlimited with one. Without any limit the
    rounds also end once they gain little after much work.
    """
    if patience is None and run.budget.seconds is None:
        patience = engine.patience
    idle = poor = 0  # rounds in a row that improved nothing; rounds in a row that gained little
    next_look = 1
    while True:
        before = engine.best.score
        improved = engine.search()
        is_poor = engine.best.score - before <= LITTLE_GAIN * abs(engine.best.score)
        idle = 0 if improved or engine.is_cooling else idle + 1
        poor = poor + 1 if is_poor and not engine.is_cooling else 0
        if run.is_spent() or (patience is not None and idle >= patience) or effort(run) >= most_effort:
            return
        if run.budget.is_unlimited and poor >= LITTLE_ROUNDS and effort(run) > LONG_WORK:
            return
        engine.grow()
        run.work.rounds += 1
        if bound is not None and run.work.rounds >= next_look:
            next_look = LOOKS * run.work.rounds
            bound.look()
        run.lists.forget_over(MOST_BYTES - engine.bytes)


def effort(run: PricingRun) -> float:
    """Nominal time of the rounds so far, in the unit of `search_work`."""
    return search_work(run) + VARIABLE_EFFORT * run.scorer.n_variables * run.work.rounds


def list_all(run: PricingRun, engine: PricingEngine, bound: ListBound) -> bool:
    """List all sets of all variables if this takes seconds; returns whether it was done.

    First search, and bound the lists that the search grows: then there is a network with a bound if time or the user
    ends the listing. A listing longer than `LEAST_LISTING` serves the proof above all: it is left out if no proof is
    wanted.
    """
    seconds = None if run.is_spent() else forecast_listing(run)
    if seconds is None or (seconds > LEAST_LISTING and not run.options.lists_for_proof):
        return False
    run.lists_all = True
    search_first(run, engine, bound, seconds)
    run.lists_all = not run.is_spent()
    if run.lists_all:
        announce_listing(run, seconds / run.jobs, engine.best.score)
        run.lists_all = enumerate_all(run, engine.best.score)
    return run.lists_all


def search_first(run: PricingRun, engine: PricingEngine, bound: ListBound, seconds: float) -> None:
    """Search before a listing that takes `seconds`: once for a short listing; for a long one until the search
    converges.

    Search and bound then take the share `FIRST_SHARE` of the listing. If the number of local scores is limited, they
    are left to the listing. Under a treewidth bound one search is enough.
    """
    is_long = seconds > LEAST_LISTING and run.budget.evaluations is None and run.options.treewidth is None
    most_effort = FIRST_SHARE * seconds * NOMINAL_PACE if is_long else 0.0
    alternate(run, engine, bound, engine.patience, most_effort)
    if is_long:
        bound.keep_up(most_effort - effort(run))


def announce_listing(run: PricingRun, seconds: float, score: float) -> None:
    """Report that a network of this score (nats) exists while sets are listed, and about how many seconds the listing
    takes.
    """
    report = run.reporter.summary if seconds > LONG_LISTING else run.reporter.detail
    report(
        f"the network found scores {score:,.2f}; listing the sets that prove it best, or lead to a better one, takes "
        f"about {duration_text(seconds)}; Ctrl-C ends the listing and keeps the network"
    )


def search_listed(run: PricingRun, engine: PricingEngine, bound: ListBound) -> SearchResult:
    """Search on among complete lists: the best network, and a bound on all within the options' limits."""
    found = search_complete(run)
    engine.adopt(found)
    proved, nodes = found.bound, found.nodes
    assert proved is not None
    # The search has not proved optimality: continue the bound over the same complete lists.
    if proved.value - engine.best.score > optimality_tolerance(found.scores):
        value, about = bound.finish(proof_work(run))
        value += proof_rounding(len(found.scores), float(np.abs(found.scores).sum()))
        if value < proved.value:
            proved, nodes = Bound(value, about), bound.nodes
    return replace(run.result(engine.best.parents, proved, rounding=0.0), nodes=nodes)


def proof_work(run: PricingRun) -> float:
    """Least work on a bound on complete lists that may prove optimality; under a time limit only time ends it."""
    if run.options.treewidth is not None:
        return 0.0
    return PROOF_WORK if run.budget.seconds is None or run.budget.evaluations is not None else np.inf
