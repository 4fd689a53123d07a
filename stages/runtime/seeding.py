"""Random streams: one SeedSequence per run, one child per task, whatever the number of threads."""

from __future__ import annotations

import secrets

import numpy as np


def draw_seed() -> int:
    """A seed from the operating system, small enough to be typed again."""
    return secrets.randbelow(2**31)


def task_generator(seed: int, *task: int) -> np.random.Generator:
    """The random stream of one task: the same for the same seed and task indices, independent of others."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=task)))
