"""``--workers``: workers outside this process and those it forks."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import click

from ..running.reporter import Reporter
from ..running.stage_command import given_parameters

if TYPE_CHECKING:
    from stages.runtime.remote_workers import RemoteWorkers


class WorkerPlace(NamedTuple):
    """Value of ``--workers``: an engine, and its address or the number of workers."""

    engine: str
    where: str


def parse_place(text: str) -> WorkerPlace:
    """The workers of ``dask:ADDRESS``, ``dask:FILE`` or ``processes:N``."""
    engine, _, where = text.partition(":")
    is_count = re.fullmatch(r"[1-9]\d{0,3}", where) is not None
    if (engine == "dask" and where) or (engine == "processes" and is_count):
        return WorkerPlace(engine, where)
    raise ValueError(f"{text!r} names no workers; write dask:tcp://host:8786, dask:scheduler.json or processes:4")


@contextlib.contextmanager
def opened_workers(place: WorkerPlace | None, reporter: Reporter) -> Iterator[RemoteWorkers | None]:
    """The workers within the block; None for those of this process. Refused together with ``--jobs``.

    Raises `click.UsageError`: a number of workers of this process is given, too; `StageError`: a package is not
    installed, or no workers answer.
    """
    if place is None:
        yield None
        return
    if any(parameter.name == "jobs" for parameter in given_parameters(click.get_current_context())):
        raise click.UsageError("--workers replaces the workers of this process: leave out --jobs.")
    workers: RemoteWorkers
    if place.engine == "dask":
        from stages.runtime.dask_workers import DaskWorkers

        workers = DaskWorkers(place.where)
    else:
        from stages.runtime.process_workers import ProcessWorkers
        from stages.runtime.remote_tasks import require_pickler

        require_pickler()  # before anything is written
        workers = ProcessWorkers(int(place.where))
    try:
        reporter.detail(f"{workers.count()} workers at {':'.join(place)}")
        yield workers
    finally:
        workers.close()
