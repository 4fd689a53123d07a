"""Directions: what decides them, in strengths, tables and pictures."""

from __future__ import annotations

import csv
import itertools
import json
from pathlib import Path

import pytest
from helpers.processes import run_here

CHAIN = [[0, 1], [1, 2]]
"""a -> b -> c; equivalent networks turn both arcs, or the first one."""


def network(path: Path, arcs: list[list[int]], **options: object) -> str:
    """Write a network of the variables a, b, c as a search would."""
    header = {
        "format": "bnsl.network",
        "version": 1,
        "variables": [{"name": name} for name in "abc"],
        "by": [{"stage": "optimize", "version": "1", "options": options}],
    }
    records = [{"child": v, "parents": [[a for a, b in arcs if b == v]], "scores": [None]} for v in range(3)]
    path.write_text("".join(json.dumps(line) + "\n" for line in [header, *records]))
    return str(path)


@pytest.fixture
def equivalent(tmp_path) -> list[str]:
    """Two networks of one class, in which the first arc agrees and the other one does not."""
    return [
        network(tmp_path / f"{seed}.jsonl", arcs, seed=seed) for seed, arcs in ((1, CHAIN), (2, [[1, 0], [2, 1]]))
    ]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def test_reversible_arcs_have_no_direction_for_sure(equivalent, tmp_path):
    same = [equivalent[0], equivalent[0]]
    for networks in (same, equivalent):
        result = run_here("average", "-q", *networks, "--strengths", "s.csv", "--seed", "1", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        rows = rows_of((tmp_path / "s.csv").read_text())
        assert {(row["probability"], row["either"], row["direction"]) for row in rows} == {("0.5", "1.0", "neither")}
        records = [json.loads(line) for line in result.stdout.splitlines()]
        arcs = {(p, record["child"]) for record in records[1:] for p in record["parents"][0]}
        assert len(arcs) == 2 and arcs != {(0, 1), (2, 1)}  # no v-structure, which no network has
    run_here("average", "-q", *same, "--dag", "--strengths", "s.csv", "--seed", "1", cwd=tmp_path)
    rows = rows_of((tmp_path / "s.csv").read_text())
    assert [(row["probability"], row["direction"]) for row in rows] == [("1.0", "neither")] * 2


def test_pictures_show_heads_where_directions_are_decided(equivalent, tmp_path):
    learnt, known = equivalent[0], network(tmp_path / "known.jsonl", CHAIN, tiers=[["a"], ["b", "c"]])
    for source, option, heads in ((learnt, [], 0), (learnt, ["--dag"], 2), (learnt, ["--cpdag"], 0), (known, [], 2)):
        svg = run_here("convert", "-q", source, "--to", "svg", *option, cwd=tmp_path).stdout.decode()
        assert svg.count("marker-end") == heads and ("no head:" in svg) == (heads == 0)
        dot = run_here("convert", "-q", source, "--to", "dot", *option, cwd=tmp_path).stdout.decode()
        headless = dot.count("dir=none" if option == ["--cpdag"] else "arrowhead=none")
        assert headless == 2 - heads
    (tmp_path / "given.txt").write_text("[a][b|a][c|b]")
    assert run_here("convert", "-q", "given.txt", "--to", "svg", cwd=tmp_path).stdout.count(b"marker-end") == 2


def test_the_consensus_is_drawn_by_what_decides_in_the_networks(equivalent, tmp_path):
    consensus = run_here("average", "-q", *equivalent, "--seed", "1", "-o", "c.jsonl", cwd=tmp_path)
    assert consensus.returncode == 0
    svg = run_here("convert", "-q", "c.jsonl", "--to", "svg", cwd=tmp_path).stdout.decode()
    assert svg.count('class="head" opacity') == 0


def test_tables_say_what_decides(equivalent, tmp_path):
    collider = network(tmp_path / "collider.jsonl", [[0, 2], [1, 2]], forbid=["c->b"])
    for source, words in ((equivalent[0], ["neither"] * 2), (collider, ["data", "knowledge"])):
        rows = rows_of(run_here("convert", "-q", source, "--to", "arcs", cwd=tmp_path).stdout.decode())
        assert [row["direction"] for row in rows] == words
        text = run_here("convert", "-q", source, "--to", "table", cwd=tmp_path).stdout.decode()
        assert "direction" in text and all(word in text for word in words)
        text = run_here("convert", "-q", source, "--to", "table", "--dag", cwd=tmp_path).stdout.decode()
        assert "direction" not in text
    read = run_here("convert", "-q", "-", "--to", "modelstring", stdin=dot_of(equivalent[0]), cwd=tmp_path)
    assert read.stdout == b"[a][b|a][c|b]\n"


def dot_of(source: str) -> bytes:
    return run_here("convert", "-q", source, "--to", "dot").stdout


def test_a_part_keeps_what_decides_in_the_whole(tmp_path):
    collider = network(tmp_path / "collider.jsonl", [[0, 2], [1, 2]])
    part = run_here("convert", "-q", collider, "--neighbourhood", "a", "--to", "network", cwd=tmp_path).stdout
    assert json.loads(part.splitlines()[0])["directions"] == [[], ["data"]]


def test_the_essential_graph_is_under_the_knowledge_of_the_network(tmp_path):
    known = {"require": ["a->b"]}, {"forbid": ["b->a"]}, {"tiers": [["a"], ["b"]]}
    for options in known:
        source = network(tmp_path / "known.jsonl", CHAIN, **options)
        rows = rows_of(run_here("convert", "-q", source, "--to", "arcs", "--cpdag", cwd=tmp_path).stdout.decode())
        assert [row["type"] for row in rows] == ["directed"] * 2
    source = network(tmp_path / "known.jsonl", CHAIN, forbid={"number": 200_000, "digest": "sha256:0"})
    result = run_here("convert", "-q", source, "--to", "arcs", "--cpdag", cwd=tmp_path)
    assert result.returncode == 65 and b"does not record what --forbid was" in result.stderr


def test_a_network_against_its_own_knowledge_is_refused(tmp_path):
    source = network(tmp_path / "wrong.jsonl", CHAIN, forbid=["a->b"])
    result = run_here("convert", "-q", source, "--to", "dot", cwd=tmp_path)
    assert result.returncode == 65 and b"has the arc a -> b, which is forbidden" in result.stderr
    assert run_here("convert", "-q", source, "--to", "dot", "--dag", cwd=tmp_path).returncode == 0


def test_names_do_not_part_a_network_from_its_knowledge(tmp_path):
    (tmp_path / "d.csv").write_text("x,y,z\n0,0,1\n1,0,0\n0,1,1\n")
    for options, code in (({"require": ["a->b"]}, 2), ({}, 0)):
        source = network(tmp_path / "known.jsonl", CHAIN, **options)
        result = run_here("convert", "-q", source, "--names", "d.csv", "--to", "arcs", cwd=tmp_path)
        assert result.returncode == code, result.stderr
    assert result.stdout.startswith(b"from,to,direction\nx,y,neither")


def test_knowledge_of_all_networks_is_kept(tmp_path):
    tiers = [["a"], ["b", "c"]]
    sources = [network(tmp_path / f"{seed}.jsonl", CHAIN, tiers=tiers, forbid=["c->b"], seed=seed) for seed in (1, 2)]
    result = run_here("average", *sources, "--seed", "1", "--strengths", "s.arrows", "-o", "c.jsonl", cwd=tmp_path)
    assert result.returncode == 0 and b"warning" not in result.stderr
    options = json.loads((tmp_path / "c.jsonl").read_bytes().splitlines()[0])["by"][-1]["options"]
    assert options["tiers"] == tiers and options["forbid"] == ["c->b"]
    table = run_here("convert", "-q", "s.arrows", "--to", "table", cwd=tmp_path).stdout.decode()
    assert table.count("knowledge") == 2 and "neither" not in table
    other = network(tmp_path / "3.jsonl", CHAIN, tiers=tiers)
    for one, two in itertools.permutations([sources[0], other]):
        result = run_here("average", one, two, "--seed", "1", "-o", "c.jsonl", cwd=tmp_path)
        assert b"learnt under different knowledge" in result.stderr
        options = json.loads((tmp_path / "c.jsonl").read_bytes().splitlines()[0])["by"][-1]["options"]
        assert "tiers" not in options


def test_distances_from_an_essential_graph_are_those_from_the_network(tmp_path):
    truth, learnt = (
        network(tmp_path / "true.jsonl", [[0, 1], [1, 2]]),
        network(tmp_path / "l.jsonl", [[0, 2], [1, 2]]),
    )
    expected = run_here("evaluate", learnt, "--reference", truth, cwd=tmp_path)
    wanted = json.loads(expected.stdout)
    assert (wanted["shd"], wanted["drawn_true_positives"]) == (3, 1)
    run_here("average", "-q", learnt, "--strengths", "s.csv", "-o", "c.jsonl", cwd=tmp_path)
    for target in ("arcs", "dot", "graphml", "adjacency"):
        run_here("convert", "-q", truth, "--cpdag", "--to", target, "-o", "cpdag", cwd=tmp_path)
        result = run_here("evaluate", learnt, "--reference", "cpdag", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        found = json.loads(result.stdout)
        assert (found["shd"], found["skeleton_distance"]) == (wanted["shd"], wanted["skeleton_distance"])
        assert "drawn_true_positives" not in found
        result = run_here("evaluate", "--strengths", "s.csv", "--reference", "cpdag", cwd=tmp_path)
        assert set(json.loads(result.stdout)) == {"network", "variables", "pair_roc_area", "pair_pr_area"}


def test_distances_take_essential_graphs_alone(tmp_path):
    arcs = [[0, 1], [0, 2], [1, 2]]
    truth = network(tmp_path / "true.jsonl", arcs, require=["a->b"])
    run_here("convert", "-q", truth, "--cpdag", "--to", "arcs", "-o", "oriented", cwd=tmp_path)
    kinds = {row["type"] for row in rows_of((tmp_path / "oriented").read_text())}
    assert kinds == {"directed", "undirected"}
    learnt = network(tmp_path / "l.jsonl", arcs)
    for words in ((learnt, "--reference", "oriented"), ("oriented", "--reference", learnt)):
        result = run_here("evaluate", *words, cwd=tmp_path)
        assert (
            result.returncode == 65
            and b"oriented: this graph is not the essential graph of any network: a -> b" in result.stderr
        )
        assert b"bnsl convert --dag" in result.stderr
    run_here("convert", "-q", "oriented", "--dag", "--to", "arcs", "-o", "one", cwd=tmp_path)
    assert json.loads(run_here("evaluate", learnt, "--reference", "one", cwd=tmp_path).stdout)["shd"] == 0
    (tmp_path / "none.dot").write_text("digraph { a -> b; b -> c [dir=none] }")
    result = run_here("evaluate", truth, "--reference", "none.dot", cwd=tmp_path)
    assert (
        result.returncode == 65 and b"none.dot: this is no essential graph: beside its arcs, b -> c" in result.stderr
    )


def test_distances_under_interventions_take_graphs_under_the_same(tmp_path):
    known = network(tmp_path / "set.jsonl", CHAIN)
    header, *records = (tmp_path / "set.jsonl").read_text().splitlines()
    header = json.dumps(json.loads(header) | {"interventions": [[], [0]]})
    (tmp_path / "set.jsonl").write_text("\n".join([header, *records, ""]))
    run_here("convert", "-q", known, "--cpdag", "--to", "arcs", "-o", "same.csv", cwd=tmp_path)
    plain = network(tmp_path / "plain.jsonl", [[0, 1], [1, 2], [0, 2]])
    run_here("convert", "-q", plain, "--cpdag", "--to", "arcs", "-o", "other.csv", cwd=tmp_path)
    run_here("convert", "-q", network(tmp_path / "c.jsonl", CHAIN), "--cpdag", "--to", "dot", "-o", "c", cwd=tmp_path)
    found = run_here("evaluate", known, "--reference", "same.csv", cwd=tmp_path)
    assert json.loads(found.stdout)["shd"] == 0
    for name in ("other.csv", "c"):
        result = run_here("evaluate", known, "--reference", name, cwd=tmp_path)
        assert (
            result.returncode == 65
            and b"no direction in this graph, but the interventions decide it" in result.stderr
        )


def test_a_network_of_an_essential_graph_is_written(tmp_path):
    text = "from,to,type\nA,C,directed\nB,C,directed\nC,D,directed\nE,F,undirected\n"
    (tmp_path / "e.csv").write_text(text)
    done = run_here("convert", "e.csv", "--dag", "--to", "modelstring", cwd=tmp_path)
    assert done.stdout in (b"[A][C|A:B][B][D|C][E][F|E]\n", b"[A][C|A:B][B][D|C][E|F][F]\n"), done.stderr
    assert run_here("convert", "-q", "e.csv", "--class", "count", cwd=tmp_path).stdout == b"2\n"
    (tmp_path / "none.csv").write_text("from,to,type\nA,B,directed\nB,C,undirected\n")
    for words in (("--dag", "--to", "arcs"), ("--class", "count")):
        done = run_here("convert", "none.csv", *words, cwd=tmp_path)
        assert done.returncode == 65 and b"beside its arcs, B -> C cannot be undirected" in done.stderr
    (tmp_path / "m.csv").write_text("a,b\n0,1\n1,0\n")
    for name, line in (("e.csv", b":5"), ("m.csv", b":2")):
        done = run_here("convert", name, "--to", "modelstring", cwd=tmp_path)
        assert done.returncode == 65 and line in done.stderr and b"bnsl convert --dag" in done.stderr


def test_an_essential_graph_is_measured_as_its_class(tmp_path):
    (tmp_path / "d.csv").write_text("a,b,c\n" + "".join(f"{i % 2},{i // 2 % 2},{i // 3 % 2}\n" for i in range(30)))
    truth, learnt = network(tmp_path / "true.jsonl", [[0, 2], [1, 2]]), network(tmp_path / "l.jsonl", CHAIN)
    run_here("convert", "-q", learnt, "--cpdag", "--to", "dot", "-o", "cpdag.dot", cwd=tmp_path)
    options = ("--data", "d.csv", "--reference", truth)
    wanted, found = (
        json.loads(run_here("evaluate", source, *options, cwd=tmp_path).stdout) for source in (learnt, "cpdag.dot")
    )
    left_out = {"network", "max_parents", "drawn_true_positives", "drawn_false_positives", "drawn_false_negatives"}
    assert {name: value for name, value in wanted.items() if name not in left_out} == pytest.approx(
        {name: value for name, value in found.items() if name != "network"}
    )
    result = run_here("evaluate", "cpdag.dot", *options, "--score", "k2", cwd=tmp_path)
    assert result.returncode == 2 and b"--score k2 differs between equivalent networks" in result.stderr
    (tmp_path / "none.dot").write_text("digraph { a -> b; b -> c [dir=none] }")
    result = run_here("evaluate", "none.dot", cwd=tmp_path)
    assert result.returncode == 65 and b"b -> c cannot be undirected" in result.stderr


def test_a_table_of_probabilities_takes_neither_way_of_counting(equivalent, tmp_path):
    run_here("average", "-q", *equivalent, "--strengths", "s.arrows", "-o", "c.jsonl", cwd=tmp_path)
    for option in ("--cpdag", "--dag"):
        result = run_here("average", "s.arrows", option, cwd=tmp_path)
        assert result.returncode == 2 and b"leave out other files, --cpdag and --dag" in result.stderr
