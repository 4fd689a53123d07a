"""All-pairs conditional entropies: seconds on one thread, against `numpy.bincount` pair by pair."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from functools import partial

import numpy as np

from formats.data_records import Dataset
from stages.screening.entropies import compute_entropies

from .cases import best_seconds, real, sampled

PLAIN_PAIRS = 2000
"""Pairs that the plain way is timed on; scaled to all."""


def measure() -> Iterator[dict[str, object]]:
    """One row per data set."""
    cases = {"long": real("msnbc") or sampled(291_326, 17, 2), "wide": real("ad") or sampled(2_461, 1_556, 2)}
    cases["ten states"] = sampled(20_000, 100, 10)
    for name, dataset in cases.items():
        ours = best_seconds(partial(compute_entropies, dataset))
        tracemalloc.start()
        compute_entropies(dataset)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        plain = plain_seconds(dataset)
        yield {
            "case": name,
            "rows": dataset.n_rows,
            "variables": dataset.n_variables,
            "seconds": ours,
            "MiB": peak / 2**20,
            "plain numpy seconds": plain,
            "ratio": plain / ours,
        }


def plain_seconds(dataset: Dataset) -> float:
    """Time of the plain way for all pairs, from some of them."""
    n = dataset.n_variables
    pairs = [(i, j) for i in range(n) for j in range(i)]
    rng = np.random.default_rng(0)
    chosen = [pairs[k] for k in rng.permutation(len(pairs))[:PLAIN_PAIRS]]
    started = time.process_time()
    for i, j in chosen:
        r = int(dataset.n_states[j])
        cells = dataset.codes[i].astype(np.int64) * r + dataset.codes[j]
        counts = np.bincount(cells, minlength=int(dataset.n_states[i]) * r)
        counts = counts[counts > 0]
        (counts * np.log(counts)).sum()
    return (time.process_time() - started) * len(pairs) / len(chosen)
