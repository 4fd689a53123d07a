"""Rows with holes on the command line: what goes with --missing em and pairs, and what does not."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from bnsl_cli.main import cli

TABLE = "a,b,c\n0,1,0\n1,,1\n0,0,?\n1,1,1\n"
BLANK = "a,b,c\n0,1,\n1,,\n0,0,?\n1,1,\n"
NETWORK = "[a][b|a][c|b]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "holes.csv").write_text(TABLE)
    (tmp_path / "blank.csv").write_text(BLANK)
    (tmp_path / "network.txt").write_text(NETWORK)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("fit network.txt holes.csv --restarts 3", "--restarts needs --missing em"),
        ("fit network.txt holes.csv -j 2", "--jobs needs --missing em"),
        ("fit network.txt holes.csv --missing pairs", "'pairs' is not one of"),
        ("fit network.txt holes.csv", "missing cells in 2 columns"),
        ("fit network.txt blank.csv --missing em", "no cell is observed in 1 column: 'c'"),
        ("entropy holes.csv --missing em", "'em' is not one of"),
        ("parentsets holes.csv --missing pairs", "'pairs' is not one of"),
        ("evaluate network.txt --data holes.csv --missing em", "2 missing cells: scores and counts need complete"),
        ("parentsets holes.csv --missing drop --dry-run --stats s.json", "--stats has figures of a search"),
        ("optimize --data holes.csv --imputation drawn", "--imputation needs --missing em"),
        ("optimize --data holes.csv --rounds 3 --missing drop", "--rounds needs --missing em"),
        ("optimize sets.jsonl --missing em", "give --data DATA"),
        ("optimize sets.jsonl --data holes.csv --missing em", "SETS cannot be combined with --missing em"),
        ("optimize --data holes.csv --missing em --save-sets s.jsonl", "--save-sets cannot be combined with"),
        ("optimize --data holes.csv --bootstrap 2 --resample imputed", "needs --missing em"),
        ("optimize --data holes.csv --missing em --bootstrap 2 --resample imputed", "give --imputation drawn"),
        ("optimize --data blank.csv --missing em", "no cell is observed in 1 column: 'c'"),
    ],
)
def test_refused(command, message):
    result = CliRunner().invoke(cli, command.split())
    assert result.exit_code in (2, 65)
    assert message in " ".join(result.output.split()) + " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("whole.csv", {"rows": 2}),
        ("whole.csv --missing em", {"rows": 2}),
        ("holes.csv --missing drop", {"rows": 2}),
        ("holes.csv --missing em", {"rows": 4, "holes": 2}),
    ],
)
def test_stats_of_fitted_parameters(line, expected, tmp_path):
    (tmp_path / "whole.csv").write_text("a,b,c\n0,1,0\n1,0,1\n")
    result = CliRunner().invoke(cli, ["fit", "network.txt", *line.split(), "--stats", "stats.json"])
    assert result.exit_code == 0
    figures = json.loads((tmp_path / "stats.json").read_text())
    assert {key: figures.get(key) for key in ("rows", "holes")} == {"holes": None, **expected}


def test_available_pairs():
    result = CliRunner().invoke(cli, ["entropy", "holes.csv", "--missing", "pairs", "--format", "csv"])
    assert result.exit_code == 0
    # Three rows have a and b, and two of them b = 1.
    assert result.stdout.splitlines()[1].startswith("a,2,0.693147")


def test_a_table_without_holes_is_searched_as_a_complete_one(tmp_path):
    rows = [f"{i % 2},{i % 2 ^ (i % 7 == 0)},{i % 3}" for i in range(90)]
    (tmp_path / "whole.csv").write_text("\n".join(["a,b,c", *rows, ""]))
    command = ["optimize", "--data", "whole.csv", "--seed", "1"]
    plain, em = (
        json.loads(CliRunner().invoke(cli, [*command, *words]).stdout.splitlines()[0])
        for words in ([], ["--missing", "em"])
    )
    of_both = ("total", "gap", "bound_relative_to", "data")
    assert [em[key] for key in of_both] == [plain[key] for key in of_both]
    assert "observed_score" not in em
