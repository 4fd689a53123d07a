"""`--save-every`: a killed run leaves a whole network, or its chains, from which another run goes on."""

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
from helpers.places import ROOT
from helpers.processes import environment, run_bnsl, run_here
from naive.optimize.networks_search import random_table

from formats import open_parent_sets, write_parent_sets
from formats.chain_records import SavedChains
from formats.proof_records import digest_of_sets
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


def header_of(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text().splitlines()[0])


def killed(words: list[str], saved: Path) -> None:
    """Run a command until it has written a file, and kill it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bnsl_cli", *words], cwd=saved.parent, env=environment(), stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 240
        while not saved.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [["s.jsonl", "--ils"], ["s.jsonl", "--tw", "2"], ["--data", "d.csv"], ["--data", "d.csv", "--tw", "2"]],
    ids=" ".join,
)
def test_a_killed_search_goes_on_with_its_network_and_bound(tmp_path: Path, words: list[str]):
    lists_of(tmp_path, 30, 100)
    table = random_table(5, 30, max_parents=3, n_sets=60)  # far from proved within the interval
    write_parent_sets(str(tmp_path / "s.jsonl"), table.header, table.records())
    line = ["optimize", *words, "-o", "a.net.jsonl"]
    killed([*line, "--save-every", "0.05s", "--time", "5m", "--seed", "1"], tmp_path / "a.net.jsonl")
    saved = header_of(tmp_path / "a.net.jsonl")
    assert saved["interrupted"] and ("bound" in saved) == ("sets" in saved) == ("s.jsonl" in words)
    done = run_here(*line, "--resume", "a.net.jsonl", "--evaluations", "20", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    after = header_of(tmp_path / "a.net.jsonl")
    assert after["total"] >= saved["total"] and "interrupted" not in after and "sets" not in after
    if "bound" in saved:
        assert after["bound"] <= saved["bound"] and after["gap"] == after["bound"] - after["total"]
    assert len(after["by"]) == len(saved["by"])


def test_a_search_goes_on_with_the_same_inputs_only(tmp_path: Path):
    lists_of(tmp_path, 4, 40)
    base = ["optimize", "s.jsonl", "--ils", "-o", "a.net.jsonl"]
    assert run_here(*base, "--seed", "1", cwd=tmp_path).returncode == 0
    whole = (tmp_path / "a.net.jsonl").read_text()
    done = run_here(*base, "--resume", "a.net.jsonl", cwd=tmp_path)
    assert done.returncode == 65 and b"not the network of an unfinished run" in done.stderr
    table = open_parent_sets(str(tmp_path / "s.jsonl"))
    head, *records = whole.splitlines()
    unfinished = {**json.loads(head), "interrupted": True, "sets": digest_of_sets(table)}
    for change, words, text in (
        ({}, [], ""),
        ({}, ["--seed", "7", "--evaluations", "9"], ""),
        ({}, ["--init", "dfs"], "made with another init: 'random', here 'dfs'"),
        ({"sets": "0"}, [], "the digest of the parent sets is 0, here"),
        ({"sets": None}, [], "the digest of the parent sets is not known, here"),
        ({"data": "sha256:0"}, [], "the fingerprint of the data is sha256:0, here"),
        ({"score": "bdeu", "ess": 1.0}, [], "the score is bdeu, here bic"),
        ({"total": 0.0}, [], "the header states a total of 0.0"),
        ({}, ["--proof", "p.jsonl"], "--proof is made of the steps of one run"),
    ):
        header = {name: value for name, value in {**unfinished, **change}.items() if value is not None}
        (tmp_path / "a.net.jsonl").write_text("\n".join([json.dumps(header), *records]) + "\n")
        done = run_here(*base, "--resume", "a.net.jsonl", *words, cwd=tmp_path)
        assert (done.returncode == 0) == (text == "") and text in done.stderr.decode(), (change, words, done.stderr)
    record = json.loads(records[0])
    record["scores"][0] -= 1.0
    plain = {name: value for name, value in unfinished.items() if name not in ("bound", "gap", "bound_relative_to")}
    header = json.dumps({**plain, "total": unfinished["total"] - 1.0})
    (tmp_path / "a.net.jsonl").write_text("\n".join([header, json.dumps(record), *records[1:]]) + "\n")
    done = run_here(*base, "--resume", "a.net.jsonl", cwd=tmp_path)
    assert done.returncode == 65 and b"its network is damaged" in done.stderr
    done = run_here("optimize", "s.jsonl", "--resume", "a.net.jsonl", cwd=tmp_path)
    assert done.returncode == 2 and b"--resume goes with -o FILE" in done.stderr
    done = run_here(*base, "--resume", "b.net.jsonl", cwd=tmp_path)
    assert done.returncode == 0 and b"there is nothing of an earlier run at b.net.jsonl" in done.stderr


def test_a_search_goes_on_with_the_same_data_and_forest_only(tmp_path: Path):
    lists_of(tmp_path, 4, 40)
    base = ["optimize", "--data", "d.csv", "--hc", "-o", "a.net.jsonl"]
    assert run_here(*base, "--seed", "1", cwd=tmp_path).returncode == 0
    head, *records = (tmp_path / "a.net.jsonl").read_text().splitlines()
    (tmp_path / "a.net.jsonl").write_text(
        "\n".join([json.dumps({**json.loads(head), "interrupted": True}), *records])
    )
    rows = (tmp_path / "d.csv").read_text().splitlines()
    (tmp_path / "fewer.csv").write_text("\n".join(rows[:-1]) + "\n")
    assert run_here("screen", "d.csv", "--roots", "0.5", "-o", "f.jsonl", cwd=tmp_path).returncode == 0
    for words, text in (
        (["--data", "fewer.csv"], "the number of rows is 40, here 39"),
        (["--data", "d.csv", "--drop", "v1"], "the number of variables is 4, here 3"),
        (["--data", "d.csv", "--score", "bdeu"], "the score is bic, here bdeu"),
        (["--data", "d.csv", "--screen", "f.jsonl"], "it keeps another screening forest, or none"),
        (["--data", "d.csv", "--max-parents", "1"], "made with another max_parents: none, here 1"),
        (["--data", "d.csv"], ""),
    ):
        line = ["optimize", "--hc", *words, "--resume", "a.net.jsonl", "-o", "b.net.jsonl"]
        done = run_here(*line, cwd=tmp_path)
        assert (done.returncode == 0) == (text == "") and text in done.stderr.decode(), (words, done.stderr)


def test_a_dry_run_writes_nothing_but_its_forecast(tmp_path: Path):
    lists_of(tmp_path, 4, 40)
    for line in (["optimize", "s.jsonl", "--json"], ["optimize", "--data", "d.csv", "--json"]):
        done = run_here(*line, "--dry-run", "-o", "a.net.jsonl", cwd=tmp_path)
        found = json.loads(done.stdout)
        assert (
            done.returncode == 0 and found["variables"] == 4 and found["proves"] and found["memory_bytes"] > 1 << 20
        )
        assert found["first_seconds"] is not None and (found["rows"] is None) == ("s.jsonl" in line)
    done = run_here("posterior", "s.jsonl", "--dry-run", "-o", "a.csv", cwd=tmp_path)
    assert done.returncode in (0, 1) and not list(tmp_path.glob("a.*"))
    for words in (["--save-sets", "x.jsonl"], ["--bootstrap", "2"], ["--missing", "em"]):
        done = run_here("optimize", "--data", "d.csv", "--dry-run", *words, cwd=tmp_path)
        assert done.returncode == 2 and f"leave out {words[0]}" in done.stderr.decode()
    done = run_here("posterior", "s.jsonl", "--dry-run", "--resume", "a.csv", "-o", "a.csv", cwd=tmp_path)
    assert done.returncode == 2 and b"leave out --resume" in done.stderr


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
