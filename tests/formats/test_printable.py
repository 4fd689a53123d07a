"""Names and file names cannot steer the terminal, nor the markup of tables."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers.processes import run_here

from bnsl.running.live_reporter import LiveReporter
from bnsl.running.reporter import LineReporter
from bnsl_cli.main import cli
from formats.printable import MOST, printable_lines
from formats.wording import printable

HOSTILE = "\x1b[31ma\x07\x9b\u202eb\udcff"


@pytest.mark.parametrize("text", ["plain", "Größe", "東京", "[red]x[/red]", "back\\slash"])
def test_what_shows_itself_stays(text: str):
    assert printable(text) == text


def test_what_steers_a_terminal_is_escaped():
    assert printable(HOSTILE) == r"\x1b[31ma\x07\x9b\u202eb\udcff"
    assert printable("a\nb\tc\rd") == r"a\nb\tc\rd"
    assert printable_lines("a\n  b\r") == "a\n  b\\r"
    assert len(printable_lines("x" * 10**6)) < MOST + 10


@pytest.mark.parametrize("kind", [LineReporter, LiveReporter])
def test_lines_of_a_reporter_are_printable(kind, capsys):
    kind("bnsl test").warn(f"{HOSTILE} [bold]x[/bold]")
    shown = capsys.readouterr().err
    assert shown == r"bnsl test: warning: \x1b[31ma\x07\x9b\u202eb\udcff [bold]x[/bold]" + "\n"


@pytest.mark.parametrize(
    "words",
    ["entropy d.csv --format table", "parentsets d.csv --format table", "optimize --data d.csv --format table"],
)
def test_names_in_tables_are_neither_obeyed_nor_markup(tmp_path: Path, monkeypatch, words: str):
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("a\x1b[31m,[red]b[/red]\n0,1\n1,0\n1,1\n0,0\n")
    result = CliRunner().invoke(cli, [*words.split(), "-o", "out"])
    assert result.exit_code == 0, result.output
    text = Path("out").read_text()
    assert r"a\x1b[31m" in text
    assert "[red]b[/red]" in text
    assert "\x1b" not in text


def test_file_names_in_titles_and_errors(tmp_path: Path):
    network = tmp_path / "[red]n.csv"
    network.write_text("from,to\na,b\n")
    result = CliRunner().invoke(cli, ["evaluate", "--format", "table", str(network)])
    assert "[red]n.csv" in result.output
    missing = os.fsdecode(b"no\x1b[31m\xff.csv")
    result = run_here("parentsets", missing)
    assert result.returncode == 65
    assert rb"no\x1b[31m\udcff.csv: cannot read" in result.stderr
