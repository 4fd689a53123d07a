"""Questions of `bnsl query` about the graph: inputs, words of the answers, what is refused."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from helpers.places import ROOT
from helpers.processes import run_here

import bnsl


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "n.txt").write_text("[a][b|a][c|a:b][d|c][e|b:d]\n")
    done = run_here("convert", "n.txt", "--to", "arcs", "--cpdag", "-o", "class.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def ask(place: Path, *arguments: str) -> list[dict[str, str]]:
    done = run_here("query", *arguments, cwd=place)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def test_separation_shows_an_open_path(place: Path):
    [row] = ask(place, "n.txt", "--separated", "a,d", "--given", "c")
    assert (row["separated"], row["open_path"]) == ("yes", "")
    [row] = ask(place, "n.txt", "--separated", "a,d", "--given", "c,e")
    assert (row["separated"], row["open_path"]) == ("no", "a -> b -> e <- d")


def test_adjustment_sets_of_a_network(place: Path):
    rows = ask(place, "n.txt", "--effect", "b,d")
    assert rows == [{"adjustment_set": "a", "size": "1", "minimal": "yes", "optimal": "yes"}]
    [row] = ask(place, "n.txt", "--effect", "b,d", "--given", "c")
    assert (row["valid"], row["reason"]) == ("no", "c lies on a directed path or behind one")
    [row] = ask(place, "n.txt", "--effect", "d,e", "--given", "a")
    assert (row["valid"], row["reason"]) == ("no", "d <- c <- b -> e is open")


def test_a_class_has_the_sets_of_all_its_networks(place: Path):
    done = run_here("query", "class.csv", "--effect", "b,d", cwd=place)
    assert b"not identified: b - " in done.stderr
    [row] = ask(place, "class.csv", "--effect", "b,d", "--given", "a")
    assert row["valid"] == "no"
    (place / "other.csv").write_text("from,to,type\na,c,directed\nb,c,directed\nc,d,directed\na,e,undirected\n")
    rows = ask(place, "other.csv", "--effect", "a,d")
    assert [(row["adjustment_set"], row["minimal"], row["optimal"]) for row in rows] == [
        ("", "yes", "no"),
        ("b", "no", "yes"),
    ]


def test_no_effect_without_a_directed_path(place: Path):
    done = run_here("query", "n.txt", "--effect", "e,a", cwd=place)
    assert b"e has no directed path to a, so no effect on it; 2 minimal" in done.stderr


def test_graphs_directed_by_knowledge_are_refused(place: Path):
    (place / "known.csv").write_text("from,to,type\na,b,directed\na,c,undirected\nb,c,undirected\n")
    done = run_here("query", "known.csv", "--effect", "a,b", cwd=place)
    assert done.returncode == 2 and b"knowledge or interventions have directed arcs" in done.stderr


def test_python_takes_the_same_questions(place: Path):
    network = bnsl.read(place / "n.txt")
    assert network.query(separated=["a", "d"], given="c").to_pylist()[0]["separated"] == "yes"
    assert network.query({}, separated=["a", "d"], given="c").to_pylist()[0]["separated"] == "yes"
    with pytest.raises(bnsl.UsageError, match="evidence cannot be combined with separated"):
        network.query({"a": 1}, separated=["b", "d"])
    assert network.query(effect=("b", "d")).to_pylist()[0]["adjustment_set"] == "a"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--separated a,b --effect a,b", "two questions"),
        ("--separated a", "two variables"),
        ("--separated a,a", "twice"),
        ("--separated a,b --given b", "--separated and --given both name b"),
        ("--given b", "--given needs --separated or --effect"),
        ("--separated a,z", "no variable 'z'"),
        ("--separated a,b --mpe", "--mpe cannot be combined with --separated"),
        ("a=1 --effect a,b", "cannot be combined with --effect"),
        ("--separated a,b --data d.csv", "--data cannot be combined with --separated"),
        ("--separated a,b --seed 1", "--seed cannot be combined with --separated"),
    ],
)
def test_refusals(place: Path, line: str, said: str):
    done = run_here("query", "n.txt", *line.split(), cwd=place)
    assert done.returncode in (2, 65)
    assert said in done.stderr.decode()


def test_questions_take_patterns_and_ranges():
    network = bnsl.read(ROOT / "bnsl" / "bundled" / "asia.bif")
    found = bnsl.query(network, variables=["l*", "x*"], quiet=True).to_pylist()
    assert {row["variable"] for row in found} == {"lung", "xray"}
    found = bnsl.query(network, variables=["tub..lung"], quiet=True).to_pylist()
    assert {row["variable"] for row in found} == {"tub", "smoke", "lung"}
    predicted = bnsl.query(network, table={"smoke": ["yes"], "dysp": ["no"]}, predict=["x*"], quiet=True)
    assert any("xray" in name for name in predicted.column_names)
    [row] = bnsl.query(network, separated=["as*", "smo*"], quiet=True).to_pylist()
    assert (row["first"], row["second"], row["separated"]) == ("asia", "smoke", "yes")
    with pytest.raises(bnsl.DataError, match=r"no variable 'z\*'"):
        bnsl.query(network, variables=["z*"], quiet=True)
