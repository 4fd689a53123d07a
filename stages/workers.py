"""Ordered map over a thread pool: compiled kernels release the interpreter lock, results come in task order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def resolve_jobs(jobs: int) -> int:
    """Number of threads meant by ``-j``: 0 means all cores this process may use."""
    return jobs if jobs > 0 else len(os.sched_getaffinity(0))


def ordered_map(
    function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int = 1, lookahead: int = 4
) -> Iterator[Result]:
    """Yield ``function(task)`` in task order, working on up to `jobs` tasks at once.

    At most ``jobs * lookahead`` results wait for their turn, so memory stays bounded when one task is slow.
    """
    jobs = resolve_jobs(jobs)
    if jobs == 1:
        yield from map(function, tasks)
        return
    with ThreadPoolExecutor(jobs) as pool:
        pending = deque()
        try:
            for task in tasks:
                pending.append(pool.submit(function, task))
                if len(pending) >= jobs * lookahead:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
