"""Byte streams: inputs of every kind, and outputs that appear only when complete."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow
import pytest

from formats import open_dataset, open_table_writer, streams, temporaries
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
def test_an_impossible_target_is_reported_by_its_name(tmp_path: Path, place: str):
    (tmp_path / "file").write_bytes(b"")
    target = str(tmp_path / place)
    with pytest.raises(OSError) as caught, open_output(target) as stream:
        stream.write(b"x")
    assert caught.value.filename == target


@pytest.mark.parametrize("letter", ["x", "\N{GREEK SMALL LETTER ALPHA}"])
def test_the_longest_names_are_written(tmp_path: Path, letter: str):
    target = tmp_path / (letter * (255 // len(letter.encode())))
    with open_output(str(target)) as stream:
        stream.write(b"whole")
    assert target.read_bytes() == b"whole"


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


class TestReplacedFiles:
    """What an existing target passes on, and what killed processes left behind."""

    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
    def test_the_mode_is_kept(self, tmp_path: Path, mode: int):
        target = tmp_path / "out"
        target.write_bytes(b"older")
        target.chmod(mode)
        with open_output(str(target)) as stream:
            assert os.fstat(stream.fileno()).st_mode & 0o777 == mode
            stream.write(b"new")
        assert target.read_bytes() == b"new"
        assert target.stat().st_mode & 0o777 == mode

    def test_a_new_file_has_the_mode_of_the_mask(self, tmp_path: Path):
        mask = os.umask(0o027)
        try:
            with open_output(str(tmp_path / "out")) as stream:
                stream.write(b"new")
        finally:
            os.umask(mask)
        assert (tmp_path / "out").stat().st_mode & 0o777 == 0o640

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
    def test_group_and_owner_are_kept(self, tmp_path: Path):
        target = tmp_path / "out"
        target.write_bytes(b"older")
        os.chown(target, 1234, 4321)
        target.chmod(0o640)
        with open_output(str(target)) as stream:
            stream.write(b"new")
        found = target.stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (1234, 4321, 0o640)

    def test_a_group_that_cannot_be_kept_gives_no_rights_to_another(self, tmp_path: Path, monkeypatch):
        def refuse(*_: object) -> None:
            raise PermissionError

        target = tmp_path / "out"
        target.write_bytes(b"older")
        target.chmod(0o664)
        monkeypatch.setattr(os, "fchown", refuse)
        with open_output(str(target)) as stream:
            stream.write(b"new")
        assert target.stat().st_mode & 0o777 == 0o644

    @pytest.mark.parametrize("exists", [True, False])
    def test_a_link_is_followed(self, tmp_path: Path, exists: bool):
        (tmp_path / "away").mkdir()
        target, link = tmp_path / "away" / "out", tmp_path / "link"
        if exists:
            target.write_bytes(b"older")
        link.symlink_to(Path("away") / "out")
        with open_output(str(link)) as stream:
            stream.write(b"new")
        assert link.is_symlink()
        assert target.read_bytes() == b"new"
        assert os.listdir(tmp_path / "away") == ["out"]

    def test_planted_links_are_not_written_through(self, tmp_path: Path, monkeypatch):
        victim = tmp_path / "victim"
        victim.write_bytes(b"mine")
        monkeypatch.setattr(temporaries.os, "urandom", bytes)
        with open_output(str(tmp_path / "out")) as stream:
            name = stream.name
            stream.write(b"new")
        Path(name).symlink_to(victim)
        with pytest.raises(FileExistsError), open_output(str(tmp_path / "out")) as stream:
            stream.write(b"newer")
        assert victim.read_bytes() == b"mine"
        assert (tmp_path / "out").read_bytes() == b"new"

    def test_only_what_ended_processes_left_behind_is_removed(self, tmp_path: Path):
        target = str(tmp_path / "out")
        program = (
            f"import os, signal\nfrom formats.streams import open_output\nwith open_output({target!r}) as stream:\n"
            "    stream.write(b'half')\n    stream.flush()\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        assert subprocess.run([sys.executable, "-c", program]).returncode < 0
        (left,) = os.listdir(tmp_path)
        elsewhere = re.sub(r"\.[^.]*(-\d+-)", r".another_host\1", left)
        for name in (elsewhere, ".out.tmp", ".other" + left.removeprefix(".out")):
            (tmp_path / name).write_bytes(b"")
        with open_output(target) as stream, open_output(target) as second:
            stream.write(b"first")
            second.write(b"second")
        assert Path(target).read_bytes() == b"first"
        assert left not in os.listdir(tmp_path)
        assert len(os.listdir(tmp_path)) == 4


def test_gzip_is_detected_by_content(tmp_path: Path):
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

    def test_damage_is_reported(self, tmp_path: Path):
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
