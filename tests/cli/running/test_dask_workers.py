"""``--workers dask:...`` as a user runs it: a scheduler and two workers, one of which is killed during the run."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.processes import TIMEOUT, environment, run_bnsl, start_bnsl

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

SAME_DAY = {"SOURCE_DATE_EPOCH": "1000000000"}

LISTS = ("parentsets", "--indep", "--seed", "1", "--evaluations", "3000")
REPLICATES = ("optimize", "--hc", "--seed", "1", "--bootstrap", "40", "--data")


class Cluster:
    """A scheduler and its workers, each started by ``dask`` in a shell."""

    def __init__(self, folder: Path):
        self.folder, self.file = folder, folder / "scheduler.json"
        self.workers: list[subprocess.Popen] = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self.until(self.file.exists)

    def _start(self, kind: str, *options: str) -> subprocess.Popen:
        command = [Path(sys.executable).with_name("dask"), kind, "--scheduler-file", self.file, *options]
        with open(self.folder / f"{kind}.log", "ab") as log:
            values = environment(PYTHONSAFEPATH="1", OPENBLAS_NUM_THREADS="1")
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
def of_all_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Starting a cluster takes longer than most tests."""
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield made
    finally:
        made.end()


@pytest.fixture
def cluster(of_all_tests: Cluster) -> Cluster:
    of_all_tests.have_two_workers()
    return of_all_tests


@pytest.mark.parametrize(("command", "lines"), [(LISTS, 4), (REPLICATES, 3 * 81)], ids=["lists", "replicates"])
def test_the_bytes_of_one_process_though_a_worker_is_killed(
    cluster: Cluster, bundled: Path, command: tuple[str, ...], lines: int
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
