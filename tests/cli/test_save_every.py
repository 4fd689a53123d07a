"""`bnsl optimize --save-every`: a killed run leaves a whole network, from which another run goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.places import ROOT
from helpers.processes import environment, run_bnsl, run_here


@pytest.mark.slow
def test_a_killed_run_leaves_a_network_to_go_on_from(tmp_path: Path):
    data = ROOT / "bnsl" / "bundled" / "random80.csv.gz"
    words = [
        "optimize",
        "--data",
        str(data),
        "--time",
        "5m",
        "--save-every",
        "0.2s",
        "--seed",
        "1",
        "-o",
        "a.net.jsonl",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "bnsl_cli", *words], cwd=tmp_path, env=environment(), stderr=subprocess.DEVNULL
    )
    saved = tmp_path / "a.net.jsonl"
    try:
        deadline = time.monotonic() + 240
        while not saved.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    header = json.loads(saved.read_text().splitlines()[0])
    assert header["interrupted"] is True and header["by"][-1]["options"]["seed"] == 1
    measured = json.loads(run_here("evaluate", "a.net.jsonl", "--data", data, cwd=tmp_path).stdout)
    assert measured["bic"] == pytest.approx(header["total"])
    words = ["--start", "a.net.jsonl", "--hc", "-o", "b.net.jsonl"]
    assert run_bnsl("optimize", "--data", data, *words, cwd=tmp_path).returncode == 0
    after = json.loads((tmp_path / "b.net.jsonl").read_text().splitlines()[0])
    assert after["total"] >= header["total"] and "interrupted" not in after


@pytest.mark.parametrize("words", [[], ["-o", "n.jsonl", "--bootstrap", "2"], ["-o", "n.jsonl", "--missing", "em"]])
def test_refused_where_nothing_is_written_early(tmp_path: Path, words: list[str]):
    (tmp_path / "d.csv").write_text("a,b\n0,1\n1,0\n")
    done = run_here("optimize", "--data", "d.csv", "--save-every", "1s", *words, cwd=tmp_path)
    assert done.returncode == 2 and b"--save-every goes with -o FILE" in done.stderr
