"""`--do` of `bnsl query` and `bnsl sample`, and `Network.do`: which variables are set, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.processes import run_here

import bnsl

NETWORK = """network n {} variable ill { type discrete [ 2 ] { no, yes }; }
variable drug { type discrete [ 2 ] { no, yes }; }
variable cured { type discrete [ 2 ] { no, yes }; }
probability ( ill ) { table 0.5, 0.5; }
probability ( drug | ill ) { (no) 0.8, 0.2; (yes) 0.25, 0.75; }
probability ( cured | drug, ill ) { (no, no) 0.1, 0.9; (no, yes) 0.8, 0.2; (yes, no) 0.2, 0.8; (yes, yes) 0.6, 0.4; }
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "n.bif").write_text(NETWORK)
    (tmp_path / "d.csv").write_text("ill,cured\nyes,no\n,yes\n")
    return tmp_path


def probabilities(place: Path, *arguments: str) -> list[float]:
    done = run_here("query", "n.bif", *arguments, "--json", cwd=place)
    assert done.returncode == 0, done.stderr
    return [row["probability"] for row in map(json.loads, done.stdout.splitlines())]


def refusal(place: Path, *arguments: str, command: str = "query") -> str:
    done = run_here(command, "n.bif", *arguments, cwd=place)
    assert done.returncode in (2, 65)
    return done.stderr.decode()


def test_setting_a_variable_is_not_observing_it(place: Path):
    assert probabilities(place, "--variables", "cured", "--do", "drug=yes")[1] == pytest.approx(0.6)
    observed = (0.5 * 0.2 * 0.8 + 0.5 * 0.75 * 0.4) / (0.5 * 0.2 + 0.5 * 0.75)
    assert probabilities(place, "--variables", "cured", "drug=yes")[1] == pytest.approx(observed)


def test_evidence_is_observed_after_the_intervention(place: Path):
    found = probabilities(place, "--variables", "ill", "--do", "drug=yes", "cured=yes")
    assert found[1] == pytest.approx(0.5 * 0.4 / (0.5 * 0.8 + 0.5 * 0.4))


def test_python_gives_the_same_by_keyword_and_by_method(place: Path):
    network = bnsl.read(place / "n.bif")
    found = network.query({"cured": "yes"}, do={"drug": "yes"}).to_pylist()
    assert network.do({"drug": "yes"}).query({"cured": "yes"}).to_pylist() == found
    assert sorted(network.do({"drug": "yes"}).arcs) == [("drug", "cured"), ("ill", "cured")]
    rows = network.do({"drug": "yes"}).sample(50, seed=1).to_pylist()
    assert rows == network.sample(50, seed=1, do={"drug": "yes"}).to_pylist()
    assert {row["drug"] for row in rows} == {"yes"}
    with pytest.raises(bnsl.DataError, match="no variable 'drag'"):
        network.do({"drag": "yes"})


def test_fitted_parameters_and_approximate_answers(place: Path):
    rows = run_here("sample", "n.bif", "--rows", "400", "--seed", "1", "-o", "rows.csv", cwd=place)
    assert rows.returncode == 0
    question = "--data", "rows.csv", "--do", "drug=yes", "--variables", "cured"
    near = probabilities(place, *question, "--approximate", "20000", "--seed", "1")
    assert near == pytest.approx(probabilities(place, *question), abs=0.02)


def test_rows_are_all_under_the_intervention(place: Path):
    done = run_here("query", "n.bif", "--evidence", "d.csv", "--do", "drug=yes", "--fill", "best", cwd=place)
    assert done.stdout.decode().splitlines() == ["ill,cured,drug", "yes,no,yes", "no,yes,yes"]
    (place / "d.csv").write_text("ill,drug\nyes,no\nno,\n")
    said = refusal(place, "--evidence", "d.csv", "--do", "drug=yes")
    assert "--do sets drug" in said and "--drop 'drug'" in said
    done = run_here("query", "n.bif", "--evidence", "d.csv", "--do", "drug=yes", "--drop", "drug", cwd=place)
    assert done.returncode == 0, done.stderr
    question = "--evidence", "d.csv", "--do", "drug=yes", "--predict", "drug", "--json"
    done = run_here("query", "n.bif", *question, cwd=place)
    assert [json.loads(line)["P(drug=yes)"] for line in done.stdout.splitlines()] == [1.0, 1.0]


def test_refusals(place: Path):
    assert "--do sets drug, so it cannot be evidence" in refusal(place, "--do", "drug=yes", "drug=no")
    assert "two different states" in refusal(place, "--do", "drug=yes", "--do", "drug=no")
    assert "none of the states" in refusal(place, "--do", "drug=maybe")
    assert "did you mean 'drug'" in refusal(place, "--do", "drag=yes", "--rows", "3", command="sample")
