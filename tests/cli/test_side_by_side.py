"""Two networks side by side, by family."""

from __future__ import annotations

import json
import math

import pytest
from helpers.processes import run_here
from naive import scores as naive

import bnsl

ROWS = [(i % 2, i // 2 % 2, (i * i // 3) % 3) for i in range(40)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "d.csv").write_text("a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS))
    (tmp_path / "one.txt").write_text("[a][b|a][c|a:b]")
    (tmp_path / "two.txt").write_text("[c][b][a|c]")
    return tmp_path


def test_parents_and_scores_of_both(folder):
    given = ("one.txt", "two.txt", "--families", "--data", "d.csv", "--score", "bic", "--score", "bdeu")
    result = run_here("evaluate", *given, cwd=folder)
    found = {record["variable"]: record for record in map(json.loads, result.stdout.splitlines())}
    assert list(found) == ["a", "b", "c"]
    assert [(found[v]["parents_1"], found[v]["parents_2"]) for v in "abc"] == [
        ([], ["c"]),
        (["a"], []),
        (["a", "b"], []),
    ]
    assert not any(record["same"] for record in found.values())
    for score in ("bic", "bdeu"):
        for number, parents in ((1, [[], [0], [0, 1]]), (2, [[2], [], []])):
            total = math.fsum(found[v][f"{score}_{number}"] for v in "abc")
            assert total == pytest.approx(naive.network_score(ROWS, [2, 2, 3], parents, score, 1.0), rel=1e-12)
    table = run_here("evaluate", *given[:3], "--format", "table", cwd=folder).stdout.decode()
    assert "* other parents: 3 of 3 variables" in table and "1: one.txt, 2: two.txt" in table


def test_from_python(folder):
    networks = [bnsl.read(folder / "one.txt"), bnsl.read(folder / "one.txt")]
    assert all(record["same"] for record in bnsl.evaluate(networks, families=True, quiet=True))


def test_two_networks_are_needed(folder):
    result = run_here("evaluate", "one.txt", "--families", cwd=folder)
    assert result.returncode == 2 and b"two networks side by side, not 1" in result.stderr
    result = run_here("evaluate", "one.txt", "two.txt", "--families", "--reference", "one.txt", cwd=folder)
    assert result.returncode == 2 and b"--reference cannot be combined with --families" in result.stderr
    run_here("convert", "-q", "one.txt", "--cpdag", "--to", "dot", "-o", "c.dot", cwd=folder)
    result = run_here("evaluate", "one.txt", "c.dot", "--families", cwd=folder)
    assert result.returncode == 2 and b"c.dot is a class of networks" in result.stderr
    (folder / "three.txt").write_text("[a][x]")
    result = run_here("evaluate", "one.txt", "three.txt", "--families", cwd=folder)
    assert result.returncode != 0 and b"three.txt lacks variables of the network: b, c" in result.stderr
