"""Ordered maps over threads and processes: order, errors, and hearing that the user wants to stop."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time

import pytest

from stages.runtime import workers
from stages.runtime.errors import StageError


@pytest.mark.skipif(not workers.CAN_FORK, reason="processes are forked on Linux")
def test_processes_hear_that_the_user_wants_to_stop():
    stop = threading.Event()

    def work(task, shared):
        waits = 0
        while task > 0 and not shared.is_set():
            time.sleep(0.01)
            waits += 1
        return task, shared.is_set(), os.getpid()

    results = workers.Processes(2).map_tasks(work, range(3), stop)
    first = next(results)
    assert first[:2] == (0, False) and first[2] != os.getpid()
    stop.set()
    assert [result[:2] for result in results] == [(1, True), (2, True)]


@pytest.mark.skipif(not workers.CAN_FORK, reason="processes are forked on Linux")
def test_an_error_in_another_process_arrives():
    def fail(task, shared):
        raise StageError(f"task {task}")

    with pytest.raises(StageError, match="task 0"):
        list(workers.Processes(2).map_tasks(fail, range(3), threading.Event()))


@pytest.mark.skipif(not workers.CAN_FORK, reason="processes are forked on Linux")
def test_a_killed_worker_ends_the_run():
    """The other one ignores the signal by which the pool would end it."""

    def work(task, shared):
        if task == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        while not shared.is_set():
            time.sleep(0.01)

    with pytest.raises(StageError, match="a worker process was killed"):
        list(workers.Processes(2).map_tasks(work, range(4), threading.Event()))


def _can_fork_workers() -> bool:
    return workers.processes(2) is not None


@pytest.mark.skipif(not workers.CAN_FORK, reason="processes are forked on Linux")
def test_a_worker_of_another_pool_forks_none():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_can_fork_workers) is False
    assert _can_fork_workers()
