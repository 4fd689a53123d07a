"""Exact local scores (BIC) of families with two parents per second of processor time, one thread.

One compiled call scores many pairs of parents of a child, as `parentsets --sequential` does. Counting all cells of a
family takes rows / 64 words of bitmaps for each, less one state of the new parent; "of limit" is the time in which
the machine can AND and popcount them in cache, measured right before, over the time taken. Above 1 most cells were
not counted but follow from others.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from formats.data_records import Dataset
from stages.kernels.counting.sets_by_size import score_open
from stages.scoring.family_scorer import FamilyScorer

from .cases import best_seconds, real, sampled
from .limits import WORDS_IN_CACHE, words_per_second

ROWS = 16_000
MOST_FAMILIES = 50_000
"""Of a child, about."""


def measure() -> Iterator[dict[str, object]]:
    """One row per data set."""
    for n_variables in (16, 69, 111, 300, 1_500):
        yield measure_case("binary", sampled(ROWS, n_variables, 2))
    yield measure_case("four states", sampled(ROWS, 60, 4))
    yield measure_case("ten states", sampled(ROWS, 40, 10))
    for name in ("nltcs", "plants", "accidents"):
        dataset = real(name)
        if dataset is not None:
            yield measure_case(name, dataset)


def measure_case(name: str, dataset: Dataset) -> dict[str, object]:
    """Rate of the compiled call."""
    scorer, n = FamilyScorer(dataset), dataset.n_variables
    limit = words_per_second(WORDS_IN_CACHE)
    calls, n_families = [], 0
    for child in range(0, n, max(1, n // 10)):
        for arguments, n_own in calls_of(scorer, child):
            calls.append(arguments)
            n_families += n_own

    def score_all() -> None:
        for arguments in calls:
            score_open(*arguments)

    score_all()
    rate = n_families / best_seconds(score_all)
    cells = float(np.mean(dataset.n_states)) ** 2 * float(np.mean(dataset.n_states - 1))
    return {
        "case": name,
        "rows": dataset.n_rows,
        "variables": n,
        "families/s": rate,
        "of limit": rate * cells * dataset.n_rows / 64 / limit,
    }


def calls_of(scorer: FamilyScorer, child: int) -> Iterator[tuple[tuple, int]]:
    """Arguments that score the child with pairs of parents, a part of them where there are many; how many pairs."""
    n = scorer.n_variables
    allowed = np.delete(np.arange(n, dtype=np.int32), child)
    places = np.arange(n - 1, dtype=np.int32)[:, None]
    widths = n - 2 - places[:, 0].astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(widths)))
    entries, is_better = np.full(starts[-1], -np.inf), np.zeros(starts[-1], dtype=np.bool_)
    configurations = scorer.n_states[allowed].astype(np.float64)
    for q in np.unique(configurations).tolist():
        which = np.flatnonzero(configurations == q)
        which = which[np.cumsum(widths[which]) - widths[which] < MOST_FAMILIES]
        tables = scorer.tables.of_expansion(child, q)
        arguments = (
            scorer.data, tables, child, np.zeros(0, dtype=np.int32), allowed, places, which, 0, 0, np.inf,
            starts, entries, is_better, np.zeros(0), np.empty(n), scorer.workspace(),
        )  # fmt: skip
        yield arguments, int(widths[which].sum())
