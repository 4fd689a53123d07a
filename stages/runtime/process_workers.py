"""Workers in processes started on this machine: the engine behind ``--workers processes:N``."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any

from .remote_tasks import Payload, keep_payload, run_chunk_of, stop_run
from .remote_workers import ChunkFuture, RemoteWorkers


class ProcessWorkers(RemoteWorkers):
    """A pool of spawned processes, replaced as a whole when one of them dies."""

    def __init__(self, n_processes: int):
        self._n_processes = n_processes
        self._context = multiprocessing.get_context("spawn")
        self._stop: tuple[Connection, Connection] | None = None
        self._payload: Payload | None = None
        self._pool: ProcessPoolExecutor | None = None

    def count(self) -> int:
        return self._n_processes

    def open(self, payload: Payload) -> None:
        self.close()
        self._stop = self._context.Pipe(duplex=False)
        self._payload = payload

    def submit(self, tasks: list[Any], earlier: Sequence[ChunkFuture]) -> ChunkFuture:
        assert self._payload is not None and self._stop is not None
        if self._pool is not None:
            try:
                return self._pool.submit(run_chunk_of, self._payload.run, tasks)
            except BrokenProcessPool:
                self._end_pool()
        begin = self._payload, self._stop[0]
        self._pool = ProcessPoolExecutor(self._n_processes, self._context, _begin_worker, begin)
        return self._pool.submit(run_chunk_of, self._payload.run, tasks)

    def stop(self) -> None:
        if self._stop is not None:
            self._stop[1].close()

    def close(self) -> None:
        self._end_pool()
        if self._stop is not None:
            for end in self._stop:
                end.close()
            self._stop = None

    def _end_pool(self) -> None:
        pool, self._pool = self._pool, None
        if pool is None:
            return
        # A worker may hang, and no result is needed any more: kill all, do not wait.
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown(cancel_futures=True)


def _begin_worker(payload: Payload, stop: Connection) -> None:
    keep_payload(payload)
    # The process that started us handles the terminal's signals.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_follow, args=(payload.run, stop), daemon=True).start()


def _follow(run: str, stop: Connection) -> None:
    """Stop when the other end of the pipe is closed; exit when the process that held it has ended."""
    # Nothing is ever sent: the pipe becomes readable when its other end is closed, be it by the end of that process.
    stop.poll(None)
    stop_run(run)
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
