"""One run of a hill-climbing method: climb, perturb the best graph, climb again; its result and figures.

Between climbs, random moves lead a graph out of a local optimum (`perturb`), or arcs whose direction the data leave
open are directed at random (`random_equivalent`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from stages.graphs.essential_graphs import list_arcs
from stages.kernels.bits import has_bit
from stages.kernels.climbing.moves import ADD, REVERSE, can_add, can_reverse, is_parent
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter, Offer, Reporter
from stages.runtime.seeding import task_generator
from stages.scoring.family_scorer import FamilyScorer

from .. import OptimizeOptions
from ..result import Parents, SearchResult, unscored
from .cache import FamilyCache
from .climber import Climber
from .constraints import Constraints, make_constraints, start_graph
from .literal_count import LiteralCount

TRIES_PER_MOVE = 50
"""Draws per wanted move before giving up: most draws are permitted moves."""


@dataclass(frozen=True, eq=False)
class Climb:
    """A graph with the local scores of its families in nats; `done` is False if the budget ended the climb."""

    parents: Parents
    scores: np.ndarray
    done: bool

    @property
    def total(self) -> float:
        """Score of the graph, independent of the order of summation."""
        return math.fsum(self.scores.tolist())


@dataclass
class ClimbingRun:
    """What the climbs of one run share; `order` as in `Climber`."""

    scorer: FamilyScorer
    options: OptimizeOptions
    budget: Budget
    reporter: Reporter
    constraints: Constraints
    cache: FamilyCache
    order: np.ndarray
    literal: LiteralCount | None = None
    climbers: list[Climber] = field(default_factory=list)
    iterations: int = 0
    best: Climb | None = None  # of all climbs, the first among equals

    def climber(self, make: Callable[..., Climber] = Climber, **kind: Any) -> Climber:
        """A climber of the class `make` on the run's data; `kind` has its own parameters."""
        jobs = self.options.jobs
        ties = tie_generator(self.options)
        new = make(self.scorer, self.cache, self.constraints, self.order, jobs=jobs, ties=ties, **kind)
        new.literal = self.literal
        self.climbers.append(new)
        return new

    def climb(self, climber: Climber, start: Parents) -> Climb:
        """Climb from `start` within the budget."""
        self.iterations += 1
        climber.begin(start, self.budget)
        reporter = self.reporter if self.best is None else _ReportsBest(self.reporter, self.best)
        done = climber.climb(self.budget, reporter)
        found = Climb(tuple(climber.parents), climber.scores.copy(), done)
        if self.best is None or found.total > self.best.total:
            self.best = found
        return found


class _ReportsBest(NullReporter):
    """Reports the progress of a climb with the best graph of the climbs before it until it is better."""

    def __init__(self, reporter: Reporter, best: Climb):
        self._reporter, self._best = reporter, best

    def progress(
        self, done: int, total: int | None, counted: str, network: Offer | None = None, **facts: object
    ) -> None:
        score, best = facts["score"], self._best
        assert isinstance(score, float)
        if score <= best.total:
            network = partial(unscored, best.parents)
            facts |= {"score": best.total, "arcs": sum(map(len, best.parents))}
        self._reporter.progress(done, total, counted, network, **facts)


def tie_generator(options: OptimizeOptions, *kind: int) -> np.random.Generator | None:
    """A random stream that decides ties, None if ties are not drawn; restarts have streams from 1."""
    return task_generator(options.seed, 0, *kind) if options.draws_ties else None


Method = Callable[[ClimbingRun, Parents], Climb]
"""One climb, or several one after the other, from a start graph."""


def run_method(
    make_method: Callable[[ClimbingRun], Method],
    scorer: FamilyScorer,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    candidates: Sequence[Iterable[int]] | None = None,
) -> SearchResult:
    """Run a method from its start, then from perturbed equivalents of the best graph, once for each restart.

    A restart draws an equivalent, if the score judges equivalent graphs alike, and the ties of its climb: the
    directions that a first climb gave to arcs whose two directions gain equally stay otherwise.
    It reads from `options`: ``restarts`` (none by default), ``perturb``, constraints, seed, jobs, and ``start``, the
    network to start from (no arcs by default). The budget's evaluations are local scores computed. `candidates`
    restricts the possible parents of each child.
    """
    constraints = make_constraints(scorer, options, candidates)
    start = None if options.start is None else options.start.parents
    graph = start_graph(start, constraints, scorer.dataset.names)
    order = np.arange(scorer.n_variables)
    literal = LiteralCount(scorer.n_variables) if options.counts_literally else None
    run = ClimbingRun(scorer, options, budget, reporter, constraints, FamilyCache(scorer), order, literal)
    method = make_method(run)
    best = _among_equivalents(run, method, method(run, graph))
    totals = [best.total]
    for restart in range(1, (options.restarts or 0) + 1):
        if not best.done or budget.is_spent(run.cache.computed):
            break
        rng = task_generator(options.seed, restart)
        for climber in run.climbers:
            climber.ties = rng
        parents = random_equivalent(best.parents, constraints, rng) if scorer.is_equivalent else best.parents
        shaken = perturb(run.climbers[0], parents, options.perturb, rng, budget)
        if budget.time_left() <= 0.0:
            break
        found = method(run, shaken)
        totals.append(found.total)
        if found.total > best.total:
            best = found
        so_far = partial(unscored, best.parents)
        reporter.progress(restart, options.restarts, "restarts", so_far, score=best.total)
        reporter.detail(f"restart {restart}: score {found.total:.4f}, best {max(totals):.4f}")
    return SearchResult(best.parents, best.scores, best.total, _facts(run, totals), _figures(run, totals, best))


def _among_equivalents(run: ClimbingRun, method: Method, best: Climb) -> Climb:
    """If ties are drawn, climb again from a random equivalent of the graph as long as this leads to better ones.

    The first arcs of a climb gain equally in both directions, and their directions stay; a draw among equivalents
    compensates for this.
    """
    ties = tie_generator(run.options, 1)
    if ties is None or not run.scorer.is_equivalent:
        return best
    while best.done:
        found = method(run, random_equivalent(best.parents, run.constraints, ties))
        if found.total <= best.total + run.climbers[0].grid:
            break
        best = found
    return best


def _facts(run: ClimbingRun, totals: list[float]) -> dict[str, Any]:
    facts: dict[str, Any] = {"steps": _moves(run).sum().item(), "evaluations": run.cache.computed}
    if run.options.restarts:
        facts["restarts"] = len(totals) - 1
    return facts


def _figures(run: ClimbingRun, totals: list[float], best: Climb) -> dict[str, Any]:
    additions, removals, reversals = _moves(run).tolist()
    figures = {
        "score": best.total,
        "arcs": sum(map(len, best.parents)),
        "largest_parent_set": max(map(len, best.parents), default=0),
        "computed": run.cache.computed,
        "requested": run.cache.requested,
        "statistics": run.cache.computed,  # local scores, plus the tests of mmhc
        "steps": additions + removals + reversals,
        "additions": additions,
        "removals": removals,
        "reversals": reversals,
        "climbs": run.iterations,
        "totals": totals,
        "seconds": run.budget.elapsed(),
    }
    if run.literal is not None:
        figures["literal_statistics"] = run.literal.computed
        figures["literal_requested"] = run.literal.requested
        figures["seconds"] -= run.literal.seconds
    return figures


def _moves(run: ClimbingRun) -> np.ndarray:
    return sum((climber.moves for climber in run.climbers), np.zeros(3, dtype=np.int64))


def random_equivalent(parents: Parents, constraints: Constraints, rng: np.random.Generator) -> Parents:
    """A Markov equivalent graph within the constraints; `parents` is acyclic and meets them.

    Every arc is visited once, in random order, and reversed with probability one half if it is covered: its child has
    the same other parents as its parent. Reversals of covered arcs keep the class (Chickering 1995) and the size of
    the largest parent set.
    """
    families = [set(family) for family in parents]
    arcs = sorted(list_arcs(parents))
    for place, is_turned in zip(rng.permutation(len(arcs)).tolist(), rng.random(len(arcs)) < 0.5):
        parent, child = arcs[place]
        may_turn = has_bit(constraints.permitted[parent], child) and not has_bit(constraints.fixed[child], parent)
        if is_turned and may_turn and families[child] - {parent} == families[parent]:
            families[child].remove(parent)
            families[parent].add(child)
    return tuple(tuple(sorted(family)) for family in families)


def perturb(
    climber: Climber, parents: Parents, n_moves: int | None, rng: np.random.Generator, budget: Budget
) -> Parents:
    """A graph after random additions, removals and reversals, drawn equally often, within the constraints.

    The climber's graph is overwritten. The number of moves is by default a tenth of the number of variables, at least
    one; the budget's time, or the user, may end them early.
    """
    climber.place(parents)
    wanted = max(1, len(parents) // 10) if n_moves is None else n_moves
    for _ in range(wanted * TRIES_PER_MOVE):
        if wanted == 0 or budget.time_left() <= 0.0:
            break
        wanted -= _try_random_move(climber, rng)
    return tuple(climber.parents)


def _try_random_move(climber: Climber, rng: np.random.Generator) -> bool:
    """Draw one move and apply it if it is permitted; returns whether it was."""
    state, most = climber.state, climber.constraints.max_parents
    kind = int(rng.integers(3))
    if kind == ADD:
        child, parent = rng.integers(len(climber.parents), size=2).tolist()
        fits = (
            has_bit(state.permitted[child], parent)
            and not is_parent(state, child, parent)
            and can_add(state, child, parent, most)
        )
    else:
        arcs = [(child, parent) for child, family in enumerate(climber.parents) for parent in family]
        if not arcs:
            return False
        child, parent = arcs[int(rng.integers(len(arcs)))]
        fits = not has_bit(state.fixed[child], parent)
        if kind == REVERSE:
            fits = fits and has_bit(state.permitted[parent], child) and can_reverse(state, child, parent, most)
    if fits:
        climber.move(kind, child, parent)
    return bool(fits)
