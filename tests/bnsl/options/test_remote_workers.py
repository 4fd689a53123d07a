"""Workers of a real dask scheduler, all of them processes of their own: the same bytes whatever happens to them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from helpers.processes import TIMEOUT, environment, run_here

from stages.runtime import remote_workers
from stages.runtime.dask_workers import DaskWorkers
from stages.runtime.remote_tasks import make_payload

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

SAME_DAY = {"SOURCE_DATE_EPOCH": "1000000000"}


class Cluster:
    """A scheduler and its workers."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.workers: list[subprocess.Popen] = []
        self.scheduler: subprocess.Popen | None = None

    def make_whole(self) -> None:
        """A scheduler with two workers: new ones take the place of those that were killed or stopped."""
        if self.scheduler is None or self.scheduler.poll() is not None:
            self.end()
            self.file.unlink(missing_ok=True)
            where = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", self.file)
            self.scheduler = self._start("scheduler", *where)
            self.until(self.file.exists)
        lost = [worker for worker in self.workers if worker.poll() is not None or is_stopped(worker)]
        end_all(lost)
        self.workers = [worker for worker in self.workers if worker not in lost]
        while len(self.workers) < 2:
            self.add_worker()

    def _start(self, kind: str, *arguments: object) -> subprocess.Popen:
        with open(self.folder / f"{kind}.log", "ab") as log:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *map(str, arguments)],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=environment(OPENBLAS_NUM_THREADS="1"),
            )

    def until(self, is_so, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < end, (self.folder / "scheduler.log").read_text()
            time.sleep(0.1)

    def add_worker(self) -> subprocess.Popen:
        """One more, without a nanny that would start it again; waits until it is known."""
        log = self.folder / "scheduler.log"
        before = log.read_text().count("Register worker")
        worker = self._start("worker", "--no-nanny", "--nthreads", "1", "--scheduler-file", self.file)
        self.workers.append(worker)
        self.until(lambda: log.read_text().count("Register worker") > before)
        return worker

    def end(self) -> None:
        """Nothing of it is left."""
        end_all([*self.workers, *([self.scheduler] if self.scheduler else [])])
        self.workers.clear()


def end_all(processes: list[subprocess.Popen]) -> None:
    for process in processes:
        process.kill()
        process.wait()


def is_stopped(process: subprocess.Popen) -> bool:
    return os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None


@pytest.fixture(scope="module")
def of_all_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster that tests share: starting one takes more than most of them."""
    made = Cluster(folder=tmp_path_factory.mktemp("cluster"))
    try:
        yield made
    finally:
        made.end()


@pytest.fixture
def cluster(of_all_tests: Cluster) -> Cluster:
    """A scheduler with two workers, all alive, and no output of an earlier test."""
    of_all_tests.make_whole()
    (of_all_tests.folder / "elsewhere").unlink(missing_ok=True)
    return of_all_tests


SHORT = ("parentsets", "--seed", "1", "--evaluations", "300")

LONG = ("parentsets", "--indep", "--seed", "1", "--evaluations", "3000")
"""Takes two workers many chunks."""


def here(folder: Path, data: Path, *options: object) -> bytes:
    """What the command writes without workers."""
    return written(folder / "here", *options, data)


def written(target: Path, *options: object) -> bytes:
    """What the command writes in this process."""
    result = run_here(*options, "-o", target, **SAME_DAY)
    assert result.returncode == 0, result.stderr.decode()
    return target.read_bytes()


@pytest.fixture(scope="module")
def long_bytes(bundled: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What `LONG` writes without workers."""
    return here(tmp_path_factory.mktemp("long"), bundled / "random80.csv.gz", *LONG)


TALKATIVE = """
from bnsl.running import reporter
from bnsl_cli.main import run
from stages.runtime import remote_workers
reporter.PLAIN_INTERVAL = 0.0
remote_workers.LATE_SECONDS = {late}
remote_workers.CHUNK_SECONDS = 0.1
run()
"""
"""The command, which sends small chunks and reports all progress. How late workers are by the pace of others is as
ever.
"""


def elsewhere(cluster: Cluster, data: Path, *options: object, late: float = 20.0) -> subprocess.Popen:
    """The command at work on the cluster, writing `elsewhere`; workers are late after so many seconds at least."""
    place = ("--workers", f"dask:{cluster.file}", "-v", "-o", cluster.folder / "elsewhere")
    command = (sys.executable, "-c", TALKATIVE.format(late=late), *options, data, *place)
    return subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**SAME_DAY),
    )


def ends(process: subprocess.Popen, code: int = 0) -> str:
    """What it said on standard error, once it has ended as it should."""
    _, said = process.communicate(timeout=TIMEOUT)
    assert process.returncode == code, said.decode()
    return said.decode()


def until_progress(process: subprocess.Popen) -> None:
    """Wait until workers have searched some of the variables."""
    assert process.stderr is not None
    for line in process.stderr:
        if b"/80 variables" in line and b" 0/80" not in line:
            return
    raise AssertionError("it ended before")


def test_the_same_bytes(cluster: Cluster, bundled: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(remote_workers, "CHUNK_SECONDS", 0.1)
    data, lists, place = bundled / "random80.csv.gz", cluster.folder / "lists.jsonl", f"dask:{cluster.file}"
    lists.write_bytes(here(cluster.folder, data, *SHORT))
    for options in (
        (*SHORT, data),
        ("optimize", "--asobs", "--restarts", 20, "--seed", 1, lists),
        ("optimize", "--ils", "--evaluations", 3000, "--seed", 1, lists),
        ("optimize", "--kg", "--tw", 3, "--restarts", 100, "--seed", 1, lists),
        ("posterior", "--sampled", "--samples", 50, "--chains", 3, "--seed", 1, lists),
        ("optimize", "--hc", "--bootstrap", 5, "--seed", 1, "--data", data),
    ):
        found = written(cluster.folder / "elsewhere", *options, "--workers", place)
        assert found == written(cluster.folder / "here", *options), options
    exact = run_here("posterior", "--exact", lists, "--workers", place)
    assert exact.returncode == 2 and b"an exact sum has no parts for them" in exact.stderr


def test_workers_that_are_killed_or_come_late(cluster: Cluster, bundled: Path, long_bytes: bytes):
    """Of two workers one is killed, and one more comes."""
    data = bundled / "random80.csv.gz"
    process = elsewhere(cluster, data, *LONG)
    until_progress(process)
    cluster.workers[0].kill()
    cluster.add_worker()
    ends(process)
    assert (cluster.folder / "elsewhere").read_bytes() == long_bytes


def test_a_worker_that_hangs_in_mid_run(cluster: Cluster, bundled: Path, long_bytes: bytes):
    """It is stopped while it has chunks, and neither answers nor dies."""
    data = bundled / "random80.csv.gz"
    process = elsewhere(cluster, data, *LONG, late=0.5)
    until_progress(process)
    cluster.workers[0].send_signal(signal.SIGSTOP)
    ends(process)
    assert cluster.workers[0].poll() is None
    assert (cluster.folder / "elsewhere").read_bytes() == long_bytes


def test_a_worker_that_hangs_while_it_hands_over_a_result(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(remote_workers, "LATE_SECONDS", 0.5)
    mark = tmp_path / "mark"

    class HangsOnce:
        """A result whose worker hangs while it is pickled; pickled by a second worker it is an ordinary result."""

        def __reduce__(self):
            with contextlib.suppress(FileExistsError):
                mark.touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGSTOP)
            return str, ("handed over",)

    workers = DaskWorkers(str(cluster.file))
    try:
        mapped = remote_workers.remote_map(lambda k, stop: HangsOnce() if k == 3 else k, range(6), workers, Event())
        assert list(mapped) == [0, 1, 2, "handed over", 4, 5]
        assert mark.exists()
    finally:
        workers.close()


def test_nothing_is_sent_to_workers_that_hang(cluster: Cluster):
    workers = DaskWorkers(str(cluster.file))
    try:
        workers.open(make_payload(lambda task, stop: task))
        cluster.workers[0].send_signal(signal.SIGSTOP)
        cluster.until(lambda: workers.count() == 1)
        sent = [workers.submit([k], ()) for k in range(9)]
        assert [future.result().results for future in sent] == [[k] for k in range(9)]
        cluster.workers[0].send_signal(signal.SIGCONT)
        cluster.until(lambda: workers.count() == 2)
    finally:
        workers.close()


def test_what_is_sent_again_goes_to_another_worker(cluster: Cluster, tmp_path: Path):
    """Even where the one that has it is not known to hang."""
    workers = DaskWorkers(str(cluster.file))
    gate = tmp_path / "gate"

    def work(first: bool, stop: object) -> int:
        while first and not gate.exists():
            time.sleep(0.01)
        return os.getpid()

    try:
        workers.open(make_payload(work))
        cluster.until(lambda: workers.count() == 2)
        first = workers.submit([True], ())
        cluster.until(lambda: any(workers._client.processing().values()))
        again = [workers.submit([False], (first,)) for _ in range(4)]
        others = {future.result().results[0] for future in again}
        gate.touch()
        assert len(others) == 1 and first.result().results[0] not in others
    finally:
        workers.close()


def test_ctrl_c_ends_the_work_of_workers_and_keeps_what_there_is(cluster: Cluster, bundled: Path):
    here(cluster.folder, bundled / "random80.csv.gz", "parentsets", "--greedy", "--evaluations", "100")  # compiles
    endless = ("parentsets", "--greedy", "--seed", "1", "--time", "1h")
    log = cluster.folder / "worker.log"
    before = log.read_text().count("keep_payload")
    process = elsewhere(cluster, bundled / "random80.csv.gz", *endless)
    cluster.until(lambda: log.read_text().count("keep_payload") > before)
    time.sleep(1)  # most often they are at work by then
    process.send_signal(signal.SIGINT)
    said = ends(process, 130)
    assert "80 variables was interrupted" in said
    assert (cluster.folder / "elsewhere").read_bytes().count(b"\n") == 81
    # They are free for others at once.
    with distributed.Client(scheduler_file=str(cluster.file), set_as_default=False) as others:
        assert others.submit(sum, [1, 2]).result(9) == 3


def test_a_lost_scheduler_is_reported_and_the_run_goes_on(cluster: Cluster, bundled: Path, long_bytes: bytes):
    """Of the tests on the cluster the last: those after it would need another one."""
    data, target = bundled / "random80.csv.gz", cluster.folder / "elsewhere"
    process = elsewhere(cluster, data, *LONG)
    until_progress(process)
    cluster.scheduler.kill()
    said = ends(process, 1)
    assert "the dask scheduler at" in said and "is lost" in said and "--resume" in said
    assert written(target, *LONG, data, "--resume", target) == long_bytes


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
    one_search = run_here("optimize", "--data", data, "--workers", "dask:nowhere")
    assert one_search.returncode == 2 and b"--bootstrap R" in one_search.stderr
    not_independent = run_here("optimize", data, "--exact", "--workers", "dask:nowhere")
    assert not_independent.returncode == 2 and b"--workers" in not_independent.stderr
