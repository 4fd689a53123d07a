"""Parallel maps over threads or other processes, with results in task order.

Threads suit tasks that spend nearly all time in compiled kernels, which release the interpreter lock. Where Python
runs much between short kernels, use processes: forked from this one, they share its data but not its lock; workers
elsewhere (`dask_workers`) are the same to their users.
"""

# Imported where needed, since loading takes time: concurrent.futures.process, multiprocessing
from __future__ import annotations

import ctypes
import mmap
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from typing import Any, Protocol, TypeVar

from .budgets import StopSignal
from .errors import StageError

Task = TypeVar("Task")
Result = TypeVar("Result")


CAN_FORK = sys.platform == "linux"
"""Elsewhere a forked process may not call system libraries, so threads replace processes."""

POLL_SECONDS = 0.1
"""Interval at which a stop is passed on to processes."""

FORKED_LOOKAHEAD = 32
"""Tasks submitted ahead for each process."""


def resolve_jobs(jobs: int) -> int:
    """Number of workers for a value of ``-j``; 0 means all cores that this process may use."""
    return jobs if jobs > 0 else len(os.sched_getaffinity(0))


def ordered_map(
    function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int = 1, lookahead: int = 4
) -> Generator[Result, None, None]:
    """Yield ``function(task)`` in task order, with up to `jobs` tasks at once.

    At most ``jobs * lookahead`` tasks are submitted ahead, so memory stays bounded when one task is slow.
    """
    jobs = resolve_jobs(jobs)
    if jobs == 1:
        yield from map(function, tasks)
        return
    with ThreadPoolExecutor(jobs) as pool:
        yield from _in_order(pool, function, tasks, jobs * lookahead, Future.result)


class SharedStop:
    """An event shared with processes forked later; it cannot be cleared."""

    def __init__(self):
        self._memory = mmap.mmap(-1, 1)

    def set(self) -> None:
        """Request to stop."""
        self._memory[0] = 1

    def is_set(self) -> bool:
        """Whether any process has set it."""
        return self._memory[0] != 0


class Workers(Protocol):
    """Workers outside this process; `jobs` is their number."""

    jobs: int

    def map_tasks(
        self, function: Callable[[Task, StopSignal], Result], tasks: Sequence[Task], stop: StopSignal
    ) -> Iterator[Result]:
        """``function(task, stop)`` of each task, in task order. Raises `StageError` if workers are lost.

        `function` gets a stop that is set soon after `stop`; tasks and results are pickled.
        """


class Processes(Workers):
    """`jobs` processes at most, forked when the first task is submitted: `function` sees the memory of that time.

    They ignore signals, are told to stop when the iterator is closed, and end with this process.
    """

    def __init__(self, jobs: int):
        self.jobs = jobs

    def map_tasks(
        self, function: Callable[[Task, StopSignal], Result], tasks: Sequence[Task], stop: StopSignal
    ) -> Iterator[Result]:
        """As in `Workers`."""
        import multiprocessing
        from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor

        shared = SharedStop()

        def result_of(future: Future) -> Any:
            while not wait([future], POLL_SECONDS).done:
                if stop.is_set():
                    shared.set()
            return future.result()

        context = multiprocessing.get_context("fork")
        begin = (function, shared, os.getpid())
        jobs = max(1, min(self.jobs, len(tasks)))
        with ProcessPoolExecutor(jobs, context, _begin_worker, begin) as pool:
            try:
                yield from _in_order(pool, _work, tasks, jobs * FORKED_LOOKAHEAD, result_of)
            except BrokenProcessPool:
                # The pool would wait for the others, which ignore its signal.
                for other in multiprocessing.active_children():
                    other.kill()
                raise StageError("a worker process was killed; is there memory enough for all of them?") from None
            finally:
                shared.set()


def processes(jobs: int) -> Processes | None:
    """Processes for a value of ``-j``; None for one worker, which this process is, and where none can be forked."""
    jobs = resolve_jobs(jobs)
    pools = sys.modules.get("multiprocessing")
    is_worker = pools is not None and pools.current_process().daemon  # of a pool, which must not fork
    return Processes(jobs) if jobs > 1 and CAN_FORK and not is_worker else None


def _in_order(
    pool: Executor, function: Callable, tasks: Iterable, most: int, result_of: Callable[[Future], Any]
) -> Iterator[Any]:
    pending: deque[Future] = deque()
    try:
        for task in tasks:
            pending.append(pool.submit(function, task))
            # The oldest first, even if later ones are done: results are in task order.
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
    _inherited = function, shared
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # Die with the parent, even if the parent is killed: PR_SET_PDEATHSIG.
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    # The parent had ended before that call; the call then follows the process that adopted this one.
    if os.getppid() != parent:
        os._exit(1)


def _work(task: Any) -> Any:
    assert _inherited is not None
    function, shared = _inherited
    return function(task, shared)
