"""Lists of arcs, which name no variable without arcs: another input names the rest."""

from __future__ import annotations

import json

import pytest
from helpers.processes import run_here

ROWS = "X,Y,Z\n" + "".join(f"{i % 2},{(i // 3) % 2},{(i * i) % 3 % 2}\n" for i in range(60))
SAID = b"is a list of arcs, which names no variable without one; from "


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "one.csv").write_text("from,to\nX,Y\n")
    (tmp_path / "none.csv").write_text("from,to\n")
    (tmp_path / "edge.csv").write_text("from,to,type\nX,Y,undirected\n")
    (tmp_path / "chain.txt").write_text("[X][Y|X][Z|Y]\n")
    (tmp_path / "d.csv").write_text(ROWS)
    return tmp_path


def measures(folder, *words: str) -> dict:
    result = run_here("evaluate", *words, cwd=folder)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count(SAID) == 1
    return json.loads(result.stdout)


def test_the_reference_names_the_rest(folder):
    found = measures(folder, "one.csv", "--reference", "chain.txt")
    assert (found["variables"], found["shd"], found["drawn_true_positives"], found["drawn_false_negatives"]) == (
        3,
        1,
        1,
        1,
    )
    found = measures(folder, "chain.txt", "--reference", "one.csv")
    assert (found["shd"], found["drawn_true_positives"], found["drawn_false_positives"]) == (1, 1, 1)
    assert measures(folder, "edge.csv", "--reference", "chain.txt")["shd"] == 1
    assert measures(folder, "none.csv", "--reference", "chain.txt")["shd"] == 2


def test_the_data_name_the_rest(folder):
    (folder / "empty.txt").write_text("[X][Y][Z]\n")
    result = run_here("evaluate", "empty.txt", "--data", "d.csv", cwd=folder)
    found = measures(folder, "none.csv", "--data", "d.csv")
    assert found["bic"] == json.loads(result.stdout)["bic"] and found["variables"] == 3
    assert measures(folder, "one.csv", "--data", "d.csv", "--test", "d.csv")["variables"] == 3


def test_the_reference_has_precedence_over_columns_that_it_does_not_name(folder):
    (folder / "pair.txt").write_text("[X][Y|X]\n")
    for source in ("one.csv", "none.csv"):
        result = run_here("evaluate", source, "--data", "d.csv", "--reference", "pair.txt", cwd=folder)
        assert json.loads(result.stdout)["variables"] == 2
        assert f"columns that {source} does not list are ignored: 'Z'".encode() in result.stderr


def test_nobody_names_the_variables_of_an_empty_list(folder):
    for words in (["evaluate", "none.csv"], ["convert", "none.csv", "--to", "dot"]):
        result = run_here(*words, cwd=folder)
        assert result.returncode == 65 and b"none.csv: the list of arcs is empty" in result.stderr


def test_strengths_fits_and_starts_take_the_rest_too(folder):
    run_here("average", "chain.txt", "--strengths", "s.arrows", "--seed", "1", "-o", "c.jsonl", cwd=folder)
    assert measures(folder, "--strengths", "s.arrows", "--reference", "one.csv")["variables"] == 3
    for words, header in (
        (["fit", "one.csv", "d.csv"], b"variable Z"),
        (["optimize", "--data", "d.csv", "--start", "none.csv", "--hc", "--seed", "1"], b'"Z"'),
    ):
        result = run_here(*words, cwd=folder)
        assert result.returncode == 0, result.stderr
        assert header in result.stdout and SAID in result.stderr
