"""JSON that every reader takes: no NaN, no infinities."""

from __future__ import annotations

import json
import math
from pathlib import Path

from click.testing import CliRunner

from bnsl.files.recording import json_text
from bnsl_cli.main import cli


def test_what_is_not_finite_becomes_null():
    value = {"a": [1.5, math.inf, (math.nan, {"b": -math.inf})], "c": None, "d": True}
    assert json.loads(json_text(value)) == {"a": [1.5, None, [None, {"b": None}]], "c": None, "d": True}


def test_a_network_without_smoothing_judges_impossible_rows(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("train.csv").write_text("a,b\n0,0\n0,0\n1,1\n1,1\n")
    Path("test.csv").write_text("a,b\n0,1\n1,1\n")
    Path("arcs.csv").write_text("from,to\na,b\n")
    assert CliRunner().invoke(cli, ["fit", "arcs.csv", "train.csv", "-o", "n.bif"]).exit_code == 0
    result = CliRunner().invoke(cli, ["evaluate", "--json", "n.bif", "--test", "test.csv"])
    assert result.exit_code == 0, result.output

    def refuse(word: str):
        raise AssertionError(word)

    record = json.loads(result.stdout, parse_constant=refuse)
    assert record["given_loglik"] is None
    assert record["impossible_rows"] == 1


def test_json_beside_another_format_is_refused():
    result = CliRunner().invoke(cli, ["evaluate", "--json", "--format", "table", "n.bif"])
    assert result.exit_code == 2 and "two formats" in result.stderr
