"""The experiments of `examples/`: the commands understand what make would run, and the shortest of them runs."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import click
import pytest
from helpers.places import ROOT
from helpers.processes import run_shell

from bnsl_cli.main import cli

FOLDERS = sorted(path.parent for path in (ROOT / "examples").glob("*/Makefile"))
DATA = ROOT / "examples" / "data"

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="needs make")


def commands_of(script: str) -> list[list[str]]:
    """The words of every call of bnsl in lines of shell."""
    lines = script.replace("\\\n", " ").splitlines()
    found = []
    for line in lines:
        for call in re.findall(r"(?:^|[|;{]\s*)(bnsl [^|;>]*)", line):
            found.append(shlex.split(call)[1:])
    return found


@pytest.mark.parametrize("scale", ["small", "paper"])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_dry_runs(folder: Path, scale: str):
    """Commands and options that an experiment uses exist."""
    result = run_shell(f"make -s -n SCALE={scale} OUT={folder}/absent", folder)
    assert result.returncode == 0, result.stderr
    calls = commands_of(result.stdout.decode())
    assert calls
    context = click.Context(cli)
    different = {(call[0], *(word for word in call if word.startswith("--"))): call for call in calls}
    for name, *arguments in different.values():
        command = cli.get_command(context, name)
        assert command is not None
        command.make_parser(click.Context(command)).parse_args(arguments)


@pytest.mark.slow
def test_an_experiment_from_data_to_table(tmp_path: Path):
    settings = f"OUT={tmp_path}/out RESTARTS=3 DATA={DATA / 'wdbc.csv'} INITS=fas"
    result = run_shell(f"make -s {settings}", ROOT / "examples" / "starts")
    assert result.returncode == 0, result.stderr
    text = result.stdout.decode()
    assert "summary.initial_score.mean" in text and "wdbc" in text
    again = run_shell(f"make {settings}", ROOT / "examples" / "starts")
    assert b"bnsl optimize" not in again.stdout, "finished runs are kept"


def test_every_paper_has_its_results():
    lacking = [folder.name for folder in FOLDERS if not (folder / "results.md").is_file()]
    assert lacking == ["experiment"]
