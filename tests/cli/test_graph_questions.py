"""Questions of `bnsl query` about the graph: inputs, words of the answers, what is refused."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest
from helpers.places import ROOT
from helpers.processes import run_here
from naive.conditional_independence import likelihood_ratio

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


def test_front_doors_and_instruments_of_a_network_only(place: Path):
    (place / "m.txt").write_text("[u][e][s|u:e][t|s][c|u:t]\n")
    assert ask(place, "m.txt", "--effect", "s,c", "--by", "front-door") == [{"front_door_set": "t", "size": "1"}]
    rows = ask(place, "m.txt", "--effect", "s,c", "--by", "instruments")
    assert {"instrument": "e", "given": "", "size": "0"} in rows
    for arguments, message in [
        (("class.csv", "--effect", "a,d", "--by", "front-door"), "give one of them"),
        (("m.txt", "--effect", "s,c", "--by", "instruments", "--given", "e"), "--given goes with --by adjustment"),
        (("m.txt", "--separated", "s,c", "--by", "instruments"), "--by goes with --effect A,B"),
    ]:
        done = run_here("query", *arguments, cwd=place)
        assert done.returncode == 2 and message in done.stderr.decode()
    assert ask(place, "m.txt", "--effect", "s,c", "--by", "adjustment") == ask(place, "m.txt", "--effect", "s,c")


def test_adjustment_sets_of_a_network(place: Path):
    rows = ask(place, "n.txt", "--effect", "b,d")
    assert rows == [{"adjustment_set": "a", "size": "1", "minimal": "yes", "optimal": "yes"}]
    [row] = ask(place, "n.txt", "--effect", "b,d", "--given", "c")
    assert (row["valid"], row["reason"]) == ("no", "c: on a directed path or behind one")
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
    with pytest.raises(bnsl.UsageError, match="evidence does not go with separated"):
        network.query({"a": 1}, separated=["b", "d"])
    assert network.query(effect=("b", "d")).to_pylist()[0]["adjustment_set"] == "a"
    found = {row["variable"]: row for row in network.query(relatives="c").to_pylist()}
    assert [found[v]["relation"] for v in "abde"] == ["parent", "parent", "child", "descendant"]
    assert [found[v]["markov_blanket"] for v in "abde"] == ["yes", "yes", "yes", "no"]
    assert len(network.query(independencies=True).to_pylist()) == 4


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--separated a,b --effect a,b", "two questions"),
        ("--separated a", "two variables"),
        ("--separated a,a", "twice"),
        ("--separated a,b --given b", "b is given, too"),
        ("--given b", "--given goes with"),
        ("--separated a,z", "no variable 'z'"),
        ("--separated a,b --mpe", "--mpe does not go with --separated"),
        ("a=1 --relatives b", "does not go with --relatives"),
        ("--independencies --permutations 9", "--permutations goes with --independencies and --data DATA"),
        ("--separated a,b --data d.csv", "--data does not go with --separated"),
        ("--independencies --data d.csv --smoothing 1", "--smoothing does not go with --independencies"),
        ("--independencies --data d.csv --seed 1", "--seed does not go with --independencies"),
    ],
)
def test_refusals(place: Path, line: str, said: str):
    done = run_here("query", "n.txt", *line.split(), cwd=place)
    assert done.returncode in (2, 65)
    assert said in done.stderr.decode()


def test_ancestors_of_a_class_are_refused(place: Path):
    done = run_here("query", "class.csv", "--relatives", "a", cwd=place)
    assert done.returncode == 2 and b"differ in ancestors" in done.stderr


def test_independencies_are_tested_on_rows(place: Path):
    """The columns of the data are in another order than the variables of the network."""
    rng = random.Random(1)
    rows = [[rng.randrange(2) for _ in "edcba"] for _ in range(200)]
    rows = [[e, d, c, b, b] if k % 2 else [e, d, c, b, a] for k, (e, d, c, b, a) in enumerate(rows)]
    (place / "d.csv").write_text("e,d,c,b,a\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    columns = {name: [row[k] for row in rows] for k, name in enumerate("edcba")}
    network = bnsl.read(place / "n.txt")
    plain = network.query(independencies=True).to_pylist()
    tested = bnsl.query(network, independencies=True, data=str(place / "d.csv"), quiet=True).to_pylist()
    assert {tuple(row.values()) for row in plain} == {(row["first"], row["second"], row["given"]) for row in tested}
    for row in tested:
        given = [columns[name] for name in row["given"].split(",") if name]
        expected = likelihood_ratio(columns[row["first"]], columns[row["second"]], given)
        assert row["g2"] == pytest.approx(expected, abs=1e-9) and row["degrees"] == 2 ** len(given)
    assert [row["p_value"] for row in tested] == sorted(row["p_value"] for row in tested)
    drawn = run_here(
        *[
            "query",
            "n.txt",
            "--independencies",
            "--data",
            "d.csv",
            "--permutations",
            "19",
            "--seed",
            "1",
            "--format",
            "csv",
        ],
        cwd=place,
    )
    assert drawn.returncode == 0
    assert all(float(line["p_value"]) * 20 % 1 < 1e-9 for line in csv.DictReader(drawn.stdout.decode().splitlines()))
    assert b"4 tests on 200 rows" in drawn.stderr


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
