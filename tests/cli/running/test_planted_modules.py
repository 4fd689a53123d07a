"""Modules beside the data never run: files there may belong to others, and others may write to the current folder."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.places import ROOT
from helpers.processes import TIMEOUT, environment, run_bnsl

PLANTED = [
    "bnsl_cli",
    "bnsl",
    "stages",
    "formats",
    "click",
    "numpy",
    "numba",
    "orjson",
    "pyarrow",
    "rich",
    "yaml",
    "cloudpickle",
    "distributed",
    "struct",
    "pickle",
    "ctypes",
    "selectors",
    "signal",
    "tempfile",
    "multiprocessing",
    "random",
    "json",
    "sitecustomize",
    "usercustomize",
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a table, and modules that leave a mark where they run."""
    for name in PLANTED:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'marks')!r}, 'a').write({name!r} + ' ')\n")
    (tmp_path / "d.csv").write_text("a,b,c\n" + "0,x,1\n1,y,1\n0,x,0\n" * 9)
    return tmp_path


def none_ran(place: Path) -> bool:
    return not (place / "marks").exists()


def test_planted_modules_leave_marks(place: Path):
    subprocess.run([sys.executable, "-c", "import struct, click"], cwd=place, check=True)
    assert (place / "marks").read_text().split() == ["struct", "click"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "parentsets d.csv -j 2 -o s.jsonl",
        "optimize --data d.csv --hc --bootstrap 4 -j 2 -o n.jsonl",
        "entropy d.csv -o e.arrows",
    ],
)
def test_no_command_runs_them(place: Path, words: str):
    result = run_bnsl(*words.split(), cwd=place, is_fresh=True)
    assert result.returncode == 0, result.stderr.decode()
    assert none_ran(place)


@pytest.mark.slow
def test_no_worker_runs_them_if_started_as_the_help_says(place: Path):
    pytest.importorskip("distributed")
    values, started = environment(PYTHONSAFEPATH="1", OPENBLAS_NUM_THREADS="1"), []
    try:
        for kind, words in (("scheduler", ["--port", "0", "--host", "127.0.0.1"]), ("worker", ["--nthreads", "1"])):
            run = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard"]
            with open(place / f"{kind}.log", "wb") as log:
                settings = {"cwd": place, "env": values, "stderr": log, "stdout": log}
                started.append(subprocess.Popen([*run, *words, "--scheduler-file", "c.json"], **settings))
            end = time.monotonic() + TIMEOUT
            while not (place / "c.json").exists():
                assert time.monotonic() < end
                time.sleep(0.05)
        result = run_bnsl("parentsets", "d.csv", "--workers", "dask:c.json", "-o", "s.jsonl", cwd=place)
        assert result.returncode == 0, result.stderr.decode() + (place / "worker.log").read_text()
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(TIMEOUT)
    assert none_ran(place)


def interpreters(path: Path) -> list[ast.List]:
    """The lists in a module that begin with the path of the interpreter: command lines."""
    lists = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.List)]
    return [node for node in lists if node.elts and ast.unparse(node.elts[0]) == "sys.executable"]


def test_every_interpreter_that_the_program_starts_is_kept_from_them():
    found = 0
    for folder in ("bnsl", "bnsl_cli", "formats", "stages", "tests/tools", "tests/benchmarks"):
        for path in Path(ROOT, folder).rglob("*.py"):
            for command in interpreters(path):
                found += 1
                assert ast.literal_eval(command.elts[1]) == "-P", f"{path}:{command.lineno}"
            if folder in ("bnsl", "bnsl_cli", "formats", "stages"):
                assert "spawn" not in path.read_text().replace(".spawn(1)", "").replace("spawn_key", ""), path
    assert found >= 1
