"""Bad input: one clear message, exit code 65 (2 for wrong usage), nothing half-written."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from bnsl_cli.main import cli

HEADER = {
    "format": "bnsl.parentsets",
    "version": 1,
    "score": "bic",
    "rows": 100,
    "variables": [{"name": name, "states": ["0", "1"]} for name in "abc"],
}
RECORDS = [
    {"child": 0, "parents": [[1], []], "scores": [-60.0, -69.0]},
    {"child": 1, "parents": [[0], [2], []], "scores": [-60.0, -65.0, -69.0]},
    {"child": 2, "parents": [[]], "scores": [-69.0]},
]
CYCLE = [
    {"child": 0, "parents": [[1]], "scores": [-60.0]},
    {"child": 1, "parents": [[0]], "scores": [-60.0]},
    {"child": 2, "parents": [[]], "scores": [-69.0]},
]


def lines(*objects: dict) -> bytes:
    return b"".join(json.dumps(fields).encode() + b"\n" for fields in objects)


def table(*rows: str) -> bytes:
    return ("\n".join(rows) + "\n").encode()


VALID = {
    "parentsets": lines(HEADER, *RECORDS),
    "network": lines(HEADER | {"format": "bnsl.network"}, *CYCLE[:1], CYCLE[2] | {"child": 1}, CYCLE[2]),
    "csv": table("a,b,c", "0,1,x", "1,0,y", "1,1,x"),
    "bif": b"network n {\n}\nvariable a {\n  type discrete [ 2 ] { 0, 1 };\n}\nvariable b {\n"
    b"  type discrete [ 2 ] { 0, 1 };\n}\nprobability ( a ) {\n  table 0.5, 0.5;\n}\n"
    b"probability ( b | a ) {\n  (0) 0.25, 0.75;\n  (1) 1.0, 0.0;\n}\n",
    "jkl": b"2\n0 2\n-1.5 1 1\n-2.5 0\n1 1\n-3.5 0\n",
}
DAMAGE = {
    "removed": b"",
    "a digit": b"7",
    "a minus": b"-",
    "a quote": b'"',
    "a comma": b",",
    "a brace": b"{",
    "a line end": b"\n",
    "a carriage return": b"\r",
    "not UTF-8": b"\xff",
    "a NUL": b"\0",
    "twice": b"[][]",
}
"""What takes the place of a byte."""


class Case(NamedTuple):
    """An input, the command that reads it as `input`, its exit code and words of the message, in order."""

    name: str
    content: bytes
    command: str
    code: int
    words: list[str]


NUMBERS = [f"{i * 0.37:.2f},{i % 2}" for i in range(100)]
STRINGS = [f"s{i},{i % 2}" for i in range(5000)]
PARENTSETS = "parentsets input"
OPTIMIZE = "optimize input"

CASES = [
    Case("empty file", b"", PARENTSETS, 65, ["input", "empty"]),
    Case("header only", table("a,b"), PARENTSETS, 65, ["input", "header line but no rows"]),
    Case("ragged rows", table("a,b", "0,1", "0,1,1"), PARENTSETS, 65, ["input:3", "3 cells where 2"]),
    Case("binary rubbish", bytes(range(256)) * 4, PARENTSETS, 65, ["input", "binary data"]),
    Case("a picture as parent sets", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", OPTIMIZE, 65, ["input", "PNG picture"]),
    Case("duplicate names", table("a,b,a", "0,1,0"), PARENTSETS, 65, ["input", "'a'", "columns 1 and 3"]),
    Case("missing cells", table("a,b", "0,1", "NA,1"), PARENTSETS, 65, ["input", "missing", "a", "--missing drop"]),
    Case("continuous column", table("x,b", *NUMBERS), PARENTSETS, 65, ["input", "x", "100", "--discretize"]),
    Case("too many strings", table("s,b", *STRINGS), PARENTSETS, 65, ["input", "s", "5000"]),
    Case("entropies of nothing", b"", "entropy input", 65, ["input", "empty"]),
    Case("a network as data", lines(HEADER, *RECORDS), PARENTSETS, 65, ["input", "not a data table"]),
    Case("data as parent sets", table("a,b", "0,1"), OPTIMIZE, 65, ["input", "expected parent sets"]),
    Case("truncated stream", lines(HEADER, *RECORDS[:2]), OPTIMIZE, 65, ["input", "2 of 3"]),
    Case("cut inside a line", lines(HEADER, *RECORDS)[:-9], OPTIMIZE, 65, ["input", "2 of 3"]),
    Case("unknown parent", lines(HEADER, RECORDS[0] | {"parents": [[7], []]}), OPTIMIZE, 65, ["input:2", "7"]),
    Case("child out of range", lines(HEADER, *RECORDS, RECORDS[0] | {"child": 9}), OPTIMIZE, 65, ["input:5", "9"]),
    Case(
        "headers that disagree",
        lines(HEADER, *RECORDS, HEADER | {"rows": 99}, *RECORDS),
        OPTIMIZE,
        65,
        ["input:5", "rows"],
    ),
    Case("fewer scores than sets", lines(HEADER, RECORDS[0] | {"scores": [-1.0]}), OPTIMIZE, 65, ["input:2"]),
    Case(
        "scores that are not finite",
        lines(HEADER, RECORDS[0] | {"scores": [-60.0, float("nan")]}),
        OPTIMIZE,
        65,
        ["input:2", "NaN", "finite"],
    ),
    Case(
        "an infinite score",
        lines(HEADER) + b'{"child":0,"parents":[[]],"scores":[1e999]}\n',
        OPTIMIZE,
        65,
        ["input:2"],
    ),
    Case("own parent", lines(HEADER, RECORDS[0] | {"parents": [[0], []]}), OPTIMIZE, 65, ["input:2", "parent"]),
    Case(
        "no empty set", lines(HEADER, RECORDS[2] | {"parents": [[0]]}), OPTIMIZE, 65, ["input:2", "empty parent set"]
    ),
    Case("a later version", lines(HEADER | {"version": 99}), OPTIMIZE, 65, ["input", "version 99"]),
    Case(
        "a cyclic network", lines(HEADER | {"format": "bnsl.network"}, *CYCLE), "evaluate input", 65, ["cycle", "->"]
    ),
    Case("no such file", b"", "optimize nothing", 65, ["nothing", "cannot read", "No such file"]),
    Case("a folder", b"", "optimize .", 65, [".", "cannot read", "Is a directory"]),
    Case("treewidth 0", lines(HEADER, *RECORDS), "optimize --tw 0 input", 2, ["--tw", "0 is not in the range"]),
    Case("unknown method", lines(HEADER, *RECORDS), "optimize --method magic input", 2, ["magic", "asobs"]),
    Case("an unknown score", table("a,b", "0,1"), "parentsets --score magic input", 2, ["magic", "bdeu"]),
    Case("a format that cannot hold it", lines(HEADER, *RECORDS), "convert input --to bif", 65, ["input"]),
    Case("a name without a format", lines(HEADER, *RECORDS), "convert input", 2, ["--to"]),
    Case("figures as a table", lines(HEADER, *RECORDS), "optimize input --stats s.csv", 2, ["s.csv", ".json"]),
    Case("figures as a picture", table("a,b", "0,1"), "parentsets input --stats s.svg", 2, ["s.svg", "SVG"]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_bad_input(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("input").write_bytes(case.content)
    result = CliRunner().invoke(cli, [*case.command.split(), "-o", "output"])
    message = result.stderr
    assert result.exit_code == case.code, message
    assert 1 <= len([line for line in message.splitlines() if not line.startswith("  For example: ")]) <= 2, message
    assert message.startswith(f"bnsl {case.command.split()[0]}: error: ")
    position = 0
    for word in case.words:
        assert word in message[position:], f"{word!r} is not in {message!r} (at its place)"
        position = message.index(word, position) + len(word)
    assert result.stdout == ""
    assert os.listdir() == ["input"]


@pytest.mark.parametrize("cut", range(1, 250, 23))
def test_no_cut_of_a_file_passes_for_a_whole_one(cut: int, tmp_path: Path):
    whole = lines(HEADER, *RECORDS)
    path = tmp_path / "input"
    path.write_bytes(whole[:-cut])
    result = CliRunner().invoke(cli, ["convert", str(path), "--to", "jkl"])
    # Without its last line end alone a file is whole.
    assert result.exit_code == (0 if cut == 1 else 65)


@given(
    st.sampled_from(["parentsets", "network", "csv", "bif", "jkl"]),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.sampled_from(list(DAMAGE))), min_size=1, max_size=3),
    st.sampled_from([["evaluate"], ["convert", "--to", "table"], ["convert", "--to", "jkl"], ["entropy"]]),
)
def test_damaged_files_are_never_a_bug_of_ours(kind: str, damages: list, command: list[str]):
    content = VALID[kind]
    for place, damage in damages:
        at = int(place * len(content))
        content = content[:at] + DAMAGE[damage] + content[at + 1 :]
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "input"), Path(folder, "output")
        source.write_bytes(content)
        result = CliRunner().invoke(cli, [*command, str(source), "-o", str(output)])
        assert result.exit_code in (0, 65), result.stderr
        assert set(os.listdir(folder)) == ({"input"} if result.exit_code else {"input", "output"})


@pytest.mark.parametrize("format_name", ["jkl", "pss"])
def test_constraints_that_a_format_cannot_hold_are_reported(tmp_path: Path, format_name: str):
    constrained = tmp_path / "constrained"
    fixed = {"child": 0, "parents": [[1]], "scores": [-1.0], "fixed": True}
    required = {"child": 1, "parents": [[2]], "scores": [-2.0], "required": [2]}
    constrained.write_bytes(lines(HEADER, fixed, required, RECORDS[2]))
    result = CliRunner().invoke(cli, ["convert", str(constrained), "--to", format_name, "-o", os.devnull])
    assert result.exit_code == 0
    assert "1 variable with a fixed parent set and 1 with required parents" in result.stderr
    result = CliRunner().invoke(cli, ["convert", str(constrained), "--to", "parentsets", "-o", os.devnull])
    assert "warning" not in result.stderr
