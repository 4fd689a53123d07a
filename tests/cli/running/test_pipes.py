"""Real processes: pipes, FIFOs, closed pipes, full disks, signals, and what is left behind."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import termios
import threading
import time
from array import array
from pathlib import Path

import pytest
from helpers.processes import TIMEOUT, environment, run_bnsl, run_shell, start_bnsl

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small data set `d.csv`, its network `d.bif` and its parent sets `d.sets.jsonl`.

    The greedy search for parents in `wide.csv` has more to look at than any test waits for.
    """
    folder = tmp_path_factory.mktemp("pipes")
    script = """
        bnsl sample --random 12 --parents 0-3 --rows 500 --seed 1 --network d.bif -o d.csv
        bnsl parentsets --seed 1 d.csv -o d.sets.jsonl
        bnsl sample --random 60 --parents 0-3 --rows 500 --seed 1 --network wide.bif -o wide.csv
    """
    result = run_shell(script, folder)
    assert result.returncode == 0, result.stderr.decode()
    return folder


def read_network(text: bytes) -> tuple[dict, list[dict]]:
    header, *records = map(json.loads, text.splitlines())
    return header, records


def leftovers(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.endswith(".tmp")]


# --------------------------------------------------------------------------------------- pipes and files


def test_the_main_pipe(place: Path):
    result = run_shell(
        "bnsl parentsets --method indep d.csv | bnsl optimize --asobs --tw 3 --evaluations 50 --seed 1", place
    )
    assert result.returncode == 0, result.stderr.decode()
    header, records = read_network(result.stdout)
    assert header["format"] == "bnsl.network"
    assert header["treewidth"]["bound"] == 3
    assert [entry["stage"] for entry in header["by"]] == ["parentsets", "optimize"]
    assert len(records) == 12


def test_screening_pipe_keeps_the_forest(place: Path):
    script = """
        bnsl screen --roots 0.6 d.csv | tee d.forest.jsonl |
          bnsl parentsets --screen - d.csv | bnsl optimize --asobs --evaluations 50
    """
    result = run_shell(script, place)
    assert result.returncode == 0, result.stderr.decode()
    _, records = read_network(result.stdout)
    _, screened = read_network((place / "d.forest.jsonl").read_bytes())
    assert len(screened) >= 4
    parents = {record["child"]: record["parents"] for record in records}
    assert all(parents[record["child"]] == record["parents"] for record in screened)


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "arrow"])
def test_data_of_any_format_come_through_standard_input(place: Path, kind: str):
    assert run_bnsl("sample", "d.bif", "--rows", 500, "--seed", 1, "-o", f"copy.{kind}", cwd=place).returncode == 0
    from_path = run_bnsl("entropy", f"copy.{kind}", cwd=place)
    from_pipe = run_bnsl("entropy", stdin=(place / f"copy.{kind}").read_bytes(), cwd=place)
    assert from_path.returncode == from_pipe.returncode == 0
    assert (
        from_path.stdout == from_pipe.stdout == run_bnsl("entropy", "-", stdin=(place / "d.csv").read_bytes()).stdout
    )


def test_fifos_work_as_input_and_output(place: Path, tmp_path: Path):
    source, target = tmp_path / "in", tmp_path / "out"
    os.mkfifo(source)
    os.mkfifo(target)
    process = start_bnsl("entropy", source, "-o", target)
    threading.Thread(target=source.write_bytes, args=((place / "d.csv").read_bytes(),), daemon=True).start()
    received = target.read_bytes()
    assert process.wait() == 0
    assert received == run_bnsl("entropy", place / "d.csv").stdout


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_same_bytes_for_any_jobs_through_pipes_or_files(place: Path, jobs: str):
    searches = "--evaluations 300 --seed 5", "--evaluations 40 --seed 6"
    script = f"""
        bnsl parentsets --indep {searches[0]} d.csv -o one.sets.jsonl
        bnsl optimize {searches[1]} one.sets.jsonl -o one.net.jsonl
        bnsl parentsets --indep {searches[0]} -j {jobs} < d.csv | tee two.sets.jsonl |
          bnsl optimize {searches[1]} -j {jobs} > two.net.jsonl
        cmp one.sets.jsonl two.sets.jsonl
        cmp one.net.jsonl two.net.jsonl
    """
    result = run_shell(script, place, SOURCE_DATE_EPOCH="0")
    assert result.returncode == 0, result.stdout.decode() + result.stderr.decode()


@pytest.mark.parametrize(
    "stage", ["parentsets --seed 1 d.csv", "convert d.sets.jsonl --to jkl", "sample d.bif --rows 3"]
)
def test_output_redirected_into_a_shared_file_is_appended(place: Path, stage: str):
    result = run_shell(f"(echo first; bnsl {stage} -q) > shared.txt; head -1 shared.txt", place)
    assert result.stdout == b"first\n", result.stderr.decode()


@pytest.mark.parametrize("stage", ["parentsets d.csv", "entropy d.csv", "optimize d.sets.jsonl --restarts 3"])
def test_output_to_a_device(place: Path, stage: str):
    result = run_shell(f"bnsl {stage} -o /dev/null", place)
    assert result.returncode == 0, result.stderr.decode()


def test_a_failed_first_stage_fails_the_pipe_and_is_reported_by_both(place: Path):
    result = run_shell("bnsl parentsets missing.csv | bnsl optimize > failed.net.jsonl", place)
    assert result.returncode == 65
    lines = result.stderr.decode().splitlines()
    assert any("missing.csv: cannot read: No such file" in line for line in lines)
    assert any("bnsl optimize: error: <stdin>: the input is empty" in line for line in lines)


# ------------------------------------------------------------------------------------- failing outputs


def test_a_closed_pipe_is_quiet_and_141(place: Path):
    result = run_shell(
        "set +o pipefail; bnsl sample d.bif --rows 3000000 --seed 1 | head -1; echo ${PIPESTATUS[0]}", place
    )
    assert result.stdout.splitlines()[-1] == b"141"
    assert result.stderr == b""


@pytest.mark.parametrize("where", ["> /dev/full", "-o /dev/full"])
@pytest.mark.parametrize("command", ["sample d.bif --rows 100", "entropy d.csv", "convert d.bif --to dot"])
def test_a_full_disk_is_reported(place: Path, command: str, where: str):
    result = run_shell(f"bnsl {command} {where}", place)
    assert result.returncode == 1
    assert b"No space left on device" in result.stderr
    assert b"Traceback" not in result.stderr


def test_an_output_folder_that_does_not_exist(place: Path):
    result = run_bnsl("entropy", "no-table.csv", "-o", "nowhere/h.arrow", cwd=place)  # refused before it is read
    assert result.returncode == 1
    assert b"cannot write nowhere/h.arrow: there is no folder nowhere; make it first" in result.stderr
    for option in ("--stats", "-o", "--data"):
        assert b"'': give the name of a file." in run_bnsl("optimize", "x", option, "", cwd=place).stderr


def test_a_failing_stage_leaves_an_older_output_alone(place: Path, tmp_path: Path):
    target = tmp_path / "net.jsonl"
    target.write_text("older\n")
    broken = tmp_path / "broken.sets.jsonl"
    broken.write_bytes(b"\n".join((place / "d.sets.jsonl").read_bytes().splitlines()[:-1]) + b"\n")
    result = run_bnsl("convert", broken, "--to", "parentsets", "-o", target)
    assert result.returncode == 65
    assert target.read_text() == "older\n"
    assert leftovers(tmp_path) == []


# --------------------------------------------------------------------------------------------- signals

NO_END = ("--restarts", 10**9)
"""Restarts that were asked for go on after the network is proved optimal."""


def wait_for(process: subprocess.Popen, words: bytes) -> None:
    """Read stderr until a line with `words` came."""
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(f"{words} never came")


@pytest.mark.parametrize(
    ("options", "number", "code"),
    [
        ("--asobs", signal.SIGINT, 130),
        ("--asobs", signal.SIGTERM, 143),
        ("--asobs", signal.SIGHUP, 129),
        ("--obs", signal.SIGTERM, 143),
        ("--asobs --tw 2", signal.SIGINT, 130),
    ],
)
def test_an_interrupted_search_writes_its_best_network(place: Path, tmp_path: Path, options, number, code):
    target = tmp_path / "net.jsonl"
    arguments = ("optimize", place / "d.sets.jsonl", *options.split(), *NO_END, "-v", "-o", target)
    # One that need not load kernels may get the signal before it has a network, or once it has the optimum.
    process = start_bnsl(*arguments, is_fresh=True)
    wait_for(process, b"searching")
    process.send_signal(number)
    process.communicate(timeout=TIMEOUT)
    assert process.returncode == code
    header, records = read_network(target.read_bytes())
    assert header["interrupted"] is True
    assert len(records) == 12
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize(
    ("method", "warning", "claim"),
    [
        ("--greedy --time 1h", b"variables ended early", "variables ended early"),
        ("--sequential --max-parents 9", b"variables were never searched", "variables never searched"),
    ],
)
def test_interrupted_parent_sets_are_a_whole_stream(place: Path, tmp_path: Path, method, warning, claim):
    process = start_bnsl("parentsets", place / "wide.csv", *method.split(), "-v")
    wait_for(process, b"searching")
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130
    sets = tmp_path / "cut.sets.jsonl"
    sets.write_bytes(output)
    found = run_bnsl("optimize", sets, "--evaluations", 5)
    assert found.returncode == 0
    assert warning in found.stderr
    header, _ = read_network(found.stdout)
    assert claim in header["bound_relative_to"]


def test_a_signal_while_reading_ends_at_once_and_leaves_nothing(tmp_path: Path):
    process = start_bnsl("optimize", "-o", tmp_path / "net.jsonl", stdin=subprocess.PIPE)
    process.stdin.write(b'{"format":"bnsl.parentsets",')
    wait_until_read(process)
    process.send_signal(signal.SIGTERM)
    _, message = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 143
    assert re.fullmatch(rb"bnsl optimize: interrupted: no network was found yet [^\n]+\n", message)
    assert os.listdir(tmp_path) == []


def wait_until_read(process: subprocess.Popen) -> None:
    """Wait until all that was written to the process's standard input has been taken."""
    process.stdin.flush()
    unread = array("i", [1])
    while unread[0]:
        time.sleep(0.002)
        fcntl.ioctl(process.stdin, termios.FIONREAD, unread)


def test_a_second_signal_ends_at_once(place: Path, tmp_path: Path):
    """Within a step that asks nobody whether to go on, which here is the hand-over of the network."""
    script = """
import signal, time
import bnsl_cli.commands.optimize
from bnsl_cli.__main__ import start
import bnsl.facts

def slowly(network):
    print("found", flush=True)
    time.sleep(600)

bnsl.facts.network_facts = slowly
start()
"""
    words = ["optimize", str(place / "d.sets.jsonl"), "--asobs", *map(str, NO_END), "-v", "-o", "net.jsonl"]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *words], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_for(process, b"searching")
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == b"found\n"
    process.send_signal(signal.SIGTERM)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 143
    assert message.splitlines()[-1].startswith(b"bnsl optimize: interrupted")
    assert leftovers(tmp_path) == []


def test_a_reader_that_is_interrupted_ends_at_once(tmp_path: Path):
    """Whether its writer goes on or not."""
    process = start_bnsl("optimize", "-o", tmp_path / "net.jsonl", stdin=subprocess.PIPE)
    process.stdin.write(b'{"format":"bnsl.parentsets",')
    wait_until_read(process)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130
    assert re.fullmatch(rb"bnsl optimize: interrupted: no network was found yet [^\n]+\n", message)


@pytest.mark.parametrize(
    "command", ["sample d.bif --rows 3000000", "parentsets d.csv", "optimize d.sets.jsonl", "convert d.bif --to dot"]
)
def test_a_reader_that_is_gone_ends_the_command_quietly(place: Path, command: str):
    result = run_shell(
        f"set +o pipefail; bnsl {command} -v 2> messages | head -1 | wc -l; echo ${{PIPESTATUS[0]}}",
        place,
        is_fresh=True,
    )
    lines, code = result.stdout.split()
    assert lines == b"1" and code in (b"0", b"141")
    assert code == b"141" or "sample" not in command
    messages = (place / "messages").read_bytes()
    assert b"error" not in messages and b"Traceback" not in messages


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_before_the_program_is_up_is_quiet(number: signal.Signals):
    script = (
        "import signal, sys, bnsl_cli.__main__ as program\n"
        "assert 'click' not in sys.modules\n"
        f"program.install_handlers(lambda message: None); signal.raise_signal({int(number)})"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environment(), check=False)
    assert (result.returncode, result.stdout, result.stderr) == (128 + number, b"", b"")


def test_ignored_signals_stay_ignored(place: Path):
    result = run_shell("(trap '' INT; kill -INT $BASHPID; exec bnsl entropy d.csv) | head -c 4 | wc -c", place)
    assert result.stdout.strip() == b"4"


# -------------------------------------------------------------------------------------------- messages


def test_messages_by_verbosity(place: Path):
    def stderr(*options: str) -> list[str]:
        result = run_bnsl("optimize", "d.sets.jsonl", "--evaluations", 20, "--seed", 1, *options, cwd=place)
        assert result.returncode == 0
        return result.stderr.decode().splitlines()

    assert stderr("-q") == []
    (summary,) = stderr()
    assert re.match(r"bnsl optimize: bic -[\d,.]+, 12 variables, \d+ arcs", summary)
    assert all(line.startswith("bnsl optimize: ") for line in stderr("-v"))
    assert len(stderr("-v")) > 1
    assert "of CPU" in stderr("-vv")[-1]


def test_durations_stay_out_of_the_network_and_go_to_stats(place: Path, tmp_path: Path):
    stats = tmp_path / "stats.json"
    result = run_bnsl("optimize", place / "d.sets.jsonl", "--obs", "--restarts", 3, "--stats", stats)
    assert result.returncode == 0
    figures = json.loads(stats.read_text())
    assert len(figures["per_restart"]["score"]) == 3
    assert figures["seconds"] > 0
    header, _ = read_network(result.stdout)
    assert not any("second" in key or "time" in key for key in header)


def test_stats_of_a_climb_count_what_its_definition_asks_for(place: Path, tmp_path: Path):
    stats = tmp_path / "stats.json"
    assert run_bnsl("optimize", "--data", place / "d.csv", "--hc", "--stats", stats).returncode == 0
    figures = json.loads(stats.read_text())
    assert figures["literal_requested"] > figures["literal_statistics"] >= 12 * 12 > 0
    assert figures["literal_statistics"] > figures["statistics"] > 0


def test_parent_sets_have_stats(place: Path, tmp_path: Path):
    stats = tmp_path / "stats.json"
    result = run_bnsl("parentsets", place / "d.csv", "--sequential", "--max-parents", 1, "--stats", stats)
    figures = json.loads(stats.read_text())
    assert figures["seconds"] > 0
    assert figures["variables"] == 12
    assert figures["sets"] == sum(len(json.loads(line)["parents"]) for line in result.stdout.splitlines()[1:])
    assert figures["evaluations"] == 12 * 12  # the empty set and 11 single parents of each


def test_a_drawn_seed_is_shown_and_repeats_the_run(place: Path):
    first = run_bnsl("sample", "d.bif", "--rows", 20, "-v", cwd=place)
    seed = re.search(rb"seed (\d+)", first.stderr)[1].decode()
    again = run_bnsl("sample", "d.bif", "--rows", 20, "--seed", seed, cwd=place)
    assert first.stdout == again.stdout


def test_gzip_output_by_name(place: Path, tmp_path: Path):
    target = tmp_path / "rows.csv.gz"
    assert run_bnsl("sample", place / "d.bif", "--rows", 5, "--seed", 1, "-o", target).returncode == 0
    assert (
        gzip.decompress(target.read_bytes()) == run_bnsl("sample", place / "d.bif", "--rows", 5, "--seed", 1).stdout
    )


def test_completion_script_is_offered():
    result = run_bnsl(env={"_BNSL_COMPLETE": "bash_source"})
    assert result.returncode == 0
    assert b"complete -o nosort -F _bnsl_completion bnsl" in result.stdout


def test_environment_has_no_debugging():
    assert "BNSL_DEBUG" not in environment()
