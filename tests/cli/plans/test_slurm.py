"""Planned arrays on a real Slurm: its daemons as processes of one node, a job killed, the script run again."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.processes import TIMEOUT, environment, run_bnsl, script_folder

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")
PATH = f"/usr/sbin:/sbin:{os.environ['PATH']}"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.geteuid() != 0 or any(shutil.which(name, path=PATH) is None for name in PROGRAMS),
        reason="needs Slurm and munge, and the rights of root to run their daemons",
    ),
]

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MinJobAge=2
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000
PartitionName=all Nodes={host} Default=YES State=UP
"""

HELD = """#!/bin/sh
# The program, but part 2 waits for as long as there is a file `hold`, and says who it is.
case "$*" in *"--shard 2/"*) echo $$ > held; while [ -e hold ]; do sleep 0.05; done ;; esac
exec {bnsl} "$@"
"""


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that has to happen."""
    deadline = time.monotonic() + TIMEOUT
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody listens at."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@pytest.fixture
def slurm() -> Iterator[dict[str, str]]:
    """The environment in which a cluster of this machine answers."""
    folder = Path(tempfile.mkdtemp(prefix="bnsl-slurm-"))  # munge looks at the rights of all folders above
    folder.chmod(0o755)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    host = socket.gethostname().split(".")[0]
    (folder / "slurm.conf").write_text(CONFIGURATION.format(host=host, ports=free_ports(2), folder=folder).lstrip())
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    places = (f"--{name}={folder}/munge.{name.removesuffix('-file')}" for name in ("key-file", "socket", "pid-file"))
    munged = ("munged", "--foreground", "--force", *places, f"--seed-file={folder}/seed", f"--log-file={folder}/log")
    settings = environment(PATH=f"{PATH}:{script_folder(False)}", SLURM_CONF=f"{folder}/slurm.conf")
    daemons = []
    try:
        for command in (munged, ("slurmctld", "-D", "-i"), ("slurmd", "-D")):
            with open(folder / f"{command[0]}.said", "wb") as said:
                daemons.append(subprocess.Popen(command, env=settings, stdout=said, stderr=said))
            if command is munged:
                until(lambda: (folder / "munge.socket").exists())
        until(lambda: "idle" in heard(settings, "sinfo", "-h", "-o", "%T"))
        yield settings
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            with suppress(subprocess.TimeoutExpired):
                daemon.wait(20)
            daemon.kill()
            daemon.wait()
        shutil.rmtree(folder, ignore_errors=True)


def heard(settings: dict[str, str], *command: str) -> str:
    """What a command says, if it can."""
    return subprocess.run(command, env=settings, capture_output=True, text=True, check=False).stdout


def test_an_array_goes_on_after_a_job_was_killed(tmp_path: Path, slurm: dict[str, str]):
    lists = ("parentsets", "--greedy", "--seed", "1", "--evaluations", "300", "d.csv")
    made = run_bnsl("sample", "--random", 10, "--rows", 300, "--seed", 1, "-o", "d.csv", cwd=tmp_path)
    assert made.returncode == 0, made.stderr.decode()
    assert run_bnsl(*lists, "-o", "one.jsonl", cwd=tmp_path).returncode == 0
    planned = run_bnsl("plan", "--slurm", "--parts", 3, "-o", "plan", *lists, "-o", "all.jsonl", cwd=tmp_path)
    assert planned.returncode == 0, planned.stderr.decode()
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "bnsl").write_text(HELD.format(bnsl=shutil.which("bnsl", path=slurm["PATH"])))
    (programs / "bnsl").chmod(0o755)
    settings = slurm | {"PATH": f"{programs}:{slurm['PATH']}"}

    def submit() -> None:
        done = subprocess.run(["./plan"], cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "3 jobs" in done.stdout, done.stderr

    (tmp_path / "hold").touch()
    submit()
    parts = [tmp_path / f"all.{part}.jsonl" for part in (1, 2, 3)]
    until(lambda: parts[0].exists() and parts[2].exists() and (tmp_path / "held").exists())
    os.kill(int((tmp_path / "held").read_text()), 9)
    until(lambda: heard(settings, "squeue", "-h") == "")
    assert not parts[1].exists() and not (tmp_path / "all.jsonl").exists()
    found = [parts[place].read_bytes() for place in (0, 2)]

    (tmp_path / "hold").unlink()
    submit()
    until(lambda: heard(settings, "squeue", "-h") == "")
    records = (tmp_path / "all.jsonl").read_bytes().splitlines()[1:]
    assert records == (tmp_path / "one.jsonl").read_bytes().splitlines()[1:]
    said = "".join(path.read_text() for path in tmp_path.glob("all.*.log"))
    assert said.count(" there before, 0 parent sets listed, 0 local scores computed") == 2, said
    assert [parts[place].read_bytes() for place in (0, 2)] == found
