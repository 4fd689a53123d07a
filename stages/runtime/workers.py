"""Ordered maps over several workers: results come in task order, whoever is first.

Threads serve where nearly all time is spent in compiled kernels, which release the interpreter lock. Where Python
has much to do between short kernels, processes forked from this one share its data and wait for nobody.
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from .budgets import StopSignal

Task = TypeVar("Task")
Result = TypeVar("Result")


CAN_FORK = sys.platform == "linux"
"""Elsewhere a forked process may not call system libraries, so threads do the work of processes."""

POLL_SECONDS = 0.1
"""How soon processes hear that the user wants to stop."""


def resolve_jobs(jobs: int) -> int:
    """Number of workers meant by ``-j``: 0 means all cores this process may use."""
    return jobs if jobs > 0 else len(os.sched_getaffinity(0))


def ordered_map(
    function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int = 1, lookahead: int = 4
) -> Generator[Result, None, None]:
    """Yield ``function(task)`` in task order, working on up to `jobs` tasks at once.

    At most ``jobs * lookahead`` results wait for their turn, so memory stays bounded when one task is slow.
    """
    jobs = resolve_jobs(jobs)
    if jobs == 1:
        yield from map(function, tasks)
        return
    with ThreadPoolExecutor(jobs) as pool:
        yield from _in_order(pool, function, tasks, jobs * lookahead, Future.result)


class SharedStop:
    """An event that processes forked later share with this one; it can only be set."""

    def __init__(self):
        self._memory = mmap.mmap(-1, 1)

    def set(self) -> None:
        """Tell everyone."""
        self._memory[0] = 1

    def is_set(self) -> bool:
        """Whether anyone has set it."""
        return self._memory[0] != 0


def forked_map(
    function: Callable[[Task, SharedStop], Result],
    tasks: Sequence[Task],
    jobs: int,
    stop: StopSignal,
    lookahead: int = 32,
) -> Iterator[Result]:
    """`ordered_map` over processes that are forked when the first task is handed out, no more than there are tasks.

    `function` sees this process as it was then; tasks and results are copied between processes. It is also given
    an event that is set soon after `stop` is, or when the iterator is closed. Workers leave signals to this
    process and end with it.
    """
    shared = SharedStop()

    def result_of(future: Future) -> Any:
        while not wait([future], POLL_SECONDS).done:
            if stop.is_set():
                shared.set()
        return future.result()

    context = multiprocessing.get_context("fork")
    begin = (function, shared, os.getpid())
    jobs = max(1, min(jobs, len(tasks)))
    with ProcessPoolExecutor(jobs, context, _begin_worker, begin) as pool:
        try:
            yield from _in_order(pool, _work, tasks, jobs * lookahead, result_of)
        finally:
            shared.set()


def _in_order(
    pool: Executor, function: Callable, tasks: Iterable, most: int, result_of: Callable[[Future], Any]
) -> Iterator[Any]:
    pending: deque[Future] = deque()
    try:
        for task in tasks:
            pending.append(pool.submit(function, task))
            if len(pending) >= most:
                yield result_of(pending.popleft())
        while pending:
            yield result_of(pending.popleft())
    finally:
        for future in pending:
            future.cancel()


_inherited: tuple[Callable, SharedStop] | None = None


def _begin_worker(function: Callable, shared: SharedStop, parent: int) -> None:
    global _inherited
    import ctypes

    _inherited = function, shared
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    # Die with the parent, even if that is killed: PR_SET_PDEATHSIG.
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _work(task: Any) -> Any:
    assert _inherited is not None
    function, shared = _inherited
    return function(task, shared)
