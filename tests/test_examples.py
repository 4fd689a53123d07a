"""The experiments of `examples/`: the commands understand what make would run, and the shortest of them runs."""

from __future__ import annotations

import gzip
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pyarrow.csv
import pyarrow.parquet
import pytest
from helpers.places import ROOT
from helpers.processes import run_shell

from bnsl_cli.main import cli

FOLDERS = sorted(path.parent for path in (ROOT / "examples").glob("*/Makefile"))
DATA = ROOT / "bnsl" / "bundled"

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="needs make")


def commands_of(script: str) -> list[list[str]]:
    """The words of every call of bnsl in lines of shell."""
    lines = script.replace("\\\n", " ").splitlines()
    found = []
    for line in lines:
        for call in re.findall(r"(?:^|[|;{]\s*)(?:time )?(bnsl [^|;>]*)", line):
            found.append(shlex.split(call)[1:])
    return found


@pytest.mark.parametrize("scale", ["small", "paper"])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_dry_runs(folder: Path, scale: str):
    """Commands and options that an experiment uses exist."""
    words = ["make", "-s", "-n", f"SCALE={scale}", f"OUT={folder}/absent"]
    result = subprocess.run(words, cwd=folder, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    script = result.stdout.decode()
    calls = commands_of(script)
    assert calls or "python3 " in script, "an experiment may import bnsl instead"
    context = click.Context(cli, **cli.context_settings)
    different = {(call[0], *(word for word in call if word.startswith("--"))): call for call in calls}
    for name, *arguments in different.values():
        command = cli.get_command(context, name)
        assert command is not None
        command.make_parser(click.Context(command, parent=context)).parse_args(arguments)


@pytest.mark.slow
def test_an_experiment_from_data_to_table(tmp_path: Path):
    settings = f"OUT={tmp_path}/out RESTARTS=3 DATA={DATA / 'wdbc.csv'} INITS=fas"
    result = run_shell(f"make -s {settings}", ROOT / "examples" / "starts")
    assert result.returncode == 0, result.stderr
    text = result.stdout.decode()
    assert "summary.initial_score.mean" in text and "wdbc" in text
    again = run_shell(f"make {settings}", ROOT / "examples" / "starts")
    assert b"bnsl optimize" not in again.stdout, "finished runs are kept"


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
@pytest.mark.slow
def test_thirds_are_drawn_at_random(tmp_path: Path, suffix: str):
    """Of a table with a period of three, no third is constant; together they are the table."""
    rows = [f"{number},{number % 3}" for number in range(100)]
    text, path = "\n".join(["x,y", *rows]) + "\n", tmp_path / f"rows.{suffix}"
    if suffix == "parquet":
        pyarrow.parquet.write_table(pyarrow.csv.read_csv(io.BytesIO(text.encode())), path)
    else:
        path.write_bytes(gzip.compress(text.encode()) if suffix == "csv.gz" else text.encode())

    def third(number: int, seed: int) -> list[str]:
        script = f"{sys.executable} {ROOT / 'examples' / 'common' / 'third.py'} {path} {number} {seed}"
        header, *found = run_shell(script, tmp_path).stdout.decode().replace('"', "").splitlines()
        assert header == "x,y"
        return found

    parts = [third(number, 1) for number in range(3)]
    assert sorted(row for part in parts for row in part) == sorted(rows) and [len(part) for part in parts] == [
        34,
        33,
        33,
    ]
    assert all({row.split(",")[1] for row in part} == {"0", "1", "2"} for part in parts)
    assert third(0, 2) != parts[0]


def test_every_column_is_cut_at_its_median(tmp_path: Path):
    """Numbers by value, labels by a known order or the alphabet, two values as they are; a row with ? is left out."""
    rows = [
        "n,two,health,label,class",
        "1,0,recommended,b,x",
        "10,0,priority,c,x",
        "2,0,not_recom,a,x",
        "9,1,priority,b,?",
    ]
    rows += ["3,1,not_recom,c,x"]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    script = f"{sys.executable} {ROOT / 'examples' / 'common' / 'halves.py'} t.csv Class"
    found = run_shell(script, tmp_path).stdout.decode().split()
    # Medians: n 2.5 or with the row that only the class leaves incomplete 3; health 'priority'; label 'b'.
    assert found == ["n,two,health,label", "0,0,0,0", "1,0,0,1", "0,0,1,0", "1,1,0,0", "0,1,1,1"]


def test_the_first_table_of_2016_is_printed_beside_the_papers(tmp_path: Path):
    (tmp_path / "zoo.csv").touch()
    folder = ROOT / "examples" / "treewidth"
    script = f"PYTHONPATH=../common {sys.executable} table1.py"
    assert run_shell(f"{script} find {tmp_path}", folder).stdout.decode() == f"zoo={tmp_path / 'zoo.csv'}=\n"
    scores = {"free.ils": -600, "4.s2": -630, "4.s2plus": -620, "4.kg": -606, "4.kastar": -600}
    rows = [
        f'{{"data": "halves-zoo", "bound": "{run.split(".")[0]}", "method": "{run.split(".")[1]}", "value": {score}}}'
        for run, score in scores.items()
    ]
    (tmp_path / "rows").write_text("\n".join(rows))
    text = run_shell(f"{script} beside {tmp_path / 'rows'}", folder).stdout.decode()
    assert "| zoo (n = 17) | −600.0 (−608) | −630.0 (−620) | −620.0 (−619) | −606.0 (−615) | −600.0 (−613) |" in text
    assert "| zoo | 5.00 (1.97) | 3.33 (1.81) | 1.00 (1.15) | 0.00 (0.82) |" in text


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("- zoo/2 ils 'echo -1663.74'", 0, "−1,663.7, as computed now"),
        ("- zoo/2 ils 'echo -1663.8'", 1, "-1,663.8000, but results.md has −1,663.7"),
        ("--within 1e-3 -- - zoo/2 ils 'echo -1663.8'", 0, "as computed now"),
        ("""- zoo/5 ils "echo '{\\"total\\": -9}'" """, 0, "−9"),
        ("""--key shd -- - zoo/5 kg "echo '{\\"shd\\": 3}'" """, 0, "3 / 4"),
        ("- zoo/7 ils 'echo 1'", 1, "no row 'zoo/7'"),
        ("absent.csv zoo/2 ils false", 0, "skipped, no absent.csv"),
        ("wdbc.csv zoo/2 ils 'test ! -f $DATA'", 1, "the command failed"),
    ],
)
def test_a_cell_is_compared(tmp_path: Path, words: str, status: int, said: str):
    lines = [
        "| data | bound | ils | kg |",
        "|---|---|---|---|",
        "| zoo | 2 | **−1,663.7** | 1 |",
        "| | 5 | −9 | 3 / 4 |",
    ]
    (tmp_path / "results.md").write_text("\n".join(["| other |", "|---|", "| zoo |", "", *lines, ""]))
    result = run_shell(f"{sys.executable} {ROOT / 'examples' / 'common' / 'check.py'} {words}", tmp_path)
    assert result.returncode == status and said in (result.stdout + result.stderr).decode()


def test_every_result_is_checked_and_says_how_it_was_read():
    for folder in FOLDERS:
        if (folder / "results.md").is_file():
            assert "$(call check," in (folder / "Makefile").read_text(), folder
            text = (folder / "results.md").read_text()
            assert "commit " in text and ("Reading: " in text or "--discretize" in text), folder


def test_every_paper_has_its_results():
    lacking = [folder.name for folder in FOLDERS if not (folder / "results.md").is_file()]
    assert lacking == ["experiment"], "it has no paper"
