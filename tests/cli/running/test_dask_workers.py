"""``--workers dask:...`` as a user runs it: a scheduler and two workers, one of which is killed during the run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest
from helpers.processes import TIMEOUT, environment, run_bnsl, run_here, start_bnsl

from stages.runtime import dask_workers
from stages.runtime.budgets import Stop
from stages.runtime.dask_workers import DaskWorkers
from stages.runtime.errors import StageError

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

SAME_DAY = {"SOURCE_DATE_EPOCH": "1000000000"}

LISTS = ("parentsets", "--indep", "--seed", "1", "--evaluations", "2000")
REPLICATES = ("optimize", "--hc", "--seed", "1", "--bootstrap", "20", "--data")


class DaskCluster:
    """A scheduler and its workers, each started by ``dask`` in a shell."""

    def __init__(self, folder: Path):
        self.folder, self.file = folder, folder / "scheduler.json"
        self.workers: list[subprocess.Popen] = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self.until(self.file.exists)

    def _start(self, kind: str, *options: str) -> subprocess.Popen:
        command = [Path(sys.executable).with_name("dask"), kind, "--scheduler-file", self.file, *options]
        with open(self.folder / f"{kind}.log", "ab") as log:
            values = environment(
                PYTHONSAFEPATH="1",
                OPENBLAS_NUM_THREADS="1",
                DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1",  # so two lost workers are enough for a test
            )
            return subprocess.Popen(list(map(str, command)), stdout=log, stderr=log, cwd=self.folder, env=values)

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for it."""
        end = time.monotonic() + TIMEOUT
        while not is_so():
            assert time.monotonic() < end, (self.folder / "scheduler.log").read_text()
            time.sleep(0.05)

    def have_two_workers(self) -> None:
        """New workers take the place of those that were killed."""
        log = self.folder / "scheduler.log"
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < 2:
            before = log.read_text().count("Register worker")
            # A nanny would start it again.
            self.workers.append(self._start("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard"))
            self.until(lambda before=before: log.read_text().count("Register worker") > before)

    def end(self) -> None:
        """Nothing of it is left."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def of_all_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Starting a cluster takes longer than most tests."""
    made = DaskCluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield made
    finally:
        made.end()


@pytest.fixture
def cluster(of_all_tests: DaskCluster) -> DaskCluster:
    of_all_tests.have_two_workers()
    return of_all_tests


@pytest.fixture
def workers(cluster: DaskCluster) -> Iterator[DaskWorkers]:
    """What a command has."""
    opened = DaskWorkers(str(cluster.file))
    try:
        yield opened
    finally:
        opened.close()


@pytest.mark.parametrize(("command", "lines"), [(LISTS, 4), (REPLICATES, 3 * 81)], ids=["lists", "replicates"])
def test_the_bytes_of_one_process_though_a_worker_is_killed(
    cluster: DaskCluster, bundled: Path, command: tuple[str, ...], lines: int
):
    """It is killed after some lists, or three networks."""
    data, place = bundled / "random80.csv.gz", ("--workers", f"dask:{cluster.file}")
    said = cluster.folder / "said"
    with open(said, "wb") as stream:
        process = start_bnsl(*command, data, *place, is_fresh=True, env=SAME_DAY, stderr=stream)
    with process:
        assert process.stdout is not None
        first = b"".join(process.stdout.readline() for _ in range(lines))
        cluster.workers[0].kill()
        assert process.poll() is None
        written = first + process.stdout.read()
    assert process.returncode == 0, said.read_text()
    assert written == run_bnsl(*command, data, env=SAME_DAY).stdout


def test_ctrl_c_ends_the_work_of_workers_and_every_variable_has_a_list(cluster: DaskCluster, bundled: Path):
    data, place = bundled / "random80.csv.gz", ("--workers", f"dask:{cluster.file}")
    process = start_bnsl("parentsets", "--greedy", "--seed", "1", "--time", "1h", data, *place, is_fresh=True)
    with distributed.Client(scheduler_file=str(cluster.file), set_as_default=False) as others:
        cluster.until(lambda: any(others.processing().values()))
        process.send_signal(signal.SIGINT)
        written, said = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 130 and b"80 variables was interrupted" in said
        records = [json.loads(line) for line in written.splitlines()[1:]]
        assert len(records) == 80 and all("interrupted" in record for record in records)
        # They are free for others at once.
        assert others.submit(sum, [1, 2]).result(9) == 3


def test_tasks_at_work_hear_that_the_user_wants_to_stop(workers: DaskWorkers):
    def work(task: int, stop: Stop) -> tuple[int, bool, int]:
        while task > 1 and not stop.is_set():
            time.sleep(0.01)
        return task, stop.is_set(), os.getpid()

    stop = Stop()
    results = workers.map_tasks(work, range(40), stop)
    assert [next(results)[:2] for _ in range(2)] == [(0, False), (1, False)]
    stop.set()
    rest = list(results)
    assert [found[:2] for found in rest] == [(task, True) for task in range(2, 40)]
    # All by the two workers: what they had found is kept.
    assert os.getpid() not in {found[2] for found in rest}


def test_an_error_comes_after_the_results_before_it(workers: DaskWorkers):
    def work(task: int, stop: object) -> int:
        if task == 3:
            raise StageError("three")
        time.sleep(0.2 * (task == 0))
        return task

    results = workers.map_tasks(work, range(9), Stop())
    assert workers.jobs == 2 and [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(StageError, match="three"):
        next(results)


def test_work_that_its_workers_die_of_ends_the_run(workers: DaskWorkers):
    with pytest.raises(StageError, match="2 workers in a row died of the same work; is there memory"):
        list(workers.map_tasks(lambda task, stop: os.kill(os.getpid(), signal.SIGKILL), [1], Stop()))


def test_workers_of_another_version_refuse(workers: DaskWorkers, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(dask_workers, "VERSION", "0.0.7")
    with pytest.raises(StageError, match=r"of bnsl-cli, the command 0\.0\.7: install the same"):
        list(workers.map_tasks(lambda task, stop: task, [1], Stop()))


def test_a_lost_scheduler_is_reported_and_the_run_goes_on(tmp_path: Path, bundled: Path):
    cluster, target = DaskCluster(tmp_path), tmp_path / "lists"
    command = (*LISTS, bundled / "random80.csv.gz", "-o", target)
    try:
        cluster.have_two_workers()
        impatient = {**SAME_DAY, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"}
        process = start_bnsl(*command, "--workers", f"dask:{cluster.file}", is_fresh=True, env=impatient)
        cluster.until(lambda: any(b'"child"' in path.read_bytes() for path in tmp_path.glob("lists*")))
        cluster.scheduler.kill()
        _, said = process.communicate(timeout=TIMEOUT)
    finally:
        cluster.end()
    assert process.returncode == 1, said
    assert b"the dask scheduler at" in said and b"is lost" in said and b"--resume" in said
    assert run_bnsl(*command, "--resume", target, env=SAME_DAY).returncode == 0
    resumed = target.read_bytes()
    assert run_bnsl(*command, env=SAME_DAY).returncode == 0
    assert resumed == target.read_bytes()


@pytest.mark.parametrize("error", [TimeoutError, ConnectionResetError, distributed.comm.CommClosedError])
def test_a_connection_that_ends_is_no_fault_of_the_output(error: type[Exception]):
    """An error of the operating system would be taken for one of the file that is written."""

    def result() -> NoReturn:
        raise error("Stream is closed")

    workers = object.__new__(DaskWorkers)
    workers._where = "tcp://host:8786"
    with pytest.raises(StageError, match=r"^the dask scheduler at tcp://host:8786 is lost$"):
        workers._result(SimpleNamespace(result=result))


def test_places_without_workers_are_reported(tmp_path: Path, bundled: Path):
    data = bundled / "random80.csv.gz"
    for where, code, words in (
        ("dask:tcp://127.0.0.1:1", 1, b"no dask scheduler at tcp://127.0.0.1:1"),
        (f"dask:{tmp_path / 'none.json'}", 1, b"no dask scheduler at"),
        ("cluster", 2, b"'cluster' names no workers; write dask:tcp://host:8786"),
    ):
        result = run_here("parentsets", data, "--workers", where)
        assert result.returncode == code and words in result.stderr, result.stderr.decode()
    both = run_here("parentsets", data, "--workers", "dask:nowhere", "-j", "2")
    assert both.returncode == 2 and b"leave out --jobs" in both.stderr
    for one_search in (("--data", data), (data, "--asobs"), (data, "--exact")):
        refused = run_here("optimize", *one_search, "--workers", "dask:nowhere")
        assert refused.returncode == 2 and b"--bootstrap R" in refused.stderr
