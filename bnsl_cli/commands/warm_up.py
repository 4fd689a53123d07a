"""``bnsl warm-up``: compile in advance."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from ..options import jobs_option, message_options
from ..reporter import Reporter
from ..stage_command import stage_command
from ..tiny_runs import TABLE, first_runs, table_text, tiny_runs

COMMANDS = ("parentsets", "optimize", "posterior", "query", "fit", "entropy", "screen")


@stage_command
@click.argument("commands", nargs=-1, type=click.Choice(COMMANDS), metavar="[COMMAND]...")
@jobs_option
@message_options
def command(commands: tuple[str, ...], jobs: int, reporter: Reporter) -> None:
    """Compile in advance what commands need, for images and clusters.

    Kernels are compiled when they are first used and stored in ~/.cache/bnsl, or where NUMBA_CACHE_DIR says. This
    runs each method of the commands named (all that compile anything, if none is) on a table of eight variables.
    Afterwards the folder may be read-only and shared by all machines with the same processor, numba and bnsl.

    \b
    Examples:
      bnsl warm-up -j 0
      bnsl warm-up parentsets 2>&1 | tail -1
      NUMBA_CACHE_DIR=kernels bnsl warm-up entropy screen

    \b
    Exit status: 0 done, 1 a run failed, 2 wrong usage, 129, 130 or 143 interrupted.
    See also: bnsl help cluster.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, TABLE).write_text(table_text(), encoding="utf-8")
        runs = [run for name in commands or COMMANDS for run in tiny_runs(name)]
        for run in first_runs():
            run_tiny(run, folder)
        with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
            for done, _ in enumerate(pool.map(lambda run: run_tiny(run, folder), runs), start=1):
                reporter.progress(done, len(runs), "runs")
    reporter.summary(f"kernels of {len(runs)} methods and tasks are compiled")


def run_tiny(arguments: list[str], folder: str) -> None:
    """One command of this installation, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    result = subprocess.run(
        [sys.executable, "-m", "bnsl_cli", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if result.returncode:
        raise click.ClickException(
            f"bnsl {' '.join(arguments)}: {result.stderr.decode(errors='replace').strip()}"
        )
