"""Compile before the clock starts: a run of the same search on a table of a few rows.

Compiled kernels are cached on disk, so this costs seconds once after an installation and little afterwards; a
time limit then means time spent searching, on the first run as on the hundredth.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from formats.records import Dataset, Variable
from stages.budgets import Budget


def tiny_dataset() -> Dataset:
    """Four variables, one of them with three states, 96 rows in which each depends on the one before."""
    rows = np.arange(96)
    columns = [rows % 2, (rows % 2) ^ (rows % 7 == 0), rows % 3, (rows % 3 == 1) ^ (rows % 11 == 0)]
    codes = np.ascontiguousarray(np.array(columns), dtype=np.uint8)
    states = ("0", "1", "2")
    variables = tuple(Variable(f"V{i}", states[: int(c.max()) + 1]) for i, c in enumerate(codes))
    return Dataset(variables, codes, "sha256:none")


def compile_first(search: Callable[[Dataset, Budget], object], budget: Budget) -> None:
    """Run `search` on a tiny data set, then start the clock of `budget` anew.

    Without a time limit nothing depends on the clock, and nothing is run.
    """
    if budget.seconds is None:
        return
    search(tiny_dataset(), Budget(evaluations=200, stop=budget.stop))
    budget.restart()
