"""The three JSON-lines formats: their grammar, stored samples and round trips."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from helpers.cases.jsonl import HEADER, RECORDS, read, stream_of
from helpers.format_strategies import headers, networks, record_lists
from helpers.places import SAMPLES
from helpers.tables import set_arrays
from hypothesis import given
from hypothesis import strategies as st
from naive.parent_set_files import checked_record

from formats.data_records import Variable
from formats.errors import FormatError, Malformed
from formats.graphs.network_files import open_network, write_network
from formats.json_lines.jsonl_writer import encode_header, encode_record
from formats.json_lines.screening_forests import open_forest, write_forest
from formats.records import Header, ParentSetRecord, ParentSetTable, ScreeningForest
from formats.schemas import FOREST, JSONL_FORMATS, RECORD_KEYS, VARIABLE_KEYS
from formats.sets.listed_sets import ListedSets
from formats.sets.parent_sets import open_parent_set_stream, open_parent_sets, write_parent_sets
from formats.sets.record_checks import RecordChecker

# ---- by hand


def test_arrays_of_a_small_file():
    table = read(HEADER, *RECORDS)
    assert table.header.names == ("a", "b", "c", "d")
    assert table.header.score == "bic"
    assert table.header.rows == 10
    assert table.set_offsets.tolist() == [0, 3, 4, 6, 7]
    assert table.scores.tolist() == [-1.5, -2.5, -3.5, -4.0, -5.25, -6.0, -7.0]
    assert table.parent_offsets.tolist() == [0, 2, 3, 3, 3, 4, 4, 5]
    assert table.parents.tolist() == [1, 3, 1, 0, 2]
    assert table.fixed.tolist() == [False, False, False, True]
    assert not table.complete.any()
    assert np.isnan(table.unlisted).all()
    dtypes = [a.dtype for a in (table.set_offsets, table.scores, table.parent_offsets, table.parents)]
    assert dtypes == [np.int64, np.float64, np.int64, np.int32]
    assert table.fixed.dtype == table.complete.dtype == np.bool_


def test_any_order_of_records_and_sets():
    shuffled = [{**RECORDS[0], "parents": [[], [3, 1], [1]], "scores": [-3.5, -1.5, -2.5]}, *RECORDS[:0:-1]]
    one, other = read(HEADER, *RECORDS), read(HEADER, *shuffled)
    for name in ("set_offsets", "scores", "parent_offsets", "parents", "fixed"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_ties_go_by_size_then_indices():
    record = {"child": 0, "parents": [[2, 3], [3], [], [1], [1, 2]], "scores": [-2, -2, -2, -1, -2]}
    table = read(HEADER, record, *RECORDS[1:])
    assert [table.parent_set(s) for s in range(5)] == [(1,), (), (3,), (1, 2), (2, 3)]


def test_writer_gives_the_grammar_of_the_contract(tmp_path):
    header = Header(
        (Variable("x", ("0", "1")), Variable("y")),
        "bdeu",
        7,
        "sha256:ab",
        1.0,
        ({"stage": "s", "version": "1", "options": {}},),
        "2024-01-01T00:00:00Z",
        {"interrupted": True},
    )
    records = [
        ParentSetRecord.of(0, ((1,), ()), (-1.5, -2.0), evaluated=2, complete=True),
        ParentSetRecord.of(1, ((),), (-0.1,), unlisted=-0.25, left_out=0.5, extra={"k": [1]}),
    ]
    assert write_parent_sets(tmp_path / "s.jsonl", header, iter(records)) == 2
    assert (tmp_path / "s.jsonl").read_text() == (
        '{"format":"bnsl.parentsets","version":1,"score":"bdeu","ess":1.0,"rows":7,'
        '"variables":[{"name":"x","states":["0","1"]},{"name":"y","states":null}],"data":"sha256:ab",'
        '"interrupted":true,"by":[{"stage":"s","version":"1","options":{}}],"created":"2024-01-01T00:00:00Z"}\n'
        '{"child":0,"parents":[[1],[]],"scores":[-1.5,-2.0],"evaluated":2,"complete":true}\n'
        '{"child":1,"parents":[[]],"scores":[-0.1],"unlisted":-0.25,"left_out":0.5,"k":[1]}\n'
    )


def test_stored_sample_of_version_1():
    table = open_parent_sets(str(SAMPLES / "sets.v1.jsonl"))
    assert table.set_offsets.tolist() == [0, 4, 5, 7]
    assert table.fixed.tolist() == [False, True, False]
    assert table.complete.tolist() == [True, False, False]
    assert table.unlisted[2] == -276.5
    assert table.header.variables[2] == Variable("Height", None)
    assert table.header.extra == {"note": "kept"}
    _, records = open_parent_set_stream(str(SAMPLES / "sets.v1.jsonl"))
    assert [r.child for r in records] == [0, 2, 1]


def test_stream_keeps_what_it_does_not_know():
    header, records = open_parent_set_stream(str(SAMPLES / "sets.v1.jsonl"))
    lines = [encode_header("bnsl.parentsets", header), *map(encode_record, records)]
    original = (SAMPLES / "sets.v1.jsonl").read_bytes().splitlines(keepends=True)
    assert [json.loads(line) for line in lines] == [json.loads(line) for line in original]


def test_stored_network_of_version_1(tmp_path):
    network = open_network(str(SAMPLES / "network.v1.jsonl"))
    assert network.parents == ((), (0,), (0,))
    assert network.scores.tolist() == [-260.5, -270.25, -270.5]
    assert network.header.ess == 10.0
    assert network.header.extra["total"] == -801.25
    assert network.header.extra["treewidth"]["elimination"] == [2, 1, 0]
    write_network(str(tmp_path / "again"), network)
    again = [json.loads(line) for line in (tmp_path / "again").read_bytes().splitlines()]
    assert again == [json.loads(line) for line in (SAMPLES / "network.v1.jsonl").read_bytes().splitlines()]


def test_a_network_is_a_parent_set_file_and_the_other_way_round():
    table = open_parent_sets(str(SAMPLES / "network.v1.jsonl"))
    assert table.set_offsets.tolist() == [0, 1, 2, 3]
    single = [
        {"child": c, "parents": [parents], "scores": [-1], "fixed": bool(parents)}
        for c, parents in enumerate([[1], [], [0], []])
    ]
    assert open_network(stream_of(HEADER, *single)).parents == ((1,), (), (0,), ())
    with pytest.raises(FormatError, match="variable 'a' lists 3 parent sets"):
        open_network(stream_of(HEADER, *RECORDS))


def test_stored_forest_of_version_1(tmp_path):
    forest = open_forest(str(SAMPLES / "forest.v1.jsonl"))
    assert forest.parents == {1: (0,), 2: (1,)}
    assert forest.scores == {2: -20.5}
    assert forest.header.extra == {"eps": 0.05, "relative": False}
    write_forest(str(tmp_path / "again"), forest)
    again = open_forest(str(tmp_path / "again"))
    assert (again.parents, again.scores, again.header) == (forest.parents, forest.scores, forest.header)
    with pytest.raises(Malformed, match="expected parent sets, this looks like a screening forest"):
        open_parent_sets(str(SAMPLES / "forest.v1.jsonl"))


def test_empty_forest(tmp_path):
    header = Header((Variable("a", ("0",)),))
    write_forest(str(tmp_path / "f"), ScreeningForest(header, {}, {}))
    assert open_forest(str(tmp_path / "f")).parents == {}


# ---- properties


@given(st.data())
def test_parent_sets_round_trip(tmp_path_factory, data):
    header = data.draw(headers())
    records = data.draw(record_lists(header))
    path = str(tmp_path_factory.getbasetemp() / "round_trip.jsonl")
    write_parent_sets(path, header, data.draw(st.permutations(records)))
    again, found = open_parent_set_stream(path)
    assert again == header
    assert sorted(found, key=lambda record: record.child) == records
    table, expected = open_parent_sets(path), ParentSetTable.from_records(header, records)
    theirs_by_name = set_arrays(expected)
    for name, ours in set_arrays(table).items():
        theirs = theirs_by_name[name]
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs, equal_nan=ours.dtype == np.float64)


@given(networks())
def test_network_round_trip(tmp_path_factory, network):
    path = str(tmp_path_factory.getbasetemp() / "round_trip.net.jsonl")
    write_network(path, network)
    again = open_network(path)
    assert (again.header, again.parents) == (network.header, network.parents)
    assert np.array_equal(again.scores, network.scores, equal_nan=True)


@given(
    n_variables=st.integers(1, 5),
    child=st.integers(-1, 5),
    pairs=st.lists(
        st.tuples(
            st.lists(st.integers(0, 4), max_size=3).map(tuple),
            st.sampled_from([-1.0, -1.0, -2.0, math.nan, math.inf]) | st.integers(-9, 0).map(float),
        ),
        max_size=5,
    ),
    missing_score=st.booleans(),
    fixed=st.booleans(),
)
def test_checker_agrees_with_the_plain_rules(n_variables, child, pairs, missing_score, fixed):
    parents = tuple(parent_set for parent_set, _ in pairs)
    scores = tuple(score for _, score in pairs)[: len(pairs) - missing_score if pairs else 0]
    expected = checked_record(n_variables, child, parents, scores, fixed)
    checker = RecordChecker(tuple(f"V{i}" for i in range(n_variables)))

    class Refused(Exception):
        pass

    def fail(message):
        raise Refused(message)

    try:
        sizes = np.array([len(parent_set) for parent_set in parents], dtype=np.int64)
        flat = np.array([p for parent_set in parents for p in parent_set], dtype=np.int64)
        listed = ListedSets.of_sizes(sizes, flat)
        record = checker.check(ParentSetRecord(child, listed, np.array(scores, np.float64), fixed=fixed), fail)
    except Refused:
        assert expected is None
    else:
        assert list(zip(record.parents, record.scores.tolist())) == expected


def test_the_schema_names_every_key_that_is_written():
    ends = {"interrupted": True, "ended": "time"}
    record = ParentSetRecord.of(
        0,
        ((1,),),
        (-1.0,),
        required=(1,),
        evaluated=5,
        fixed=True,
        complete=True,
        unlisted=-2.0,
        left_out=0.5,
        extra=ends,
    )
    assert {key.name for key in RECORD_KEYS} == set(json.loads(encode_record(record)))
    for name, spec in JSONL_FORMATS.items():
        if name == "bnsl.proof":  # whose header has numbers of its own
            continue
        variable = Variable("a", ("rare", "z"))
        header = Header((variable,), "bdeu", 1, "sha256:1", 1.0, (), "2024-01-01T00:00:00Z")
        written = json.loads(encode_header(name, header, 0 if spec is FOREST else None))
        assert set(written) <= {key.name for key in spec.header}
        assert {key.name for key in spec.header if key.required} <= set(written)
        assert set(written["variables"][0]) == {key.name for key in VARIABLE_KEYS}
