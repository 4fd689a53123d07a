"""A network to begin with where rows are very many: searched on growing samples of them.

A score on millions of rows costs as much as hundreds do on tens of thousands, and most of what a search tries is
settled by few rows. So the search runs on a small sample first, then on one eight times as large from the network
found, and so on; each network is scored on all rows, and the search on all rows begins with the best.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from formats.data_records import Dataset
from stages.runtime.budgets import Budget
from stages.runtime.errors import NothingFoundError
from stages.scoring.family_scorer import FamilyScorer

from ..lists.start_network import StartNetwork

if TYPE_CHECKING:
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions
    from ..result import Parents

MANY_ROWS = 500_000
"""Up to this many rows the search begins with all of them."""

GROWTH = 8
LEAST_ROWS = 10_000
"""Each sample has so many times the rows of the one before; the first has no fewer than `LEAST_ROWS`."""

TIME_SHARE = 0.3
"""Share of the time left that all samples together may take; the larger ones most of it."""

SearchSample = Callable[[FamilyScorer, "OptimizeOptions", Budget], "Parents"]
"""A search from the start in the options; the parents of all variables that it found."""


def sample_sizes(n_rows: int) -> list[int]:
    """Rows of the samples, ascending; none where all rows are few enough."""
    sizes: list[int] = []
    if n_rows > MANY_ROWS:
        size = n_rows // GROWTH
        while size >= LEAST_ROWS:
            sizes.append(size)
            size //= GROWTH
    return sizes[::-1]


def row_samples(dataset: Dataset, sizes: list[int]) -> Iterator[Dataset]:
    """Random samples of a table's rows, each a part of the next; the same for the same number of rows."""
    drawn = np.random.default_rng(0x5EED).choice(dataset.n_rows, max(sizes, default=0), replace=False)
    for size in sizes:
        rows = np.sort(drawn[:size])
        codes = np.empty((dataset.n_variables, size), dtype=np.uint8)
        for column, sampled in zip(dataset.codes, codes):
            sampled[:] = column[rows]
        yield Dataset(dataset.variables, codes, dataset.fingerprint)


def search_samples(
    scorer: FamilyScorer,
    options: OptimizeOptions,
    budget: Budget,
    search: SearchSample,
    reporter: Reporter,
) -> OptimizeOptions:
    """`options` with the best network that searches on growing samples of the rows found as their start.

    Where rows are not that many, the options as they are. Scores on samples do not count as evaluations, and a limit
    on these holds for each sample on its own; the scores of the networks found do. `reporter` is told of these.
    """
    sizes = sample_sizes(scorer.n_rows)

    def score_of(parents: Parents) -> float:
        return math.fsum(scorer.local_score(child, family) for child, family in enumerate(parents))

    best = score_of(options.start.parents) if sizes and options.start else -math.inf
    share = budget.part(TIME_SHARE)
    for k, sample in enumerate(row_samples(scorer.dataset, sizes)):
        if budget.evaluations_left(scorer.evaluations) < scorer.n_variables:
            break
        try:
            smaller = FamilyScorer(sample, options.score, options.ess, budget.stop)
        except NothingFoundError:  # a stop while this sample is prepared leaves the network of the one before
            break
        parents = search(smaller, options, share.part(1.0 / (len(sizes) - k)))
        score = score_of(parents)
        if score > best:
            best, options = score, replace(options, start=StartNetwork(parents))
            reporter.progress(scorer.evaluations, budget.evaluations, "local scores", score=best)
    return options
