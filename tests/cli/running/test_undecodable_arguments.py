"""Arguments that are no UTF-8: refused where they are text, read as they are where they name files."""

from __future__ import annotations

import os
from pathlib import Path

import orjson
import pytest
from helpers.processes import run_here

BYTES = os.fsdecode(b"a\xffb")


@pytest.mark.parametrize(
    "words",
    [
        ("entropy", "x.csv", "--na", BYTES),
        ("entropy", "x.csv", "--drop", BYTES),
        ("parentsets", "x.csv", "--na", BYTES),
        ("fit", "x.bif", "x.csv", "--name", BYTES),
        ("query", "x.bif", f"{BYTES}=1"),
        ("query", "x.bif", f"X={BYTES}"),
        ("query", "x.bif", "--joint", BYTES),
    ],
)
def test_text_that_is_no_utf_8_is_refused(words: tuple, tmp_path: Path):
    result = run_here(*words, cwd=tmp_path)
    assert result.returncode == 2 and b"is no UTF-8 text" in result.stderr, result.stderr


def test_files_may_have_any_name(tmp_path: Path):
    for method in ("one", "two"):
        name = f"{BYTES}.{method}.1.bif"
        made = run_here("sample", "--random", 4, "--rows", 9, "--seed", 1, "--network", name, "-q", cwd=tmp_path)
        assert made.returncode == 0, made.stderr
    networks = [f"{BYTES}.one.1.bif", f"{BYTES}.two.1.bif"]
    measured = run_here("evaluate", *networks, "-o", f"{BYTES}.jsonl", cwd=tmp_path)
    assert measured.returncode == 0, measured.stderr
    lines = (tmp_path / f"{BYTES}.jsonl").read_bytes().splitlines()
    assert orjson.loads(lines[0])["network"] == "a\\udcffb.one.1.bif"
