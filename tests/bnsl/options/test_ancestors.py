"""Required and forbidden ancestors on the command line and from Python; what cannot keep them refuses."""

from __future__ import annotations

import json

import pytest
from helpers.processes import run_here

import bnsl

ROWS = "smoke,asia,lung,x1\n" + "".join(f"{i % 2},{(i // 2) % 2},{i % 2},{(i // 4) % 2}\n" for i in range(64))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "d.csv").write_text(ROWS)
    return tmp_path


def header(result) -> dict:
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[0])


def test_typed_in_a_file_and_as_patterns(folder):
    (folder / "k.txt").write_text("# known\nlung->x1\nlung ~> asia\n")
    command = "optimize", "-q", "--data", "d.csv", "--seed", "1"
    options = "--require", "@k.txt", "--require", "smoke~>lung", "--forbid", "x*~>a*"
    recorded = header(run_here(*command, *options, cwd=folder))["by"][-1]["options"]
    assert recorded["require"] == ["lung->x1", "smoke~>lung", "lung~>asia"]
    assert recorded["forbid"] == ["x1~>asia"]


def test_networks_carry_them(folder):
    command = (
        "optimize",
        "-q",
        "--data",
        "d.csv",
        "--hc",
        "--seed",
        "1",
        "--require",
        "smoke~>lung",
        "-o",
        "n.net.jsonl",
    )
    run_here(*command, cwd=folder)
    result = run_here("convert", "n.net.jsonl", "--to", "table", cwd=folder)
    assert b"lung    smoke" in result.stdout and b"knowledge" in result.stdout
    essential = run_here("convert", "-q", "n.net.jsonl", "--cpdag", "--to", "dot", cwd=folder)
    assert b'"smoke" -> "lung"' in essential.stdout and b"none" not in essential.stdout
    assert run_here("convert", "-q", "n.net.jsonl", "--class", "count", cwd=folder).stdout == b"1\n"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("optimize --data d.csv --tw 2 --require smoke~>lung", b"cannot be kept under --tw"),
        ("optimize --data d.csv --allow smoke~>lung", b"only arcs can be allowed"),
        ("optimize --data d.csv --require smoke~>lun", b"'lun' is no variable"),
        ("optimize --data d.csv --forbid lung~>lung", b"lung ~> lung is a loop"),
        ("optimize --data d.csv --save-sets s --proof p --forbid lung~>asia", b"leave out --proof"),
        ("parentsets d.csv --forbid lung~>asia", b"which ancestors (~>) do not limit"),
        ("posterior s.sets.jsonl --exact --forbid lung~>asia", b"use --sampled"),
        ("optimize s.sets.jsonl --forbid lung~>asia --tw 2 --kg", b"cannot be kept under --tw"),
        ("effects c.graphml --data d.csv --forbid lung~>asia", b"an essential graph takes arcs"),
        ("effects s.sets.jsonl --data d.csv --exact --forbid lung~>asia", b"use --sampled"),
    ],
)
def test_what_cannot_keep_them_refuses(folder, command: str, words: bytes):
    sets = run_here("parentsets", "-q", "d.csv", "--score", "bdeu", "--keep-mass", "0", cwd=folder)
    (folder / "s.sets.jsonl").write_bytes(sets.stdout)
    run_here("optimize", "-q", "--data", "d.csv", "--seed", "1", "-o", "n.net.jsonl", cwd=folder)
    run_here("convert", "-q", "n.net.jsonl", "--cpdag", "-o", "c.graphml", cwd=folder)
    result = run_here(*command.split(), cwd=folder)
    assert result.returncode != 0 and words in result.stderr


def test_saved_sets_record_arcs_alone(folder):
    command = (
        "optimize",
        "-q",
        "--data",
        "d.csv",
        "--seed",
        "1",
        "--save-sets",
        "s.sets.jsonl",
        "--forbid",
        "smoke~>lung",
    )
    run_here(*command, cwd=folder)
    saved = json.loads((folder / "s.sets.jsonl").read_text().splitlines()[0])
    assert saved["by"][-1]["options"]["forbid"] == ["smoke->lung"]


def test_from_python():
    table = {"a": [0, 1] * 40, "b": [0, 1] * 40, "c": [0, 0, 1, 1] * 20}
    network = bnsl.optimize(data=table, require=["b~>a", ("a", "c")], forbid="c~>b", seed=1, quiet=True)
    assert {("a", "c"), ("b", "a")} <= set(network.arcs)
    sets = bnsl.parentsets(table, score="bdeu", keep_mass=0, quiet=True)
    found = bnsl.posterior(sets, require="b~>a", samples=2000, seed=1, quiet=True).to_arrow().to_pylist()
    assert {row["probability"] for row in found if (row["parent"], row["child"]) == ("a", "b")} == {0.0}
