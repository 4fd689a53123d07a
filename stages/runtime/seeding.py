"""Random streams: one SeedSequence per run, one child per task, whatever the number of threads."""

from __future__ import annotations

import secrets

import numpy as np


def draw_seed() -> int:
    """A random seed below 2**31 from the operating system, short enough to be typed."""
    return secrets.randbelow(2**31)


def task_generator(seed: int, *task: int) -> np.random.Generator:
    """The random stream of a task: determined by the seed and the task's indices, independent of other streams."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=task)))
