"""Files of resumable runs: what an existing target passes on, and links."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow
import pytest

from formats.data_records import Variable
from formats.json_lines.resumable import gather, open_resumable
from formats.records import Header, ParentSetRecord

HEADER = Header((Variable("a"), Variable("b")))
RECORDS = [ParentSetRecord.of(child, ((),), (-1.0,)) for child in range(2)]


def write(target: Path) -> None:
    with open_resumable(str(target), HEADER, [0, 1]) as output:
        output.write(RECORDS)


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_the_mode_of_an_existing_file_is_kept(tmp_path: Path, mode: int):
    target = tmp_path / "out"
    target.write_bytes(b"older")
    target.chmod(mode)
    write(target)
    assert target.stat().st_mode & 0o777 == mode
    assert target.read_bytes().count(b"\n") == 3


def test_a_link_is_followed(tmp_path: Path):
    (tmp_path / "away").mkdir()
    link = tmp_path / "link"
    link.symlink_to(Path("away") / "out")
    write(link)
    assert link.is_symlink()
    assert os.listdir(tmp_path / "away") == ["out"]


def test_a_planted_link_is_not_written_through(tmp_path: Path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    (tmp_path / "out.part").symlink_to(victim)
    with pytest.raises(OSError):
        write(tmp_path / "out")
    assert victim.read_bytes() == b"mine"


@pytest.mark.parametrize("kind", ["plain", "gzip", "zstd"])
def test_lines_of_parts_are_those_written_however_they_are_kept(tmp_path: Path, kind: str):
    """Only in plain files can lines be read again at their places."""
    plain = tmp_path / "plain"
    write(plain)
    path, text = tmp_path / kind, plain.read_bytes()
    if kind != "plain":
        with pyarrow.CompressedOutputStream(str(path), kind) as stream:
            stream.write(text)
    assert list(gather([str(path)]).lines([0, 1])) == text.splitlines(keepends=True)[1:]
