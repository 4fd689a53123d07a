"""The three JSON-lines formats: cut, damaged and foreign input, pipes and what reading imports."""

from __future__ import annotations

import gzip
import io
import math
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from helpers.cases.jsonl import HEADER, RECORDS, message_of, read, stream_of
from helpers.places import ROOT, SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from formats import textlines
from formats.data_records import Variable
from formats.errors import FormatError, Malformed, Truncated
from formats.graphs.network_files import open_network
from formats.json_lines.jsonl import load_object
from formats.json_lines.screening_forests import open_forest
from formats.records import Header, ParentSetRecord
from formats.sets.parent_sets import open_parent_set_stream, open_parent_sets, write_parent_sets

# ---- cut, damaged, foreign


@pytest.mark.parametrize(
    ("line", "kind", "said"),
    [
        (b'{"child":0,"parents":[[]],"scores":[NaN', Truncated, "the stream ends inside a line"),
        (b'{"child":0,"name":"NaN","scores":[', Truncated, "the stream ends inside a line"),
        (b'{"child":0,"parents":[[]],"scores":[-Infinity]}', Malformed, "Infinity is no JSON number"),
        (b'{"child":0,"name":"NaN",}\n', Malformed, "not valid JSON"),
        (b'{"child":0,"parents":[[]],"scores":[NaN]}\n', Malformed, "NaN is no JSON number"),
    ],
)
def test_a_torn_line_is_told_from_a_wrong_number(line: bytes, kind: type[FormatError], said: str):
    lines = textlines.Lines(io.BytesIO(line))
    (whole,) = lines
    with pytest.raises(kind, match=said):
        load_object(lines, whole)


def test_cut_at_every_line():
    for n_lines in range(1, 5):
        message = message_of(Truncated, HEADER, *RECORDS[: n_lines - 1])
        lacking = ", ".join("abcd"[n_lines - 1 :])
        assert f"the stream ends early: {n_lines - 1} of 4 variables arrived, without {lacking}\n" in message
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
        ParentSetRecord.of(0, ((),), (math.nan,)),
        ParentSetRecord.of(0, ((),), (-math.inf,)),
        ParentSetRecord.of(0, ((),), (-1.0,), unlisted=math.inf),
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
            yield ParentSetRecord.of(child, ((),), (-1.0,))

    header = Header(tuple(Variable(name) for name in "abc"))
    writer = threading.Thread(target=write_parent_sets, args=(fifo, header, produce()))
    writer.start()
    _, records = open_parent_set_stream(fifo)
    for record in records:
        seen.append(record.child)
        may_go_on.release()
    writer.join()
    assert seen == [0, 1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(packed):
    content = stream_of(HEADER, *RECORDS).getvalue()
    code = "from formats.sets.parent_sets import open_parent_sets as o; print(o('-').n_sets)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        input=gzip.compress(content) if packed else content,
        capture_output=True,
        check=True,
        cwd=ROOT,
    )
    assert run.stdout == b"7\n" and run.stderr == b""


def test_light_imports():
    code = (
        "import sys, formats.sets.parent_sets, formats.sets.jkl, formats.sets.pss\n"
        "import formats.graphs.network_files, formats.json_lines.screening_forests\n"
        "import formats.graphs.dot, formats.graphs.graphml, formats.graphs.csv_graphs, formats.graphs.modelstring\n"
        f"formats.sets.parent_sets.open_parent_sets({str(SAMPLES / 'sets.v1.jsonl')!r})\n"
        f"formats.sets.parent_sets.open_parent_sets({str(SAMPLES / 'bare.jkl')!r})\n"
        f"formats.graphs.network_files.open_network({str(SAMPLES / 'plain.bif')!r})\n"
        "assert not {'pyarrow', 'numba', 'click', 'rich'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
