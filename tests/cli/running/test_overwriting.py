"""No command writes over what it reads, however the file is called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers.processes import start_bnsl

from bnsl_cli.main import cli

TABLE = "a,b\n0,1\n1,0\n1,1\n0,0\n"
NETWORK = (
    '{"format":"bnsl.network","version":1,"variables":[{"name":"a"},{"name":"b"}]}\n'
    '{"child":0,"parents":[[]],"scores":[-1.0]}\n{"child":1,"parents":[[0]],"scores":[-2.0]}\n'
)
SETS = NETWORK.replace("network", "parentsets").replace("[[0]],", "[[]],")
BEFORE = {
    "d.csv": TABLE,
    "n.net.jsonl": NETWORK,
    "s.sets.jsonl": SETS,
    "d.part": TABLE,
    "arcs.csv": "a,b\n",
    "arcs": "a,b\n",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch) -> Path:
    for name, text in BEFORE.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link.csv").symlink_to("d.csv")
    os.link(tmp_path / "d.csv", tmp_path / "hard.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "parentsets d.csv -o d.csv",
        "parentsets d.csv -o ./d.csv",
        "parentsets d.csv -o link.csv",
        "parentsets link.csv -o d.csv",
        "parentsets d.csv -o hard.csv",
        "parentsets d.part -o d",
        "parentsets d.csv --screen s.sets.jsonl -o s.sets.jsonl",
        "parentsets d.csv --near n.net.jsonl -o n.net.jsonl",
        "parentsets d.csv --require @arcs.csv -o arcs.csv",
        "parentsets d.csv --forbid arcs --stats arcs",
        "parentsets d.csv --resume d.csv -o d.csv",
        "optimize --data d.csv -o d.csv",
        "optimize --data d.csv -o out --save-sets d.csv",
        "optimize s.sets.jsonl -o s.sets.jsonl",
        "optimize s.sets.jsonl --stats s.sets.jsonl",
        "optimize s.sets.jsonl --start d.csv -o d.csv",
        "optimize s.sets.jsonl --tiers arcs.csv -o arcs.csv",
        "optimize s.sets.jsonl -o out --stats ./out",
        "entropy d.csv -o d.csv",
        "screen --eps 1 d.csv -o d.csv",
        "evaluate n.net.jsonl -o n.net.jsonl",
        "evaluate n.net.jsonl --test d.csv -o hard.csv",
        "fit n.net.jsonl d.csv -o d.csv",
        "sample n.net.jsonl --rows 1 -o n.net.jsonl",
        "sample --random 2 --rows 1 -o out --network out",
        "convert n.net.jsonl --to dot -o n.net.jsonl",
        "convert d.csv --to csv -o d.csv",
        "convert s.sets.jsonl --names d.csv --to jkl -o d.csv",
        "discretize d.csv -o d.csv",
        "discretize d.csv --like hard.csv -o hard.csv",
    ],
)
def test_an_input_is_not_replaced(place: Path, words: str):
    result = CliRunner().invoke(cli, words.split())
    assert result.exit_code == 2, result.output
    assert "would replace" in result.output or "name the same file" in result.output
    assert {name: (place / name).read_text() for name in BEFORE} == BEFORE
    assert not (place / "out").exists()


def test_a_file_may_be_renewed_by_one_of_its_kind(place: Path):
    name = "n.net.jsonl"
    result = CliRunner().invoke(cli, ["convert", name, "-o", name])
    assert result.exit_code == 0, result.output
    assert (place / name).read_text().splitlines()[1:] == BEFORE[name].splitlines()[1:]


def test_an_input_behind_standard_streams_is_not_replaced(place: Path):
    with (place / "d.csv").open("rb") as stream:
        process = start_bnsl("parentsets", "-o", "d.csv", is_fresh=True, stdin=stream, cwd=place)
        process.communicate()
    assert process.returncode == 2
    with (place / "d.csv").open("ab") as stream:
        process = start_bnsl("parentsets", "d.csv", is_fresh=True, stdout=stream, cwd=place)
        process.communicate()
    assert process.returncode == 2
    assert (place / "d.csv").read_text() == TABLE
