"""The commands that `bnsl merge` prints run as they stand and make what is missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from helpers.processes import run_here

ROWS = [f"{i % 2},{i // 2 % 2},{i // 4 % 2},{i * 7 % 3},{i % 5},x" for i in range(40)]
OPTIONS = [
    *("--drop", "sample", "--drop", '"a,b","it\'s"', "--na", "", "--na", "no; value", "--missing", "state"),
    *("--discretize", "median", "--discretize", "e=quantile:3", "--categories", "d", "--forbid", "c->d"),
    *("--forbid", "?->e", "--allow", "*->*"),
    *("--max-parents", 2, "--time-per-variable", "90s"),
]


HEADER = 'c,d,e,"a,b",it\'s,sample'
NUMBERED = ["--no-header", "--delimiter", "tab", "--max-states", 30, "--weights", "V1", "--max-parents", 1]
TABLES = {
    "named": ("\n".join([HEADER, *ROWS, ""]), OPTIONS),
    "numbered": ("".join(f"{i % 30}\t{i % 3}\t{i % 2}\n" for i in range(60)), NUMBERED),
}


@pytest.mark.parametrize(("table", "options"), TABLES.values(), ids=TABLES)
def test_the_commands_make_what_is_missing(tmp_path: Path, table: str, options: list):
    (tmp_path / "my data.csv").write_text(table)
    made = run_here("parentsets", "my data.csv", *options, "--shard", "1/2", "-o", "1.jsonl", cwd=tmp_path)
    assert made.returncode == 0, made.stderr.decode()
    short = run_here("merge", "1.jsonl", "--data", "my data.csv", "-o", "all.jsonl", cwd=tmp_path)
    assert short.returncode == 65
    (command,) = [line.strip() for line in short.stderr.decode().splitlines() if "bnsl parentsets" in line]
    # The words as the shell takes them.
    shell = subprocess.run(["bash", "-c", f"bnsl() {{ printf '%s\\0' \"$@\"; }}\n{command}"], capture_output=True)
    missing = run_here(*shell.stdout.decode().split("\0")[:-1], cwd=tmp_path)
    assert missing.returncode == 0, command + missing.stderr.decode()
    merged = run_here("merge", "1.jsonl", "shard-2-of-2.sets.jsonl", "-o", "all.jsonl", cwd=tmp_path)
    assert merged.returncode == 0, merged.stderr.decode()


def advice(folder: Path, *files: str) -> list[str]:
    """The shards that the printed commands make."""
    result = run_here("merge", *files, "-o", "all.jsonl", cwd=folder)
    assert result.returncode == 65
    lines = [line for line in result.stderr.decode().splitlines() if "bnsl parentsets" in line]
    return [line.partition("--shard ")[2].split()[0] + ("+" if "--resume" in line else "") for line in lines]


def test_no_part_that_is_there_is_to_be_made_again(tmp_path: Path):
    (tmp_path / "d.csv").write_text("\n".join([HEADER, *ROWS, ""]))
    for shard in ("1/3", "2/2", "1/2"):
        words = ["--drop", "sample", "--max-parents", "1", "--shard", shard, "--seed", "1"]
        made = run_here("parentsets", "d.csv", *words, "-o", shard.replace("/", ""), cwd=tmp_path)
        assert made.returncode == 0, made.stderr
    lines = (tmp_path / "12").read_bytes().splitlines(keepends=True)
    (tmp_path / "torn").write_bytes(b"".join(lines[:2]))
    assert advice(tmp_path, "13", "22") == ["1/2"]
    assert advice(tmp_path, "22", "13") == ["1/2"]
    assert advice(tmp_path, "13") == ["2/3", "3/3"]
    assert advice(tmp_path, "torn") == ["1/2+", "2/2"]
    assert advice(tmp_path, "torn", "12") == ["2/2"]
    assert run_here("merge", "13", "22", "12", "-o", "all.jsonl", cwd=tmp_path).returncode == 0
