"""`bnsl convert --class`: the number of equivalent networks, all of them, random ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.processes import run_here
from naive import networks as naive

import bnsl

CHAIN = "[a][b|a][c|b][d]\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "n.txt").write_text(CHAIN)
    return tmp_path


def run(place: Path, *arguments: str) -> str:
    done = run_here("convert", *arguments, cwd=place)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def networks(text: str) -> list[tuple[tuple[int, ...], ...]]:
    found: list[list[tuple[int, ...]]] = []
    for fields in map(json.loads, text.splitlines()):
        if "format" in fields:
            assert "total" not in fields
            found.append([])
        else:
            assert fields["scores"] == [None]
            found[-1].append(tuple(fields["parents"][0]))
    return [tuple(parents) for parents in found]


def test_all_and_their_number(place):
    parents = ((), (0,), (1,), ())
    (members,) = [m for m in naive.equivalence_classes(4) if parents in m]
    assert run(place, "n.txt", "--class", "count") == "3\n"
    assert sorted(networks(run(place, "n.txt", "--class", "all"))) == sorted(members)
    run(place, "n.txt", "--class", "all", "-o", "all.jsonl")
    assert sorted(networks((place / "all.jsonl").read_text())) == sorted(members)


def test_draws_repeat_with_their_seed(place):
    first, second = (run(place, "n.txt", "--class", "20", "--seed", "7") for _ in range(2))
    assert first == second and len(networks(first)) == 20 and len(set(networks(first))) == 3


def test_of_an_essential_graph_and_of_one_with_knowledge(place):
    run(place, "n.txt", "--cpdag", "--to", "arcs", "-o", "e.csv")
    assert run(place, "e.csv", "--class", "count") == "3\n"
    table = {"a": [0, 1] * 30, "b": [0, 1] * 27 + [1, 0] * 3, "c": [0, 1] * 24 + [1, 0] * 6}
    free = bnsl.optimize(data=table, seed=1, quiet=True)
    known = bnsl.optimize(data=table, require=free.arcs[0], seed=1, quiet=True)
    assert free.class_size > known.class_size == len(known.class_members())
    assert all(free.arcs[0] in member.arcs for member in known.class_members(draw=9, seed=2))
    assert {tuple(m.arcs) for m in free.class_members()} == {
        tuple(m.arcs) for m in free.class_members(draw=99, seed=1)
    }


def test_members_score_alike(place):
    table = {"a": [0, 1] * 30, "b": [0, 1] * 27 + [1, 0] * 3, "c": [0, 1] * 24 + [1, 0] * 6}
    free = bnsl.optimize(data=table, score="bdeu", seed=1, quiet=True)
    totals = [bnsl.evaluate(m, data=table, score="bdeu", quiet=True)[0]["bdeu"] for m in free.class_members()]
    assert totals == pytest.approx([free.score] * free.class_size, rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--class", "0"), "is not all, count or a number of networks from 1"),
        (("--class", "some"), "is not all, count or a number of networks from 1"),
        (("--class", "all", "--cpdag"), "--class cannot be combined with --cpdag"),
        (("--class", "all", "--markov-blanket", "a"), "--class cannot be combined with --markov-blanket"),
        (("--class", "all", "--to", "dot"), "--class writes a stream of networks"),
        (("--class", "all", "--seed", "1"), "--seed needs --class N"),
        (("--to", "dot", "--seed", "1"), "--seed needs --class N"),
    ],
)
def test_refusals(place, arguments, message):
    done = run_here("convert", "n.txt", *arguments, cwd=place)
    assert done.returncode == 2 and message in done.stderr.decode()


def test_a_class_too_large_to_write(tmp_path):
    text = "[x0]" + "".join(f"[x{v}|{':'.join(f'x{p}' for p in range(v))}]" for v in range(1, 8))
    (tmp_path / "n.txt").write_text(text)
    done = run_here("convert", "n.txt", "--class", "all", cwd=tmp_path)
    assert done.returncode == 2 and b"the class has 40,320 networks" in done.stderr
    assert run(tmp_path, "n.txt", "--class", "count") == "40320\n"
