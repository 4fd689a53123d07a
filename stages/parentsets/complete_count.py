"""Sets that a complete enumeration has to score, and its time and memory, estimated before it starts.

The count is of sets that are not excluded beforehand, see `enumeration`. The search excludes more as it proceeds,
so time and memory are upper bounds. Without a penalty nothing is excluded beforehand; where supersets are bounded
(Dirichlet priors) and the count is large, the number of sets scored is estimated from random
sequences (`sample_counts`).

Under a Dirichlet prior no bound is known beforehand: whether a set is closed (no superset of it is scored) depends on
its own score (`dirichlet_bounds`). A sequence adds parents one by one, each drawn among the candidates with which the
set stays open. The numbers of choices at each step give an unbiased estimate of the number of sets of each size
(Knuth 1975). A set counts as scored if the subsets that its sequence met are open; the enumeration requires this of
all its subsets. So the mean of the estimate is at least the number of sets.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from stages.runtime.budgets import Budget
from stages.runtime.memory import format_bytes, free_bytes
from stages.runtime.reporting import duration_text
from stages.scoring.family_scorer import FamilyScorer

from . import METHODS
from .dirichlet_bounds import SupersetBound, superset_bound
from .enumeration import configuration_caps, count_sets
from .found_sets import UNLIMITED, ChildLimits, largest_gain
from .identification_run import ParentSetRun
from .sequential import search_child

BYTES_PER_OPEN_SET = 16
"""Memory of a set that is to be extended: its best score, stored twice while the parts of a level are joined."""

MEASURED_SETS = 2_000
"""Number of scores used to measure the rate, if no values of sets are kept."""

LONG_SECONDS = 10.0
"""A forecast is printed if the run may take longer."""

COUNTING_SECONDS = 0.5
"""Time for counting the sets of children one by one (the rest is counted coarsely), and for measuring."""

SAMPLED_CHILDREN = 8
"""Variables that are sampled, spread evenly."""

SAMPLING_SECONDS = 2.0
"""Time for all samples together."""

LARGEST_TOTAL = 10**300
"""Larger totals are reported as this, which is still a floating-point number."""

VERY_LONG_SECONDS = 3600.0
"""Beyond this, the message names alternatives."""

MOST_SEQUENCES = 200
"""With this number, the error is small compared with the error of the measured rate."""


class CompleteCount(NamedTuple):
    """Upper bounds for one run; where a bound on supersets holds also estimates.

    Attributes
    ----------
    searched : int
        Variables that have a choice.
    most : int
        Number of sets of the variable with most sets.
    total : int
        Sets of all variables.
    expected : int or None
        Number of sets estimated from a sample; time and memory are then estimates as well. None if all are bounds.
    seconds : float
        Seconds with the workers of the run, at a rate measured now.
    memory_bytes : int
        Memory of the levels to be extended, for all workers, and of the rest of the run.
    """

    searched: int
    most: int
    total: int
    expected: int | None
    seconds: float
    memory_bytes: int


def count_complete(run: ParentSetRun) -> CompleteCount | None:
    """Bounds for a run that enumerates all sets; None for a run that a limit on scores or time ends."""
    if not METHODS[run.options.method].ends_by_size or run.searcher.evaluation_limit() < UNLIMITED:
        return None
    searched = run.searched(run.children)
    total = most = held = 0
    for counts, n_children in _counts(run, searched):
        total, most, held = total + n_children * sum(counts), max(most, sum(counts)), max(held, sum(counts[:-1]))
    total = min(total, LARGEST_TOTAL)
    workers = min(run.jobs, max(1, len(searched)))
    rate = _seconds_per_set(run, searched)
    seconds = total * rate / workers
    expected = None
    is_bounded = run.scorer.definition.bounds_supersets and run.scorer.gains is None
    if seconds > LONG_SECONDS and is_bounded and run.options.keep_mass is None:
        sampled, held, work = _sample(run, searched, rate)
        expected = min(total, math.ceil(sampled))
        seconds = work / workers
    run.scorer.evaluations = 0
    memory_bytes = run.searcher.resident + run.jobs * BYTES_PER_OPEN_SET * held + run.searcher.values_bytes
    return CompleteCount(len(searched), most, total, expected, seconds, memory_bytes)


def _sample(run: ParentSetRun, searched: list[int], seconds_per_score: float) -> tuple[float, int, float]:
    """Estimates: number of all sets, largest number that one variable holds, seconds on one core."""
    rng = np.random.default_rng(0)
    chosen = searched[:: max(1, len(searched) // SAMPLED_CHILDREN)][:SAMPLED_CHILDREN]
    sets, held, seconds = 0.0, 0.0, 0.0
    clock = Budget(SAMPLING_SECONDS / len(chosen), stop=run.budget.stop)
    for child in chosen:
        limits = run.searcher.limits_of(child)
        bound = superset_bound(run.scorer, child, limits)
        assert bound is not None
        counts = sample_counts(run.scorer, child, limits, bound, rng, clock.again())
        extended = counts.by_size[:-1].sum()
        sets += counts.by_size.sum()
        held = max(held, extended)
        seconds += extended * counts.seconds_per_set + counts.by_size[-1] * seconds_per_score
    scale = len(searched) / len(chosen)
    return sets * scale, math.ceil(min(held, LARGEST_TOTAL)), seconds * scale


def _counts(run: ParentSetRun, searched: list[int]) -> Iterator[tuple[list[int], int]]:
    """Numbers of sets by the number of parents besides the required ones, each with the number of children it stands
    for.

    Children are counted one by one for `COUNTING_SECONDS`. The remaining children are counted in groups, as if all
    pairs were allowed and no single parent were scored. This takes a time that depends on the number of variables,
    not on its square.
    """
    clock = Budget(COUNTING_SECONDS, stop=run.budget.stop)
    n_counted = 0
    while n_counted < len(searched) and not clock.is_spent():
        yield _count_child(run, searched[n_counted]), 1
        n_counted += 1
    scorer, plan = run.scorer, run.searcher.plan
    groups: Counter[tuple[float, int, int]] = Counter()
    for child in searched[n_counted:]:
        required = plan.knowledge.required_of(child)
        penalty = scorer.penalty(child) * scorer.n_configurations(required)
        # The likelihood that required parents add only lowers the cap.
        alone = math.inf if run.options.keep_mass is not None else float(scorer.row_entropies[child]) + penalty
        if scorer.gains is not None:
            alone += largest_gain(scorer, child, run.searcher.limits_of(child))
        cap = math.ceil(alone / penalty) if penalty > 0.0 and alone < math.inf else math.inf
        groups[cap, int(scorer.n_states[child]), len(required)] += 1
    candidates = scorer.n_states[scorer.n_states > 1]
    for (cap, n_states, n_required), n_children in groups.items():
        others = np.delete(candidates, np.flatnonzero(candidates == n_states)[:1]) if n_states > 1 else candidates[:0]
        yield count_sets(others, np.full(len(others), cap), plan.max_parents - n_required), n_children


def _count_child(run: ParentSetRun, child: int) -> list[int]:
    """Numbers of sets of one child by the number of parents besides the required ones."""
    scorer, limits = run.scorer, run.searcher.limits_of(child)
    required, allowed = limits.required, limits.allowed
    penalty = scorer.penalty(child) * scorer.n_configurations(required)
    singles = np.full(len(allowed), -np.inf)
    if penalty > 0.0 and len(allowed):
        singles = scorer.expand(child, required, allowed)[allowed]
    alone = scorer.local_score(child, required)
    if limits.margin:  # no score of a subset closes a set
        singles, alone = np.full(len(allowed), -np.inf), -math.inf
    largest = largest_gain(scorer, child, limits)
    caps = configuration_caps(singles - largest, alone - largest, penalty)
    return count_sets(scorer.n_states[allowed], caps, limits.max_parents - len(required))


def _seconds_per_set(run: ParentSetRun, searched: list[int]) -> float:
    """Measured on sets of the second largest size, which make up nearly all sets that are extended."""
    if not searched:
        return 0.0
    # A constant column is no example.
    child = max(searched[:: -(-len(searched) // SAMPLED_CHILDREN)], key=lambda each: int(run.scorer.n_states[each]))
    limits = run.searcher.limits_of(child)
    if not len(limits.allowed):
        return 0.0
    rng, scorer = np.random.default_rng(0), run.scorer
    size = max(0, min(limits.max_parents, 4) - len(limits.required) - 1)
    if limits.functions is not None and limits.functions.can_extend(size, limits.required):
        return _seconds_by_values(run, child, limits, len(limits.required) + size + 2)
    scorer.expand(child, limits.required, limits.allowed[:1])  # compiled code loads when first used
    rates, count, clock = [], 0, Budget(COUNTING_SECONDS, stop=run.budget.stop)
    while count < MEASURED_SETS and not clock.is_spent():
        chosen = rng.choice(limits.allowed, min(size, len(limits.allowed) - 1), replace=False)
        rest = limits.allowed[~np.isin(limits.allowed, chosen)]
        begun = clock.elapsed()
        scorer.expand(child, tuple(sorted((*limits.required, *chosen.tolist()))), rest)
        rates.append((clock.elapsed() - begun) / len(rest))
        count += len(rest)
    return min(rates, default=0.0)  # the machine may have been busy


def _seconds_by_values(run: ParentSetRun, child: int, limits: ChildLimits, n_members: int) -> float:
    """Seconds for the value of a set, which serves `n_members` families, and for a score; measured on a child's
    search.
    """
    limits = replace(limits, traces=False)
    search_child(run.scorer, child, replace(limits, evaluations=1), Budget())  # compiled code loads when first used
    rates = []
    for _ in range(2):  # the first pass makes values, the second finds them known
        clock = Budget(COUNTING_SECONDS, stop=run.budget.stop)
        found = search_child(run.scorer, child, limits, clock)
        rates.append(clock.elapsed() / found.evaluated)
        limits = replace(limits, evaluations=found.evaluated)
    return max(0.0, rates[0] - rates[1]) / n_members + rates[1]


def _number(count: int) -> str:
    return f"{count:,}" if count < 10**15 else f"{min(count, LARGEST_TOTAL):.1e}"


def report_complete(run: ParentSetRun) -> None:
    """Report the bounds of a complete enumeration; warn where memory may not hold it."""
    count = count_complete(run)
    if count is None or run.budget.interrupted:
        return
    free = free_bytes() + run.searcher.resident
    limit = free if run.options.memory is None else run.options.memory
    bounds = f"at most {_number(count.total)} sets ({_number(count.most)} for one variable)"
    sets = bounds if count.expected is None else f"about {_number(count.expected)} sets by a sample ({bounds})"
    line = f"complete enumeration: {sets}, about {duration_text(count.seconds)}, {format_bytes(count.memory_bytes)}"
    remedy = "--max-parents, --time or another method (grow) would take less"
    time = run.options.time
    if count.memory_bytes > limit and (time is None or count.seconds <= time):
        run.reporter.warn(
            f"{line}; {format_bytes(limit)} are available: searches whose sets do not fit end early. {remedy}"
        )
    elif count.seconds > VERY_LONG_SECONDS and time is None:
        run.reporter.warn(f"{line}. {remedy}")
    elif count.seconds > LONG_SECONDS and count.total > MEASURED_SETS:  # too few to measure a busy machine
        run.reporter.summary(line)
    else:
        run.reporter.detail(line)


class SampledCounts(NamedTuple):
    """Estimates for one child.

    Attributes
    ----------
    by_size : ndarray of float64, shape (most_added + 1,)
        Sets scored, by the number of parents besides the required ones.
    seconds_per_set : float
        Seconds for scoring a set and checking whether it is closed: the least measured, since the machine may be
        busy.
    """

    by_size: np.ndarray
    seconds_per_set: float


def sample_counts(
    scorer: FamilyScorer,
    child: int,
    limits: ChildLimits,
    bound: SupersetBound,
    rng: np.random.Generator,
    clock: Budget,
) -> SampledCounts:
    """Mean over as many sequences as the clock allows, at least one and at most `MOST_SEQUENCES`."""
    most_added = limits.max_parents - len(limits.required)
    total, n_sequences, seconds_per_set = np.zeros(most_added + 1), 0, math.inf
    known: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]] = {}
    while not n_sequences or (n_sequences < MOST_SEQUENCES and not clock.is_spent()):
        parents, candidates = limits.required, limits.allowed
        best, ways = scorer.local_score(child, parents), 1.0
        total[0] += 1.0
        for size in range(1, most_added + 1):
            # A set of this size is the end of as many sequences as there are orders of its members.
            total[size] += ways * len(candidates) / math.factorial(size)
            if size == most_added or not len(candidates):
                break
            if parents not in known:
                begun = clock.elapsed()
                extended = _extended(scorer, child, parents, candidates, best, bound)
                seconds_per_set = min(seconds_per_set, (clock.elapsed() - begun) / len(candidates))
                if size <= 2:  # the same few sets begin all sequences
                    known[parents] = extended
            else:
                extended = known[parents]
            candidates, scores = extended
            if not len(candidates):
                break
            ways *= len(candidates)
            chosen = int(rng.integers(len(candidates)))
            parents = tuple(sorted((*parents, int(candidates[chosen]))))
            best = max(best, float(scores[chosen]))
            candidates = np.delete(candidates, chosen)
        n_sequences += 1
    return SampledCounts(total / n_sequences, seconds_per_set if math.isfinite(seconds_per_set) else 0.0)


def _extended(
    scorer: FamilyScorer,
    child: int,
    parents: tuple[int, ...],
    candidates: np.ndarray,
    best: float,
    bound: SupersetBound,
) -> tuple[np.ndarray, np.ndarray]:
    """The candidates with which a set stays open, and its score with each."""
    scores = scorer.expand(child, parents, candidates)[candidates]
    is_open = [
        not bound.excludes(tuple(sorted((*parents, candidate))), max(best, score))
        for candidate, score in zip(candidates.tolist(), scores.tolist())
    ]
    return candidates[is_open], scores[is_open]
