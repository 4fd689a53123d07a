"""Faults on purpose: signals at any moment, full disks, damaged kernel caches, closed streams, 20 columns."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.compiled import BY_NUMBA
from helpers.fork_server import LARGEST_FILE
from helpers.processes import TIMEOUT, environment, run_bnsl, run_forked, run_shell, start_bnsl

pytestmark = pytest.mark.slow

MOMENTS = int(os.environ.get("BNSL_SIGNALS", "2"))
"""Moments at which each signal is sent to each stage; `make faults` tries 200."""

LONGEST = 1.0
"""Seconds until the last of these moments. A process that need not start has half of it, or three times as long for
one signal of each stage.
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, parent sets, a network, its parameters and a forest."""
    folder = tmp_path_factory.mktemp("faults")
    script = """
        bnsl sample --random 12 --parents 0-3 --rows 500 --seed 1 --network d.bif -o d.csv
        bnsl parentsets --seed 1 d.csv -o d.sets.jsonl
        bnsl optimize --seed 1 --evaluations 20 d.sets.jsonl -o d.net.jsonl
        bnsl screen --roots 0.5 d.csv -o d.forest.jsonl
    """
    result = run_shell(script, folder)
    assert result.returncode == 0, result.stderr.decode()
    return folder


STAGES = {
    "entropy": "entropy d.csv -o {o}.arrows",
    "screen": "screen --roots 0.5 d.csv -o {o}.forest.jsonl",
    "parentsets": "parentsets --greedy --time 1h d.csv -o {o}.sets.jsonl",
    "optimize": "optimize --restarts 1000000000 d.sets.jsonl -o {o}.net.jsonl",
    "posterior": "posterior --sampled --time 1h d.sets.jsonl -o {o}.arrows",
    "learn": "optimize --data d.csv --tw 2 --time 1h -o {o}.net.jsonl",
    "evaluate": "evaluate d.net.jsonl --data d.csv -o {o}.jsonl",
    "query": "query d.bif --samples 3000000 --seed 1 -o {o}.csv",
    "average": "average d.net.jsonl d.bif --tw 2 --evaluations 1000000000 -o {o}.net.jsonl",
    "sample": "sample d.bif --rows 3000000 --seed 1 -o {o}.csv",
    "fit": "fit d.net.jsonl d.csv -o {o}.bif",
    "convert": "convert d.csv -o {o}.parquet",
}
"""A command line of every stage, and where its result goes; some never end by themselves."""


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("stage", STAGES)
def test_signals_at_any_moment(place: Path, tmp_path: Path, stage: str, number: signal.Signals):
    """The process ends with the code of its signal, says nothing odd, and leaves a whole result or none.

    By turns it starts an interpreter and is a fork of the loaded program, at work at once.
    """
    rng = random.Random(f"{stage} {number}")
    is_late = SIGNALS.index(number) == list(STAGES).index(stage) % len(SIGNALS)
    longest = [LONGEST, 3 * LONGEST if is_late else LONGEST / 2]
    for k in range(MOMENTS):
        for old in tmp_path.iterdir():
            old.unlink()
        arguments = STAGES[stage].format(o=tmp_path / "out").split()
        moment = 0.01 + rng.random() ** 2 * longest[k % 2]
        if k % 2:
            code, message = signalled_fork(place, arguments, number, moment)
        else:
            code, message = signalled_process(place, arguments, number, moment)
        if code == 0:
            longest[k % 2] = max(0.1, 0.95 * moment)  # it was over: later moments would test nothing
        if b"KeyboardInterrupt" in message and b"bnsl_cli" not in message:
            continue  # before the interpreter runs our first line, its own handling holds
        assert code in {0, 128 + number, -number}, message
        if code >= 0:
            assert b"Traceback" not in message and b"bug of bnsl" not in message, message
        left = [path for path in tmp_path.iterdir() if not path.name.endswith(".part")]
        assert all(path.stat().st_size > 0 for path in left)
        assert not [path for path in left if path.name.endswith(".tmp")] or code < 0
        for path in left:
            if path.name.endswith("net.jsonl"):
                assert run_bnsl("convert", path, "--to", "modelstring").returncode == 0


def signalled_process(place: Path, arguments: list[str], number: signal.Signals, moment: float) -> tuple[int, bytes]:
    """The exit code and messages of a command that gets a signal after so many seconds."""
    with start_bnsl(*arguments, is_fresh=True, cwd=place, stdout=subprocess.DEVNULL) as process:
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(moment)
            process.send_signal(number)
            _, message = process.communicate(timeout=TIMEOUT)
        finally:
            process.kill()
        return process.returncode, message


def signalled_fork(place: Path, arguments: list[str], number: signal.Signals, moment: float) -> tuple[int, bytes]:
    """The same of one that is forked."""
    result = run_forked(arguments, b"", str(place), environment(True), [number], moment)
    return result.returncode, result.stderr


WRITERS = {
    "arrows": "entropy d.csv",
    "p.csv": "posterior --seed 1 d.sets.jsonl",
    "h.csv": "entropy d.csv",
    "forest.jsonl": "screen --roots 0.5 d.csv",
    "sets.jsonl": "parentsets --evaluations 30 d.csv",
    "net.jsonl": "optimize --evaluations 5 d.sets.jsonl",
    "jkl": "convert d.sets.jsonl",
    "pss": "convert d.sets.jsonl",
    "dot": "convert d.bif",
    "graphml": "convert d.bif",
    "bif": "fit d.net.jsonl d.csv",
    "net": "convert d.bif",
    "csv": "sample d.bif --rows 400 --seed 1",
    "csv.gz": "sample d.bif --rows 4000 --seed 1",
    "csv.zst": "sample d.bif --rows 4000 --seed 1",
    "parquet": "sample d.bif --rows 4000 --seed 1",
    "feather": "sample d.bif --rows 400 --seed 1",
    "tsv": "convert d.csv",
    "jsonl": "evaluate d.net.jsonl",
}
"""A command for every writer, by the ending of its output."""


@pytest.mark.parametrize("ending", WRITERS)
def test_a_full_disk_at_every_writer(place: Path, tmp_path: Path, ending: str):
    """With room for 64 bytes: exit 1, the output's name, an older output as it was, nothing half-written."""
    target = tmp_path / f"out.{ending}"
    target.write_text("older\n")
    result = run_bnsl(*WRITERS[ending].split(), "-o", target, cwd=place, env={LARGEST_FILE: "64"})
    assert result.returncode == 1, result.stderr
    assert b"cannot write" in result.stderr and b"Traceback" not in result.stderr
    assert target.read_text() == "older\n"
    assert [path.name for path in tmp_path.iterdir() if not path.name.endswith(".part")] == [target.name]


SMALL = ("optimize", "--tw", "1", "--seed", "1", "d.sets.jsonl")
"""A command that needs few kernels: their caches are broken below, and compiling others takes far longer."""


def compiling_into(folder: Path) -> dict[str, str]:
    """The environment of a command whose kernels numba compiles, or takes from a folder."""
    return {"NUMBA_CACHE_DIR": str(folder), "SOURCE_DATE_EPOCH": "0", **BY_NUMBA}


@pytest.fixture(scope="module")
def cache(place: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A folder of compiled kernels of its own, and what the command writes that filled it."""
    folder = tmp_path_factory.mktemp("cache")
    result = run_bnsl(*SMALL, "-q", cwd=place, env=compiling_into(folder))
    assert result.returncode == 0, result.stderr
    assert list(folder.rglob("*.nbc"))
    return folder, result.stdout


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_kernel_caches_are_made_anew(place: Path, cache, suffix: str):
    """Of three kernels in turn the index or the code is garbled, cut off or empty, and the code of others is lost."""
    folder, expected = cache
    damages = (lambda data: data[::-1], lambda data: data[: len(data) // 2], lambda data: b"")
    indices = sorted(folder.rglob("*.nbi"))
    assert len(indices) >= 4
    broken = {}
    for path, damage in zip(indices, damages):
        file = path if suffix == ".nbi" else next(path.parent.glob(f"{path.stem}.*nbc"))
        broken[file] = damage(file.read_bytes())
        file.write_bytes(broken[file])
    result = run_bnsl(*SMALL, "-q", cwd=place, env=compiling_into(folder))
    assert result.returncode == 0, result.stderr
    assert result.stdout == expected
    assert not any(file.read_bytes() == left for file, left in broken.items())


def test_a_full_disk_at_the_kernel_cache(place: Path, tmp_path: Path):
    result = run_bnsl(*SMALL, "-q", cwd=place, env=compiling_into(tmp_path) | {LARGEST_FILE: "512"})
    assert result.returncode == 0, result.stderr
    assert b"Traceback" not in result.stderr


def as_others() -> None:
    """Take the right from root to write what is read-only: it is gone in the program that this process becomes."""
    if os.geteuid() == 0:
        drop_from_bounding_set, may_write_anything = 24, 1  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE of Linux
        if ctypes.CDLL(None).prctl(drop_from_bounding_set, may_write_anything, 0, 0, 0):
            raise OSError("root could not be kept from writing")


@pytest.mark.skipif(os.geteuid() == 0 and not sys.platform.startswith("linux"), reason="root may write anything")
def test_a_read_only_kernel_cache(place: Path, cache):
    folder, expected = cache
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    attempt = subprocess.run(["touch", folder / "new"], preexec_fn=as_others, check=False, stderr=subprocess.DEVNULL)
    assert attempt.returncode != 0
    result = run_bnsl(*SMALL, "-q", cwd=place, env=compiling_into(folder), preexec_fn=as_others)
    assert (result.returncode, result.stdout) == (0, expected)


@pytest.mark.parametrize("command", ["entropy d.csv", "optimize --tw 1 d.sets.jsonl", "convert d.bif --to dot"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(place: Path, command: str, closed: str):
    """What is closed costs what would have gone there, and no more; one command starts an interpreter without it."""
    script = f"bnsl {command} {closed} | cat > /dev/null; exit ${{PIPESTATUS[0]}}"
    result = run_shell(script, place, is_fresh=command.startswith("convert"))
    writes = ">&-" in closed.replace("2>&-", "")
    assert result.returncode in ({0, 1, 2} if writes else {0}), result.stderr
    assert b"Traceback" not in result.stderr and b"bug of bnsl" not in result.stderr


def test_reading_from_closed_standard_input_is_reported(place: Path):
    result = run_shell("bnsl optimize <&-", place, is_fresh=True)
    assert result.returncode == 65 and b"Traceback" not in result.stderr, result.stderr


@pytest.mark.parametrize("command", [*STAGES.values(), "formats", "--help", "parentsets --help"])
def test_twenty_columns(place: Path, tmp_path: Path, command: str):
    command = command.replace("--sampled --time 1h", "--sampled --samples 8")
    arguments = command.format(o=tmp_path / "out").replace("--time 1h", "--evaluations 5").split()
    arguments = [a.replace("1000000000", "2").replace("3000000", "5") for a in arguments]
    if "-o" in arguments:
        arguments = arguments[: arguments.index("-o")]
    if arguments[0] == "convert":
        arguments = ["convert", "d.net.jsonl", "--to", "table"]
    result = run_bnsl(*arguments, cwd=place, env={"COLUMNS": "20"})
    assert result.returncode == 0, result.stderr
    assert b"Traceback" not in result.stderr
