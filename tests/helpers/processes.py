"""Running the command line as real processes."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from helpers.places import ROOT

BNSL = [sys.executable, "-m", "bnsl_cli"]
TIMEOUT = 300
"""Seconds until a hanging process fails its test; far more than any run here takes, compilation included."""


@cache
def script_folder() -> str:
    """A folder with a `bnsl` script that runs the package under test, for PATH; removed when the tests end."""
    folder = tempfile.mkdtemp(prefix="bnsl-test-bin-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    script = Path(folder, "bnsl")
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bnsl_cli "$@"\n')
    script.chmod(0o755)
    return folder


def environment(**changes: str) -> dict[str, str]:
    """The environment of a test process: our package first, no debugging, plain output."""
    values = {name: value for name, value in os.environ.items() if not name.startswith("BNSL_")}
    values["PYTHONPATH"] = str(ROOT)
    values["PATH"] = f"{script_folder()}:{values['PATH']}"
    values["COLUMNS"] = "100"
    return values | changes


def run_bnsl(*arguments: object, stdin: bytes = b"", **settings) -> subprocess.CompletedProcess:
    """Run one command; stdout and stderr are bytes."""
    changes = settings.pop("env", {})
    result = subprocess.run(
        [*BNSL, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=environment(**changes),
        timeout=TIMEOUT,
        check=False,
        **settings,
    )
    return without_compiling(result)


def without_compiling(result: subprocess.CompletedProcess) -> subprocess.CompletedProcess:
    """The same without lines that only a machine shows that runs a kernel for the first time."""
    result.stderr = re.sub(rb"bnsl \w+: compiling, .*: .*\n", b"", result.stderr)
    return result


def run_shell(script: str, cwd: Path, **changes: str) -> subprocess.CompletedProcess:
    """Run lines of shell, pipes included, that stop at the first failure."""
    result = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(**changes),
        timeout=TIMEOUT,
        check=False,
    )
    return without_compiling(result)


def start_bnsl(*arguments: object, **settings) -> subprocess.Popen:
    """Start a command that the test goes on to talk to."""
    changes = settings.pop("env", {})
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | settings
    return subprocess.Popen([*BNSL, *map(str, arguments)], env=environment(**changes), **settings)
