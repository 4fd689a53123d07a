"""The non-parametric bootstrap (Efron 1979; of networks Friedman, Goldszmidt and Wyner 1999): a network of each of
many replicates of the data, drawn from their rows with replacement.

A replicate has as many rows as the data. The counting core merges equal rows and counts them by their weight
(`stages.scoring.dataset_layout`), so that rows drawn twice are not counted twice. Variables keep the states of the
data, those too that no row drawn has.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from formats.records import Dataset, Network
from stages.runtime.budgets import StopSignal
from stages.runtime.seeding import task_generator
from stages.runtime.workers import CAN_FORK, SharedStop, forked_map, ordered_map, resolve_jobs

Found = tuple[Network, dict[str, Any]]
"""A network and the figures of its search."""

Search = Callable[[Dataset, int, StopSignal], Found]
"""Finds a network for data, by a seed, until it is told to stop."""

MOST_SEED = 1 << 31
"""Seeds of replicates are below: small enough to be typed again."""


def resample(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """As many rows as there are, drawn with replacement, in the order of the data; it has no fingerprint."""
    rows = np.sort(rng.integers(dataset.n_rows, size=dataset.n_rows))
    return Dataset(dataset.variables, np.ascontiguousarray(dataset.codes[:, rows]), "")


def bootstrap_networks(
    dataset: Dataset, n_replicates: int, seed: int, search: Search, jobs: int, stop: StopSignal
) -> Iterator[Found]:
    """A network for each replicate of the data, in order.

    Parameters
    ----------
    dataset : Dataset
    n_replicates : int
    seed : int
        Each replicate has random streams of its own: of its rows, and the seed of its search.
    search : callable
    jobs : int
        Replicates worked on at once, each by one worker.
    stop : StopSignal
        Once it is set no further replicate is begun.

    Yields
    ------
    (Network, dict)
        ``replicate`` in the header counts from 1. Scores are those on the replicate, which is in no file: the header
        names no data. A network whose search was stopped early comes only if it is the first.
    """

    def work(index: int, stop: StopSignal = stop) -> Found | None:
        if stop.is_set() and index > 0:
            return None
        rng = task_generator(seed, index)
        replicate = resample(dataset, rng)
        network, figures = search(replicate, int(rng.integers(MOST_SEED)), stop)
        header = network.header
        header = replace(header, data=None, extra=header.extra | {"replicate": index + 1})
        return replace(network, header=header), figures

    # The first one compiles what the others need, before processes are forked.
    found = itertools.chain([work(0)], _map(work, range(1, n_replicates), resolve_jobs(jobs), stop))
    for index, result in enumerate(found):
        if result is None or (index > 0 and "interrupted" in result[0].header.extra):
            return
        yield result


def _map(
    work: Callable[..., Found | None], indices: range, jobs: int, stop: StopSignal
) -> Iterator[Found | None]:
    if jobs == 1 or not CAN_FORK or not indices:
        yield from ordered_map(work, indices, jobs)
        return

    def work_apart(index: int, shared: SharedStop) -> Found | None:
        return work(index, shared)

    yield from forked_map(work_apart, indices, jobs, stop)
