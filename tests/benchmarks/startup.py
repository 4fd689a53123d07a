"""Whole commands, in wall seconds: help pages, small runs with compiled kernels, and the first run of all."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .cases import SHARED

ROOT = Path(__file__).resolve().parents[2]
BUNDLED = ROOT / "examples" / "data" / "random80.csv.gz"
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
            "bnsl parentsets --max-parents 2": [
                "parentsets",
                "--max-parents",
                "2",
                "--seed",
                "1",
                data,
                "-o",
                sets,
            ],
            "bnsl optimize --restarts 1": [
                "optimize",
                sets,
                "--restarts",
                "1",
                "--seed",
                "1",
                "-o",
                f"{place}/net",
            ],
            "bnsl evaluate": ["evaluate", f"{place}/net", "--data", data, "-o", f"{place}/figures"],
        }
        for name, arguments in commands.items():
            first = seconds_of(arguments)
            yield {
                "case": name,
                "seconds": min(seconds_of(arguments) for _ in range(REPEATS)),
                "first": first,
            }
        cold = seconds_of(commands["bnsl parentsets --max-parents 2"], NUMBA_CACHE_DIR=f"{place}/cold")
        yield {"case": "bnsl parentsets, nothing compiled", "seconds": cold}


def seconds_of(arguments: list[str], **environment: str) -> float:
    """Wall time of one command."""
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "bnsl_cli", *arguments],
        check=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - started
