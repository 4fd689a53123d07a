"""Networks of replicates of the data: the non-parametric bootstrap, sub-samples, the jackknife, multiple imputation.

A bootstrap replicate has as many rows as the data, drawn with replacement (Efron 1979; for networks Friedman,
Goldszmidt and Wyner 1999). A sub-sample has a share of the rows, drawn without replacement (Politis and Romano 1994).
A replicate of the jackknife lacks one of R blocks of rows (Tukey 1958). Replicates of rows with missing values may
keep all rows and draw the missing values again (multiple imputation, Rubin 1987). Equal rows are merged and weighted
(`stages.scoring.dataset_layout`), so duplicates cost nothing. Variables keep all states of the data. Rows under
different interventions are resampled apart, as strata (Davison and Hinkley 1997, section 3.2).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from formats.data_records import Dataset
from formats.records import NetworkRecord
from stages.runtime.budgets import StopSignal
from stages.runtime.errors import StageError
from stages.runtime.seeding import next_seed, task_generator
from stages.runtime.workers import Workers, ordered_map, processes

Found = tuple[NetworkRecord, dict[str, Any]]
"""A network and the figures of its search."""

Search = Callable[[Dataset, np.ndarray, int, StopSignal], Found]
"""Finds a network from data, an order of the columns for the search, a seed and a stop signal."""


@dataclass(frozen=True)
class Resampling:
    """How the rows of replicates are chosen."""

    # ``bootstrap``, ``subsample``, ``jackknife``, or ``imputed``: all rows, missing values drawn again.
    kind: str = "bootstrap"
    share: float = 1.0  # share of the rows in a sub-sample

    def rows(self, table: Dataset, place: tuple[int, int], seed: int, rng: np.random.Generator) -> np.ndarray:
        """The rows of one replicate, ascending.

        If variables were set in rows, each group of rows in which the same were set is resampled by itself. So every
        variable that was not set in some row is not set in some row of a replicate, except that a block of the
        jackknife may have all such rows.

        `place` has the index of the replicate, from 0, and the number of replicates. `rng` is the stream of this
        replicate. `seed` is the same for all; it assigns the rows to the blocks of the jackknife. Raises `StageError`
        for a sub-sample without rows, more blocks than rows, one block only, or a replicate of the jackknife in whose
        rows a variable was always set.
        """
        index, n_replicates = place
        n_rows = table.n_rows
        if self.kind == "imputed":
            return np.arange(n_rows)
        if self.kind == "jackknife":
            return _without_block(table, index, n_replicates, seed)
        if round(self.share * n_rows) == 0:
            raise StageError(f"a share of {self.share:g} of {n_rows} rows is less than one row")
        return np.sort(np.concatenate([self._drawn(group, rng) for _, group in table.by_target()]))

    def _drawn(self, group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Some of these rows; at least one."""
        if self.kind == "bootstrap":
            return group[rng.integers(len(group), size=len(group))]
        return group[rng.choice(len(group), max(1, round(self.share * len(group))), replace=False)]


def _without_block(table: Dataset, index: int, n_blocks: int, seed: int) -> np.ndarray:
    """All rows without one block of the jackknife; the rows of each group are dealt in turn."""
    n_rows = table.n_rows
    if not 2 <= n_blocks <= n_rows:
        raise StageError(
            f"the jackknife divides the rows into a block for each replicate: {n_rows} rows make 2 to {n_rows}, "
            f"not {n_blocks}"
        )
    block = task_generator(seed, n_blocks).permutation(n_rows) % n_blocks
    if table.interventions is None:
        return np.flatnonzero(block != index)
    dealt = np.lexsort((block, table.interventions.of_row))
    block[dealt] = np.arange(n_rows) % n_blocks
    kept = np.flatnonzero(block != index)
    left = table.interventions.rows(kept)
    for variable in left.variables:
        if not left.is_free(variable).any():
            raise StageError(
                f"replicate {index + 1} of the jackknife has no row in which {table.names[variable]!r} was not set\n"
                "  keep such a row in each replicate: leave out --resample jackknife"
            )
    return kept


def bootstrap_networks(
    dataset: Dataset,
    n_replicates: int,
    seed: int,
    search: Search,
    jobs: int,
    stop: StopSignal,
    resampling: Resampling,
    workers: Workers | None = None,
) -> Iterator[Found]:
    """A network for each replicate of the data, in order.

    Yields networks and their statistics. ``replicate`` in the header counts from 1. Scores are on the replicate, so
    the header names no data file. Interrupted searches yield nothing, except for the first replicate.

    Each replicate derives from `seed` a stream for its rows, the seed of its search, and an order of the columns; so
    choices that a search makes by the order of columns vary between replicates. `jobs` replicates are searched at
    once, each in a forked process; with `workers`, these search all but the first instead. Once `stop` is set, no
    further replicate begins.
    """

    def work(index: int, stop: StopSignal = stop) -> Found | None:
        if stop.is_set() and index > 0:
            return None
        rng = task_generator(seed, index)
        rows = resampling.rows(dataset, (index, n_replicates), seed, rng)
        own_seed = next_seed(rng)
        network, figures = search(dataset.rows(rows), rng.permutation(dataset.n_variables), own_seed, stop)
        header = network.header
        header = replace(header, data=None, extra=header.extra | {"replicate": index + 1})
        return replace(network, header=header), figures

    # The first search runs before processes are forked: it compiles kernels for all.
    others = range(1, n_replicates)
    workers = workers or processes(jobs)
    mapped = ordered_map(work, others, jobs) if workers is None else workers.map_tasks(work, others, stop)
    found = itertools.chain([work(0)], mapped)
    for index, result in enumerate(found):
        if result is None or (index > 0 and "interrupted" in result[0].header.extra):
            return
        yield result
