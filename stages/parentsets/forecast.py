"""Forecast of a run: sets, memory and time, at the rate measured on a few of its children.

A complete enumeration is not run, since a single child may take hours; its sets are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from stages.runtime.budgets import Budget
from stages.runtime.memory import taken_bytes

from .complete_count import count_complete
from .found_sets import BYTES_PER_SET
from .identification_run import ParentSetRun
from .run_memory import SLACK

MOST_CHILDREN = 12
"""Children searched for a forecast, spread evenly over the range of estimated costs."""

LEAST_CHILDREN = 3

PATIENCE = 10.0
"""Seconds after which no further child is begun, once `LEAST_CHILDREN` are measured."""

BYTES_PER_LISTED_SET = 24
BYTES_PER_PARENT = 6
"""Size of a set in a file: a score and brackets, and an index for every parent."""


@dataclass(frozen=True)
class Forecast:
    """Estimates for one run."""

    variables: int  # records of the run
    searched: int  # records that are searched, not fixed
    measured: int  # children on which the rate was measured; 0 if the sets of a complete enumeration were counted
    seconds: float  # with the threads of the run
    evaluations: int
    # `sets`, `file_bytes`: unknown for a complete enumeration.
    sets: int | None
    file_bytes: int | None
    memory_bytes: int
    # Number of scores of a complete enumeration, estimated by a sample, if one was taken; time and memory are then
    # estimates.
    expected: int | None = None


def forecast_run(run: ParentSetRun, reading: int = 0) -> Forecast:
    """Search a few children of a run as the run itself would, and scale up by estimated cost.

    For a complete enumeration everything is an upper bound, unless a sample was taken. The memory is at least
    `reading` bytes, what reading the data may take.
    """
    found = _forecast(run)
    return replace(found, memory_bytes=max(found.memory_bytes, reading, taken_bytes()[1]))


def _forecast(run: ParentSetRun) -> Forecast:
    count = count_complete(run)
    if count is not None:
        seconds = count.seconds if run.options.time is None else min(count.seconds, run.options.time)
        return Forecast(
            len(run.children), count.searched, 0, seconds, count.total, None, None, count.memory_bytes, count.expected
        )
    searcher = run.searcher
    costs, searched = searcher.plan.costs(), run.searched(run.children)
    chosen = _spread(searched, costs)
    if chosen and run.options.time is None:  # a limited run takes its limit, and its first child could take all
        searcher.result_of(chosen[0])  # compiled code is loaded when first used
    clock = Budget()
    held, measured = 0, []
    for child in chosen:
        begun = clock.elapsed()
        limits = searcher.limits_of(child)
        found = searcher.search_sets(child, limits, len(searched))
        sets = found.to_record(limits.required).parents
        size = BYTES_PER_LISTED_SET * len(sets) + BYTES_PER_PARENT * len(sets.members)
        measured.append((clock.elapsed() - begun, found.evaluated, len(sets), size))
        held = max(held, found.most_held, found.n_sets)
        run.reporter.progress(len(measured), len(chosen), "variables measured")
        if run.budget.interrupted or (len(measured) >= LEAST_CHILDREN and clock.elapsed() > PATIENCE):
            break
    share = float(costs[chosen[: len(measured)]].sum()) if measured else 1.0
    totals = np.array(measured).sum(axis=0) * (costs[searched].sum() / share) if measured else np.zeros(4)
    seconds = float(totals[0]) / min(run.jobs, max(1, len(searched)))
    if run.options.time is not None:
        seconds = min(seconds, run.options.time)
    fixed = len(run.children) - len(searched)
    in_advance = 0 if run.options.time is None else searcher.first_list_bytes(len(searched))
    return Forecast(
        len(run.children),
        len(searched),
        len(measured),
        seconds,
        int(totals[1]) + fixed,
        int(totals[2]) + fixed,
        int(totals[3]) + fixed * (BYTES_PER_LISTED_SET + BYTES_PER_PARENT),
        searcher.resident + in_advance + int(SLACK * run.jobs * held * BYTES_PER_SET),
    )


def _spread(children: list[int], costs: np.ndarray) -> list[int]:
    """Children at evenly spread ranks of cost, the middle first and the extremes soon after it."""
    ordered = sorted(children, key=lambda child: (costs[child], child))
    count = min(MOST_CHILDREN, len(ordered))
    ranks = [int((k + 0.5) * len(ordered) / count) for k in range(count)]
    # A stride prime to the count visits all ranks; early ones are far from each other.
    stride = next(step for step in (5, 3, 7, 1) if np.gcd(step, max(count, 1)) == 1)
    return [ordered[ranks[(count // 2 + k * stride) % count]] for k in range(count)]
