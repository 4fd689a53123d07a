"""``bnsl warm-up``: compile in advance."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from ..options.shared import jobs_option, message_options
from ..running.reporter import Reporter
from ..running.stage_command import stage_command
from ..running.tiny_runs import first_runs, tiny_runs, write_inputs

COMMANDS = ("parentsets", "optimize", "posterior", "query", "fit", "entropy", "screen")


@stage_command()
@click.argument("commands", nargs=-1, type=click.Choice(COMMANDS), metavar="[COMMAND]...")
@jobs_option
@message_options
def command(commands: tuple[str, ...], jobs: int, reporter: Reporter) -> None:
    """Compile kernels in advance, for images and clusters.

    Runs each method of the named commands (all, if none is named) on a tiny table, so that later runs find
    compiled kernels in ~/.cache/bnsl or in the folder that NUMBA_CACHE_DIR names (an absolute path). Cached kernels
    run code, so the folder must belong to you, to root or to the owner of this program, and be closed to others.

    \b
    Examples:
      bnsl warm-up -j 0
      bnsl warm-up parentsets 2>&1 | tail -1
      NUMBA_CACHE_DIR=$PWD/kernels bnsl warm-up entropy screen

    See also: bnsl help cluster.
    """
    from stages.kernels.jit import why_not_stored

    if reason := why_not_stored():
        raise click.ClickException(f"kernels cannot be stored: {reason}")
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(Path(folder))
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
        raise click.ClickException(f"bnsl {' '.join(arguments)}: {result.stderr.decode(errors='replace').strip()}")
