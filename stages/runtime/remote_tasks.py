"""The remote side of workers: a function is received once and run on chunks of tasks.

The function is pickled together with the version of the program, so that a worker with another version reports an
error instead of computing something else. Each thread of a worker keeps its last function, with data and caches, for
further chunks.
"""

from __future__ import annotations

import pickle
import socket
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from formats.version import VERSION

from .budgets import StopSignal, stops_arrive_as
from .errors import StageError

RemoteFunction = Callable[[Any, StopSignal], Any]
"""Maps a task and a stop to a result; once the stop is set, it soon returns its result so far."""

_kept = threading.local()

_stops: dict[str, StopSignal] = {}
"""Stops of the runs that this process has worked for, by name of the run."""

MOST_PAYLOADS = 8
"""Number of runs whose functions a worker keeps; the limit matters because a killed command never ends its run."""

ARRIVAL_SECONDS = 120.0
"""Longest wait of a chunk for the function of its run."""


@dataclass(frozen=True)
class Payload:
    """A pickled function."""

    run: str  # unique name of the run; a worker unpickles the function once per run
    version: str  # version of this program
    pickled: bytes


_arrived: dict[str, Payload] = {}
"""Functions sent ahead of their chunks, by run."""

_arrival = threading.Condition()


class ChunkResult(NamedTuple):
    """Results of a chunk's tasks in order, the seconds of each, and the error that ended the chunk early, if any."""

    results: list[Any]
    seconds: list[float]
    error: Exception | None


def program_version() -> str:
    """Version of this program in this process."""
    return VERSION


def make_payload(function: RemoteFunction) -> Payload:
    """Pickle a function with its closure and its data."""
    import cloudpickle

    return Payload(uuid.uuid4().hex, program_version(), cloudpickle.dumps(function))


def stop_run(run: str) -> None:
    """Stop present and future tasks of a run in this worker."""
    _stop_of(run).set()
    with _arrival:
        _arrival.notify_all()


def _stop_of(run: str) -> StopSignal:
    return _stops.setdefault(run, threading.Event())


def keep_payload(payload: Payload) -> None:
    """Store a run's function ahead of its chunks."""
    with _arrival:
        _arrived[payload.run] = payload
        # The oldest first: dictionaries keep the order of insertion.
        while len(_arrived) > MOST_PAYLOADS:
            del _arrived[next(iter(_arrived))]
        _arrival.notify_all()


def end_run(run: str) -> None:
    """Stop the tasks of a run and delete its function."""
    with _arrival:
        _arrived.pop(run, None)
    stop_run(run)


def run_chunk_of(run: str, tasks: Sequence[Any]) -> ChunkResult:
    """`run_chunk` with the function that `keep_payload` received, or is about to receive.

    Raises `TimeoutError` if no function arrived within `ARRIVAL_SECONDS`; `StageError` if the run was stopped and has
    no function here, since nobody waits for its work.
    """
    stop = _stop_of(run)
    with _arrival:
        if not _arrival.wait_for(lambda: run in _arrived or stop.is_set(), ARRIVAL_SECONDS):
            raise TimeoutError(f"the data did not reach worker {socket.gethostname()}")
        payload = _arrived.get(run)
    if payload is None:
        raise StageError("the run of this work is over")
    return run_chunk(payload, tasks)


def run_chunk(payload: Payload, tasks: Sequence[Any]) -> ChunkResult:
    """Run tasks one after the other in a worker; an error is returned with the results before it."""
    results: list[Any] = []
    seconds: list[float] = []
    try:
        function, stop = _function_of(payload), _stop_of(payload.run)
        for task in tasks:
            begun = time.monotonic()
            results.append(function(task, stop))
            seconds.append(time.monotonic() - begun)
    except Exception as error:
        return ChunkResult(results, seconds, error)
    return ChunkResult(results, seconds, None)


def _function_of(payload: Payload) -> RemoteFunction:
    if getattr(_kept, "run", None) != payload.run:
        # The former function and its data are released before the next one is unpickled.
        _kept.run = _kept.function = None
        if payload.version != program_version():
            raise StageError(
                f"worker {socket.gethostname()} has version {program_version()} of bnsl-cli, the command "
                f"{payload.version}: install the same for both"
            )
        with stops_arrive_as(_stop_of(payload.run)):
            _kept.function = pickle.loads(payload.pickled)
        _kept.run = payload.run
    return _kept.function
