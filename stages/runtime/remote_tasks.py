"""What workers in other processes or on other machines run: chunks of tasks, by a function that arrives once.

The function arrives as bytes with the version of the program that made them, so that a worker with another version
says so instead of computing something else. Each thread of a worker keeps the last function it was given: with its
data and caches it serves many chunks.
"""

from __future__ import annotations

import pickle
import socket
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, NamedTuple

from .budgets import StopSignal, stops_arrive_as
from .errors import StageError

RemoteFunction = Callable[[Any, StopSignal], Any]
"""Makes the result of a task, and ends early, with what it has, once the stop is set."""

_kept = threading.local()

_stops: dict[str, StopSignal] = {}
"""Of the runs that this process has worked for, by name."""

MOST_PAYLOADS = 8
"""Runs at once whose functions a worker keeps: of those whose commands were killed nobody says that they are over."""

ARRIVAL_SECONDS = 120.0
"""How long a chunk waits for the function of its run."""


@dataclass(frozen=True)
class Payload:
    """A function on its way.

    Attributes
    ----------
    run : str
        Name of the run: workers that keep its function need not unpickle it again.
    version : str
        Of this program.
    pickled : bytes
    """

    run: str
    version: str
    pickled: bytes


_arrived: dict[str, Payload] = {}
"""Functions that were sent ahead of their chunks, by run."""

_arrival = threading.Condition()


class ChunkResult(NamedTuple):
    """Results of a chunk in its order, how many seconds each task took, and what ended it if something did."""

    results: list[Any]
    seconds: list[float]
    error: Exception | None


def program_version() -> str:
    """Version of the program in this process."""
    return metadata.version("bnsl-cli")


def make_payload(function: RemoteFunction) -> Payload:
    """Pickle a function with all that it holds.

    Raises
    ------
    StageError
        The package that pickles closures is not installed.
    """
    try:
        import cloudpickle
    except ImportError:
        raise StageError(
            "--workers needs packages that are not installed: pip install 'bnsl-cli[dask]'"
        ) from None
    return Payload(uuid.uuid4().hex, program_version(), cloudpickle.dumps(function))


def stop_run(run: str) -> None:
    """End what this worker does for a run, and what it will be given of it."""
    _stop_of(run).set()


def _stop_of(run: str) -> StopSignal:
    return _stops.setdefault(run, threading.Event())


def keep_payload(payload: Payload) -> None:
    """Take a run's function ahead of its chunks."""
    with _arrival:
        _arrived[payload.run] = payload
        while len(_arrived) > MOST_PAYLOADS:
            del _arrived[next(iter(_arrived))]
        _arrival.notify_all()


def end_run(run: str) -> None:
    """Stop what is done for a run, and forget its function."""
    stop_run(run)
    with _arrival:
        _arrived.pop(run, None)


def run_chunk_of(run: str, tasks: Sequence[Any]) -> ChunkResult:
    """`run_chunk` with the function that was sent ahead, or soon will be here.

    Raises
    ------
    TimeoutError
        It does not come.
    """
    with _arrival:
        if not _arrival.wait_for(lambda: run in _arrived, ARRIVAL_SECONDS):
            raise TimeoutError(f"the data did not reach worker {socket.gethostname()}")
        payload = _arrived[run]
    return run_chunk(payload, tasks)


def run_chunk(payload: Payload, tasks: Sequence[Any]) -> ChunkResult:
    """Run tasks one after the other in a worker; what is raised comes back with the results before it."""
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
