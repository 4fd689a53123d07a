"""While a search runs, ``-o FILE`` holds its best network so far, from which ``--start FILE`` goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.processes import environment, run_here
from naive.optimize.networks_search import random_table

from bnsl_cli.commands.optimize import write_early
from formats import open_network, write_parent_sets

SOON = """
import bnsl.running.best_so_far as best
from bnsl_cli.__main__ import start
best.FIRST_SECONDS = best.SECONDS = 0.2
start()
"""
"""The command with intervals of its own."""


def header_of(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text().splitlines()[0])


def killed(words: list[str], saved: Path, n_networks: int) -> list[float]:
    """Run a command, whose intervals are short, until it has written so many networks, and kill it; their totals."""
    process = subprocess.Popen(
        [sys.executable, "-c", SOON, *words], cwd=saved.parent, env=environment(), stderr=subprocess.DEVNULL
    )
    totals: list[float] = []
    try:
        deadline = time.monotonic() + 240
        while len(totals) < n_networks and process.poll() is None and time.monotonic() < deadline:
            if saved.exists() and (total := header_of(saved)["total"]) not in totals:
                totals.append(total)
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return totals


def table_of(tmp_path: Path, n_columns: int, n_rows: int) -> None:
    rng = np.random.default_rng(0)
    rows = np.cumsum(rng.integers(0, 2, (n_rows, n_columns)), axis=1) % 2
    rows ^= rng.random((n_rows, n_columns)) < 0.1
    text = "\n".join(",".join(map(str, row)) for row in rows.tolist())
    (tmp_path / "d.csv").write_text(",".join(f"v{k}" for k in range(n_columns)) + f"\n{text}\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [["s.jsonl", "--ils"], ["s.jsonl", "--tw", "2"], ["--data", "d.csv"], ["--data", "d.csv", "--tw", "2"]],
    ids=" ".join,
)
def test_a_killed_search_leaves_a_network_to_start_from(tmp_path: Path, words: list[str]):
    table_of(tmp_path, 30, 100)
    table = random_table(5, 30, max_parents=3, n_sets=60)  # far from proved within the interval
    write_parent_sets(str(tmp_path / "s.jsonl"), table.header, table.records())
    line = ["optimize", *words, "-o", "a.net.jsonl"]
    killed([*line, "--time", "5m", "--seed", "1"], tmp_path / "a.net.jsonl", 1)
    saved = header_of(tmp_path / "a.net.jsonl")
    assert saved["interrupted"] is True and saved["by"][-1]["options"]["seed"] == 1
    assert "bound" in saved or "d.csv" in words  # a search on data may have begun one
    open_network(str(tmp_path / "a.net.jsonl"))
    if "d.csv" in words:
        measured = json.loads(run_here("evaluate", "a.net.jsonl", "--data", "d.csv", cwd=tmp_path).stdout)
        assert measured["bic"] == pytest.approx(saved["total"])
    done = run_here(*line, "--start", "a.net.jsonl", "--evaluations", "20", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    after = header_of(tmp_path / "a.net.jsonl")
    assert after["total"] >= saved["total"] - 1e-6 and "interrupted" not in after


@pytest.mark.slow
def test_each_improvement_is_written(tmp_path: Path):
    """On 200 columns the first network is far from the best, however fast the machine."""
    table_of(tmp_path, 200, 500)
    target = tmp_path / "a.net.jsonl"
    words = ["optimize", "--data", "d.csv", "--tw", "3", "--time", "5m", "--seed", "1", "-o", "a.net.jsonl"]
    totals = killed(words, target, 3)
    assert len(totals) == 3 and totals == sorted(totals), totals
    open_network(str(target))


@pytest.mark.parametrize(
    "words",
    [["-o", "/dev/null"], ["--bootstrap", "2", "-o", "n.jsonl"], ["--format", "table", "-o", "n.txt"], []],
    ids=" ".join,
)
def test_only_the_file_of_one_network_is_written_early(tmp_path: Path, monkeypatch, words: list[str]):
    table_of(tmp_path, 4, 40)
    monkeypatch.setattr("bnsl.running.best_so_far.FIRST_SECONDS", 0.0)
    written: list[object] = []
    monkeypatch.setattr("bnsl_cli.commands.optimize.write_early", lambda *given: written.append(given))
    assert run_here("optimize", "--data", "d.csv", *words, cwd=tmp_path).returncode == 0
    assert not written
    assert run_here("optimize", "--data", "d.csv", "-o", "n.jsonl", cwd=tmp_path).returncode == 0
    assert written


def test_a_file_that_cannot_be_written_now_does_not_end_the_search(tmp_path: Path, monkeypatch):
    table_of(tmp_path, 4, 40)
    monkeypatch.setattr("bnsl.running.best_so_far.FIRST_SECONDS", 0.0)

    def full(target: str, *given: object) -> None:
        assert write_early is not None
        raise OSError(28, "No space left on device", target)

    with monkeypatch.context() as now:
        now.setattr("formats.write_network", full)
        done = run_here("optimize", "--data", "d.csv", "-o", "n.jsonl", cwd=tmp_path)
    assert b"the best network so far was not written to n.jsonl: No space left on device" in done.stderr
    assert b"bug" not in done.stderr
