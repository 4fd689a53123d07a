"""`--log json`: each line on standard error is one JSON object with the documented fields."""

from __future__ import annotations

import json
import math
import re

import pytest
from helpers.places import ROOT
from helpers.processes import run_here

from bnsl.running import json_reporter
from bnsl.running.json_reporter import JsonReporter, logs_json
from bnsl.running.live_reporter import open_reporter

COMMON = {"seconds", "command", "event"}


def objects(text: str) -> list[dict]:
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def test_every_event_is_a_line_and_every_kind_is_documented(capsys, monkeypatch):
    monkeypatch.setattr(json_reporter, "PROGRESS_INTERVAL", 0.0)
    with open_reporter("bnsl optimize", is_json=True) as reporter:
        reporter.detail("two\nlines")
        reporter.warn("w")
        reporter.compiling(3, 1.5)
        reporter.progress(1, None, "orders", score=-5.0, **{"gap to the lists' best": 2.0, "seconds": 9})
        reporter.progress(2, 4, "orders", score=-5.0, other=math.inf, name=("a", 1))
        reporter.progress(3, 4, "orders", score=-4.5, **{"gap to the lists' best": 1.5})
        reporter.saved("n.jsonl", "the best network")
        reporter.summary("s")
    found = objects(capsys.readouterr().err)
    assert all(set(each) >= COMMON and each["command"] == "optimize" for each in found)
    kinds = [each["event"] for each in found]
    assert kinds == [
        "detail", "warning", "compiling", "network", "bound", "progress", "progress", "network", "progress", "saved",
        "summary", "done",
    ]  # fmt: skip
    topic = (ROOT / "bnsl_cli" / "topics" / "reference" / "log.md").read_text()
    assert set(re.findall(r"(?m)^\| `(\w+)` \|", topic)) == {*kinds, "error"}
    assert found[0]["message"] == "two\nlines"
    assert (found[4]["bound"], found[4]["gap"]) == (-3.0, 2.0)
    assert found[5]["gap_to_the_lists_best"] == 2.0 and found[5]["total"] is None and found[5]["seconds"] < 9
    assert found[6]["other"] is None and found[6]["name"] == "('a', 1)"
    assert found[9]["path"] == "n.jsonl" and found[-1]["memory"] > 0


def test_no_done_after_an_error_and_nothing_when_quiet(capsys):
    with pytest.raises(ValueError), open_reporter("bnsl x", is_json=True):
        raise ValueError
    with open_reporter("bnsl x", -1, is_json=True) as reporter:
        assert isinstance(reporter, JsonReporter)
        reporter.warn("w")
    assert not capsys.readouterr().err


def test_the_option_is_seen_however_it_is_written():
    assert logs_json(["a", "--log", "json"]) and logs_json(["--log=json"])
    assert not logs_json(["--log", "text", "json"]) and not logs_json(["--log"])


def test_commands_write_one_object_a_line(tmp_path):
    (tmp_path / "d.csv").write_text("a,b,c\n" + "0,1,0\n1,0,1\n0,0,1\n1,1,0\n" * 9)
    done = run_here("optimize", "--data", "d.csv", "--seed", "1", "--log", "json", "-o", "n.jsonl", cwd=tmp_path)
    assert done.returncode == 0
    found = objects(done.stderr.decode())
    assert [each["event"] for each in found][-2:] == ["summary", "done"]
    for words, code in ((["--nonsense"], 2), (["--data", "missing.csv"], 65), (["--data", "d.csv", "--tw", "0"], 2)):
        done = run_here("optimize", *words, "--log=json", cwd=tmp_path)
        *_, error = objects(done.stderr.decode())
        assert done.returncode == error["code"] == code and error["event"] == "error" and error["message"]
