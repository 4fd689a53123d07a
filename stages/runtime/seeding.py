"""Random streams: one SeedSequence per run, one child per task, whatever the number of threads."""

from __future__ import annotations

import os

import numpy as np

MOST_SEED = 1 << 31
"""Seeds drawn at random are below this power of two: short enough to be typed."""


def draw_seed() -> int:
    """A random seed from the operating system."""
    return int.from_bytes(os.urandom(8)) % MOST_SEED


def next_seed(rng: np.random.Generator) -> int:
    """A seed from a random stream."""
    return int(rng.integers(MOST_SEED))


def task_generator(seed: int, *task: int) -> np.random.Generator:
    """The random stream of a task: determined by the seed and the task's indices, independent of other streams."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=task)))
