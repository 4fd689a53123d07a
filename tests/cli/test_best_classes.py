"""`--best-classes` from lists to a stream of networks."""

from __future__ import annotations

import json

import pytest
from helpers.processes import run_here

import bnsl

TABLE = {"a": [0, 1, 0, 1] * 20, "b": [0, 0, 1, 1] * 20, "c": [1, 0, 1, 0] * 19 + [0, 0, 1, 1]}


@pytest.fixture
def place(tmp_path):
    rows = zip(*TABLE.values(), strict=True)
    (tmp_path / "d.csv").write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    assert run_here(
        "parentsets", "--sequential", "--score", "bdeu", "--keep-mass", "0", "d.csv", "-o", "s.jsonl", cwd=tmp_path
    )
    return tmp_path


def said(place, *arguments: str) -> str:
    done = run_here(*arguments, cwd=place)
    assert done.returncode in (1, 2), done.stdout
    return done.stderr.decode()


def test_stream(place):
    done = run_here("optimize", "s.jsonl", "--best-classes", "100", "--seed", "1", cwd=place)
    assert done.returncode == 0
    # Three variables have 11 classes.
    assert b"there are 11 classes" in done.stderr and b"11 networks of the best classes" in done.stderr
    headers = [json.loads(line) for line in done.stdout.splitlines() if b'"format"' in line]
    assert [header["rank"] for header in headers] == list(range(1, 12))
    totals = [header["total"] for header in headers]
    assert totals == sorted(totals, reverse=True)
    best = run_here("optimize", "s.jsonl", "--seed", "1", cwd=place).stdout
    assert json.loads(best.splitlines()[0])["total"] == pytest.approx(totals[0])
    (place / "k.jsonl").write_bytes(done.stdout)
    assert run_here("average", "k.jsonl", cwd=place).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "d.csv"], "--best-classes does not go with method pricing"),
        (["s.jsonl", "--tw", "2"], "exact without --tw takes it"),
        (["s.jsonl", "--format", "table"], "--best-classes writes a stream"),
        (["s.jsonl", "--proof", "p.proof"], "leave out --start and --proof"),
    ],
)
def test_refusals(place, arguments, message):
    assert message in said(place, "optimize", *arguments, "--best-classes", "3")


def test_knowledge_and_keyword():
    sets = bnsl.parentsets(TABLE, score="bdeu", keep_mass=0, quiet=True)
    networks = bnsl.optimize(sets, best_classes=4, forbid=["a,b"], seed=1, quiet=True)
    assert len(networks) == 4 and all(("a", "b") not in network.arcs for network in networks)
