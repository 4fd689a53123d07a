"""Ordered maps over workers elsewhere: order, lost and late workers, errors, stopping; what travels."""

from __future__ import annotations

import pickle
import threading
import time
from concurrent.futures import Future

import numpy as np
import pytest

from formats.data_records import Dataset, Variable
from stages.runtime import remote_tasks, remote_workers
from stages.runtime.budgets import Budget, Stop, stops_arrive_as
from stages.runtime.errors import StageError
from stages.runtime.remote_workers import RemoteWorkers, WorkersLostError, remote_map

pytest.importorskip("cloudpickle")


class ThreadWorkers(RemoteWorkers):
    """Threads that take chunks as processes would, and lose or keep the chunks that the test names."""

    def __init__(self, n_workers: int = 2, fates: tuple[str, ...] = ()):
        self.n_workers = n_workers
        self.fates = list(fates)
        self.chunks: list[list] = []
        self.held_before: list[int] = []

    def count(self):
        return self.n_workers

    def open(self, payload):
        self.payload = payload

    @property
    def sent_again(self):
        return len(self.chunks) - len({id(tasks) for tasks in self.chunks})

    def submit(self, tasks, earlier):
        self.chunks.append(tasks)
        self.held_before.append(len(earlier))
        fate = self.fates.pop(0) if self.fates else "done"
        future: Future[remote_tasks.ChunkResult] = Future()

        def work():
            if not future.set_running_or_notify_cancel():
                return
            if fate == "lost":
                future.set_exception(OSError("gone"))
            elif fate == "done":
                future.set_result(remote_tasks.run_chunk(self.payload, tasks))

        threading.Thread(target=work, daemon=True).start()
        return future

    def stop(self):
        remote_tasks.stop_run(self.payload.run)

    def close(self):
        pass


def double(task, stop):
    return 2 * task


@pytest.mark.parametrize("fates", [(), ("lost",), ("done", "lost", "lost", "done", "lost")])
def test_results_come_in_order_whatever_is_lost(fates):
    workers = ThreadWorkers(3, fates)
    assert list(remote_map(double, range(500), workers, Stop())) == [2 * task for task in range(500)]
    assert workers.sent_again == fates.count("lost")


def test_work_that_every_worker_is_lost_with_ends_the_run():
    workers = ThreadWorkers(1, ("lost",) * remote_workers.MOST_SENT)
    with pytest.raises(WorkersLostError, match="5 workers in a row were lost with the same work"):
        list(remote_map(double, range(1), workers, Stop()))


def test_a_worker_that_hangs_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(remote_workers, "LATE_SECONDS", 0.2)
    workers = ThreadWorkers(2, ("done", "hangs"))
    assert list(remote_map(double, range(40), workers, Stop())) == [2 * task for task in range(40)]
    assert workers.sent_again >= 1 and workers.held_before[0] == 0 and 1 in workers.held_before


@pytest.mark.slow
def test_chunks_are_of_equal_weight_and_take_seconds_at_most():
    workers = ThreadWorkers(1)

    def work(task, stop):
        time.sleep(0.002 * task)
        return task

    tasks = [1, 1, 50] * 30
    assert list(remote_map(work, tasks, workers, Stop(), weigh=float)) == tasks
    assert workers.chunks[0] == [1]
    assert [task for chunk in workers.chunks for task in chunk] == tasks
    assert max(sum(chunk) for chunk in workers.chunks) * 0.002 <= 1.5 * remote_workers.CHUNK_SECONDS


def test_tasks_without_weight_tell_no_rate():
    assert list(remote_map(double, range(9), ThreadWorkers(2), Stop(), weigh=lambda _: 0.0)) == list(range(0, 18, 2))


def test_an_error_comes_after_the_results_before_it():
    def work(task, stop):
        if task == 3:
            raise StageError("three")
        return task

    results = remote_map(work, range(9), ThreadWorkers(2), Stop())
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(StageError, match="three"):
        next(results)


def test_once_stopped_every_task_still_has_a_result():
    stop = Stop()

    def work(task, stopped):
        for _ in range(1000 if task else 0):
            if stopped.is_set():
                return task, True
            time.sleep(0.01)
        return task, stopped.is_set()

    results = remote_map(work, range(50), ThreadWorkers(2), stop)
    assert next(results) == (0, False)
    stop.set()
    assert list(results) == [(task, True) for task in range(1, 50)]


def test_workers_of_another_version_refuse():
    payload = remote_tasks.make_payload(double)
    other = remote_tasks.Payload(payload.run, "0.0.7", payload.pickled)
    with pytest.raises(StageError, match=r"of bnsl-cli, the command 0\.0\.7: install the same"):
        raise remote_tasks.run_chunk(other, [1]).error


def test_chunks_wait_for_a_function_that_is_sent_ahead(monkeypatch):
    payload = remote_tasks.make_payload(double)
    threading.Timer(0.05, remote_tasks.keep_payload, (payload,)).start()
    assert remote_tasks.run_chunk_of(payload.run, [4]).results == [8]
    remote_tasks.end_run(payload.run)
    with pytest.raises(StageError, match="the run of this work is over"):  # at once: none will be sent any more
        remote_tasks.run_chunk_of(payload.run, [4])
    monkeypatch.setattr(remote_tasks, "ARRIVAL_SECONDS", 0.0)
    with pytest.raises(TimeoutError):
        remote_tasks.run_chunk_of("unknown", [4])


def test_functions_of_runs_that_nobody_ends_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(remote_tasks, "_arrived", {})
    payloads = [remote_tasks.make_payload(double) for _ in range(remote_tasks.MOST_PAYLOADS + 3)]
    for payload in payloads:
        remote_tasks.keep_payload(payload)
    assert list(remote_tasks._arrived.values()) == payloads[3:]


@pytest.mark.parametrize("n_states", [1, 2, 3, 4, 5, 256])
def test_data_arrive_as_they_were_and_packed(n_states):
    rng = np.random.default_rng(n_states)
    codes = rng.integers(n_states, size=(3, 10001)).astype(np.uint8)
    states = tuple(str(k) for k in range(n_states))
    data = Dataset(tuple(Variable(name, states) for name in "abc"), codes, "sha256:x")
    travelling = pickle.dumps(data)
    arrived = pickle.loads(travelling)
    assert arrived.variables == data.variables and arrived.fingerprint == data.fingerprint
    assert np.array_equal(arrived.codes, codes) and arrived.codes.flags.c_contiguous
    width = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 256: 8}[n_states]
    assert len(travelling) < codes.size * width / 8 + 3000  # with 256 names of states thrice


def test_budgets_arrive_with_the_time_that_is_left_and_the_stop_of_their_run():
    clock = iter([0.0, 40.0, 40.0]).__next__
    budget = Budget(100.0, 7, Stop(), clock)
    stop = threading.Event()
    with stops_arrive_as(stop):
        arrived, endless = pickle.loads(pickle.dumps((budget, Budget())))
    assert 59.0 < arrived.time_left() <= 60.0 and arrived.evaluations == 7
    assert arrived.stop is stop and endless.stop is stop and endless.seconds is None
