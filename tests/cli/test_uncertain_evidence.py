"""`--likelihood` and `--jeffrey` of `bnsl query`: how numbers are written, what is shown, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.processes import run_here

import bnsl

NETWORK = """network n {} variable ill { type discrete [ 2 ] { no, yes }; }
variable test { type discrete [ 2 ] { 12:30, other }; }
probability ( ill ) { table 0.9, 0.1; }
probability ( test | ill ) { (no) 0.8, 0.2; (yes) 0.25, 0.75; }
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "n.bif").write_text(NETWORK)
    (tmp_path / "d.csv").write_text("ill\nyes\n")
    return tmp_path


def probabilities(place: Path, *arguments: str) -> list[float]:
    done = run_here("query", "n.bif", *arguments, "--json", cwd=place)
    assert done.returncode == 0, done.stderr
    return [row["probability"] for row in map(json.loads, done.stdout.splitlines())]


def test_likelihoods_are_combined_with_the_network(place: Path):
    expected = [0.9 * 0.2 / (0.9 * 0.2 + 0.1 * 0.8), 0.1 * 0.8 / (0.9 * 0.2 + 0.1 * 0.8)]
    assert probabilities(place, "--likelihood", "ill=no:0.2,yes:0.8", "--variables", "ill") == pytest.approx(expected)
    assert probabilities(place, "--likelihood", "ill=yes:4,no:1", "--variables", "ill") == pytest.approx(expected)
    assert probabilities(place, "--likelihood", "ill=no:.2,yes:.8", "--probability") == pytest.approx([0.26])


def test_jeffreys_rule_gives_the_distribution(place: Path):
    found = probabilities(place, "--jeffrey", "test=12:30:0.4,other:0.6", "--variables", "test,ill")
    sick = 0.4 * 0.1 * 0.25 / (0.1 * 0.25 + 0.9 * 0.8) + 0.6 * 0.1 * 0.75 / (0.1 * 0.75 + 0.9 * 0.2)
    assert found == pytest.approx([0.4, 0.6, 1 - sick, sick])


def test_answers_show_the_variables_of_the_network_alone(place: Path):
    for question, lines in (("--mpe", 3), ("--samples", 5), ("--joint", 5)):
        value = {"--mpe": (), "--samples": ("4", "--seed", "1"), "--joint": ("ill,test",)}[question]
        done = run_here("query", "n.bif", "--likelihood", "ill=no:1,yes:2", question, *value, cwd=place)
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.splitlines()) == lines and b"likelihood" not in done.stdout
    done = run_here("query", "n.bif", "--likelihood", "ill=no:1,yes:2", "test=other", cwd=place)
    assert b"evidence on 2 of 2 variables" in done.stderr


def test_python_takes_dicts(place: Path):
    network = bnsl.read(place / "n.bif")
    found = network.query(likelihood={"ill": {"no": 0.2, "yes": 0.8}}, variables="ill").to_pylist()
    assert found == network.query(likelihood="ill=no:0.2,yes:0.8", variables="ill").to_pylist()
    found = network.query(jeffrey={"test": {"12:30": 0.4, "other": 0.6}}, variables="test").to_pylist()
    assert [row["probability"] for row in found] == pytest.approx([0.4, 0.6])
    with pytest.raises(bnsl.UsageError, match="dict of dicts"):
        network.query(likelihood={"ill": 0.3})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--likelihood ill=no:0.2", "'yes' has no number"),
        ("--likelihood ill=no:0.2,no:0.1", "two numbers"),
        ("--likelihood ill=no:0.2,maybe:0.1", "none of the states"),
        ("--likelihood ill=no:0.2,yes:-1", "at least 0"),
        ("--likelihood ill=no:0.2,yes", "none of the states"),
        ("--likelihood ill=no:0,yes:0", "all numbers are zero"),
        ("--likelihood ill=no:1,yes:2 ill=no", "ill is observed, too"),
        ("--likelihood ill=no:1,yes:2 --do ill=no", "ill is set by --do, too"),
        ("--likelihood ill=no:1,yes:2 --evidence d.csv", "not with --evidence TABLE"),
        ("--jeffrey ill=no:0.5,yes:0.6", "sum to 1.1, not 1"),
        ("--jeffrey ill=no:0.5,yes:0.5 --jeffrey test=12:30:0.5,other:0.5", "takes one variable"),
    ],
)
def test_refusals(place: Path, line: str, said: str):
    done = run_here("query", "n.bif", *line.split(), cwd=place)
    assert done.returncode in (2, 65)
    assert said in done.stderr.decode()
