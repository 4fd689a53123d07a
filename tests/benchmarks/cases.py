"""Data sets that benchmarks run on, and how they are timed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from helpers.tables import make_dataset

from formats import open_dataset
from formats.data_records import Dataset

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SHARED = Path(os.environ.get("BNSL_SHARED") or Path(__file__).resolve().parents[3] / "shared")


def sampled(n_rows: int, n_variables: int, n_states: int, seed: int = 0, noise: ArrayLike = 0.4) -> Dataset:
    """Variables that depend on up to three earlier ones, in the share `noise` of the rows on nothing (one share,
    or one for each variable); with the default hardly any two rows are equal.
    """
    rng, shares = np.random.default_rng(seed), np.broadcast_to(np.asarray(noise), n_variables)
    codes = np.zeros((n_variables, n_rows), dtype=np.uint8)
    for i in range(n_variables):
        sources = rng.choice(i, size=min(i, 3), replace=False) if i else np.zeros(0, int)
        signal = sum((codes[s].astype(np.int64) * int(rng.integers(1, 4)) for s in sources), np.zeros(n_rows, int))
        fresh = rng.integers(0, n_states, n_rows)
        codes[i] = np.where(rng.random(n_rows) < shares[i], fresh, signal % n_states)
    return make_dataset(codes, [n_states] * n_variables)


def real(name: str) -> Dataset | None:
    """A benchmark data set, where it is at hand."""
    path = SHARED / "data" / "debd" / f"{name}.train.csv.gz"
    return open_dataset(str(path)) if path.exists() else None


def best_seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Least processor time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)
