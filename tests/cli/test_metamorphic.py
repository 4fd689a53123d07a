"""What must not matter does not: order of columns and rows, labels, shards, threads; rows twice count twice."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from helpers.places import ROOT

from bnsl_cli.main import cli

TABLE = ROOT / "tests" / "cases" / "data" / "small.csv"
LIST = ("parentsets", "-q", "--sequential", "--max-parents", "2", "--seed", "1")


def run(*arguments: object) -> bytes:
    result = CliRunner().invoke(cli, [str(a) for a in arguments])
    assert result.exit_code == 0, result.stderr
    return result.stdout_bytes


def table() -> list[list[str]]:
    with TABLE.open(newline="") as stream:
        return list(csv.reader(stream))


def written(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def learnt(data: Path, *options: str) -> tuple[float, set[tuple[str, str]], Path]:
    """Total, arcs by names, and the file of the best network of listed sets."""
    sets, network = data.with_suffix(".sets.jsonl"), data.with_suffix(".net.jsonl")
    run(*LIST, *options, data, "-o", sets)
    run("optimize", "-q", "--exact", sets, "-o", network)
    arcs = run("convert", "-q", network, "--to", "arcs").decode().split()[1:]
    return (json.loads(network.read_text().splitlines()[0])["total"], {tuple(a.split(",")) for a in arcs}, network)


def renamed(rows: list[list[str]]) -> list[list[str]]:
    return [rows[0], *([f"s{9 - int(cell)}" for cell in row] for row in rows[1:])]


def shuffled_rows(rows: list[list[str]]) -> list[list[str]]:
    return [rows[0], *random.Random(1).sample(rows[1:], len(rows) - 1)]


def shuffled_columns(rows: list[list[str]]) -> list[list[str]]:
    order = random.Random(2).sample(range(len(rows[0])), len(rows[0]))
    return [[row[column] for column in order] for row in rows]


@pytest.mark.parametrize("score", ["bic", pytest.param("bdeu", marks=pytest.mark.slow)])
@pytest.mark.parametrize("change", [renamed, shuffled_rows, shuffled_columns])
def test_the_best_network_stays_the_best(change, score: str, tmp_path: Path):
    plain = learnt(written(tmp_path / "plain.csv", table()), "--score", score)
    other = learnt(written(tmp_path / "other.csv", change(table())), "--score", score)
    assert other[0] == pytest.approx(plain[0], rel=1e-12)
    # Equivalent networks score alike; the other one on the first data must score as the best one does.
    rows = written(tmp_path / "again.csv", table())
    if change is not renamed:
        found = json.loads(run("evaluate", "-q", other[2], "--data", rows, "--score", score, "--no-treewidth"))
        assert found[score] == pytest.approx(plain[0], rel=1e-12)
    else:
        assert set(map(frozenset, other[1])) == set(map(frozenset, plain[1]))


def test_rows_twice_count_twice(tmp_path: Path):
    rows = table()
    _, _, network = learnt(written(tmp_path / "once.csv", rows))
    twice = written(tmp_path / "twice.csv", [*rows, *rows[1:]])

    def likelihood(data: Path) -> float:
        return json.loads(run("evaluate", "-q", network, "--data", data, "--score", "ll", "--no-treewidth"))["ll"]

    assert likelihood(twice) == pytest.approx(2 * likelihood(tmp_path / "once.csv"), rel=1e-12)


@pytest.mark.parametrize("method", ["grow", "indep", "greedy", "sequential"])
def test_shards_and_threads_change_nothing(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    listed = ("parentsets", "-q", f"--{method}", "--evaluations", "40", "--seed", "3", TABLE)
    whole = run(*listed)
    assert run(*listed, "-j", "3") == whole
    parts = [tmp_path / f"{i}.sets.jsonl" for i in (1, 2, 3)]
    for i, part in enumerate(parts, 1):
        run(*listed, "--shard", f"{i}/3", "-o", part)
    made = [part.read_bytes() for part in parts]
    assert sorted(line for part in made for line in part.splitlines()[1:]) == sorted(whole.splitlines()[1:])

    def chosen(sets: bytes) -> Result:
        return CliRunner().invoke(cli, ["optimize", "-q", "--seed", "1", "--evaluations", "200"], input=sets)

    assert chosen(b"".join(reversed(made))).stdout == chosen(whole).stdout != ""
    lacking = chosen(b"".join(made[1:]))
    names = [variable["name"] for variable in json.loads(whole.splitlines()[0])["variables"]]
    missing = [names[json.loads(line)["child"]] for line in made[0].splitlines()[1:]]
    assert lacking.exit_code == 65
    assert f" variables arrived, without {', '.join(missing)}\n" in lacking.stderr
