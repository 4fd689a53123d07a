"""``--workers``: who computes in place of this process and those it forks."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .stage_command import given_parameters, option

if TYPE_CHECKING:
    from stages.runtime.remote_workers import RemoteWorkers

    from .reporter import Reporter


class WorkerPlace(NamedTuple):
    """What ``--workers`` says: an engine, and where it is or how many there are."""

    engine: str
    where: str


class WorkerPlaceType(click.ParamType):
    """``dask:ADDRESS``, ``dask:FILE`` or ``processes:N``."""

    name = "where"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> WorkerPlace:
        if isinstance(value, WorkerPlace):
            return value
        engine, _, where = value.partition(":")
        is_count = re.fullmatch(r"[1-9]\d{0,3}", where) is not None
        if (engine == "dask" and where) or (engine == "processes" and is_count):
            return WorkerPlace(engine, where)
        self.fail(
            f"{value!r} names no workers; write dask:tcp://host:8786, dask:scheduler.json or processes:4.",
            param,
            ctx,
        )


workers_option = option(
    "--workers",
    type=WorkerPlaceType(),
    metavar="WHERE",
    help="Compute on workers outside this process: dask:ADDRESS or dask:FILE, a running dask scheduler (address, or "
    "the file it wrote; pip install 'bnsl-cli[dask]' on all its workers), or processes:N on this machine. Data "
    "travel once, this process writes. The result does not depend on it.",
)


@contextlib.contextmanager
def opened_workers(place: WorkerPlace | None, reporter: Reporter) -> Iterator[RemoteWorkers | None]:
    """The workers within the block; None for those of this process.

    Raises
    ------
    click.UsageError
        A number of workers of this process is given, too.
    """
    if place is None:
        yield None
        return
    if any(parameter.name == "jobs" for parameter in given_parameters(click.get_current_context())):
        raise click.UsageError("--workers says who computes: leave out --jobs.")
    workers: RemoteWorkers
    if place.engine == "dask":
        from stages.runtime.dask_workers import DaskWorkers

        workers = DaskWorkers(place.where)
    else:
        from stages.runtime.process_workers import ProcessWorkers

        workers = ProcessWorkers(int(place.where))
    try:
        reporter.detail(f"{workers.count()} workers at {':'.join(place)}")
        yield workers
    finally:
        workers.close()
