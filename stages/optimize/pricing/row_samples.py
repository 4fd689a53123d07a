"""A start network for millions of rows: found by searches on growing samples of the rows.

A score on millions of rows costs as much as hundreds of scores on tens of thousands, and few rows suffice for most
decisions of a search. So the search first runs on a small sample, then on a sample eight times as large from the
network found, and so on. Each network is scored on all rows, and the search on all rows starts from the best one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from formats.data_records import Dataset
from formats.tables.cell_storage import PackedCells, return_freed
from stages.lists.start_network import StartNetwork
from stages.runtime.budgets import Budget, StopSignal, slices
from stages.runtime.errors import NothingFoundError
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .. import OptimizeOptions
from ..result import Parents

MANY_ROWS = 500_000
"""Up to this many rows the search begins with all of them."""

GROWTH = 8
LEAST_ROWS = 10_000
"""Factor between the numbers of rows of successive samples, and least number of rows of the first one."""

TIME_SHARE = 0.3
"""Share of the remaining time for all samples together; the larger samples take most of it."""

PART_ROWS = 1 << 22
"""Rows from which a sample is drawn at once, at eight bytes each; more rows are divided into parts that each give
their share.
"""

SearchSample = Callable[[FamilyScorer, "OptimizeOptions", Budget], "Parents"]
"""A search from the start in the options; returns the parents of all variables."""


def sample_sizes(n_rows: int) -> list[int]:
    """Rows of the samples, ascending; no samples up to `MANY_ROWS` rows."""
    sizes: list[int] = []
    if n_rows > MANY_ROWS:
        size = n_rows // GROWTH
        while size >= LEAST_ROWS:
            sizes.append(size)
            size //= GROWTH
    return sizes[::-1]


def row_samples(dataset: Dataset, sizes: list[int], stop: StopSignal) -> list[Dataset]:
    """Nested random samples of a table's rows; the choice of rows depends on their number alone.

    All samples are taken in one pass over the table: unpacking a column of many rows costs more than drawing from it.
    Returns none once `stop` is set.
    """
    rows_of = _draw_rows(dataset.n_rows, sizes)
    samples = [PackedCells(dataset.n_variables, size) for size in sizes]
    for place, column in enumerate(dataset.codes):
        if stop.is_set():
            return []
        for codes, rows in zip(samples, rows_of):
            codes[place] = column[rows]
    return [Dataset(dataset.variables, codes, dataset.fingerprint) for codes in samples]


def _draw_rows(n_rows: int, sizes: list[int]) -> list[np.ndarray]:
    """The rows of each sample, ascending."""
    rng = np.random.default_rng(0x5EED)
    rows_of: list[list[np.ndarray]] = [[] for _ in sizes]
    for start, end in slices(n_rows, PART_ROWS):
        shares = [end * size // n_rows - start * size // n_rows for size in sizes]
        drawn = rng.choice(end - start, max(shares), replace=False)
        for rows, share in zip(rows_of, shares):
            rows.append(start + np.sort(drawn[:share]))
    return [np.concatenate(rows) for rows in rows_of]


def search_samples(
    scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, search: SearchSample, reporter: Reporter
) -> OptimizeOptions:
    """`options` with a new start: the best network found by searches on growing samples of the rows.

    With at most `MANY_ROWS` rows, with interventions (a variable may have been set in all rows of a sample) or with a
    prior of arcs (which weighs more on few rows), the options are returned unchanged. The limit on evaluations holds
    for each sample on its own, and scores on samples are not counted in the run. Scores of the resulting networks on
    all rows are counted and reported.
    """
    sizes = sample_sizes(scorer.n_rows)
    if not sizes or scorer.parts or scorer.gains is not None:
        return options

    def score_of(parents: Parents) -> float:
        return math.fsum(scorer.local_score(child, family) for child, family in enumerate(parents))

    best = score_of(options.start.parents) if options.start else -math.inf
    share = budget.part(TIME_SHARE)
    samples = row_samples(scorer.dataset, sizes, budget.stop)
    while samples and budget.evaluations_left(scorer.evaluations) >= scorer.n_variables:
        try:
            smaller = FamilyScorer(samples.pop(0), options.score, options.ess, budget.stop)
        except NothingFoundError:  # a stop before this sample is ready keeps the earlier network
            break
        parents = search(smaller, options, share.part(1.0 / (len(samples) + 1)))
        del smaller
        return_freed()
        score = score_of(parents)
        if score > best:
            best, options = score, replace(options, start=StartNetwork(parents))
            reporter.progress(scorer.evaluations, budget.evaluations, "local scores", score=best)
    return options
