"""Parallel maps over workers outside this process, on this machine or others, with results in task order.

Tasks are sent in chunks of a few seconds, enough to keep all workers busy. Tasks are pure. A chunk is sent again if
its worker is lost, or if it takes far longer than expected, as its worker may hang; the first result counts.
"""

from __future__ import annotations

import contextlib
import statistics
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from .budgets import StopSignal
from .errors import StageError
from .remote_tasks import ChunkResult, RemoteFunction, make_payload

CHUNK_SECONDS = 2.0
"""Target duration of a chunk: much longer than the time of a message, short enough for a prompt stop."""

CHUNKS_AHEAD = 2
"""Unfinished chunks per worker."""

CHUNKS_HELD = 64
"""Most chunks per worker, including finished ones that wait for earlier chunks."""

POLL_SECONDS = 0.05

LAST_SECONDS = 10.0
"""Longest wait for results after workers were stopped."""

LATE = 5.0
"""A chunk is sent again after this multiple of its expected duration, but not before `LATE_SECONDS`."""

LATE_SECONDS = 20.0

MOST_SENT = 5
"""Most times that a chunk is sent."""


class WorkersLostError(StageError):
    """The workers cannot be reached any more, or every worker that gets a certain chunk is lost."""


ChunkFuture = Future[ChunkResult]
"""A submission of a chunk."""


class RemoteWorkers(ABC):
    """Workers outside this process, for one `remote_map` at a time; pickled as None: workers have no workers."""

    def __reduce__(self) -> tuple[Callable[..., None], tuple[()]]:
        return type(None), ()

    @abstractmethod
    def count(self) -> int:
        """Chunks that can run at once now; changes as workers join and leave."""

    @abstractmethod
    def open(self, payload: Any) -> None:
        """Send a run's function to all workers, present and future."""

    @abstractmethod
    def submit(self, tasks: list[Any], earlier: Sequence[ChunkFuture]) -> ChunkFuture:
        """Have a worker call `run_chunk` with the run's payload and these tasks.

        `earlier` are earlier submissions of the same tasks; their workers are avoided if there are others. Raises
        `WorkersLostError` if no worker can be reached.
        """

    @abstractmethod
    def stop(self) -> None:
        """Ask all workers to return their results so far; does not wait for them."""

    @abstractmethod
    def close(self) -> None:
        """Release the workers; unfinished chunks are dropped."""


@dataclass(eq=False)
class _Chunk:
    """Tasks sent together, the time and number of their submissions, and the futures that have not failed."""

    tasks: list[Any]
    weight: float
    sent_at: float = 0.0
    times_sent: int = 0
    futures: list[ChunkFuture] = field(default_factory=list)
    result: ChunkResult | None = None


def remote_map(
    function: RemoteFunction,
    tasks: Iterable[Any],
    workers: RemoteWorkers,
    stop: StopSignal,
    weigh: Callable[[Any], float] = lambda task: 1.0,
) -> Generator[Any, None, None]:
    """Yield ``function(task, stop)`` in task order, computed by `workers`, which begin at once.

    Raises the error of a task, and `WorkersLostError` if no worker can be reached, or every worker that gets a
    certain chunk is lost. `function` is pure and pickled once with its closure and data; `tasks` are read as chunks
    are sent; `weigh` gives the expected cost of a task, in any unit. Once `stop` is set, workers are stopped. Tasks
    without a result after `LAST_SECONDS` are run in this process, where the set stop makes them short.
    """
    return SentFunction(function, workers).map(tasks, stop, weigh)


class SentFunction:
    """A function sent to workers for several maps, one after the other; see `remote_map`."""

    def __init__(self, function: RemoteFunction, workers: RemoteWorkers):
        self._function, self._workers = function, workers
        workers.open(make_payload(function))

    def map(
        self, tasks: Iterable[Any], stop: StopSignal, weigh: Callable[[Any], float] = lambda task: 1.0
    ) -> Generator[Any, None, None]:
        """Yield results in task order; workers begin at once."""
        run = _RemoteRun(self._workers, tasks, weigh)
        run.send_more()
        return _results(self._function, run, stop)


def workers_fact(workers: RemoteWorkers | None) -> dict[str, int]:
    """Number of remote workers for lines of progress; empty without remote workers."""
    return {} if workers is None else {"workers": workers.count()}


def _results(function: RemoteFunction, run: _RemoteRun, stop: StopSignal) -> Generator[Any, None, None]:
    try:
        while chunk := run.next_chunk(stop):
            if chunk.result is None:
                yield from (function(task, stop) for task in chunk.tasks)
                continue
            yield from chunk.result.results
            if chunk.result.error is not None:
                raise chunk.result.error
    finally:
        run.cancel()


def _give_up(future: ChunkFuture) -> None:
    # The worker may be unreachable; its result is not needed.
    with contextlib.suppress(Exception):
        future.cancel()


class _RemoteRun:
    """The chunks of one map, in order."""

    def __init__(self, workers: RemoteWorkers, tasks: Iterable[Any], weigh: Callable[[Any], float]):
        self.workers = workers
        self.tasks = iter(tasks)
        self.weigh = weigh
        self.chunks: deque[_Chunk] = deque()
        self.rates: deque[float] = deque(maxlen=50)
        self.something_done = threading.Event()
        self.stopped_at: float | None = None

    def next_chunk(self, stop: StopSignal) -> _Chunk | None:
        """The next chunk in order, once it is done; None after the last. Without a result the caller runs it."""
        while True:
            # Cleared before results are collected: a result that arrives meanwhile sets it again, and the wait below
            # ends at once.
            self.something_done.clear()
            if stop.is_set() and self.stopped_at is None:
                self.stopped_at = time.monotonic()
                self.workers.stop()
            self._collect()
            if self.stopped_at is None:
                self.send_more()
            elif not self.chunks and (rest := next(self.tasks, None)) is not None:
                self.chunks.append(_Chunk([rest], 0.0))
            if not self.chunks:
                return None
            is_over = self.stopped_at is not None and time.monotonic() > self.stopped_at + LAST_SECONDS
            if self.chunks[0].result is not None or is_over or not self.chunks[0].futures:
                return self.chunks.popleft()
            self._send_late_again()
            self.something_done.wait(POLL_SECONDS)

    def cancel(self) -> None:
        """Cancel all unfinished chunks."""
        for chunk in self.chunks:
            for future in chunk.futures:
                _give_up(future)
        # Cancelling does not affect chunks that are already running.
        if any(chunk.result is None for chunk in self.chunks) and self.stopped_at is None:
            self.workers.stop()

    def _collect(self) -> None:
        for chunk in self.chunks:
            if chunk.result is not None:
                continue
            # A copy of the list, as failed futures are removed from the original meanwhile.
            for future in [future for future in chunk.futures if future.done()]:
                try:
                    chunk.result = future.result()
                except (ImportError, AttributeError) as error:
                    raise StageError(
                        f"a worker cannot run this program: {error}; install the same version of bnsl there"
                    ) from error
                except Exception as error:
                    chunk.futures.remove(future)
                    # Otherwise a copy of the chunk may still succeed.
                    if not chunk.futures and self.stopped_at is None:
                        self._send_once_more(chunk, error)
                    continue
                if chunk.result.seconds and chunk.weight:
                    self.rates.append(sum(chunk.result.seconds) / chunk.weight)
                for other in chunk.futures:
                    if other is not future:
                        _give_up(other)
                break

    def _send_once_more(self, chunk: _Chunk, error: Exception) -> None:
        if chunk.times_sent >= MOST_SENT:
            raise WorkersLostError(
                f"{chunk.times_sent} workers in a row were lost with the same work ({type(error).__name__}: "
                f"{error}); is there memory enough for it?"
            ) from error
        self._send(chunk)

    def _send(self, chunk: _Chunk) -> None:
        chunk.sent_at = time.monotonic()
        chunk.times_sent += 1
        future = self.workers.submit(chunk.tasks, chunk.futures)
        chunk.futures.append(future)
        future.add_done_callback(lambda _: self.something_done.set())

    def send_more(self) -> None:
        """Send chunks until `CHUNKS_AHEAD` per worker are unfinished, or `CHUNKS_HELD` are kept."""
        count = max(1, self.workers.count())
        while (
            sum(chunk.result is None for chunk in self.chunks) < CHUNKS_AHEAD * count
            and len(self.chunks) < CHUNKS_HELD * count
        ):
            chunk = self._cut()
            if chunk is None:
                return
            self._send(chunk)
            self.chunks.append(chunk)

    def _cut(self) -> _Chunk | None:
        """A chunk of about `CHUNK_SECONDS` at the median rate so far; a single task before any rate is known."""
        first = next(self.tasks, None)
        if first is None:
            return None
        chunk = _Chunk([first], self.weigh(first))
        if self.rates:
            most = CHUNK_SECONDS / max(1e-9, statistics.median(self.rates))
            while chunk.weight < most and (task := next(self.tasks, None)) is not None:
                chunk.tasks.append(task)
                chunk.weight += self.weigh(task)
        return chunk

    def _send_late_again(self) -> None:
        """Send late chunks to other workers, each time after a longer wait.

        A single worker queues the copy behind its other chunks; it is cancelled once the first one is done.
        """
        if not self.rates or self.stopped_at is not None:
            return
        pace, now = LATE * statistics.median(self.rates), time.monotonic()
        for chunk in self.chunks:
            due = max(LATE_SECONDS, pace * chunk.weight) * chunk.times_sent
            if chunk.result is None and chunk.times_sent < MOST_SENT and now - chunk.sent_at > due:
                self._send(chunk)
