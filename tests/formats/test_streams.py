"""Byte streams: inputs of every kind, and outputs that appear only when complete."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest

from formats.errors import FormatError, Truncated
from formats.streams import open_input, open_output, read_bytes


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
