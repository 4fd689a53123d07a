"""Whole commands: help and small runs, kernels compiled, in wall seconds; first runs in processor seconds."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .cases import SHARED

ROOT = Path(__file__).resolve().parents[2]
BUNDLED = ROOT / "bnsl" / "bundled" / "random80.csv.gz"
REPEATS = 5


def measure() -> Iterator[dict[str, object]]:
    """One row per command; the least of several runs."""
    nltcs = SHARED / "data" / "debd" / "nltcs.train.csv.gz"
    data = str(nltcs if nltcs.exists() else BUNDLED)
    with tempfile.TemporaryDirectory() as place:
        sets = f"{place}/sets.jsonl"
        commands = {
            "bnsl --help": ["--help"],
            "bnsl entropy": ["entropy", data, "-o", f"{place}/entropy.arrow"],
            "bnsl parentsets --max-parents 2": ["parentsets", "--max-parents", "2", "--seed", "1", data, "-o", sets],
            "bnsl optimize --restarts 1": ["optimize", sets, "--restarts", "1", "--seed", "1", "-o", f"{place}/net"],
            "bnsl evaluate": ["evaluate", f"{place}/net", "--data", data, "-o", f"{place}/figures"],
        }
        for name, arguments in commands.items():
            first = seconds_of(arguments)
            yield {"case": name, "seconds": min(seconds_of(arguments) for _ in range(REPEATS)), "first": first}
        for name, arguments in first_runs(data, sets).items():
            kernels = {"NUMBA_OPT": "3", "NUMBA_CACHE_DIR": f"{place}/{name.replace(' ', '_')}"}
            cold = processor_seconds_of(arguments, **kernels)
            warm = processor_seconds_of(arguments, **kernels)
            yield {"case": f"{name}, processor seconds", "seconds": warm, "first": cold}


def first_runs(data: str, sets: str) -> dict[str, list[str]]:
    """Commands whose first run, with an empty cache of kernels, is timed; the setting of numba sees to
    it that numba compiles.
    """
    short = ["--evaluations", "300", "--seed", "1", "-o", os.devnull]
    methods = ("grow", "indep", "greedy", "sequential")
    runs = {f"bnsl parentsets --{m}": ["parentsets", "--method", m, "--max-parents", "3", data] for m in methods}
    runs["bnsl optimize --ils"] = ["optimize", sets, "--ils"]
    runs["bnsl optimize --asobs --tw 5"] = ["optimize", sets, "--asobs", "--tw", "5"]
    runs["bnsl optimize --data"] = ["optimize", "--data", data]
    runs["bnsl optimize --data --tw 4"] = ["optimize", "--data", data, "--tw", "4"]
    runs["bnsl optimize --data --hc"] = ["optimize", "--data", data, "--hc"]
    return {name: [*arguments, *short] for name, arguments in runs.items()}


def processor_seconds_of(arguments: list[str], **environment: str) -> float:
    """Processor time of one command and of those it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds_of(arguments, **environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds_of(arguments: list[str], **environment: str) -> float:
    """Wall time of one command."""
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-P", "-m", "bnsl_cli", *arguments],
        check=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - started
