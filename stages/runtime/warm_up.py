"""Compilation before the clock starts, by a run of the same search on a tiny problem, where numba compiles kernels.

Compiled kernels are cached on disk, so this takes seconds once after an installation and little afterwards. A time
limit then bounds the time of the search alone, on the first run as on later ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from formats.data_records import Dataset, Variable
from formats.records import Header, ParentSetRecord, ParentSetTable
from stages.kernels import native

from .budgets import Budget

TINY_WORK = 200
"""Evaluations of a tiny run: local scores or orders."""

TINY_WIDTH = 2
"""Treewidth bound of a tiny run; below 3, the width that four variables reach without a bound."""

TINY_RESTARTS = 2
"""Most restarts of a tiny run on data: climbs on four variables soon compute no new scores, so `TINY_WORK` would
never end them.
"""


def is_binary(dataset: Dataset) -> bool:
    """Whether no variable has more than two states: searches then need fewer kernels."""
    return bool(dataset.n_states.max(initial=0) <= 2)


def tiny_dataset(binary: bool = False) -> Dataset:
    """A table of 96 rows and four variables, one with three states unless `binary`; each variable depends on the one
    before.
    """
    rows = np.arange(96)
    third = rows % (2 if binary else 3)
    columns = [rows % 2, (rows % 2) ^ (rows % 7 == 0), third, (rows % 3 == 1) ^ (rows % 11 == 0)]
    codes = np.ascontiguousarray(np.array(columns), dtype=np.uint8)
    states = ("0", "1", "2")
    variables = tuple(Variable(f"V{i}", states[: int(c.max()) + 1]) for i, c in enumerate(codes))
    return Dataset(variables, codes, "sha256:none")


def tiny_table() -> ParentSetTable:
    """Candidate sets of four variables that exercise every part of a search: the upper bound, for example, meets the
    optimum (-149 nats) only after a round of cuts.
    """
    lists = (
        (((1, 3), -24.0), ((1,), -41.0), ((3,), -47.0), ((), -50.0)),
        (((2, 3), -30.0), ((0,), -43.0), ((2,), -47.0), ((), -50.0)),
        (((0, 3), -27.0), ((1, 3), -40.0), ((3,), -45.0), ((1,), -47.0), ((), -50.0)),
        (((0, 1), -36.0), ((0,), -42.0), ((), -50.0)),
    )
    records = [
        ParentSetRecord.of(child, tuple(p for p, _ in sets), tuple(score for _, score in sets))
        for child, sets in enumerate(lists)
    ]
    return ParentSetTable.from_records(Header(tuple(Variable(f"V{i}") for i in range(4))), records)


_compiled: set[Hashable] = set()


def compile_first(search: Callable[[Budget], object], budget: Budget, kind: Hashable) -> None:
    """Run a tiny `search` before the first of its `kind` in this process, then restart the clock of `budget`."""
    if native.MACHINE_CODE is None and kind not in _compiled:
        search(Budget(evaluations=TINY_WORK, stop=budget.stop))
        # An interrupted run may not have compiled everything.
        if not budget.interrupted:
            _compiled.add(kind)
    budget.restart()
