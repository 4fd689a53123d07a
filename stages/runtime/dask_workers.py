"""Workers of a dask cluster: the engine behind ``--workers dask:...`` (package distributed, extra ``dask``)."""

from __future__ import annotations

import contextlib
import json
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError
from pathlib import Path
from typing import Any, cast

from .errors import StageError
from .remote_tasks import Payload, end_run, keep_payload, run_chunk_of, stop_run
from .remote_workers import ChunkFuture, RemoteWorkers, WorkersLostError

CONNECT_SECONDS = 20.0
"""Longest wait for the scheduler, and after that for its first worker."""

LOOK_SECONDS = 1.0
"""Interval between two requests for the scheduler's list of workers."""

CLOSE_SECONDS = 2.0

MOST_MISSED = 10
"""Number of heartbeats that a worker may miss, while others send theirs, before it counts as hanging."""


class _FetchedFuture(Future):
    """A dask future that is done only once its result is in this process.

    The result of a finished task lies with its worker; fetching it never ends if the worker hangs by then.
    """

    def __init__(self, distant: Any):
        super().__init__()
        self.distant = distant
        # In a separate thread: dask calls all callbacks from a single thread.
        distant.add_done_callback(lambda _: threading.Thread(target=self._fetch, daemon=True).start())

    def _fetch(self) -> None:
        with contextlib.suppress(InvalidStateError):  # it was cancelled meanwhile
            try:
                result = self.distant.result()
            except BaseException as error:
                self.set_exception(error)
            else:
                self.set_result(result)

    def cancel(self) -> bool:
        self.distant.cancel()
        return super().cancel()


class DaskWorkers(RemoteWorkers):
    """The workers of a running scheduler.

    `where` is the address (``tcp://host:8786``) or the path of the file that the scheduler wrote
    (``--scheduler-file``). Raises `StageError` if the package is not installed, or no scheduler or no worker answers.
    """

    def __init__(self, where: str):
        try:
            from distributed import Client
        except ImportError:
            raise StageError(
                "--workers dask:... needs a package that is not installed: pip install distributed cloudpickle"
            ) from None
        self._where = where
        # Lost connections are reported once, by this project.
        for name in ("distributed.client", "distributed.core", "distributed.comm", "distributed.scheduler"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            address = where if _is_address(where) else json.loads(Path(where).read_text())["address"]
            self._client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, KeyError, TimeoutError) as error:
            raise StageError(f"no dask scheduler at {where}: {error}") from error
        self._looked_at = -LOOK_SECONDS
        self._threads: dict[str, int] = {}
        self._silent: set[str] = set()
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except (TimeoutError, OSError):
            self.close()
            raise StageError(
                f"the dask scheduler at {where} has no workers: "
                f"start some (PYTHONSAFEPATH=1 dask worker {where} --nthreads 1)"
            ) from None
        self._payload: Payload | None = None
        self._supplied: set[str] = set()

    def count(self) -> int:
        self._look()
        return sum(threads for worker, threads in self._threads.items() if worker not in self._silent)

    def _look(self) -> None:
        """Update the lists of present and of hanging workers; new workers get the run's function."""
        from distributed.scheduler import heartbeat_interval

        # While a lost connection is being restored, every call would block.
        if self._client.status != "running" or time.monotonic() - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = time.monotonic()
        with contextlib.suppress(Exception):
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
            # Times refer to the scheduler's clock, so the latest heartbeat stands for the present time.
            now = max((facts["last_seen"] for facts in workers.values()), default=0.0)
            longest = MOST_MISSED * heartbeat_interval(len(workers))
            self._threads = {worker: facts["nthreads"] for worker, facts in workers.items()}
            self._silent = {worker for worker in workers if now - workers[worker]["last_seen"] > longest}
        self._supply()

    def open(self, payload: Payload) -> None:
        if self._payload is not None:
            self._call_on_all(end_run)
        self._payload, self._supplied = payload, set()
        self._look()
        self._supply()

    def _supply(self) -> None:
        """Send the run's function to the workers that lack it; chunks wait for it there.

        dask's own store of data is not used: it drops copies, and the last copy may be on a hanging worker.
        """
        lacking = [worker for worker in self._threads if worker not in self._supplied]
        if self._payload is None or not lacking:
            return
        self._supplied.update(lacking)
        # In a thread, as hanging workers never answer.
        threading.Thread(target=self._send_payload, args=(self._payload, lacking), daemon=True).start()

    def _send_payload(self, payload: Payload, workers: list[str]) -> None:
        answers = {}
        with contextlib.suppress(OSError, RuntimeError, TimeoutError, CancelledError):
            answers = self._client.run(keep_payload, payload, workers=workers, on_error="return")
        failed = [worker for worker in workers if answers.get(worker, OSError()) is not None]
        if payload is self._payload:
            self._supplied.difference_update(failed)

    def submit(self, tasks: list[Any], earlier: Sequence[ChunkFuture]) -> ChunkFuture:
        assert self._payload is not None
        self._look()
        # Without allow_other_workers: idle workers would steal such tasks, and a hanging worker looks idle. If the
        # chosen workers are lost, the chunk becomes late and is sent to others.
        options = self._only({*self._silent, *self._holders(earlier)})
        try:
            if self._client.status in ("running", "connecting"):
                return _FetchedFuture(
                    self._client.submit(run_chunk_of, self._payload.run, tasks, pure=False, **options)
                )
            reason = "no connection"
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        raise WorkersLostError(f"the dask scheduler at {self._where} is lost ({reason})")

    def _holders(self, futures: Sequence[ChunkFuture]) -> set[str]:
        """Workers that have these tasks queued, run them or keep their results."""
        distant = [cast(_FetchedFuture, future).distant for future in futures]
        keys = {future.key for future in distant}
        if not keys or self._client.status != "running":
            return set()
        with contextlib.suppress(Exception):
            at_work = {worker for worker, held in self._client.processing().items() if keys.intersection(held)}
            return at_work.union(*self._client.who_has(distant).values())
        return set()

    def _only(self, avoided: set[str]) -> dict[str, Any]:
        """Options of a task that avoid some workers, if there are others."""
        others = [worker for worker in self._threads if worker not in avoided]
        return {"workers": others} if avoided and others else {}

    def stop(self) -> None:
        self._call_on_all(stop_run)

    def _call_on_all(self, function: Callable[[str], None]) -> threading.Thread:
        """Call a function with the run's name on all workers while tasks run; does not wait for the calls."""
        assert self._payload is not None
        run = self._payload.run

        def call() -> None:
            with contextlib.suppress(OSError, RuntimeError, TimeoutError, CancelledError):
                self._client.run(function, run, on_error="ignore")

        thread = threading.Thread(target=call, daemon=True)
        thread.start()
        return thread

    def close(self) -> None:
        if self._payload is not None:
            self._call_on_all(end_run).join(CLOSE_SECONDS)
        with contextlib.suppress(Exception):
            self._client.close(timeout=CLOSE_SECONDS)


def _is_address(where: str) -> bool:
    return "://" in where or (":" in where and "/" not in where)
