"""Further data cut by the intervals of a file that was made before."""

from __future__ import annotations

import gzip

import pytest
from helpers.processes import ROOT, run_here

ROWS = ROOT / "tests" / "cases" / "data" / "numeric.csv"


@pytest.mark.parametrize("compressed", [False, True])
def test_like_a_network_or_parent_sets(tmp_path, compressed: bool):
    cut = run_here("discretize", "--discretize", "median", ROWS).stdout
    sets = run_here("parentsets", "--evaluations", 20, "--discretize", "median", "--seed", 1, ROWS).stdout
    network = run_here("optimize", "--obs", "--restarts", 2, "--seed", 1, stdin=sets).stdout
    for name, text in {"sets.jsonl": sets, "net.jsonl": network, "cut.csv": cut}.items():
        path = tmp_path / (name + ".gz" * compressed)
        path.write_bytes(gzip.compress(text) if compressed else text)
        assert run_here("discretize", "--like", path, ROWS).stdout == cut
        result = run_here("discretize", "--like", path, stdin=b"height,kind\n1.7,a\n")
        assert result.returncode == 65
        assert b"no column 'weight'" in result.stderr


def test_like_a_network_without_states(tmp_path):
    (tmp_path / "net.txt").write_text("[height][weight|height][kind]")
    result = run_here("discretize", "--like", tmp_path / "net.txt", ROWS)
    assert result.returncode == 65
    assert b"the states of 3 of 3 variables are not known" in result.stderr


def test_the_line_of_a_cell_that_cannot_be_cut_is_named(tmp_path):
    (tmp_path / "d.csv").write_text("x,y\n1,?\n2,b\ninf,b\nlow,a\n")
    result = run_here("discretize", "d.csv", "--discretize", "x=cuts:0,5", "--missing", "drop", cwd=tmp_path)
    assert result.returncode == 65 and b"'x' (line 4: 'inf')" in result.stderr
