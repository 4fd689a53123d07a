"""Sets that `bnsl optimize --data` saves: they are what their header says, and proofs hold for them."""

from __future__ import annotations

import json
from pathlib import Path

from helpers.places import ROOT
from helpers.processes import run_here

ASIA = ROOT / "bnsl" / "bundled" / "asia.bif"


def test_sets_under_a_treewidth_bound_have_no_more_parents(tmp_path: Path):
    """The best network of any width is within the bound, and sets of three parents are among the best of a child."""
    drawn = run_here("sample", str(ASIA), "--rows", "2000", "--seed", "1", "-o", "d.csv", cwd=tmp_path)
    assert drawn.returncode == 0, drawn.stderr
    saved = ("--save-sets", "s.sets.jsonl", "--proof", "p.jsonl", "-o", "n.net.jsonl")
    done = run_here("optimize", "--data", "d.csv", "--tw", "2", "--seed", "1", *saved, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in (tmp_path / "s.sets.jsonl").read_text().splitlines()[1:]]
    assert max(len(parents) for record in records for parents in record["parents"]) == 2
    judged = run_here("evaluate", "n.net.jsonl", "--proof", "p.jsonl", "s.sets.jsonl", cwd=tmp_path)
    assert judged.returncode == 0, judged.stderr
    assert abs(json.loads(judged.stdout)["proof_gap"]) < 1e-6
