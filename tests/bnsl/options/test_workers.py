"""``--workers`` without the package that it needs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from click.testing import CliRunner

from bnsl_cli.main import cli


@pytest.mark.parametrize("command", ["parentsets d.csv", "optimize --hc --bootstrap 2 --data d.csv"])
def test_a_missing_package_is_named_before_anything_is_written(command: str, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("a,b\n" + "0,x\n1,y\n" * 6)
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "cloudpickle" else find(name))
    result = CliRunner().invoke(cli, [*command.split(), "--workers", "processes:2", "-o", "out.jsonl"])
    assert result.exit_code == 1
    assert "needs the package cloudpickle, which is not installed: pip install cloudpickle" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]
