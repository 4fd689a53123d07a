"""Byte streams: inputs of every kind, and outputs that appear only when complete."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import numpy as np
import pyarrow
import pytest

from formats import open_dataset, open_table_writer, streams
from formats.data_records import Variable
from formats.errors import FormatError, Malformed, Truncated
from formats.streams import open_input, open_output, read_bytes
from formats.textlines import Lines


def test_an_output_appears_complete_and_leaves_nothing_beside(tmp_path: Path):
    target = tmp_path / "out"
    with open_output(str(target)) as stream:
        stream.write(b"half")
        assert not target.exists()
        stream.write(b" whole")
    assert target.read_bytes() == b"half whole"
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, BrokenPipeError])
def test_an_older_file_survives_a_failure(tmp_path: Path, error: type[BaseException]):
    target = tmp_path / "out"
    target.write_bytes(b"older")
    with pytest.raises(error), open_output(str(target)) as stream:
        stream.write(b"half")
        raise error
    assert target.read_bytes() == b"older"
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("place", ["nowhere/out", "file/out"])
def test_a_target_that_cannot_be_made_is_told_by_its_name(tmp_path: Path, place: str):
    (tmp_path / "file").write_bytes(b"")
    target = str(tmp_path / place)
    with pytest.raises(OSError) as caught, open_output(target) as stream:
        stream.write(b"x")
    assert caught.value.filename == target


def test_a_fifo_is_written_in_place(tmp_path: Path):
    target = tmp_path / "fifo"
    os.mkfifo(target)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(target.read_bytes()))
    reader.start()
    with open_output(str(target)) as stream:
        stream.write(b"through")
    reader.join()
    assert received == [b"through"]
    assert target.is_fifo()


def test_a_device_is_written_in_place():
    with open_output("/dev/null") as stream:
        stream.write(b"x")
    assert Path("/dev/null").is_char_device()


def test_gzip_is_told_by_content(tmp_path: Path):
    plain, packed = tmp_path / "plain.gz", tmp_path / "packed"
    plain.write_bytes(b"text")
    packed.write_bytes(gzip.compress(b"text"))
    assert read_bytes(str(plain)) == read_bytes(str(packed)) == b"text"
    with open_input(str(packed)) as stream:
        assert stream.peek(2)[:2] == b"te"


def test_a_cut_gzip_file_is_truncated(tmp_path: Path):
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(bytes(1000))[:-9])
    with pytest.raises(Truncated):
        read_bytes(str(packed))


def test_a_missing_input_is_a_format_error(tmp_path: Path):
    with pytest.raises(FormatError, match="cannot read: No such file"):
        open_input(str(tmp_path / "missing"))


def zstandard(data: bytes) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


class TestZstandard:
    TEXT = b"".join(b"%d,%d\n" % (n, n * 7919 % 1000003) for n in range(20_000))

    def test_reads_like_plain_bytes(self, tmp_path: Path):
        path = tmp_path / "d"
        path.write_bytes(zstandard(self.TEXT) * 2)  # two frames, as of files put one behind the other
        assert read_bytes(str(path)) == self.TEXT * 2
        with open_input(str(path)) as stream:
            assert stream.peek(3)[:3] == self.TEXT[:3]
            assert stream.readline() == b"0,0\n"

    def test_damage_is_told(self, tmp_path: Path):
        path = tmp_path / "d"
        path.write_bytes(zstandard(self.TEXT)[:-100])
        with pytest.raises(Truncated, match="the compressed data end early"):
            read_bytes(str(path))
        with pytest.raises(Truncated, match="the compressed data end early"):
            list(Lines(str(path)))
        path.write_bytes(zstandard(self.TEXT) + b"tail")
        with pytest.raises(FormatError, match="damaged compressed data"):
            read_bytes(str(path))

    def test_a_table_is_written_and_read(self, tmp_path: Path):
        path = str(tmp_path / "d.csv.zst")
        with open_table_writer(path, [Variable("a", ("x", "y"))]) as writer:
            writer.write(np.array([[0, 1, 1]], dtype=np.uint8))
        assert open_dataset(path).codes.tolist() == [[0, 1, 1]]


@pytest.mark.slow
@pytest.mark.parametrize("read", [read_bytes, lambda path: sum(map(len, Lines(path)))])
def test_what_expands_without_end_is_refused(tmp_path, monkeypatch, read):
    monkeypatch.setattr(streams, "FREE_EXPANSION", 1 << 20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"0,1\n" * (1 << 20)))
    with pytest.raises(Malformed, match="expand more than 200-fold"):
        read(str(path))
    path.write_bytes(gzip.compress(b"0,1\n" * (1 << 17)))
    read(str(path))
