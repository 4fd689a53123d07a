"""The three JSON-lines formats: every rule of the contract, round trips, hostile input."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from format_strategies import headers, networks, record_lists
from hypothesis import given
from hypothesis import strategies as st
from naive.parent_set_files import checked_record

from formats import textlines
from formats.errors import FormatError, Inconsistent, Malformed, Truncated, UnknownVersion
from formats.jsonl import encode_header, encode_record
from formats.networks import open_forest, open_network, write_forest, write_network
from formats.parent_sets import open_parent_set_stream, open_parent_sets, write_parent_sets
from formats.records import Forest, Header, Network, ParentSetRecord, ParentSetTable, Variable
from formats.schemas import FOREST, JSONL_FORMATS, RECORD_KEYS, VARIABLE_KEYS
from formats.setblocks import BlockChecker, block_of

SAMPLES = Path(__file__).parent / "data" / "formats"
HEADER = {
    "format": "bnsl.parentsets",
    "version": 1,
    "score": "bic",
    "rows": 10,
    "variables": [{"name": name, "states": ["0", "1"]} for name in "abcd"],
    "data": "sha256:1",
}
RECORDS = [
    {"child": 0, "parents": [[1, 3], [1], []], "scores": [-1.5, -2.5, -3.5]},
    {"child": 1, "parents": [[]], "scores": [-4]},
    {"child": 2, "parents": [[0], []], "scores": [-5.25, -6]},
    {"child": 3, "parents": [[2]], "scores": [-7.0], "fixed": True},
]


def stream_of(*objects, end="\n") -> io.BytesIO:
    texts = [item if isinstance(item, str) else json.dumps(item) for item in objects]
    return io.BytesIO(("\n".join(texts) + end).encode())


def read(*objects, end="\n", **options) -> ParentSetTable:
    return open_parent_sets(stream_of(*objects, end=end), **options)


def changed(index: int, **changes) -> list[dict]:
    """The sample records with one of them changed; a value of None removes a key."""
    records = [dict(record) for record in RECORDS]
    records[index] = {k: v for k, v in (records[index] | changes).items() if v is not None}
    return records


def message_of(error_type, *objects, end="\n", **options) -> str:
    with pytest.raises(error_type) as caught:
        read(*objects, end=end, **options)
    return str(caught.value)


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
        ParentSetRecord(0, ((1,), ()), (-1.5, -2.0), evaluated=2, complete=True),
        ParentSetRecord(1, ((),), (-0.1,), unlisted=-0.25, extra={"k": [1]}),
    ]
    assert write_parent_sets(tmp_path / "s.jsonl", header, iter(records)) == 2
    assert (tmp_path / "s.jsonl").read_text() == (
        '{"format":"bnsl.parentsets","version":1,"score":"bdeu","ess":1.0,"rows":7,'
        '"variables":[{"name":"x","states":["0","1"]},{"name":"y","states":null}],"data":"sha256:ab",'
        '"interrupted":true,"by":[{"stage":"s","version":"1","options":{}}],"created":"2024-01-01T00:00:00Z"}\n'
        '{"child":0,"parents":[[1],[]],"scores":[-1.5,-2.0],"evaluated":2,"complete":true}\n'
        '{"child":1,"parents":[[]],"scores":[-0.1],"unlisted":-0.25,"k":[1]}\n'
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
    assert forest.parents == {1: 0, 2: 1}
    assert forest.scores == {2: -20.5}
    assert forest.header.extra == {"eps": 0.05, "relative": False}
    write_forest(str(tmp_path / "again"), forest)
    again = open_forest(str(tmp_path / "again"))
    assert (again.parents, again.scores, again.header) == (forest.parents, forest.scores, forest.header)
    with pytest.raises(Malformed, match="expected parent sets, this looks like a screening forest"):
        open_parent_sets(str(SAMPLES / "forest.v1.jsonl"))


def test_empty_forest(tmp_path):
    header = Header((Variable("a", ("0",)),))
    write_forest(str(tmp_path / "f"), Forest(header, {}, {}))
    assert open_forest(str(tmp_path / "f")).parents == {}


# ---- the rules of the contract, each broken once


@pytest.mark.parametrize(
    "index, changes, expected",
    [
        (0, {"child": 4}, "child index 4 but the header declares 4 variables (0-3)"),
        (0, {"child": -1}, "child index -1 but"),
        (0, {"parents": [[1, 4], [1], []]}, "parent index 4 but the header declares 4 variables (0-3)"),
        (0, {"parents": [[1, -2], [1], []]}, "parent index -2 but"),
        (0, {"parents": [[1, 2**70], [1], []]}, "parent index"),
        (0, {"parents": [[1, 2**63], [1], []]}, "parent index 9223372036854775808 is out of range"),
        (0, {"parents": [[0, 1], [1], []]}, "variable 'a' is among its own parents"),
        (0, {"parents": [[1, 1], [1], []]}, "parent set 1 names a parent twice (b, b)"),
        (0, {"parents": [[1, 3], [3, 1], []]}, "lists the set {b, d} twice (as sets 1 and 2)"),
        (0, {"parents": [[], [1], []]}, "lists the set {} twice (as sets 1 and 3)"),
        (0, {"parents": [[1, 3], [1], [2]]}, "variable 'a' does not list the empty parent set"),
        (0, {"parents": [[1], []]}, "2 parent sets but 3 scores"),
        (0, {"parents": [], "scores": []}, "lists no parent set"),
        (0, {"scores": [-1.5, None, -3.5]}, "score 2 is null, not a number"),
        (0, {"scores": [-1.5, "-2", -3.5]}, "score 2 is string, not a number"),
        (0, {"scores": [-1.5, True, -3.5]}, "score 2 is boolean, not a number"),
        (0, {"parents": [[1, 2.0], [1], []]}, "parent index 2.0 is number, not an integer"),
        (0, {"parents": [[True], [1], []]}, "parent index True is boolean, not an integer"),
        (0, {"parents": [["1"], [1], []]}, "parent index '1' is string, not an integer"),
        (0, {"parents": [1, [1], []]}, "parent set 1 is integer, not a list"),
        (0, {"parents": {"0": 1}}, "key 'parents' must be of type list, not object"),
        (0, {"child": None}, "no key 'child'"),
        (0, {"child": "0"}, "key 'child' must be of type integer, not string"),
        (0, {"child": True}, "key 'child' must be of type integer, not boolean"),
        (0, {"scores": None}, "no key 'scores'"),
        (0, {"fixed": 1}, "key 'fixed' must be of type boolean, not integer"),
        (0, {"unlisted": "low"}, "key 'unlisted' must be of type number, not string"),
        (0, {"fixed": True}, "3 parent sets; a fixed record lists exactly one"),
        (3, {"fixed": False}, "variable 'd' does not list the empty parent set"),
    ],
)
def test_broken_records(index, changes, expected):
    message = message_of(FormatError, HEADER, *changed(index, **changes))
    assert expected in message
    assert message.startswith(f"<stream>:{index + 2}: ")


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_non_finite_literals(literal):
    message = message_of(
        Malformed, HEADER, f'{{"child":0,"parents":[[]],"scores":[{literal}]}}', *RECORDS[1:]
    )
    assert message.startswith("<stream>:2: ") and "must be finite" in message


def test_scores_too_large_for_a_double():
    text = '{"child":0,"parents":[[]],"scores":[-1e999]}'
    message_of(FormatError, HEADER, text, *RECORDS[1:])


@pytest.mark.parametrize(
    "changes, expected",
    [
        ({"format": None}, "the first line is not a header"),
        ({"format": "bnsl.parentset"}, "unknown format 'bnsl.parentset'"),
        ({"format": ["bnsl.parentsets"]}, "unknown format ['bnsl.parentsets']"),
        ({"variables": None}, "no key 'variables'"),
        ({"variables": []}, "declares no variables"),
        ({"variables": ["a"]}, "variable 0 of the header must be an object"),
        ({"variables": [{"states": None}]}, "variable 0 of the header: no key 'name'"),
        ({"variables": [{"name": "a"}, {"name": "a"}]}, "have the same name 'a'"),
        ({"variables": [{"name": "a", "states": ["0", "0"]}]}, "two states have the same label"),
        ({"variables": [{"name": "a", "states": [0, 1]}]}, "states must be a list of strings"),
        ({"variables": [{"name": "a", "states": []}]}, "states must be a list of strings"),
        ({"score": 3}, "key 'score' must be of type string"),
        ({"rows": "10"}, "key 'rows' must be of type integer"),
        ({"by": [3]}, "'by' must be a list of objects"),
    ],
)
def test_broken_headers(changes, expected):
    header = {k: v for k, v in (HEADER | changes).items() if v is not None}
    message = message_of(Malformed, header, *RECORDS)
    assert expected in message
    assert message.startswith("<stream>:1: ")


@pytest.mark.parametrize("version", [0, 2, "1", True, 1.5])
def test_unknown_versions(version):
    message = message_of(UnknownVersion, HEADER | {"version": version}, *RECORDS)
    assert f"version {version} of bnsl.parentsets; this release reads version 1" in message


def test_network_rules():
    header = HEADER | {"format": "bnsl.network"}
    records = [{"child": c, "parents": [[(c + 1) % 4]], "scores": [-1]} for c in range(4)]
    with pytest.raises(Inconsistent, match=r"the arcs form a cycle: "):
        open_network(stream_of(header, *records))
    two_sets = {"child": 3, "parents": [[0], []], "scores": [-1, -2]}
    with pytest.raises(Inconsistent, match="has 2 parent sets; a network lists exactly one"):
        open_network(stream_of(header, *records[:3], two_sets))
    assert open_parent_sets(stream_of(header, *records)).n_sets == 4


def test_unknown_scores_of_a_network(tmp_path):
    network = Network(Header((Variable("a"), Variable("b"))), ((), (0,)), np.array([math.nan, -2.0]))
    write_network(str(tmp_path / "n"), network)
    assert '"scores":[null]' in (tmp_path / "n").read_text()
    again = open_network(str(tmp_path / "n"))
    assert np.array_equal(again.scores, network.scores, equal_nan=True)
    with pytest.raises(FormatError, match="score 1 is null"):
        open_parent_sets(str(tmp_path / "n"))


def test_forest_rules():
    header = HEADER | {"format": "bnsl.forest", "records": 2}
    records = [{"child": 0, "parents": [[1]], "scores": [-1]}, {"child": 1, "parents": [[0]], "scores": [-1]}]
    with pytest.raises(Inconsistent, match="the arcs form a cycle: "):
        open_forest(stream_of(header, *records))
    with pytest.raises(FormatError, match="variable 'b' has 2 parents; a forest gives each one"):
        open_forest(stream_of(header, records[0], {"child": 1, "parents": [[2, 3]], "scores": [-1]}))
    with pytest.raises(Truncated, match="1 of 2 variables arrived"):
        open_forest(stream_of(header, records[0]))
    with pytest.raises(Inconsistent, match="2 records but the header announces 1"):
        open_forest(stream_of(header | {"records": 1}, records[0], {**records[1], "parents": [[2]]}))
    with pytest.raises(Malformed, match="announces 9 records for 4 variables"):
        open_forest(stream_of(header | {"records": 9}))
    with pytest.raises(Malformed, match="no key 'records'"):
        open_forest(stream_of(HEADER | {"format": "bnsl.forest"}))


# ---- concatenation


def test_concatenated_shards():
    whole = read(HEADER, *RECORDS)
    joined = read(HEADER, *RECORDS[:2], HEADER | {"created": "later"}, *RECORDS[2:])
    assert np.array_equal(whole.scores, joined.scores)
    assert np.array_equal(whole.parents, joined.parents)


def test_the_same_child_twice():
    assert read(HEADER, *RECORDS, HEADER, *RECORDS).n_sets == 7
    reordered = {**RECORDS[0], "parents": [[], [1, 3], [1]], "scores": [-3.5, -1.5, -2.5]}
    assert read(HEADER, *RECORDS, reordered).n_sets == 7
    message = message_of(Inconsistent, HEADER, *RECORDS, {**RECORDS[0], "scores": [-1.5, -2.5, -3.6]})
    assert message == "<stream>:6: variable 'a' comes twice with different content (first in line 2)"
    message_of(Inconsistent, HEADER, *RECORDS, {**RECORDS[0], "complete": True})
    _, records = open_parent_set_stream(stream_of(HEADER, *RECORDS, *RECORDS))
    assert [record.child for record in records] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"score": "aic"}, "'score'"),
        ({"rows": 11}, "'rows'"),
        ({"data": None}, "'data'"),
        ({"ess": 1.0}, "'ess'"),
        ({"format": "bnsl.network"}, "'format'"),
        ({"variables": HEADER["variables"][:3]}, "'number of variables'"),
        ({"variables": [*HEADER["variables"][:3], {"name": "e"}]}, "'variables[3].name'"),
        ({"variables": [{"name": "a"}, *HEADER["variables"][1:]]}, "'variables[0].states'"),
    ],
)
def test_further_header_must_agree(changes, field):
    message = message_of(Inconsistent, HEADER, *RECORDS, HEADER | changes, *RECORDS)
    assert message.startswith(f"<stream>:6: a further header disagrees with the first in {field}")


# ---- cut, damaged, foreign


def test_cut_at_every_line():
    for n_lines in range(1, 5):
        message = message_of(Truncated, HEADER, *RECORDS[: n_lines - 1])
        assert f"the stream ends early: {n_lines - 1} of 4 variables arrived" in message
        assert "--partial" in message
        table = read(HEADER, *RECORDS[: n_lines - 1], partial=True)
        assert table.n_variables == 4
        assert np.diff(table.set_offsets).tolist() == [3, 1, 2, 1][: n_lines - 1] + [0] * (5 - n_lines)


def test_cut_at_every_byte():
    whole = stream_of(HEADER, *RECORDS).getvalue()
    header_end = whole.index(b"\n")
    for size in range(len(whole) - 1):
        with pytest.raises(FormatError) as caught:
            open_parent_sets(io.BytesIO(whole[:size]))
        if size:
            assert isinstance(caught.value, Truncated), size
            assert ("inside its header" in str(caught.value)) == (size < header_end)
        if size >= header_end:
            n_whole = whole[: size + 1].count(b"\n") - 1
            assert f"{n_whole} of 4 variables arrived" in str(caught.value)
            partial = open_parent_sets(io.BytesIO(whole[:size]), partial=True)
            assert np.count_nonzero(np.diff(partial.set_offsets)) == n_whole
    # without its last line end a file is still whole
    assert open_parent_sets(io.BytesIO(whole[:-1])).n_sets == 7


def test_cut_gzip(tmp_path):
    whole = gzip.compress(stream_of(HEADER, *RECORDS).getvalue())
    path = tmp_path / "s.jsonl.gz"
    path.write_bytes(whole)
    assert open_parent_sets(str(path)).n_sets == 7
    for size in range(3, len(whole), 7):
        path.write_bytes(whole[:size])
        with pytest.raises((Truncated, Malformed)):
            open_parent_sets(str(path))
    path.write_bytes(whole[:20] + b"\xff\xff\xff" + whole[23:])
    with pytest.raises(FormatError):
        open_parent_sets(str(path))


@pytest.mark.parametrize("content", [b"", b"\n \n", b"# only a comment\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("reader", [open_parent_sets, open_network, open_forest])
def test_empty_input(content, reader):
    with pytest.raises(Malformed, match="the input is empty"):
        reader(io.BytesIO(content))


@pytest.mark.parametrize("reader", [open_parent_sets, open_network, open_forest])
@given(content=st.binary(max_size=200))
def test_random_bytes(reader, content):
    with pytest.raises(FormatError):
        reader(io.BytesIO(content))


@given(position=st.integers(0, 10**6), junk=st.binary(min_size=1, max_size=3))
def test_damaged_bytes_never_crash(position, junk):
    whole = bytearray(stream_of(HEADER, *RECORDS).getvalue())
    position %= len(whole)
    whole[position : position + len(junk)] = junk
    try:
        table = open_parent_sets(io.BytesIO(bytes(whole)))
    except FormatError:
        return
    assert table.n_variables == 4 or b"variables" in whole


def test_line_ends_blank_lines_and_byte_order_mark():
    plain = read(HEADER, *RECORDS)
    crlf = stream_of(HEADER, "", *RECORDS, "  ").getvalue().replace(b"\n", b"\r\n")
    for content in (crlf, b"\xef\xbb\xbf" + crlf):
        assert np.array_equal(open_parent_sets(io.BytesIO(content)).scores, plain.scores)


def test_not_utf8():
    content = stream_of(HEADER, *RECORDS).getvalue().replace(b'"a"', b'"\xe4"')
    with pytest.raises(Malformed, match=r"^<stream>:1: not valid JSON"):
        open_parent_sets(io.BytesIO(content))


def test_junk_between_records():
    assert "<stream>:3: not valid JSON" in message_of(Malformed, HEADER, RECORDS[0], "junk", *RECORDS[1:])
    assert "expected a JSON object, got list" in message_of(Malformed, HEADER, "[1]", *RECORDS)


def test_huge_line(monkeypatch):
    monkeypatch.setattr(textlines, "MAX_LINE", 4096)
    long_record = {"child": 0, "parents": [[]], "scores": [-1.0], "x": "y" * 5000}
    with pytest.raises(Malformed, match="<stream>:2: a line of more than 4096 bytes"):
        read(HEADER, long_record, *RECORDS[1:])


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(FormatError, match="cannot read"):
        open_parent_sets(str(tmp_path / "none"))
    with pytest.raises(FormatError, match="cannot read"):
        open_parent_sets(str(tmp_path))


def test_writer_refuses_what_json_cannot_hold(tmp_path):
    header = Header((Variable("a"),))
    for record in (
        ParentSetRecord(0, ((),), (math.nan,)),
        ParentSetRecord(0, ((),), (-math.inf,)),
        ParentSetRecord(0, ((),), (-1.0,), unlisted=math.inf),
    ):
        with pytest.raises(ValueError):
            write_parent_sets(str(tmp_path / "x"), header, [record])
    with pytest.raises(ValueError):
        write_parent_sets(str(tmp_path / "x"), Header((Variable("a"),), extra={"total": math.nan}), [])
    assert list(tmp_path.iterdir()) == []


def test_records_leave_a_pipe_one_by_one(tmp_path):
    """A reader sees each record before the next is computed."""
    fifo = str(tmp_path / "fifo")
    os.mkfifo(fifo)
    seen = []
    may_go_on = threading.Semaphore(1)

    def produce():
        for child in range(3):
            assert may_go_on.acquire(timeout=20)
            yield ParentSetRecord(child, ((),), (-1.0,))

    header = Header(tuple(Variable(name) for name in "abc"))
    writer = threading.Thread(target=write_parent_sets, args=(fifo, header, produce()))
    writer.start()
    _, records = open_parent_set_stream(fifo)
    for record in records:
        seen.append(record.child)
        may_go_on.release()
    writer.join()
    assert seen == [0, 1, 2]


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(packed):
    content = stream_of(HEADER, *RECORDS).getvalue()
    code = "from formats.parent_sets import open_parent_sets as o; print(o('-').n_sets)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        input=gzip.compress(content) if packed else content,
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert run.stdout == b"7\n" and run.stderr == b""


def test_light_imports():
    code = (
        "import sys, formats.parent_sets, formats.networks, formats.bif, formats.jkl, formats.pss\n"
        "import formats.graphs, formats.drawings\n"
        f"formats.parent_sets.open_parent_sets({str(SAMPLES / 'sets.v1.jsonl')!r})\n"
        f"formats.parent_sets.open_parent_sets({str(SAMPLES / 'bare.jkl')!r})\n"
        f"formats.networks.open_network({str(SAMPLES / 'plain.bif')!r})\n"
        "assert not {'pyarrow', 'numba', 'click', 'rich'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[1])


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
    for name in ("set_offsets", "scores", "parent_offsets", "parents", "fixed", "complete", "unlisted"):
        ours, theirs = getattr(table, name), getattr(expected, name)
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
    checker = BlockChecker(tuple(f"V{i}" for i in range(n_variables)))

    class Refused(Exception):
        pass

    def fail(message):
        raise Refused(message)

    try:
        block = checker.check(block_of(ParentSetRecord(child, parents, scores, fixed=fixed)), fail)
    except Refused:
        assert expected is None
    else:
        assert list(zip(block.sets(), block.scores.tolist())) == expected


def test_the_schema_names_every_key_that_is_written():
    record = ParentSetRecord(0, ((1,),), (-1.0,), 5, True, True, -2.0, {"interrupted": True}, (1,))
    assert {key.name for key in RECORD_KEYS} == set(json.loads(encode_record(record)))
    for name, spec in JSONL_FORMATS.items():
        header = Header((Variable("a"),), "bdeu", 1, "sha256:1", 1.0, (), "2024-01-01T00:00:00Z")
        written = json.loads(encode_header(name, header, 0 if spec is FOREST else None))
        assert set(written) <= {key.name for key in spec.header}
        assert {key.name for key in spec.header if key.required} <= set(written)
        assert set(written["variables"][0]) == {key.name for key in VARIABLE_KEYS}
