"""Running the command line as real processes."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from click.testing import CliRunner
from helpers import fork_server
from helpers.places import ROOT

from bnsl_cli.main import cli

BNSL = [sys.executable, "-P", "-m", "bnsl_cli"]
TIMEOUT = 300
"""Seconds until a hanging process fails its test; far more than any run here takes, compilation included."""


@cache
def script_folder(forked: bool) -> str:
    """A folder with a `bnsl` script that runs the package under test, for PATH; removed when the tests end.

    The script starts an interpreter, or, if `forked`, asks a process that has the program loaded (`fork_server`).
    """
    folder = tempfile.mkdtemp(prefix="bnsl-test-bin-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    script = Path(folder, "bnsl")
    if forked and hasattr(os, "fork"):
        start_server(folder, base_environment())
        fork_server.write_client(script, Path(folder, "socket"))
    else:
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m bnsl_cli "$@"\n')
        script.chmod(0o755)
    return folder


def start_server(folder: str, values: dict[str, str], *words: str) -> None:
    """Start `fork_server` with a socket in `folder`; it ends with the tests."""
    server = subprocess.Popen([sys.executable, fork_server.__file__, folder, *words], env=values)
    atexit.register(server.wait)
    atexit.register(server.terminate)
    while not Path(folder, "socket").exists() and server.poll() is None:
        time.sleep(0.01)


@cache
def script_server() -> str:
    """The folder of a server of scripts, which has numba loaded."""
    folder = tempfile.mkdtemp(prefix="bnsl-test-scripts-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    start_server(folder, {"PATH": os.environ["PATH"]}, "numba")
    return folder


def run_python(*arguments: str, cwd: Path, env: dict[str, str], is_fresh: bool = False) -> str:
    """What ``python`` prints with these arguments and this environment alone.

    It is a fork of a process with numba loaded, unless `is_fresh`: forks agree on the hashes of strings, fresh
    processes do not.
    """
    if is_fresh or not hasattr(os, "fork"):
        command = [sys.executable, *arguments]
        result = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    else:
        result = run_forked(list(arguments), b"", str(cwd), env, server=script_server())
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout.decode().strip()


def base_environment() -> dict[str, str]:
    """The environment of a test process: our package first, no debugging, plain output, no make above it."""
    values = {name: value for name, value in os.environ.items() if not name.startswith(("BNSL_", "MAKE", "MFLAGS"))}
    return values | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"}


def environment(forked: bool = False, **changes: str) -> dict[str, str]:
    """The same with `changes`, and with `bnsl` and this Python on the path."""
    values = base_environment()
    values["PATH"] = f"{script_folder(forked)}:{os.path.dirname(sys.executable)}:{values['PATH']}"
    return values | changes


def run_bnsl(
    *arguments: object,
    stdin: bytes = b"",
    is_fresh: bool = False,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    preexec_fn: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess:
    """Run one command in a process of its own, with an interpreter of its own if `is_fresh`; output is bytes.

    `preexec_fn` is as of `subprocess.run`, and asks for such an interpreter.
    """
    words = [str(argument) for argument in arguments]
    forked = not (is_fresh or preexec_fn)
    values = environment(forked, **(env or {}))
    if forked:
        return run_forked(words, stdin, str(cwd or Path.cwd()), values)
    return subprocess.run(
        [*BNSL, *words],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=values,
        timeout=TIMEOUT,
        check=False,
        preexec_fn=preexec_fn,
    )


def run_here(
    *arguments: object, stdin: bytes = b"", cwd: Path | None = None, **changes: str
) -> subprocess.CompletedProcess:
    """Run one command in this process: where neither signals nor streams nor its start are what is tested."""
    words = [str(argument) for argument in arguments]
    runner = CliRunner(env={"COLUMNS": "100"} | changes)
    with contextlib.chdir(cwd or Path.cwd()):
        result = runner.invoke(cli, words, input=stdin, prog_name="bnsl")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return subprocess.CompletedProcess(["bnsl", *words], result.exit_code, result.stdout_bytes, result.stderr_bytes)


def run_forked(
    words: list[str],
    stdin: bytes,
    folder: str,
    environment: dict[str, str],
    signals: Sequence[signal.Signals] = (),
    moment: float = 0.0,
    server: str = "",
) -> subprocess.CompletedProcess:
    """Run one command as a fork of the loaded program, without the script's own interpreter.

    If it has not ended by then, `signals` are sent to it after `moment` seconds. With `server`, the folder of another
    server, it is what that one runs.
    """
    (stdin_end, writer), (out, stdout_end), (err, stderr_end) = (os.pipe() for _ in range(3))
    ends = [stdin_end, stdout_end, stderr_end]
    channel = fork_server.request_command(
        Path(server or script_folder(True), "socket"), ends, words, folder, environment
    )
    for end in ends:
        os.close(end)

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError), open(writer, "wb") as stream:
            stream.write(stdin)

    def read(end: int) -> bytes:
        with open(end, "rb") as stream:
            return stream.read()

    with channel, ThreadPoolExecutor(3) as pool:
        fed, output, messages = pool.submit(feed), pool.submit(read, out), pool.submit(read, err)
        process = fork_server.receive_number(channel)
        if signals and not select.select([channel], [], [], moment)[0]:
            with contextlib.suppress(ProcessLookupError):  # it may end before a signal reaches it
                for number in signals:
                    os.kill(process, number)
        channel.settimeout(TIMEOUT)
        try:
            code = fork_server.receive_number(channel)
        except TimeoutError:
            os.kill(process, signal.SIGKILL)
            raise
        fed.result()
        return subprocess.CompletedProcess(["bnsl", *words], code, output.result(), messages.result())


def run_shell(script: str, cwd: Path, is_fresh: bool = False, **changes: str) -> subprocess.CompletedProcess:
    """Run lines of shell, pipes included, that stop at the first failure; commands have interpreters of their own if
    `is_fresh`.
    """
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(not is_fresh, **changes),
        timeout=TIMEOUT,
        check=False,
    )


def start_bnsl(*arguments: object, is_fresh: bool = False, **settings) -> subprocess.Popen:
    """Start a command that the test goes on to talk to, with an interpreter of its own if `is_fresh`."""
    values = environment(not is_fresh, **settings.pop("env", {}))
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | settings
    command = BNSL if is_fresh else [str(Path(script_folder(True), "bnsl"))]
    return subprocess.Popen([*command, *map(str, arguments)], env=values, **settings)
