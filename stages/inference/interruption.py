"""Long compiled calls that a signal ends: they run in a thread of their own and look at a flag between their loops.

Signals reach Python between two instructions of its main thread only, so a call in that thread would end first.
"""

# Imported where needed, since loading takes time: concurrent.futures
from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from stages.kernels.inference.answers import Query, new_stop

T = TypeVar("T")

LONG_CELLS = 1 << 23
"""Cells of tables that may take longer than a tenth of a second; smaller ones are worth no thread."""


def interruptible(query: Query, n_cells: float, call: Callable[[Query], T]) -> T:
    """What a call to kernels makes of a query; an exception that a signal raises meanwhile ends the call soon.

    `n_cells`: cells of the tables.
    """
    if n_cells < LONG_CELLS:
        return call(query)
    from concurrent.futures import ThreadPoolExecutor

    query = query._replace(stop=new_stop())
    with ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(call, query).result()
        except BaseException:
            query.stop[0] = 1
            raise
