"""Workers of a dask cluster: the engine behind ``--workers dask:...`` (package distributed, extra ``dask``).

dask chooses the worker of a task, runs it again if that worker is lost, and gives it up once some workers died of it
(``distributed.scheduler.allowed-failures`` in dask's configuration).
"""

# Imported where needed, since loading takes time: cloudpickle, distributed
from __future__ import annotations

import contextlib
import json
import logging
import math
import pickle
import socket
import threading
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from formats.version import VERSION

from .budgets import StopSignal
from .errors import StageError
from .workers import Result, Task, Workers

CONNECT_SECONDS = 20.0
"""Longest wait for the scheduler, and after that for its first worker."""

CLOSE_SECONDS = 2.0

POLL_SECONDS = 0.05

ASK_SECONDS = 0.5
"""Interval at which a worker asks whether the user wants to stop."""


class DaskWorkers(Workers):
    """The workers of a running scheduler; `jobs` is the number of their threads at first.

    `where` is the address (``tcp://host:8786``) or the path of the file that the scheduler wrote
    (``--scheduler-file``). Raises `StageError` if a package is not installed, or no scheduler or no worker answers.
    """

    def __init__(self, where: str):
        try:
            import cloudpickle as _  # noqa: F401
            from distributed import Client, Event
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
        self._end = Event(uuid.uuid4().hex, client=self._client)
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
            self.jobs = sum(self._client.nthreads().values())
        except (TimeoutError, OSError):
            self.close()
            raise StageError(
                f"the dask scheduler at {where} has no workers: "
                f"start some (PYTHONSAFEPATH=1 dask worker {where} --nthreads 1)"
            ) from None

    def map_tasks(
        self, function: Callable[[Task, StopSignal], Result], tasks: Sequence[Task], stop: StopSignal
    ) -> Iterator[Result]:
        """As in `Workers`. `function` is pure, and pickled once with its closure and data.

        Raises `StageError`: the scheduler is lost, a task ends one worker after the other, or workers have another
        version of this program or none.
        """
        import cloudpickle

        # As the result of a task, not by `scatter`: dask computes it again if the workers that have it are lost.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            held = self._client.submit(bytes, cloudpickle.dumps(function), pure=False)
        # Otherwise the one worker that has it gets most tasks.
        self._client.replicate([held])
        work = partial(_work, VERSION, self._end.name, held.key)
        # dask begins equal tasks in the order of their names.
        names = [f"{held.key}-{number:09d}" for number in range(len(tasks))]
        futures = deque(self._client.map(work, [held] * len(tasks), tasks, key=names, pure=False))
        is_told = False
        while futures:
            while not futures[0].done():
                if stop.is_set() and not is_told:
                    self._tell_end()
                    is_told = True
                time.sleep(POLL_SECONDS)
            yield self._result(futures.popleft())

    def _result(self, future: Any) -> Any:
        """The result of a task that is done; errors are in the user's words."""
        from distributed import CancelledError, KilledWorker

        try:
            return future.result()
        except (CancelledError, OSError) as error:  # of the connection: tasks open no files
            raise StageError(f"the dask scheduler at {self._where} is lost") from error
        except KilledWorker as error:
            raise StageError(
                f"{error.allowed_failures + 1} workers in a row died of the same work; is there memory enough for it?"
            ) from error
        except ImportError as error:
            raise StageError(
                f"a worker cannot run this program: {error}; install the same version of bnsl there"
            ) from error

    def _tell_end(self) -> None:
        # Its connection may be lost, and there may be nobody to tell.
        if self._client.status == "running":
            with contextlib.suppress(OSError, TimeoutError, RuntimeError):
                self._end.set()

    def close(self) -> None:
        """Stop the tasks at work, and release the workers."""
        self._tell_end()
        with contextlib.suppress(Exception):
            self._client.close(timeout=CLOSE_SECONDS)


def _is_address(where: str) -> bool:
    return "://" in where or (":" in where and "/" not in where)


# ------------------------------------------------------------------------------------------ in a worker

_kept = threading.local()
"""Each thread keeps its last function, with data and caches, for further tasks."""


class _DistantStop:
    """The stop of a command, which its worker asks the scheduler for now and then."""

    def __init__(self, name: str):
        from distributed import Event, get_client

        self._event = Event(name, client=get_client())
        self._asked_at, self._is_set = -math.inf, False

    def set(self) -> None:
        self._is_set = True

    def is_set(self) -> bool:
        if not self._is_set and time.monotonic() >= self._asked_at + ASK_SECONDS:
            self._is_set = self._event.is_set()
            self._asked_at = time.monotonic()
        return self._is_set


def _work(version: str, end: str, run: str, pickled: bytes, task: Any) -> Any:
    """The result of a task; a worker with another version of the program would compute something else."""
    if getattr(_kept, "run", None) != run:
        # The former function and its data are released before the next one is unpickled.
        _kept.run = _kept.function = None
        if version != VERSION:
            raise StageError(
                f"worker {socket.gethostname()} has version {VERSION} of bnsl-cli, the command {version}: "
                "install the same for both"
            )
        _kept.stop, _kept.function, _kept.run = _DistantStop(end), pickle.loads(pickled), run
    return _kept.function(task, _kept.stop)
