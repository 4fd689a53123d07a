"""Compile before the clock starts: a run of the same search on something tiny.

Compiled kernels are cached on disk, so this costs seconds once after an installation and little afterwards; a
time limit then means time spent searching, on the first run as on the hundredth.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from formats.records import Dataset, Header, ParentSetRecord, ParentSetTable, Variable
from stages.budgets import Budget

TINY_WORK = 200
"""Local scores or orders of a run for the compiler's sake."""


def tiny_dataset() -> Dataset:
    """Four variables, one of them with three states, 96 rows in which each depends on the one before."""
    rows = np.arange(96)
    columns = [rows % 2, (rows % 2) ^ (rows % 7 == 0), rows % 3, (rows % 3 == 1) ^ (rows % 11 == 0)]
    codes = np.ascontiguousarray(np.array(columns), dtype=np.uint8)
    states = ("0", "1", "2")
    variables = tuple(Variable(f"V{i}", states[: int(c.max()) + 1]) for i, c in enumerate(codes))
    return Dataset(variables, codes, "sha256:none")


def tiny_table() -> ParentSetTable:
    """Candidate sets of four variables, each with no, one or two of the others as parents."""
    records = []
    for child in range(4):
        one, two, three = ((child + step) % 4 for step in (1, 2, 3))
        sets = (tuple(sorted((one, two))), (two,), (three,), ())
        records.append(ParentSetRecord(child, sets, (-1.0, -2.0, -3.0, -4.0)))
    return ParentSetTable.from_records(Header(tuple(Variable(f"V{i}") for i in range(4))), records)


def compile_first(search: Callable[[Budget], object], budget: Budget) -> None:
    """Run `search`, which is to work on something tiny, then start the clock of `budget` anew.

    Of use where there is a time limit: otherwise nothing depends on the clock.
    """
    search(Budget(evaluations=TINY_WORK, stop=budget.stop))
    budget.restart()
