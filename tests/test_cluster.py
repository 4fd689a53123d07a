"""The makefile and the jobs of examples/cluster.md run as they stand; their lists are those of one run."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from helpers.places import ROOT
from helpers.processes import run_shell

SCRIPTS = re.findall(r"```\w+\n(.*?)```", (ROOT / "examples" / "cluster.md").read_text(), re.DOTALL)
MAKEFILE, _, SHARDS, SEARCHES, _ = (
    script.replace("10m", "300ms").replace("--bootstrap 25", "--bootstrap 2") for script in SCRIPTS
)

pytestmark = pytest.mark.slow


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a table of nine variables."""
    shutil.copy(ROOT / "tests" / "cases" / "data" / "small.csv", tmp_path / "d.csv")
    return tmp_path


def run(script: str, place: Path, **variables: str) -> bytes:
    done = run_shell(script, place, SOURCE_DATE_EPOCH="0", **variables)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def network_in(path: Path) -> list:
    """The lines of a network file without what tells how it was made."""
    header, *records = map(json.loads, path.read_bytes().splitlines())
    return [{name: value for name, value in header.items() if name != "by"}, *records]


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
def test_make_and_slurm(place: Path):
    (place / "Makefile").write_text(MAKEFILE)
    run("make -j2 1.net.jsonl average.net.jsonl", place)
    assert len(list(place.glob("*.sets.jsonl"))) == 8
    run("bnsl parentsets d.csv --seed 1 -o whole.jsonl && bnsl optimize whole.jsonl --seed 1 --time 1s -o one", place)
    assert network_in(place / "1.net.jsonl") == network_in(place / "one")

    (place / "2.sets.jsonl").unlink()
    again = run("make -n 1.net.jsonl", place)
    assert re.findall(rb"(?m)^(?:bnsl )?\w+", again) == [b"bnsl parentsets", b"cat", b"bnsl optimize"]
    tasks = [re.findall(r"--array=1-(\d+)", script) for script in (SHARDS, SEARCHES)]
    assert tasks == [["8"], ["10"]]
    (place / "sets.sh").write_text(SHARDS)
    made = {path: path.read_bytes() for path in place.glob("*.sets.jsonl")}
    for path in made:
        path.unlink()
    for task in range(1, 9):
        run("bash sets.sh", place, SLURM_ARRAY_TASK_ID=str(task), SLURM_CPUS_PER_TASK="1")
    assert all(path.read_bytes().splitlines()[1:] == lines.splitlines()[1:] for path, lines in made.items())
    (place / "nets.sh").write_text(SEARCHES)
    run("bash nets.sh", place, SLURM_ARRAY_TASK_ID="2")
    network = network_in(place / "2.net.jsonl")
    assert network[1:] == network_in(place / "one")[1:]
