"""A few hundred hostile inputs to every reader; `make fuzz` tries a million, whole commands among them."""

from __future__ import annotations

import inspect
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import formats
from bnsl_cli.main import COMMANDS
from formats.errors import FormatError
from formats.registry import FORMATS

from . import readers, worker
from .commands import KIND, TEMPLATES
from .readers import READERS
from .worker import Fuzzer

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Fuzzer:
    folder = tmp_path_factory.mktemp("fuzz")
    return Fuzzer(7, folder, folder / "findings")


def test_every_command_is_tried():
    tried = {template.split(" ")[0] for templates in TEMPLATES.values() for template in templates}
    assert tried == set(COMMANDS)


def test_every_format_and_reader_is_tried():
    read = {row.name for row in FORMATS if row.reader}
    assert read <= set(READERS) == set(KIND)
    source = inspect.getsource(readers)
    # streams of parent sets and of networks are read by the commands that take one
    untried = {name for name in formats.__all__ if name.startswith("open_") and f"{name}(" not in source}
    assert untried == {"open_parent_set_stream"}


def test_inputs_are_refused_or_come_back_the_same(fuzzer: Fuzzer):
    for number in range(3 * len(fuzzer.formats)):
        fuzzer.run(fuzzer.make(number)._replace(by_command=False))
    found = [key for key in fuzzer.counts if "FINDING" in key]
    assert found == []
    assert {key.split("\t")[0] for key in fuzzer.counts} == set(READERS)


@pytest.mark.parametrize("format_name", sorted(READERS))
def test_sound_files_are_accepted(fuzzer: Fuzzer, tmp_path: Path, format_name: str):
    """The corpus is worth changing: most of it is read by each reader of its format."""
    path = tmp_path / "input"
    for reader in READERS[format_name]:
        accepted = 0
        for number, data in enumerate(files := fuzzer.corpus[format_name]):
            path.write_bytes(data)
            try:
                reader(path, Random(number))
                accepted += 1
            except FormatError:
                pass
        assert accepted >= len(files) / 8, f"{reader.__name__} took {accepted} of {len(files)}"


def test_findings_are_saved_small(fuzzer: Fuzzer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def broken(path: Path, rng: object) -> None:
        if b"a" in path.read_bytes():
            raise KeyError("a")

    monkeypatch.setitem(READERS, "tiers", (broken,))
    monkeypatch.setattr(fuzzer, "findings", tmp_path)
    monkeypatch.setattr(fuzzer, "counts", Counter())
    fuzzer.run(fuzzer.make(0)._replace(format="tiers", data=b"bbb\nbbab\nb", by_command=False))
    (small,) = tmp_path.glob("*.bin")
    assert small.read_bytes() == b"a"
    assert "KeyError" in small.with_suffix(".txt").read_text()


def test_what_takes_too_much_is_found(fuzzer: Fuzzer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An endless input, and one of 600 MiB that are given back: the next may take as much."""

    def endless(path: Path, rng: object) -> None:
        while True:
            path.stat()

    held = fuzzer.peak

    def hungry(path: Path, rng: object) -> None:
        nonlocal held
        held = fuzzer.peak + (600 << 20)

    monkeypatch.setattr(fuzzer, "findings", tmp_path)
    monkeypatch.setattr(worker, "SECONDS", 0.02)
    monkeypatch.setattr(worker, "_peak_memory", lambda: held)
    case = fuzzer.make(0)._replace(format="tiers", by_command=False)
    for broken in (endless, hungry, lambda path, rng: None):
        monkeypatch.setitem(READERS, "tiers", (broken,))
        monkeypatch.setattr(fuzzer, "counts", Counter())
        fuzzer.run(case)
        found = [key.split("\t")[2] for key in fuzzer.counts if "FINDING" in key]
        assert [text.split(" ")[0] for text in found] == {endless: ["Hang"], hungry: ["Glutton"]}.get(broken, [])
