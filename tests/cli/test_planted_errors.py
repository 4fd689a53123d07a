"""A wrong result of a counting kernel ends the command with 70 and names the family; no list is left."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from helpers.processes import run_here

from stages.scoring import family_scorer

pytestmark = pytest.mark.slow

PLANT = """
import os
from stages.scoring import family_scorer

PLANTED = float(os.environ["PLANTED"])
right = family_scorer.score_expansions

def wrong(data, tables, child, parents, candidates, place, work_limit, out, work):
    result = right(data, tables, child, parents, candidates, place, work_limit, out, work)
    # The run for the compiler's sake has four variables.
    if child == 5 and len(out) == 8:
        out[candidates[place : result[0]]] += PLANTED
    return result

family_scorer.score_expansions = wrong
"""
"""Run before a command, in every process of it."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    columns = rng.integers(0, 3, (8, 300))
    columns[5] = np.where(rng.random(300) < 0.05, columns[5], np.minimum(columns[1] + columns[2], 2))
    lines = [",".join(f"X{i}" for i in range(8)), *(",".join(map(str, row)) for row in columns.T.tolist())]
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def run_planted(place: Path, *arguments: object, planted: float):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(family_scorer, "score_expansions", family_scorer.score_expansions)  # restored at the end
        patch.setenv("PLANTED", str(planted))
        exec(PLANT, {})
        return run_here(*arguments, cwd=place)


def files(place: Path) -> set[str]:
    return {path.name for path in place.iterdir()}


WRONG = ("parentsets", "--seed", "1", "--evaluations", "200", "d.csv", "-o", "s.jsonl")


def told_and_removed(result: subprocess.CompletedProcess, place: Path) -> None:
    """Exit code and message of a command with a wrong kernel, of which nothing is left."""
    message = result.stderr.decode()
    assert result.returncode == 70, message
    assert "VerificationError: variable 'X5' with parents ['X1', 'X2" in message and "but the data give" in message
    assert files(place) == {"d.csv"}


@pytest.mark.parametrize(
    "options", [(), ("-j", "2"), ("--time", "1s"), ("--score", "bdeu"), ("--keep-mass", "0.001")]
)
def test_a_wrong_kernel_leaves_no_list(place: Path, options: tuple[str, ...]):
    told_and_removed(run_planted(place, *WRONG, *options, planted=7.0), place)


def test_a_kernel_that_is_replaced_by_a_right_one_does_no_harm(place: Path):
    result = run_planted(
        place, "parentsets", "--seed", "1", "--evaluations", "200", "d.csv", "-o", "s.jsonl", planted=0.0
    )
    assert result.returncode == 0, result.stderr
    assert files(place) == {"d.csv", "s.jsonl"}


def test_a_positive_score_leaves_no_list(place: Path):
    result = run_planted(place, "parentsets", "--seed", "1", "d.csv", "-o", "s.jsonl", planted=1e6)
    assert result.returncode == 70
    assert b"is a positive log-likelihood score" in result.stderr
    assert files(place) == {"d.csv"}


def test_nothing_of_the_family_reaches_a_pipe(place: Path):
    result = run_planted(place, "parentsets", "--seed", "1", "d.csv", planted=7.0)
    assert result.returncode == 70
    _, *records = map(json.loads, result.stdout.splitlines())
    assert [record["child"] for record in records] == [0, 1, 2, 3, 4]


def test_a_run_gone_on_with_is_checked_too(place: Path):
    settings = ("parentsets", "--seed", "1", "d.csv", "-o", "s.jsonl", "--resume", "s.jsonl")
    whole = run_planted(place, *settings[:-2], planted=0.0)
    assert whole.returncode == 0
    lines = (place / "s.jsonl").read_bytes().splitlines(keepends=True)
    (place / "s.jsonl").unlink()
    (place / "s.jsonl.part").write_bytes(b"".join(lines[:4]))
    assert run_planted(place, *settings, planted=7.0).returncode == 70
    assert files(place) == {"d.csv"}


def test_lists_that_a_search_for_networks_saves_are_checked(place: Path):
    settings = ("optimize", "--data", "d.csv", "--seed", "1", "--save-sets", "s.jsonl", "-o", "n.jsonl")
    result = run_planted(place, *settings, planted=7.0)
    assert result.returncode == 70
    assert b"variable 'X5' with parents ['X1', 'X2" in result.stderr
    assert files(place) == {"d.csv"}
