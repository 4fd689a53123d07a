"""Compile before the clock starts: a run of the same search on something tiny.

Compiled kernels are cached on disk, so this costs seconds once after an installation and little afterwards; a
time limit then means time spent searching, on the first run as on the hundredth, and a search that is asked to stop
has all compiled that it takes to hand over what it found.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from formats.data_records import Dataset, Variable
from formats.records import Header, ParentSetRecord, ParentSetTable

from .budgets import Budget

TINY_WORK = 200
"""Local scores or orders of a run for the compiler's sake."""

TINY_WIDTH = 2
"""Bound on the treewidth of such a run at most: more than the width that its four variables can do without."""

TINY_RESTARTS = 2
"""Restarts of such a run on data at most: climbs of four variables soon meet scores that they have, so that no number
of new ones ends them."""


def tiny_dataset() -> Dataset:
    """Four variables, one of them with three states, 96 rows in which each depends on the one before."""
    rows = np.arange(96)
    columns = [rows % 2, (rows % 2) ^ (rows % 7 == 0), rows % 3, (rows % 3 == 1) ^ (rows % 11 == 0)]
    codes = np.ascontiguousarray(np.array(columns), dtype=np.uint8)
    states = ("0", "1", "2")
    variables = tuple(Variable(f"V{i}", states[: int(c.max()) + 1]) for i, c in enumerate(codes))
    return Dataset(variables, codes, "sha256:none")


def tiny_table() -> ParentSetTable:
    """Candidate sets of four variables on which every part of a search has something to do: the upper bound, too,
    meets the optimum (-149) only after cuts were searched for.
    """
    lists = (
        (((1, 3), -24.0), ((1,), -41.0), ((3,), -47.0), ((), -50.0)),
        (((2, 3), -30.0), ((0,), -43.0), ((2,), -47.0), ((), -50.0)),
        (((0, 3), -27.0), ((1, 3), -40.0), ((3,), -45.0), ((1,), -47.0), ((), -50.0)),
        (((0, 1), -36.0), ((0,), -42.0), ((), -50.0)),
    )
    records = [
        ParentSetRecord(child, tuple(p for p, _ in sets), tuple(score for _, score in sets))
        for child, sets in enumerate(lists)
    ]
    return ParentSetTable.from_records(Header(tuple(Variable(f"V{i}") for i in range(4))), records)


_compiled: set[Hashable] = set()


def compile_first(search: Callable[[Budget], object], budget: Budget, kind: Hashable) -> None:
    """Run `search`, which is to work on something tiny, then start the clock of `budget` anew.

    There is nothing to hand over yet: the command line lets a signal end the command here. So it is done but once for
    each `kind` of search in a process, before the first.
    """
    if kind not in _compiled:
        search(Budget(evaluations=TINY_WORK, stop=budget.stop))
        if not budget.interrupted:
            _compiled.add(kind)
    budget.restart()
