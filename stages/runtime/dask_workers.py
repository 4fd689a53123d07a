"""Workers of a dask cluster: the engine behind ``--workers dask:...`` (package distributed, extra ``dask``)."""

from __future__ import annotations

import contextlib
import json
import logging
import threading
import time
from concurrent.futures import CancelledError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import StageError
from .remote_tasks import Payload, run_chunk, stop_run
from .remote_workers import ChunkFuture, RemoteWorkers, WorkersLostError

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 20.0
"""How long to wait for the scheduler, and for its first worker."""

COUNT_SECONDS = 1.0
"""How soon it is noticed that workers have come or gone."""


class DaskWorkers(RemoteWorkers):
    """The workers of a running scheduler.

    Parameters
    ----------
    where : str
        Address (``tcp://host:8786``) or path of the file that the scheduler wrote (``--scheduler-file``).

    Raises
    ------
    StageError
        The package is not installed, or no scheduler or no worker answers.
    """

    def __init__(self, where: str):
        try:
            from distributed import Client
        except ImportError:
            raise StageError(
                "--workers dask:... needs a package that is not installed: pip install 'bnsl-cli[dask]'"
            ) from None
        self._where = where
        # What it has to say of lost connections is said by us, once.
        for name in ("distributed.client", "distributed.core", "distributed.comm", "distributed.scheduler"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            address = where if _is_address(where) else json.loads(Path(where).read_text())["address"]
            self._client: Client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, KeyError, TimeoutError) as error:
            raise StageError(f"no dask scheduler at {where}: {error}") from error
        self._counted_at, self._count = -COUNT_SECONDS, 0
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except (TimeoutError, OSError):
            self.close()
            raise StageError(
                f"the dask scheduler at {where} has no workers: start some (dask worker {where} --nthreads 1)"
            ) from None
        self._payload: Payload | None = None
        self._shared: Any = None

    def count(self) -> int:
        now = time.monotonic()
        if now - self._counted_at >= COUNT_SECONDS:
            self._counted_at = now
            with contextlib.suppress(Exception):
                self._count = sum(self._client.nthreads().values())
        return self._count

    def open(self, payload: Payload) -> None:
        self._payload = payload
        self._share()

    def submit(self, tasks: list[Any], again: bool) -> ChunkFuture:
        options: dict[str, Any] = {}
        try:
            if self._shared.status != "finished":  # the workers that had it are lost
                self._share()
            if again:
                idle = [worker for worker, keys in self._client.processing().items() if not keys]
                options = {"workers": idle, "allow_other_workers": True} if idle else {}
            return self._client.submit(run_chunk, self._shared, tasks, pure=False, **options)
        except (TimeoutError, OSError, RuntimeError, CancelledError) as error:
            raise WorkersLostError(
                f"the dask scheduler at {self._where} is lost ({type(error).__name__}: {error})"
            ) from error

    def _share(self) -> None:
        self._shared = self._client.scatter(self._payload, broadcast=True, hash=False)

    def stop(self) -> None:
        # At once, beside the tasks under way; in a thread, since workers that hang never answer.
        threading.Thread(target=self._tell_stop, daemon=True).start()

    def _tell_stop(self) -> None:
        if self._payload is not None:
            with contextlib.suppress(OSError, RuntimeError, TimeoutError, CancelledError):
                self._client.run(stop_run, self._payload.run, on_error="ignore")

    def close(self) -> None:
        self._shared = None
        with contextlib.suppress(Exception):
            self._client.close(timeout=2)


def _is_address(where: str) -> bool:
    return "://" in where or (":" in where and "/" not in where)
