"""Merged labels: against a plain loop, in headers, and again in new rows."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from helpers.processes import run_here

import bnsl
from formats import open_dataset, open_network_or_model
from formats.data_records import Merging
from formats.errors import FormatError, UnsuitableData
from formats.tables.merged_labels import parse_merge

CITIES = ["Bern"] * 40 + ["Basel"] * 30 + [" Chur"] * 4 + ["Chur"] * 3 + ["Sion"] * 2 + ["Zug", ""]


def plain(cities: list[str], below: int) -> list[str]:
    """The merged label of each cell."""
    counts = Counter(city.strip() for city in cities)
    return [
        "rare" if city.strip() and city != "rare" and counts[city.strip()] < below else city.strip()
        for city in cities
    ]


def write(path, cities) -> str:
    rng = random.Random(1)
    lines = [f"{city},{'yes' if rng.random() < (0.9 if city == 'Bern' else 0.2) else 'no'}" for city in cities]
    path.write_text("\n".join(["city,sick", *lines, ""]))
    return str(path)


@pytest.mark.parametrize("below", [2, 3, 7, 8, 31])
@pytest.mark.parametrize("extra", [[], ["rare", "rare"], ["1", "1.0", "2"]])
def test_rare_labels_are_counted(tmp_path, below, extra):
    cities = [*CITIES, *extra]
    said = []
    rows = open_dataset(
        write(tmp_path / "d.csv", cities), merge=parse_merge(f"city=rare<{below}"), missing="state", note=said.append
    )
    city = rows.variables[0]
    found = [city.known_states[code] for code in rows.codes[0].tolist()]
    expected = [label or "NA" for label in plain(cities, below)]
    # Numbers in other spellings are one state, but labels of their own to a rule.
    assert [label.removesuffix(".0") for label in found] == [label.removesuffix(".0") for label in expected]
    merged = {c.strip() for c, label in zip(cities, expected) if label == "rare"} - {"rare"}
    assert set(city.merging.states["rare"]) == merged and city.merging.others == "rare"
    assert "merged into 'rare'" in said[0]


def test_a_rule_that_merges_nothing_says_so(tmp_path):
    said = []
    rows = open_dataset(
        write(tmp_path / "d.csv", ["a", "b"] * 9), merge=parse_merge("*=rare<3"), note=said.append, warn=said.append
    )
    assert rows.variables[0].merging is None and "merges none" in said[0]


def test_new_rows_are_merged_as_the_file_says(tmp_path):
    write(tmp_path / "d.csv", [c for c in CITIES if c])
    new = ["Bern", "Zug", "Thun", "Basel", "Chur"]
    write(tmp_path / "new.csv", new)
    write(tmp_path / "merged.csv", ["Bern", "rare", "rare", "Basel", "rare"])
    run = lambda *words: run_here(*words, cwd=tmp_path)  # noqa: E731
    learnt = run("optimize", "--data", "d.csv", "--merge", "city=rare<10", "--hc", "-o", "n.jsonl")
    assert learnt.returncode == 0, learnt.stderr
    again = run("fit", "n.jsonl", "d.csv", "--smoothing", "1", "-o", "f.net.jsonl")
    assert again.returncode == 0, again.stderr
    city = open_network_or_model(str(tmp_path / "f.net.jsonl")).variables[0]
    assert city.states == ("Basel", "Bern", "rare")
    assert city.merging == Merging({"rare": ("Chur", "Sion", "Zug")}, "rare")
    for words in (("--predict", "sick"), ("--predict", "city")):
        found, expected = (
            run("query", "f.net.jsonl", "--evidence", rows, *words) for rows in ("new.csv", "merged.csv")
        )
        assert found.returncode == 0 and found.stdout == expected.stdout
    # A new label: said.
    assert b"new labels in 1 cell, as 'Thun', are taken as 'rare'" in found.stderr
    totals = [
        json.loads(run("evaluate", "f.net.jsonl", "--data", "d.csv", "--test", rows, "--json").stdout)
        for rows in ("new.csv", "merged.csv")
    ]
    assert totals[0] == totals[1]
    both = [run("query", "f.net.jsonl", evidence).stdout for evidence in ("city=Zug", "city=rare")]
    assert both[0] == both[1] != b""
    refused = run("fit", "f.net.jsonl", "d.csv", "--merge", "city=rare<10")
    assert refused.returncode != 0 and b"says how its labels are merged" in refused.stderr


def test_lists_keep_what_is_merged(tmp_path):
    data = write(tmp_path / "d.csv", [c for c in CITIES if c])
    sets = bnsl.parentsets(data, merge="city=rare<10", quiet=True)
    network = bnsl.optimize(sets, quiet=True).fit(data, smoothing=1, quiet=True)
    found = network.predict({"city": ["Zug", "rare", "Thun"]}, "sick").to_pylist()
    assert found[0] == found[1] == found[2]


def test_labels_by_a_file_or_a_dict(tmp_path):
    data = write(tmp_path / "d.csv", [c for c in CITIES if c])
    mapping = {"city": {"south": ["Sion", "Zug"], "Bern": ["Basel"]}}
    (tmp_path / "m.json").write_text(json.dumps(mapping))
    by_file = bnsl.learn(data, merge=str(tmp_path / "m.json"), smoothing=1, quiet=True)
    by_dict = bnsl.learn(data, merge=mapping, smoothing=1, quiet=True)
    assert by_file.states == by_dict.states == {"city": ("Bern", "Chur", "south"), "sick": ("no", "yes")}
    assert (
        by_file.predict({"city": ["Zug"]}, "sick").to_pylist()
        == by_file.predict({"city": ["south"]}, "sick").to_pylist()
    )
    # A file, not a rule, may come to the states of a network.
    plain_one = bnsl.fit(by_file, {"city": ["Bern", "Chur", "south"], "sick": ["no", "yes", "no"]}, quiet=True)
    assert plain_one.states["city"] == ("Bern", "Chur", "south")


def test_the_classifier_takes_rare_labels():
    X = [[c.strip() or None] for c in CITIES]
    y = ["yes" if c == "Bern" else "no" for c in CITIES]
    model = bnsl.BayesianNetworkClassifier(merge="x0=rare<10").fit(X, y)
    assert model.predict([["Thun"], ["Bern"], ["Zug"]]).tolist() == ["no", "yes", "no"]


def test_declared_levels_without_rows_are_rare(tmp_path):
    pa = pytest.importorskip("pyarrow")
    levels = pa.array(["Bern", "Zug", "Sion", "Basel", "Thun"])
    cells = pa.DictionaryArray.from_arrays(pa.array([0] * 20 + [3] * 20 + [1]), levels)
    rows = open_dataset(write_table(tmp_path, cells), merge=parse_merge("city=rare<5"))
    assert rows.variables[0].states == ("Bern", "rare", "Basel")
    assert rows.variables[0].merging == Merging({"rare": ("Sion", "Thun", "Zug")}, "rare")


def write_table(folder, cells) -> str:
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"city": cells}), folder / "d.parquet")
    return str(folder / "d.parquet")


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("city=rare<1", ValueError, "merges nothing"),
        ("city=<9", ValueError, "merges nothing"),
        ("city=rare", ValueError, "neither a rule, like city=rare<10, nor a file"),
        ("{", FormatError, "no JSON"),
        ('{"city": ["a"]}', FormatError, "no object of columns"),
        ('{"city": {"a": []}}', FormatError, "needs a list of labels"),
        ('{"city": {"a": ["x"], "b": ["x"]}}', FormatError, "become two states: 'x'"),
    ],
)
def test_texts_that_are_no_rules(text, error, said):
    with pytest.raises(error, match=said):
        parse_merge(text)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["town=rare<9"], "no column 'town'"),
        (['{"town": {"a": ["b"]}}'], "not read"),
        (["city=rare<9", "*=rare<9"], "two rules"),
    ],
)
def test_rules_without_a_column(tmp_path, texts, said):
    rules = tuple(rule for text in texts for rule in parse_merge(text))
    with pytest.raises(UnsuitableData, match=said):
        open_dataset(write(tmp_path / "d.csv", CITIES[:-1]), merge=rules)


def test_a_header_must_merge_into_its_states(tmp_path):
    head = {
        "format": "bnsl.network",
        "version": 1,
        "variables": [{"name": "a", "states": ["x"], "merged": {"y": ["z"]}}],
    }
    (tmp_path / "n.jsonl").write_text(json.dumps(head) + '\n{"child": 0, "parents": [], "score": null}\n')
    with pytest.raises(FormatError, match="merged into 'y', which is none of its states"):
        open_network_or_model(str(tmp_path / "n.jsonl"))


def test_rows_that_are_left_out_are_not_counted(tmp_path):
    """C stands in 8 rows, in 4 of them beside a missing cell; D in such rows only."""
    path = tmp_path / "d.csv"
    rows = ["A,0", "B,1"] * 10 + ["C,", "C,1"] * 4 + ["D,"]
    path.write_text("\n".join(["city,y", *rows, ""]))
    said: list[str] = []
    read = open_dataset(str(path), merge=parse_merge("city=rare<6"), missing="drop", note=said.append)
    assert read.variables[0].merging is not None and read.variables[0].merging.states == {"rare": ("C",)}
    assert "1 label (4 rows) merged into 'rare'" in said[0]
    kept = open_dataset(str(path), merge=parse_merge("city=rare<6"), missing="state", note=said.append)
    assert kept.variables[0].merging is not None and kept.variables[0].merging.states == {"rare": ("D",)}
