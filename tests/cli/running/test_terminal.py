"""What a person sees: tables on a terminal, bars on stderr, and how options override both."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers.processes import TIMEOUT, run_bnsl, run_shell, start_bnsl

from bnsl.running import live_reporter
from bnsl.running.reporter import LineReporter
from bnsl_cli.main import cli

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("terminal")
    script = """
        bnsl sample --random 9 --parents 0-2 --rows 300 --seed 2 --network d.bif -o d.csv
        bnsl parentsets --seed 1 d.csv -o d.sets.jsonl
        bnsl optimize --seed 1 --evaluations 20 d.sets.jsonl -o d.net.jsonl
        bnsl screen --roots 0.7 d.csv -o d.forest.jsonl
    """
    result = run_shell(script, folder)
    assert result.returncode == 0, result.stderr.decode()
    return folder


def drain(terminal: int, into: list[bytes]) -> None:
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux reports the closed other end this way
            return
        if not piece:
            return
        into.append(piece)


@contextmanager
def started_on_terminal(
    cwd: Path, *arguments: str, streams: tuple[str, ...]
) -> Iterator[tuple[subprocess.Popen, list[bytes]]]:
    """A command with some of its streams on a terminal of 100 columns, and what the terminal receives.

    The list is whole after the block, in which the process has to end.
    """
    terminal, inner = pty.openpty()
    size = {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
    process = start_bnsl(*arguments, cwd=cwd, env=size, **dict.fromkeys(streams, inner))
    os.close(inner)
    received: list[bytes] = []
    reader = threading.Thread(target=drain, args=(terminal, received))
    reader.start()
    try:
        yield process, received
    finally:
        process.kill()
        reader.join()
        os.close(terminal)


def on_terminal(cwd: Path, *arguments: str, streams: tuple[str, ...] = ("stdout",)) -> tuple[int, str, bytes]:
    """Run a command to its end; returns the exit code, what the terminal received, and the rest of its output."""
    with started_on_terminal(cwd, *arguments, streams=streams) as (process, received):
        output, messages = process.communicate(timeout=TIMEOUT)
    return process.returncode, b"".join(received).decode(), (output or b"") + (messages or b"")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["entropy", "d.csv"], ["I(X;Y)", "H(X|Y)", "X8"]),
        (["screen", "--roots", "0.7", "d.csv"], ["screened variable", "parent", "roots"]),
        (["screen", "--curve", "d.csv"], ["eps", "roots", "share", "1.000"]),
        (["parentsets", "d.csv"], ["child", "best parents", "X8"]),
        (["optimize", "d.sets.jsonl"], ["child", "<- parents", "X8", "method exact"]),
        (["evaluate", "d.net.jsonl", "--data", "d.csv"], ["measure", "d.net.jsonl", "bic", "treewidth_upper"]),
        (["convert", "--to", "table", "d.forest.jsonl"], ["screened variable"]),
        (["formats"], ["bnsl.network", "Graphviz"]),
    ],
    ids=lambda value: value[0],
)
def test_a_terminal_gets_a_readable_table(place: Path, arguments: list[str], expected: list[str]):
    code, text, messages = on_terminal(place, *arguments)
    assert code == 0, messages
    assert [word for word in expected if word not in text] == []
    assert "{" not in text
    assert max(map(len, ESCAPES.sub("", text).splitlines())) <= 100


@pytest.mark.parametrize(
    "arguments",
    [
        ["screen", "--roots", "0.7", "d.csv", "--json"],
        ["parentsets", "d.csv", "--format", "jsonl"],
        ["optimize", "d.sets.jsonl", "--json"],
        ["evaluate", "d.net.jsonl", "--format", "jsonl"],
        ["formats", "--json"],
    ],
    ids=lambda value: value[0],
)
def test_json_and_format_override_the_terminal(place: Path, arguments: list[str]):
    code, text, _ = on_terminal(place, *arguments)
    assert code == 0
    assert all(isinstance(json.loads(line), dict) for line in text.splitlines())


@pytest.mark.parametrize(
    ("options", "expected"), [([], True), (["-o", "-"], True), (["-o", "a.dot"], False)], ids=["none", "dash", "file"]
)
def test_progress_knows_what_goes_to_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], expected: bool
):
    found = []

    def opened(prefix: str, verbosity: int, writes_stdout: bool) -> LineReporter:
        found.append(writes_stdout)
        return LineReporter(prefix, verbosity)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(live_reporter, "open_reporter", lambda *given: nullcontext(opened(*given)))
    (tmp_path / "n.txt").write_text("[a][b|a]\n")
    result = CliRunner().invoke(cli, ["convert", "n.txt", "--to", "dot", *options])
    assert result.exit_code == 0 and found == [expected]


@pytest.mark.parametrize("arguments", ["--to dot", "--to network", "--to arcs", "--to table"])
def test_names_cannot_steer_the_terminal(tmp_path: Path, arguments: str):
    """They are escaped there; a file keeps them."""
    name = "a\x1b[31m\x07\u202eb"
    header = {"format": "bnsl.network", "version": 1, "variables": [{"name": name}, {"name": "c"}]}
    lines = [header, *({"child": child, "parents": [[0][:child]], "scores": [-1.0]} for child in (0, 1))]
    (tmp_path / "n.net.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, text, messages = on_terminal(tmp_path, "convert", "n.net.jsonl", *arguments.split())
    assert code == 0, messages
    assert r"\u202eb" in text and name not in text and "\u202e" not in text and "\x07" not in text
    assert run_bnsl("convert", "n.net.jsonl", "--to", "dot", cwd=tmp_path).stdout.decode().count(name) == 2


@pytest.mark.parametrize("command", ["entropy d.csv", "optimize d.sets.jsonl", "evaluate d.net.jsonl"])
def test_format_table_overrides_the_pipe(place: Path, command: str):
    text = run_bnsl(*command.split(), "--format", "table", cwd=place).stdout.decode()
    assert "─" in text
    assert "\x1b" not in text


def test_no_input_on_a_terminal_is_wrong_usage_not_a_wait(place: Path):
    code, _, messages = on_terminal(place, "optimize", streams=("stdin",))
    assert code == 2
    assert b"no input: give SETS or --data DATA (a path, or '-') or pipe it in." in messages


ENDLESS = ["optimize", "--asobs", "--restarts", str(10**9), "d.sets.jsonl"]
"""Restarts that were asked for go on after the network is proved optimal."""


def test_a_bar_is_drawn_on_a_terminal_when_the_result_goes_to_a_file(place: Path):
    arguments = [*ENDLESS, "-o", "/dev/null"]
    with started_on_terminal(place, *arguments, streams=("stdout", "stderr")) as (process, received):
        deadline = time.monotonic() + TIMEOUT
        while b"score" not in b"".join(received) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.5)  # the line is drawn whole
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT) == 130
    text = b"".join(received).decode()
    assert "\x1b[" in text
    shown = " ".join(ESCAPES.sub("", text).split())  # a long line is wrapped
    assert re.search(r"restarts, .*score -[\d,]+\.\d\d", shown)


def test_no_bar_in_the_middle_of_a_pipe(place: Path):
    code, text, _ = on_terminal(place, *ENDLESS, "--time", "1s", streams=("stderr",))
    assert code == 0
    assert "\x1b" not in text
    # A machine that is busy with other work may take long enough for a line of progress before the result.
    assert text.splitlines()[-1].startswith("bnsl optimize: bic")
