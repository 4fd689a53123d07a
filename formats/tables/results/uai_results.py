"""Answers in the format of results of the UAI competitions of 2016 and 2022: the task, then one line of numbers.

Variables and states are numbers from 0; a variable is named where the task is about some variables only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def pr_text(log_probability: float) -> str:
    """Task PR, the partition function: logarithm to base 10 of the probability of the evidence (given in nats)."""
    return f"PR\n{log_probability / math.log(10.0)!r}\n"


def mar_text(distributions: Sequence[np.ndarray]) -> str:
    """Task MAR, the distributions of all variables, observed ones included."""
    parts = [" ".join(map(repr, [len(found), *found.tolist()])) for found in distributions]
    return f"MAR\n{' '.join([str(len(parts)), *parts])}\n"


def mpe_text(states: Sequence[int]) -> str:
    """Task MPE, the most probable states of all variables together."""
    return f"MPE\n{' '.join(map(str, [len(states), *states]))}\n"


def mmap_text(variables: Sequence[int], states: Sequence[int]) -> str:
    """Task MMAP, the most probable states of some variables together, all others summed out."""
    pairs = [number for pair in zip(variables, states) for number in pair]
    return f"MMAP\n{' '.join(map(str, [len(variables), *pairs]))}\n"
