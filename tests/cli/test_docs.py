"""Help pages teach: every command has examples that work; REFERENCE.md is the real help."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from helpers.processes import ROOT, run_bnsl, run_shell
from tools import command_reference, help_topics, man_pages

from bnsl_cli.exit_codes import ExitCode
from bnsl_cli.main import COMMANDS, cli
from bnsl_cli.topics import TOPICS


def examples_of(text: str) -> str:
    """The lines under ``Examples:`` of a help text, as shell."""
    match = re.search(r"Examples:\n((?:  .*\n?)+)", text)
    assert match, "no examples"
    return re.sub(r"(?m)^  ", "", match[1])


def help_text(name: str) -> str:
    return cli.get_command(click.Context(cli), name).help.replace("\b\n", "")


@pytest.fixture
def workplace(tmp_path: Path, bundled: Path) -> Path:
    """A scratch copy of the bundled data, where the examples run as they stand."""
    return Path(shutil.copytree(bundled, tmp_path / "data"))


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_examples_of_help_pages_run(name: str, workplace: Path):
    result = run_shell(examples_of(help_text(name)), workplace)
    # `... | head` closes the pipe early, which is no failure (141).
    assert result.returncode in (0, ExitCode.CLOSED_PIPE), result.stderr.decode()
    assert b" error: " not in result.stderr, result.stderr.decode()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_pages_have_a_pipe_exit_codes_and_neighbours(name: str):
    text = help_text(name)
    assert "|" in examples_of(text)
    assert "Exit status:" in text
    assert "See also: bnsl" in text


@pytest.mark.slow
def test_examples_of_the_overview_run(workplace: Path):
    result = run_shell(examples_of(cli.help.replace("\b\n", "")), workplace)
    assert result.returncode == 0, result.stderr.decode()


@pytest.mark.slow
def test_commands_of_the_readme_run(workplace: Path):
    small = ROOT / "tests" / "cases" / "data" / "small.csv"
    shutil.copy(small, workplace / "d.csv")
    shutil.copy(small, workplace / "data.csv")
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    script = "\n".join(block for block in blocks if "bnsl parentsets" in block or "bnsl fit" in block)
    script = re.sub(r" --time \d+s", "", script).replace("--bootstrap 100", "--bootstrap 3")
    script = script.replace("bnsl optimize", "bnsl optimize --time 200ms")
    assert script.count("bnsl ") >= 10
    result = run_shell(script, workplace)
    assert result.returncode == 0, result.stderr.decode()


def test_reference_is_current():
    assert command_reference.REFERENCE.read_text() == command_reference.reference(), "run 'make docs'"


@pytest.mark.parametrize("topic", TOPICS)
def test_topics_are_current(topic: str, tmp_path: Path):
    text = help_topics.topic_text(topic)
    assert (help_topics.FOLDER / f"{topic}.md").read_text() == text, "run 'make docs'"
    assert CliRunner().invoke(cli, ["help", topic]).output == text


def test_topics_and_commands_are_listed():
    output = CliRunner().invoke(cli, ["help"]).output
    assert all(f"\n  {name} " in output for name in (*TOPICS, *COMMANDS))
    assert CliRunner().invoke(cli, ["help", "merge"]).output.startswith("Usage: bnsl merge ")
    wrong = CliRunner().invoke(cli, ["help", "gap"])
    assert wrong.exit_code == 2 and "Did you mean 'gaps'?" in wrong.stderr


def test_man_pages_are_current():
    assert not man_pages.stale_pages(), "run 'make docs'"
    assert len(list(man_pages.FOLDER.glob("*.1"))) == len(COMMANDS) + 1


@pytest.mark.slow
def test_solvers_of_ones_own(tmp_path: Path):
    """The examples of other programs at either place of the pipe, as the README shows them."""
    data, solvers = ROOT / "tests" / "cases" / "data" / "small.csv", ROOT / "examples" / "solvers"
    sets = run_bnsl("parentsets", "--seed", 1, data).stdout
    python = [sys.executable, str(solvers / "choose.py")]
    chosen = subprocess.run(python, input=sets, capture_output=True, check=True).stdout
    judged = run_bnsl("evaluate", "--data", data, "--json", stdin=chosen)
    assert (judged.returncode, judged.stderr) == (0, b"")  # not a word about a total that disagrees
    python = [sys.executable, str(solvers / "list_pairs.py"), str(data)]
    pairs = subprocess.run(python, capture_output=True, check=True).stdout
    ours = run_bnsl("optimize", stdin=run_bnsl("parentsets", "--sequential", "--max-parents", 1, data).stdout)
    theirs = run_bnsl("optimize", stdin=pairs)
    totals = [json.loads(result.stdout.splitlines()[0])["total"] for result in (ours, theirs)]
    assert totals[0] == pytest.approx(totals[1], abs=1e-6)


@pytest.mark.parametrize("code", ExitCode)
def test_readme_lists_every_exit_code(code: ExitCode):
    section = (ROOT / "README.md").read_text().split("## Exit codes")[1].split("## ")[0]
    assert re.search(rf"(?m)^\|[^|]*\b{code.value}\b", section)


def test_module_and_command_are_the_same(tmp_path: Path):
    module = run_bnsl("--help", cwd=tmp_path)
    script = run_shell("bnsl --help", tmp_path)
    assert module.stdout == script.stdout
    assert module.stdout.startswith(b"Usage: bnsl ")
