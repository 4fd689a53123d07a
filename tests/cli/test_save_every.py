"""`--save-every`: a killed run leaves a whole network, or its chains, from which another run goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from helpers.places import ROOT
from helpers.processes import environment, run_bnsl, run_here

from formats.chain_records import SavedChains
from formats.saved_chains import write_chains


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


CHAINS = ["posterior", "s.jsonl", "--sampled", "--samples", "20000", "--seed", "1"]


def lists_of(tmp_path: Path, n_columns: int, n_rows: int) -> None:
    rng = np.random.default_rng(0)
    rows = np.cumsum(rng.integers(0, 2, (n_rows, n_columns)), axis=1) % 2
    text = "\n".join(",".join(map(str, row)) for row in rows.tolist())
    (tmp_path / "d.csv").write_text(",".join(f"v{k}" for k in range(n_columns)) + f"\n{text}\n")
    words = ["--sequential", "--max-parents", "2", "--keep-mass", "1e-3", "-o", "s.jsonl"]
    assert run_here("parentsets", "d.csv", *words, cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_killed_chains_go_on_to_what_an_unbroken_run_finds(tmp_path: Path):
    lists_of(tmp_path, 16, 100)
    assert run_here(*CHAINS, "-o", "whole.csv", cwd=tmp_path).returncode == 0
    words = [sys.executable, "-m", "bnsl_cli", *CHAINS, "--save-every", "0.1s", "-o", "a.csv"]
    process = subprocess.Popen(words, cwd=tmp_path, env=environment(), stderr=subprocess.DEVNULL)
    part = tmp_path / "a.csv.part"
    try:
        while not part.exists() and process.poll() is None:
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert part.exists() and not (tmp_path / "a.csv").exists()
    done = run_here(*CHAINS[:-2], "--resume", "a.csv", "-o", "a.csv", cwd=tmp_path)  # the seed is in the file
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert not part.exists()


def test_what_cannot_be_resumed_is_said(tmp_path: Path):
    lists_of(tmp_path, 3, 30)
    for words, text in (
        (["--resume", "a.csv"], "go with -o FILE"),
        (["--exact", "--save-every", "9s", "-o", "a.csv"], "an exact sum cannot be continued"),
        (["--exact", "--resume", "a.csv", "-o", "a.csv"], "an exact sum cannot be continued"),
    ):
        (tmp_path / "a.csv.part").write_bytes(b"")
        if "--exact" in words:
            write_chains(str(tmp_path / "a.csv.part"), SavedChains({}, {}))
        done = run_here("posterior", "s.jsonl", *words, cwd=tmp_path)
        assert done.returncode == 2 and text in done.stderr.decode(), done.stderr
    (tmp_path / "a.csv.part").write_bytes(b"PK damaged")
    done = run_here("posterior", "s.jsonl", "--resume", "a.csv", "-o", "a.csv", cwd=tmp_path)
    assert done.returncode == 65 and b"a.csv.part: these are no saved chains" in done.stderr
    done = run_here("posterior", "s.jsonl", "--samples", "8", "-o", "a.csv", cwd=tmp_path)
    assert done.returncode == 0 and b"starting over: a.csv.part" in done.stderr
    done = run_here("posterior", "s.jsonl", "--samples", "8", "--resume", "a.csv", "-o", "a.csv", cwd=tmp_path)
    assert done.returncode == 0 and b"there is nothing of an earlier run at a.csv.part" in done.stderr
