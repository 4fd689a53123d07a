"""``--workers`` without the package that it needs, and what it refuses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bnsl_cli.main import cli


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("a,b\n" + "0,x\n1,y\n" * 6)
    return tmp_path


@pytest.mark.parametrize("command", ["parentsets d.csv", "optimize --hc --bootstrap 2 --data d.csv"])
def test_a_missing_package_is_named_before_anything_is_written(command: str, place: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = CliRunner().invoke(cli, [*command.split(), "--workers", "dask:tcp://127.0.0.1:1", "-o", "out.jsonl"])
    assert result.exit_code == 1
    assert "needs a package that is not installed: pip install distributed cloudpickle" in result.stderr
    assert [path.name for path in place.iterdir()] == ["d.csv"]


def test_processes_are_those_of_jobs(place: Path):
    result = CliRunner().invoke(cli, ["parentsets", "d.csv", "--workers", "processes:2"])
    assert result.exit_code == 2 and "or -j 2 for workers on this machine" in " ".join(result.stderr.split())
    other = CliRunner().invoke(cli, ["parentsets", "d.csv", "--workers", "threads"])
    assert other.exit_code == 2 and "-j" not in other.stderr
